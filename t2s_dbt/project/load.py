"""Makes the `Catalog` of a project's artifacts, the database's columns, and the glossary."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from t2s_dbt.catalog import Catalog, Metric, Relation, Table, Term, TermMeaning
from t2s_dbt.project.artifacts import Artifacts, built_nodes
from t2s_dbt.project.policy import make_policy
from t2s_dbt.project.semantics import SemanticModels
from t2s_dbt.project.tables import Node, make_joins, make_tables, relation_of

ColumnTypes = Mapping[Relation, Mapping[str, str]]


def catalogued_types(artifacts: Artifacts) -> ColumnTypes:
    """Column types by relation from `catalog.json`; empty without one, or when it is older than the
    manifest.
    """
    if artifacts.catalog is None:
        return {}
    written = (artifacts.catalog.get("metadata") or {}).get("generated_at", "")
    if written < (artifacts.manifest.get("metadata") or {}).get("generated_at", ""):
        return {}
    nodes = {**artifacts.catalog.get("nodes", {}), **artifacts.catalog.get("sources", {})}
    known = {node["unique_id"]: node for node in _all_nodes(artifacts)}
    return {
        relation_of(known[unique_id]): {
            column["name"]: column["type"]
            for column in sorted(entry["columns"].values(), key=lambda column: column["index"])
        }
        for unique_id, entry in nodes.items()
        if unique_id in known
    }


def relations_of(artifacts: Artifacts) -> tuple[Relation, ...]:
    """Every relation of the project that the database may hold."""
    return tuple(dict.fromkeys(relation_of(node) for node in _all_nodes(artifacts)))


def _all_nodes(artifacts: Artifacts) -> list[Node]:
    manifest = artifacts.manifest
    return [*built_nodes(manifest), *(manifest.get("sources") or {}).values()]


def make_catalog(
    artifacts: Artifacts,
    types: ColumnTypes,
    *,
    dialect: str,
    hidden_names: Iterable[str],
    terms: tuple[Term, ...] = (),
) -> Catalog:
    """The catalog of everything a question may speak of.

    Args:
        artifacts: what dbt wrote.
        types: column names and types of the relations that exist.
        dialect: sqlglot's name of the warehouse's dialect, for lineage.
        hidden_names: parts of names that mark a secret.
        terms: the glossary.

    """
    manifest = artifacts.manifest
    policy = make_policy(manifest, types, dialect, hidden_names)
    tables = make_tables(manifest, types, policy.columns)
    semantic = SemanticModels(manifest, tables, policy.columns)
    metrics = () if artifacts.semantic_manifest is None else semantic.metrics()
    blocked = tuple(
        f"metric {name} reads a hidden column, so it cannot be asked"
        for name in semantic.blocked_metrics()
    )
    times = {metric.time.table: metric.time.name for metric in metrics if metric.time}
    return Catalog(
        tables=tuple(
            replace(table, default_time=table.default_time or times.get(table.name))
            for table in tables
        ),
        joins=make_joins(manifest, tables),
        metrics=metrics,
        dimensions=semantic.dimensions(),
        entities=semantic.entities(),
        terms=terms,
        fiscal_grains=_custom_grains(manifest),
        hidden=policy.report,
        notes=(*artifacts.notes, *policy.notes, *blocked, *_loose_terms(terms, tables, metrics)),
    )


def _loose_terms(
    terms: tuple[Term, ...], tables: tuple[Table, ...], metrics: tuple[Metric, ...]
) -> Iterator[str]:
    """A note on each glossary term whose metric, model or column the project does not have."""
    known = {
        TermMeaning.METRIC: {metric.name for metric in metrics},
        TermMeaning.MODEL: {table.name for table in tables},
        TermMeaning.COLUMN: {f"{t.name}.{c.name}" for t in tables for c in t.columns},
    }
    known[TermMeaning.VALUE] = known[TermMeaning.COLUMN]
    for term in terms:
        if term.meaning in known and term.target not in known[term.meaning]:
            yield f"{term.location}: term '{term.name}' means {term.target}, which cannot be asked"


def _custom_grains(manifest: Mapping[str, object]) -> tuple[str, ...]:
    """Names of the time spine's custom granularities."""
    found: list[str] = []
    nodes = manifest.get("nodes")
    assert isinstance(nodes, Mapping)
    for node in nodes.values():
        spine = node.get("time_spine") or {}
        found += [grain["name"] for grain in spine.get("custom_granularities") or ()]
    return tuple(dict.fromkeys(found))
