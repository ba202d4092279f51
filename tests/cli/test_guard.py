"""`dbt-t2s guard`: verdicts on files, for people and for programs, with and without a database."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cli.conftest import Result, Run

Guard = Callable[..., Result]

ORDERS = "SELECT count(*) AS n\nFROM fct_orders\n"
HIDDEN = "-- who\nSELECT customer_id,\n  email\nFROM dim_customers\n"


@pytest.fixture
def guard(run_cli: Run, tmp_path: Path, example: Path) -> Guard:
    """Runs `dbt-t2s guard` on files in a folder of their own; each is given as `name=text`."""
    folder = tmp_path / "queries"
    folder.mkdir()

    def call(*arguments: str, project: Path = example, **files: str) -> Result:
        for name, text in files.items():
            (folder / f"{name}.sql").write_text(text, encoding="utf-8", newline="")
        names = [f"{name}.sql" for name in files]
        given = ("--project-dir", str(project), "--profiles-dir", str(project))
        return Result(*run_cli("guard", *names, *arguments, *given, cwd=folder))

    return call


def documents(result: Result) -> list[dict[str, Any]]:
    """What `-o json` wrote."""
    found: list[dict[str, Any]] = json.loads(result.out)
    return found


def test_an_allowed_file_is_said_with_what_it_reads(guard: Guard) -> None:
    assert guard(a=ORDERS) == (0, "a.sql: allowed, reads fct_orders\n", "")
    both = "SELECT country FROM fct_orders JOIN dim_customers USING (customer_id)"
    assert guard(a=both).out == "a.sql: allowed, reads fct_orders, dim_customers\n"
    assert guard(a="SELECT 1").out == "a.sql: allowed, reads no model\n"


def test_a_rejected_file_is_said_with_line_code_and_near_names(guard: Guard) -> None:
    status, out, err = guard(a="SELECT order_id,\n  net_amont\nFROM fct_orders")
    assert (status, err) == (1, "")
    first, second = out.splitlines()
    assert first.startswith("a.sql:2: rejected (column): ")
    assert "net_amont" in first
    assert second.startswith("  instead: net_amount")


def test_each_of_several_files_has_its_verdict_in_order(guard: Guard) -> None:
    result = guard(a=ORDERS, b="DROP TABLE fct_orders", c="SELECT 1")
    assert result.status == 1
    lines = [line.split(" ")[0:2] for line in result.out.splitlines()]
    assert lines == [["a.sql:", "allowed,"], ["b.sql:1:", "rejected"], ["c.sql:", "allowed,"]]
    assert guard(a=ORDERS, b=ORDERS).status == 0


@pytest.mark.parametrize(
    ("sql", "code", "line", "words"),
    [
        ("SELECT 1\nFROM ordrs", "relation", 2, "ordrs"),
        ("SELECT 1\n\nFROM raw_orders", "relation", 3, "raw_orders"),
        ("SELECT\n  read_csv('x')", "function", 2, "reads or lists files"),
        ("SELECT * FROM read_parquet('x')", None, 1, ""),
        ("\n\nDELETE FROM fct_orders", "no_query", 3, "DELETE"),
        ("SELECT 1; SELECT 2", "several", None, "2 statements"),
        ("SELECT FROM WHERE", "unreadable", None, "cannot be read"),
        ("SELECT 'a", "unreadable", None, "not closed"),
        ("SELECT * FROM {{ ref('fct_orders') }}", "unreadable", None, "compiled SQL"),
        ("{% set x = 1 %}\nSELECT 1", "unreadable", None, "compiled SQL"),
        ("", "empty", None, "no statement"),
        (" \n\t\n", "empty", None, "no statement"),
        ("-- only a comment\n", None, None, "statement"),
        (HIDDEN, "hidden", 3, "hidden by policy"),
    ],
)
def test_what_is_rejected_has_its_code_and_line(
    guard: Guard, sql: str, code: str | None, line: int | None, words: str
) -> None:
    result = guard("-o", "json", a=sql)
    assert (result.status, result.err) == (1, "")
    (found,) = documents(result)
    assert set(found) == {"file", "verdict", "code", "message", "text", "line", "instead"}
    assert (found["file"], found["verdict"]) == ("a.sql", "rejected")
    assert code in (None, found["code"])
    assert found["line"] == line
    assert words in found["message"]
    assert isinstance(found["instead"], list)


def test_json_of_an_allowed_file_has_what_would_run(guard: Guard) -> None:
    result = guard("--output", "json", a=ORDERS, b="SELECT '<ü>' AS u")
    first, second = documents(result)
    assert result.status == 0
    assert set(first) == {"file", "verdict", "reads", "sql"}
    assert (first["file"], first["verdict"], first["reads"]) == (
        "a.sql",
        "allowed",
        ["fct_orders"],
    )
    assert "LIMIT 1001" in first["sql"]
    assert second["reads"] == []
    assert "<ü>" in result.out


def test_windows_line_ends_do_not_move_a_line(guard: Guard) -> None:
    (found,) = documents(guard("-o", "json", a="SELECT 1,\r\n  nope\r\nFROM fct_orders\r\n"))
    assert found["line"] == 2


@pytest.mark.parametrize(
    "sql",
    [
        HIDDEN,
        "SELECT emial FROM dim_customers",
        "SELECT phon FROM dim_customers",
        "SELECT birthdate FROM dim_customers",
        "SELECT contct FROM fct_support_tickets",
        "SELECT c.* FROM dim_customers AS c ORDER BY c.email",
        "SELECT customer_id FROM dim_customers WHERE email LIKE 'a%'",
        "SELECT count(*) FROM dim_customers GROUP BY phone",
    ],
)
@pytest.mark.parametrize("output", ["text", "json"])
def test_no_verdict_names_a_hidden_column(guard: Guard, sql: str, output: str) -> None:
    result = guard("-o", output, a=sql)
    assert result.status == 1
    for name in ("email", "phone", "birth_date", "contact"):
        assert name not in (result.out + result.err).lower().replace("contct", "")


def test_a_star_is_allowed_and_shows_no_hidden_column(guard: Guard) -> None:
    (found,) = documents(guard("-o", "json", a="SELECT * FROM dim_customers"))
    assert found["verdict"] == "allowed"
    assert "country" in found["sql"]
    assert "email" not in found["sql"]


def _stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_a_dash_is_the_standard_input(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    _stdin(monkeypatch, ORDERS.encode())
    assert guard("-") == (0, "-: allowed, reads fct_orders\n", "")
    _stdin(monkeypatch, b"SELECT 1\nFROM nowhere")
    result = guard("-", a=ORDERS)
    assert result.status == 1
    assert "a.sql: allowed" in result.out
    assert "-:2: rejected (relation)" in result.out
    _stdin(monkeypatch, b"")
    assert "rejected (empty)" in guard("-").out


def test_a_byte_order_mark_is_no_part_of_a_query(
    guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queries" / "bom.sql").write_bytes(b"\xef\xbb\xbf" + ORDERS.encode())
    assert guard("bom.sql").status == 0
    _stdin(monkeypatch, b"\xef\xbb\xbf" + ORDERS.encode())
    assert guard("-").status == 0


def test_what_cannot_be_read_is_a_usage_error(guard: Guard, tmp_path: Path) -> None:
    folder = tmp_path / "queries"
    (folder / "latin.sql").write_bytes("SELECT 'ü'".encode("latin-1"))
    (folder / "sub").mkdir()
    for name, words in (
        ("gone.sql", "cannot be read"),
        ("sub", "cannot be read"),
        ("latin.sql", "no UTF-8 text"),
    ):
        result = guard(name, a=ORDERS)
        assert (result.status, result.out) == (2, "")
        assert name in result.err
        assert words in result.err
        assert "Traceback" not in result.err


def test_trouble_with_the_project_or_the_usage_is_status_2(
    guard: Guard, tmp_path: Path, run_cli: Run
) -> None:
    assert guard().status == 2
    assert guard("-o", "xml", a=ORDERS).status == 2
    assert guard("--audience", "nobody", a=ORDERS).status == 2
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "a.sql").write_text(ORDERS, encoding="utf-8")
    status, out, err = run_cli("guard", "a.sql", cwd=empty)
    assert (status, out) == (2, "")
    assert "dbt_project.yml" in err


def test_an_audience_is_held(guard: Guard) -> None:
    tickets = "SELECT count(*) FROM fct_support_tickets"
    result = guard("--audience", "support", a=ORDERS, b=tickets)
    assert result.status == 1
    assert "a.sql:2: rejected (relation)" in result.out
    assert "b.sql: allowed, reads fct_support_tickets" in result.out
    near = guard("--audience", "support", a="SELECT 1 FROM fct_order")
    assert "instead: fct_order" not in near.out
    assert guard(a=ORDERS, b=tickets).status == 0


@pytest.fixture
def without_database(example_copy: Path) -> Path:
    """The example project as it is in a checkout that was compiled and never built."""
    _write_catalog(example_copy)
    (example_copy / "retail.duckdb").unlink()
    return example_copy


def _write_catalog(project: Path) -> None:
    """A `catalog.json` as `dbt docs generate` writes it, as far as it is read."""
    manifest = json.loads((project / "target" / "manifest.json").read_bytes())
    with duckdb.connect(str(project / "retail.duckdb"), read_only=True) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name, data_type, column_index FROM duckdb_columns() "
            "WHERE NOT internal"
        ).fetchall()
    columns: dict[str, dict[str, object]] = {}
    for table, name, data_type, index in rows:
        entry = {"name": name, "type": data_type, "index": index}
        columns.setdefault(table, {})[name] = entry
    nodes = {
        unique_id: {"unique_id": unique_id, "columns": columns[node["alias"]]}
        for unique_id, node in manifest["nodes"].items()
        if node.get("alias") in columns
    }
    catalog = {"metadata": {"generated_at": "9999-01-01T00:00:00Z"}, "nodes": nodes, "sources": {}}
    (project / "target" / "catalog.json").write_text(json.dumps(catalog), encoding="utf-8")


@pytest.mark.parametrize("catalogued", [True, False])
def test_no_database_is_needed(guard: Guard, without_database: Path, catalogued: bool) -> None:
    if not catalogued:
        (without_database / "target" / "catalog.json").unlink()
    result = guard(
        project=without_database,
        good=ORDERS,
        hidden=HIDDEN,
        star="SELECT * FROM dim_customers",
        nowhere="SELECT 1 FROM nowhere",
        column="SELECT nope FROM fct_orders",
    )
    assert (result.status, result.err) == (1, "")
    said = dict(line.split(": ", 1) for line in result.out.splitlines() if line[0] != " ")
    assert said["good.sql"] == "allowed, reads fct_orders"
    assert said["hidden.sql:3"].startswith("rejected (hidden)")
    assert said["nowhere.sql:1"].startswith("rejected (relation)")
    column = next(said[file] for file in said if file.startswith("column.sql"))
    assert column.startswith("rejected (column)" if catalogued else "allowed")
    (star,) = documents(guard("-o", "json", "star.sql", project=without_database))
    assert star["verdict"] == "rejected" or "email" not in star["sql"].lower()
    assert not (without_database / "retail.duckdb").exists()


def test_nothing_is_run_and_nothing_is_written(guard: Guard, example_copy: Path) -> None:
    def state() -> dict[str, int]:
        files = (path for path in example_copy.rglob("*") if path.is_file())
        return {str(path): path.stat().st_mtime_ns for path in files}

    before = state()
    endless = "SELECT count(*) FROM fct_orders AS a, fct_orders AS b, range(1000000000) AS r(i)"
    fails = "SELECT order_id::DATE, error('run') FROM fct_orders"
    result = guard(
        project=example_copy, a=endless, b=fails, c="SELECT customer_id / 0 FROM fct_orders"
    )
    assert "a.sql: allowed" in result.out
    assert "c.sql: allowed" in result.out
    assert state() == before
