"""Puts an answer together: from rows, or from what kept a question from being answered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from t2s_dbt.answering.confidence import judge
from t2s_dbt.answering.describe import describe
from t2s_dbt.answering.formats import column_infos
from t2s_dbt.answering.notices import cut_ranking, empty_notice, notices, tie_notice
from t2s_dbt.answering.sentence import sentence
from t2s_dbt.catalog import Catalog, Location
from t2s_dbt.flow import (
    Answer,
    Attempt,
    Clarification,
    Failure,
    MetricQuery,
    Notice,
    ProposedBy,
    Question,
    Refusal,
    Rows,
    Status,
    Used,
)

Locate = Callable[[Location, str, str], Location]


@dataclass(frozen=True)
class Answerer:
    """Makes answers over one catalog; `locate` finds the line of a metric or model in its YAML
    file.
    """

    catalog: Catalog
    locate: Locate

    def from_attempts(
        self,
        question: Question,
        attempts: Sequence[Attempt],
        models: Sequence[str],
        proposed_by: ProposedBy,
        timing: Mapping[str, float],
    ) -> Answer:
        """The answer of the last attempt: its rows, its plan alone, or its failure."""
        last = attempts[-1]
        reading = last.proposal.reading
        answer = Answer(
            question=question,
            status=Status.EXPLAINED,
            text="",
            understood=describe(reading, self.catalog) if reading else "",
            sql=last.sql or None,
            tier=last.tier,
            proposed_by=proposed_by,
            metrics=self._metrics(last),
            models=tuple(self._model(name) for name in models),
            filters=self._filters(last),
            reading=reading,
            attempts=tuple(attempts),
            timing=timing,
        )
        if isinstance(last.outcome, Failure):
            return replace(answer, status=Status.FAILED, text=_failed(last.outcome))
        if last.outcome is None:
            return answer
        return self._with_rows(answer, last.outcome)

    def _with_rows(self, answer: Answer, rows: Rows) -> Answer:
        """The answer with its rows, the sentence they make, and what must be told beside them."""
        reading, as_of = answer.reading, answer.question.as_of
        rows, tied = cut_ranking(reading, rows)
        told = (
            *((tie_notice(),) if tied else ()),
            *notices(reading, rows, self.catalog, as_of),
            *empty_notice(rows.rows),
        )
        columns = column_infos(rows, self.catalog, reading)
        empty = any(notice.code == "empty" for notice in told)
        text = sentence(reading, columns, rows.rows, self.catalog, truncated=rows.truncated)
        if tied:
            text = f"{text.rstrip('.')}; at least one other has as much."
        assert answer.tier is not None
        return replace(
            answer,
            status=Status.EMPTY if empty else Status.ANSWERED,
            text=text,
            columns=columns,
            rows=rows.rows,
            truncated=rows.truncated,
            warnings=told,
            confidence=judge(reading, answer.tier, answer.attempts, told),
        )

    def from_words(
        self,
        question: Question,
        proposal: Clarification | Refusal,
        attempts: Sequence[Attempt],
        proposed_by: ProposedBy,
        timing: Mapping[str, float],
    ) -> Answer:
        """The answer that asks back or refuses."""
        if isinstance(proposal, Clarification):
            options = dict.fromkeys(describe(option, self.catalog) for option in proposal.options)
            return Answer(
                question,
                Status.CLARIFY,
                proposal.question,
                options=tuple(options),
                attempts=tuple(attempts),
                proposed_by=proposed_by,
                timing=timing,
            )
        notes = tuple(Notice("stale", note) for note in self.catalog.notes if "dbt parse" in note)
        reason = proposal.reason[0].upper() + proposal.reason[1:].rstrip(".") + "."
        return Answer(
            question,
            Status.REFUSED,
            reason,
            suggestions=proposal.suggestions,
            warnings=notes,
            attempts=tuple(attempts),
            proposed_by=proposed_by,
            timing=timing,
        )

    def _metrics(self, attempt: Attempt) -> tuple[Used, ...]:
        if not isinstance(attempt.proposal, MetricQuery):
            return ()
        known = {metric.name for metric in self.catalog.metrics}
        return tuple(self._metric(name) for name in attempt.proposal.metrics if name in known)

    def _metric(self, name: str) -> Used:
        location = self.catalog.metric(name).location
        return Used(name, str(self.locate(location, "metrics", name)) if location else "")

    def _model(self, name: str) -> Used:
        location = self.catalog.table(name).location
        return Used(name, str(self.locate(location, "models", name)) if location else "")

    def _filters(self, attempt: Attempt) -> tuple[str, ...]:
        """Conditions that the definitions of the metrics carry, which the question did not name."""
        if not isinstance(attempt.proposal, MetricQuery):
            return ()
        names = attempt.proposal.metrics
        asked = [metric for metric in self.catalog.metrics if metric.name in names]
        found = [condition for metric in asked for condition in metric.filters]
        return tuple(dict.fromkeys(found))


def _failed(failure: Failure) -> str:
    message = failure.message[0].upper() + failure.message[1:].rstrip(".") + "."
    if failure.candidates:
        message += f" Near it: {', '.join(failure.candidates)}."
    return f"{message} {failure.hint}".strip()
