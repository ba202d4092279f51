"""What sqlglot would read otherwise than DuckDB gives the rows that DuckDB gives, or is refused."""

import duckdb
import pytest

from t2s_dbt.catalog import Catalog
from t2s_dbt.flow import CheckedSql, Failure
from t2s_dbt.guard.check import check

EMPTY = Catalog()


def _checked(sql: str) -> CheckedSql | Failure:
    return check(sql, EMPTY, max_rows=1000)


@pytest.mark.parametrize(
    "sql",
    [
        """SELECT p->>'c.d', p->'a[0]', p->>'a' FROM (SELECT '{"c.d": 1, "a": [2]}'::JSON AS p)""",
        """SELECT json_extract_string(p, 'c.d') FROM (SELECT '{"c.d": 1}'::JSON AS p)""",
        """SELECT p->>'$.c.d' FROM (SELECT '{"c": {"d": 1}}'::JSON AS p)""",
        """SELECT json_array_length(p->'l') FROM (SELECT '{"l": [1, 2]}'::JSON AS p)""",
        """SELECT json_type(p->'a'->'b') FROM (SELECT '{"a": {"b": 1}}'::JSON AS p)""",
        "SELECT TIMESTAMP '2024-01-02 10:00:00'::DATE, DATE '2024-01-02'::VARCHAR",
        "SELECT DATE '2024-01-02'::DATE + 1",
        "SELECT list_has_any(['a'], ['b'] || ['a']), list_has_all([1] || [2], [2])",
        "SELECT interval + INTERVAL 1 HOUR, interval * 2 FROM (SELECT INTERVAL 1 DAY AS interval)",
        "SELECT interval - 1, interval % 2 FROM (SELECT 3 AS interval)",
        "SELECT DATE '2024-01-02' - INTERVAL '1' DAY, INTERVAL (1 + 1) MONTH, INTERVAL '-1' DAY",
        "SELECT list_transform(['a'], lambda x: 'p' || x), list_filter([1, 3], lambda x: 2 < x)",
        "SELECT list_transform([1], lambda x: 10 - x), [x + i FOR x, i IN [5, 6]]",
        "SELECT 1 IN [1, 2], 'a' IN ['b'], [x FOR x IN [1, 2] IF x > 1]",
        "SELECT pow(1 + 1, 2 + 1), mod(5 + 1, 4), ([1, 2] || [3])[2]",
        "SELECT 'a' || 'b' LIKE 'ab', 1 + 2 BETWEEN 2 AND 3, NOT 1 = 2",
    ],
)
def test_the_rows_stay_the_same(sql: str) -> None:
    checked = _checked(sql)
    assert isinstance(checked, CheckedSql), checked
    with duckdb.connect() as connection:
        rows = connection.execute(sql).fetchall()
        assert connection.execute(checked.sql).fetchall() == rows


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT s.list[1] FROM (SELECT [5] AS list) AS s", "called list"),
        ("SELECT s.array[1] FROM (SELECT [5] AS array) AS s", "called array"),
        ("SELECT 'a' NOT IN ['b', NULL]", "list_contains"),
        ("SELECT 1 AS for, 2 IN [NULL, 1] AS a", "list_contains"),
        ("SELECT 'a' IN ['a'] || ['b']", "list_contains"),
        ("SELECT DECIMAL(4, 1) '1.25'::VARCHAR", "in brackets"),
        ("SELECT TIMESTAMP WITH TIME ZONE '2024-01-01'::DATE", "in brackets"),
        ("SELECT '{}'::JSON->'$..k'", "cannot be judged"),
        ("SELECT * FROM {{ ref('orders') }}", "Jinja"),
        ("PIVOT (SELECT 1 AS k, 2 AS v) ON k USING sum(v)", "must list its values"),
        ("PIVOT (SELECT 1 AS k, 2 AS v) ON k IN (1) USING sum(v) ORDER BY 1", "ORDER BY"),
        ("->", "cannot be judged"),
    ],
)
def test_what_cannot_be_read_right_is_refused_with_what_to_do(sql: str, told: str) -> None:
    outcome = _checked(sql)
    assert isinstance(outcome, Failure)
    assert told in outcome.message


@pytest.mark.parametrize("word", ["materialized", '"not"', '"("', '"materialized"', "name", "key"])
@pytest.mark.parametrize("call", ["current_setting('threads')", "getenv('HOME')", "sleep_ms(1)"])
def test_an_alias_makes_no_call_a_definition(call: str, word: str) -> None:
    outcome = _checked(f"SELECT {call} AS {word}")
    assert isinstance(outcome, Failure)
    assert outcome.code == "function"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 WHERE " + " OR ".join(f"1 = {n}" for n in range(200)),
        "SELECT 1 WHERE " + " AND ".join(f"1 = {n}" for n in range(200)),
        "SELECT " + " + ".join("1" for _ in range(200)),
        "SELECT " + " || ".join("'x'" for _ in range(200)),
        " UNION ALL ".join("SELECT 1" for _ in range(100)),
    ],
    ids=["or", "and", "plus", "concat", "union"],
)
def test_a_long_chain_is_not_deep(sql: str) -> None:
    assert isinstance(_checked(sql), CheckedSql)


@pytest.mark.parametrize(
    "call",
    [
        "repeat('x', 2000000000)",
        "repeat('x', 2000000000 - 1)",
        "repeat('x', '1000000000'::INT)",
        "repeat('x', 1000 * 1000 * 1000)",
        "lpad('x', 10 ** 9, 'y')",
        "rpad('x', abs(1000000000), 'y')",
        "len(range(20000000))",
        "len(range(0, 20000000))",
        "len(generate_series(1, 20000000))",
        "array_resize([1], 2000000000 - 1)",
        "repeat('x', 1 << 30)",
    ],
)
def test_a_call_that_makes_a_huge_value_is_refused(call: str) -> None:
    outcome = _checked(f"SELECT {call}")
    assert isinstance(outcome, Failure)
    assert outcome.code == "too_large"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT len(range(5000000, 5000010)), repeat('ab', 3), lpad('7', 3, '0')",
        "SELECT len(range(0, 100000000, 10000000))",
        "SELECT count(*) FROM range(5000000)",
    ],
)
def test_a_small_one_is_not(sql: str) -> None:
    assert isinstance(_checked(sql), CheckedSql)
