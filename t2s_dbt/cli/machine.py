"""Answers for programs: JSON with a documented schema, CSV, Markdown."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from t2s_dbt.answering.formats import shown
from t2s_dbt.cleaning import clean
from t2s_dbt.flow import Answer, Attempt, Rows

JSON_VERSION = 1


def as_json(answer: Answer) -> str:
    """The answer as the JSON that `answer.schema.json` describes."""
    return json.dumps(_document(answer), indent=2, ensure_ascii=False, allow_nan=False)


def _document(answer: Answer) -> dict[str, Any]:
    return {
        "version": JSON_VERSION,
        "status": answer.status.value,
        "question": answer.question.text,
        "as_of": answer.question.as_of.isoformat(),
        "answer": answer.text,
        "understood": answer.understood,
        "sql": answer.sql,
        "columns": [_plain(column) for column in answer.columns],
        "rows": [[_plain(value) for value in row] for row in answer.rows],
        "truncated": answer.truncated,
        "tier": _plain(answer.tier),
        "proposed_by": _plain(answer.proposed_by),
        "metrics": [_plain(metric) for metric in answer.metrics],
        "models": [_plain(model) for model in answer.models],
        "metric_filters": list(answer.filters),
        "reading": _plain(answer.reading),
        "attempts": [_attempt(attempt) for attempt in answer.attempts],
        "options": list(answer.options),
        "suggestions": list(answer.suggestions),
        "warnings": [_plain(warning) for warning in answer.warnings],
        "confidence": _plain(answer.confidence),
        "timing": {step: round(seconds, 4) for step, seconds in answer.timing.items()},
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    outcome = (
        "ran" if isinstance(attempt.outcome, Rows) else "failed" if attempt.failure else "not run"
    )
    return {
        "tier": attempt.tier.value,
        "sql": attempt.sql or None,
        "outcome": outcome,
        "rows": len(attempt.outcome.rows) if isinstance(attempt.outcome, Rows) else None,
        "failure": _plain(attempt.failure),
    }


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: dates as ISO texts, decimals as numbers, dataclasses as maps."""
    match value:
        case None | bool() | int() | str() if not isinstance(value, Enum):
            return value
        case Enum():
            return value.value
        case float() | Decimal():
            number = float(value)
            return number if number == number and abs(number) != float("inf") else None
        case datetime() | date():
            return value.isoformat()
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case _ if is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            return str(value)


def as_csv(answer: Answer) -> str:
    """The rows as CSV with a header of SQL names; values as they are, not as they are shown."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.name for column in answer.columns])
    for row in answer.rows:
        writer.writerow(["" if value is None else value for value in row])
    return buffer.getvalue()


def as_markdown(answer: Answer) -> str:
    """The rows as a Markdown table, with the sentence under it."""
    lines = []
    if answer.columns:
        lines.append("| " + " | ".join(_cell(column.label) for column in answer.columns) + " |")
        lines.append("|" + "---|" * len(answer.columns))
        for row in answer.rows:
            cells = [
                _cell(shown(value, column))
                for value, column in zip(row, answer.columns, strict=True)
            ]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    lines.append(answer.text)
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return clean(text).replace("|", "\\|").replace("\n", " ")
