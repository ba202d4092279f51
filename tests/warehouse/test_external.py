"""Views over files, as dbt-duckdb's external models and sources leave them, through the sandbox."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import duckdb
import pytest

from t2s_dbt import Assistant, open_project
from t2s_dbt.catalog import Relation
from t2s_dbt.flow import GUARD_SEAL as SEAL
from t2s_dbt.flow import CheckedSql, Exposed, Failure, FailureKind, Rows, Status
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.warehouse.conftest import BUDGET, SECRET

MakeView = Callable[..., DuckDBWarehouse]
SUM = "SELECT count(*), sum(amount) FROM shop.main.orders"

VIEWS = {
    "a parquet file": "'data/orders.parquet'",
    "a call": "read_parquet('data/orders.parquet')",
    "a called scan": "parquet_scan('data/orders.parquet')",
    "partitions": "read_parquet('data/parts/*/*.parquet', hive_partitioning = true)",
    "partitions at any depth": "'data/parts/**/*.parquet'",
    "a csv file": "'data/orders.csv'",
    "a called csv": "read_csv('data/orders.csv', header = true, delim = ',')",
    "an older called csv": "read_csv_auto('data/orders.csv')",
    "a json file": "'data/orders.json'",
    "a called json": "read_json_auto('data/orders.json', format = 'auto')",
    "a list": "read_parquet(['data/one.parquet', 'data/two.parquet'])",
    "a list of patterns": "read_parquet(['data/o[n]e.parquet', 'data/tw?.parquet'])",
    "blanks and an apostrophe": "'data/it''s here/or ders.parquet'",
    "a subquery": "(SELECT * FROM read_csv('data/orders.csv') WHERE id >= 0)",
    "a union": "(FROM 'data/one.parquet' UNION ALL FROM 'data/two.parquet')",
    "a join": "'data/orders.csv' AS o SEMI JOIN 'data/orders.parquet' AS p ON o.id = p.id",
    "a cte": "(WITH c AS (FROM 'data/orders.csv') SELECT * FROM c)",
}

READERS = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the same four orders as files of many kinds; the working directory is another.

    Their column `email` holds the secret.
    """
    folder = tmp_path / "lake's"
    (folder / "data" / "it's here").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(folder)
    orders = (
        f"SELECT i AS id, i * 10 AS amount, '{SECRET}-' || i AS email, i % 2 AS part "
        "FROM range(4) AS r(i) WHERE i"
    )
    with duckdb.connect(":memory:") as connection:
        for target in (
            "orders.parquet",
            "orders.csv",
            "orders.json",
            "it''s here/or ders.parquet",
            "sibling.csv",
        ):
            connection.execute(f"COPY ({orders} >= 0) TO 'data/{target}'")
        connection.execute(f"COPY ({orders} < 2) TO 'data/one.parquet'")
        connection.execute(f"COPY ({orders} >= 2) TO 'data/two.parquet'")
        partitioned = "(FORMAT parquet, PARTITION_BY (part))"
        connection.execute(f"COPY ({orders} >= 0) TO 'data/parts' {partitioned}")
    return folder


