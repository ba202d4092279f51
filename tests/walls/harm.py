"""What no way may do, whatever a wall claims: change a file, or tell a secret."""

from pathlib import Path

import pytest

from tests.walls.ways import WAYS, Outcome
from tests.walls.worlds import CANARY, TWIN, Worlds


def unharmed(
    way: str, sql: str, folder: Path, worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> Outcome:
    """How a statement ends, after it was seen to change no file and to tell no secret."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder / "home"))
    outcome = WAYS[way](sql.replace("$DIR", str(folder)), folder)
    assert not worlds.changed(folder)
    assert CANARY not in outcome.text
    assert TWIN not in outcome.text
    return outcome
