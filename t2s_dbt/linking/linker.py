"""Links a question to the project: which of its words may mean which metric, table, column or
value.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from t2s_dbt.catalog import Catalog, Layer
from t2s_dbt.flow import (
    AttributeTarget,
    Linked,
    Mention,
    MetricTarget,
    Question,
    TableTarget,
    Target,
    TermTarget,
    Token,
    ValueTarget,
)
from t2s_dbt.linking.names import Phrase, phrases
from t2s_dbt.linking.values import MOST_WORDS, ValueIndex
from t2s_dbt.linking.words import fold, same_but_number, stem, tokenize, value_words

EXACT, STEMMED, OTHER_FORM, FUZZY_FACTOR = 1.0, 0.97, 0.8, 0.8
BRIDGE_LIMIT = 3

_PARTS = re.compile(r"[^\W_]+")  # the words of customer_email, or of a term's name


_PREFIXES = frozenset({"dim", "fct", "fact", "stg", "int", "rpt", "mart", "base"})


def _stems(name: str) -> tuple[str, ...]:
    return tuple(stem(part) for part in _PARTS.findall(name))


class Linker:
    """Knows all phrases and values of one catalog."""

    def __init__(self, catalog: Catalog, values: ValueIndex) -> None:
        self._catalog = catalog
        self._values = values
        self._phrases: dict[tuple[str, ...], list[Phrase]] = {}
        for phrase in phrases(catalog.askable):
            if phrase.stems:
                self._phrases.setdefault(phrase.stems, []).append(phrase)
        self._longest = max((len(stems) for stems in self._phrases), default=0)

    def link(self, question: Question) -> Linked:
        """Everything the question may mention, and the part of the catalog that goes with it."""
        tokens = tokenize(question.text)
        found = list(self._spans(tokens))
        found += self._misspelt(tokens, found)
        mentions = tuple(_marts_first(_best(found), self._catalog))
        return Linked(
            question=question,
            tokens=tokens,
            mentions=mentions,
            context=self._context(mentions),
            hidden_words=self._hidden_words(tokens),
            near=self._near(tokens, mentions),
        )

    def _spans(self, tokens: tuple[Token, ...]) -> Iterator[Mention]:
        longest = max(self._longest, MOST_WORDS)
        stems = [stem(token.text) for token in tokens]
        for first in range(len(tokens)):
            for last in range(first + 1, min(len(tokens), first + longest) + 1):
                if tokens[last - 1].text in ",;?!.":
                    break
                yield from self._named(tokens, stems, first, last)
                yield from self._valued(tokens, first, last)

    def _named(
        self, tokens: tuple[Token, ...], stems: list[str], first: int, last: int
    ) -> Iterator[Mention]:
        if any(token.quoted for token in tokens[first:last]):
            return
        written = tuple(token.lower for token in tokens[first:last])
        for phrase in self._phrases.get(tuple(stems[first:last]), ()):
            likeness = _likeness(written, phrase)
            if likeness:
                score = phrase.weight * likeness
                yield Mention(first, last, phrase.target, score, phrase.evidence)
                if isinstance(phrase.target, ValueTarget):
                    yield from self._elsewhere(first, last, phrase.target, score)

    def _elsewhere(
        self, first: int, last: int, target: ValueTarget, score: float
    ) -> Iterator[Mention]:
        """Other columns that hold the value a term means: likely where the term's own is far."""
        for value in self._values.find(value_words(target.value))[0]:
            if value.attribute != target.attribute and value.text == target.value:
                other = ValueTarget(value.attribute, value.text)
                yield Mention(first, last, other, score * STEMMED, f"value of {value.attribute}")

    def _valued(self, tokens: tuple[Token, ...], first: int, last: int) -> Iterator[Mention]:
        words: tuple[str, ...] = ()
        for token in tokens[first:last]:
            parts = tokenize(token.text) if token.quoted else (token,)
            words += tuple(fold(part.text) for part in parts)
        values, exact = self._values.find(words)
        for value in values:
            if not exact and not _differs_in_number(words, value_words(value.text)):
                continue
            score = EXACT if exact else OTHER_FORM
            target = ValueTarget(value.attribute, value.text)
            yield Mention(first, last, target, score, f"value of {value.attribute}")

    def _misspelt(self, tokens: tuple[Token, ...], found: list[Mention]) -> Iterator[Mention]:
        """Values close to a word that nothing else explains."""
        explained = {place for mention in found for place in range(mention.first, mention.last)}
        for place, token in enumerate(tokens):
            word = fold(token.text)
            if place in explained or len(word) < 5 or not token.text[0].isupper() or place == 0:
                continue
            values, closeness = self._values.near(word)
            for value in values:
                evidence = f"close to '{value.text}' of {value.attribute}"
                target = ValueTarget(value.attribute, value.text)
                yield Mention(place, place + 1, target, closeness / 100 * FUZZY_FACTOR, evidence)

    def _near(
        self, tokens: tuple[Token, ...], mentions: tuple[Mention, ...]
    ) -> dict[str, tuple[str, ...]]:
        """Names that are spelled like words that nothing explains."""
        explained = {place for mention in mentions for place in range(mention.first, mention.last)}
        unknown = [t.text for p, t in enumerate(tokens) if p not in explained and len(t.text) > 3]
        if not unknown:
            return {}
        import difflib

        names = {" ".join(p.words) for found in self._phrases.values() for p in found}
        near = {w: tuple(difflib.get_close_matches(w.lower(), names, 3, 0.8)) for w in unknown}
        return {word: found for word, found in near.items() if found}

    def _hidden_words(self, tokens: tuple[Token, ...]) -> tuple[str, ...]:
        """Words of the question that name something hidden, all of its words in a row."""
        stems = [stem(token.text) for token in tokens]
        columns = {_stems(hidden.column) for hidden in self._catalog.hidden}
        whole = {_stems(name) for name in self._catalog.withheld}
        spoken = {stems[1:] for stems in whole if stems[:1] and stems[0] in _PREFIXES}
        # What also names something that is shown says nothing about what is not.
        names = columns | {name for name in whole | spoken if name and name not in self._phrases}
        found: dict[str, None] = {}
        for name in names:
            for first in range(len(stems) - len(name) + 1):
                if tuple(stems[first : first + len(name)]) == name:
                    found.update((token.text, None) for token in tokens[first : first + len(name)])
        return tuple(found)

    def _context(self, mentions: tuple[Mention, ...]) -> Catalog:
        """The tables mentioned, those that metrics read, and the bridges between them; without the
        record of what is hidden, which no provider is handed.
        """
        catalog = self._catalog.askable
        named = list(dict.fromkeys(_tables_of(mentions, self._catalog)))
        kept = dict.fromkeys(named)
        for start in named:
            for goal in named:
                for join in catalog.path(start, goal, BRIDGE_LIMIT) or ():
                    kept[join.many.table] = kept[join.one.table] = None
        return replace(self._catalog.narrowed(kept), hidden=(), withheld=(), notes=())


