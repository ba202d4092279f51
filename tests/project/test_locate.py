"""The line on which YAML defines a metric or a model."""

from pathlib import Path

import pytest

from t2s_dbt.catalog import Location
from t2s_dbt.project.locate import locate

YAML = """version: 2

models:
  - description: the name comes second
    name: orders
    columns:
      - name: amount
      - name: revenue
    metrics:
      - name: nested_metric
        type: simple
  - name: customers

metrics:
  - name: growth
    type_params:
      metrics:
        - name: revenue
  - name: revenue
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one YAML file and one SQL file."""
    (tmp_path / "shop.yml").write_text(YAML, encoding="utf-8")
    (tmp_path / "orders.sql").write_text("select 1", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("section", "name", "line"),
    [
        ("models", "orders", 5),
        ("models", "customers", 12),
        ("metrics", "nested_metric", 10),
        ("metrics", "growth", 15),
        ("metrics", "revenue", 19),
        ("metrics", "unknown", None),
        ("models", "amount", None),
    ],
)
def test_the_line_is_that_of_the_definition(
    folder: Path, section: str, name: str, line: int | None
) -> None:
    assert locate(Location("shop.yml"), folder, section, name) == Location("shop.yml", line)


def test_a_metric_used_under_one_model_and_defined_under_the_next_is_found_where_defined(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.yml").write_text(
        "models:\n- name: one\n  metrics:\n  - name: growth\n    type_params:\n"
        "      metrics:\n      - name: revenue\n- name: two\n  metrics:\n  - name: revenue\n",
        encoding="utf-8",
    )
    assert locate(Location("a.yml"), tmp_path, "metrics", "revenue").line == 10


def test_a_model_without_yaml_is_its_file(folder: Path) -> None:
    assert locate(Location("orders.sql"), folder, "models", "orders") == Location("orders.sql", 1)


@pytest.mark.parametrize("text", [None, "", "a: [", "\x00", "- 1"])
def test_a_file_that_cannot_be_read_costs_the_line_only(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "a.yml").write_text(text, encoding="utf-8")
    assert locate(Location("a.yml"), tmp_path, "models", "x") == Location("a.yml")


def test_a_metric_and_a_model_of_the_example_are_found(example: Path) -> None:
    path = "models/marts/core/fct_orders.yml"
    lines = (example / path).read_text(encoding="utf-8").splitlines()
    for section, name in (("models", "fct_orders"), ("metrics", "active_customers")):
        line = locate(Location(path), example, section, name).line
        assert line is not None
        assert lines[line - 1].strip() == f"- name: {name}"
