"""Builds the repository's dbt projects with dbt, once, and again only when their files have
changed.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "example_project"
EXAMPLE_DATABASE = EXAMPLE / "retail.duckdb"
_SOURCES = ("dbt_project.yml", "profiles.yml", "models", "seeds", "macros", "tests")


class BuildError(Exception):
    """dbt could not build a project; the text is what it printed."""


def build_example() -> Path:
    """The folder of the example project, built."""
    build(EXAMPLE, EXAMPLE_DATABASE)
    return EXAMPLE


def build(
    folder: Path,
    database: Path,
    arguments: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> None:
    """Runs `dbt build` in a project folder unless its manifest and database are newer than its
    files.

    Raises:
        BuildError: with what dbt printed.
    """
    with FileLock(folder / ".build.lock"):  # tests of several processes want the same project
        if not _is_fresh(folder, database):
            _build(folder, arguments, environment or {})


def _build(folder: Path, arguments: tuple[str, ...], environment: Mapping[str, str]) -> None:
    dbt = Path(sys.executable).with_name("dbt")
    command = [str(dbt), "--quiet", "build", "--profiles-dir", ".", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} in {folder} failed:\n{done.stdout}{done.stderr}")


def _is_fresh(folder: Path, database: Path) -> bool:
    manifest = folder / "target" / "manifest.json"
    if not (manifest.is_file() and database.is_file()):
        return False
    made = min(manifest.stat().st_mtime, database.stat().st_mtime)
    return all(path.stat().st_mtime <= made for path in _files(folder))


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for name in _SOURCES:
        source = folder / name
        found += [p for p in source.rglob("*") if p.is_file()] if source.is_dir() else [source]
    return [path for path in found if path.is_file()]
