"""Finds the dbt project, as dbt does: from a folder upward, with dbt's flags and environment
variables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from t2s_dbt import yamlfiles
from t2s_dbt.errors import ProjectError, ProjectNotFoundError
from t2s_dbt.project.templates import render_text

PROJECT_FILE = "dbt_project.yml"


@dataclass(frozen=True, slots=True)
class Flags:
    """dbt's own flags, as given; None means not given."""

    project_dir: Path | None = None
    profiles_dir: Path | None = None
    profile: str | None = None
    target: str | None = None
    target_path: Path | None = None
    vars: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A dbt project on disk; `profile` is the name of the profile it uses."""

    folder: Path
    name: str
    profile: str | None
    target_path: Path
    log_path: Path
    source_paths: tuple[Path, ...]


def find_project(start: Path, flags: Flags, environment: Mapping[str, str]) -> Project:
    """The project of `--project-dir`, of DBT_PROJECT_DIR, or of the nearest folder at or above
    `start`.

    Raises:
        ProjectNotFoundError: there is no `dbt_project.yml`.
        ProjectError: it cannot be read.

    """
    folder = _folder(start, flags, environment)
    path = folder / PROJECT_FILE
    data = yamlfiles.load(path, ProjectError)
    if not isinstance(data, dict) or "name" not in data:
        raise ProjectError("is no dbt project: it has no `name`", path=path)
    cli_vars = flags.vars or {}

    def setting(key: str, default: str) -> str:
        return render_text(str(data.get(key) or default), environment, cli_vars, path)

    target = (
        flags.target_path or environment.get("DBT_TARGET_PATH") or setting("target-path", "target")
    )
    log = environment.get("DBT_LOG_PATH") or setting("log-path", "logs")
    sources = [*(data.get("model-paths") or ["models"]), *(data.get("seed-paths") or ["seeds"])]
    profile = flags.profile or environment.get("DBT_PROFILE") or data.get("profile")
    return Project(
        folder=folder,
        name=str(data["name"]),
        profile=render_text(str(profile), environment, cli_vars, path) if profile else None,
        target_path=folder / target,
        log_path=folder / log,
        source_paths=(path, *(folder / str(source) for source in sources)),
    )


def _folder(start: Path, flags: Flags, environment: Mapping[str, str]) -> Path:
    given = flags.project_dir or environment.get("DBT_PROJECT_DIR")
    if given:
        folder = (start / given).resolve()
        if not (folder / PROJECT_FILE).is_file():
            raise ProjectNotFoundError(
                f"there is no {PROJECT_FILE} in {folder}",
                hint="Point --project-dir at the folder that holds it.",
            )
        return folder
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / PROJECT_FILE).is_file():
            return folder
    raise ProjectNotFoundError(
        f"no {PROJECT_FILE} in {start.resolve()} or above it",
        hint="Run inside a dbt project, or give --project-dir.",
    )
