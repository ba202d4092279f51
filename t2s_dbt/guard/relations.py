"""Resolves what a statement reads: its CTEs aside, each relation must be a table of the catalog."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from t2s_dbt.catalog import Catalog, Table
from t2s_dbt.flow import Exposed
from t2s_dbt.guard.functions import TABLE_FUNCTIONS, refusal
from t2s_dbt.guard.rejection import Rejection
from t2s_dbt.names import folded

# What may stand behind a relation in FROM, and keeps its place behind the subquery.
_NAMES = ("this", "db", "catalog", "alias", "sample")
_MODIFIERS = ("joins", "laterals", "pivots")


@dataclass(frozen=True, slots=True)
class Read:
    """A relation that a query reads: its node in the tree, and the table of the catalog."""

    node: exp.Table
    table: Table


def resolve_relations(tree: exp.Query, catalog: Catalog) -> tuple[Read, ...]:
    """Rewrites each relation of the tree to its full name, and returns those it reads.

    Raises:
        Rejection: a relation or table function that the project does not expose.

    """
    ctes, found = _Ctes(), list[Read]()
    for node in list(tree.find_all(exp.Table, exp.Lateral, bfs=False)):
        if isinstance(node.this, exp.Func):
            if not isinstance(node.this, exp.Unnest):
                _check_table_function(node.this)
        elif isinstance(node, exp.Table) and not ctes.defines(node):
            table = _table(node, catalog)
            _rename(node, table)
            found.append(Read(node, table))
    return tuple(found)


def exposed(reads: Iterable[Read]) -> tuple[Exposed, ...]:
    """What a sandbox must show for these reads."""
    tables = {read.table.name: read.table for read in reads}
    return tuple(
        Exposed(table.name, table.relation, tuple(column.name for column in table.columns))
        for table in tables.values()
    )


def project_visible(reads: Iterable[Read], catalog: Catalog) -> None:
    """Puts a subquery of its visible columns in the place of each relation that has hidden ones.

    Whatever the query then does (`*`, whole rows, `COLUMNS`, NATURAL joins, UNPIVOT), the hidden
    columns are not there to be reached, in this wall too.
    """
    for read in reads:
        if read.table.relation.key in catalog.hidden_columns:
            _project(read.node, read.table)


def _project(node: exp.Table, table: Table) -> None:
    alias = node.args.get("alias") or exp.TableAlias(this=node.this.copy())
    bare = exp.Table(this=node.this, db=node.args.get("db"), catalog=node.args.get("catalog"))
    names = [exp.to_identifier(column.name, quoted=True) for column in table.columns]
    shown: list[exp.Expr] = [exp.column(name) for name in names]
    bare.set("sample", node.args.get("sample"))
    visible = exp.select(*(shown or [exp.alias_(exp.null(), "nothing_visible")])).from_(bare)
    moved = {name: value for name, value in node.args.items() if name in _MODIFIERS}
    lost = {name for name, value in node.args.items() if value} - {*moved, *_NAMES}
    if lost:
        raise Rejection("unreadable", f"the {min(lost)} of a table cannot be read", table.name)
    node.replace(exp.Subquery(this=visible, alias=alias, **moved))


def _check_table_function(call: exp.Func) -> None:
    name = call.name if isinstance(call, exp.Anonymous) else call.sql_name().lower()
    if name.lower() not in TABLE_FUNCTIONS:
        raise Rejection("table_function", refusal(name), name)


class _Ctes:
    """Which names of a tree are those of CTEs, as DuckDB binds them."""

    def __init__(self) -> None:
        self._places: dict[int, dict[str, list[int]]] = {}  # of each name, by the id of its WITH
        self._own: dict[int, dict[int, int]] = {}  # of each CTE, by its id

    def defines(self, node: exp.Table) -> bool:
        """Whether a relation's name is that of a CTE in whose scope it stands."""
        if node.db or node.catalog:
            return False
        name = folded(node.name)
        inside: list[int] = []  # the ids of what the node stands in
        scope: exp.Expr | None = node
        while scope is not None:
            with_ = scope.args.get("with_")
            if isinstance(with_, exp.With) and self._in(with_, name, inside):
                return True
            inside.append(id(scope))
            scope = scope.parent
        return False

    def _in(self, with_: exp.With, name: str, inside: list[int]) -> bool:
        """Whether a WITH defines a name for what stands inside: a CTE sees those before it, and
        itself only when it recurses.
        """
        if id(with_) not in self._places:
            places: dict[str, list[int]] = {}
            for place, cte in enumerate(with_.expressions):
                places.setdefault(folded(cte.alias), []).append(place)
            self._places[id(with_)] = places
            self._own[id(with_)] = {id(cte): n for n, cte in enumerate(with_.expressions)}
        found = self._places[id(with_)].get(name)
        if not found:
            return False
        own = next((self._own[id(with_)][i] for i in inside if i in self._own[id(with_)]), None)
        if own is None or found[0] < own:
            return True
        return own in found and _recurses(with_, with_.expressions[own], name, inside)


def _recurses(with_: exp.With, cte: exp.CTE, name: str, inside: list[int]) -> bool:
    """Whether a name inside its own CTE means the CTE: in the second part of a UNION whose first
    part does not use it. Everywhere else DuckDB reads a table of that name.
    """
    body = cte.this
    if not with_.recursive or not isinstance(body, exp.Union) or id(body.right) not in inside:
        return False
    anchor = body.left.find_all(exp.Table)
    return not any(folded(table.name) == name and not table.db for table in anchor)


def _table(node: exp.Table, catalog: Catalog) -> Table:
    """The catalog's table behind a name: schema and identifier, an identifier alone, or a model's
    name.
    """
    name, schema, database = node.name.lower(), node.db.lower(), node.catalog.lower()
    matches = [
        table
        for table in catalog.tables
        if table.relation.identifier.lower() == name
        and schema in ("", table.relation.schema.lower())
        and database in ("", (table.relation.database or "").lower())
    ]
    if not matches and not schema:
        matches = [table for table in catalog.tables if table.name.lower() == name]
    if len(matches) != 1:
        shown = ".".join(part for part in (node.catalog, node.db, node.name) if part)
        if matches:
            places = ", ".join(str(table.relation) for table in matches)
            raise Rejection("ambiguous_relation", f"{shown} may be any of {places}", shown)
        known = {name for t in catalog.tables for name in (t.name, t.relation.identifier)}
        near = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.5)
        raise Rejection("relation", f"the project exposes no table {shown}", shown, near)
    return matches[0]


def _rename(node: exp.Table, table: Table) -> None:
    """Gives the node the relation's full name, and keeps the name by which its columns are
    qualified.
    """
    written = node.this.copy()
    if not node.alias and folded(written.name) != folded(table.relation.identifier):
        node.set("alias", exp.TableAlias(this=written))
    relation = table.relation
    node.set("this", exp.to_identifier(relation.identifier, quoted=True))
    node.set("db", exp.to_identifier(relation.schema, quoted=True))
    node.set(
        "catalog", exp.to_identifier(relation.database, quoted=True) if relation.database else None
    )
