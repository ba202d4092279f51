"""`dbt-t2s debug`: what was found, where it came from, and what is missing."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from t2s_dbt import __version__
from t2s_dbt.cli.options import (
    Audience,
    Debug,
    Profile,
    ProfilesDir,
    ProjectDir,
    Target,
    TargetPath,
    Vars,
    dbt_flags,
)
from t2s_dbt.project.discover import find_project
from t2s_dbt.project.profile import Target as ProfileTarget
from t2s_dbt.project.profile import read_target

if TYPE_CHECKING:
    from t2s_dbt.assistant import Assistant

_ARTIFACTS = (
    ("manifest.json", "dbt parse"),
    ("semantic_manifest.json", "dbt parse"),
    ("catalog.json", "dbt docs generate"),
    ("run_results.json", "dbt build"),
    ("sources.json", "dbt source freshness"),
)


def debug(  # noqa: PLR0913 - each flag is a parameter, as typer has it
    audience: Audience = None,
    project_dir: ProjectDir = None,
    profiles_dir: ProfilesDir = None,
    profile: Profile = None,
    target: Target = None,
    target_path: TargetPath = None,
    vars_: Vars = None,
    debug_: Debug = False,
) -> None:
    """Show the project, profile, target, artifacts, engine, provider and settings in use."""
    from t2s_dbt.opening import open_project  # the rest of the package: not for --help

    flags = dbt_flags(project_dir, profiles_dir, profile, target, target_path, vars_)
    out = Console(soft_wrap=True, highlight=False)
    start, environment = Path.cwd(), dict(os.environ)
    _show(out, "version", [f"dbt-t2s {__version__}"])
    project = find_project(start, flags, environment)
    _show(out, "project", [f"{project.name} in {project.folder}"])
    artifacts = [_artifact(project.target_path / name, command) for name, command in _ARTIFACTS]
    _show(out, "artifacts", artifacts)
    found = read_target(project, start, flags, environment)
    _show(out, "target", _target(found))
    # What is still wrong is said last, as an error.
    assistant = open_project(start, flags=flags, settings={"audience": audience})
    for title, lines in _sections(assistant):
        _show(out, title, lines)


def _show(out: Console, title: str, lines: list[str]) -> None:
    out.print(f"[bold]{title}[/bold]")
    for line in lines:
        out.print(f"  {escape(line)}")


def _target(target: ProfileTarget) -> list[str]:
    return [
        f"{target.name} of profile {target.profile} in {target.path}",
        f"{target.adapter}, schema {target.schema}",
        *(f"database {name}: {_file(path)}" for name, path in target.databases.items()),
    ]


def _file(path: str) -> str:
    return path if Path(path).is_file() else f"{path} (not there)"


def _sections(assistant: "Assistant") -> list[tuple[str, list[str]]]:
    catalog, askable = assistant.catalog, assistant.catalog.askable
    return [
        (
            "catalog",
            [
                f"{len(askable.tables)} models that can be asked, {len(catalog.joins)} joins, "
                f"{len(catalog.metrics)} metrics, {len(catalog.terms)} glossary terms",
                f"metrics: {_names(metric.name for metric in catalog.metrics)}",
                f"models: {_names(table.name for table in askable.tables)}",
                *_hidden(assistant),
                *(f"withheld: {name}" for name in sorted(catalog.withheld)),
            ],
        ),
        ("notes", list(catalog.notes) or ["none"]),
        ("provider", [f"{assistant.provider.name} (no key, no network)"]),
        (
            "settings",
            [
                f"{name} = {_shown(value)}  ({origin})"
                for name, value, origin in assistant.opened.settings.items()
            ],
        ),
    ]


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _artifact(path: Path, command: str) -> str:
    if not path.is_file():
        return f"{path.name}: not there (`{command}` writes it)"
    age = datetime.now(UTC) - datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return f"{path.name}: written {_age(age.total_seconds())} ago"


def _age(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _hidden(assistant: "Assistant") -> list[str]:
    hidden = assistant.catalog.hidden
    if not hidden:
        return ["no hidden columns"]
    return [f"hidden: {h.table}.{h.column} ({h.reason})" for h in hidden]


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
