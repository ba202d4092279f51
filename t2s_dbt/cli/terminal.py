"""Answers for people: the data on stdout, everything about it on stderr."""

import re

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from t2s_dbt.answering.formats import shown
from t2s_dbt.cleaning import clean
from t2s_dbt.flow import Answer, Attempt, Format, Rows, Status, Tier

_RIGHT = frozenset({Format.COUNT, Format.NUMBER, Format.MONEY, Format.SHARE})


def show(answer: Answer, out: Console, err: Console, *, verbose: bool) -> None:
    """Prints an answer: the reading, the attempts, the rows, the sentence, where it comes from."""
    if answer.understood:
        err.print(f"[bold]{_plain(answer.understood)}[/bold]\n", highlight=False, soft_wrap=True)
    _attempts(answer, err, verbose=verbose)
    if answer.columns and answer.status is Status.ANSWERED:
        out.print(_table(answer))
        out.print()
    if answer.text:
        refused = answer.status in (Status.REFUSED, Status.FAILED, Status.CLARIFY)
        console = err if refused else out
        console.print(_plain(answer.text), highlight=False, soft_wrap=True)
    for number, option in enumerate(answer.options, start=1):
        err.print(f"  {number}. {_plain(option)}", highlight=False, soft_wrap=True)
    for suggestion in answer.suggestions:
        err.print(f"  {_plain(suggestion)}", highlight=False, soft_wrap=True)
    for warning in answer.warnings:
        err.print(
            f"[yellow]note:[/yellow] {_plain(warning.message)}", highlight=False, soft_wrap=True
        )
    line = provenance(answer)
    if line:
        err.print(f"[dim]{_plain(line)}[/dim]", highlight=False, soft_wrap=True)


def _attempts(answer: Answer, err: Console, *, verbose: bool) -> None:
    """SQL that nobody defined beforehand is always shown; a metric's only when asked for or when it
    failed.
    """
    troubled = len(answer.attempts) > 1 or any(attempt.failure for attempt in answer.attempts)
    always = answer.tier is Tier.SQL or answer.status is Status.EXPLAINED
    if not (verbose or troubled or always):
        return
    from rich.syntax import Syntax  # brings a highlighter: only when SQL is shown

    for number, attempt in enumerate(answer.attempts, start=1):
        if len(answer.attempts) > 1:
            err.print(f"attempt {number}", style="dim")
        if attempt.sql:
            err.print(Syntax(clean(attempt.sql), "sql", background_color="default", word_wrap=True))
        err.print(f"[dim]{_plain(_outcome(attempt))}[/dim]\n", highlight=False, soft_wrap=True)


def _outcome(attempt: Attempt) -> str:
    failure = attempt.failure
    if failure is not None:
        near = f"; near it: {', '.join(failure.candidates)}" if failure.candidates else ""
        hint = f" {failure.hint}" if failure.hint else ""
        return f"✗ {failure.kind.value}: {failure.message}{near}{hint}"
    if isinstance(attempt.outcome, Rows):
        count = len(attempt.outcome.rows)
        return f"✓ {count:,} row{'' if count == 1 else 's'} in {attempt.outcome.seconds:.2f} s"
    return "· checked, not run"


def _table(answer: Answer) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), header_style="bold")
    for column in answer.columns:
        justify = "right" if column.format in _RIGHT else "left"
        table.add_column(_plain(column.label), justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in answer.rows:
        cells = zip(row, answer.columns, strict=True)
        table.add_row(*(_plain(shown(value, column)) for value, column in cells))
    return table


def _plain(text: str) -> str:
    """A text that neither rich nor the terminal takes for a command."""
    return escape(clean(text))


def provenance(answer: Answer) -> str:
    """One line: what the answer stands on, who proposed it, how sure it is, how long it took."""
    if answer.tier is None:
        return ""
    named = [
        f"metric {m.name} ({m.location})" if m.location else f"metric {m.name}"
        for m in answer.metrics
    ]
    models = ", ".join(model.name for model in answer.models)
    source = " and ".join(named) + (f" on {models}" if models else "") if named else models
    parts = [f"{answer.tier.value}: {source}" if not named else source]
    if answer.filters:
        parts.append("defined with " + " and ".join(_told(f) for f in answer.filters))
    if answer.proposed_by:
        parts.append(f"by {answer.proposed_by.value}")
    if answer.confidence:
        doubts = answer.confidence.reasons if answer.confidence.level.value != "high" else ()
        parts.append(
            f"confidence {answer.confidence.level.value}"
            + (f" ({'; '.join(doubts)})" if doubts else "")
        )
    parts.append(f"{sum(answer.timing.values()):.1f} s")
    if answer.status is Status.ANSWERED and answer.tier is Tier.METRIC:
        parts.append("--sql shows the query")
    return " · ".join(parts)


def _told(condition: str) -> str:
    """A metric's filter without its template and entity: `order_status = 'cancelled'`."""
    return re.sub(r"\{\{\s*\w+\(\s*'(?:\w+__)?(\w+)'[^}]*\}\}", r"\1", condition)
