"""From a question to an answer: the steps, in order."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from t2s_dbt.answering.answer import Answerer
from t2s_dbt.catalog import Catalog
from t2s_dbt.cleaning import clean
from t2s_dbt.config import Settings
from t2s_dbt.errors import UsageError
from t2s_dbt.flow import (
    Answer,
    Attempt,
    CheckedSql,
    Clarification,
    Draft,
    Failure,
    MetricQuery,
    Notice,
    Question,
    Refusal,
    Rows,
    SqlDraft,
    Tier,
)
from t2s_dbt.guard.check import check, names_hidden, without_hidden
from t2s_dbt.guard.plan import judge_plan
from t2s_dbt.linking.linker import Linker
from t2s_dbt.ports import Provider, SemanticLayer, Trace, Warehouse
from t2s_dbt.project.artifacts import Artifacts
from t2s_dbt.project.discover import Project
from t2s_dbt.project.locate import locate
from t2s_dbt.project.profile import Target
from t2s_dbt.repair.failures import diagnose
from t2s_dbt.repair.loop import may_go_on

OnStep = Callable[[str], None]

_STEPS = {
    "link": "looking for the question's words in the project",
    "propose": "reading the question",
    "compile": "compiling the metric query",
    "run": "running the query",
}


@dataclass(frozen=True)
class Opened:
    """What was found of a project, for `debug`."""

    project: Project
    target: Target
    artifacts: Artifacts
    settings: Settings


@dataclass
class Assistant:
    """Answers questions about one dbt project; `opening.open_project` makes one.

    Every part is a port, so that a test or another program can bring its own.
    """

    opened: Opened
    catalog: Catalog
    warehouse: Warehouse
    layer: SemanticLayer
    provider: Provider
    linker: Linker
    trace: Trace
    opening: Mapping[str, float] = field(default_factory=dict)
    on_step: OnStep = field(default=lambda _: None)
    _timing: dict[str, float] = field(default_factory=dict, init=False)

    def ask(self, text: str, as_of: date | None = None, *, run: bool = True) -> Answer:
        """Answers a question.

        Args:
            text: the question.
            as_of: the day on which relative dates are understood; today when not given.
            run: False compiles and checks the query, and does not run it.

        Raises:
            UsageError: the question is empty or too long.
            WarehouseError: the database cannot be opened.

        """
        question = Question(self._fit(text), as_of or datetime.now(UTC).astimezone().date())
        self._timing = dict(self.opening)
        answer = self._answer(question, run=run)
        trouble = self.trace.record(_entry(answer))
        return answer if trouble is None else _with_notice(answer, trouble)

    def _answer(self, question: Question, *, run: bool) -> Answer:
        """The steps: link, propose, compile, check, run; and once more while there is something new
        to learn.
        """
        answerer = Answerer(self.catalog, self._locate)
        with self._timed("link"):
            linked = self.linker.link(question)
        attempts: list[Attempt] = []
        models: tuple[str, ...] = ()
        while True:
            with self._timed("propose"):
                proposal = self.provider.propose(linked, tuple(attempts))
            if isinstance(proposal, Clarification | Refusal):
                if attempts and isinstance(proposal, Refusal):
                    break
                return answerer.from_words(
                    question, proposal, attempts, self.provider.proposed_by, dict(self._timing)
                )
            attempt, models = self._attempt(proposal, run=run)
            attempts.append(attempt)
            if not may_go_on(attempts, self.opened.settings.max_attempts):
                break
        return answerer.from_attempts(
            question, attempts, models, self.provider.proposed_by, dict(self._timing)
        )

    def _attempt(
        self, proposal: MetricQuery | SqlDraft, *, run: bool
    ) -> tuple[Attempt, tuple[str, ...]]:
        """One proposal, taken as far as it goes; and the models it reads."""
        tier = Tier.METRIC if isinstance(proposal, MetricQuery) else Tier.SQL
        with self._timed("compile"):
            sql = proposal.sql if isinstance(proposal, SqlDraft) else self.layer.compile(proposal)
        if isinstance(sql, Failure):
            return Attempt(proposal, tier, "", without_hidden(sql, self.catalog)), ()
        checked = self.check(Draft(sql, tier, self.provider.proposed_by))
        if isinstance(checked, Failure):
            # What the guard refused is kept, but not a text that names what nobody may see.
            told = "" if names_hidden(sql, self.catalog) else sql
            return Attempt(proposal, tier, told, diagnose(checked, self.catalog, tier)), ()
        models = tuple(e.table for e in checked.exposed if self.catalog.table(e.table).askable)
        if not run:
            return Attempt(proposal, tier, checked.sql, None), models
        with self._timed("run"):
            outcome = self._run(checked)
        if isinstance(outcome, Failure):
            outcome = diagnose(without_hidden(outcome, self.catalog), self.catalog, tier)
        return Attempt(proposal, tier, checked.sql, outcome), models

    def _run(self, checked: CheckedSql) -> Rows | Failure:
        """The rows of a checked query, unless its plan is absurd."""
        plan = self.warehouse.explain(checked)
        if isinstance(plan, Failure):
            return plan
        return judge_plan(plan, self.opened.settings.max_plan_rows) or self.warehouse.run(checked)

    def check(self, draft: Draft) -> CheckedSql | Failure:
        """The guard's verdict; a compiled metric may also read what people may not ask by
        themselves.
        """
        readable = self.catalog if draft.tier is Tier.METRIC else self.catalog.askable
        return check(draft.sql, readable, max_rows=self.opened.settings.max_rows)

    def _fit(self, text: str) -> str:
        question = " ".join(clean(text).split())
        most = self.opened.settings.max_question
        if not question:
            raise UsageError(
                "the question is empty", hint='Ask one: dbt-t2s ask "revenue by month"'
            )
        if len(question) > most:
            raise UsageError(
                f"the question has {len(question):,} characters; at most {most:,} are read",
                hint="Ask it shorter, or raise `max_question`.",
            )
        return question

    def _locate(self, location: Any, section: str, name: str) -> Any:
        return locate(location, self.opened.project.folder, section, name)

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        self.on_step(_STEPS[step])
        started = time.perf_counter()
        try:
            yield
        finally:
            self._timing[step] = self._timing.get(step, 0.0) + time.perf_counter() - started


def _entry(answer: Answer) -> dict[str, Any]:
    """What the trace keeps of an ask: everything but the rows."""
    return {
        "question": answer.question.text,
        "as_of": answer.question.as_of.isoformat(),
        "status": answer.status.value,
        "understood": answer.understood,
        "tier": answer.tier.value if answer.tier else None,
        "proposed_by": answer.proposed_by.value if answer.proposed_by else None,
        "attempts": [
            {
                "sql": attempt.sql,
                "outcome": "failed" if attempt.failure else "ran" if attempt.outcome else "not run",
                "failure": attempt.failure.message if attempt.failure else None,
            }
            for attempt in answer.attempts
        ],
        "text": None if answer.tier else answer.text,
        "rows": len(answer.rows),
        "timing": {step: round(seconds, 4) for step, seconds in answer.timing.items()},
    }


def _with_notice(answer: Answer, trouble: str) -> Answer:
    return replace(answer, warnings=(*answer.warnings, Notice("trace", trouble)))
