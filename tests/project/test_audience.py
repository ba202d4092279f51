"""Who may read what: selectors, the catalog of an audience, and what it is told of the rest."""

import json
from pathlib import Path
from typing import Any

import pytest

from t2s_dbt import Assistant, open_project
from t2s_dbt.catalog import Catalog
from t2s_dbt.config import Audience, read_settings
from t2s_dbt.errors import SettingsError
from t2s_dbt.flow import Status
from t2s_dbt.project.audience import audience_nodes, idle_selectors


def node(name: str, path: str = "models/marts", **more: Any) -> dict[str, Any]:
    """A node as the manifest has it; its id is its name."""
    folders = path.split("/")[1:]
    return {
        "unique_id": name,
        "name": name,
        "resource_type": "model",
        "package_name": "shop",
        "original_file_path": f"{path}/{name}.sql",
        "fqn": ["shop", *folders, name],
        "config": {},
        "tags": [],
        **more,
    }


NODES = [
    node("fct_orders", "models/marts/core", group="sales", tags=["daily", "core"]),
    node("fct_returns", "models/marts/core", access="public", tags=["daily"]),
    node("fct_pay", "models/marts/finance", config={"group": "finance", "tags": "money"}),
    node("dim_pay", "models/marts/finance", config={"access": "private"}, group="finance"),
    node("stg_orders", "models\\staging".replace("\\", "/"), package_name="loader"),
    node("rates", "seeds", resource_type="seed"),
    node("events", "models", resource_type="source", source_name="web"),
    node("clicks", "models", resource_type="source", source_name="web", access=None),
    node("old", "snapshots", resource_type="snapshot", access="private"),
]
EVERY = {entry["name"] for entry in NODES}
PRIVATE = {"dim_pay", "old"}


def chosen(*select: str, exclude: tuple[str, ...] = ()) -> set[str]:
    """The names that an audience of these selectors may read."""
    return set(audience_nodes(NODES, Audience("a", select, exclude)))


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("access:public", "fct_returns"),
        ("access:protected", "fct_orders fct_pay stg_orders rates events clicks"),
        ("access:private", "dim_pay old"),
        ("group:sales", "fct_orders"),
        ("group:finance", "fct_pay"),
        ("group:*", "fct_orders fct_pay"),
        ("package:loader", "stg_orders"),
        ("package:shop", "fct_orders fct_returns fct_pay rates events clicks"),
        ("path:models/marts", "fct_orders fct_returns fct_pay"),
        ("path:models/marts/", "fct_orders fct_returns fct_pay"),
        ("path:models/marts/core", "fct_orders fct_returns"),
        ("path:models/marts/core/fct_orders.sql", "fct_orders"),
        ("path:models/*/core", "fct_orders fct_returns"),
        ("path:models/mart", ""),
        ("path:marts", ""),
        ("resource_type:seed", "rates"),
        ("resource_type:source", "events clicks"),
        ("source:web", "events clicks"),
        ("source:web.events", "events"),
        ("source:we*", "events clicks"),
        ("source:events", ""),
        ("tag:daily", "fct_orders fct_returns"),
        ("tag:money", "fct_pay"),
        ("tag:d*", "fct_orders fct_returns"),
        ("tag:Daily", ""),
        ("fct_orders", "fct_orders"),
        ("fct_*", "fct_orders fct_returns fct_pay"),
        ("*orders", "fct_orders stg_orders"),
        ("fct_order", ""),
        ("shop.marts.core.fct_orders", "fct_orders"),
        ("shop.marts.core.*", "fct_orders fct_returns"),
        (" fct_orders ", "fct_orders"),
    ],
)
def test_each_method_selects(selector: str, names: str) -> None:
    assert chosen(selector) == set(names.split())


def test_selectors_of_a_list_are_added_up_and_commas_intersect() -> None:
    assert chosen("rates", "tag:core") == {"rates", "fct_orders"}
    assert chosen("tag:daily,access:public") == {"fct_returns"}
    assert chosen("tag:daily, path:models/marts/core ,fct_o*") == {"fct_orders"}
    assert chosen("tag:daily,tag:money") == set()


def test_what_is_excluded_is_taken_away_last() -> None:
    assert chosen("*", exclude=("path:models",)) == {"rates"}
    assert chosen("fct_orders", "fct_*", exclude=("fct_orders",)) == {"fct_returns", "fct_pay"}
    assert chosen("fct_*", exclude=("tag:daily,access:public",)) == {"fct_orders", "fct_pay"}
    assert chosen("dim_pay", exclude=("group:finance",)) == set()
    assert chosen("*", exclude=("*",)) == set()


@pytest.mark.parametrize(
    "selector",
    ["*", "dim_*", "*pay", "group:finance", "path:models/marts/finance", "access:*", "access:priv*",
     "shop.marts.finance.dim_pay", "resource_type:snapshot", "package:shop,group:finance"],
)  # fmt: skip
def test_a_private_model_is_not_read_by_accident(selector: str) -> None:
    assert not chosen(selector) & PRIVATE


