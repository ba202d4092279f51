"""The trace: one JSON line for each ask, in `logs/t2s/`, a file a month."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from t2s_dbt.stores.files import append_line

VERSION = 1


class FileTrace:
    """Appends to `FOLDER/t2s/asks-YYYY-MM.jsonl`; trouble with the log never costs an answer."""

    def __init__(self, folder: Path, now: datetime) -> None:
        self._now = now.astimezone(UTC)
        self.path = folder / "t2s" / f"asks-{self._now:%Y-%m}.jsonl"

    def record(self, entry: Mapping[str, Any]) -> str | None:
        """Appends an entry with version and time; returns why it could not be, or None."""
        stamped = {"version": VERSION, "at": self._now.isoformat(timespec="milliseconds"), **entry}
        try:
            append_line(self.path, json.dumps(stamped, ensure_ascii=False, default=str))
        except OSError as error:
            return f"the trace could not be written: {error}"
        return None


class NoTrace:
    """Keeps nothing."""

    def record(self, entry: Mapping[str, Any]) -> str | None:
        """Keeps nothing."""
        return None
