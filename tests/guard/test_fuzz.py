"""Statements of a grammar, harmless and hostile, against the guard and the sandbox.

`make fuzz` runs the same properties for longer, with other seeds.
"""

import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from t2s_dbt.flow import GUARD_SEAL, CheckedSql, Exposed, Failure, Rows
from t2s_dbt.guard.check import check
from t2s_dbt.guard.functions import refused_functions
from t2s_dbt.warehouse.budget import Budget, limited_in_time
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.guard.conftest import CATALOG
from tests.guard.grammar import EXPRESSION, KNOWN_FAULTS, QUERY, SEPARATOR, SOURCE, bare, written

SECRET = "top-secret"
MOST_ROWS = 5000
BUDGET = Budget(seconds=5, memory="500MB", threads=2, lock_wait=1)

# Hostile pieces, two bars apart. $DIR is a folder with files that hold the secret; a source gives
# what it reads as the column `s`.
_SOURCES = """
    (SELECT database_name FROM duckdb_databases()) h(s) || query('SELECT amount FROM salaries') h(s)
    (SELECT a FROM read_csv('$DIR/s.csv')) h(s) || system.main.read_text('$DIR/s.csv') h(f, s)
    postgres_scan('host=x', 'public', 't') h(s) || query(concat('FROM ', getenv('HOME'))) h(s)
    parquet_schema('$DIR/s.parquet') h(f, s) || pragma_table_info('customers') h(c, s)
    (SELECT sql FROM duckdb_views()) h(s) || information_schema.tables h(c, d, s) || salaries h(s)
    read_csv_auto(['$DIR/s.csv']) h(s) || read_text('$DIR/s.csv') h(f, s) || shop.main.salaries h(s)
    READ_BLOB('$DIR/s.csv') h(f, s) || read_json('$DIR/s.json') h(s) || query_table('salaries') h(s)
    pg_catalog.pg_tables h(c, s) || sniff_csv('$DIR/s.csv') h(s) || (SUMMARIZE customers) h(s)
    duckdb_settings() h(n, s) || (DESCRIBE customers) h(s) || seq_scan('salaries') h(s)
    (FROM '$DIR/s.csv') h(s) || (SHOW ALL TABLES) h(s) || '$DIR/s.parquet' h(s) || "$DIR/s.csv" h(s)
    sqlite_master h(t, s) || duckdb_secrets() h(s) || duckdb_columns() h(s) || duckdb_tables() h(s)
    glob('$DIR/*') h(s) || duckdb_tables h(s) || main.salaries h(s) || duckdb_logs() h(s)
    other.main.t h(s)
"""
_EXPRESSIONS = """
    list_transform(['HOME'], lambda x: getenv(x))[1] || ARRAY(FROM glob('$DIR/*'))::VARCHAR || $name
    (SELECT content FROM read_text('$DIR/s.csv')) || (SELECT max(amount) FROM salaries) || version()
    current_setting('temp_directory') || [getenv(x) FOR x IN ['HOME']][1] || current_database() || ?
    (DELETE FROM orders RETURNING 1) || (SELECT a FROM '$DIR/s.csv') || system.main.getenv('HOME')
    getenv/**/('HOME') || getvariable('x') || current_schema() || "getenv"('HOME') || getenv('HOME')
    current_catalog || 'HOME'.getenv() || current_query() || write_log('x') || nextval('s') || user
    current_user || session_user || sleep_ms(1) || error('x') || $1
"""
# And a call of each function that was refused in review.
_EXPRESSIONS += "".join(f"    {name}('x')\n" for name in refused_functions() if "*" not in name)
# What reads the hidden column: it may pass where what comes out is the same whatever it holds.
_HIDDEN = """
    (SELECT max(shop.main.customers.email) FROM shop.main.customers) || (SELECT #4 FROM customers)
    (SELECT max(x) FROM (SELECT c FROM customers c) t(x))::VARCHAR || main.customers.email || email
    (SELECT name FROM customers ORDER BY email DESC LIMIT 1) || (SELECT max(email) FROM customers)
    (SELECT max(to_json(c)::VARCHAR) FROM customers AS c) || (SELECT max(c.EMAIL) FROM customers c)
    (SELECT count(*) FROM customers WHERE email > 'a') || (SELECT list(c) FROM customers c)::VARCHAR
    (SELECT max(row(c.*)::VARCHAR) FROM customers c) || (SELECT max(COLUMNS('e.*')) FROM customers)
    (SELECT max(hash(c)) FROM customers c)::VARCHAR || (SELECT max("email") FROM main.customers)
    (SELECT max(c::VARCHAR) FROM customers c) || (SELECT count(COLUMNS(*)) FROM customers)
    (SELECT max(c.c.email) FROM customers c) || list_aggregate(['a'], 'getenv') || customers.email
    "Email"
"""
_HIDDEN_SOURCES = """
    (SELECT name FROM customers QUALIFY rank() OVER (ORDER BY email) = 1) h(s)
    (SELECT a.* FROM customers a NATURAL JOIN customers b) h(a, b, d, s) || customers h(a, b, c, s)
    (SELECT a.name FROM customers a JOIN customers b USING (email)) h(s)
    (SELECT name FROM customers UNION SELECT email FROM customers) h(s)
    (SELECT c.email FROM (SELECT customers AS c FROM customers)) h(s)
    (UNPIVOT customers ON COLUMNS(* EXCLUDE customer_id)) h(i, k, s)
    (PIVOT customers ON email IN ('x') USING count(*)) h(a, b, d, s)
    (SELECT count(*) FROM customers GROUP BY ROLLUP (email)) h(s) || (TABLE customers) h(a, b, c, s)
    (SELECT * RENAME (email AS s) FROM customers) h(a, b, c, s) || (FROM customers) h(a, b, c, s)
    (SELECT c.* FROM (SELECT c FROM customers c)) h(a, b, d, s) || customers h(email, email_1, s)
    (SELECT * REPLACE (email AS name) FROM customers) h(i, s) || (SELECT email FROM customers) h(s)
    (SELECT * EXCLUDE (name, country) FROM customers) h(i, s) || (FROM customers SELECT EMAIL) h(s)
    (SELECT struct_extract(c, 'email') FROM customers c) h(s)
    (SELECT name FROM customers WHERE email LIKE 't%') h(s)
    (SELECT COLUMNS(c -> c LIKE 'e%') FROM customers) h(s)
    (SELECT name FROM customers GROUP BY name, email) h(s)
    (SELECT DISTINCT ON (email) name FROM customers) h(s)
    (WITH c AS (FROM customers) SELECT email FROM c) h(s)
    (SELECT t.q FROM customers t(email, m, o, q)) h(s) || (SELECT c['email'] FROM customers c) h(s)
    (SELECT unnest(c) FROM customers c) h(a, b, d, s) || (SELECT * LIKE 'e%' FROM customers) h(s)
    (SELECT t.q FROM customers t(m, n, o, q)) h(s) || customers UNPIVOT (s FOR k IN (name, email)) h
    (SELECT (c).email FROM customers c) h(s)
"""
_CHANGES = """
    MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE RETURNING * || INSTALL httpfs
    INSERT INTO orders BY NAME SELECT 1 AS order_id RETURNING * || COPY customers TO '$DIR/out.csv'
    UPDATE orders SET amount = 0 RETURNING * || DELETE FROM orders RETURNING * || PRAGMA show_tables
    CREATE TABLE evil AS SELECT 1 || ATTACH '$DIR/out.duckdb' AS o || EXPORT DATABASE '$DIR/out'
    SET memory_limit = '9GB' || EXPLAIN ANALYZE SELECT 1 || CALL enable_logging() || DESCRIBE orders
    PREPARE p AS SELECT 1 || SUMMARIZE customers || SET VARIABLE x = 1 || DROP TABLE orders
    EXPLAIN SELECT 1 || TRUNCATE orders || RESET threads || SHOW TABLES || USE memory
"""
# Around a query that stands inside of another one; {q} is that query, {s} one of those above.
_INNER = """
    WITH evil AS MATERIALIZED ({s}) SELECT evil.* FROM evil, ({q}) || WITH evil AS ({s}) FROM ({q})
    SELECT * FROM ({q}) WHERE EXISTS ({s}) || SELECT * INTO TEMP evil FROM ({q}) || ({q}) FOR UPDATE
    FROM ({s}) || ({q}) FOR SHARE || SELECT * INTO evil FROM ({q}) || ({q}) UNION ALL ({s}) || {s}
"""
_OUTER = """
    CREATE OR REPLACE TEMP VIEW evil AS {q} || DELETE FROM orders WHERE EXISTS ({q}) || DESCRIBE {q}
    CREATE MACRO f() AS TABLE {q} || COPY ({q}) TO '$DIR/out.csv' || CREATE TABLE evil AS {q} || {s}
    INSERT INTO orders {q} || SET VARIABLE v = ({q}) || WITH evil AS ({s}) {q} || PREPARE p AS {q}
    CALL query($q${q}$q$) || EXPLAIN ANALYZE {q} || EXECUTE p ({q}) || {q};-- ;\n{s} || EXPLAIN {q}
    {q};/* */{s}; || SUMMARIZE {q} || {q}; COMMIT || ({q}); {s} || BEGIN; {q} || CHECKPOINT
    {q}; {s} || {s}; {q} || {q}; {q} || VACUUM
"""
_FRAGMENTS = {
    **{"source": _SOURCES, "call": _EXPRESSIONS, "inner": _INNER, "outer": _OUTER},
    **{"hidden": _HIDDEN, "hidden source": _HIDDEN_SOURCES},
}
_AS_KIND = {"n": "length({})", "t": "{}", "l": "[{}]", "b": "{} IS NULL", "d": "make_date(len({}))"}
_AS_COLUMN = {"n": "1", "t": "s", "l": "[s]", "b": "true", "d": "TIMESTAMP '2024-01-01'"}
# A query in which each kind of place is marked, for where there is none.
_PLACES = (
    f"{QUERY[0]}SELECT {EXPRESSION[0]}t'a'{EXPRESSION[1]} "
    f"FROM {SOURCE[0]} id:n{SEPARATOR}shop.main.orders{SOURCE[1]} AS o{QUERY[1]}"
)


