"""Help, version and `debug`."""

from pathlib import Path

import pytest

from t2s_dbt import __version__
from t2s_dbt.config import OPTIONS
from tests.cli.conftest import Run
from tests.cli.snapshots import check_snapshot


@pytest.mark.parametrize("command", ["", "ask", "debug"])
def test_help_is_as_it_was(
    command: str, run_cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    status, out, err = run_cli(*filter(None, (command,)), "--help", cwd=tmp_path)
    assert status == 0
    assert err == ""
    text = "\n".join(line.rstrip() for line in out.splitlines()) + "\n"
    check_snapshot(f"help-{command or 'all'}.txt", text)


def test_the_version_is_told_outside_of_a_project(run_cli: Run, tmp_path: Path) -> None:
    status, out, _ = run_cli("--version", cwd=tmp_path)
    assert status == 0
    assert out.strip() == f"dbt-t2s {__version__}"


def test_an_unknown_command_is_a_usage_error(run_cli: Run, tmp_path: Path) -> None:
    status, _, err = run_cli("answer", "me", cwd=tmp_path)
    assert status == 2
    assert "answer" in err


def test_no_command_shows_the_help(run_cli: Run, tmp_path: Path) -> None:
    _, out, err = run_cli(cwd=tmp_path)
    assert "ask" in out + err
    assert "Traceback" not in err


@pytest.fixture
def told(run_cli: Run, example_copy: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `debug` tells of a copy of the example project."""
    (example_copy / "t2s.yml").write_text("timeout: 12.5\n", encoding="utf-8")
    (example_copy / "target" / "catalog.json").unlink(missing_ok=True)
    monkeypatch.setenv("DBT_T2S_MAX_ROWS", "77")
    status, out, err = run_cli("debug", cwd=example_copy)
    assert status == 0
    assert err == ""
    return out


def test_debug_lists_project_target_and_artifacts(told: str, example_copy: Path) -> None:
    assert f"retail in {example_copy}" in told
    assert "dev of profile retail" in told
    assert str(example_copy / "retail.duckdb") in told
    assert "manifest.json: written" in told
    assert "catalog.json: not there (`dbt docs generate` writes it)" in told
    assert "rules" in told


def test_debug_lists_hidden_columns_with_the_reason(told: str) -> None:
    lines = [line.strip() for line in told.splitlines() if "hidden: " in line]
    assert any("dim_customers.email" in line and "flagged" in line for line in lines)
    assert any(
        "fct_support_tickets.contact" in line and "made of" in line and "email" in line
        for line in lines
    )


def test_debug_lists_every_setting_with_its_origin(told: str) -> None:
    assert "timeout = 12.5  (t2s.yml:1)" in told
    assert "max_rows = 77  (DBT_T2S_MAX_ROWS)" in told
    assert "max_attempts = 3  (default)" in told
    for option in OPTIONS:
        assert f"{option.name} = " in told


def test_debug_outside_of_a_project_says_so(run_cli: Run, tmp_path: Path) -> None:
    status, out, err = run_cli("debug", cwd=tmp_path)
    assert status == 2
    assert out.startswith("version")
    assert "dbt_project.yml" in err
