"""DuckDB as a warehouse: each call opens its own sandbox, read-only and bounded, and closes it."""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb

from t2s_dbt.catalog import Relation
from t2s_dbt.errors import AdapterUnsupportedError, WarehouseError
from t2s_dbt.flow import CheckedSql, Failure, FailureKind, Rows
from t2s_dbt.ports import ColumnProfile
from t2s_dbt.warehouse.budget import Budget, BudgetExceededError, fetched
from t2s_dbt.warehouse.faults import fault
from t2s_dbt.warehouse.sandbox import (
    NotShownError,
    Sandbox,
    locked,
    missing,
    opened,
    quote,
    same,
)
from t2s_dbt.warehouse.syntax import why_not

# What stands in front of a path that is no DuckDB file: `md:shop`, `sqlite:shop.db`.
_SCHEME = re.compile(r"^([a-z][a-z0-9_]+):")


class DuckDBWarehouse:
    """The files of a DuckDB target.

    Args:
        databases: the file of each database name, the main one first.
        budget: what one query may use.
        folder: where relative paths in views begin, the project folder.

    Raises:
        AdapterUnsupportedError: the main database is no local DuckDB file.

    """

    dialect = "duckdb"

    def __init__(
        self, databases: Mapping[str, str], budget: Budget, folder: Path | None = None
    ) -> None:
        self._files: dict[str, Path] = {}
        self._unreadable: dict[str, str] = {}  # attached databases of another kind, and which
        for name, path in databases.items():
            kind = _foreign_kind(path)
            if kind is None:
                self._files[name] = Path(path)
            elif not self._files:
                raise AdapterUnsupportedError(
                    f"database '{name}' is {kind}; this release reads local DuckDB files only",
                    hint="Choose a target with a local file in `path`.",
                )
            else:
                self._unreadable[name] = kind
        self._budget, self._folder = budget, folder

    def describe(self, relations: Iterable[Relation]) -> Mapping[Relation, Mapping[str, str]]:
        """Column names and type names, in order, of each relation that exists."""
        wanted: dict[tuple[str, str], list[Relation]] = {}
        for relation in relations:
            wanted.setdefault(relation.key, []).append(relation)
        found: dict[Relation, dict[str, str]] = {}
        with opened(self._there(), self._budget, self._folder) as sandbox:
            rows = sandbox.connection.execute(
                "SELECT database_name, schema_name, table_name, column_name, data_type "
                "FROM duckdb_columns() WHERE NOT internal ORDER BY table_oid, column_index"
            ).fetchall()
        for database, schema, table, column, data_type in rows:
            for relation in wanted.get((schema.lower(), table.lower()), ()):
                if same(relation.database, sandbox.names.get(database)):
                    found.setdefault(relation, {})[column] = data_type
        return found

    def profile(
        self, columns: Mapping[Relation, Sequence[str]], most: int
    ) -> Mapping[Relation, Mapping[str, ColumnProfile]]:
        """The distinct values of text columns, most frequent first; None where there are more than
        `most`.

        A relation that cannot be read is left out: what asks it is told why.
        """
        shown = [(relation, tuple(names)) for relation, names in columns.items()]
        try:
            with self._sandbox(shown) as sandbox:
                return {
                    relation: {name: _distinct(sandbox, relation, name, most) for name in names}
                    for relation, names in shown
                }
        except (NotShownError, BudgetExceededError):
            if len(columns) <= 1:
                return {}
        each = (self.profile({relation: names}, most) for relation, names in columns.items())
        return {relation: profiles for one in each for relation, profiles in one.items()}

    def state(self) -> str:
        """Size and time of change of every file."""
        parts = []
        for name, path in self._there().items():
            stat = path.stat()
            parts.append(f"{name}:{stat.st_size}:{stat.st_mtime_ns}")
        return " ".join(parts)

    def _there(self) -> dict[str, Path]:
        """The files that are there; an attached one that is not matters to what needs it only."""
        main, path = next(iter(self._files.items()))
        if not path.is_file():
            raise missing(path)
        return {name: path for name, path in self._files.items() if name == main or path.is_file()}

    def explain(self, checked: CheckedSql) -> str | Failure:
        """DuckDB's plan as JSON text."""
        result = self._execute(checked, prefix="EXPLAIN (FORMAT json) ")
        return result if isinstance(result, Failure) else str(result.rows[0][1])

    def run(self, checked: CheckedSql) -> Rows | Failure:
        """The rows, at most `checked.limited_to` of them."""
        return self._execute(checked, prefix="")

    def _execute(self, checked: CheckedSql, prefix: str) -> Rows | Failure:
        if not isinstance(checked, CheckedSql):
            raise TypeError("a warehouse runs a CheckedSql and nothing else")
        started = time.perf_counter()
        scrub: Callable[[str], str] = str
        try:
            with self._sandbox([(e.relation, e.columns) for e in checked.exposed]) as sandbox:
                scrub = sandbox.scrubbed
                shown = [exposed.relation for exposed in checked.exposed]
                if refused := why_not(sandbox.connection, checked.sql, shown):
                    return Failure(FailureKind.NOT_ALLOWED, refused)
                cursor = sandbox.connection.execute(prefix + checked.sql)
                rows, cut = fetched(cursor, checked.limited_to, self._budget.result_bytes)
                described = cursor.description or []
        except (NotShownError, BudgetExceededError) as error:
            return error.failure
        except duckdb.Error as error:
            return fault(error, scrub)
        return Rows(
            columns=tuple(str(column[0]) for column in described),
            types=tuple(str(column[1]) for column in described),
            rows=rows,
            truncated=cut,
            seconds=time.perf_counter() - started,
        )

    def _sandbox(
        self, shown: Sequence[tuple[Relation, tuple[str, ...]]]
    ) -> AbstractContextManager[Sandbox]:
        """A locked sandbox with the databases that these relations are in."""
        files = {self._database(relation): None for relation, _ in shown}
        # Without a relation the main file is opened all the same: whether it is there and free is
        # part of the answer.
        names = files or dict.fromkeys(list(self._files)[:1])
        attached = {name: self._files[name] for name in names}
        return locked(attached, shown, self._budget, self._folder)

    def _database(self, relation: Relation) -> str:
        """The name of the attached database that a relation is in."""
        for name in self._files:
            if same(relation.database, name):
                return name
        for name, kind in self._unreadable.items():
            if same(relation.database, name):
                raise WarehouseError(
                    f"the relation {relation} is in database '{name}', which is {kind}; this "
                    "release reads local DuckDB files only",
                    hint="Let a model copy it into the main database.",
                )
        raise WarehouseError(
            f"the project's relation {relation} is in database '{relation.database}', "
            "which the profile does not attach",
            hint="Add it under `attach:` in profiles.yml.",
        )


