"""Makes tables and joins of a manifest's nodes and tests."""

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from t2s_dbt.catalog import Attribute, Column, Join, Layer, Location, Relation, Table
from t2s_dbt.project.artifacts import built_nodes

Node = Mapping[str, Any]
ColumnTypes = Mapping[Relation, Mapping[str, str]]

_STAGING_NAMES = re.compile(r"^(stg|base|int|intermediate|staging|raw|src)_")
_STAGING_FOLDERS = frozenset({"staging", "stage", "stg", "base", "intermediate"})
_REF = re.compile(r"ref\(\s*['\"]([^'\"]+)['\"]\s*(?:,\s*['\"]([^'\"]+)['\"])?")


def hints(node: Node) -> dict[str, Any]:
    """Our hints on a node: `config.meta.t2s`, or `meta.t2s` as older projects write it."""
    config = node.get("config") or {}
    for meta in (config.get("meta"), node.get("meta")):
        if isinstance(meta, dict) and isinstance(meta.get("t2s"), dict):
            return dict(meta["t2s"])
    return {}


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts, or one text, as a tuple; anything else is empty."""
    if isinstance(value, str):
        return (value,)
    return tuple(str(part) for part in value) if isinstance(value, list) else ()


def relation_of(node: Node) -> Relation:
    """The relation a node is built as."""
    identifier = node.get("alias") or node.get("identifier") or node["name"]
    return Relation(node.get("database"), str(node.get("schema") or ""), str(identifier))


def offered_nodes(manifest: Mapping[str, Any], hidden: Container[str] = ()) -> list[Node]:
    """Built models and snapshots, and raw data that no model reads, aside from those hidden.

    Seeds and sources that a model reads are left out, unless a semantic model stands on them: the
    model is their better version. So are sources that are files, not relations of the database.
    """
    children = manifest.get("child_map") or {}
    semantic = (manifest.get("semantic_models") or {}).values()
    modelled = {id_ for m in semantic for id_ in (m.get("depends_on") or {}).get("nodes", ())}
    raw = [
        *(node for node in built_nodes(manifest) if node["resource_type"] == "seed"),
        *(manifest.get("sources") or {}).values(),
    ]
    unread = [
        node
        for node in raw
        if (
            node["unique_id"] in modelled
            or not any(c.startswith("model.") for c in children.get(node["unique_id"], ()))
        )
        and not is_file_source(node)
    ]
    models = [node for node in built_nodes(manifest) if node["resource_type"] != "seed"]
    return [node for node in (*models, *unread) if node["unique_id"] not in hidden]


def is_file_source(node: Node) -> bool:
    """Whether a source is a file that dbt-duckdb reads in place, or that a plugin of it makes."""
    metas = (node, node.get("config") or {})
    return any(
        key in (holder.get(meta) or {})
        for holder in metas
        for meta in ("meta", "source_meta")
        for key in ("external_location", "plugin")
    )


def _askable(node: Node) -> bool:
    """Whether people may ask about a node: it is no time spine and not private to its group."""
    access = node.get("access") or (node.get("config") or {}).get("access")
    return not node.get("time_spine") and access != "private"


def make_tables(
    manifest: Mapping[str, Any],
    types: ColumnTypes,
    hidden: Mapping[Relation, frozenset[str]],
    hidden_models: Container[str] = (),
) -> tuple[Table, ...]:
    """The tables that may be asked, with what YAML, tests and the database say of their columns.

    `types` gives the columns that exist, where known; a column that only YAML knows is kept when
    the relation itself is not known to the database.
    """
    tests = _column_tests(manifest)
    names = _unique_names(offered_nodes(manifest, hidden_models))
    return tuple(
        _table(node, name, types.get(relation_of(node)), hidden, tests) for node, name in names
    )


def _unique_names(nodes: list[Node]) -> list[tuple[Node, str]]:
    """Each node with a name of its own: the model's, with its version or package where two share
    it.
    """
    taken: set[str] = set()
    named: list[tuple[Node, str]] = []
    newest_first = sorted(
        nodes, key=lambda n: (n["name"], n.get("version") != n.get("latest_version"))
    )
    for node in newest_first:
        name = str(node["name"])
        if name in taken and node.get("version") is not None:
            name = f"{name}_v{node['version']}"
        if name in taken:
            name = f"{node.get('source_name') or node.get('package_name')}.{name}"
        taken.add(name)
        named.append((node, name))
    return sorted(named, key=lambda pair: pair[0]["unique_id"])


def _table(
    node: Node,
    name: str,
    known: Mapping[str, str] | None,
    hidden: Mapping[Relation, frozenset[str]],
    tests: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Table:
    relation = relation_of(node)
    documented = {
        str(column["name"]).lower(): column for column in node.get("columns", {}).values()
    }
    existing = known or {column["name"]: column.get("data_type") for column in documented.values()}
    unseen = hidden.get(relation, frozenset())
    primary_key = {str(column).lower() for column in node.get("primary_key") or []}
    own = hints(node)
    columns = tuple(
        _column(
            column_name,
            data_type,
            documented.get(column_name.lower(), {}),
            tests.get((node["unique_id"], column_name.lower()), {}),
            only_key=primary_key == {column_name.lower()},
        )
        for column_name, data_type in existing.items()
        if column_name.lower() not in unseen
    )
    return Table(
        name=name,
        unique_id=node["unique_id"],
        relation=relation,
        columns=columns,
        description=(node.get("description") or "").strip(),
        synonyms=texts(own.get("synonyms")),
        layer=_layer(node),
        default_time=own.get("default_time"),
        location=_location(node),
        askable=_askable(node),
        columns_known=known is not None,
    )


def _column(
    name: str, data_type: str | None, yaml: Node, tests: Mapping[str, Any], *, only_key: bool
) -> Column:
    own = hints(yaml)
    kinds = {constraint.get("type") for constraint in yaml.get("constraints") or []}
    spoken = own.get("values") if isinstance(own.get("values"), dict) else {}
    return Column(
        name=name,
        data_type=data_type or yaml.get("data_type"),
        description=(yaml.get("description") or "").strip(),
        synonyms=texts(own.get("synonyms")),
        values=tests.get("values", ()) or tuple(str(value) for value in spoken or ()),
        unit=own.get("unit"),
        unique=(only_key and "partial" not in tests)
        or "unique" in tests
        or bool(kinds & {"unique", "primary_key"}),
        required="not_null" in tests or bool(kinds & {"not_null", "primary_key"}),
    )


def _layer(node: Node) -> Layer:
    if node.get("resource_type") in ("seed", "source"):
        return Layer.SOURCE
    folders = set(node.get("fqn", [])[1:-1])
    if _STAGING_NAMES.match(node["name"]) or folders & _STAGING_FOLDERS:
        return Layer.STAGING
    return Layer.MART


def _location(node: Node) -> Location:
    """The YAML that documents a node, or else the file that makes it."""
    patch = node.get("patch_path")
    path = patch.split("://", 1)[-1] if patch else node.get("original_file_path", "")
    return Location(path.replace("\\", "/"))


def generic_tests(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Node, Mapping[str, Any]]]:
    """Name, node and arguments of each enabled generic test."""
    for node in manifest.get("nodes", {}).values():
        metadata = node.get("test_metadata")
        if node.get("resource_type") == "test" and metadata:
            arguments = dict(metadata.get("kwargs") or {})
            arguments.update(arguments.pop("arguments", None) or {})
            yield metadata["name"], node, arguments


def _constraints(node: Node) -> Iterator[tuple[Node, list[str]]]:
    """Constraints of a model and of its columns, each with the column it stands at."""
    for constraint in node.get("constraints") or []:
        yield constraint, []
    for column in (node.get("columns") or {}).values():
        for constraint in column.get("constraints") or []:
            yield constraint, [str(column["name"])]


def _column_tests(manifest: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """What tests say of a column, by node id and lower-cased column name."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for name, node, arguments in generic_tests(manifest):
        column = node.get("column_name") or arguments.get("column_name")
        if not column:
            continue
        facts = found.setdefault((str(node.get("attached_node")), _bare(column)), {})
        if (node.get("config") or {}).get("where"):
            facts["partial"] = True
        elif name == "accepted_values":
            facts["values"] = tuple(str(value) for value in arguments.get("values") or ())
        elif name in ("unique", "not_null"):
            facts[name] = True
    return found