class _Query(NamedTuple):
    sql: str
    exact: bool  # the rows are the same each time


class _Attack(NamedTuple):
    sql: str
    fragment: str
    mild: bool  # it may pass where it shows nothing


def _any_of(draw: Any, pieces: str) -> str:
    piece: str = draw(st.sampled_from(re.split(r" \|\| |\n {4}", pieces.strip())))
    return piece.replace("{s}", _any_of(draw, _CHANGES)) if "{s}" in piece else piece


def _noisy(draw: Any, sql: str) -> str:
    """The same statement with other white space, comments and case outside of its quotes."""
    every = draw(st.integers(0, 6))
    space = draw(st.sampled_from([" ", "\n", "\t ", "/**/", " /* ; DROP x */ ", " -- it's\n"]))
    case = draw(st.sampled_from([str, str, str.lower, str.swapcase]))
    parts = re.split(r"""(E?'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\$.*?\$\$)""", sql)
    for place in range(0, len(parts), 2):
        words = case(parts[place]).split(" ")
        for index, word in enumerate(words[1:], 1):
            # A comment may not stand inside of `ORDER BY`, nor become a part of an operator.
            kept = word.upper() in ("BY", "TO", "SETS", "NAME") or words[index - 1].endswith("/")
            words[index] = (space if every and not index % every and not kept else " ") + word
        parts[place] = "".join(words)
    return "".join(parts)


