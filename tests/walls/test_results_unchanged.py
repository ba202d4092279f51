"""The guard and the sandbox change no answer: every public gold query gives the rows it gave."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from t2s_dbt.flow import CheckedSql, Failure
from t2s_dbt.guard.check import check
from tests.walls.public import Databases, Query, gold, recorded

pytestmark = pytest.mark.slow
MAX_ROWS = 1_000_000
# With LIMIT, which of the rows that tie are shown is DuckDB's to choose, and it may choose
# otherwise over the sandbox's views than over the tables themselves.
MOST_TIES = 10


@pytest.fixture(scope="module")
def databases(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Databases:
    """The public databases as DuckDB files."""
    return Databases(shared_data, tmp_path_factory.mktemp("public"))


def _value(value: Any) -> Any:
    if isinstance(value, float | Decimal):
        return round(float(value), 6)
    if isinstance(value, date | datetime):
        return value.isoformat()
    return repr(value) if isinstance(value, list | dict | tuple) else value


def _multiset(rows: Iterable[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(map(_value, row)) for row in rows)


def _compare(query: Query, databases: Databases) -> str:
    """`same`, `tie`, or what is different."""
    database = databases.get(query.set, query.database)
    checked = check(query.sql, database.catalog, max_rows=MAX_ROWS)
    if isinstance(checked, Failure):
        return f"rejected: {checked.message}"
    expected = database.plain.execute(query.sql).fetchall()
    found = database.warehouse.run(checked)
    if isinstance(found, Failure):
        return f"failed: {found.message}"
    if _multiset(found.rows) == _multiset(expected):
        return "same"
    if "limit" in query.sql.lower() and len(found.rows) == len(expected):
        return "tie"
    return f"{len(found.rows)} rows instead of {len(expected)}, or others"


def test_every_gold_query_gives_the_same_rows(shared_data: Path, databases: Databases) -> None:
    queries = list(gold(shared_data))
    outcomes = [(query, _compare(query, databases)) for query in queries]
    wrong = [(query, said) for query, said in outcomes if said not in ("same", "tie")]
    assert wrong == []
    assert len(queries) >= 1200
    assert sum(said == "tie" for _, said in outcomes) <= MOST_TIES


def _binds(query: Query, databases: Databases) -> bool:
    plain = databases.get(query.set, query.database).plain
    try:
        kinds = [statement.type for statement in plain.extract_statements(query.sql)]
        plain.execute(f"EXPLAIN {query.sql}")
    except duckdb.Error:
        return False
    return kinds == [duckdb.StatementType.SELECT]


def test_what_models_wrote_is_accepted_where_duckdb_can_bind_it(
    shared_data: Path, databases: Databases
) -> None:
    binding = [query for query in recorded(shared_data) if _binds(query, databases)]
    outcomes = [
        (query, check(query.sql, databases.get(query.set, query.database).catalog, max_rows=1000))
        for query in binding
    ]
    rejected = [
        (query.id, query.sql, outcome.message)
        for query, outcome in outcomes
        if not isinstance(outcome, CheckedSql)
    ]
    assert rejected == []
    assert len(binding) >= 400
