"""All spans of a question with what each may mean, and the best ways to cover the question with
them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from t2s_dbt.catalog import Attribute, Term
from t2s_dbt.flow import (
    AttributeTarget,
    Linked,
    Mention,
    MetricTarget,
    TableTarget,
    TermTarget,
    Token,
    ValueTarget,
)
from t2s_dbt.generation.rules.cues import LONGEST, PHRASES, Cue, Meaning
from t2s_dbt.generation.rules.dates import Calendar, read_period
from t2s_dbt.generation.rules.numbers import read_number
from t2s_dbt.reading import Grain, Period

COVERS = 24
_BEAM = 60
UNUSED_COST = 1.5
_CUE_WEIGHT, _FILLER_WEIGHT, _NUMBER_WEIGHT, _PERIOD_WEIGHT = 0.75, 0.3, 0.7, 1.0
_TEXT_WEIGHT = 0.65
_LONGER_BONUS = 0.15
_CANDIDATE_MARGIN = 0.3
EXACT_SPELLING = 1.0
_SHADOW, _SHADOW_COST = 0.9, 0.3


class Kind(StrEnum):
    """What a span may be."""

    CUE = "cue"
    NUMBER = "number"
    PERIOD = "period"
    GRAIN = "grain"
    METRIC = "metric"
    TABLE = "table"
    ATTRIBUTE = "attribute"
    VALUE = "value"
    TERM = "term"
    TEXT = "text"


_NAMES = (Kind.METRIC, Kind.TABLE, Kind.ATTRIBUTE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that a span may name; a value may be stored in several spellings."""

    name: str = ""
    attribute: Attribute | None = None
    values: tuple[str, ...] = ()
    score: float = 1.0
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """Tokens `first` up to `last` taken as one kind of thing, with the candidates for what it
    names.
    """

    first: int
    last: int
    kind: Kind
    weight: float
    meaning: Meaning | None = None
    candidates: tuple[Candidate, ...] = ()
    period: Period | None = None
    number: float = 0.0
    percent: bool = False
    grain: str = ""
    text: str = ""
    shadowed: bool = False  # the same words are the name of something else

    def cue(self) -> Cue | None:
        """The cue it is, if it is one."""
        return self.meaning.cue if self.kind is Kind.CUE and self.meaning else None


@dataclass(frozen=True, slots=True)
class Cover:
    """Items in order that do not overlap, the tokens that none of them explains, and a score."""

    items: tuple[Item, ...]
    unused: tuple[int, ...]
    score: float


def covers(linked: Linked, calendar: Calendar) -> list[Cover]:
    """The best covers of a question, the best first."""
    starting: dict[int, list[Item]] = {}
    for item in _items(linked, calendar):
        starting.setdefault(item.first, []).append(item)
    beams: list[list[Cover]] = [[] for _ in range(len(linked.tokens) + 1)]
    beams[0] = [Cover((), (), 0.0)]
    for place in range(len(linked.tokens)):
        beam = sorted(beams[place], key=lambda cover: -cover.score)[:_BEAM]
        for cover in beam:
            for item in starting.get(place, ()):
                score = cover.score + item.weight
                beams[item.last].append(Cover((*cover.items, item), cover.unused, score))
            beams[place + 1].append(
                Cover(cover.items, (*cover.unused, place), cover.score - UNUSED_COST)
            )
    return sorted(beams[-1], key=lambda cover: -cover.score)[:COVERS]


def _items(linked: Linked, calendar: Calendar) -> Iterator[Item]:
    tokens = linked.tokens
    yield from _without_periods(list(_mentioned(linked)), linked, calendar)
    yield from _fiscal(linked)
    for first in range(len(tokens)):
        spelled = not tokens[first].text.isdigit() and _after_pattern(tokens, first)
        if tokens[first].quoted or spelled:
            text = tokens[first].text
            yield Item(first, first + 1, Kind.TEXT, _TEXT_WEIGHT, text=text)
        if tokens[first].quoted:
            continue
        yield from _cues(tokens, first)
        if number := read_number(tokens, first):
            value, last = number
            percent = any(t.lower.endswith(("%", "percent")) for t in tokens[first:last])
            weight = _weigh(_NUMBER_WEIGHT, last - first)
            yield Item(first, last, Kind.NUMBER, weight, number=value, percent=percent)
        if found := read_period(tokens, first, calendar):
            period, last = found
            weight = _weigh(_PERIOD_WEIGHT, last - first)
            yield Item(first, last, Kind.PERIOD, weight, period=period)


def _without_periods(items: list[Item], linked: Linked, calendar: Calendar) -> Iterator[Item]:
    """Metrics whose names end in a period (`revenue last year`) weigh no more than their parts.

    So that the metric of that name and the metric within that period stand side by side.
    """
    weights = {(item.first, item.last): item.weight for item in items if item.kind is Kind.METRIC}
    for item in items:
        if item.kind is Kind.METRIC:
            for place in range(item.first + 1, item.last):
                found = read_period(linked.tokens, place, calendar)
                part = weights.get((item.first, place))
                if part is not None and found is not None and found[1] == item.last:
                    period = _weigh(_PERIOD_WEIGHT, item.last - place)
                    item = replace(item, weight=part + period)
        yield item


def _weigh(weight: float, length: int) -> float:
    """What a span is worth: longer spans are worth more than their parts."""
    return weight * length + _LONGER_BONUS * (length - 1)


