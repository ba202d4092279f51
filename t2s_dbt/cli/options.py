"""Flags that several commands share, named as dbt names them."""

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from t2s_dbt.errors import UsageError
from t2s_dbt.project.discover import Flags

_DBT = "dbt"

ProjectDir = Annotated[
    Path | None,
    typer.Option("--project-dir", help="Folder of dbt_project.yml.", rich_help_panel=_DBT),
]
ProfilesDir = Annotated[
    Path | None,
    typer.Option("--profiles-dir", help="Folder of profiles.yml.", rich_help_panel=_DBT),
]
Profile = Annotated[
    str | None, typer.Option("--profile", help="Profile to use.", rich_help_panel=_DBT)
]
Target = Annotated[
    str | None, typer.Option("--target", "-t", help="Target of the profile.", rich_help_panel=_DBT)
]
TargetPath = Annotated[
    Path | None,
    typer.Option("--target-path", help="Folder of dbt's artifacts.", rich_help_panel=_DBT),
]
Vars = Annotated[
    str | None,
    typer.Option("--vars", help="Variables for profiles.yml, as a YAML map.", rich_help_panel=_DBT),
]
Audience = Annotated[
    str | None,
    typer.Option("--audience", help="Who asks: an audience of t2s.yml, which may read less."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def dbt_flags(
    project_dir: Path | None,
    profiles_dir: Path | None,
    profile: str | None,
    target: str | None,
    target_path: Path | None,
    vars_: str | None,
) -> Flags:
    """The flags as one value; paths that were given are taken from the working directory."""

    def absolute(path: Path | None) -> Path | None:
        return path.resolve() if path is not None else None

    return Flags(
        project_dir=absolute(project_dir),
        profiles_dir=absolute(profiles_dir),
        profile=profile,
        target=target,
        target_path=absolute(target_path),
        vars=_vars(vars_),
    )


def _vars(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"--vars is not readable as YAML: {error}") from error
    if not isinstance(found, dict):
        raise UsageError("--vars is no map", hint="Write it as --vars '{name: value}'.")
    return found
