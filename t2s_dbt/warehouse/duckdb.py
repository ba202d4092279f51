"""DuckDB as a warehouse: files opened read-only, one short-lived sandbox for each query.

A sandbox is an in-memory database in which the warehouse's files are attached read-only under
random names, and views under the relations' real names show their visible columns only. External
access is off and the configuration locked before any query runs. No connection outlives a call, so
`dbt build` is never blocked.
"""

import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from t2s_dbt.catalog import Relation
from t2s_dbt.errors import (
    AdapterUnsupportedError,
    DatabaseLockedError,
    DatabaseMissingError,
    WarehouseError,
)
from t2s_dbt.flow import CheckedSql, Failure, FailureKind, Rows
from t2s_dbt.ports import ColumnProfile
from t2s_dbt.warehouse.faults import fault

_LOCK_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Budget:
    """What one query may use: seconds, memory as DuckDB writes it, threads; seconds to wait for a
    lock.
    """

    seconds: float
    memory: str
    threads: int
    lock_wait: float


class _DriftError(WarehouseError):
    """A relation in the database is not what the project says it is."""

    def __init__(self, relation: Relation, kind: FailureKind) -> None:
        gone = kind is FailureKind.UNKNOWN_TABLE
        what = "is not in the database" if gone else "does not have the columns of its model"
        super().__init__(f"the relation {relation} {what}", hint="Run `dbt build`.")
        self.relation, self.kind = relation, kind


