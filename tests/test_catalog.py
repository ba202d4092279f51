"""The nouns of a project: kinds, keys, labels, and ways from table to table."""

import pytest

from t2s_dbt import Assistant
from t2s_dbt.catalog import (
    Attribute,
    Catalog,
    Column,
    Dimension,
    HiddenColumn,
    Join,
    Layer,
    Location,
    Metric,
    MetricType,
    Relation,
    Table,
)
from t2s_dbt.kinds import Kind, kind_of


@pytest.mark.parametrize(
    ("data_type", "kind"),
    [
        ("VARCHAR", Kind.TEXT),
        ("varchar(20)", Kind.TEXT),
        ("ENUM('A', 'B')", Kind.TEXT),
        ("UUID", Kind.TEXT),
        ("INTEGER", Kind.NUMBER),
        ("DECIMAL(12,2)", Kind.NUMBER),
        ("HUGEINT", Kind.NUMBER),
        ("DOUBLE", Kind.NUMBER),
        ("UBIGINT", Kind.NUMBER),
        ("DATE", Kind.DATE),
        ("TIMESTAMP", Kind.TIMESTAMP),
        ("TIMESTAMP WITH TIME ZONE", Kind.TIMESTAMP),
        ("DATETIME", Kind.TIMESTAMP),
        ("BOOLEAN", Kind.BOOLEAN),
        ("TIME", Kind.OTHER),
        ("INTERVAL", Kind.OTHER),
        ("VARCHAR[]", Kind.OTHER),
        ("STRUCT(a INTEGER)", Kind.OTHER),
        ("JSON", Kind.OTHER),
        ("BLOB", Kind.OTHER),
        ("", Kind.OTHER),
        (None, Kind.OTHER),
        ("GEOMETRY", Kind.OTHER),
    ],
)
def test_a_type_is_of_a_kind(data_type: str | None, kind: Kind) -> None:
    assert kind_of(data_type) is kind


def table(name: str, *columns: Column, askable: bool = True) -> Table:
    relation = Relation("db", "Main", name.upper())
    return Table(name, f"model.p.{name}", relation, columns, askable=askable)


def text(name: str, *, unique: bool = False) -> Column:
    return Column(name, "VARCHAR", unique=unique)


def join(many: str, one: str) -> Join:
    return Join(Attribute(many, f"{one}_id"), Attribute(one, f"{one}_id"), "a test")


CHAIN = Catalog(
    tables=tuple(table(name) for name in ("line", "order", "customer", "city", "island")),
    joins=(join("line", "order"), join("order", "customer"), join("customer", "city")),
    metrics=(
        Metric("lines", MetricType.SIMPLE, models=("line",)),
        Metric("ratio", MetricType.RATIO, models=("line", "city")),
    ),
    dimensions=(Dimension("age", "customer", "customers"),),
)


def test_a_way_to_the_one_side_is_found_and_none_back() -> None:
    way = CHAIN.path_to_one("line", "city")
    assert way is not None
    assert [step.one.table for step in way] == ["order", "customer", "city"]
    assert CHAIN.path_to_one("city", "line") is None
    assert CHAIN.path_to_one("line", "line") == ()


def test_a_way_in_any_direction_is_found() -> None:
    back = CHAIN.path("city", "line")
    assert back is not None
    assert [step.many.table for step in back] == ["customer", "order", "line"]
    assert CHAIN.path("line", "island") is None


def test_a_way_is_no_longer_than_its_limit() -> None:
    assert CHAIN.path_to_one("line", "city", limit=2) is None
    assert CHAIN.path("line", "city", limit=3) is not None


def test_the_shortest_way_is_taken() -> None:
    shortcut = Catalog(tables=CHAIN.tables, joins=(*CHAIN.joins, join("line", "customer")))
    way = shortcut.path_to_one("line", "customer")
    assert way is not None
    assert len(way) == 1


def test_a_narrower_catalog_keeps_what_is_whole_in_it() -> None:
    narrow = CHAIN.narrowed(["line", "order"])
    assert [found.name for found in narrow.tables] == ["line", "order"]
    assert len(narrow.joins) == 1
    assert [metric.name for metric in narrow.metrics] == ["lines"]
    assert narrow.dimensions == ()


def test_a_table_that_may_not_be_asked_is_left_out_of_askable() -> None:
    catalog = Catalog(tables=(table("open"), table("closed", askable=False)))
    assert [found.name for found in catalog.askable.tables] == ["open"]
    assert catalog.has_table("closed")
    assert not catalog.askable.has_table("closed")


def test_unknown_names_are_key_errors() -> None:
    with pytest.raises(KeyError):
        CHAIN.table("nonsense")
    with pytest.raises(KeyError):
        CHAIN.metric("nonsense")
    assert CHAIN.column(Attribute("nonsense", "x")) is None


def test_a_column_is_found_in_any_case() -> None:
    found = table("t", text("CustomerName"))
    assert found.column("customername") == found.columns[0]
    assert found.column("nope") is None


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ((text("name"),), None),
        ((text("name", unique=True), text("t_id", unique=True)), "t_id"),
        ((text("sku", unique=True), text("name")), "sku"),
    ],
)
def test_the_key_is_unique_and_rather_an_id(columns: tuple[Column, ...], key: str | None) -> None:
    found = table("t", *columns).key
    assert (found.name if found else None) == key


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (("city", "store_name"), "store_name"),
        (("store_long_name", "name"), "name"),
        (("title", "city"), "title"),
        (("city",), None),
        (("username",), None),
    ],
)
def test_the_label_is_a_name_or_title(names: tuple[str, ...], label: str | None) -> None:
    found = table("t", *map(text, names)).label
    assert (found.name if found else None) == label


def test_a_computed_dimension_is_text_unless_it_is_a_time() -> None:
    assert CHAIN.kind(Attribute("customer", "age")) is Kind.TEXT
    timely = Catalog(dimensions=(Dimension("week", "t", "m", is_time=True),))
    assert timely.kind(Attribute("t", "week")) is Kind.DATE


def test_hidden_columns_are_known_by_relation_in_lower_case() -> None:
    relation = Relation("db", "Main", "Customers")
    catalog = Catalog(hidden=(HiddenColumn(relation, "customers", "Email", "pii"),))
    assert catalog.hidden_columns == {("main", "customers"): frozenset({"email"})}


def test_relations_and_places_are_told() -> None:
    assert str(Relation("db", "main", "t")) == "db.main.t"
    assert str(Relation(None, "main", "t")) == "main.t"
    assert str(Location("models/a.yml", 3)) == "models/a.yml:3"
    assert str(Location("models/a.yml")) == "models/a.yml"


def test_every_join_of_the_example_leads_to_a_key(assistant: Assistant) -> None:
    catalog = assistant.catalog
    assert len(catalog.joins) > 20
    for found in catalog.joins:
        column = catalog.column(found.one)
        assert column is not None
        assert column.unique or found.one.name.endswith(("_id", "_code")), found
        assert catalog.column(found.many) is not None


def test_the_tables_of_the_example_have_their_layers(assistant: Assistant) -> None:
    catalog = assistant.catalog
    assert catalog.table("dim_customers").layer is Layer.MART
    assert catalog.table("stg_customers").layer is Layer.STAGING
    assert not catalog.table("time_spine_daily").askable
    assert catalog.table("fct_orders").default_time == "ordered_at"
