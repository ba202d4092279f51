"""Settings: precedence and origins, and every way in which one can be wrong."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from t2s_dbt.config import OPTIONS, Settings, read_settings, settings_table
from t2s_dbt.errors import SettingsError


def _read(
    folder: Path,
    text: str | None = None,
    environment: Mapping[str, str] | None = None,
    **flags: Any,
) -> Settings:
    if text is not None:
        (folder / "t2s.yml").write_text(text, encoding="utf-8")
    return read_settings(folder, environment or {}, flags)


def _error(folder: Path, text: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        _read(folder, text)
    return caught.value


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    settings = _read(tmp_path)
    for option in OPTIONS:
        value = getattr(settings, option.name)
        assert (list(value) if option.type is list else value) == option.default
    assert set(settings.origins.values()) == {"default"}


def test_flag_beats_variable_beats_file_beats_default(tmp_path: Path) -> None:
    text, environment = "# ours\nmax_rows: 5\n", {"DBT_T2S_MAX_ROWS": "6"}
    found = [
        _read(tmp_path),
        _read(tmp_path, text),
        _read(tmp_path, text, environment),
        _read(tmp_path, text, environment, max_rows=7),
    ]
    assert [(s.max_rows, s.origins["max_rows"]) for s in found] == [
        (1000, "default"),
        (5, "t2s.yml:2"),
        (6, "DBT_T2S_MAX_ROWS"),
        (7, "--max-rows"),
    ]


def test_a_flag_of_none_is_not_given(tmp_path: Path) -> None:
    assert _read(tmp_path, max_rows=None).origins["max_rows"] == "default"


def test_items_follow_the_documented_order(tmp_path: Path) -> None:
    names = [name for name, _, _ in _read(tmp_path).items()]
    assert names == [option.name for option in OPTIONS]


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}"])
def test_an_empty_file_changes_nothing(tmp_path: Path, text: str) -> None:
    assert set(_read(tmp_path, text).origins.values()) == {"default"}


def test_an_empty_document_changes_nothing(tmp_path: Path) -> None:
    assert set(_read(tmp_path, "---\n").origins.values()) == {"default"}


def test_an_unknown_key_names_the_nearest_file_and_line(tmp_path: Path) -> None:
    error = _error(tmp_path, "timeout: 3\nmax_row: 5\n")
    assert (error.path, error.line) == (tmp_path / "t2s.yml", 2)
    assert str(error).endswith("t2s.yml:2: unknown setting 'max_row'")
    assert error.hint == "Did you mean 'max_rows'?"


def test_an_unknown_key_like_no_other_lists_all(tmp_path: Path) -> None:
    assert "max_rows" in _error(tmp_path, "zzzz: 1\n").hint


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("max_rows: many", "a whole number"),
        ("max_rows: 1.5", "a whole number"),
        ("max_rows: true", "a whole number"),
        ("timeout: yes", "a number"),
        ("timeout: soon", "a number"),
        ("timeout: null", "a number"),
        ("trace: 1", "true or false"),
        ("trace: maybe", "true or false"),
        ("provider: 3", "text"),
        ("memory_limit: [2GB]", "text"),
        ("hidden_names: password", "a list of texts"),
        ("hidden_names: [1, 2]", "a list of texts"),
        ("max_rows: 0", "at least 1"),
        ("max_rows: 2000000", "at most 1e+06"),
        ("max_attempts: 11", "at most 10"),
        ("timeout: 0", "at least 0.01"),
        ("timeout: .inf", "at most 86400"),
        ("lock_wait: -1", "at least 0"),
        ("week_start: friday", "one of monday, sunday"),
        ("provider: oracle", "one of rules"),
    ],
)
def test_a_value_that_does_not_fit_says_what_would(
    tmp_path: Path, line: str, expected: str
) -> None:
    error = _error(tmp_path, f"# settings\n{line}\n")
    assert error.line == 2
    assert expected in error.message
    assert line.split(":")[0] in error.message


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("timeout: 5", "timeout", 5),
        ("max_rows: 1_000", "max_rows", 1000),
        ("trace: off", "trace", False),
        ("lock_wait: 0", "lock_wait", 0),
        ("hidden_names: []", "hidden_names", ()),
        ("hidden_names: [ssn]", "hidden_names", ("ssn",)),
        ("week_start: sunday", "week_start", "sunday"),
    ],
)
def test_a_value_that_fits_is_taken(tmp_path: Path, line: str, name: str, value: object) -> None:
    assert getattr(_read(tmp_path, line), name) == value


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    error = _error(tmp_path, "max_rows: 5\nmax_rows: 6\n")
    assert (error.message, error.line) == ("'max_rows' is set twice", 2)


def test_broken_yaml_names_its_line(tmp_path: Path) -> None:
    error = _error(tmp_path, "max_rows: 5\nprovider: a: b\n")
    assert error.line == 2
    assert "broken YAML" in error.message


@pytest.mark.parametrize("text", ["- max_rows: 5\n", "max_rows\n"])
def test_something_else_than_a_map_is_refused(tmp_path: Path, text: str) -> None:
    error = _error(tmp_path, text)
    assert error.line == 1
    assert "name: value" in error.message


def test_not_utf8_is_said(tmp_path: Path) -> None:
    (tmp_path / "t2s.yml").write_bytes(b"provider: caf\xe9\n")
    with pytest.raises(SettingsError, match="UTF-8"):
        _read(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "t2s.yml").write_text("max_rows: 5\n", encoding="utf-8-sig")
    assert _read(tmp_path).max_rows == 5


@pytest.mark.parametrize("value", ["!custom x", "!!python/object:os.x {}", "2026-13-45"])
def test_a_value_that_yaml_cannot_make_is_a_settings_error(tmp_path: Path, value: str) -> None:
    assert _error(tmp_path, f"memory_limit: {value}\n").line == 1


def test_nan_is_no_number_of_seconds(tmp_path: Path) -> None:
    _error(tmp_path, "timeout: .nan\n")


def test_a_memory_limit_is_what_duckdb_can_read(tmp_path: Path) -> None:
    _error(tmp_path, "memory_limit: lots\n")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("trace", "1", True),
        ("trace", " TRUE ", True),
        ("trace", "0", False),
        ("trace", "false", False),
        ("max_rows", "12", 12),
        ("timeout", "2.5", 2.5),
        ("timeout", "3", 3.0),
        ("provider", "rules", "rules"),
        ("hidden_names", "ssn, iban ,", ("ssn", "iban")),
        ("hidden_names", "", ()),
    ],
)
def test_a_variable_is_read_by_its_type(
    tmp_path: Path, name: str, text: str, value: object
) -> None:
    settings = _read(tmp_path, environment={f"DBT_T2S_{name.upper()}": text})
    assert getattr(settings, name) == value
    assert type(getattr(settings, name)) is type(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("trace", "maybe"),
        ("max_rows", "1e3"),
        ("max_rows", ""),
        ("max_rows", "0"),
        ("timeout", "soon"),
        ("timeout", "-1"),
        ("week_start", "Friday"),
    ],
)
def test_a_variable_that_does_not_fit_is_named(tmp_path: Path, name: str, text: str) -> None:
    variable = f"DBT_T2S_{name.upper()}"
    with pytest.raises(SettingsError, match=variable):
        _read(tmp_path, environment={variable: text})


def test_a_flag_that_does_not_fit_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--max-rows is 0"):
        _read(tmp_path, max_rows=0)


def test_a_foreign_variable_is_not_read(tmp_path: Path) -> None:
    environment = {"MAX_ROWS": "5", "T2S_MAX_ROWS": "5", "DBT_T2S_UNKNOWN": "5"}
    assert set(_read(tmp_path, environment=environment).origins.values()) == {"default"}


def test_the_documentation_has_a_row_for_each_setting() -> None:
    rows = settings_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [option.name for option in OPTIONS]
    assert all(option.variable in row for option, row in zip(OPTIONS, rows, strict=True))
