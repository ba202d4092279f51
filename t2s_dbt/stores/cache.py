"""Small derived things kept between asks in `target/t2s/`: lost without harm, never trusted
beyond their key.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from t2s_dbt.stores.files import replace_file

MOST_ENTRIES = 500


class JsonCache:
    """A map from text to JSON values in one file, valid only under the key that it was
    written with.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._key = path, key
        self._entries = self._read()

    def get(self, name: str) -> Any:
        """The value kept under a name; None when there is none."""
        return self._entries.get(name)

    def put(self, name: str, value: Any) -> None:
        """Keeps a value; the oldest go when there are too many. Trouble with the file costs
        nothing.
        """
        self._entries[name] = value
        while len(self._entries) > MOST_ENTRIES:
            del self._entries[next(iter(self._entries))]
        with suppress(OSError):
            replace_file(self._path, json.dumps({"key": self._key, "entries": self._entries}))

    def _read(self) -> dict[str, Any]:
        try:
            data = json.loads(self._path.read_bytes())
            entries = data["entries"] if data["key"] == self._key else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return entries if isinstance(entries, dict) else {}