def _after_pattern(tokens: tuple[Token, ...], first: int) -> bool:
    """Whether a word stands behind `starting with` and the like, so that it is a text whatever it
    is.
    """
    before = [token.lower for token in tokens[max(0, first - LONGEST) : first]]
    return any(
        (found := PHRASES.get(" ".join(before[start:]))) is not None and found.cue is Cue.PATTERN
        for start in range(len(before))
    )


def _opens(tokens: tuple[Token, ...], first: int) -> bool:
    """Whether only polite words stand before a place: `list` asks for a list at the head alone."""
    before = [PHRASES.get(token.lower) for token in tokens[:first]]
    return all(meaning is not None and meaning.cue is Cue.FILLER for meaning in before)


def _cues(tokens: tuple[Token, ...], first: int) -> Iterator[Item]:
    words: list[str] = []
    for last in range(first + 1, min(len(tokens), first + LONGEST) + 1):
        words.append(tokens[last - 1].lower)
        meaning = PHRASES.get(" ".join(words))
        if meaning is None or (meaning.cue is Cue.LIST and not _opens(tokens, first)):
            continue
        if isinstance(meaning.value, Grain):
            weight = _weigh(_CUE_WEIGHT, last - first)
            yield Item(first, last, Kind.GRAIN, weight, meaning, grain=meaning.value.value)
        else:
            base = _FILLER_WEIGHT if meaning.cue is Cue.FILLER else _CUE_WEIGHT
            yield Item(first, last, Kind.CUE, _weigh(base, last - first), meaning)


def _fiscal(linked: Linked) -> Iterator[Item]:
    """Custom grains of the time spine, called by their names."""
    words = [token.lower.removesuffix("s") for token in linked.tokens]
    for grain in linked.context.fiscal_grains:
        for name in _grain_names(grain, linked.context.terms):
            parts = [part.removesuffix("s") for part in name]
            for first in range(len(words) - len(parts) + 1):
                if words[first : first + len(parts)] == parts:
                    last = first + len(parts)
                    yield Item(first, last, Kind.GRAIN, _weigh(1.0, len(parts)), grain=grain)


def _grain_names(grain: str, terms: tuple[Term, ...]) -> Iterator[list[str]]:
    """A grain's own name, and the synonyms of a glossary term that is called the same."""
    own = grain.lower().split("_")
    yield own
    for term in terms:
        if term.name.lower().split() == own:
            yield from (synonym.lower().split() for synonym in term.synonyms)


def _mentioned(linked: Linked) -> Iterator[Item]:
    """The linker's mentions, those of one span and kind as candidates of one item."""
    grouped: dict[tuple[int, int, Kind], list[Mention]] = {}
    for mention in linked.mentions:
        grouped.setdefault((mention.first, mention.last, _kind(mention)), []).append(mention)
    strength = {key: max(m.score for m in mentions) for key, mentions in grouped.items()}
    for (first, last, kind), mentions in grouped.items():
        best = strength[first, last, kind]
        rivals = {k: strength.get((first, last, k), 0.0) for k in _NAMES}
        named = max(rivals[Kind.METRIC], rivals[Kind.TABLE])
        shadowed = kind is Kind.ATTRIBUTE and best <= named
        if kind is Kind.VALUE and max(rivals.values()) >= _SHADOW:
            shadowed = True
            if best < EXACT_SPELLING:
                continue
        near = [m for m in mentions if m.score >= best - _CANDIDATE_MARGIN]
        candidates = tuple(_merged(near))
        if kind is Kind.VALUE and _is_small_word(linked.tokens[first:last], candidates):
            continue
        weight = _weigh(best, last - first)
        if shadowed and kind is Kind.VALUE and linked.tokens[first].text.islower():
            weight -= _SHADOW_COST
        text = " ".join(token.text for token in linked.tokens[first:last])
        yield Item(first, last, kind, weight, candidates=candidates, shadowed=shadowed, text=text)


def _is_small_word(tokens: tuple[Token, ...], candidates: tuple[Candidate, ...]) -> bool:
    """Whether a value is spelled like a word of grammar: `us` is no country unless written `US`."""
    if len(tokens) != 1 or tokens[0].quoted or tokens[0].lower not in PHRASES:
        return False
    return all(tokens[0].text not in candidate.values for candidate in candidates)


def _kind(mention: Mention) -> Kind:
    match mention.target:
        case MetricTarget():
            return Kind.METRIC
        case TableTarget():
            return Kind.TABLE
        case AttributeTarget():
            return Kind.ATTRIBUTE
        case ValueTarget():
            return Kind.VALUE
        case TermTarget():
            return Kind.TERM


def _merged(mentions: list[Mention]) -> Iterator[Candidate]:
    """Candidates, where the spellings of one value in one column become one."""
    stored: dict[Attribute, list[Mention]] = {}
    for mention in mentions:
        match mention.target:
            case MetricTarget(name) | TableTarget(name) | TermTarget(name):
                yield Candidate(name, score=mention.score, evidence=mention.evidence)
            case AttributeTarget(attribute):
                yield Candidate(attribute=attribute, score=mention.score, evidence=mention.evidence)
            case ValueTarget(attribute, _):
                stored.setdefault(attribute, []).append(mention)
    for attribute, found in stored.items():
        values = [m.target.value for m in found if isinstance(m.target, ValueTarget)]
        best = max(found, key=lambda mention: mention.score)
        yield Candidate(
            attribute=attribute,
            values=tuple(dict.fromkeys(values)),
            score=best.score,
            evidence=best.evidence,
        )
