"""Bad input and broken surroundings: one clear message each, and no traceback."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import duckdb
import pytest

from t2s_dbt.flow import CheckedSql, Failure, Rows
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.cli.conftest import Ask, Result

QUESTION = "how many stores"


def complaint(result: Result, status: int = 2) -> str:
    """The message of a failed command, on one line and in lower case."""
    assert result.status == status, result.err
    assert "Traceback" not in result.err
    assert result.out == ""
    assert result.err.strip()
    return " ".join(result.err.replace("│", " ").split()).lower()


@pytest.mark.parametrize("question", ["", "   ", "\n\t", "\x00", "\u200b\u202e"])
def test_an_empty_question(question: str, ask: Ask) -> None:
    assert "question is empty" in complaint(ask(question))


def test_an_enormous_question(ask: Ask) -> None:
    started = time.perf_counter()
    message = complaint(ask("revenue " * 131_072))
    assert "characters" in message
    assert "max_question" in message
    assert len(message) < 500
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("question", ["💥" * 5, "?" * 50, "é̂" * 20, "a" * 2000])
def test_a_strange_question_is_refused(question: str, ask: Ask) -> None:
    complaint(ask(question), status=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--colour", "red"), ("no such option", "--colour")),
        (("-o", "xml"), ("xml", "json", "csv", "markdown")),
        (("--provider", "oracle"), ("oracle", "rules")),
        (("--as-of", "yesterday"), ("--as-of", "yesterday", "yyyy-mm-dd")),
        (("--as-of", "2024-02-30"), ("2024-02-30",)),
        (("--max-rows", "0"), ("--max-rows", "at least 1")),
        (("--max-rows", "-1"), ("--max-rows", "at least 1")),
        (("--timeout", "0"), ("--timeout", "at least")),
        (("--max-attempts", "99"), ("--max-attempts", "at most 10")),
        (("--vars", "{a: ["), ("--vars",)),
        (("--vars", "text"), ("--vars", "map")),
        (("--profile", "nobody"), ("nobody", "retail")),
        (("--target", "dve"), ("dve", "'dev'")),
        (("--project-dir", "nowhere"), ("dbt_project.yml", "nowhere")),
        (("--profiles-dir", "nowhere"), ("profiles.yml", "nowhere")),
        (("--target-path", "nowhere"), ("manifest.json", "dbt build")),
    ],
)
def test_a_flag_that_cannot_be_used(
    arguments: tuple[str, ...], words: tuple[str, ...], ask: Ask
) -> None:
    message = complaint(ask(QUESTION, *arguments))
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    "arguments", [("--colour", "red"), ("-o", "xml"), ("--max-rows", "many"), ("--target",)]
)
def test_a_usage_error_names_its_flag_and_is_no_fault_of_the_program(
    arguments: tuple[str, ...], ask: Ask
) -> None:
    message = complaint(ask(QUESTION, *arguments))
    assert arguments[0] in message
    assert "fault" not in message


def test_no_question_at_all(ask: Ask) -> None:
    assert "question" in complaint(ask())


def test_no_dbt_project(ask: Ask, tmp_path: Path) -> None:
    message = complaint(ask(QUESTION, cwd=tmp_path))
    assert "dbt_project.yml" in message
    assert "--project-dir" in message


def test_a_broken_dbt_project_file(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: a\n  bad: [", encoding="utf-8")
    assert "dbt_project.yml:2" in complaint(ask(QUESTION, cwd=tmp_path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_rows: 5\nprovider: [rules", ("t2s.yml:",)),
        ("# a comment\n\nmax_row: 5\n", ("t2s.yml:3", "unknown setting 'max_row'", "'max_rows'")),
        ("max_rows: many\n", ("t2s.yml:1", "max_rows", "many")),
        ("trace: false\nmax_rows: 0\n", ("t2s.yml:2", "at least 1")),
        ("max_rows: 5\nmax_rows: 6\n", ("t2s.yml:2", "twice")),
        ("- a\n- b\n", ("t2s.yml:1",)),
        ("max_rows: true\n", ("t2s.yml:1", "max_rows")),
    ],
)
def test_a_broken_settings_file_is_named_with_the_line(
    text: str, words: tuple[str, ...], ask: Ask, example_copy: Path
) -> None:
    (example_copy / "t2s.yml").write_text(text, encoding="utf-8")
    message = complaint(ask(QUESTION, cwd=example_copy))
    for word in words:
        assert word in message


def test_a_settings_file_that_is_no_text(ask: Ask, example_copy: Path) -> None:
    (example_copy / "t2s.yml").write_bytes(b"max_rows: \xff\xfe")
    assert "utf-8" in complaint(ask(QUESTION, cwd=example_copy))


def test_a_variable_that_cannot_be_used(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_T2S_MAX_ROWS", "many")
    message = complaint(ask(QUESTION))
    assert "dbt_t2s_max_rows" in message
    assert "many" in message


def test_a_missing_database(ask: Ask, example_copy: Path) -> None:
    (example_copy / "retail.duckdb").unlink()
    message = complaint(ask(QUESTION, cwd=example_copy))
    assert "retail.duckdb" in message
    assert "dbt build" in message


@pytest.mark.parametrize("content", [b"no database", b"", os.urandom(8192)])
def test_a_file_that_is_no_database(content: bytes, ask: Ask, example_copy: Path) -> None:
    (example_copy / "retail.duckdb").write_bytes(content)
    result = ask(QUESTION, cwd=example_copy)
    assert result.status in (1, 2)
    assert "Traceback" not in result.err
    assert "retail.duckdb" in result.err or "dbt build" in result.err


@contextmanager
def writing(database: Path) -> Iterator[None]:
    """Another process that holds the database for writing."""
    code = (
        "import duckdb, sys; connection = duckdb.connect(sys.argv[1]); "
        "print('ready', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        assert process.stdout.readline().strip() == "ready"
        yield
    finally:
        process.stdin.close()
        process.wait(timeout=10)
        process.stdout.close()


def test_a_locked_database_says_who_holds_it(
    ask: Ask, example_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBT_T2S_LOCK_WAIT", "0.2")
    with writing(example_copy / "retail.duckdb"):
        message = complaint(ask(QUESTION, cwd=example_copy))
    assert "another process is writing" in message
    assert "lock_wait" in message
    assert ask(QUESTION, cwd=example_copy).status == 0


def test_a_missing_manifest_names_the_command(ask: Ask, example_copy: Path) -> None:
    (example_copy / "target" / "manifest.json").unlink()
    message = complaint(ask(QUESTION, cwd=example_copy))
    assert "manifest.json" in message
    assert "dbt build" in message


@pytest.mark.parametrize("text", ["", "{", "[]", '{"metadata": {}}'])
def test_a_damaged_manifest(text: str, ask: Ask, example_copy: Path) -> None:
    (example_copy / "target" / "manifest.json").write_text(text, encoding="utf-8")
    message = complaint(ask(QUESTION, cwd=example_copy))
    assert "manifest.json" in message
    assert "dbt parse" in message


def test_the_manifest_of_another_target(ask: Ask) -> None:
    message = complaint(ask(QUESTION, "--target", "prod"))
    assert "another target" in message
    assert "dbt build --target prod" in message


def test_without_a_semantic_manifest_tables_can_still_be_asked(
    ask: Ask, example_copy: Path
) -> None:
    (example_copy / "target" / "semantic_manifest.json").unlink()
    assert ask(QUESTION, cwd=example_copy).status == 0
    refused = ask("revenue by month", cwd=example_copy)
    assert "Traceback" not in refused.err


def test_a_stale_manifest_is_a_note_and_no_error(ask: Ask, example_copy: Path) -> None:
    model = example_copy / "models" / "marts" / "core" / "dim_stores.sql"
    later = (example_copy / "target" / "manifest.json").stat().st_mtime + 10
    os.utime(model, (later, later))
    status, out, err = ask(QUESTION, cwd=example_copy)
    assert status == 0
    assert "18" in out
    assert "dim_stores.sql" in err
    assert "dbt parse" in err


def test_a_table_that_is_gone_is_drift(ask: Ask, example_copy: Path) -> None:
    with duckdb.connect(str(example_copy / "retail.duckdb")) as connection:
        connection.execute("drop table fct_orders cascade")
    result = ask("orders by channel", cwd=example_copy)
    assert "Traceback" not in result.err
    assert "dbt build" in result.err
    assert "fault of dbt-t2s" not in result.err


def raising(error: BaseException) -> Callable[..., Rows | Failure]:
    """A warehouse's `run` that raises."""

    def run(_: DuckDBWarehouse, __: CheckedSql) -> NoReturn:
        raise error

    return run


