"""What DuckDB's own parser says of a statement, for the sandbox to judge.

Locking a connection is not enough. DuckDB lets a query read the files that are attached or opened
to it, so `read_duckdb('shop.duckdb', …)` would reach past the views of a sandbox. A statement must
therefore name nothing but the relations shown to it, its own CTEs, and functions that make rows of
their arguments.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import duckdb

from t2s_dbt.catalog import Relation
from t2s_dbt.names import folded

_RECURSIVE = "RECURSIVE_CTE_NODE"
# The guard has a list of its own: a name that one wall lets through by mistake meets the other.
_ROW_FUNCTIONS = frozenset(
    {"range", "generate_series", "unnest", "json_each", "json_tree", "repeat"}
)


def trees(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Any] | None:
    """The syntax trees of a text's queries; None when DuckDB cannot read it as queries."""
    text = connection.execute("SELECT json_serialize_sql($1::VARCHAR)", [sql]).fetchone()
    found: dict[str, Any] = json.loads(text[0]) if text else {"error": True}
    return None if found["error"] else list(found["statements"])


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object in a syntax tree, itself included."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack += node.values()
        elif isinstance(node, list):
            stack += node


def why_not(
    connection: duckdb.DuckDBPyConnection, sql: str, shown: Iterable[Relation]
) -> str | None:
    """Why a sandbox does not run a statement, or None when it may."""
    try:
        kinds = [statement.type for statement in duckdb.extract_statements(sql)]
    except ValueError:  # a type of statement that the driver has no name for
        kinds = []
    if kinds != [duckdb.StatementType.SELECT]:
        return "not exactly one SELECT statement"
    try:
        queries = trees(connection, sql)
    except RecursionError:
        return "a statement that is nested too deeply"
    if queries is None:
        return "a statement that DuckDB does not read as a query"
    keys = {(folded(r.database or ""), folded(r.schema), folded(r.identifier)) for r in shown}
    return next(_troubles(queries, keys), None)


def _troubles(tree: Any, shown: set[tuple[str, str, str]]) -> Iterator[str]:
    """What a tree names that it may not."""
    stack: list[tuple[Any, frozenset[str]]] = [(tree, frozenset())]  # with the CTEs in scope
    while stack:
        node, ctes = stack.pop()
        if isinstance(node, list):
            stack += [(part, ctes) for part in node]
        if not isinstance(node, dict):
            continue
        if why := _named(node, shown, ctes):
            yield why
        # A CTE sees those before it; one that recurses sees itself, in its second part.
        for entry in (node.get("cte_map") or {}).get("map") or ():
            stack.append((entry.get("value"), ctes))
            ctes |= {folded(str(entry.get("key", "")))}
        own = {folded(str(node.get("cte_name", "")))} if node.get("type") == _RECURSIVE else set()
        for key, part in node.items():
            if key != "cte_map":
                stack.append((part, ctes | own if key == "right" else ctes))


def _named(
    node: dict[str, Any], shown: set[tuple[str, str, str]], ctes: frozenset[str]
) -> str | None:
    kind = node.get("type")
    if kind == "SHOW_REF":
        return "a statement that describes instead of reading"
    if kind == "TABLE_FUNCTION":
        name = str((node.get("function") or {}).get("function_name", ""))
        if folded(name) not in _ROW_FUNCTIONS:
            return f"the table function {name} is not one that a sandbox runs"
    if kind == "BASE_TABLE" and not _is_shown(node, shown, ctes):
        return f"{node.get('table_name')} is not shown to this query"
    return None


def _is_shown(node: dict[str, Any], shown: set[tuple[str, str, str]], ctes: frozenset[str]) -> bool:
    """Whether a table's name is that of a relation shown, or of a CTE in scope."""
    parts = ("catalog_name", "schema_name", "table_name")
    database, schema, name = (folded(str(node.get(part) or "")) for part in parts)
    if not database and not schema and name in ctes:
        return True
    return any(
        name == identifier and schema in ("", its_schema) and database in ("", its_database)
        for its_database, its_schema, identifier in shown
    )
