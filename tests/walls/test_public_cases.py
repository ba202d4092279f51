"""The public hostile cases, alone against each wall and against both.

The cases have no claims of their own: most must be rejected, and none may do harm.
"""

import json

import pytest

from t2s_dbt.flow import CheckedSql
from t2s_dbt.guard.check import check
from tests.conftest import SHARED_DATA
from tests.walls.harm import unharmed
from tests.walls.ways import MAX_ROWS, WAYS
from tests.walls.worlds import CATALOG, Worlds

_FILE = SHARED_DATA / "safety" / "guard_cases.json"
CASES: list[dict[str, str]] = json.loads(_FILE.read_bytes()) if _FILE.is_file() else []
# They read visible columns only, once the guard has put these in the place of their table.
HARMLESS = {"g171", "g172", "g176", "g178", "g179", "g180"}


@pytest.mark.usefixtures("shared_data")
def test_the_cases_are_there() -> None:
    assert len(CASES) >= 100


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['category']}")
def test_a_case_does_no_harm(
    case: dict[str, str], way: str, worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    unharmed(way, case["sql"], worlds.real, worlds, monkeypatch)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['category']}")
def test_only_harmless_cases_and_long_ones_pass_the_guard(case: dict[str, str]) -> None:
    if isinstance(check(case["sql"], CATALOG, max_rows=MAX_ROWS), CheckedSql):
        assert case["category"] == "resource" or case["id"] in HARMLESS
