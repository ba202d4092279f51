"""Writes the pages that are made from the code: `docs/cli.md` and `docs/settings.md`.

`python docs/generate.py` writes them; with `--check` it only says whether they are as they should
be.
"""

import os
import subprocess
import sys
from pathlib import Path

from t2s_dbt.config import settings_table

DOCS = Path(__file__).parent
COMMANDS = ("ask", "debug")
WIDTH = "100"
SETTINGS_HEAD = """# Settings

Made from the code by `python docs/generate.py`.

Every setting is optional. Where one is given more than once, a flag of the command line counts
more than an environment variable, that more than `t2s.yml` in the dbt project's folder, and that
more than the default. `dbt-t2s debug` shows the value of each and where it came from. An unknown
key, a wrong type or a value out of range is an error that names file and line.
"""


def cli_page() -> str:
    """The help of every command."""
    parts = [
        "# Commands\n",
        "Made from the code by `python docs/generate.py`.\n",
        *(f"## dbt-t2s {name}\n\n```text\n{_help(name)}\n```\n" for name in COMMANDS),
    ]
    return "\n".join(parts)


def settings_page() -> str:
    """The table of settings."""
    return f"{SETTINGS_HEAD}\n{settings_table()}"


def _help(command: str) -> str:
    environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-m", "t2s_dbt", command, "--help"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def main() -> int:
    """Writes or checks the pages."""
    pages = {DOCS / "cli.md": cli_page(), DOCS / "settings.md": settings_page()}
    stale = [
        path
        for path, text in pages.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv[1:]:
        for path in stale:
            sys.stderr.write(f"{path.name} is out of date: run python docs/generate.py\n")
        return 1 if stale else 0
    for path in stale:
        path.write_text(pages[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