def _bare(column: str) -> str:
    return column.strip().strip('"`').lower()


def make_joins(manifest: Mapping[str, Any], tables: tuple[Table, ...]) -> tuple[Join, ...]:
    """Joins that `relationships` tests and foreign key constraints promise, between visible
    columns.
    """
    by_id = {table.unique_id: table for table in tables}
    found: dict[tuple[Attribute, Attribute], Join] = {}
    for many_id, column, one_id, field, evidence in _references(manifest):
        many, one = by_id.get(many_id), by_id.get(one_id)
        if many is None or one is None or many is one:
            continue
        many_column, one_column = many.column(column), one.column(field)
        if many_column is None or one_column is None:
            continue
        left, right = Attribute(many.name, many_column.name), Attribute(one.name, one_column.name)
        if one_column.unique:
            found.setdefault((left, right), Join(left, right, evidence))
    return tuple(found.values())


def _references(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, str]]:
    """Each promise as (many's id, its column, one's id, its column, evidence)."""
    for name, node, arguments in generic_tests(manifest):
        if name == "relationships" and arguments.get("field"):
            many = str(node.get("attached_node"))
            column = node.get("column_name") or arguments.get("column_name") or ""
            wanted = _REF.search(str(arguments.get("to", "")))
            for one in (node.get("depends_on") or {}).get("nodes", ()):
                named = wanted is None or (wanted[2] or wanted[1]) in one.split(".")
                if one != many and named:
                    field = _bare(str(arguments["field"]))
                    yield many, _bare(column), one, field, "relationships test"
    nodes = manifest.get("nodes", {})
    by_relation = {node.get("relation_name"): id_ for id_, node in nodes.items()}
    for node in built_nodes(manifest):
        for constraint, own in _constraints(node):
            one = by_relation.get(constraint.get("to"))
            columns, fields = constraint.get("columns") or own, constraint.get("to_columns") or []
            if one and len(columns) == len(fields) == 1:
                evidence = "foreign key constraint"
                yield node["unique_id"], _bare(columns[0]), one, _bare(fields[0]), evidence
