"""Reads the JSON that dbt writes, and says what is missing, of another version, or stale."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from t2s_dbt.errors import ArtifactMissingError, ArtifactUnreadableError
from t2s_dbt.project.discover import Project
from t2s_dbt.project.profile import Target

OLDEST_MANIFEST, NEWEST_MANIFEST = 10, 12
_VERSION = re.compile(r"/v(\d+)(?:\.json)?$")


@dataclass(frozen=True)
class Artifacts:
    """What dbt wrote about a project; `notes` are sentences about what is stale or missing."""

    manifest: Mapping[str, Any]
    semantic_manifest: str | None
    catalog: Mapping[str, Any] | None
    notes: tuple[str, ...]


def read_artifacts(project: Project, target: Target) -> Artifacts:
    """The artifacts of a project's target folder.

    Raises:
        ArtifactMissingError: no manifest, or one that was made for another target.
        ArtifactUnreadableError: one that is damaged or of a version that is not supported.

    """
    path = project.target_path / "manifest.json"
    if not path.is_file():
        raise ArtifactMissingError(
            f"dbt has not written {path} yet", hint="Run `dbt build` (or `dbt parse`) first."
        )
    manifest = load_manifest(path)
    check_target(manifest, target, path)
    notes = list(_stale(project, path))
    semantic_path = project.target_path / "semantic_manifest.json"
    semantic = None
    if semantic_path.is_file():
        _load_json(semantic_path)
        semantic = semantic_path.read_text(encoding="utf-8")
    if semantic is None and manifest.get("metrics"):
        notes.append(
            "semantic_manifest.json is missing, so no metric can be asked: run `dbt parse`."
        )
    catalog_path = project.target_path / "catalog.json"
    catalog = _load_json(catalog_path) if catalog_path.is_file() else None
    return Artifacts(manifest, semantic, catalog, tuple(notes))


def load_manifest(path: Path) -> Mapping[str, Any]:
    """A manifest of a supported version."""
    return check_version(_load_json(path), path)


def check_version(manifest: Any, path: Path) -> Mapping[str, Any]:
    """The manifest itself; raises ArtifactUnreadableError unless its schema version is
    supported.
    """
    known: dict[str, Any] = manifest if isinstance(manifest, dict) else {}
    metadata = known.get("metadata")
    found = _VERSION.search(str((metadata or {}).get("dbt_schema_version", "")))
    if not found:
        raise ArtifactUnreadableError(
            "is no dbt manifest: it names no schema version",
            path=path,
            hint="Run `dbt parse` to write it anew.",
        )
    version, dbt = int(found[1]), metadata.get("dbt_version", "unknown") if metadata else "unknown"
    if not OLDEST_MANIFEST <= version <= NEWEST_MANIFEST:
        raise ArtifactUnreadableError(
            f"is a manifest v{version}, written by dbt {dbt}; this release reads "
            f"v{OLDEST_MANIFEST} to v{NEWEST_MANIFEST} (dbt 1.6 to 2.0)",
            path=path,
            hint="Run `dbt parse` with a dbt of that range.",
        )
    return known


def _load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ArtifactUnreadableError(
            f"is damaged: {error}", path=path, hint="Run `dbt parse` to write it anew."
        ) from error


def check_target(manifest: Mapping[str, Any], target: Target, path: Path) -> None:
    """Raises ArtifactMissingError when the manifest's relations are not where the target builds.

    dbt does not write into the manifest for which target it was made. What a target decides is the
    database and the schema of models that configure neither, so these are compared. (An `on-run`
    override of `generate_schema_name` that ignores the target altogether makes the schema alone no
    evidence.)
    """
    plain = [node for node in built_nodes(manifest) if not (node.get("config") or {}).get("schema")]
    places = {(node.get("database") or "", node.get("schema") or "") for node in plain}
    if not places:
        return
    databases = {database.lower() for database, _ in places}
    schemas = {schema.lower() for _, schema in places}
    wrong_database = target.database and target.database.lower() not in databases
    if wrong_database or target.schema.lower() not in schemas:
        made_for = ", ".join(sorted(".".join(place) for place in places))
        raise ArtifactMissingError(
            f"was made for another target: its models are in {made_for}, while target "
            f"'{target.name}' builds in {target.database}.{target.schema}",
            path=path,
            hint=f"Run `dbt build --target {target.name}`, or ask that other target.",
        )


def built_nodes(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Models, seeds and snapshots that dbt builds as a table or view."""
    for node in manifest.get("nodes", {}).values():
        config = node.get("config") or {}
        if (
            node.get("resource_type") in ("model", "seed", "snapshot")
            and config.get("enabled", True)
            and config.get("materialized") != "ephemeral"
        ):
            yield node


def _stale(project: Project, manifest: Path) -> Iterator[str]:
    """A note when a file of the project was changed after dbt last read it."""
    written = manifest.stat().st_mtime
    for path in _source_files(project):
        if path.stat().st_mtime > written:
            shown = path.relative_to(project.folder)
            yield f"{shown} was changed after dbt last wrote manifest.json: run `dbt parse`."
            return


def _source_files(project: Project) -> Iterator[Path]:
    for source in project.source_paths:
        if source.is_file():
            yield source
        elif source.is_dir():
            for path in sorted(source.rglob("*")):
                if path.suffix in (".sql", ".yml", ".yaml", ".md", ".py"):
                    yield path
