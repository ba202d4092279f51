"""The loop of attempts, with scripted providers and databases in place of the real ones."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from t2s_dbt import Answer, Assistant, Status, open_project
from t2s_dbt.catalog import Relation
from t2s_dbt.errors import UsageError
from t2s_dbt.flow import (
    Attempt,
    CheckedSql,
    Clarification,
    Draft,
    Exposed,
    Failure,
    FailureKind,
    Linked,
    MetricQuery,
    Proposal,
    ProposedBy,
    Refusal,
    Rows,
    SqlDraft,
    Tier,
)
from t2s_dbt.ports import ColumnProfile
from t2s_dbt.reading import Measure, Reading

AS_OF = date(2024, 11, 15)
GOOD = Rows(("n",), ("BIGINT",), ((1,),))
BROKEN = Failure(FailureKind.SYNTAX, "there is a mistake")
TIMEOUT = Failure(FailureKind.TIMEOUT, "it took too long")


@dataclass
class ScriptedProvider:
    """Proposes what it was told to, and remembers what it was shown."""

    script: Sequence[Proposal]
    name: str = "scripted"
    proposed_by: ProposedBy = ProposedBy.MODEL
    seen: list[tuple[Attempt, ...]] = field(default_factory=list)

    def propose(self, linked: Linked, attempts: tuple[Attempt, ...]) -> Proposal:
        """The next of the script; the last one again when it has run out."""
        self.seen.append(attempts)
        return self.script[min(len(attempts), len(self.script) - 1)]


@dataclass
class ScriptedWarehouse:
    """Gives the outcomes it was told to, and remembers what it ran."""

    script: Sequence[Rows | Failure]
    ran: list[str] = field(default_factory=list)

    def describe(self, relations: Iterable[Relation]) -> Mapping[Relation, Mapping[str, str]]:
        """Nothing is known."""
        return {}

    def profile(
        self, columns: Mapping[Relation, Sequence[str]], most: int
    ) -> Mapping[Relation, Mapping[str, ColumnProfile]]:
        """Nothing is known."""
        return {}

    def state(self) -> str:
        """Nothing changes."""
        return ""

    def explain(self, checked: CheckedSql) -> str | Failure:
        """A plan of no steps."""
        return "[]"

    def run(self, checked: CheckedSql) -> Rows | Failure:
        """The next of the script; the last one again when it has run out."""
        self.ran.append(checked.sql)
        return self.script[min(len(self.ran), len(self.script)) - 1]


class FullDisk:
    """A trace that cannot be written."""

    def record(self, entry: Mapping[str, Any]) -> str | None:
        """Tells why."""
        return "the disk is full"


def draft(table: str) -> SqlDraft:
    """A harmless query."""
    return SqlDraft(f"select count(*) from {table}", Reading(subject=table))


STORES, PRODUCTS, ORDERS = draft("dim_stores"), draft("dim_products"), draft("fct_orders")


def ask(
    assistant: Assistant,
    proposals: Sequence[Proposal],
    outcomes: Sequence[Rows | Failure],
    *,
    most: int = 3,
) -> tuple[Answer, ScriptedProvider, ScriptedWarehouse]:
    """What comes of scripted proposals and outcomes."""
    provider, warehouse = ScriptedProvider(proposals), ScriptedWarehouse(outcomes)
    settings = replace(assistant.opened.settings, max_attempts=most)
    scripted = replace(
        assistant,
        opened=replace(assistant.opened, settings=settings),
        provider=provider,
        warehouse=warehouse,
    )
    return scripted.ask("anything", AS_OF), provider, warehouse


def test_a_first_good_result_ends_it(assistant: Assistant) -> None:
    answer, provider, warehouse = ask(assistant, [STORES, PRODUCTS], [GOOD])
    assert answer.status is Status.ANSWERED
    assert answer.rows == ((1,),)
    assert len(provider.seen) == len(warehouse.ran) == len(answer.attempts) == 1
    assert answer.proposed_by is ProposedBy.MODEL


def test_a_failure_is_shown_to_the_next_proposal(assistant: Assistant) -> None:
    answer, provider, warehouse = ask(assistant, [STORES, PRODUCTS], [BROKEN, GOOD])
    assert answer.status is Status.ANSWERED
    assert len(warehouse.ran) == 2
    assert provider.seen[0] == ()
    (shown,) = provider.seen[1]
    assert shown.proposal == STORES
    assert shown.failure == BROKEN
    assert answer.confidence is not None
    assert "2 attempts" in " ".join(answer.confidence.reasons)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_attempts_are_capped(most: int, assistant: Assistant) -> None:
    script = [STORES, PRODUCTS, ORDERS, draft("dim_suppliers")]
    answer, provider, warehouse = ask(assistant, script, [BROKEN], most=most)
    assert answer.status is Status.FAILED
    assert len(warehouse.ran) == len(provider.seen) == len(answer.attempts) == most


@pytest.mark.parametrize("again", [STORES, SqlDraft("select  count(*)\nfrom dim_stores")])
def test_the_same_query_twice_ends_it(again: SqlDraft, assistant: Assistant) -> None:
    answer, _, warehouse = ask(assistant, [STORES, again, PRODUCTS], [BROKEN, BROKEN, GOOD], most=9)
    assert answer.status is Status.FAILED
    assert len(warehouse.ran) == 2


def test_an_earlier_query_again_ends_it(assistant: Assistant) -> None:
    script = [STORES, PRODUCTS, STORES, ORDERS]
    answer, _, warehouse = ask(assistant, script, [BROKEN], most=9)
    assert answer.status is Status.FAILED
    assert len(warehouse.ran) == 3


@pytest.mark.parametrize("kind", [FailureKind.INTERRUPTED, FailureKind.NOT_ALLOWED])
def test_trouble_that_no_other_query_mends_ends_it(kind: FailureKind, assistant: Assistant) -> None:
    answer, provider, _ = ask(assistant, [STORES, PRODUCTS], [Failure(kind, "no"), GOOD])
    assert answer.status is Status.FAILED
    assert len(provider.seen) == 1


@pytest.mark.parametrize("kind", [FailureKind.UNKNOWN_TABLE, FailureKind.UNKNOWN_COLUMN])
def test_drift_between_project_and_warehouse_is_not_repaired(
    kind: FailureKind, assistant: Assistant
) -> None:
    metric = MetricQuery(("orders",), reading=Reading(measures=(Measure(metric="orders"),)))
    gone = Failure(kind, "there is no such thing", subject="order_id")
    answer, provider, warehouse = ask(assistant, [metric, STORES], [gone, GOOD])
    assert answer.status is Status.FAILED
    assert len(provider.seen) == len(warehouse.ran) == 1
    (attempt,) = answer.attempts
    assert attempt.failure is not None
    assert attempt.failure.kind is FailureKind.DRIFT
    assert "dbt build" in answer.text


def test_a_refusal_after_a_failure_keeps_the_failure(assistant: Assistant) -> None:
    answer, _, _ = ask(assistant, [STORES, Refusal("I know no other")], [TIMEOUT])
    assert answer.status is Status.FAILED
    assert "took too long" in answer.text
    assert "no other" not in answer.text
    assert answer.sql


def test_a_refusal_at_first_runs_nothing(assistant: Assistant) -> None:
    answer, _, warehouse = ask(assistant, [Refusal("that is no question", ("moon",))], [GOOD])
    assert answer.status is Status.REFUSED
    assert answer.text == "That is no question."
    assert warehouse.ran == []
    assert answer.tier is None


def test_a_question_back_has_its_options_in_words(assistant: Assistant) -> None:
    options = (Reading(subject="dim_stores"), Reading(subject="dim_products"))
    answer, _, warehouse = ask(assistant, [Clarification("Which?", options)], [GOOD])
    assert answer.status is Status.CLARIFY
    assert answer.options == ("Stores", "Products")
    assert warehouse.ran == []


@pytest.mark.parametrize(
    "text",
    [
        "drop table dim_stores",
        "delete from dim_stores",
        "insert into dim_stores values (1)",
        "update dim_stores set city = 'x'",
        "create table x as select 1",
        "copy dim_stores to 'x.csv'",
        "attach 'x.duckdb'",
        "pragma database_list",
        "select 1; drop table dim_stores",
        "select * from read_csv('/etc/passwd')",
        "select email from dim_customers",
        "select * from main_raw.raw_customers",
        "",
        "not sql at all",
    ],
)
def test_what_the_guard_rejects_is_never_run(text: str, assistant: Assistant) -> None:
    answer, provider, warehouse = ask(assistant, [SqlDraft(text)], [GOOD])
    assert answer.status is Status.FAILED
    assert warehouse.ran == []
    assert answer.rows == ()
    (attempt,) = provider.seen[1]
    assert attempt.failure is not None


def test_a_rejected_query_can_be_mended(assistant: Assistant) -> None:
    script = [SqlDraft("select * from dim_shops"), STORES]
    answer, provider, warehouse = ask(assistant, script, [GOOD])
    assert answer.status is Status.ANSWERED
    assert len(warehouse.ran) == 1
    (attempt,) = provider.seen[1]
    assert attempt.failure is not None
    assert "dim_stores" in attempt.failure.candidates


def test_unchecked_sql_cannot_run(assistant: Assistant) -> None:
    relation = assistant.catalog.table("dim_stores").relation
    exposed = (Exposed("dim_stores", relation, ("store_id",)),)
    with pytest.raises(TypeError, match="guard"):
        CheckedSql("select 1", exposed, 10, object())  # type: ignore[arg-type]
    for unchecked in ("select 1", Draft("select 1", Tier.SQL, ProposedBy.PERSON)):
        with pytest.raises(TypeError, match="CheckedSql"):
            assistant.warehouse.run(unchecked)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="CheckedSql"):
            assistant.warehouse.explain(unchecked)  # type: ignore[arg-type]


def test_what_was_checked_is_what_runs_and_what_is_shown(assistant: Assistant) -> None:
    answer, _, warehouse = ask(
        assistant, [SqlDraft("select /* x */ 1 -- y\nfrom dim_stores")], [GOOD]
    )
    assert warehouse.ran == [answer.sql]
    assert answer.sql is not None
    assert "--" not in answer.sql


def test_a_failed_metric_query_is_a_failure_of_its_attempt(assistant: Assistant) -> None:
    query = MetricQuery(("revenue",), ("customer__email",))
    answer, provider, warehouse = ask(assistant, [query, STORES], [GOOD])
    assert answer.status is Status.ANSWERED
    assert len(warehouse.ran) == 1
    (attempt,) = provider.seen[1]
    assert attempt.failure is not None
    assert attempt.failure.kind is FailureKind.METRIC_QUERY


def test_a_metric_that_does_not_exist_is_a_failure(assistant: Assistant) -> None:
    answer, _, _ = ask(assistant, [MetricQuery(("nonsense",))], [GOOD])
    assert answer.status is Status.FAILED


def test_a_trace_that_fails_is_a_warning(assistant: Assistant) -> None:
    answer = replace(assistant, trace=FullDisk()).ask("how many stores", AS_OF)
    assert answer.status is Status.ANSWERED
    assert answer.rows == ((18,),)
    (warning,) = [warning for warning in answer.warnings if warning.code == "trace"]
    assert "disk is full" in warning.message


@pytest.mark.parametrize("text", ["", "  \n ", "word " * 500])
def test_a_question_that_cannot_be_one_is_a_usage_error(text: str, assistant: Assistant) -> None:
    with pytest.raises(UsageError):
        assistant.ask(text)


def test_a_plan_alone_runs_nothing(assistant: Assistant) -> None:
    warehouse = ScriptedWarehouse([GOOD])
    answer = replace(assistant, warehouse=warehouse).ask("how many stores", AS_OF, run=False)
    assert answer.status is Status.EXPLAINED
    assert warehouse.ran == []


def test_steps_are_told_in_order_and_timed(assistant: Assistant) -> None:
    told: list[str] = []
    answer = replace(assistant, on_step=told.append).ask("how many stores", AS_OF)
    assert len(told) == 4
    assert {"link", "propose", "compile", "run"} <= set(answer.timing)
    assert all(seconds >= 0 for seconds in answer.timing.values())


def test_each_ask_has_its_own_timing(assistant: Assistant) -> None:
    fresh = replace(assistant, opening={})
    for _ in range(10):
        fresh.ask("how many stores", AS_OF, run=False)
    started = time.perf_counter()
    answer = fresh.ask("how many stores", AS_OF, run=False)
    assert sum(answer.timing.values()) <= time.perf_counter() - started


def test_asking_as_a_library_from_a_folder_of_the_project(example_copy: Path) -> None:
    moment = datetime(2024, 11, 15, 12, tzinfo=UTC)
    assistant = open_project(
        example_copy / "models", settings={"max_rows": 2}, environment={}, now=moment
    )
    answer = assistant.ask("orders by channel", AS_OF)
    assert answer.status is Status.ANSWERED
    assert len(answer.rows) == 2
    assert answer.truncated
    (path,) = (example_copy / "logs" / "t2s").iterdir()
    assert path.name == "asks-2024-11.jsonl"
    assert json.loads(path.read_text(encoding="utf-8"))["at"].startswith("2024-11-15T12:00")


def test_the_same_question_has_the_same_answer(assistant: Assistant) -> None:
    one, other = (assistant.ask("revenue by brand in 2023", AS_OF) for _ in range(2))
    assert (one.sql, one.rows, one.text) == (other.sql, other.rows, other.text)
