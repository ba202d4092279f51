"""Writes files so that nothing is ever half there: replaced in one step, or appended in one
write.
"""

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Writes `text` beside `path` and moves it there; a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def append_line(path: Path, text: str) -> None:
    """Appends one line in one write, so that two processes do not mix theirs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = (text + "\n").encode("utf-8", "backslashreplace")
    handle = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o644)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
