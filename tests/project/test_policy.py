"""Which columns are hidden, and why."""

from typing import Any

import pytest

from t2s_dbt import Assistant
from t2s_dbt.catalog import Catalog
from tests.project.conftest import TYPES, catalog_of, relation


def _hidden(catalog: Catalog, table: str) -> dict[str, str]:
    return {hidden.column: hidden.reason for hidden in catalog.hidden if hidden.table == table}


def _visible(catalog: Catalog, table: str) -> list[str]:
    return [column.name for column in catalog.table(table).columns]


@pytest.mark.parametrize("column", ["a", "b", "c"])
def test_each_way_to_flag_a_column_hides_it(corner: Catalog, column: str) -> None:
    assert _hidden(corner, "flagged")[column] == "flagged in its YAML"
    assert column not in _visible(corner, "flagged")


@pytest.mark.parametrize("flag", ["pii", "contains_pii", "is_pii", "sensitive", "hidden"])
def test_an_older_projects_meta_flags_too(manifest: dict[str, Any], flag: str) -> None:
    column = manifest["nodes"]["model.corner.teams"]["columns"]["title"]
    column["config"], column["meta"] = {}, {flag: True}
    assert "title" in _hidden(catalog_of(manifest), "teams")


def test_a_false_flag_is_stronger_than_a_tag(corner: Catalog) -> None:
    assert "d" not in _hidden(corner, "flagged")


def test_a_false_flag_is_stronger_than_a_name(corner: Catalog) -> None:
    assert "session_token_count" in _visible(corner, "flagged")


def test_a_name_like_a_secret_hides_and_a_longer_word_does_not(corner: Catalog) -> None:
    assert _hidden(corner, "flagged")["user_password"] == "named like a secret"
    assert "tokenized" in _visible(corner, "flagged")


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("password", True),
        ("PASSWORD", True),
        ("user_passwords", True),
        ("api_token", True),
        ("token_id", True),
        ("passwordless", False),
        ("tokenised_at", False),
        ("nottoken", False),
    ],
)
def test_secrets_are_told_by_whole_words(manifest: dict[str, Any], name: str, secret: bool) -> None:
    types = {**TYPES, relation("teams"): {"team_id": "INTEGER", name: "VARCHAR"}}
    assert (name.lower() in _hidden(catalog_of(manifest, types), "teams")) is secret


def test_without_secret_names_only_flags_hide(manifest: dict[str, Any]) -> None:
    catalog = catalog_of(manifest, hidden_names=())
    assert "api_token" in _visible(catalog, "people")
    assert "email" not in _visible(catalog, "people")


def test_a_renamed_copy_is_hidden_and_names_its_origin(corner: Catalog) -> None:
    assert _hidden(corner, "renamed")["contact"] == "made of people.email"


def test_a_derived_column_that_is_declared_harmless_stays(corner: Catalog) -> None:
    assert "mail_length" in _visible(corner, "renamed")


def test_a_chain_over_two_models_and_an_ephemeral_one_is_followed(corner: Catalog) -> None:
    assert _visible(corner, "after_passing") == ["id", "n"]
    assert _visible(corner, "far") == ["n"]
    assert _hidden(corner, "far")["far_reach"] == "made of after_passing.reach"


def test_without_compiled_sql_the_models_own_text_is_followed(manifest: dict[str, Any]) -> None:
    before = _hidden(catalog_of(manifest), "renamed")
    manifest["nodes"]["model.corner.renamed"]["compiled_code"] = None
    assert before
    assert _hidden(catalog_of(manifest), "renamed") == before


def test_without_lineage_what_no_parent_shows_is_hidden_and_a_note_says_so(
    manifest: dict[str, Any],
) -> None:
    node = manifest["nodes"]["model.corner.renamed"]
    node["compiled_code"], node["raw_code"] = None, "select {{ my_macro() }}"
    types = {
        **TYPES,
        relation("people_archive", "main_archive"): {"id": "INTEGER", "email": "VARCHAR"},
    }
    catalog = catalog_of(manifest, types)
    assert _hidden(catalog, "renamed")["email"] == "its origin is not known"
    assert _visible(catalog, "renamed") == ["id"]
    assert any("lineage of renamed cannot be told" in note for note in catalog.notes)