def test_a_stop_from_the_keyboard_has_its_status(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDBWarehouse, "run", raising(KeyboardInterrupt()))
    result = ask(QUESTION)
    assert result.status == 130
    assert "Traceback" not in result.err


def test_a_stop_from_the_keyboard_says_so(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDBWarehouse, "run", raising(KeyboardInterrupt()))
    assert "stopped" in complaint(ask(QUESTION), status=130)


def test_a_surprise_is_one_message_that_says_how_to_see_more(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DuckDBWarehouse, "run", raising(RuntimeError("the roof is on fire")))
    message = complaint(ask(QUESTION))
    assert "the roof is on fire" in message
    assert "--debug" in message


def test_debug_shows_the_traceback(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDBWarehouse, "run", raising(RuntimeError("the roof is on fire")))
    result = ask(QUESTION, "--debug")
    assert result.status == 2
    assert "Traceback" in result.err
    assert "the roof is on fire" in result.err


def test_debug_shows_where_an_expected_error_comes_from(ask: Ask, tmp_path: Path) -> None:
    result = ask(QUESTION, "--debug", cwd=tmp_path)
    assert result.status == 2
    assert "Traceback" in result.err
    assert "find_project" in result.err


def test_markup_in_a_question_is_shown_as_it_is(ask: Ask) -> None:
    result = ask("revenue of [bold red]nothing[/] and [/x]")
    assert result.status == 1
    assert "Traceback" not in result.err
