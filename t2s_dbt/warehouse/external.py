"""The files behind a database's views, as dbt-duckdb's external models and sources leave them.

Such a view reads `read_parquet('data/orders.parquet')` or `'data/*.csv'`. DuckDB's own parser says
which; a view over such a view is followed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from t2s_dbt.catalog import Relation
from t2s_dbt.warehouse.syntax import nodes, trees


@dataclass(frozen=True, slots=True)
class Behind:
    """What a view reads outside of its own database: paths and patterns as they are written, the
    local files that they mean, and other databases.
    """

    written: frozenset[str] = frozenset()
    found: frozenset[str] = frozenset()
    databases: frozenset[str] = frozenset()

    @property
    def remote(self) -> str | None:
        """An address among them that is no local file."""
        return min((path for path in self.written if "://" in path), default=None)


def behind(connection: duckdb.DuckDBPyConnection, database: str, relation: Relation) -> Behind:
    """What a relation reads outside of its database when it is a view; nothing when it is a table.

    `database` is the name under which the relation's database is attached.
    """
    views = _views(connection, database)
    nodes = list(_reads(connection, views, relation.key, set()))
    written = frozenset(text for node in nodes for text in _paths(node))
    found = {file for path in written if "://" not in path for file in _glob(connection, path)}
    own = {"", (relation.database or "").lower()}
    named = {str(node.get("catalog_name") or "").lower() for node in nodes}
    return Behind(written, frozenset(found), frozenset(named - own))


def _views(connection: duckdb.DuckDBPyConnection, database: str) -> dict[tuple[str, str], str]:
    """The SQL of each view, by schema and name, lower-cased."""
    rows = connection.execute(
        "SELECT schema_name, view_name, sql FROM duckdb_views() "
        "WHERE database_name = $1 AND NOT internal",
        [database],
    ).fetchall()
    return {(schema.lower(), name.lower()): sql for schema, name, sql in rows}


def _reads(
    connection: duckdb.DuckDBPyConnection,
    views: dict[tuple[str, str], str],
    key: tuple[str, str],
    seen: set[tuple[str, str]],
) -> Iterator[dict[str, Any]]:
    """The tables and table functions that a view, and the views behind it, read."""
    if key in seen or key not in views:
        return
    seen.add(key)
    for node in nodes(_parsed(connection, views[key])):
        if node.get("type") == "TABLE_FUNCTION":
            yield node
        elif node.get("type") == "BASE_TABLE":
            schema = str(node.get("schema_name") or key[0]).lower()
            inner = (schema, str(node.get("table_name", "")).lower())
            if inner in views:
                yield from _reads(connection, views, inner, seen)
            else:
                yield node


def _paths(node: dict[str, Any]) -> Iterator[str]:
    """The paths that a table or table function names."""
    if node["type"] == "TABLE_FUNCTION":
        yield from _texts(node.get("function"))
    elif not node.get("schema_name"):
        name = str(node.get("table_name", ""))
        if "." in name or "/" in name:
            yield name


def _parsed(connection: duckdb.DuckDBPyConnection, create: str) -> Any:
    """The syntax tree of a view's query; `CREATE VIEW … AS` stands in front of it."""
    parts = create.rstrip("; \n").split(" AS ")
    for place in range(1, len(parts)):
        found = trees(connection, " AS ".join(parts[place:]))
        if found is not None:
            return found
    return []


def _texts(tree: Any) -> Iterator[str]:
    """The text constants in a call: where they stand differs between versions of DuckDB."""
    for node in nodes(tree):
        if node.get("class") == "CONSTANT":
            yield from (text for text in _leaves(node) if "." in text or "/" in text)


def _leaves(tree: Any) -> Iterator[str]:
    for node in nodes(tree):
        yield from (value for value in node.values() if isinstance(value, str))


def _glob(connection: duckdb.DuckDBPyConnection, path: str) -> list[str]:
    rows = connection.execute("SELECT file FROM glob($1::VARCHAR)", [path]).fetchall()
    return [str(file) for (file,) in rows]