def test_a_private_model_is_read_by_its_name_or_as_private() -> None:
    assert chosen("dim_pay") == {"dim_pay"}
    assert chosen("access:private") == PRIVATE
    assert chosen("access:private,group:finance") == {"dim_pay"}
    assert chosen("*", "dim_pay") == EVERY - {"old"}


@pytest.mark.parametrize(
    "selector",
    ["+fct_orders", "fct_orders+", "2+fct_orders", "fct_orders+3", "@fct_orders", "tag:daily+",
     "+tag:daily", "fct_*,+fct_orders", "state:modified", "config.materialized:table", "Tag:daily",
     "exposure:weekly", "metric:revenue", "test_type:generic", "tag:", "fct_orders,", "", ":daily",
     " ", ",", "fqn:fct_orders:x"],
)  # fmt: skip
@pytest.mark.parametrize("excluded", [False, True])
def test_a_selector_that_is_not_known_says_what_to_write(selector: str, excluded: bool) -> None:
    audience = Audience("desk", ("*",), (selector,)) if excluded else Audience("desk", (selector,))
    with pytest.raises(SettingsError, match="'desk'") as caught:
        audience_nodes(NODES, audience)
    assert f"'{selector}'" in str(caught.value)
    assert "tag" in caught.value.hint
    assert "resource_type" in caught.value.hint
    assert "name" in caught.value.hint


def test_selectors_that_match_nothing_are_told() -> None:
    audience = Audience("a", ("fct_*", "nope", "tag:daily,tag:money"), ("rates", "tag:gone"))
    assert list(idle_selectors(NODES, audience)) == ["nope", "tag:daily,tag:money", "tag:gone"]


# --- Settings ------------------------------------------------------------------------------------


def _settings(folder: Path, text: str, **environment: str) -> Any:
    (folder / "t2s.yml").write_text(text, encoding="utf-8")
    return read_settings(folder, environment, {})


TWO = "audiences:\n  support: {select: [a, 'tag:x']}\n  sales: {select: 'b*', exclude: c}\n"


def test_audiences_are_read_and_the_one_that_asks_is_named(tmp_path: Path) -> None:
    settings = _settings(tmp_path, TWO)
    assert settings.asking is None
    assert settings.audiences["sales"] == Audience("sales", ("b*",), ("c",))
    named = _settings(tmp_path, TWO + "audience: sales\n")
    assert named.asking == Audience("sales", ("b*",), ("c",))
    variable = _settings(tmp_path, TWO + "audience: sales\n", DBT_T2S_AUDIENCE="support")
    assert variable.asking == Audience("support", ("a", "tag:x"))
    assert variable.origins["audience"] == "DBT_T2S_AUDIENCE"
    flagged = read_settings(tmp_path, {"DBT_T2S_AUDIENCE": "support"}, {"audience": "sales"})
    assert flagged.asking == Audience("sales", ("b*",), ("c",))


def test_an_audience_that_is_not_there_has_its_origin_and_a_near_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'suport'") as caught:
        _settings(tmp_path, TWO + "\naudience: suport\n")
    assert "t2s.yml:5" in str(caught.value)
    assert "'support'" in caught.value.hint
    with pytest.raises(SettingsError, match=r"DBT_T2S_AUDIENCE.*'zzz'") as caught:
        _settings(tmp_path, TWO, DBT_T2S_AUDIENCE="zzz")
    assert "audiences" in caught.value.hint
    with pytest.raises(SettingsError, match=r"--audience.*'Support'") as caught:
        read_settings(tmp_path, {}, {"audience": "Support"})
    assert "'support'" in caught.value.hint


@pytest.mark.parametrize(
    "entry",
    ["", "fct_orders", "[fct_orders]", "{}", "{select: }", "{select: []}", "{select: 3}",
     "{select: [3]}", "{select: ['']}", "{select: ''}", "{select: {a: b}}", "{exclude: [a]}",
     "{select: a, exclude: 3}", "{select: a, exclude: {}}", "{select: a, only: b}",
     "{select: a, exclude: }"],
)  # fmt: skip
def test_an_audience_of_another_shape_is_refused(tmp_path: Path, entry: str) -> None:
    with pytest.raises(SettingsError, match="'desk'") as caught:
        _settings(tmp_path, f"max_rows: 5\naudiences:\n  desk: {entry}\n")
    assert "t2s.yml:2" in str(caught.value)
    assert "select" in caught.value.hint


@pytest.mark.parametrize("name", ["a b", "'../up'", "a/b", "''", "a.b", "'a:b'"])
def test_an_audiences_name_is_one_word(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=r"t2s\.yml:1"):
        _settings(tmp_path, f"audiences:\n  {name}: {{select: a}}\n")


@pytest.mark.parametrize("value", ["[a]", "text", "3"])
def test_audiences_that_are_no_map_are_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError, match="audiences") as caught:
        _settings(tmp_path, f"\naudiences: {value}\n")
    assert caught.value.line == 2


