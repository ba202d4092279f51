"""`dbt-t2s ask`: what is written where, in each format, and with which exit status."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import jsonschema  # type: ignore[import-untyped]
import pytest

import t2s_dbt.cli
from evals.building import EXAMPLE_DATABASE
from t2s_dbt.evaluation.compare import same_result
from tests.cli.conftest import Ask
from tests.cli.snapshots import check_snapshot

REVENUE = "What was revenue by month in 2024?"
GOLD = """
    select date_trunc('month', i.ordered_at), sum(i.line_amount)
    from fct_order_items i join fct_orders o using (order_id)
    where o.order_status <> 'cancelled' and year(i.ordered_at) = 2024 group by 1 order by 1
"""
SCHEMA = json.loads(
    (Path(t2s_dbt.cli.__file__).parent / "answer.schema.json").read_text(encoding="utf-8")
)


def gold() -> list[tuple[str, float]]:
    """Revenue by month as plain SQL gives it, as JSON would hold it."""
    connection = duckdb.connect(str(EXAMPLE_DATABASE), read_only=True)
    rows = connection.execute(GOLD).fetchall()
    connection.close()
    return [(month.isoformat(), float(revenue)) for month, revenue in rows]


def as_json(text: str) -> dict[str, Any]:
    """A JSON answer that the schema accepts."""
    document: dict[str, Any] = json.loads(text)
    jsonschema.validate(document, SCHEMA)
    return document


@pytest.mark.parametrize("folder", [".", "models/marts"])
def test_revenue_by_month_is_right_from_any_folder_of_the_project(
    folder: str, ask: Ask, example: Path
) -> None:
    status, out, err = ask(REVENUE, "-o", "json", cwd=example / folder)
    document = as_json(out)
    assert status == 0
    assert err == ""
    assert document["status"] == "answered"
    assert document["tier"] == "metric"
    assert len(document["rows"]) == 12
    assert same_result([(r[0][:10], r[1]) for r in document["rows"]], _days(gold()), ordered=True)


def _days(rows: list[tuple[str, float]]) -> list[tuple[str, float]]:
    return [(moment[:10], value) for moment, value in rows]


def test_the_project_folder_may_be_given(ask: Ask, example: Path, tmp_path: Path) -> None:
    status, out, _ = ask(
        "how many stores", "--project-dir", str(example), "-o", "csv", cwd=tmp_path
    )
    assert status == 0
    assert out.split() == ["count", "18"]


def test_a_table_is_on_stdout_and_all_about_it_on_stderr(ask: Ask) -> None:
    status, out, err = ask(REVENUE, "--as-of", "2025-01-01")
    assert status == 0
    assert len(re.findall(r"^\s*2024-\d\d\s+€[\d,.]+\s*$", out, re.MULTILINE)) == 12
    assert "2024-12 (€57,500.15)" in out
    assert "select" not in (out + err).lower()
    assert "2024-01-01 to 2024-12-31" in err
    assert "metric revenue" in err
    assert "order_status" in err
    assert "confidence high" in err


def test_free_sql_is_always_shown(ask: Ask) -> None:
    status, out, err = ask("how many stores are there")
    assert status == 0
    assert "18" in out
    assert "SELECT" in err
    assert "SELECT" not in out


def test_verbose_shows_the_sql_of_a_metric_and_its_outcome(ask: Ask) -> None:
    _, out, err = ask(REVENUE, "-v")
    assert "SELECT" in err
    assert "12 rows" in err
    assert "SELECT" not in out


@pytest.mark.parametrize(
    ("question", "status", "code"),
    [
        (REVENUE, "answered", 0),
        ("how many stores", "answered", 0),
        ("revenue in 1999", "empty", 0),
        ("revenue in Germany", "clarify", 1),
        ("revenue by shoe colour", "refused", 1),
        ("delete all orders", "refused", 1),
    ],
)
def test_json_is_as_its_schema_says_for_every_status(
    question: str, status: str, code: int, ask: Ask
) -> None:
    result = ask(question, "-o", "json")
    document = as_json(result.out)
    assert document["status"] == status
    assert result.status == code
    assert document["question"] == question
    assert bool(document["options"]) is (status == "clarify")


def test_json_of_a_plan_is_as_its_schema_says(ask: Ask) -> None:
    document = as_json(ask(REVENUE, "--explain", "-o", "json").out)
    assert document["status"] == "explained"
    assert document["rows"] == []
    assert document["attempts"][0]["outcome"] == "not run"


def test_json_of_one_question_is_as_it_was(ask: Ask) -> None:
    document = as_json(
        ask(
            "Which brand had the highest revenue in 2023?", "--as-of", "2024-11-15", "-o", "json"
        ).out
    )
    document["timing"] = {}
    document["sql"] = document["attempts"][0]["sql"] = "left out"
    check_snapshot("answer.json", json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def test_csv_is_clean_on_stdout(ask: Ask) -> None:
    status, out, err = ask(REVENUE, "-o", "csv")
    header, *rows = csv.reader(io.StringIO(out))
    assert status == 0
    assert header == ["metric_time__month", "revenue"]
    found = [(row[0][:10], float(row[1])) for row in rows]
    assert same_result(found, _days(gold()), ordered=True)
    assert "12 rows" not in out
    assert err == ""


def test_markdown_is_a_table_with_the_sentence_under_it(ask: Ask) -> None:
    status, out, _ = ask("revenue by channel", "-o", "markdown")
    lines = out.splitlines()
    assert status == 0
    assert lines[0].count("|") == 3
    assert set(lines[1]) == {"|", "-"}
    assert [line.startswith("|") for line in lines[2:5]] == [True] * 3
    assert lines[5] == ""
    assert "highest" in lines[6]


@pytest.mark.parametrize("output", ["csv", "markdown"])
def test_a_refusal_leaves_stdout_empty(output: str, ask: Ask) -> None:
    status, out, err = ask("revenue by shoe colour", "-o", output)
    assert status == 1
    assert out == ""
    assert "colour" in err


def test_sql_alone_is_on_stdout_and_is_not_run(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    from t2s_dbt.warehouse.duckdb import DuckDBWarehouse

    def run(*_: object) -> None:
        raise AssertionError("it was run")

    monkeypatch.setattr(DuckDBWarehouse, "run", run)
    status, out, err = ask(REVENUE, "--sql")
    assert status == 0
    assert err == ""
    connection = duckdb.connect(str(EXAMPLE_DATABASE), read_only=True)
    rows = [(month.isoformat()[:10], value) for month, value in connection.execute(out).fetchall()]
    connection.close()
    assert same_result(rows, _days(gold()), ordered=True)


def test_sql_of_a_refused_question_is_no_sql(ask: Ask) -> None:
    status, out, err = ask("revenue by shoe colour", "--sql")
    assert status == 1
    assert out == ""
    assert "colour" in err


def test_explain_shows_the_reading_and_the_sql(ask: Ask) -> None:
    status, out, err = ask("how many stores", "--explain")
    assert status == 0
    assert "18" not in out
    assert "Number of stores" in err
    assert "SELECT" in err
    assert "not run" in err


@pytest.mark.parametrize("output", ["table", "csv"])
def test_a_result_is_cut_at_max_rows_and_says_so(output: str, ask: Ask) -> None:
    status, out, err = ask("list all stores with their city", "--max-rows", "3", "-o", output)
    assert status == 0
    assert len([line for line in out.splitlines() if re.search(r"[A-Z]\w+.+[A-Z]\w+", line)]) == 3
    assert "first 3 rows" in err


def test_a_result_that_just_fits_is_not_cut(ask: Ask) -> None:
    document = as_json(ask("list all stores", "--max-rows", "18", "-o", "json").out)
    assert len(document["rows"]) == 18
    assert document["truncated"] is False
    cut = as_json(ask("list all stores", "--max-rows", "17", "-o", "json").out)
    assert len(cut["rows"]) == 17
    assert cut["truncated"] is True
    assert [warning["code"] for warning in cut["warnings"]] == ["truncated"]


@pytest.mark.parametrize(
    ("day", "start", "end"),
    [("2024-11-15", "2024-10-01", "2024-10-31"), ("2023-03-31", "2023-02-01", "2023-02-28")],
)
def test_last_month_is_that_before_the_given_day(day: str, start: str, end: str, ask: Ask) -> None:
    document = as_json(ask("revenue last month", "--as-of", day, "-o", "json").out)
    assert document["as_of"] == day
    (time,) = document["reading"]["times"]
    assert (time["period"]["start"], time["period"]["end"]) == (start, end)


@pytest.mark.parametrize("output", ["table", "markdown"])
def test_what_is_no_terminal_gets_no_escape_codes(output: str, ask: Ask) -> None:
    _, out, err = ask("how many stores", "-o", output)
    assert "\x1b" not in out + err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
def test_no_color_is_heeded_on_a_terminal(example: Path) -> None:
    colour = re.compile(rb"\x1b\[[\d;]*3[0-9]\b")
    assert colour.search(_on_terminal(example, {}))
    assert not colour.search(_on_terminal(example, {"NO_COLOR": "1"}))


def _on_terminal(folder: Path, environment: dict[str, str]) -> bytes:
    """What the command writes to a terminal."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "t2s_dbt", "ask", "how many stores"]
    plain = {"TERM": "xterm-256color", "DBT_T2S_TRACE": "0", "PATH": os.environ["PATH"]}
    process = subprocess.Popen(
        command, cwd=folder, stdout=follower, stderr=follower, env={**plain, **environment}
    )
    os.close(follower)
    written = b""
    while True:
        try:
            part = os.read(leader, 65_536)
        except OSError:  # the other side has closed
            break
        if not part:
            break
        written += part
    process.wait()
    os.close(leader)
    return written


def test_a_key_that_lies_about_changes_nothing(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    without = as_json(ask("how many stores", "-o", "json").out)
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, "junk")
    with_key = as_json(ask("how many stores", "-o", "json").out)
    without["timing"] = with_key["timing"] = {}
    assert with_key == without
    assert with_key["proposed_by"] == "rules"
