"""Tables and joins of a manifest: names, columns, keys, values, layers, what is offered."""

from typing import Any

from t2s_dbt.catalog import Attribute, Catalog, Layer, Relation
from tests.project.conftest import TYPES, catalog_of, relation, types_of


def _names(catalog: Catalog) -> set[str]:
    return {table.name for table in catalog.tables}


def test_alias_and_custom_schema_give_the_relations_real_name(corner: Catalog) -> None:
    assert corner.table("renamed").relation == Relation("corner", "main_archive", "people_archive")


def test_an_ephemeral_model_is_no_table(corner: Catalog) -> None:
    assert "passing" not in _names(corner)


def test_a_disabled_model_is_no_table(corner: Catalog) -> None:
    assert "switched_off" not in _names(corner)


def test_a_model_hidden_by_its_hint_is_no_table(corner: Catalog) -> None:
    assert "unseen" not in _names(corner)


def test_a_private_model_may_not_be_asked(corner: Catalog) -> None:
    assert not corner.table("notes").askable
    assert "notes" not in _names(corner.askable)


def test_a_seed_is_offered_only_when_no_model_reads_it(corner: Catalog) -> None:
    assert corner.table("lookup").layer is Layer.SOURCE
    assert not {"raw_people", "raw_teams"} & _names(corner)


def test_the_latest_version_has_the_plain_name(corner: Catalog) -> None:
    assert corner.table("products").relation.identifier == "products_v2"
    assert corner.table("products_v1").relation.identifier == "products_v1"


def test_layers_follow_folders_and_prefixes(corner: Catalog, assistant: Any) -> None:
    assert corner.table("people").layer is Layer.STAGING
    assert corner.table("renamed").layer is Layer.MART
    assert assistant.catalog.table("int_order_deliveries").layer is Layer.STAGING
    assert assistant.catalog.table("fct_orders").layer is Layer.MART


def test_unique_tests_and_primary_keys_make_keys(corner: Catalog) -> None:
    assert [column.name for column in corner.table("people").keys] == ["id"]
    assert [column.name for column in corner.table("teams").keys] == ["team_id"]


def test_a_test_with_a_condition_says_nothing_of_the_whole_column(corner: Catalog) -> None:
    mood = corner.table("renamed").column("mood")
    assert mood is not None
    assert mood.values == ()


def test_a_unique_test_with_a_condition_makes_no_key(corner: Catalog) -> None:
    assert corner.table("renamed").keys == ()


def test_accepted_values_are_the_columns_values(corner: Catalog) -> None:
    kind = corner.table("renamed").column("kind")
    assert kind is not None
    assert kind.values == ("a", "b")


def test_a_composite_primary_key_makes_no_column_unique(manifest: dict[str, Any]) -> None:
    manifest["nodes"]["model.corner.teams"]["primary_key"] = ["team_id", "title"]
    assert catalog_of(manifest).table("teams").keys == ()


def test_descriptions_synonyms_and_units_are_read(corner: Catalog) -> None:
    renamed = corner.table("renamed")
    assert renamed.description == "People of old."
    assert renamed.synonyms == ("veterans", "old hands")
    length = renamed.column("mail_length")
    assert length is not None
    assert length.unit == "letters"


def test_hints_in_an_older_projects_meta_count_too(manifest: dict[str, Any]) -> None:
    node = manifest["nodes"]["model.corner.teams"]
    node["config"]["meta"], node["meta"] = {}, {"t2s": {"synonyms": "squads"}}
    assert catalog_of(manifest).table("teams").synonyms == ("squads",)


def test_the_location_is_the_yaml_or_else_the_sql(corner: Catalog) -> None:
    assert str(corner.table("teams").location) == "models/schema.yml"
    assert str(corner.table("far").location) == "models/far.sql"


def test_the_databases_columns_win_over_the_yamls(manifest: dict[str, Any]) -> None:
    known = catalog_of(manifest, types_of(teams="team_id extra")).table("teams")
    assert [column.name for column in known.columns] == ["team_id", "extra"]
    unknown = catalog_of(manifest, {}).table("teams")
    assert [(c.name, c.data_type) for c in unknown.columns] == [
        ("team_id", "integer"),
        ("title", "varchar"),
    ]


def test_yaml_and_database_may_spell_a_column_in_different_cases(manifest: dict[str, Any]) -> None:
    types = {**TYPES, relation("people"): {"ID": "BIGINT", "EMAIL": "VARCHAR"}}
    people = catalog_of(manifest, types).table("people")
    assert [(column.name, column.unique) for column in people.columns] == [("ID", True)]


def test_two_packages_models_of_one_name_are_told_apart(manifest: dict[str, Any]) -> None:
    twin = {
        **manifest["nodes"]["model.corner.teams"],
        "unique_id": "model.other.teams",
        "package_name": "other",
        "schema": "other",
    }
    manifest["nodes"]["model.other.teams"] = twin
    assert {"teams", "other.teams"} <= _names(catalog_of(manifest))


def test_a_foreign_key_constraint_of_the_model_is_a_join(corner: Catalog) -> None:
    evidence = {
        (str(join.many), str(join.one)): join.evidence
        for join in corner.joins
        if join.many.table == "members"
    }
    assert evidence[("members.team_id", "teams.team_id")] == "foreign key constraint"


def test_a_foreign_key_constraint_of_a_column_is_a_join(corner: Catalog) -> None:
    joined = {(join.many, join.one) for join in corner.joins}
    assert (Attribute("members", "home_team_id"), Attribute("teams", "team_id")) in joined


def test_a_relationships_test_is_a_join_to_the_version_it_names(corner: Catalog) -> None:
    joined = {(str(join.many), str(join.one)): join.evidence for join in corner.joins}
    assert joined[("baskets.product_id", "products.product_id")] == "relationships test"


def test_a_relationship_to_a_column_that_is_not_unique_is_no_join(corner: Catalog) -> None:
    assert not [join for join in corner.joins if join.one == Attribute("teams", "title")]


def test_a_join_over_a_hidden_column_is_no_join(manifest: dict[str, Any]) -> None:
    node = manifest["nodes"]["model.corner.teams"]
    node["columns"]["team_id"]["config"] = {"meta": {"t2s": {"pii": True}}}
    catalog = catalog_of(manifest)
    assert not [join for join in catalog.joins if join.one.table == "teams"]


def test_the_examples_seeds_are_behind_their_models(assistant: Any) -> None:
    assert not [name for name in _names(assistant.catalog) if name.startswith("raw_")]


def test_the_examples_legacy_report_keeps_its_alias(assistant: Any) -> None:
    table = assistant.catalog.table("rpt_legacy_orders")
    assert table.relation == Relation("retail", "main", "orders_legacy")


def test_the_examples_calendar_is_read_by_metrics_only(assistant: Any) -> None:
    assert not assistant.catalog.table("time_spine_daily").askable


def test_the_examples_joins_lead_from_many_to_one(assistant: Any) -> None:
    joined = {(str(join.many), str(join.one)) for join in assistant.catalog.joins}
    assert ("fct_orders.customer_id", "dim_customers.customer_id") in joined
    assert ("dim_customers.customer_id", "fct_orders.customer_id") not in joined