@st.composite
def harmless(draw: Any) -> _Query:
    """A query that only reads what may be read."""
    marked, exact = written(draw)
    return _Query(_noisy(draw, bare(marked)) + draw(st.sampled_from(["", ";", " ; "])), exact)


@st.composite
def attacks(draw: Any, full_names: bool = False) -> _Attack:
    """One hostile piece at some place of a harmless query."""
    marked, _ = written(draw, full_names)
    shape = draw(st.sampled_from(sorted(_FRAGMENTS)))
    if shape == "outer":
        fragment = _any_of(draw, _OUTER)
        return _Attack(fragment.replace("{q}", _noisy(draw, bare(marked))), fragment, mild=False)
    mark = SOURCE if "source" in shape else QUERY if shape == "inner" else EXPRESSION
    marked = marked if mark[0] in marked else _PLACES
    start, end = draw(st.sampled_from(_spans(marked, mark)))
    inside = marked[start + 1 : end]
    fragment = _any_of(draw, _FRAGMENTS[shape])
    if shape == "inner":
        hostile = fragment.replace("{q}", bare(inside))
    elif mark is SOURCE:
        hostile = _as_source(fragment, inside, direct=draw(st.integers(0, 2)) == 2)
    else:
        hostile = draw(st.sampled_from(["{}", _AS_KIND[inside[0]]])).replace("{}", fragment)
    if full_names:
        hostile = re.sub(
            r"\b(FROM|JOIN|INTO|PIVOT) (?=customers|orders)", r"\1 shop.main.", hostile
        )
    sql = _noisy(draw, bare(marked[:start] + hostile + marked[end + 1 :]))
    return _Attack(sql, fragment, mild=shape.startswith("hidden"))