def _likeness(written: tuple[str, ...], phrase: Phrase) -> float:
    """How well words fit a phrase of the same stems; 0 where another form is another word.

    Number is no difference: `order` and `orders`. A verb's form is: who `ordered` is no order.
    """
    if written == phrase.words:
        return EXACT
    if phrase.literal:
        return 0.0
    if all(_same_noun(a, b) for a, b in zip(written, phrase.words, strict=True)):
        return STEMMED
    return 0.0 if len(phrase.words) == 1 else OTHER_FORM


def _same_noun(one: str, other: str) -> bool:
    """Whether two words of one stem differ in number only, and not as a verb differs from its
    noun.
    """
    forms = [word.endswith(("ed", "ing")) for word in (one, other)]
    return same_but_number(one, other) or not any(forms)


def _differs_in_number(written: tuple[str, ...], stored: tuple[str, ...]) -> bool:
    """Whether words are a value but for a plural: `shipping` is no `shipped`."""
    pairs = zip(written, stored, strict=False)
    return len(written) == len(stored) and all(same_but_number(a, b) for a, b in pairs)


def _tables_of(mentions: Iterable[Mention], catalog: Catalog) -> Iterator[str]:
    for mention in mentions:
        match mention.target:
            case MetricTarget(metric):
                yield from catalog.metric(metric).models
            case TableTarget(table):
                yield table
            case AttributeTarget(attribute) | ValueTarget(attribute, _):
                yield attribute.table
            case TermTarget(name):
                term = next(term for term in catalog.terms if term.name == name)
                if catalog.has_table(term.target):
                    yield term.target


def _best(found: Iterable[Mention]) -> list[Mention]:
    """One mention for each span and target: the surest."""
    best: dict[tuple[int, int, Target], Mention] = {}
    for mention in found:
        key = mention.first, mention.last, mention.target
        if key not in best or best[key].score < mention.score:
            best[key] = mention
    return sorted(best.values(), key=lambda m: (m.first, -m.last, -m.score))


def _marts_first(found: list[Mention], catalog: Catalog) -> Iterator[Mention]:
    """Leaves out staging columns, values and tables wherever a mart has the same to offer."""

    def in_mart(mention: Mention) -> bool:
        tables = list(_tables_of((mention,), catalog))
        return not tables or all(catalog.table(table).layer is Layer.MART for table in tables)

    served = {(m.first, m.last, type(m.target)) for m in found if in_mart(m)}
    for mention in found:
        if in_mart(mention) or (mention.first, mention.last, type(mention.target)) not in served:
            yield mention