@pytest.fixture
def viewed(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeView:
    """Makes a warehouse with statements run in the lake's folder, and asked from another one."""

    def make(*statements: str, folder: Path | None = lake) -> DuckDBWarehouse:
        monkeypatch.chdir(lake)
        with duckdb.connect(str(lake / "shop.duckdb")) as connection:
            for statement in statements:
                connection.execute(statement)
        monkeypatch.chdir(tmp_path / "elsewhere")
        return DuckDBWarehouse({"shop": str(lake / "shop.duckdb")}, BUDGET, folder)

    return make


ALL = ("id", "amount", "email", "part")
VISIBLE = ("id", "amount")


def shown(sql: str = SUM, columns: tuple[str, ...] = ALL, name: str = "orders") -> CheckedSql:
    """A statement over one view that no guard has seen."""
    return CheckedSql(sql, (Exposed(name, Relation("shop", "main", name), columns),), 10, SEAL)


def rows(outcome: Rows | Failure) -> list[tuple[object, ...]]:
    """The rows of a query that ran."""
    assert isinstance(outcome, Rows), outcome
    return list(outcome.rows)


def failure(outcome: Rows | Failure) -> Failure:
    """The failure of a query that did not."""
    assert isinstance(outcome, Failure), outcome
    return outcome


@pytest.mark.parametrize("columns", [ALL, VISIBLE], ids=["all of it", "a part of it"])
@pytest.mark.parametrize("source", VIEWS.values(), ids=VIEWS.keys())
def test_a_view_over_files_is_answered(
    viewed: MakeView, source: str, columns: tuple[str, ...]
) -> None:
    warehouse = viewed(f"CREATE VIEW orders AS SELECT * FROM {source}")
    assert rows(warehouse.run(shown(columns=columns))) == [(4, 60)]
    assert isinstance(warehouse.explain(shown(columns=columns)), str)
    profiles = warehouse.profile({Relation("shop", "main", "orders"): ["id"]}, most=9)
    assert [profile["id"].values for profile in profiles.values()] == [("0", "1", "2", "3")]


@pytest.mark.parametrize("source", VIEWS.values(), ids=VIEWS.keys())
def test_hidden_columns_of_a_file_cannot_be_read_around_the_view(
    viewed: MakeView, lake: Path, source: str
) -> None:
    warehouse = viewed(f"CREATE VIEW orders AS SELECT * FROM {source}")
    written = re.findall(r"'(data/(?:[^']|'')+)'", source)
    found = {str(path) for text in written for path in lake.glob(text.replace("''", "'"))}
    assert found
    for place in [*written, *(path.replace("'", "''") for path in sorted(found))]:
        reader = READERS[place.rsplit(".", 1)[1]]
        outcome = failure(warehouse.run(shown(f"SELECT * FROM {reader}('{place}')", VISIBLE)))
        assert outcome.kind is FailureKind.NOT_ALLOWED, (place, outcome)
        assert SECRET not in str(outcome)
    for sql in ("SELECT email FROM shop.main.orders", "SELECT * FROM shop.main.orders"):
        assert SECRET not in str(warehouse.run(shown(sql, VISIBLE)))


def test_a_file_that_may_be_seen_opens_no_sibling(viewed: MakeView, lake: Path) -> None:
    warehouse = viewed("CREATE VIEW orders AS SELECT * FROM 'data/orders.parquet'")
    for name in ("sibling.csv", "orders.csv", "one.parquet", "orders.parquet/../sibling.csv"):
        for place in (str(lake / "data" / name), f"data/{name}"):
            literal = place.replace("'", "''")
            outcome = warehouse.run(shown(f"SELECT * FROM '{literal}'"))
            assert failure(outcome).kind is FailureKind.NOT_ALLOWED
            assert SECRET not in str(outcome)
    for pattern in (str(lake / "data" / "*"), "data/*", str(lake.parent / "**")):
        literal = pattern.replace("'", "''")
        outcome = warehouse.run(shown(f"SELECT * FROM glob('{literal}')"))
        assert isinstance(outcome, Failure) or outcome.rows == ()


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO '{file}'",
        "COPY shop.main.orders TO '{folder}/out.csv'",
        "ATTACH '{folder}/shop.duckdb' AS again",
    ],
)
def test_a_file_that_may_be_read_cannot_be_written(viewed: MakeView, lake: Path, sql: str) -> None:
    warehouse = viewed("CREATE VIEW orders AS SELECT * FROM 'data/orders.parquet'")
    file = lake / "data" / "orders.parquet"
    before, names = file.read_bytes(), sorted(path.name for path in lake.iterdir())
    quoted = {"file": str(file).replace("'", "''"), "folder": str(lake).replace("'", "''")}
    assert isinstance(warehouse.run(shown(sql.format(**quoted))), Failure)
    assert file.read_bytes() == before
    assert sorted(path.name for path in lake.iterdir()) == names