def test_without_compiled_sql_a_column_declared_harmless_stays(manifest: dict[str, Any]) -> None:
    node = manifest["nodes"]["model.corner.renamed"]
    node["compiled_code"] = None
    node["columns"]["email"] = {"name": "email", "config": {"meta": {"t2s": {"pii": False}}}}
    types = {**TYPES, relation("people_archive", "main_archive"): {"email": "VARCHAR"}}
    assert _visible(catalog_of(manifest, types), "renamed") == ["email"]


def _with_source(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with a source whose `mail` is flagged, read by `teams`."""
    flagged = {"name": "mail", "config": {"meta": {"t2s": {"pii": True}}}}
    source = {
        "unique_id": "source.corner.raw.contacts",
        "resource_type": "source",
        "name": "contacts",
        "source_name": "raw",
        "identifier": "contacts",
        "database": "corner",
        "schema": "raw",
        "columns": {"mail": flagged},
        "fqn": ["corner", "raw", "contacts"],
    }
    manifest["sources"][source["unique_id"]] = source
    manifest["child_map"][source["unique_id"]] = ["model.corner.teams"]
    node = manifest["nodes"]["model.corner.teams"]
    node["depends_on"]["nodes"] = [source["unique_id"]]
    node["compiled_code"] = 'select 1 as team_id, mail as title from "corner"."raw"."contacts"'
    return manifest


def test_a_flag_on_a_source_is_followed(manifest: dict[str, Any]) -> None:
    types = {**TYPES, relation("contacts", "raw"): {"mail": "VARCHAR"}}
    catalog = catalog_of(_with_source(manifest), types)
    assert _hidden(catalog, "teams")["title"] == "made of contacts.mail"


def test_without_compiled_sql_a_flag_on_a_source_is_followed_by_name(
    manifest: dict[str, Any],
) -> None:
    _with_source(manifest)["nodes"]["model.corner.teams"]["compiled_code"] = None
    types = {**TYPES, relation("teams"): {"team_id": "INTEGER", "mail": "VARCHAR"}}
    assert "mail" in _hidden(catalog_of(manifest, types), "teams")


def test_a_flag_on_an_ephemeral_models_column_is_followed(manifest: dict[str, Any]) -> None:
    nodes = manifest["nodes"]
    nodes["model.corner.people"]["columns"]["email"].update(config={}, meta={})
    nodes["model.corner.passing"]["columns"] = {
        "mail": {"name": "mail", "config": {"meta": {"t2s": {"pii": True}}}}
    }
    assert "reach" in _hidden(catalog_of(manifest), "after_passing")


def test_the_example_hides_a_copy_of_the_customers_mail(assistant: Assistant) -> None:
    catalog = assistant.catalog
    assert _hidden(catalog, "fct_support_tickets") == {"contact": "made of stg_customers.email"}
    assert "contact" not in _visible(catalog, "fct_support_tickets")
    assert set(_hidden(catalog, "dim_customers")) == {"birth_date", "email", "phone"}


def test_the_example_needs_no_guess_about_lineage(assistant: Assistant) -> None:
    assert not [note for note in assistant.catalog.notes if "lineage" in note]


@pytest.mark.parametrize("read", ["'data/people.csv'", "read_csv('data/people.csv')"])
def test_a_flag_on_a_source_that_is_a_file_is_followed(manifest: dict[str, Any], read: str) -> None:
    node = manifest["nodes"]["model.corner.renamed"]
    source = {
        "unique_id": "source.corner.raw.people_file",
        "resource_type": "source",
        "name": "people_file",
        "source_name": "raw",
        "schema": "raw",
        "meta": {"external_location": "data/people.csv"},
        "columns": {"email": {"name": "email", "meta": {"pii": True}}},
    }
    manifest["sources"][source["unique_id"]] = source
    manifest["child_map"][source["unique_id"]] = [node["unique_id"]]
    node["depends_on"] = {"nodes": [source["unique_id"]]}
    node["compiled_code"] = f"select id, name, email as contact from {read}"
    hidden = _hidden(catalog_of(manifest), "renamed")
    assert hidden == {"contact": "made of people_file.email"}
