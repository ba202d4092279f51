"""The offline provider: reads a question by grammar and catalog alone, the same way every time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from t2s_dbt.catalog import Attribute, Catalog
from t2s_dbt.flow import (
    Attempt,
    Clarification,
    FailureKind,
    Linked,
    MetricQuery,
    Proposal,
    ProposedBy,
    Refusal,
    SqlDraft,
)
from t2s_dbt.generation.rules.chart import UNUSED_COST, Cover, covers
from t2s_dbt.generation.rules.cues import PHRASES, UNANSWERABLE, WRITE_VERBS
from t2s_dbt.generation.rules.dates import Calendar
from t2s_dbt.generation.rules.resolve import Resolved, resolve
from t2s_dbt.generation.rules.sketch import Unreadable
from t2s_dbt.generation.rules.to_metric import metric_query
from t2s_dbt.generation.rules.to_sql import sql_of
from t2s_dbt.generation.rules.walk import sketch
from t2s_dbt.kinds import Aggregate
from t2s_dbt.ports import SemanticLayer
from t2s_dbt.reading import Grouping, Measure, Reading

MARGIN = 0.12
METRIC_BONUS = 0.3
UNREAD_MARGIN = 0.5
MOST_OPTIONS = 4
REPAIR_GRAIN = "month"
_POLITE = frozenset(
    {"please", "can", "could", "you", "would", "kindly", "i", "want", "to", "go", "ahead", "and"}
)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A reading, its score, and how well its words were covered before anything was resolved."""

    reading: Reading
    score: float
    cover: float


class RulesProvider:
    """Reads questions with no model and no network."""

    name = "rules"
    proposed_by = ProposedBy.RULES

    def __init__(
        self, layer: SemanticLayer, *, week_start: int = 0, dialect: str = "duckdb"
    ) -> None:
        self._layer, self._week_start, self._dialect = layer, week_start, dialect

    def propose(self, linked: Linked, attempts: tuple[Attempt, ...]) -> Proposal:
        """The best reading as a query; a question back, or a refusal that names what was not
        understood.
        """
        if attempts:
            return self._again(attempts[-1])
        refusal = _refused_at_sight(linked)
        if refusal:
            return refusal
        readings, reasons = self._readings(linked)
        if not readings:
            return self._not_read(linked, reasons)
        rivals = _rivals(readings, linked.context)
        best = rivals[0]
        if best.unused:
            return _leftover(best.unused, linked)
        if linked.hidden_words and (best.related or not best.measures):
            return _hidden(linked.hidden_words)
        if len(rivals) > 1:
            asked = "That can be read in more than one way. Which do you mean?"
            return Clarification(asked, tuple(rivals[:MOST_OPTIONS]))
        return self._query(best, linked.context)

    def _query(self, reading: Reading, catalog: Catalog) -> MetricQuery | SqlDraft:
        if reading.metrics:
            return metric_query(reading, self._layer)
        return SqlDraft(sql_of(reading, catalog, self._dialect), reading)

    def _again(self, last: Attempt) -> Proposal:
        """What can be mended without a guess: a metric that needs a time to group by gets one."""
        failure, proposal = last.failure, last.proposal
        if (
            failure is not None
            and failure.kind is FailureKind.NEEDS_TIME
            and isinstance(proposal, MetricQuery)
            and proposal.reading is not None
        ):
            reading = proposal.reading
            grouped = replace(
                reading,
                groups=(*reading.groups, Grouping(grain=REPAIR_GRAIN)),
                assumptions=(
                    *reading.assumptions,
                    f"the metric needs a time to group by, so it is shown by {REPAIR_GRAIN}",
                ),
            )
            return metric_query(grouped, self._layer)
        reason = failure.message if failure else "there is nothing to mend"
        return Refusal(f"the query did not work, and the rules know no other: {reason}")

    def _readings(self, linked: Linked) -> tuple[list[_Scored], list[str]]:
        """All readings, the best first, and why covers could not be read.

        A reading that is much less likely than one that could not be made sense of is no reading:
        what was probably meant is not said by it.
        """
        calendar = Calendar(linked.question.as_of, self._week_start)
        catalog = linked.context
        found: dict[Reading, _Scored] = {}
        reasons: list[str] = []
        likeliest = 0.0
        for cover in covers(linked, calendar):
            try:
                for resolved in resolve(sketch(cover, catalog.kind), catalog, self._layer):
                    scored = _scored(cover, resolved, linked)
                    known = found.get(scored.reading)
                    if known is None or known.score < scored.score:
                        found[scored.reading] = scored
            except Unreadable as unreadable:
                if not cover.unused:
                    reasons.append(str(unreadable))
                    likeliest = max(likeliest, cover.score)
        kept = [scored for scored in found.values() if scored.cover >= likeliest - UNREAD_MARGIN]
        return sorted(kept, key=lambda s: -s.score), reasons

    def _not_read(self, linked: Linked, reasons: list[str]) -> Refusal:
        if linked.hidden_words:
            return _hidden(linked.hidden_words)
        unknown = _unexplained(linked)
        if unknown:
            return _leftover(unknown, linked)
        if reasons:
            return Refusal(f"I cannot read that as a question about this project: {reasons[0]}.")
        return Refusal("I do not see what is asked: no metric, table, column or value is named.")


