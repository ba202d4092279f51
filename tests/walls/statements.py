"""The hostile statements of `statements.txt`, and what each wall claims to do with them."""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^# (?P<title>.+?) \[(?P<kind>[a-zA-Z ]+)\]\n(?P<sql>.*?)\n"
    r"=> guard: (?P<guard>\w+); sandbox: (?P<sandbox>\w+)\n",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Statement:
    """One block of the file.

    `guard` is the code of a rejection, `passes` where what the guard makes of it reads nothing that
    is hidden, or `plan` where it is refused by its plan. `sandbox` is `stopped`, `harmless` where
    it runs and tells nothing, or `names` where it tells names and settings but no values.
    """

    title: str
    kind: str
    sql: str
    guard: str
    sandbox: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.title}"


def _read() -> str:
    return Path(__file__).with_name("statements.txt").read_text(encoding="utf-8")


def statements() -> list[Statement]:
    """The blocks of the file, in order."""
    return [Statement(**found.groupdict()) for found in _BLOCK.finditer(_read())]


def written() -> int:
    """How many blocks the file seems to have."""
    return len(re.findall(r"^=> ", _read(), re.MULTILINE))
