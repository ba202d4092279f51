"""Questions that were once misread are refused or asked back until they are read right."""

from datetime import date
from pathlib import Path

import pytest
import yaml

from t2s_dbt import Assistant, Status

AS_OF = date(2024, 11, 15)
MISREAD = yaml.safe_load(Path(__file__).with_name("misread.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("question", MISREAD["example_project"])
def test_what_was_misread_is_not_answered(question: str, assistant: Assistant) -> None:
    answer = assistant.ask(question, AS_OF, run=False)
    assert answer.status in (Status.REFUSED, Status.CLARIFY), answer.understood
