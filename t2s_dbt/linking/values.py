"""Which columns hold a word of the question: the distinct values of text columns, kept between
asks.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from t2s_dbt.catalog import Attribute, Catalog, Table
from t2s_dbt.kinds import Kind
from t2s_dbt.linking.words import stem, value_words
from t2s_dbt.ports import Warehouse

MOST_VALUES = 5_000
MOST_WORDS = 6
_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it is stored, and where."""

    attribute: Attribute
    text: str


class ValueIndex:
    """Values by their folded words, and by the stems of these; words are joined by a blank.

    The maps hold places in `values`, as they are kept in a file: most values are never looked at.
    """

    def __init__(
        self,
        attributes: Sequence[Attribute],
        values: Sequence[tuple[int, str]],
        exact: Mapping[str, Sequence[int]],
        stemmed: Mapping[str, Sequence[int]],
    ) -> None:
        self.attributes, self.values, self.exact, self.stemmed = attributes, values, exact, stemmed

    def find(self, words: tuple[str, ...]) -> tuple[list[Value], bool]:
        """The values spelled like these folded words, and whether exactly so (else by stem)."""
        found = self.exact.get(" ".join(words))
        if found:
            return self._values(found), True
        return self._values(self.stemmed.get(" ".join(stem(word) for word in words), ())), False

    def near(self, word: str, cutoff: float = 88.0) -> tuple[list[Value], float]:
        """Values whose spelling is close to one word, and how close (0 to 100)."""
        from rapidfuzz import fuzz, process

        singles = [key for key in self.exact if " " not in key and len(key) > 4]
        best = process.extractOne(word, singles, scorer=fuzz.ratio, score_cutoff=cutoff)
        return (self._values(self.exact[best[0]]), float(best[1])) if best else ([], 0.0)

    def _values(self, places: Sequence[int]) -> list[Value]:
        found = (self.values[place] for place in places)
        return [Value(self.attributes[attribute], text) for attribute, text in found]


def index_values(texts: Mapping[Attribute, Sequence[str]]) -> ValueIndex:
    """The index of the values of some columns; values of many words are left out."""
    values: list[tuple[int, str]] = []
    exact: dict[str, list[int]] = {}
    stemmed: dict[str, list[int]] = {}
    for attribute, spellings in enumerate(texts.values()):
        for text in spellings:
            words = value_words(text)
            if not 0 < len(words) <= MOST_WORDS:
                continue
            exact.setdefault(" ".join(words), []).append(len(values))
            if not words[-1].isdigit():
                stems = " ".join(stem(word) for word in words)
                stemmed.setdefault(stems, []).append(len(values))
            values.append((attribute, text))
    return ValueIndex(list(texts), values, exact, stemmed)


def indexed_columns(table: Table) -> list[str]:
    """The text columns whose values are worth finding."""
    return [
        column.name for column in table.columns if column.kind is Kind.TEXT and not column.values
    ]


def build_values(catalog: Catalog, warehouse: Warehouse) -> ValueIndex:
    """The values of all askable text columns: from tests where they list them, else from the
    database.
    """
    values: dict[Attribute, tuple[str, ...]] = {}
    tables = {table.relation: table for table in catalog.tables if table.askable}
    for table in tables.values():
        for column in table.columns:
            if column.values and column.kind is Kind.TEXT:
                values[Attribute(table.name, column.name)] = column.values
    wanted = {relation: indexed_columns(table) for relation, table in tables.items()}
    wanted = {relation: names for relation, names in wanted.items() if names}
    for relation, profiles in warehouse.profile(wanted, MOST_VALUES).items():
        for name, profile in profiles.items():
            if profile.values is not None:
                values[Attribute(tables[relation].name, name)] = profile.values
    return index_values(values)


def read_values(path: Path, key: str) -> ValueIndex | None:
    """The values kept at `path`, if they were kept under the same key; None when not, or
    damaged.
    """
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != _FORMAT or data["key"] != key:
            return None
        attributes = [Attribute(table, name) for table, name in data["attributes"]]
        return ValueIndex(attributes, data["values"], data["exact"], data["stemmed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def values_text(index: ValueIndex, key: str) -> str:
    """What `read_values` reads."""
    return json.dumps(
        {
            "format": _FORMAT,
            "key": key,
            "attributes": [(attribute.table, attribute.name) for attribute in index.attributes],
            "values": index.values,
            "exact": index.exact,
            "stemmed": index.stemmed,
        }
    )