def _spans(marked: str, mark: str) -> list[tuple[int, int]]:
    """Where each marked text begins and ends."""
    begun, found = [], []
    for place, sign in enumerate(marked):
        if sign == mark[0]:
            begun.append(place)
        elif sign == mark[1]:
            found.append((begun.pop(), place))
    return found


def _as_source(fragment: str, inside: str, direct: bool) -> str:
    """A hostile source, or one with the columns of the source that it replaces."""
    if direct:
        return re.sub(r"( AS)? h(\([a-z_0-9, ]*\))?$", "", fragment)
    alias, names = inside.split(SEPARATOR)[0].split(" ", 1)
    parts = (part.rsplit(":", 1) for part in names.split())
    shown = ", ".join(f"{_AS_COLUMN[kind]} AS {name.replace('~', ' ')}" for name, kind in parts)
    return f"(SELECT {shown} FROM {fragment})" + (f" AS {alias}" if alias else "")


_TABLES = """
    CREATE SCHEMA "Odd Schema";
    CREATE TABLE orders AS SELECT i::INT AS order_id, (nullif(i % 4, 3) + 1)::INT AS customer_id,
        i * 1.5::DOUBLE AS amount, TIMESTAMP '2024-01-01' + INTERVAL 1 DAY * i AS ordered_at,
        ['a', 'b'][:i % 3] AS tags FROM range(6) AS r(i);
    CREATE TABLE "Odd Schema".odd AS
        SELECT 1 AS "order", 'x' AS "group", 2 AS "47_1_Id", 3 AS "two words";
    CREATE TABLE orders_old AS SELECT 7 AS id;
    CREATE TABLE customers AS SELECT * FROM (VALUES
        (1, 'Ann', 'DE', '{0}@1'), (2, 'Bob', 'FR', '{0}@2'), (3, NULL, NULL, {1})
    ) AS t(customer_id, name, country, email);
    CREATE TABLE salaries AS SELECT '{0}@3' AS amount;
"""
# Names by which the guard finds a table, and only what may be seen.
_VISIBLE = """
    ALTER TABLE customers DROP email; DROP TABLE salaries;
    CREATE VIEW legacy AS FROM orders_old; CREATE VIEW odd AS FROM "Odd Schema".odd;
"""


