"""Real manifests of many dbt versions: each is read, or refused in words."""

import gzip
import json
from pathlib import Path

import pytest

from t2s_dbt.errors import ArtifactUnreadableError
from t2s_dbt.project.artifacts import Artifacts, check_version
from t2s_dbt.project.load import make_catalog
from t2s_dbt.project.marks import Marks
from tests.conftest import SHARED_DATA

MANIFESTS = sorted((SHARED_DATA / "manifests").glob("*.manifest.json.gz"))
NAMES = [path.name for path in MANIFESTS if ".semantic_" not in path.name]


@pytest.mark.parametrize("name", NAMES)
def test_every_manifest_is_read_or_refused(shared_data: Path, name: str) -> None:
    path = shared_data / "manifests" / name
    raw = json.loads(gzip.decompress(path.read_bytes()))
    version = int(raw["metadata"]["dbt_schema_version"].split("/v")[-1].split(".")[0])
    if version < 10:
        with pytest.raises(ArtifactUnreadableError, match=f"manifest v{version},") as caught:
            check_version(raw, path)
        assert "dbt parse" in caught.value.hint
        return
    manifest = check_version(raw, path)
    catalog = make_catalog(
        Artifacts(manifest, "{}", None, ()), {}, dialect="duckdb", marks=Marks.of((), ("password",))
    )
    names = [table.name for table in catalog.tables]
    assert names
    assert len(names) == len(set(names))


def test_versions_on_both_sides_of_the_range_are_there() -> None:
    if not MANIFESTS:
        pytest.skip("the public manifests are not there")
    assert any("__v1__" in name for name in NAMES)
    assert any("dbt_20" in name for name in NAMES)


def test_the_jaffle_shop_of_dbt_1_11_has_its_joins_and_metrics(shared_data: Path) -> None:
    path = shared_data / "manifests" / "dbterd__samples__jaffle-shop-v1.11.manifest.json.gz"
    manifest = json.loads(gzip.decompress(path.read_bytes()))
    catalog = make_catalog(
        Artifacts(manifest, "{}", None, ()), {}, dialect="duckdb", marks=Marks.of((), ())
    )
    assert ("orders", "stg_customers") in {(j.many.table, j.one.table) for j in catalog.joins}
    assert {"revenue", "order_total"} <= {metric.name for metric in catalog.metrics}
