"""Files are replaced in one step, and lines appended in one write."""

import subprocess
import sys
from pathlib import Path

import pytest

from t2s_dbt.stores.files import append_line, replace_file

_WRITER = """
import sys
from pathlib import Path
from t2s_dbt.stores.files import append_line
for number in range(200):
    append_line(Path(sys.argv[1]), sys.argv[2] * 3000)
"""


def test_a_file_is_written_and_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "file.txt"
    replace_file(path, "one\nä\n")
    assert path.read_bytes() == "one\nä\n".encode()
    replace_file(path, "two")
    assert path.read_text(encoding="utf-8") == "two"
    assert [child.name for child in path.parent.iterdir()] == ["file.txt"]


def test_the_old_file_stays_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    replace_file(path, "old")
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "new \udc80")
    assert path.read_text(encoding="utf-8") == "old"
    assert [child.name for child in tmp_path.iterdir()] == ["file.txt"]


def test_nothing_is_left_when_the_file_cannot_be_moved_into_place(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        replace_file(path, "text")
    assert [child.name for child in tmp_path.iterdir()] == ["folder"]


def test_appended_lines_stay_in_order(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "a.jsonl"
    for text in ("one", "zwei ä", "three"):
        append_line(path, text)
    assert path.read_text(encoding="utf-8").splitlines() == ["one", "zwei ä", "three"]


def test_lines_of_several_processes_are_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(path), letter]) for letter in "abcd"
    ]
    assert [writer.wait(timeout=30) for writer in writers] == [0, 0, 0, 0]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 800
    assert all(line == line[0] * 3000 for line in lines)