class Walls:
    """The guard and the sandbox over a shop with secrets, and databases to compare them with."""

    def __init__(self, folder: Path) -> None:
        self._dir = folder / "attacked"
        file = _made(self._dir / "warehouse", SECRET, "NULL")
        (self._dir / "s.csv").write_text(f"a\n{SECRET}\n", encoding="utf-8")
        (self._dir / "s.json").write_text(f'{{"a": "{SECRET}"}}', encoding="utf-8")
        with duckdb.connect() as writer:
            writer.execute(f"COPY (SELECT '{SECRET}' AS a) TO '{self._dir}/s.parquet'")
        self._warehouse = DuckDBWarehouse({"shop": file}, BUDGET)
        self._before = self._state()
        self._secret = _opened(folder / "secret", SECRET, "NULL")
        self._otherwise = _opened(folder / "otherwise", "a-other", "'b'")
        self._plain = _opened(folder / "plain", SECRET, "NULL", _VISIBLE)
        self.seen: Counter[str] = Counter()

    def harmless(self, query: _Query) -> str | None:
        """Why a harmless query was not treated as one; None when all is well."""
        expected = _run(self._plain, query.sql)
        outcome = check(query.sql, CATALOG, max_rows=MOST_ROWS)
        self._count("harmless" if isinstance(expected, Rows) else "of no sense", outcome)
        if isinstance(outcome, Failure):
            ran = isinstance(expected, Rows) and outcome.code != "too_deep"
            return f"rejected: {outcome.code}: {outcome.message}" if ran else None
        again = check(outcome.sql, CATALOG, max_rows=MOST_ROWS)
        if not isinstance(again, CheckedSql) or again.exposed != outcome.exposed:
            return f"what was rendered is not accepted again: {again}"
        return None if isinstance(expected, str) else self._quiet(outcome, query.exact, expected)

    def hostile(self, attack: _Attack) -> str | None:
        """Why a hostile statement got further than it may."""
        outcome = check(attack.sql, CATALOG, max_rows=MOST_ROWS)
        self._count("hidden column" if attack.mild else "hostile", outcome)
        if isinstance(outcome, CheckedSql):
            return self._quiet(outcome, exact=True) if attack.mild else "accepted"
        return None if outcome.message else "a rejection without a message"

    def any_text(self, text: _Query) -> str | None:
        """Why a text that may be no SQL at all was treated wrongly."""
        outcome = check(text.sql, CATALOG, max_rows=MOST_ROWS)
        self._count("text", outcome)
        return self._quiet(outcome, exact=False) if isinstance(outcome, CheckedSql) else None

    def unguarded(self, attack: _Attack) -> str | None:
        """Why the sandbox alone did not hold a statement that no guard has seen."""
        columns = {table: tuple(c.name for c in table.columns) for table in CATALOG.tables}
        shown = tuple(Exposed(t.name, t.relation, names) for t, names in columns.items())
        sql = attack.sql.replace("$DIR", str(self._dir))
        ran = self._warehouse.run(CheckedSql(sql, shown, 10, GUARD_SEAL))
        self.seen[f"unguarded: {'ran' if isinstance(ran, Rows) else 'failed'}"] += 1
        return f"the sandbox shows a secret: {ran}" if SECRET in str(ran) else self._changed()

    def _quiet(self, checked: CheckedSql, exact: bool, expected: Rows | None = None) -> str | None:
        """What a statement that passed the guard shows or does that it may not."""
        ran = self._warehouse.run(checked)
        if expected and isinstance(ran, Failure):
            return f"the sandbox cannot run it: {ran.kind}: {ran.message}"
        if expected and exact and not _same(ran, expected):
            return f"other rows: {ran} and not {expected}"
        secret, otherwise = (_run(c, checked.sql) for c in (self._secret, self._otherwise))
        shown = [str(r.rows) if isinstance(r, Rows) else str(r) for r in (ran, secret)]
        if any(SECRET in text for text in shown):
            return f"a secret is shown: {shown}"
        if exact and not _same(secret, otherwise):
            return f"the rows depend on what is hidden: {secret} {otherwise}"
        return self._changed()

    def _changed(self) -> str | None:
        changed = dict(self._state().items() ^ self._before.items())
        return f"files changed: {sorted(changed)}" if changed else None

    def _state(self) -> dict[Path, bytes]:
        """The hash of each file that could be changed, or written."""
        files = (path for path in self._dir.rglob("*") if path.is_file())
        return {path: hashlib.sha256(path.read_bytes()).digest() for path in files}

    def _count(self, kind: str, outcome: CheckedSql | Failure) -> None:
        self.seen[f"{kind}: {'accepted' if isinstance(outcome, CheckedSql) else 'rejected'}"] += 1