def _scored(cover: Cover, resolved: Resolved, linked: Linked) -> _Scored:
    unused = _unused(cover, linked, resolved.reading)
    covered = cover.score + UNUSED_COST * (len(cover.unused) - len(unused))
    reading = replace(resolved.reading, unused=unused)
    bonus = METRIC_BONUS if reading.metrics else 0.0
    return _Scored(reading, covered - resolved.cost + bonus, covered)


def _rivals(readings: list[_Scored], catalog: Catalog) -> list[Reading]:
    """The best reading, with those that are about as good and mean something else.

    Where metrics can say it, what the same words mean over tables is no rival: a metric is the
    project's own definition. Neither are two lists of the same rows.
    """
    best = readings[0]
    near = [r for r in readings if r.score >= best.score - MARGIN and not r.reading.unused]
    metrics = [r for r in near if r.reading.metrics]
    kept: dict[Reading, Reading] = {}
    for scored in metrics or near or [best]:
        kept.setdefault(_essence(scored.reading, catalog), scored.reading)
    return list(kept.values())


def _essence(reading: Reading, catalog: Catalog) -> Reading:
    """A reading without what does not change which rows are meant.

    The names of the stores are the stores: a list of a table's labels is a list of its rows.
    """
    plain = replace(reading, assumptions=(), superlative=False)
    if reading.subject is None:
        return plain
    label = catalog.table(reading.subject).label
    name = Attribute(reading.subject, label.name) if label else None
    if not reading.measures:
        own = name is not None and reading.shown[:1] == (name,)
        return replace(plain, shown=(), distinct=False) if own or not reading.distinct else plain
    counted = Measure(aggregate=Aggregate.COUNT_DISTINCT, attribute=name)
    rows = Measure(aggregate=Aggregate.COUNT, table=reading.subject)
    return replace(plain, measures=tuple(rows if m == counted else m for m in reading.measures))


def _refused_at_sight(linked: Linked) -> Refusal | None:
    """Requests to write, and questions that no query answers."""
    words = [token.lower for token in linked.tokens if not token.quoted]
    head = next((word for word in words if word not in _POLITE), "")
    if head in WRITE_VERBS:
        return Refusal(f"that asks to change data ('{head}'), and only questions are answered here")
    if head == "where":
        return Refusal("'where' asks for a place, which is not read yet")
    text = f" {' '.join(words)} "
    for phrase, reason in UNANSWERABLE.items():
        if f" {phrase} " in text:
            return Refusal(reason, (phrase,))
    return None


def _hidden(words: tuple[str, ...]) -> Refusal:
    shown = ", ".join(f"'{word}'" for word in words)
    return Refusal(f"the question needs {shown}, which this project's policy hides", words)


def _leftover(unused: tuple[str, ...], linked: Linked) -> Refusal:
    """A refusal that names the words nothing explains; never an answer that ignores them."""
    hidden = tuple(word for word in unused if word in linked.hidden_words)
    if hidden:
        return _hidden(hidden)
    shown = ", ".join(f"'{word}'" for word in unused)
    verb = "means" if len(unused) == 1 else "mean"
    near = tuple(
        f"instead of '{word}', do you mean {' or '.join(linked.near[word])}?"
        for word in unused
        if word in linked.near
    )
    return Refusal(f"I do not know what {shown} {verb} here", unused, near)


def _unexplained(linked: Linked) -> tuple[str, ...]:
    """Words that no span of the chart touches."""
    best = covers(linked, Calendar(linked.question.as_of))
    if not best:
        return ()
    return tuple(linked.tokens[place].text for place in best[0].unused)


def _unused(cover: Cover, linked: Linked, reading: Reading) -> tuple[str, ...]:
    """Tokens that are neither covered nor part of the name of something that the reading uses.

    A word of grammar is never excused: it may be what turns the meaning.
    """
    if not cover.unused:
        return ()
    spoken = set(_name_words(reading, linked.context))
    return tuple(
        linked.tokens[place].text
        for place in cover.unused
        if linked.tokens[place].lower in PHRASES or _root(linked.tokens[place].lower) not in spoken
    )


def _name_words(reading: Reading, catalog: Catalog) -> Iterator[str]:
    for name in reading.metrics:
        metric = catalog.metric(name)
        for text in (metric.name, metric.label, *metric.synonyms):
            yield from (_root(word) for word in text.lower().replace("_", " ").split())


def _root(word: str) -> str:
    """A rough root: enough to see that `sold` and `sold`, `order` and `orders` are one word."""
    return word.removesuffix("s")
