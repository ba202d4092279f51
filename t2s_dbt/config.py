"""Settings: read once at the edge, each knows where it came from.

Precedence is flag, environment variable (`DBT_T2S_…`), `t2s.yml`, default. Nothing below the shells
reads the environment again.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from t2s_dbt import yamlfiles
from t2s_dbt.errors import SettingsError

SETTINGS_FILE = "t2s.yml"
ENV_PREFIX = "DBT_T2S_"


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: its type, default, what it does, and the least value that makes sense."""

    name: str
    type: type
    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return ENV_PREFIX + self.name.upper()


_SIZE = r"\d+(\.\d+)? ?([KMGT]i?B)"
_ABOVE_ZERO = r"(?=.*[1-9].*B)"

OPTIONS: tuple[Option, ...] = (
    Option("provider", str, "rules", "Who reads questions.", choices=("rules",)),
    Option(
        "max_rows", int, 1000, "Rows of a result at most; more are cut, and said to be.", 1, 1e6
    ),
    Option("timeout", float, 30.0, "Seconds a query may run.", 0.01, 86_400),
    Option("max_attempts", int, 3, "Queries tried for one question at most.", 1, 10),
    Option(
        "memory_limit",
        str,
        "2GB",
        "Memory a query may use: a number and KB, MB, GB, TB, KiB, MiB, GiB or TiB.",
        pattern=_ABOVE_ZERO + _SIZE,
    ),
    Option(
        "temp_limit",
        str,
        "4GB",
        "Temporary files a query may write when its memory is used up; 0GB for none.",
        pattern=_SIZE,
    ),
    Option(
        "max_bytes",
        int,
        50_000_000,
        "Bytes of a result at most; the rows that do not fit are cut, and said to be.",
        1000,
        1e10,
    ),
    Option(
        "max_plan_rows",
        int,
        10_000_000_000,
        "Rows that one step of a query may be estimated to make; more is refused before it runs.",
        1000,
        1e18,
    ),
    Option("threads", int, 2, "Threads a query may use.", 1, 256),
    Option("lock_wait", float, 3.0, "Seconds to wait while another process writes.", 0, 3600),
    Option(
        "week_start",
        str,
        "monday",
        "First day of `this week` and `last week`; grouping by week is the database's.",
        choices=("monday", "sunday"),
    ),
    Option("trace", bool, True, "Append each ask to logs/t2s/."),
    Option("max_question", int, 2000, "Characters of a question at most.", 1, 100_000),
    Option(
        "hidden_names",
        list,
        (
            "password passwd pwd passphrase secret token api_key apikey access_key private_key "
            "credential cvv cvc"
        ).split(),
        "Columns with one of these in their name, as whole words, are hidden.",
    ),
    Option(
        "hidden_flags",
        list,
        (
            "pii is_pii contains_pii has_pii phi sensitive is_sensitive contains_sensitive "
            "personal_data confidential restricted hidden"
        ).split(),
        "Columns and models with one of these as a tag or a true key of `meta` are hidden.",
    ),
    Option(
        "audiences",
        dict,
        {},
        "Which models an audience may read: `{name: {select: [selector], exclude: [selector]}}`.",
    ),
    Option("audience", str, "", "The audience that asks; everything that is not private if empty."),
)
_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Audience:
    """Who asks: `select` and `exclude` are dbt's selectors of the models they may read."""

    name: str
    select: tuple[str, ...]
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run; `origins` says of each where it came from."""

    provider: str
    max_rows: int
    timeout: float
    max_attempts: int
    memory_limit: str
    temp_limit: str
    max_bytes: int
    max_plan_rows: int
    threads: int
    lock_wait: float
    week_start: str
    trace: bool
    max_question: int
    hidden_names: tuple[str, ...]
    hidden_flags: tuple[str, ...]
    audiences: Mapping[str, Audience]
    audience: str
    origins: Mapping[str, str]

    def items(self) -> list[tuple[str, Any, str]]:
        """Name, value and origin of each setting, in the documented order."""
        return [(o.name, getattr(self, o.name), self.origins[o.name]) for o in OPTIONS]

    @property
    def asking(self) -> Audience | None:
        """The audience that asks; None for everybody."""
        return self.audiences.get(self.audience)


def read_settings(
    project_dir: Path, environment: Mapping[str, str], flags: Mapping[str, Any]
) -> Settings:
    """The settings of a project.

    Args:
        project_dir: the folder that may hold a `t2s.yml`.
        environment: the process environment, passed in.
        flags: values of flags by setting name; None means not given.

    Raises:
        SettingsError: an unknown key, a wrong type or a value out of range, with file and line.

    """
    values: dict[str, Any] = {option.name: option.default for option in OPTIONS}
    origins = dict.fromkeys(values, "default")
    for name, (value, line) in _read_file(project_dir / SETTINGS_FILE).items():
        values[name], origins[name] = value, f"{SETTINGS_FILE}:{line}"
    for option in OPTIONS:
        if (text := environment.get(option.variable)) is not None:
            values[option.name] = _from_text(option, text)
            origins[option.name] = option.variable
    for name, value in flags.items():
        if value is not None:
            _check(_BY_NAME[name], value, _flag(name))
            values[name], origins[name] = value, _flag(name)
    values["hidden_names"] = tuple(values["hidden_names"])
    values["hidden_flags"] = tuple(values["hidden_flags"])
    values["audiences"] = _audiences(values["audiences"], origins["audiences"])
    _check_audience(values["audience"], values["audiences"], origins["audience"])
    known = {field.name for field in fields(Settings)} - {"origins"}
    return Settings(**{name: values[name] for name in known}, origins=origins)


def _audiences(raw: Mapping[str, Any], origin: str) -> dict[str, Audience]:
    """The audiences that a setting describes.

    Raises SettingsError for one that is no map of `select` and `exclude`.
    """
    found: dict[str, Audience] = {}
    for name, entry in raw.items():
        lists = dict(entry) if isinstance(entry, dict) else {}
        select = _selectors(lists.pop("select", None))
        exclude = _selectors(lists.pop("exclude", []))
        named = re.fullmatch(r"[\w-]+", str(name))
        if lists or not select or exclude is None or not named:
            raise SettingsError(
                f"{origin}: audience '{name}' is {entry!r}; expected the selectors it may read",
                hint="Write {select: ['fct_*', 'tag:public'], exclude: [fct_salaries]}.",
            )
        found[str(name)] = Audience(str(name), select, exclude)
    return found


def _selectors(value: Any) -> tuple[str, ...] | None:
    values = [value] if isinstance(value, str) else value
    fits = isinstance(values, list) and all(isinstance(one, str) and one for one in values)
    return tuple(values) if fits else None


def _check_audience(name: str, known: Mapping[str, Audience], origin: str) -> None:
    """Raises SettingsError unless there is an audience of that name, or none is named."""
    if name and name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else "Define it under `audiences` in t2s.yml."
        raise SettingsError(f"{origin}: there is no audience '{name}'", hint=hint)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _read_file(path: Path) -> dict[str, tuple[Any, int]]:
    """Values and line numbers of a settings file; empty when there is none."""
    node = yamlfiles.compose(path, SettingsError) if path.exists() else None
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(
            "expected settings as `name: value` lines", path=path, line=node.start_mark.line + 1
        )
    found: dict[str, tuple[Any, int]] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        name = str(key_node.value)
        if name not in _BY_NAME:
            raise _unknown(name, path, line)
        if name in found:
            raise SettingsError(f"'{name}' is set twice", path=path, line=line)
        value = yamlfiles.construct(value_node, path, SettingsError)
        _check(_BY_NAME[name], value, f"'{name}'", path, line)
        found[name] = (value, line)
    return found


def _unknown(name: str, path: Path, line: int) -> SettingsError:
    near = difflib.get_close_matches(name, _BY_NAME, n=1)
    hint = f"Did you mean '{near[0]}'?" if near else f"Known settings: {', '.join(_BY_NAME)}."
    return SettingsError(f"unknown setting '{name}'", path=path, line=line, hint=hint)


def _from_text(option: Option, text: str) -> Any:
    """A value given as text in an environment variable."""
    value: Any = text
    try:
        if option.type is bool:
            value = {"1": True, "true": True, "0": False, "false": False}[text.strip().lower()]
        elif option.type in (int, float):
            value = option.type(text)
        elif option.type is dict:
            value = yaml.safe_load(text)
        elif option.type is list:
            value = [part.strip() for part in text.split(",") if part.strip()]
    except (KeyError, ValueError, yaml.YAMLError):
        raise SettingsError(
            f"{option.variable} is {text!r}, which is no {_TYPE_NAMES[option.type]}"
        ) from None
    _check(option, value, option.variable)
    return value


_TYPE_NAMES = {
    int: "whole number",
    float: "number",
    str: "text",
    bool: "true or false",
    list: "list of texts",
    dict: "map",
}


def _check(
    option: Option, value: Any, what: str, path: Path | None = None, line: int | None = None
) -> None:
    """Raises SettingsError unless `value` fits the option."""

    def bad(expected: str) -> SettingsError:
        return SettingsError(f"{what} is {value!r}; expected {expected}", path=path, line=line)

    accepted = (int, float) if option.type is float else option.type
    if not isinstance(value, accepted) or (isinstance(value, bool) and option.type is not bool):
        raise bad(f"a {_TYPE_NAMES[option.type]}")
    if option.choices and value not in option.choices:
        raise bad(f"one of {', '.join(option.choices)}")
    if isinstance(value, list) and not all(isinstance(part, str) for part in value):
        raise bad("a list of texts")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if option.least is not None and not value >= option.least:
            raise bad(f"at least {option.least:g}")
        if option.most is not None and not value <= option.most:
            raise bad(f"at most {option.most:g}")
    if option.pattern and not re.fullmatch(option.pattern, str(value), re.IGNORECASE):
        raise bad("a number and a unit, such as 2GB")


def settings_table() -> str:
    """The Markdown table of all settings that `docs/settings.md` holds."""
    rows = ["| setting | flag or variable | default | what it does |", "|---|---|---|---|"]
    for option in OPTIONS:
        default = ", ".join(option.default) if option.type is list else option.default or "-"
        default = option.default if option.type in (bool, int, float) else default
        shown = str(default).lower() if option.type is bool else default
        choices = f" One of: {', '.join(option.choices)}." if option.choices else ""
        rows.append(
            f"| `{option.name}` | `{option.variable}` | `{shown}` | {option.help}{choices} |"
        )
    return "\n".join(rows) + "\n"
