"""dbt's artifacts: missing, damaged, of another version or target, stale."""

import json
import os
import re
from pathlib import Path

import pytest

from t2s_dbt.errors import ArtifactMissingError, ArtifactUnreadableError
from t2s_dbt.project.artifacts import Artifacts, check_version, read_artifacts
from t2s_dbt.project.discover import Flags, Project, find_project
from t2s_dbt.project.load import catalogued_types
from t2s_dbt.project.profile import Target, read_target


def _opened(folder: Path, target: str | None = None) -> tuple[Project, Target]:
    flags = Flags(target=target)
    project = find_project(folder, flags, {})
    return project, read_target(project, folder, flags, {})


def _read(folder: Path, target: str | None = None) -> Artifacts:
    return read_artifacts(*_opened(folder, target))


def _age(folder: Path) -> None:
    """Makes every file older than the manifest."""
    for path in folder.rglob("*"):
        if path.is_file() and "target" not in path.parts:
            os.utime(path, (1, 1))


def test_the_example_is_read_whole(example_copy: Path) -> None:
    _age(example_copy)
    artifacts = _read(example_copy)
    assert artifacts.manifest["metadata"]["project_name"] == "retail"
    assert artifacts.semantic_manifest is not None
    assert artifacts.notes == ()


def test_a_missing_manifest_says_what_to_run(example_copy: Path) -> None:
    (example_copy / "target" / "manifest.json").unlink()
    with pytest.raises(ArtifactMissingError) as caught:
        _read(example_copy)
    assert "dbt build" in caught.value.hint


@pytest.mark.parametrize("data", [b"", b"{", b'{"metadata": ', b"\xff\xfe", b"not json"])
def test_a_damaged_manifest_says_so(example_copy: Path, data: bytes) -> None:
    path = example_copy / "target" / "manifest.json"
    path.write_bytes(data)
    with pytest.raises(ArtifactUnreadableError, match="is damaged") as caught:
        _read(example_copy)
    assert caught.value.path is not None
    assert caught.value.path.name == "manifest.json"


@pytest.mark.parametrize(
    "text", ["[]", "3", "null", "{}", '{"metadata": null}', '{"metadata": {}}']
)
def test_json_that_is_no_manifest_says_so(example_copy: Path, text: str) -> None:
    (example_copy / "target" / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(ArtifactUnreadableError, match="no dbt manifest"):
        _read(example_copy)


@pytest.mark.parametrize("version", [1, 9, 13, 100])
def test_an_unsupported_version_names_itself_and_the_range(version: int) -> None:
    url = f"https://schemas.getdbt.com/dbt/manifest/v{version}.json"
    manifest = {"metadata": {"dbt_schema_version": url, "dbt_version": "9.9"}}
    with pytest.raises(
        ArtifactUnreadableError, match=f"v{version}, written by dbt 9.9.*v10 to v12"
    ):
        check_version(manifest, Path("manifest.json"))


@pytest.mark.parametrize("version", [10, 11, 12])
def test_a_supported_version_is_handed_back(version: int) -> None:
    url = f"https://schemas.getdbt.com/dbt/manifest/v{version}.json"
    manifest = {"metadata": {"dbt_schema_version": url}}
    assert check_version(manifest, Path("manifest.json")) is manifest


def test_a_manifest_of_another_target_is_refused_with_the_command(example_copy: Path) -> None:
    with pytest.raises(ArtifactMissingError, match="made for another target") as caught:
        _read(example_copy, target="prod")
    assert "dbt build --target prod" in caught.value.hint


def test_another_schema_alone_is_another_target(example_copy: Path) -> None:
    path = example_copy / "profiles.yml"
    text = path.read_text(encoding="utf-8").replace("schema: main", "schema: elsewhere")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ArtifactMissingError, match=re.escape("builds in retail.elsewhere")):
        _read(example_copy)


def test_a_file_changed_after_the_manifest_is_a_note(example_copy: Path) -> None:
    _age(example_copy)
    model = example_copy / "models" / "marts" / "core" / "fct_orders.sql"
    later = (example_copy / "target" / "manifest.json").stat().st_mtime + 10
    os.utime(model, (later, later))
    (note,) = _read(example_copy).notes
    assert "fct_orders.sql" in note
    assert "dbt parse" in note


def test_a_file_that_dbt_does_not_read_is_no_note(example_copy: Path) -> None:
    _age(example_copy)
    later = (example_copy / "target" / "manifest.json").stat().st_mtime + 10
    other = example_copy / "models" / "sketch.txt"
    other.write_text("later", encoding="utf-8")
    os.utime(other, (later, later))
    assert _read(example_copy).notes == ()


def test_a_missing_semantic_manifest_is_a_note(example_copy: Path) -> None:
    _age(example_copy)
    (example_copy / "target" / "semantic_manifest.json").unlink()
    artifacts = _read(example_copy)
    assert artifacts.semantic_manifest is None
    assert "semantic_manifest.json is missing" in artifacts.notes[0]


@pytest.mark.parametrize(("generated", "known"), [("2999-01-01", True), ("2000-01-01", False)])
def test_catalog_json_counts_only_when_it_is_not_older(
    example_copy: Path, generated: str, known: bool
) -> None:
    column = {"name": "order_id", "type": "INTEGER", "index": 1}
    node = {"unique_id": "model.retail.fct_orders", "columns": {"order_id": column}}
    catalog = {"metadata": {"generated_at": generated}, "nodes": {node["unique_id"]: node}}
    (example_copy / "target" / "catalog.json").write_text(json.dumps(catalog), encoding="utf-8")
    types = catalogued_types(_read(example_copy))
    assert [dict(columns) for columns in types.values()] == ([{"order_id": "INTEGER"}] * known)
