"""Which output columns of a model's SQL are made of a hidden column."""

import time

import pytest

from t2s_dbt.catalog import Relation
from t2s_dbt.project.lineage import derived_columns

PEOPLE, ORDERS = Relation("db", "main", "people"), Relation("db", "main", "orders")
COLUMNS = {
    PEOPLE: {"id": "INTEGER", "name": "VARCHAR", "email": "VARCHAR"},
    ORDERS: {"id": "INTEGER", "person_id": "INTEGER"},
}
HIDDEN = {PEOPLE: frozenset({"email"})}


def _derived(sql: str, *, known: bool = True) -> set[str] | None:
    text = sql.replace("@people", '"db"."main"."people"').replace("@orders", '"db"."main"."orders"')
    found = derived_columns(text, "duckdb", HIDDEN, COLUMNS if known else {})
    return None if found is None else {derived.column.lower() for derived in found}


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("select id, email from @people", {"email"}),
        ("select email as contact from people", {"contact"}),
        ("select x.email as y from (select p as x from @people p) t", {"y"}),
        ("select y.e as z from (select {'e': email} as y from @people) t", {"z"}),
        ("select email.upper() as x, p.email.lower() as y from @people p", {"x", "y"}),
        ("select * like 'em%' from @people", {"email"}),
        ("select concat(*columns(*)) as s from @people", {"s"}),
        ("select x from @people, (select unnest([email]) as x) t", {"x"}),
        ("select u.x, id from @people p, unnest(string_split(p.email, '@')) u(x)", {"x"}),
        ("select p.email as c from (@people p join @orders o on true)", {"c"}),
        ("select main.people as row from db.main.people", {"row"}),
        ("select #3 as third from @people", {"third"}),
        ("select email as contact from @people", {"contact"}),
        ("select Email as Contact from @people", {"contact"}),
        ("select lower(email) || 'x' as k, id from @people", {"k"}),
        ("select max(email) as m from @people group by id", {"m"}),
        ("select case when email like '%x' then 1 end as flag from @people", {"flag"}),
        ("select {'a': email} as s from @people", {"s"}),
        ("select unnest(string_split(email, '@')) as part from @people", {"part"}),
        ("select * from @people", {"email"}),
        ("select p.* from @people p join @orders o on o.person_id = p.id", {"email"}),
        ("from @people", {"email"}),
        ("select * exclude (email) from @people", set()),
        ("select id, name from @people", set()),
        ("with s as (select * from @people) select id, email as c from s", {"c"}),
        ("with s(a, b, c) as (select id, name, email from @people) select c from s", {"c"}),
        ("select (select p.email || o.id from @orders o) as c from @people p", {"c"}),
        ("select e2 as e3 from (select email as e1, e1 as e2 from @people)", {"e3"}),
        (
            "with a as (select * from @people), b as (select *, upper(email) as up from a) "
            "select * exclude (email) from b",
            {"up"},
        ),
        (
            "select o.id, (select max(p.email) from @people p where p.id = o.person_id) as c "
            "from @orders o",
            {"c"},
        ),
        ("select name from @people union all select email from @people", {"name"}),
        ("(select email as x from @people) union (select name from @people)", {"x"}),
        ("select id from @people except select email from @people", {"id"}),
        (
            "with recursive t as (select id, email from @people union all "
            "select t.id, t.email from t join @people p on p.id = t.id) select id, email from t",
            {"email"},
        ),
    ],
)
def test_what_reads_a_hidden_column_is_derived(sql: str, columns: set[str]) -> None:
    assert _derived(sql) == columns


@pytest.mark.parametrize(
    "sql",
    [
        "select o.id from @orders o join @people p on p.id = o.person_id and p.email like 'x'",
        "select id from @people where email is not null order by email",
        "select id from @people qualify row_number() over (order by email) = 1",
        "select id from @people p where exists (select 1 from @people q where q.email = p.email)",
        "select o.id from @orders o semi join @people p on p.email = o.id::varchar",
    ],
)
def test_a_condition_is_no_derivation(sql: str) -> None:
    assert _derived(sql) == set()


