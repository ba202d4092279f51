"""What one query may use, and how that is held: time by interrupt, the result by counting."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb

from t2s_dbt.flow import Failure, FailureKind

_FETCHED_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one query: seconds, memory and temporary files as DuckDB writes sizes, threads,
    bytes of its result; and the seconds to wait for a lock.
    """

    seconds: float
    memory: str
    threads: int
    lock_wait: float
    temporary: str = "4GB"
    result_bytes: int = 50_000_000


class BudgetExceededError(Exception):
    """A query used more than it may; `failure` says of what."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@contextmanager
def limited_in_time(connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Interrupts what the connection does when the block runs for too long.

    Raises:
        BudgetExceededError: the time was up.
        KeyboardInterrupt: somebody else interrupted.

    """
    expired = threading.Event()

    def stop() -> None:
        expired.set()
        connection.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except duckdb.InterruptException:
        if not expired.is_set():
            raise KeyboardInterrupt from None
        raise BudgetExceededError(
            Failure(
                FailureKind.TIMEOUT,
                f"the query was stopped after {seconds:g} seconds",
                hint="Ask for less, or give --timeout more seconds.",
            )
        ) from None
    finally:
        timer.cancel()


def fetched(
    cursor: duckdb.DuckDBPyConnection, most_rows: int, most_bytes: int
) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """The rows of a result within both budgets, and whether there were more.

    Raises:
        BudgetExceededError: not even one row fits.

    """
    rows: list[tuple[Any, ...]] = []
    size = 0
    while chunk := cursor.fetchmany(min(_FETCHED_AT_ONCE, most_rows + 1 - len(rows))):
        for row in chunk:
            size += size_of(row)
            if len(rows) == most_rows or (size > most_bytes and rows):
                return tuple(rows), True
            if size > most_bytes:
                raise BudgetExceededError(
                    Failure(
                        FailureKind.OUT_OF_MEMORY,
                        f"one row of the result has about {size:,} bytes; a result may have "
                        f"{most_bytes:,}",
                        hint="Ask for fewer or shorter columns, or raise `max_bytes`.",
                    )
                )
            rows.append(tuple(row))
    return tuple(rows), False


def size_of(value: Any) -> int:
    """About how many bytes a value takes; numbers, dates and None count for eight."""
    if isinstance(value, str | bytes):
        return len(value) + 8
    if isinstance(value, dict):
        return 8 + sum(size_of(key) + size_of(inner) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return 8 + sum(map(size_of, value))
    return 8
