"""The glossary: every meaning a term may have, and every way in which the file can be wrong."""

from pathlib import Path

import pytest

from t2s_dbt.catalog import Term, TermMeaning
from t2s_dbt.errors import SettingsError
from t2s_dbt.stores.glossary import read_glossary


def _read(folder: Path, text: str) -> tuple[Term, ...]:
    path = folder / "t2s" / "glossary.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_glossary(folder)


def _term(folder: Path, lines: str) -> Term:
    (term,) = _read(folder, f"terms:\n  - name: word\n    {lines}\n")
    return term


@pytest.mark.parametrize(
    ("line", "meaning", "target", "text"),
    [
        ("metric: revenue", TermMeaning.METRIC, "revenue", ""),
        ("dimension: customer__country", TermMeaning.DIMENSION, "customer__country", ""),
        ("model: orders", TermMeaning.MODEL, "orders", ""),
        ("column: orders.amount", TermMeaning.COLUMN, "orders.amount", ""),
        ("filter: {model: orders, sql: amount > 5}", TermMeaning.FILTER, "orders", "amount > 5"),
        ("expression: {model: o, sql: a - b}", TermMeaning.EXPRESSION, "o", "a - b"),
        ("value: {column: o.status, value: done}", TermMeaning.VALUE, "o.status", "done"),
        ("value: {column: o.year, value: 2024}", TermMeaning.VALUE, "o.year", "2024"),
        ("instruction: count each once", TermMeaning.INSTRUCTION, "", "count each once"),
    ],
)
def test_every_meaning_is_read(
    tmp_path: Path, line: str, meaning: TermMeaning, target: str, text: str
) -> None:
    term = _term(tmp_path, line)
    assert (term.meaning, term.target, term.text) == (meaning, target, text)


def test_every_meaning_is_in_the_table_above() -> None:
    marks = [
        mark
        for mark in test_every_meaning_is_read.pytestmark  # type: ignore[attr-defined]
        if mark.name == "parametrize"
    ]
    assert {case[1] for mark in marks for case in mark.args[1]} == set(TermMeaning)


def test_the_rest_of_a_term_is_read_with_its_line(tmp_path: Path) -> None:
    term = _read(
        tmp_path,
        "# ours\nterms:\n  - name: gmv\n    metric: revenue\n    synonyms: [sales, 2024]\n"
        "    definition: all of it\n    owner: finance\n",
    )[0]
    assert (term.name, term.synonyms) == ("gmv", ("sales", "2024"))
    assert (term.definition, term.owner) == ("all of it", "finance")
    assert str(term.location) == "t2s/glossary.yml:3"


def test_without_a_file_there_are_no_terms(tmp_path: Path) -> None:
    assert read_glossary(tmp_path) == ()


@pytest.mark.parametrize("text", ["", "# nothing\n", "terms: []\n"])
def test_a_file_without_terms_has_none(tmp_path: Path, text: str) -> None:
    assert _read(tmp_path, text) == ()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("- a\n", 1, "a list under `terms:`"),
        ("terms: word\n", 1, "a list under `terms:`"),
        ("term:\n- name: a\n", 1, "a list under `terms:`"),
        ("terms:\n- just a word\n", 2, "needs a `name`"),
        ("terms:\n- metric: a\n", 2, "needs a `name`"),
        ("terms:\n- name: 5\n  metric: a\n", 2, "needs a `name`"),
        ("terms:\n- name: a\n", 2, "exactly one meaning"),
        ("terms:\n- name: a\n  metric: b\n  model: c\n", 2, "exactly one meaning"),
        ("terms:\n- name: a\n  metric: b\n  ownr: c\n", 2, "unknown key 'ownr'"),
        ("terms:\n- name: a\n  metric: b\n  synonyms: c\n", 2, "are no list"),
        ("terms:\n- name: a\n  metric: [b]\n", 2, "needs `a text`"),
        ("terms:\n- name: a\n  instruction: {b: c}\n", 2, "needs `a text`"),
        ("terms:\n- name: a\n  filter: x > 1\n", 2, "`model` and `sql`"),
        ("terms:\n- name: a\n  filter: {model: b}\n", 2, "`model` and `sql`"),
        ("terms:\n- name: a\n  expression: [b]\n", 2, "`model` and `sql`"),
        ("terms:\n- name: a\n  value: {value: b}\n", 2, "`column` and `value`"),
        ("terms:\n- name: a\n  metric: b\n- name: c\n", 4, "'c' needs exactly one meaning"),
        ("terms:\n- name: a: b\n", 2, "broken YAML"),
    ],
)
def test_a_malformed_file_names_the_fault_and_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        _read(tmp_path, text)
    assert caught.value.path == tmp_path / "t2s" / "glossary.yml"
    assert caught.value.line == line
    assert said in caught.value.message


def test_not_utf8_is_said(tmp_path: Path) -> None:
    (tmp_path / "t2s").mkdir()
    (tmp_path / "t2s" / "glossary.yml").write_bytes(b"terms: [caf\xe9]\n")
    with pytest.raises(SettingsError, match="UTF-8"):
        read_glossary(tmp_path)


@pytest.mark.parametrize("value", ["!custom x", "2026-13-45", "{[a]: b}"])
def test_a_value_that_yaml_cannot_make_is_a_settings_error(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError):
        _read(tmp_path, f"terms:\n- name: a\n  metric: {value}\n")


@pytest.mark.parametrize("part", ["{model: orders, sql: }", "{model: , sql: a > 1}"])
def test_an_empty_part_of_a_meaning_is_refused(tmp_path: Path, part: str) -> None:
    with pytest.raises(SettingsError):
        _read(tmp_path, f"terms:\n- name: a\n  filter: {part}\n")


def test_the_examples_glossary_is_read(example: Path) -> None:
    assert len(read_glossary(example)) > 5
