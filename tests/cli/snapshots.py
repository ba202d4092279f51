"""Texts kept beside the tests; `UPDATE_SNAPSHOTS=1` writes them anew."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def check_snapshot(name: str, text: str) -> None:
    """Compares a text with the one that is kept under a name."""
    path = FOLDER / name
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"there is no {path.name}: run once with UPDATE_SNAPSHOTS=1"
    assert text == path.read_text(encoding="utf-8")
