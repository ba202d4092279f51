"""Reads `profiles.yml` by dbt's rules and says where the warehouse is."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from t2s_dbt import yamlfiles
from t2s_dbt.errors import ProfileError
from t2s_dbt.project.discover import Flags, Project
from t2s_dbt.project.templates import render_tree

PROFILES_FILE = "profiles.yml"


@dataclass(frozen=True, slots=True)
class Target:
    """One output of a profile.

    `databases` gives the file of each database name for file-based engines: the main one and those
    the profile attaches.
    """

    profile: str
    name: str
    adapter: str
    schema: str
    database: str
    databases: Mapping[str, str]
    path: Path


def read_target(
    project: Project, start: Path, flags: Flags, environment: Mapping[str, str]
) -> Target:
    """The target that dbt would use.

    `profiles.yml` is looked for in `--profiles-dir`, DBT_PROFILES_DIR, the working directory and
    `~/.dbt`, as dbt does; since a question may be asked from a sub-directory, the project folder
    comes before `~/.dbt`.

    Raises:
        ProfileError: the file, the profile or the target is missing or broken.

    """
    path = _profiles_file(project, start, flags, environment)
    profiles = _load(path)
    if not project.profile:
        raise ProfileError("names no profile", path=project.folder / "dbt_project.yml")
    profile = _pick(profiles, project.profile, "profile", path)
    cli_vars = flags.vars or {}
    wanted = flags.target or environment.get("DBT_TARGET")
    name = str(wanted or render_tree(profile.get("target", "default"), environment, cli_vars, path))
    outputs = profile.get("outputs")
    if not isinstance(outputs, dict) or not outputs:
        raise ProfileError(f"profile '{project.profile}' has no outputs", path=path)
    raw = _pick(outputs, name, f"target of profile '{project.profile}'", path)
    output = render_tree(raw, environment, cli_vars, path)
    adapter = str(output.get("type") or "")
    databases = _databases(output, [start, project.folder]) if adapter == "duckdb" else {}
    database = next(iter(databases), str(output.get("database") or output.get("dbname") or ""))
    return Target(
        profile=project.profile,
        name=name,
        adapter=adapter,
        schema=str(output.get("schema") or "main"),
        database=database,
        databases=databases,
        path=path,
    )


def _profiles_file(
    project: Project, start: Path, flags: Flags, environment: Mapping[str, str]
) -> Path:
    given = flags.profiles_dir or environment.get("DBT_PROFILES_DIR")
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or str(Path.home()))
    folders = [start / given] if given else [start, project.folder, home / ".dbt"]
    for folder in folders:
        if (folder / PROFILES_FILE).is_file():
            return folder / PROFILES_FILE
    places = ", ".join(str(folder) for folder in dict.fromkeys(folders))
    raise ProfileError(
        f"no {PROFILES_FILE} in {places}", hint="Give --profiles-dir, or set DBT_PROFILES_DIR."
    )


def _load(path: Path) -> dict[str, Any]:
    data = yamlfiles.load(path, ProfileError)
    if not isinstance(data, dict):
        raise ProfileError("holds no profiles", path=path)
    return data


def _pick(choices: Mapping[str, Any], name: str, what: str, path: Path) -> dict[str, Any]:
    if name not in choices:
        raise ProfileError(
            f"has no {what} named '{name}'", path=path, hint=_nearest(name, choices, "config")
        )
    value = choices[name]
    if not isinstance(value, dict):
        raise ProfileError(f"{what} '{name}' is no map", path=path)
    return value


def _nearest(name: str, choices: Iterable[str], leave_out: str) -> str:
    known = [choice for choice in choices if choice != leave_out]
    near = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(known) or 'none'}."


def _databases(output: Mapping[str, Any], folders: Sequence[Path]) -> dict[str, str]:
    """Database names and files, the main one first; `kind:path` for what is no DuckDB file."""
    main = str(output.get("path") or ":memory:")
    name = str(output.get("database") or _stem(main))
    found = {name: _resolve(main, folders)}
    for attached in output.get("attach") or []:
        entry = attached if isinstance(attached, dict) else {"path": str(attached)}
        file, kind = str(entry.get("path") or ""), str(entry.get("type") or "duckdb").lower()
        if kind != "duckdb":
            found[str(entry.get("alias") or _stem(file))] = f"{kind}:{file}"
        else:
            found[str(entry.get("alias") or _stem(file))] = _resolve(file, folders)
    return found


def _stem(path: str) -> str:
    if path == ":memory:":
        return "memory"
    file = re.sub(r"^[a-z][a-z0-9_]+:", "", path.split("?")[0])  # without md: or sqlite:
    return Path(file).name.split(".")[0]


def _resolve(path: str, folders: Sequence[Path]) -> str:
    """The file that a path means.

    dbt-duckdb takes a relative path from the folder that dbt was started in. That is where we are,
    or it is the project folder; the first that holds such a file is meant, the project folder when
    none does.
    """
    is_file = path != ":memory:" and ":" not in path[2:]
    if not is_file:
        return path
    places = [(folder / path).resolve() for folder in folders]
    return str(next((place for place in places if place.is_file()), places[-1]))