def test_a_view_over_views_over_files_is_followed(viewed: MakeView) -> None:
    warehouse = viewed(
        "CREATE SCHEMA raw",
        "CREATE VIEW raw.files AS SELECT * FROM 'data/orders.parquet'",
        "CREATE VIEW cleaned AS SELECT id, amount, lower(email) AS contact FROM raw.files",
        "CREATE VIEW orders AS SELECT id, amount, contact FROM cleaned",
    )
    assert rows(warehouse.run(shown(columns=VISIBLE))) == [(4, 60)]
    around = "SELECT * FROM read_parquet('data/orders.parquet')"
    assert failure(warehouse.run(shown(around, VISIBLE))).kind is FailureKind.NOT_ALLOWED
    assert SECRET not in str(warehouse.run(shown("FROM shop.main.orders", VISIBLE)))


def test_a_view_that_shows_less_than_its_file_does_not_open_the_file(viewed: MakeView) -> None:
    warehouse = viewed("CREATE VIEW orders AS SELECT id, amount FROM 'data/orders.parquet'")
    assert rows(warehouse.run(shown(columns=VISIBLE))) == [(4, 60)]
    around = "SELECT * FROM read_parquet('data/orders.parquet')"
    assert failure(warehouse.run(shown(around, VISIBLE))).kind is FailureKind.NOT_ALLOWED


@pytest.mark.parametrize("condition", ["WHERE id > 2", "ORDER BY id DESC LIMIT 1"])
def test_a_view_that_shows_fewer_rows_than_its_file_does_not_open_the_file(
    viewed: MakeView, condition: str
) -> None:
    warehouse = viewed(f"CREATE VIEW orders AS SELECT * FROM 'data/orders.parquet' {condition}")
    assert rows(warehouse.run(shown())) == [(1, 30)]
    around = "SELECT count(*) FROM read_parquet('data/orders.parquet')"
    assert isinstance(warehouse.run(shown(around)), Failure)


def test_a_relative_path_needs_the_folder(viewed: MakeView) -> None:
    view = "CREATE VIEW orders AS SELECT * FROM 'data/orders.parquet'"
    assert rows(viewed(view).run(shown())) == [(4, 60)]
    lost = failure(viewed(folder=None).run(shown()))
    assert "data/orders.parquet" in lost.message


@pytest.mark.parametrize(
    "source", ["'data/orders.parquet'", "read_csv('data/orders.csv')", "'data/parts/**/*.parquet'"]
)
def test_a_missing_file_is_named_and_dbt_build_is_the_hint(
    viewed: MakeView, lake: Path, source: str
) -> None:
    warehouse = viewed(f"CREATE VIEW orders AS SELECT * FROM {source}")
    (lake / "data").rename(lake / "moved")
    for columns in (ALL, VISIBLE):
        lost = failure(warehouse.run(shown(columns=columns)))
        assert source.split("'")[1] in lost.message
        assert "shop.main.orders" in lost.message
        assert "dbt build" in lost.hint
    assert warehouse.profile({Relation("shop", "main", "orders"): ["id"]}, most=9) == {}


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("read_parquet('{}')", "s3://bucket/orders.parquet"),
        ("read_parquet(['data/one.parquet', '{}'])", "gcs://bucket/*.parquet"),
        ('"{}"', "https://example.com/orders.csv"),
    ],
)
def test_an_address_is_refused_clearly(viewed: MakeView, source: str, address: str) -> None:
    warehouse = viewed(
        "CREATE MACRO read_parquet(f) AS TABLE SELECT 1 AS id, 2 AS amount",  # while it is made
        f'CREATE TABLE "{address}" (id INT, amount INT)',
        f"CREATE VIEW orders AS SELECT * FROM {source.format(address)}",
        f'DROP MACRO TABLE read_parquet; DROP TABLE "{address}"',
    )
    outcome = failure(warehouse.run(shown(columns=VISIBLE)))
    assert outcome.kind is FailureKind.NOT_ALLOWED
    assert address in outcome.message
    assert "shop.main.orders" in outcome.message
    assert "table" in outcome.hint


