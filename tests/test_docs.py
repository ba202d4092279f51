"""The pages that are made from the code are up to date, and links between pages lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def test_generated_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_shows_the_demo_as_it_is() -> None:
    from evals.demo import DEMOS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for demo in DEMOS:
        assert f'$ dbt-t2s ask "{demo.question}"' in readme


def test_every_code_of_the_guard_is_explained() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "t2s_dbt/guard").glob("*.py")]
    used = {code for text in sources for code in re.findall(r'Rejection\(\s*"(\w+)"', text)}
    used |= {code for text in sources for code in re.findall(r'code="(\w+)"', text)}
    page = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")
    table = page.split("| code | meaning |")[1].split("\n\n")[0]
    told = {code for line in table.splitlines() for code in re.findall(r"`(\w+)`", line[:60])}
    assert len(used) >= 15
    assert used <= told
