"""The review of DuckDB's functions: each is allowed or refused by name, and none is forgotten."""

import re
from functools import cache

import duckdb
import pytest

from t2s_dbt.flow import CheckedSql, Failure
from t2s_dbt.guard.check import check
from t2s_dbt.guard.functions import (
    TABLE_FUNCTIONS,
    allowed_functions,
    refused_functions,
    why_refused,
)
from tests.guard.conftest import CATALOG


@cache
def _functions() -> dict[str, set[str]]:
    """The kinds of each function of the DuckDB that is installed; operators left out."""
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT DISTINCT lower(function_name), function_type FROM duckdb_functions()"
        ).fetchall()
    found: dict[str, set[str]] = {}
    for name, kind in rows:
        if re.fullmatch(r"\w+", name):
            found.setdefault(name, set()).add(kind)
    return found


def test_every_function_of_duckdb_has_been_reviewed() -> None:
    reviewed = allowed_functions() | TABLE_FUNCTIONS
    assert len(_functions()) > 1000
    unknown = [name for name in _functions() if name not in reviewed and not why_refused(name)]
    assert unknown == [], "add each to functions.txt, or to refused.txt with what it does"


def test_no_function_is_both_allowed_and_refused() -> None:
    both = [name for name in allowed_functions() | TABLE_FUNCTIONS if why_refused(name)]
    assert both == []


def test_every_refusal_says_what_the_function_does() -> None:
    reasons = set(refused_functions().values())
    assert all(reasons)
    assert "reads or lists files" in reasons


def test_what_only_makes_rows_of_files_or_catalogs_is_no_table_function_here() -> None:
    tables = {name for name, kinds in _functions().items() if "table" in kinds}
    scalar = {name for name, kinds in _functions().items() if kinds - {"table", "pragma"}}
    # Allowed by name and also a table function: it may stand in FROM only if it is listed there.
    assert tables & allowed_functions() - scalar <= TABLE_FUNCTIONS


@pytest.mark.parametrize(
    "call",
    [
        "gen_random_uuid()",
        "date_trunc('month', ordered_at)",
        "COALESCE(amount, 0)",
        "median(amount)",
    ],
)
def test_what_metricflow_calls_is_allowed(call: str) -> None:
    assert isinstance(check(f"SELECT {call} FROM orders", CATALOG, max_rows=9), CheckedSql)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("getenv('HOME')", "reads settings, variables or the environment"),
        ("nextval('s')", "writes, logs or changes state"),
        ("current_user()", None),
        ("no_such_function(1)", "is not one that a question may call"),
    ],
)
def test_a_refusal_gives_its_reason(call: str, reason: str | None) -> None:
    outcome = check(f"SELECT {call}", CATALOG, max_rows=9)
    assert isinstance(outcome, Failure)
    assert reason is None or reason in outcome.message


def test_a_misspelled_function_is_answered_with_near_ones() -> None:
    outcome = check("SELECT date_trunk('month', ordered_at) FROM orders", CATALOG, max_rows=9)
    assert isinstance(outcome, Failure)
    assert "date_trunc" in outcome.candidates
