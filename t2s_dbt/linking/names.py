"""The phrases by which a project's metrics, tables and columns may be called."""

from collections.abc import Iterator
from dataclasses import dataclass

from t2s_dbt.catalog import Attribute, Catalog, Layer, Metric, Table, Term, TermMeaning
from t2s_dbt.flow import (
    AttributeTarget,
    MetricTarget,
    TableTarget,
    Target,
    TermTarget,
    ValueTarget,
)
from t2s_dbt.kinds import Kind
from t2s_dbt.linking.words import name_words, stem

# How far a way of naming something can be trusted, from its own name down to a part of it.
NAME, SYNONYM, WITH_ENTITY, OWN_ROLE, ROLE, TAIL, GENERIC = 1.0, 1.0, 1.0, 0.95, 0.9, 0.75, 0.5
STAGING_FACTOR = 0.8

_LAYER_PREFIXES = frozenset(
    ("dim fct fact stg staging mart int intermediate base rpt report agg raw src").split()
)
_TIME_SUFFIXES = frozenset({"at", "on", "date", "time", "ts", "timestamp", "datetime", "day"})
_KEY_SUFFIXES = frozenset({"id", "key", "pk", "sk", "fk"})
_UNIT_SUFFIXES = frozenset(
    (
        "m2 m3 km kg g eur usd gbp cents pct percent ms seconds minutes hours days weeks months "
        "years"
    ).split()
)
_FLAG_PREFIXES = frozenset({"is", "has", "was", "are", "did"})
_GENERIC_WORDS = frozenset(
    (
        "amount code count date id key label month name number rate status time title total type "
        "value year day week"
    ).split()
)
_BARE_HEADS = frozenset({"name", "title", "label", "id", "key", "code"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A way to name something: its stems, its words, what it names, and how sure that is.

    One that is `literal` is meant only in exactly these words: `ordered` is a date, `order` is not.
    """

    stems: tuple[str, ...]
    words: tuple[str, ...]
    target: Target
    weight: float
    evidence: str
    literal: bool = False


def phrases(catalog: Catalog) -> Iterator[Phrase]:
    """Every phrase of the catalog; some name several things."""
    for metric in catalog.metrics:
        yield from _metric_phrases(metric)
    entity_names = _entity_names(catalog)
    labels = _dimension_labels(catalog)
    for table in catalog.tables:
        factor = STAGING_FACTOR if table.layer is not Layer.MART else 1.0
        yield from _table_phrases(table, entity_names.get(table.name, ()), factor)
        yield from _column_phrases(table, entity_names.get(table.name, ()), labels, factor)
    for dimension in catalog.dimensions:
        if dimension.column is None:
            target = AttributeTarget(dimension.attribute)
            spoken = [dimension.name, dimension.label, *dimension.synonyms]
            for text in filter(None, spoken):
                yield _phrase(name_words(text), target, NAME, f"dimension {dimension.name}")
    for term in catalog.terms:
        yield from _term_phrases(term, catalog)


def _phrase(
    words: tuple[str, ...], target: Target, weight: float, evidence: str, *, literal: bool = False
) -> Phrase:
    return Phrase(tuple(stem(word) for word in words), words, target, weight, evidence, literal)


def _metric_phrases(metric: Metric) -> Iterator[Phrase]:
    target = MetricTarget(metric.name)
    words = name_words(metric.name)
    yield _phrase(words, target, NAME, f"metric {metric.name}")
    if metric.label and name_words(metric.label) != words:
        yield _phrase(name_words(metric.label), target, NAME, f"label of metric {metric.name}")
    for synonym in metric.synonyms:
        yield _phrase(name_words(synonym), target, SYNONYM, f"synonym of metric {metric.name}")
    for start in range(1, len(words) - 1):
        yield _phrase(words[start:], target, TAIL, f"end of the name of metric {metric.name}")


def _entity_names(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Names of the entities whose rows a table holds, by table."""
    found: dict[str, tuple[str, ...]] = {}
    for entity in catalog.entities:
        found[entity.table] = (*found.get(entity.table, ()), entity.name)
    return found


def table_noun(table: Table) -> tuple[str, ...]:
    """A table's name without the prefix of its layer: `fct_order_items` holds order items."""
    words = name_words(table.name)
    return words[1:] if len(words) > 1 and words[0] in _LAYER_PREFIXES else words


def _table_phrases(table: Table, entities: tuple[str, ...], factor: float) -> Iterator[Phrase]:
    target = TableTarget(table.name)
    noun = table_noun(table)
    if not _is_own_column(noun, table):
        yield _phrase(noun, target, NAME * factor, f"model {table.name}")
    if name_words(table.name) != noun:
        yield _phrase(name_words(table.name), target, NAME, f"model {table.name}")
    for entity in entities:
        if name_words(entity) != noun:
            yield _phrase(name_words(entity), target, NAME * factor, f"entity of {table.name}")
    for synonym in table.synonyms:
        yield _phrase(name_words(synonym), target, SYNONYM * factor, f"synonym of {table.name}")


def _is_own_column(noun: tuple[str, ...], table: Table) -> bool:
    """Whether a table's noun is a column that repeats in it: its rows are then something
    smaller.
    """
    stems = [stem(word) for word in noun]
    return any(
        not column.unique and [stem(word) for word in name_words(column.name)] == stems
        for column in table.columns
    )


def _dimension_labels(catalog: Catalog) -> dict[Attribute, tuple[str, ...]]:
    """Labels and synonyms that semantic models give to plain columns."""
    found: dict[Attribute, tuple[str, ...]] = {}
    for dimension in catalog.dimensions:
        spoken = tuple(filter(None, (dimension.label, dimension.name, *dimension.synonyms)))
        found[dimension.attribute] = (*found.get(dimension.attribute, ()), *spoken)
    return found


def _column_phrases(
    table: Table,
    entities: tuple[str, ...],
    labels: dict[Attribute, tuple[str, ...]],
    factor: float,
) -> Iterator[Phrase]:
    nouns = tuple(dict.fromkeys((table_noun(table), *(name_words(entity) for entity in entities))))
    for column in table.columns:
        attribute = Attribute(table.name, column.name)
        target = AttributeTarget(attribute)
        words = name_words(column.name)
        evidence = f"column {attribute}"
        spoken = [name_words(text) for text in (*labels.get(attribute, ()), *column.synonyms)]
        for name in dict.fromkeys((words, *filter(None, spoken))):
            generic = len(name) == 1 and name[0] in _GENERIC_WORDS
            yield _phrase(name, target, (GENERIC if generic else NAME) * factor, evidence)
            for noun in nouns:
                if name[: len(noun)] != noun:
                    yield _phrase((*noun, *name), target, WITH_ENTITY * factor, evidence)
        for shorter, weight in _shortened(words, column.kind, nouns):
            literal = column.kind.is_time
            yield _phrase(shorter, target, weight * factor, evidence, literal=literal)


def _shortened(
    words: tuple[str, ...], kind: Kind, nouns: tuple[tuple[str, ...], ...]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Shorter ways to say a column's name: `ordered_at` ordered, `is_late` late, `loyalty_tier`
    tier.
    """
    if len(words) < 2:
        return
    if kind.is_time and words[-1] in _TIME_SUFFIXES:
        own = any(stem(noun[-1]) == stem(words[0]) for noun in nouns)
        yield words[:-1], OWN_ROLE if own else ROLE
    elif words[-1] in _KEY_SUFFIXES:
        return
    elif words[-1] in _UNIT_SUFFIXES and len(words) > 2:
        yield words[:-1], ROLE
    elif words[0] in _FLAG_PREFIXES:
        yield words[1:], ROLE
    else:
        for noun in nouns:
            if words[: len(noun)] == noun and len(words) > len(noun):
                rest = words[len(noun) :]
                bare = len(rest) == 1 and rest[0] in _BARE_HEADS
                yield rest, GENERIC if bare else ROLE
        generic = words[-1] in _GENERIC_WORDS
        yield words[-1:], GENERIC if generic else TAIL


def _term_phrases(term: Term, catalog: Catalog) -> Iterator[Phrase]:
    target = _term_target(term, catalog)
    if target is not None:
        for text in (term.name, *term.synonyms):
            yield _phrase(name_words(text), target, SYNONYM, f"glossary term {term.name}")


def _term_target(term: Term, catalog: Catalog) -> Target | None:
    """What a term stands for; None when the catalog has no such thing (it may be hidden)."""
    match term.meaning:
        case TermMeaning.METRIC:
            known = any(metric.name == term.target for metric in catalog.metrics)
            return MetricTarget(term.target) if known else None
        case TermMeaning.MODEL:
            return TableTarget(term.target) if catalog.has_table(term.target) else None
        case TermMeaning.COLUMN | TermMeaning.VALUE:
            table, _, column = term.target.rpartition(".")
            attribute = Attribute(table, column)
            if catalog.column(attribute) is None:
                return None
            if term.meaning is TermMeaning.VALUE:
                return ValueTarget(attribute, term.text)
            return AttributeTarget(attribute)
        case TermMeaning.DIMENSION:
            found = dimension_attribute(term.target, catalog)
            return AttributeTarget(found) if found else None
        case _:
            return TermTarget(term.name)


def dimension_attribute(item: str, catalog: Catalog) -> Attribute | None:
    """The attribute behind `entity__dimension`: the dimension of the table whose rows the entity
    is.
    """
    entity, _, name = item.rpartition("__")
    tables = {e.table for e in catalog.entities if e.name == entity.split("__")[-1]}
    for dimension in catalog.dimensions:
        if dimension.name == name and dimension.table in tables:
            return dimension.attribute
    return None