@pytest.mark.parametrize(
    "sql",
    [
        "selec nope (",
        "",
        "def model(dbt, session):\n    return dbt.ref('people')",
        "create table x as select email from @people",
        "select * from @people pivot (max(email) for name in ('a', 'b'))",
        "select * from elsewhere.unknown",
        "select id, email from 'data/people.csv'",
        "select * from read_csv('data/people.csv')",
        'select email as contact from "prod"."other"."people"',
        "select * from query('select email as contact from people')",
        "select max(email) from @people",
    ],
)
def test_what_cannot_be_told_is_none(sql: str) -> None:
    assert _derived(sql) is None


def test_a_star_over_unknown_columns_in_a_cte_is_not_taken_for_harmless() -> None:
    sql = "with source as (select * from @people) select email as contact from source"
    assert _derived(sql, known=False) in (None, {"contact"})


def test_values_among_the_sources_do_no_harm() -> None:
    sql = "select p.email, v.a from @people p join (values (1, 'x')) v(a, b) on v.a = p.id"
    assert _derived(sql) == {"email"}


@pytest.mark.parametrize(
    "sql",
    [
        "select to_json(p) as x from @people p",
        "select p as x from @people p",
        "select columns('em.*') from @people",
        "select email as x from (@orders o join @people p on p.id = o.person_id)",
    ],
)
def test_a_whole_row_or_a_pattern_is_not_taken_for_harmless(sql: str) -> None:
    found = _derived(sql)
    assert found is None or found & {"x", "email"}


def test_union_by_name_is_followed_by_name() -> None:
    sql = (
        "select id, person_id as n from @orders union all by name "
        "select 1 as n, email as id from @people"
    )
    assert _derived(sql) == {"id"}


def test_a_chain_of_ctes_takes_no_longer_than_it_is() -> None:
    names = ", ".join(["email", *(f"c{i}" for i in range(20))])
    wide = {PEOPLE: dict.fromkeys(names.split(", "), "VARCHAR")}
    ctes = [f'a0 as (select {names} from "db"."main"."people")']
    ctes += [f"a{i} as (select {names} from a{i - 1})" for i in range(1, 9)]
    sql = f"with {', '.join(ctes)} select {names} from a8"
    started = time.perf_counter()
    found = derived_columns(sql, "duckdb", HIDDEN, wide)
    assert time.perf_counter() - started < 0.5
    assert found is not None
    assert [derived.column for derived in found] == ["email"]


@pytest.mark.parametrize(
    "sql",
    [
        "select * from (select id, email from @people) as t(a, b)",
        "select b from (select id, email from @people) as t(a, b)",
        "select b from @people as t(a, n, b)",
    ],
)
def test_columns_renamed_by_a_tables_alias_are_followed(sql: str) -> None:
    found = _derived(sql)
    assert found is None or "b" in found


@pytest.mark.parametrize(
    "sql",
    [
        "select u.x from @people p, unnest(string_split(p.email, '@')) u(x)",
        "select l.x from @people p, lateral (select p.email as x) l",
        "select l.x from @people p left join lateral (select p.email as x) l on true",
    ],
)
def test_what_a_lateral_source_reads_is_followed(sql: str) -> None:
    assert _derived(sql) in (None, {"x"})


@pytest.mark.parametrize(
    "sql",
    [
        "select * exclude (email) replace (upper(email) as name) from @people",
        "select * rename (email as name2) from @people",
    ],
)
def test_replaced_and_renamed_columns_of_a_star_are_followed(sql: str) -> None:
    found = _derived(sql)
    assert found is None or found & {"name", "name2"}


def test_a_recursion_is_followed_to_its_end() -> None:
    sql = (
        "with recursive t(a, b, c) as (select 'x', 'y', email from @people "
        "union all select b, c, c from t) select a from t"
    )
    assert _derived(sql) == {"a"}


@pytest.mark.parametrize("source", ["'data/people.csv'", "read_csv('data/people.csv')"])
def test_a_file_is_the_one_source_that_is_one(source: str) -> None:
    sql = f"select id, email as contact from {source}"
    found = derived_columns(sql, "duckdb", HIDDEN, {}, file=PEOPLE)
    assert found is not None
    assert [derived.column for derived in found] == ["contact"]
