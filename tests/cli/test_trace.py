"""The trace: a line for each ask, without what was in the rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ask


@pytest.fixture
def traced(ask: Ask, example_copy: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Asks in a copy of the project, with the trace on."""
    monkeypatch.setenv("DBT_T2S_TRACE", "true")
    return lambda *arguments: ask(*arguments, cwd=example_copy)


def entries(project: Path) -> list[dict[str, Any]]:
    """The lines of the only trace file."""
    (path,) = (project / "logs" / "t2s").glob("asks-*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_ask_is_one_line(traced: Ask, example_copy: Path) -> None:
    traced("list the stores in Berlin by name?", "-o", "json")
    traced("revenue in 2023")
    traced("revenue by shoe colour")
    found = entries(example_copy)
    assert [entry["question"] for entry in found][1:] == [
        "revenue in 2023",
        "revenue by shoe colour",
    ]
    answered, refused = found[1:]
    assert answered["status"] == "answered"
    assert answered["tier"] == "metric"
    assert answered["proposed_by"] == "rules"
    assert answered["rows"] == 1
    (attempt,) = answered["attempts"]
    assert attempt["outcome"] == "ran"
    assert "SELECT" in attempt["sql"]
    assert refused["status"] == "refused"
    assert refused["attempts"] == []
    assert "colour" in refused["text"]
    assert all({"version", "at", "as_of", "timing"} <= set(entry) for entry in found)


def test_no_value_of_the_rows_is_kept(traced: Ask, example_copy: Path) -> None:
    result = traced("Which supplier has the most products?")
    assert "Delta Garden Goods" in result.out
    kept = json.dumps(entries(example_copy))
    assert "Delta Garden" not in kept


def test_the_trace_can_be_turned_off(
    traced: Ask, example_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBT_T2S_TRACE", "false")
    assert traced("how many stores").status == 0
    assert not (example_copy / "logs" / "t2s").exists()


def test_a_folder_that_cannot_be_written_costs_no_answer(traced: Ask, example_copy: Path) -> None:
    (example_copy / "logs").write_text("a file where the folder should be", encoding="utf-8")
    status, out, err = traced("how many stores")
    assert status == 0
    assert "18" in out
    assert "trace" in err
