"""From a question to an answer: the steps, in order."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from t2s_dbt.answering.answer import Answerer
from t2s_dbt.catalog import Catalog
from t2s_dbt.config import Settings, read_settings
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
    SqlDraft,
    Tier,
)
from t2s_dbt.generation.rules.provider import RulesProvider
from t2s_dbt.guard.check import check
from t2s_dbt.linking.linker import Linker
from t2s_dbt.linking.values import ValueIndex, build_values, read_values, values_text
from t2s_dbt.metrics import MetricFlowLayer, cache_key
from t2s_dbt.ports import Provider, SemanticLayer, Trace, Warehouse
from t2s_dbt.project.artifacts import Artifacts, read_artifacts
from t2s_dbt.project.discover import Flags, Project, find_project
from t2s_dbt.project.load import catalogued_types, make_catalog, relations_of
from t2s_dbt.project.locate import locate
from t2s_dbt.project.profile import Target, read_target
from t2s_dbt.repair.failures import diagnose
from t2s_dbt.repair.loop import may_go_on
from t2s_dbt.stores.cache import JsonCache
from t2s_dbt.stores.files import replace_file
from t2s_dbt.stores.glossary import read_glossary
from t2s_dbt.stores.trace import FileTrace, NoTrace
from t2s_dbt.warehouse.duckdb import Budget, DuckDBWarehouse, check_adapter

OnStep = Callable[[str], None]

_STEPS = {
    "link": "looking for the question's words in the project",
    "propose": "reading the question",
    "compile": "compiling the metric query",
    "run": "running the query",
}
WEEKDAYS = {"monday": 0, "sunday": 6}


@dataclass(frozen=True)
class Opened:
    """What was found of a project, for `debug`."""

    project: Project
    target: Target
    artifacts: Artifacts
    settings: Settings


@dataclass
class Assistant:
    """Answers questions about one dbt project; `open_project` makes one.

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
            return Attempt(proposal, tier, "", sql), ()
        checked = self.check(Draft(sql, tier, self.provider.proposed_by))
        if isinstance(checked, Failure):
            return Attempt(proposal, tier, sql, diagnose(checked, self.catalog, tier)), ()
        models = tuple(e.table for e in checked.exposed if self.catalog.table(e.table).askable)
        if not run:
            return Attempt(proposal, tier, checked.sql, None), models
        with self._timed("run"):
            outcome = self.warehouse.run(checked)
        if isinstance(outcome, Failure):
            outcome = diagnose(outcome, self.catalog, tier)
        return Attempt(proposal, tier, checked.sql, outcome), models

    def check(self, draft: Draft) -> CheckedSql | Failure:
        """The guard's verdict; a compiled metric may also read what people may not ask by
        themselves.
        """
        readable = self.catalog if draft.tier is Tier.METRIC else self.catalog.askable
        return check(draft.sql, readable, max_rows=self.opened.settings.max_rows)

    def _fit(self, text: str) -> str:
        question = " ".join(text.split())
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


def open_project(
    start: Path | str = ".",
    *,
    flags: Flags | None = None,
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    now: datetime | None = None,
    on_step: OnStep = lambda _: None,
) -> Assistant:
    """Finds the dbt project at or above a folder and makes it answer questions.

    Args:
        start: a folder in the project.
        flags: dbt's own flags (project and profiles folder, profile, target, target path, vars).
        settings: settings that override `t2s.yml` and the environment, by name.
        environment: the environment variables to read; the process's own when not given.
        now: the time that the trace notes; the clock's when not given.
        on_step: told in words what is being done, for a progress display.

    Raises:
        T2SError: project, profile, artifacts, settings or database cannot be used; the message says
        why.

    """
    environment = dict(os.environ) if environment is None else environment
    flags, folder = flags or Flags(), Path(start)
    started = time.perf_counter()
    on_step("reading the dbt project")
    project = find_project(folder, flags, environment)
    options = read_settings(project.folder, environment, settings or {})
    target = read_target(project, folder, flags, environment)
    check_adapter(target.adapter)
    artifacts = read_artifacts(project, target)
    budget = Budget(options.timeout, options.memory_limit, options.threads, options.lock_wait)
    warehouse = DuckDBWarehouse(target.databases, budget)
    catalog = _catalog(project, artifacts, warehouse, options)
    semantic = artifacts.semantic_manifest
    compiled = project.target_path / "t2s" / "metrics.json"
    layer = MetricFlowLayer(semantic, catalog, JsonCache(compiled, cache_key(semantic, catalog)))
    on_step("reading the values of text columns")
    linker = Linker(catalog, _values(project, catalog, warehouse))
    clock = now or datetime.now(UTC)
    return Assistant(
        opened=Opened(project, target, artifacts, options),
        catalog=catalog,
        warehouse=warehouse,
        layer=layer,
        provider=RulesProvider(layer, week_start=WEEKDAYS[options.week_start]),
        linker=linker,
        trace=FileTrace(project.log_path, clock) if options.trace else NoTrace(),
        opening={"open": time.perf_counter() - started},
        on_step=on_step,
    )


def _catalog(
    project: Project, artifacts: Artifacts, warehouse: DuckDBWarehouse, options: Settings
) -> Catalog:
    known = catalogued_types(artifacts)
    missing = [relation for relation in relations_of(artifacts) if relation not in known]
    types = {**known, **(warehouse.describe(missing) if missing else {})}
    return make_catalog(
        artifacts,
        types,
        dialect=warehouse.dialect,
        hidden_names=options.hidden_names,
        terms=read_glossary(project.folder),
    )


def _values(project: Project, catalog: Catalog, warehouse: Warehouse) -> ValueIndex:
    """The values of text columns, kept in `target/t2s/` until the database or the catalog
    changes.
    """
    columns = [f"{t.relation}.{c.name}" for t in catalog.askable.tables for c in t.columns]
    described = "\n".join([warehouse.state(), *columns])
    key = hashlib.sha256(described.encode()).hexdigest()
    path = project.target_path / "t2s" / "values.json"
    kept = read_values(path, key)
    if kept is None:
        kept = build_values(catalog.askable, warehouse)
        # A folder that cannot be written to costs the next ask some time, not this one its answer.
        with suppress(OSError):
            replace_file(path, values_text(kept, key))
    return kept


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
