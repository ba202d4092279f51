"""What flags a column or a whole model as hidden, what does not, and what follows downstream."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from t2s_dbt import Assistant
from t2s_dbt.catalog import Catalog
from t2s_dbt.config import OPTIONS
from t2s_dbt.project.artifacts import Artifacts
from t2s_dbt.project.load import catalogued_types, make_catalog
from t2s_dbt.project.marks import Marks
from tests.project.conftest import FLAGS, TYPES, Manifest, catalog_of, relation

NAMES = next(option.default for option in OPTIONS if option.name == "hidden_names")
MARKS = Marks.of(FLAGS, NAMES)


def in_meta(**meta: Any) -> list[dict[str, Any]]:
    """A column with this meta, in each place where dbt and its users write one."""
    return [
        {"meta": meta},
        {"config": {"meta": meta}},
        {"meta": {"governance": meta}},
        {"config": {"meta": {"owner": "x", "governance": {"data": meta}}}},
        {"meta": {"t2s": meta}},
        {"config": {"meta": {"t2s": meta}}},
    ]


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_hides_as_a_key_of_meta_and_as_a_tag(flag: str) -> None:
    for node in in_meta(**{flag: True}):
        assert MARKS.flag(node) is True
    for spelled in (flag, flag.upper(), flag.replace("_", "-"), flag.replace("_", " "), f" {flag}"):
        assert MARKS.flag({"tags": ["other", spelled]}) is True
        assert MARKS.flag({"config": {"tags": spelled}}) is True
        assert MARKS.flag({"meta": {spelled: "yes"}}) is True


@pytest.mark.parametrize("value", [True, 1, "true", "yes", "email", ["name"], {"level": "high"}])
def test_a_value_that_says_something_sets_a_flag(value: Any) -> None:
    assert MARKS.flag({"meta": {"pii": value}}) is True


@pytest.mark.parametrize(
    "value",
    [False, None, 0, "", [], {}, "false", "False", "NONE", "no", "n", "off", "0", " none ", "null"],
)
def test_only_our_own_no_declares_a_column_harmless(value: Any) -> None:
    own = {"t2s": {"pii": value}}
    for node in ({"meta": own}, {"config": {"meta": own}}):
        assert MARKS.flag(node) is False
    assert MARKS.flag({"meta": {"t2s": {"pii": value}}, "tags": ["pii"]}) is False
    assert MARKS.flag({"meta": {"pii": value}}) is None
    assert MARKS.flag({"meta": {"pii": value}, "tags": ["pii"]}) is True


@pytest.mark.parametrize(
    "key",
    "classification data_classification sensitivity privacy data_privacy data_class "
    "Classification Data-Classification".split(),
)
@pytest.mark.parametrize("value", ["pii", "PII", "Restricted", ["internal", "confidential"]])
def test_a_class_of_data_that_is_a_flag_hides(key: str, value: Any) -> None:
    for node in in_meta(**{key: value}):
        assert MARKS.flag(node) is True


@pytest.mark.parametrize("value", ["public", "internal", "none", "", None, [], ["open"], True, 3])
def test_another_class_of_data_says_nothing(value: Any) -> None:
    assert MARKS.flag({"meta": {"classification": value}}) is None


@pytest.mark.parametrize("key", ["policy_tags", "masking_policy"])
def test_a_protected_column_is_hidden(key: str) -> None:
    value: Any = ["projects/x/taxonomies/1/policyTags/2"] if key == "policy_tags" else "mask_mail"
    nodes: list[dict[str, Any]] = [{key: value}, {"config": {key: value}}, *in_meta(**{key: value})]
    assert all(MARKS.flag(node) is True for node in nodes)
    nothings: list[Any] = [[], "", None, "none"]
    for nothing in nothings:
        assert MARKS.flag({key: nothing}) is None
        assert MARKS.flag({"meta": {key: nothing}}) is None


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"meta": None, "config": None, "tags": None},
        {"meta": {"owner": "pii"}, "tags": ["nightly", "pii_free"]},
        {"meta": {"not_pii": True, "pii_reviewed": True}},
        {"meta": {"t2s": {"synonyms": ["pii"], "unit": "EUR"}}},
        {"config": {"meta": {"tests": ["sensitive"]}}},
    ],
)
def test_what_is_no_flag_says_nothing(node: dict[str, Any]) -> None:
    assert MARKS.flag(node) is None


@pytest.mark.parametrize(("own", "others"), [(False, True), (True, False)])
def test_our_own_hint_is_stronger_than_other_flags(own: bool, others: bool) -> None:
    assert MARKS.flag({"meta": {"contains_pii": others, "t2s": {"pii": own}}}) is own
    assert MARKS.flag({"config": {"meta": {"pii": others, "t2s": {"pii": own}}}}) is own
    assert MARKS.flag({"meta": {"t2s": {"pii": own}}, "config": {"meta": {"pii": others}}}) is own
    assert MARKS.flag({"meta": {"t2s": {"pii": own}}, "tags": ["pii"] * others}) is own
    hint = {"classification": "pii", "t2s": {"pii": own}}
    assert MARKS.flag({"meta": hint}) is own


@pytest.mark.parametrize(
    "meta",
    [
        {"is_pii": False, "sensitive": True},
        {"contains_phi": False, "phi": False, "classification": "pii"},
        {"hidden": False, "contains_pii": True},
    ],
)
def test_of_two_flags_the_one_that_hides_is_stronger(meta: dict[str, Any]) -> None:
    assert MARKS.flag({"meta": meta}) is True


@pytest.mark.parametrize(
    "name",
    "password PASSWORD userPassword UserPassword user_passwords hashedPassword passwordHash "
    "ACCESS_TOKEN accessToken token_2 tokens apiKey api_key API_KEY stripeApiKey apikey APIKey "
    "userAPIKey privateKeyPem client_secret clientSecrets CVV card_cvc credentials "
    "user_pwd".split(),
)
def test_a_name_like_a_secret_is_told_in_every_spelling(name: str) -> None:
    assert MARKS.names_secret(name)


@pytest.mark.parametrize(
    "name",
    "passwordless tokenized tokenised_at nottoken secretary secretariat keyboard api keynote "
    "monkey_id tokenizer passwords2go order_key accessed_at surrogate_key".split(),
)
def test_a_longer_word_is_no_secret(name: str) -> None:
    assert not MARKS.names_secret(name)


@pytest.mark.parametrize(
    "name",
    ["JWTToken", "SSHPrivateKey", "user password", "api-key", "user.token", "password1", "token2"],
)
def test_other_spellings_of_a_secret(name: str) -> None:
    assert MARKS.names_secret(name)


def test_lists_of_ones_own_replace_the_defaults() -> None:
    marks = Marks.of(["Geheim Sache"], ["iban", "tax.id"])
    assert marks.flag({"meta": {"geheim_sache": True}}) is True
    assert marks.flag({"tags": ["GEHEIM-SACHE"]}) is True
    assert marks.flag({"meta": {"classification": "geheim sache"}}) is True
    assert marks.flag({"meta": {"pii": True}, "tags": ["hidden"]}) is None
    assert marks.names_secret("customerIban")
    assert marks.names_secret("tax.id")
    assert not marks.names_secret("taxxid")
    assert not marks.names_secret("password")
    assert Marks.of([], []).flag({"meta": {"pii": True}}) is None
    assert not Marks.of([], []).names_secret("password")


# --- Whole models --------------------------------------------------------------------------------


def _flag_model(manifest: Manifest, name: str, *, columns: bool = False, **meta: Any) -> None:
    """Sets a model's meta; flags of its columns are taken away, unless they are to stay."""
    node = manifest["nodes"][f"model.corner.{name}"]
    node["meta"], node["config"]["meta"] = meta, meta
    for column in node["columns"].values() if not columns else ():
        column["meta"], column["config"] = {}, {}