# --- The catalog of an audience, in the example project ------------------------------------------


def opened(project: Path, audience: str, **settings: Any) -> Assistant:
    """The example project as an audience sees it."""
    settings = {"audience": audience, "trace": False, **settings}
    return open_project(project, settings=settings, environment={})


@pytest.fixture(scope="module")
def support(example: Path) -> Assistant:
    """The example project as support sees it."""
    return opened(example, "support")


ALLOWED = {"dim_customers", "fct_support_tickets"}


def test_an_audience_knows_its_tables_and_what_stands_on_them(
    support: Assistant, assistant: Assistant
) -> None:
    catalog, whole = support.catalog, assistant.catalog
    assert {table.name for table in catalog.askable.tables} == ALLOWED
    kept = {table.name for table in catalog.tables}
    assert kept - ALLOWED == {"time_spine_daily"}
    assert not catalog.table("time_spine_daily").askable
    assert {m.name for m in catalog.metrics} == {
        m.name for m in whole.metrics if ALLOWED.issuperset(m.models)
    }
    assert "tickets_per_order" not in {metric.name for metric in catalog.metrics}
    assert {(j.many.table, j.one.table) for j in catalog.joins} == {
        ("fct_support_tickets", "dim_customers")
    }
    assert {dimension.table for dimension in catalog.dimensions} <= kept
    assert {entity.table for entity in catalog.entities} <= kept


def test_everything_else_is_withheld(support: Assistant, assistant: Assistant) -> None:
    def names(catalog: Catalog) -> set[str]:
        return {t.name for t in catalog.tables} | {m.name for m in catalog.metrics}

    gone = names(assistant.catalog) - names(support.catalog)
    assert {"revenue", "orders", "fct_orders", "stg_customers"} <= gone
    assert gone <= set(support.catalog.withheld)
    assert not names(support.catalog) & set(support.catalog.withheld)
    assert not gone & set(assistant.catalog.withheld)


def test_a_selector_that_matches_nothing_is_a_note(example: Path) -> None:
    audiences = {"desk": {"select": ["dim_customers", "tag:gone"]}}
    catalog = opened(example, "desk", audiences=audiences).catalog
    assert [note for note in catalog.notes if "'desk'" in note and "'tag:gone'" in note]


def test_an_audience_may_exclude(example: Path) -> None:
    catalog = opened(example, "merchandising").catalog
    assert not catalog.has_table("dim_customers")
    assert not catalog.has_table("fct_payments")
    assert catalog.has_table("fct_orders")


@pytest.mark.parametrize(
    "question",
    ["how many support tickets in 2023", "support tickets by customer country",
     "number of customers by country", "support tickets by month in 2023"],
)  # fmt: skip
def test_what_is_allowed_is_answered_as_for_everybody(
    support: Assistant, assistant: Assistant, question: str
) -> None:
    answer = support.ask(question)
    assert answer.status is Status.ANSWERED
    assert answer.rows == assistant.ask(question).rows
    assert {used.name for used in answer.models} <= ALLOWED


@pytest.mark.parametrize(
    "question",
    ["revenue in 2023", "revenue by customer country", "how many orders per month", "refunds",
     "tickets per order", "list fct_orders", "how many rows in stg_customers", "how many stores"],
)  # fmt: skip
def test_what_is_withheld_is_refused_by_policy(support: Assistant, question: str) -> None:
    answer = support.ask(question)
    assert answer.status is Status.REFUSED, answer
    assert "policy hides" in answer.text
    assert (answer.sql, answer.rows) == (None, ())


@pytest.mark.parametrize(
    "question",
    ["support tickets by store", "support tickets by store region", "support tickets by product",
     "support tickets by order channel", "customers by number of orders",
     "support tickets in Berlin stores", "customers who ordered in 2023", "signups by store name"],
)  # fmt: skip
def test_a_table_outside_of_the_audience_is_not_grouped_by(
    support: Assistant, question: str
) -> None:
    answer = support.ask(question)
    assert answer.status is Status.REFUSED, answer
    assert answer.rows == ()
    told = f"{answer.text} {answer.suggestions} {answer.options}"
    assert "dim_stores" not in told
    assert "fct_orders" not in told


def test_values_of_withheld_tables_are_not_kept_for_an_audience(example_copy: Path) -> None:
    folder = example_copy / "target" / "t2s"
    opened(example_copy, "").ask("how many stores")
    opened(example_copy, "support").ask("how many support tickets")
    whole = (folder / "values.json").read_text(encoding="utf-8")
    theirs = (folder / "values-support.json").read_text(encoding="utf-8")
    assert "Delta Garden Goods" in whole
    assert "Delta Garden Goods" not in theirs
    assert "dim_suppliers" in whole
    for name in ("dim_suppliers", "dim_stores", "stg_customers", "fct_orders"):
        assert name not in theirs
    assert "dim_customers" in theirs
    json.loads(theirs)
