"""The example project: its seeds can be made again, and every metric of it works."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from evals.building import EXAMPLE
from t2s_dbt import Assistant
from t2s_dbt.catalog import MetricType
from t2s_dbt.flow import Draft, Failure, MetricQuery, ProposedBy, Rows, Tier

SEEDS = sorted((EXAMPLE / "seeds").glob("*.csv"))


@pytest.mark.slow
def test_the_seeds_are_what_the_generator_makes() -> None:
    done = subprocess.run(
        [sys.executable, "generate_seeds.py", "--check"],
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_seeds_are_small_enough_to_build_in_seconds() -> None:
    rows = 0
    for path in SEEDS:
        with path.open(encoding="utf-8", newline="") as file:
            rows += sum(1 for _ in csv.reader(file)) - 1
    assert 18_000 <= rows <= 22_000


@pytest.mark.parametrize("kind", MetricType)
def test_every_type_of_metric_is_there(kind: MetricType, assistant: Assistant) -> None:
    assert any(metric.type is kind for metric in assistant.catalog.metrics)


def test_every_metric_is_described_and_has_questions(assistant: Assistant) -> None:
    assert len(assistant.catalog.metrics) >= 40
    for metric in assistant.catalog.metrics:
        assert metric.description.strip(), metric.name
        assert metric.label, metric.name
        assert metric.questions, metric.name
        assert all(len(question) > 10 for question in metric.questions), metric.name
        assert metric.location is not None, metric.name


@pytest.mark.slow
def test_every_metric_compiles_and_runs_by_month(assistant: Assistant) -> None:
    for metric in assistant.catalog.metrics:
        compiled = assistant.layer.compile(MetricQuery((metric.name,), ("metric_time__month",)))
        assert isinstance(compiled, str), (metric.name, compiled)
        checked = assistant.check(Draft(compiled, Tier.METRIC, ProposedBy.RULES))
        assert not isinstance(checked, Failure), (metric.name, checked)
        rows = assistant.warehouse.run(checked)
        assert isinstance(rows, Rows), (metric.name, rows)
        assert any(row[-1] is not None for row in rows.rows), metric.name


def test_hidden_columns_of_the_example_are_the_personal_ones(assistant: Assistant) -> None:
    hidden = {f"{h.table}.{h.column}" for h in assistant.catalog.hidden}
    assert {
        "dim_customers.email",
        "dim_customers.phone",
        "dim_customers.birth_date",
        "stg_customers.email",
        "fct_support_tickets.contact",
    } <= hidden
    assert "dim_customers.customer_name" not in hidden


def test_every_model_is_built(assistant: Assistant) -> None:
    for table in assistant.catalog.tables:
        assert table.columns, table.name
        assert all(column.data_type for column in table.columns), table.name


def test_the_project_needs_nothing_outside_of_its_folder() -> None:
    for path in (EXAMPLE / "profiles.yml", EXAMPLE / "dbt_project.yml"):
        text = path.read_text(encoding="utf-8")
        assert str(Path.home()) not in text
        assert ".." not in text