def _hidden(catalog: Catalog, table: str) -> dict[str, str]:
    return {hidden.column: hidden.reason for hidden in catalog.hidden if hidden.table == table}


@pytest.mark.parametrize(
    "meta", [{"contains_pii": True}, {"classification": "pii"}, {"t2s": {"pii": True}}]
)
def test_a_flagged_model_hides_itself_and_what_is_made_of_it(
    manifest: Manifest, meta: dict[str, Any]
) -> None:
    _flag_model(manifest, "people", **meta)
    catalog = catalog_of(manifest)
    assert not catalog.has_table("people")
    assert "people" in catalog.withheld
    columns = {"id", "email", "full_name", "team_id", "api_token"}
    assert _hidden(catalog, "people") == {
        column: "its model is flagged" if column != "api_token" else "named like a secret"
        for column in columns
    }
    assert _hidden(catalog, "members") == {
        "member_id": "made of people.id",
        "team_id": "made of people.team_id",
        "home_team_id": "made of people.team_id",
    }
    assert _hidden(catalog, "after_passing").keys() == {"id", "reach"}
    assert [column.name for column in catalog.table("far").columns] == ["n"]
    assert catalog.has_table("members")


def test_a_tag_flags_a_model_too(manifest: Manifest) -> None:
    _flag_model(manifest, "people")
    manifest["nodes"]["model.corner.people"]["tags"] = ["pii"]
    catalog = catalog_of(manifest)
    assert not catalog.has_table("people")
    assert "member_id" in _hidden(catalog, "members")


def test_a_flagged_model_that_flags_columns_hides_these(manifest: Manifest) -> None:
    _flag_model(manifest, "people", columns=True, contains_pii=True)
    catalog = catalog_of(manifest)
    assert catalog.has_table("people")
    assert _hidden(catalog, "people").keys() == {"email", "api_token"}
    assert "people" not in catalog.withheld
    assert _hidden(catalog, "members") == {}