def _made(folder: Path, secret: str, third: str, more: str = "") -> str:
    folder.mkdir(parents=True)
    path = str(folder / "shop.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(_TABLES.format(secret, third) + more)
    return path


def _opened(*made: Any) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(_made(*made), read_only=True, config={"threads": 2})


def _run(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows | str:
    """The rows of a statement without any wall, or what DuckDB says."""
    try:
        with limited_in_time(connection, BUDGET.seconds):
            cursor = connection.execute(sql)
            names = tuple(column[0] for column in cursor.description or ())
            return Rows(names, (), tuple(cursor.fetchmany(MOST_ROWS + 1)))
    except Exception as error:
        return str(error)


def _same(one: Rows | Failure | str, other: Rows | str) -> bool:
    """Whether two results hold the same rows, in any order; what is cut or failed may differ."""
    if not (isinstance(one, Rows) and isinstance(other, Rows)) or len(other.rows) > MOST_ROWS:
        return True
    return Counter(map(_plain, one.rows)) == Counter(map(_plain, other.rows))


def _plain(value: Any) -> str:
    """A value as text, without what depends on the order of a sum."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, dict):
        return f"map {_plain(list(value.items()))}"
    return f"{value + 0.0:.10g}" if isinstance(value, float) else repr(value)


_WORDS = """
    SELECT FROM WHERE GROUP BY ORDER HAVING UNION ALL WITH RECURSIVE AS JOIN LEFT ON USING VALUES
    PIVOT UNPIVOT IN CASE WHEN END CAST ( ) ( ) [ ] { } , , ; . * :: = < || ' " $ # ? -- /* */ : ->
    lambda DISTINCT LIMIT OFFSET QUALIFY OVER PARTITION COLUMNS EXCLUDE REPLACE NOT NULL EXISTS AND
    customers orders salaries email name amount 1 'a' count read_csv getenv INTO FOR UPDATE DELETE
    INSERT SET ATTACH COPY EXPLAIN INTERVAL LATERAL unnest SAMPLE FILTER WINDOW odd TABLE
""".split()
_words = st.sampled_from([word for word in _WORDS if word not in KNOWN_FAULTS])
_soup = st.one_of(st.text(), st.lists(_words, max_size=25).map(" ".join))
_behind = st.tuples(attacks(), _soup).map(lambda two: f"{two[0].sql} {two[1]}")
texts = st.one_of(_soup, _behind).map(lambda text: _Query(text, False))


@pytest.fixture(scope="module")
def walls(tmp_path_factory: pytest.TempPathFactory) -> Walls:
    return Walls(tmp_path_factory.mktemp("fuzz"))


def _holds(strategy: st.SearchStrategy[Any], judge: Any, examples: int) -> None:
    """Judges the same statements in each run."""

    def one(tried: Any) -> None:
        assert judge(tried) is None

    same = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    settings(same, max_examples=examples)(given(strategy)(one))()


def test_a_harmless_query_passes_again_and_again_and_gives_the_same_rows(walls: Walls) -> None:
    _holds(harmless(), walls.harmless, 50)
    assert walls.seen["harmless: accepted"] > 30


def test_a_hostile_piece_is_found_wherever_it_stands(walls: Walls) -> None:
    _holds(attacks(), walls.hostile, 160)
    assert walls.seen["hostile: rejected"] > 60


def test_the_sandbox_alone_shows_and_changes_nothing(walls: Walls) -> None:
    _holds(attacks(full_names=True), walls.unguarded, 30)


def test_any_text_is_judged_and_does_no_harm(walls: Walls) -> None:
    _holds(texts, walls.any_text, 100)