def test_a_view_over_another_database_is_refused_clearly(viewed: MakeView) -> None:
    warehouse = viewed(
        "ATTACH 'side.duckdb' AS side",
        f"CREATE TABLE side.main.t AS SELECT 1 AS id, 2 AS amount, '{SECRET}' AS email",
        "CREATE VIEW orders AS SELECT id, amount FROM side.main.t",
        "CREATE VIEW over_it AS SELECT id, amount FROM orders",
        "CREATE TABLE beside AS SELECT 7 AS id",
    )
    for name in ("orders", "over_it"):
        outcome = failure(warehouse.run(shown(f"FROM shop.main.{name}", VISIBLE, name)))
        assert outcome.kind is FailureKind.NOT_ALLOWED
        assert "the database 'side'" in outcome.message
        assert f"shop.main.{name}" in outcome.message
        assert "table" in outcome.hint
        assert SECRET not in str(outcome)
    beside = "SELECT id FROM shop.main.beside"
    assert rows(warehouse.run(shown(beside, ("id",), "beside"))) == [(7,)]


# --- A project of dbt-duckdb's, really built -----------------------------------------------------

PROJECT = {
    "dbt_project.yml": """
        name: lake
        version: "1.0"
        config-version: 2
        profile: lake
        flags: {send_anonymous_usage_stats: false}
        """,
    "profiles.yml": """
        lake:
          target: dev
          outputs:
            dev: {type: duckdb, path: lake.duckdb, external_root: out}
        """,
    "data/people.csv": """
        id,name,email,city
        1,Ann,top-secret-value-1,Ulm
        2,Bob,top-secret-value-2,Bonn
        3,Cid,top-secret-value-3,Ulm
        """,
    "models/stg_people.sql": "select * from {{ source('raw', 'people') }}\n",
    "models/people.sql": """
        {{ config(materialized='external', format='parquet') }}
        select id as person_id, name, email, city from {{ ref('stg_people') }}
        """,
    "models/visits.sql": """
        {{ config(materialized='external', format='parquet',
                  options={'partition_by': 'city', 'overwrite': True}) }}
        select id as visit_id, 5 as amount, email as contact, city from {{ ref('stg_people') }}
        """,
    "models/schema.yml": """
        version: 2
        sources:
          - name: raw
            meta: {external_location: "data/{name}.csv"}
            tables: [{name: people}]
        models:
          - name: stg_people
            columns:
              - {name: email, config: {meta: {pii: true}}}
          - name: people
            columns:
              - {name: person_id, data_tests: [unique]}
          - name: visits
            columns:
              - {name: visit_id, data_tests: [unique]}
        """,
}


def _project(folder: Path) -> Path:
    """The project in a folder, built by dbt."""
    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text).lstrip(), encoding="utf-8")
    (folder / "out").mkdir()
    dbt = str(Path(sys.executable).with_name("dbt"))
    command = [dbt, "--quiet", "build", "--profiles-dir", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_a_project_of_external_models_answers_and_keeps_its_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _project(tmp_path / "lake")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assistant: Assistant = open_project(folder, environment={})
    people = assistant.ask("how many people are in Ulm")
    visits = assistant.ask("total amount by city in visits")
    assert (people.status, people.rows) == (Status.ANSWERED, ((2,),)), people
    assert visits.status is Status.ANSWERED, visits
    assert sorted(visits.rows) == [("Bonn", 5), ("Ulm", 10)]
    hidden = {(column.table, column.column) for column in assistant.catalog.hidden}
    assert hidden >= {("stg_people", "email"), ("people", "email"), ("visits", "contact")}
    refused = assistant.ask("list the email of people")
    assert refused.status is Status.REFUSED
    assert SECRET not in f"{people}{visits}{refused}{assistant.catalog}"
    (trace,) = (folder / "logs" / "t2s").iterdir()
    kept = [trace, *(folder / "target" / "t2s").rglob("*.json")]
    assert len(kept) >= 2
    for path in kept:
        assert SECRET not in path.read_text(encoding="utf-8"), path
    assert "Ulm" in (folder / "target" / "t2s" / "values.json").read_text(encoding="utf-8")