def test_columns_declared_harmless_survive_downstream(manifest: Manifest) -> None:
    _flag_model(manifest, "people", contains_pii=True)
    people = manifest["nodes"]["model.corner.people"]
    people["columns"]["team_id"] = {"name": "team_id", "meta": {"t2s": {"pii": False}}}
    members = manifest["nodes"]["model.corner.members"]
    members["columns"]["member_id"]["meta"] = {"t2s": {"pii": False}}
    catalog = catalog_of(manifest)
    assert not catalog.has_table("people")
    assert "team_id" not in _hidden(catalog, "people")
    assert _hidden(catalog, "members") == {}
    assert "mail_length" not in _hidden(catalog, "renamed")
    assert "full_name" in _hidden(catalog, "renamed")


def test_a_model_without_known_columns_hides_those_of_its_yaml(manifest: Manifest) -> None:
    _flag_model(manifest, "people", sensitive=True)
    types = {known: columns for known, columns in TYPES.items() if known != relation("people")}
    catalog = catalog_of(manifest, types)
    assert not catalog.has_table("people")
    assert _hidden(catalog, "people").keys() == {"id", "email", "api_token"}
    assert _hidden(catalog, "people")["api_token"] == "made of raw_people.api_token"


@pytest.mark.parametrize("value", [True, "yes"])
@pytest.mark.parametrize("nested", [True, False])
def test_a_model_that_is_only_hidden_taints_nothing(
    manifest: Manifest, nested: bool, value: Any
) -> None:
    _flag_model(manifest, "people", **({"t2s": {"hidden": value}} if nested else {"hidden": value}))
    catalog = catalog_of(manifest, hidden_names=())
    assert not catalog.has_table("people")
    assert "people" in catalog.withheld
    assert _hidden(catalog, "people") == {}
    assert _hidden(catalog, "members") == {}
    assert [column.name for column in catalog.table("far").columns] == ["far_reach", "n"]


@pytest.mark.parametrize("meta", [{"hidden": False}, {"pii": "none"}, {"classification": "public"}])
def test_a_model_that_says_no_stays(manifest: Manifest, meta: Mapping[str, Any]) -> None:
    _flag_model(manifest, "people", **meta)
    catalog = catalog_of(manifest, hidden_names=())
    assert catalog.has_table("people")
    assert _hidden(catalog, "people") == {}


def test_a_model_that_is_hidden_and_flagged_taints(manifest: Manifest) -> None:
    _flag_model(manifest, "people", contains_pii=True, t2s={"hidden": True})
    catalog = catalog_of(manifest)
    assert not catalog.has_table("people")
    assert "member_id" in _hidden(catalog, "members")


# --- Metrics -------------------------------------------------------------------------------------


def _example(assistant: Assistant, change: Any) -> Catalog:
    """The example project's catalog after a change of its manifest."""
    artifacts: Artifacts = assistant.opened.artifacts
    manifest = deepcopy(dict(artifacts.manifest))
    change(manifest["nodes"])
    types = catalogued_types(artifacts)
    changed = replace(artifacts, manifest=manifest)
    return make_catalog(changed, types, dialect="duckdb", marks=MARKS)


def _tickets(nodes: Any, **meta: Any) -> None:
    nodes["model.retail.fct_support_tickets"]["config"]["meta"] = meta
    nodes["model.retail.fct_support_tickets"]["meta"] = meta


@pytest.mark.parametrize("meta", [{"t2s": {"hidden": True}}, {"contains_pii": True}])
def test_metrics_over_a_hidden_model_are_blocked_noted_and_withheld(
    assistant: Assistant, meta: dict[str, Any]
) -> None:
    catalog = _example(assistant, lambda nodes: _tickets(nodes, **meta))
    lost = {m.name for m in assistant.catalog.metrics} - {m.name for m in catalog.metrics}
    over = {m.name for m in assistant.catalog.metrics if "fct_support_tickets" in m.models}
    assert lost >= over != set()
    assert {*over, "fct_support_tickets"} <= set(catalog.withheld)
    for name in over:
        assert f"metric {name} reads a hidden column or model, so it cannot be asked" in (
            catalog.notes
        )


def test_a_metric_that_filters_by_a_visible_dimension_stays(assistant: Assistant) -> None:
    catalog = _example(assistant, lambda nodes: _tickets(nodes, contains_pii=True))
    lost = {m.name for m in assistant.catalog.metrics} - {m.name for m in catalog.metrics}
    over = {m.name for m in assistant.catalog.metrics if "fct_support_tickets" in m.models}
    assert lost == over


def test_metrics_over_a_hidden_column_are_blocked_and_others_are_not(
    assistant: Assistant,
) -> None:
    def change(nodes: Any) -> None:
        columns = nodes["model.retail.fct_returns"]["columns"]
        columns["refund_amount"].update(meta={"pii": True}, config={"meta": {"pii": True}})

    catalog = _example(assistant, change)
    lost = {m.name for m in assistant.catalog.metrics} - {m.name for m in catalog.metrics}
    assert lost
    assert lost <= set(catalog.withheld)
    assert "fct_returns" not in catalog.withheld
    kept = {m.name for m in catalog.metrics if "fct_returns" in m.models}
    assert kept
