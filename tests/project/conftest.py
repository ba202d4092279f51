"""A small dbt project with every corner in it, and the ways in which the tests here read it."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from t2s_dbt.catalog import Catalog, Relation
from t2s_dbt.config import OPTIONS
from t2s_dbt.project.artifacts import Artifacts
from t2s_dbt.project.load import make_catalog
from t2s_dbt.project.marks import Marks

CORNER = Path(__file__).parent / "corner"
Manifest = dict[str, Any]
MakeCatalog = Callable[..., Catalog]


def relation(name: str, schema: str = "main") -> Relation:
    """A relation of the corner project."""
    return Relation("corner", schema, name)


def types_of(**tables: str) -> dict[Relation, Mapping[str, str]]:
    """Column types by relation: `types_of(people="id email")`, all of them texts."""
    return {
        relation(name): dict.fromkeys(columns.split(), "VARCHAR")
        for name, columns in tables.items()
    }


TYPES = types_of(
    raw_people="id email full_name team_id api_token",
    raw_teams="id title",
    people="id email full_name team_id api_token",
    after_passing="id reach n",
    far="far_reach n",
    teams="team_id title",
    members="member_id team_id home_team_id",
    products_v1="product_id",
    products_v2="product_id name",
    baskets="product_id id",
) | {
    relation("people_archive", "main_archive"): dict.fromkeys(
        ("id", "contact", "full_name", "mail_length", "kind", "mood"), "VARCHAR"
    )
}


def compiled_manifest() -> Manifest:
    """The corner project's manifest, written by dbt once, and again when a file has changed."""
    path = CORNER / "target" / "manifest.json"
    sources = [p for p in CORNER.rglob("*") if p.is_file() and "target" not in p.parts]
    made = path.stat().st_mtime if path.is_file() else 0.0
    if any(source.stat().st_mtime > made for source in sources if source.suffix != ".duckdb"):
        dbt = str(Path(sys.executable).with_name("dbt"))
        command = [dbt, "--quiet", "--log-path", "target", "compile", "--profiles-dir", "."]
        done = subprocess.run(command, cwd=CORNER, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    manifest: Manifest = json.loads(path.read_text(encoding="utf-8"))
    return manifest


@pytest.fixture(scope="session")
def corner_manifest() -> Manifest:
    """The manifest that dbt wrote; nobody may change it."""
    return compiled_manifest()


@pytest.fixture
def manifest(corner_manifest: Manifest) -> Manifest:
    """A copy of it that a test may change."""
    return deepcopy(corner_manifest)


FLAGS = next(option.default for option in OPTIONS if option.name == "hidden_flags")


def catalog_of(
    manifest: Mapping[str, Any],
    types: Mapping[Relation, Mapping[str, str]] | None = None,
    hidden_names: tuple[str, ...] = ("password", "token"),
) -> Catalog:
    """The catalog of a manifest over the corner project's column types."""
    return make_catalog(
        Artifacts(manifest, "{}", None, ()),
        TYPES if types is None else types,
        dialect="duckdb",
        marks=Marks.of(FLAGS, hidden_names),
    )


@pytest.fixture(scope="session")
def corner(corner_manifest: Manifest) -> Catalog:
    """The catalog of the corner project."""
    return catalog_of(corner_manifest)