def check_adapter(adapter: str) -> None:
    """Raises AdapterUnsupportedError unless the profile's adapter is one that can be questioned."""
    if adapter != "duckdb":
        raise AdapterUnsupportedError(
            f"the target's adapter is '{adapter or 'not named'}'; "
            "this release can question DuckDB only",
            hint="Choose a DuckDB target with --target.",
        )


def _distinct(sandbox: Sandbox, relation: Relation, column: str, most: int) -> ColumnProfile:
    name = quote(column)
    parts = (relation.database, relation.schema, relation.identifier)
    place = ".".join(quote(part) for part in parts if part)
    rows = sandbox.connection.execute(
        f"SELECT {name}::VARCHAR FROM {place} WHERE {name} IS NOT NULL "
        f"GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {most + 1}"
    ).fetchall()
    return ColumnProfile(tuple(row[0] for row in rows) if len(rows) <= most else None)


def _foreign_kind(path: str) -> str | None:
    """What a database is that is no local DuckDB file; None when it is one."""
    if path == ":memory:":
        return "in memory, of which nothing is left after dbt ends"
    scheme = _SCHEME.match(path)
    if scheme is None:
        return None
    kinds = {"md": "on MotherDuck", "motherduck": "on MotherDuck"}
    return kinds.get(scheme[1], f"of the kind '{scheme[1]}'")