class DuckDBWarehouse:
    """The files of a DuckDB target: `databases` maps each database name to its file, the main one
    first.
    """

    dialect = "duckdb"

    def __init__(self, databases: Mapping[str, str], budget: Budget) -> None:
        self._files = {name: _file(name, path) for name, path in databases.items()}
        self._budget = budget

    def describe(self, relations: Iterable[Relation]) -> Mapping[Relation, Mapping[str, str]]:
        """Column names and type names, in order, of each relation that exists."""
        wanted: dict[tuple[str, str], list[Relation]] = {}
        for relation in relations:
            wanted.setdefault(relation.key, []).append(relation)
        found: dict[Relation, dict[str, str]] = {}
        with self._connection() as (connection, names):
            rows = connection.execute(
                "SELECT database_name, schema_name, table_name, column_name, data_type "
                "FROM duckdb_columns() WHERE NOT internal ORDER BY table_oid, column_index"
            ).fetchall()
        attached = {random: name for name, random in names.items()}
        for database, schema, table, column, data_type in rows:
            for relation in wanted.get((schema.lower(), table.lower()), ()):
                if _same(relation.database, attached.get(database)):
                    found.setdefault(relation, {})[column] = data_type
        return found

    def profile(
        self, columns: Mapping[Relation, Sequence[str]], most: int
    ) -> Mapping[Relation, Mapping[str, ColumnProfile]]:
        """The distinct values of text columns, most frequent first; None where there are more than
        `most`.
        """
        exposed = [(relation, tuple(names)) for relation, names in columns.items()]
        with self._sandbox(exposed) as connection:
            return {
                relation: {name: _distinct(connection, relation, name, most) for name in names}
                for relation, names in exposed
            }

    def state(self) -> str:
        """Size and time of change of every file."""
        parts = []
        for name, path in self._files.items():
            if not path.is_file():
                raise _missing(name, path)
            stat = path.stat()
            parts.append(f"{name}:{stat.st_size}:{stat.st_mtime_ns}")
        return " ".join(parts)

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
        try:
            with self._sandbox([(e.relation, e.columns) for e in checked.exposed]) as connection:
                kinds = [statement.type for statement in duckdb.extract_statements(checked.sql)]
                if kinds != [duckdb.StatementType.SELECT]:
                    return Failure(FailureKind.NOT_ALLOWED, "not exactly one SELECT statement")
                with _interrupted_after(connection, self._budget.seconds) as expired:
                    try:
                        cursor = connection.execute(prefix + checked.sql)
                        rows = cursor.fetchmany(checked.limited_to + 1)
                    except duckdb.InterruptException:
                        if expired.is_set():
                            return _timeout(self._budget.seconds)
                        raise KeyboardInterrupt from None
                    described = cursor.description or []
        except _DriftError as drift:
            return Failure(drift.kind, str(drift), str(drift.relation), hint=drift.hint)
        except duckdb.Error as error:
            return fault(error)
        return Rows(
            columns=tuple(str(column[0]) for column in described),
            types=tuple(str(column[1]) for column in described),
            rows=tuple(tuple(row) for row in rows[: checked.limited_to]),
            truncated=len(rows) > checked.limited_to,
            seconds=time.perf_counter() - started,
        )

    @contextmanager
    def _sandbox(
        self, exposed: Iterable[tuple[Relation, tuple[str, ...]]]
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A locked connection that sees these relations, with these columns, and nothing else."""
        with self._connection() as (connection, names):
            made: set[str] = set()
            for relation, columns in exposed:
                database = relation.database or next(iter(self._files))
                source = next((r for n, r in names.items() if _same(database, n)), None)
                if source is None:
                    raise WarehouseError(
                        f"the project's relation {relation} is in database '{database}', "
                        "which the profile does not attach",
                        hint="Add it under `attach:` in profiles.yml.",
                    )
                if database not in made and database != "memory":
                    connection.execute(f"ATTACH ':memory:' AS {_quote(database)}")
                    made.add(database)
                place = f"{_quote(database)}.{_quote(relation.schema)}"
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {place}")
                shown = ", ".join(map(_quote, columns)) or "NULL AS nothing_visible"
                inner = f"{_quote(source)}.{_quote(relation.schema)}.{_quote(relation.identifier)}"
                view = f"{place}.{_quote(relation.identifier)}"
                try:
                    connection.execute(f"CREATE VIEW {view} AS SELECT {shown} FROM {inner}")
                except duckdb.Error as error:  # its text names what is there, hidden or not
                    raise _DriftError(relation, fault(error).kind) from None
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield connection

    @contextmanager
    def _connection(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, dict[str, str]]]:
        """A fresh in-memory connection with every file attached read-only; and the random name of
        each.
        """
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": self._budget.memory,
            "threads": self._budget.threads,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        try:
            connection = duckdb.connect(":memory:", config=config)
        except duckdb.Error as error:
            raise WarehouseError(
                f"DuckDB does not accept these limits: {error}",
                hint="Mend memory_limit or threads.",
            ) from error
        try:
            names: dict[str, str] = {}
            for name, path in self._files.items():
                names[name] = f"w{secrets.token_hex(8)}"
                self._attach(connection, path, names[name], name)
            yield connection, names
        finally:
            connection.close()

    def _attach(
        self, connection: duckdb.DuckDBPyConnection, path: Path, random: str, name: str
    ) -> None:
        if not path.is_file():
            raise _missing(name, path)
        escaped = str(path).replace("'", "''")
        deadline = time.monotonic() + self._budget.lock_wait
        while True:
            try:
                connection.execute(f"ATTACH '{escaped}' AS {_quote(random)} (READ_ONLY)")
                return
            except duckdb.IOException as error:
                if "lock" not in str(error).lower():
                    raise WarehouseError(f"{path} cannot be opened: {error}") from error
                if time.monotonic() >= deadline:
                    raise DatabaseLockedError(
                        f"another process is writing to {path}",
                        hint="Wait until `dbt build` has ended, or close the other DuckDB session; "
                        "`lock_wait` is how many seconds to wait.",
                    ) from error
                time.sleep(_LOCK_POLL_SECONDS)
            except duckdb.Error as error:
                raise WarehouseError(
                    f"{path} cannot be opened as a DuckDB database: {error}",
                    hint="Build it with the DuckDB version that is installed here.",
                ) from error


def check_adapter(adapter: str) -> None:
    """Raises AdapterUnsupportedError unless the profile's adapter is one that can be questioned."""
    if adapter != "duckdb":
        raise AdapterUnsupportedError(
            f"the target's adapter is '{adapter or 'not named'}'; "
            "this release can question DuckDB only",
            hint="Choose a DuckDB target with --target.",
        )


def _distinct(
    connection: duckdb.DuckDBPyConnection, relation: Relation, column: str, most: int
) -> ColumnProfile:
    name = _quote(column)
    rows = connection.execute(
        f"SELECT {name}::VARCHAR FROM {_qualified(relation)} WHERE {name} IS NOT NULL "
        f"GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {most + 1}"
    ).fetchall()
    return ColumnProfile(tuple(row[0] for row in rows) if len(rows) <= most else None)


def _file(name: str, path: str) -> Path:
    if path.startswith(("md:", "motherduck:")):
        raise AdapterUnsupportedError(
            f"database '{name}' is on MotherDuck, which needs its extension, a token and a "
            "network; this release reads local DuckDB files only",
            hint="Choose a target with a local file.",
        )
    if path == ":memory:":
        raise AdapterUnsupportedError(
            f"database '{name}' is in memory, so nothing of it is left after dbt ends",
            hint="Give the target a `path`.",
        )
    return Path(path)


def _missing(name: str, path: Path) -> DatabaseMissingError:
    return DatabaseMissingError(
        f"there is no database file {path}",
        hint="Run `dbt build` to make it; a relative `path` in profiles.yml is looked up in the "
        "working directory, then in the project folder.",
    )


def _timeout(seconds: float) -> Failure:
    return Failure(
        FailureKind.TIMEOUT,
        f"the query was stopped after {seconds:g} seconds",
        hint="Ask for less, or give --timeout more seconds.",
    )


@contextmanager
def _interrupted_after(
    connection: duckdb.DuckDBPyConnection, seconds: float
) -> Iterator[threading.Event]:
    """Interrupts the connection when the block runs for too long, and says whether it did."""
    expired = threading.Event()

    def stop() -> None:
        expired.set()
        connection.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield expired
    finally:
        timer.cancel()


def _same(database: str | None, name: str | None) -> bool:
    return name is not None and (database is None or database.lower() == name.lower())


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _qualified(relation: Relation) -> str:
    parts = (relation.database, relation.schema, relation.identifier)
    return ".".join(_quote(part) for part in parts if part)
