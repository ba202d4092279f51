"""Fixtures that several tests share: the example project, really built, and ways to ask it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.building import build_example
from t2s_dbt import Assistant, open_project

SHARED_DATA = Path(os.environ.get("T2S_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings of whoever runs it."""
    for name in list(os.environ):
        if name.startswith(("DBT_", "DBT_T2S_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def example() -> Path:
    """The folder of the example project, built by dbt."""
    return build_example()


@pytest.fixture(scope="session")
def assistant(example: Path) -> Assistant:
    """An assistant over the example project that keeps no trace."""
    return open_project(example, settings={"trace": False}, environment={})


def copy_of(project: Path, folder: Path) -> Path:
    """A copy of a built dbt project in a folder, without its seeds and logs."""
    copy = folder / "project"
    left_out = shutil.ignore_patterns("seeds", "logs", "compiled", "run", "*.msgpack")
    shutil.copytree(project, copy, ignore=left_out)
    return copy


@pytest.fixture
def example_copy(example: Path, tmp_path: Path) -> Path:
    """A copy of the built example project that a test may change, without its seeds."""
    return copy_of(example, tmp_path)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public evaluation data; the test is skipped where it is not there."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the public data is not at {SHARED_DATA} (set T2S_SHARED_DATA)")
    return SHARED_DATA


@pytest.fixture
def run_cli(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs `dbt-t2s` in a folder; gives exit status, stdout and stderr."""
    from t2s_dbt.cli.app import run

    def call(*arguments: str, cwd: Path) -> tuple[int, str, str]:
        monkeypatch.chdir(cwd)
        status = run(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call
