"""Asking on the command line, in the built example project and in copies of it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.register_assert_rewrite("tests.cli.snapshots")


class Result(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


Run = Callable[..., tuple[int, str, str]]
Ask = Callable[..., Result]


@pytest.fixture
def ask(run_cli: Run, example: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs `dbt-t2s ask` in the example project, or in another folder, without a trace."""
    monkeypatch.setenv("DBT_T2S_TRACE", "false")
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str, cwd: Path = example) -> Result:
        return Result(*run_cli("ask", *arguments, cwd=cwd))

    return call
