"""The trace: one JSON line for each ask, and never the cost of an answer."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

from t2s_dbt.stores.trace import FileTrace, NoTrace

NOW = datetime(2024, 3, 1, 12, 30, tzinfo=UTC)


def test_each_record_is_one_line_of_json_with_version_and_time(tmp_path: Path) -> None:
    trace = FileTrace(tmp_path, NOW)
    entry = {"question": "wie\nviele ä?", "as_of": date(2024, 3, 1), "amount": Decimal("1.5")}
    assert trace.record(entry) is None
    assert trace.record({"question": "again"}) is None
    assert trace.path == tmp_path / "t2s" / "asks-2024-03.jsonl"
    first, second = (json.loads(x) for x in trace.path.read_text(encoding="utf-8").splitlines())
    assert first == {
        "version": 1,
        "at": "2024-03-01T12:30:00.000+00:00",
        "question": "wie\nviele ä?",
        "as_of": "2024-03-01",
        "amount": "1.5",
    }
    assert second["question"] == "again"


def test_the_month_is_that_of_utc(tmp_path: Path) -> None:
    east = timezone(timedelta(hours=10))
    trace = FileTrace(tmp_path, datetime(2024, 3, 1, 5, tzinfo=east))
    assert trace.path.name == "asks-2024-02.jsonl"


def test_a_folder_that_cannot_be_written_to_is_a_reason_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be", encoding="utf-8")
    reason = FileTrace(tmp_path / "logs", NOW).record({"question": "q"})
    assert reason is not None
    assert "could not be written" in reason


def test_a_question_with_a_lone_surrogate_is_recorded_or_a_reason(tmp_path: Path) -> None:
    trace = FileTrace(tmp_path, NOW)
    reason = trace.record({"question": "caf\udce9"})
    assert reason is not None or trace.path.read_bytes()


def test_no_trace_keeps_nothing() -> None:
    assert NoTrace().record({"question": "q"}) is None
