"""The repository as a dbt package: a project that installs it gets its macros and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_a_project_that_installs_the_package_reads_none_of_its_tests(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "one.sql").write_text("select 1 as id", encoding="utf-8")
    (tmp_path / "dbt_project.yml").write_text("name: user\nprofile: user\n", encoding="utf-8")
    (tmp_path / "packages.yml").write_text(f"packages:\n  - local: {ROOT}\n", encoding="utf-8")
    (tmp_path / "profiles.yml").write_text(
        "user: {target: dev, outputs: {dev: {type: duckdb, path: user.duckdb}}}", encoding="utf-8"
    )
    dbt = str(Path(sys.executable).with_name("dbt"))
    for command in ("deps", "parse"):
        done = subprocess.run(
            [dbt, command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
    manifest = json.loads((tmp_path / "target" / "manifest.json").read_bytes())
    assert list(manifest["nodes"]) == ["model.user.one"]
