"""A sandbox: one short-lived in-memory database that shows the relations of one query, and nothing
else.

The warehouse's files are attached read-only under random names; views under the relations' real
names show their visible columns only. External access is off and the configuration locked before
any query runs, and a query may name nothing but those views (`syntax`). No connection outlives a
call, so `dbt build` is never blocked.
"""

import secrets
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from t2s_dbt.catalog import Relation
from t2s_dbt.errors import DatabaseLockedError, DatabaseMissingError, WarehouseError
from t2s_dbt.flow import Failure, FailureKind
from t2s_dbt.warehouse.budget import Budget, limited_in_time
from t2s_dbt.warehouse.external import Behind, behind
from t2s_dbt.warehouse.faults import fault

_LOCK_POLL_SECONDS = 0.1


class NotShownError(Exception):
    """A relation cannot be shown in a sandbox; `failure` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True)
class Sandbox:
    """An open connection, and the database names that its random names stand for."""

    connection: duckdb.DuckDBPyConnection
    names: dict[str, str] = field(default_factory=dict)

    def scrubbed(self, text: str) -> str:
        """A text of DuckDB's with the real names of databases in it."""
        for random, name in self.names.items():
            text = text.replace(random, name)
        return text

    def named(self, database: str | None) -> str | None:
        """The random name of a database; None when it is not attached."""
        return next((random for random, name in self.names.items() if same(database, name)), None)


@contextmanager
def opened(files: Mapping[str, Path], budget: Budget, search: Path | None) -> Iterator[Sandbox]:
    """A fresh in-memory connection with files attached read-only; not locked yet.

    Args:
        files: the file of each database.
        budget: bounds memory, threads and temporary files.
        search: where relative paths in views begin.

    """
    temporary = Path(tempfile.gettempdir()) / f"dbt-t2s-{secrets.token_hex(8)}"  # made on demand
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": budget.memory,
        "threads": budget.threads,
        "temp_directory": str(temporary),
        "max_temp_directory_size": budget.temporary,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,
    }
    try:
        connection = duckdb.connect(":memory:", config=config)
    except duckdb.Error as error:
        raise WarehouseError(
            f"DuckDB does not accept these limits: {error}",
            hint="Mend memory_limit, temp_limit or threads.",
        ) from error
    try:
        sandbox = Sandbox(connection)
        if search is not None:  # DuckDB 1.4 takes it of a connection only
            escaped = str(search).replace("'", "''")
            connection.execute(f"SET file_search_path = '{escaped}'")
        for name, path in files.items():
            random = f"w{secrets.token_hex(8)}"
            _attach(connection, path, random, budget.lock_wait)
            sandbox.names[random] = name
        yield sandbox
    finally:
        connection.close()
        shutil.rmtree(temporary, ignore_errors=True)


def _attach(
    connection: duckdb.DuckDBPyConnection, path: Path, random: str, lock_wait: float
) -> None:
    if not path.is_file():
        raise missing(path)
    escaped = str(path).replace("'", "''")
    deadline = time.monotonic() + lock_wait
    while True:
        try:
            connection.execute(f"ATTACH '{escaped}' AS {quote(random)} (READ_ONLY)")
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


@contextmanager
def locked(
    files: Mapping[str, Path],
    shown: Iterable[tuple[Relation, tuple[str, ...]]],
    budget: Budget,
    search: Path | None,
) -> Iterator[Sandbox]:
    """A sandbox that shows these relations with these columns, limited in time and locked.

    Raises:
        NotShownError: a relation is not in the database as the project says, or not readable here.
        BudgetExceededError: the time was up.

    """
    with (
        opened(files, budget, search) as sandbox,
        limited_in_time(sandbox.connection, budget.seconds),
    ):
        connection, readable = sandbox.connection, set[str]()
        for relation, columns in shown:
            readable |= _show(sandbox, relation, columns)
        if readable:
            paths = ", ".join("'" + path.replace("'", "''") + "'" for path in sorted(readable))
            connection.execute(f"SET allowed_paths = [{paths}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield sandbox


def _show(sandbox: Sandbox, relation: Relation, columns: tuple[str, ...]) -> frozenset[str]:
    """Makes a relation readable under its real name; returns the files that its views read."""
    connection = sandbox.connection
    random = sandbox.named(relation.database)
    assert random is not None, "the warehouse attaches what its queries read"
    database = relation.database or sandbox.names[random]
    if database != "memory":
        connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {quote(database)}")
    place = f"{quote(database)}.{quote(relation.schema)}"
    inner = f"{quote(random)}.{quote(relation.schema)}.{quote(relation.identifier)}"
    visible = ", ".join(map(quote, columns)) or "NULL AS nothing_visible"
    files = behind(connection, random, relation)
    if files.remote or files.databases:
        raise NotShownError(_elsewhere(relation, files))
    try:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {place}")
        connection.execute(
            f"CREATE VIEW {place}.{quote(relation.identifier)} AS SELECT {visible} FROM {inner}"
        )
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:  # its text names what is there, hidden or not
        raise NotShownError(_drift(relation, fault(error).kind, files)) from None
    return files.written | files.found


def _drift(relation: Relation, kind: FailureKind, files: Behind) -> Failure:
    if files.written and not files.found:
        message = f"the files of the relation {relation} are not there: {min(files.written)}"
    elif kind is FailureKind.UNKNOWN_TABLE:
        message = f"the relation {relation} is not in the database"
    else:
        message = f"the relation {relation} does not have the columns of its model"
    return Failure(kind, message, str(relation), hint="Run `dbt build`.")


def _elsewhere(relation: Relation, files: Behind) -> Failure:
    what = files.remote or f"the database '{min(files.databases)}'"
    return Failure(
        FailureKind.NOT_ALLOWED,
        f"the relation {relation} is a view over {what}; this release follows views to local "
        "files and within one database",
        str(relation),
        hint="Let dbt build it as a table.",
    )


def missing(path: Path) -> DatabaseMissingError:
    """That a database has no file."""
    return DatabaseMissingError(
        f"there is no database file {path}",
        hint="Run `dbt build` to make it; a relative `path` in profiles.yml is looked up in the "
        "working directory, then in the project folder.",
    )


def same(database: str | None, name: str | None) -> bool:
    """Whether a relation's database is the one of that name; one without a name is any."""
    return name is not None and (database is None or database.lower() == name.lower())


def quote(name: str) -> str:
    """An identifier as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
