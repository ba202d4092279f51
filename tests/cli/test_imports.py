"""What an ask loads, in a process of its own: nothing it does not need, and no socket."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from tests.cli.snapshots import check_snapshot

CHILD = """
import json, socket, sys

def refused(*_, **__):
    raise AssertionError("a socket was opened")

socket.socket.__init__ = refused
socket.create_connection = refused
from t2s_dbt.cli.app import run
status = run(json.loads(sys.argv[1]))
sys.stdout.flush()
tops = sorted({name.partition(".")[0] for name in list(sys.modules)})
print("\\n" + json.dumps({"status": status, "modules": tops}))
"""
NEVER = {"anthropic", "openai", "dbt", "torch", "requests", "urllib3", "httpx", "aiohttp"}


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Top-level packages, other than Python's own, that a command loads."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "DBT_T2S_TRACE": "false",
        "ANTHROPIC_API_KEY": "junk",
        "OPENAI_API_KEY": "junk",
    }
    done = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert report["status"] == 0, done.stderr
    return set(report["modules"]) & set(packages_distributions()) - {"t2s_dbt", "__editable__"}


@pytest.fixture(scope="module")
def by_tables(example: Path) -> set[str]:
    """What an ask loads that a metric has no part in."""
    return loaded(example, "ask", "How many products are discontinued?")


def test_an_ask_of_tables_loads_only_what_it_needs(by_tables: set[str]) -> None:
    assert not by_tables & (NEVER | {"metricflow_semantics", "dbt_semantic_interfaces"})
    names = sorted(n for n in by_tables - {"metricflow"} if not n.startswith("_"))
    check_snapshot("imports.txt", "\n".join(names) + "\n")


def test_an_ask_of_tables_loads_no_metricflow_at_all(by_tables: set[str]) -> None:
    assert "metricflow" not in by_tables


@pytest.mark.slow
def test_a_first_ask_of_a_metric_loads_metricflow_and_no_dbt(example_copy: Path) -> None:
    shutil.rmtree(example_copy / "target" / "t2s", ignore_errors=True)
    found = loaded(example_copy, "ask", "revenue by month in 2023")
    assert "metricflow_semantics" in found
    assert not found & {"anthropic", "openai", "dbt", "torch"}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_loads_no_database_and_no_parser(argument: str, example: Path) -> None:
    found = loaded(example, argument)
    assert not found & (NEVER | {"metricflow", "duckdb", "sqlglot"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        "revenue by month in 2023",
        pytest.param("revenue in 1999"),
    ],
)
def test_stderr_of_a_json_answer_is_empty(question: str, example_copy: Path) -> None:
    shutil.rmtree(example_copy / "target" / "t2s", ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "t2s_dbt", "ask", question, "-o", "json"],
        cwd=example_copy,
        env={"PATH": os.environ["PATH"], "DBT_T2S_TRACE": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["question"] == question
    assert done.stderr == ""
