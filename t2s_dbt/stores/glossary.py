"""Reads `t2s/glossary.yml`: the words of the business, and what each means in this project."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from t2s_dbt import yamlfiles
from t2s_dbt.catalog import Location, Term, TermMeaning
from t2s_dbt.errors import SettingsError

GLOSSARY_FILE = Path("t2s") / "glossary.yml"

_PLAIN = {
    TermMeaning.METRIC,
    TermMeaning.DIMENSION,
    TermMeaning.MODEL,
    TermMeaning.COLUMN,
}
_PARTS: dict[TermMeaning, tuple[str, str]] = {
    TermMeaning.FILTER: ("model", "sql"),
    TermMeaning.EXPRESSION: ("model", "sql"),
    TermMeaning.VALUE: ("column", "value"),
}
_KEYS = {"name", "synonyms", "definition", "owner", *(meaning.value for meaning in TermMeaning)}


def read_glossary(folder: Path) -> tuple[Term, ...]:
    """The terms of a project; none when it has no glossary.

    Raises:
        SettingsError: the file cannot be used, with file and line.

    """
    path = folder / GLOSSARY_FILE
    root = yamlfiles.compose(path, SettingsError) if path.exists() else None
    if root is None:
        return ()
    return tuple(_read_term(node, path) for node in _term_nodes(root, path))


def _term_nodes(root: yaml.Node, path: Path) -> Iterator[yaml.Node]:
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if key.value == "terms" and isinstance(value, yaml.SequenceNode):
                yield from value.value
                return
    raise SettingsError("expected a list under `terms:`", path=path, line=root.start_mark.line + 1)


def _read_term(node: yaml.Node, path: Path) -> Term:
    line = node.start_mark.line + 1

    def bad(message: str) -> SettingsError:
        return SettingsError(message, path=path, line=line)

    data = yamlfiles.construct(node, path, SettingsError)
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        raise bad("a term needs a `name`")
    name = data["name"]
    if unknown := sorted(str(key) for key in data.keys() - _KEYS):
        raise bad(f"term '{name}' has an unknown key '{unknown[0]}'")
    meanings = [meaning for meaning in TermMeaning if meaning.value in data]
    if len(meanings) != 1:
        choices = ", ".join(meaning.value for meaning in TermMeaning)
        raise bad(f"term '{name}' needs exactly one meaning of: {choices}")
    meaning = meanings[0]
    synonyms = data.get("synonyms") or []
    if not isinstance(synonyms, list):
        raise bad(f"the synonyms of term '{name}' are no list")
    try:
        target, text = _meaning_parts(meaning, data[meaning.value])
    except (TypeError, KeyError):
        parts = " and ".join(f"`{part}`" for part in _PARTS.get(meaning, ("a text",)))
        raise bad(f"the {meaning.value} of term '{name}' needs {parts}") from None
    return Term(
        name=name,
        meaning=meaning,
        target=target,
        text=text,
        synonyms=tuple(str(synonym) for synonym in synonyms),
        definition=str(data.get("definition") or ""),
        owner=str(data.get("owner") or ""),
        location=Location(str(GLOSSARY_FILE.as_posix()), line),
    )


def _meaning_parts(meaning: TermMeaning, value: Any) -> tuple[str, str]:
    """The target and the text of a meaning."""
    if meaning in _PLAIN or meaning is TermMeaning.INSTRUCTION:
        if not isinstance(value, str):
            raise TypeError
        return (value, "") if meaning in _PLAIN else ("", value)
    target, text = _PARTS[meaning]
    if value[target] in (None, "") or value[text] in (None, ""):
        raise KeyError
    return str(value[target]), str(value[text])
