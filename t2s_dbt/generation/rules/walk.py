"""Walks over the items of a cover from left to right and makes a sketch of them.

Cues wait for the noun that they bind to, prepositions open and close a role (`by` groups, `sorted
by` orders), and a noun lands where the cues before it send it (`nouns`).
"""

from collections.abc import Callable

from t2s_dbt.generation.rules import modifiers, nouns
from t2s_dbt.generation.rules.chart import Cover, Item, Kind
from t2s_dbt.generation.rules.placing import plural
from t2s_dbt.generation.rules.sketch import Sketch, Unreadable
from t2s_dbt.generation.rules.state import KindOf, Walk
from t2s_dbt.reading import Grain

LANDINGS: dict[Kind, Callable[[Walk, Item], None]] = {
    Kind.NUMBER: modifiers.number,
    Kind.PERIOD: modifiers.period,
    Kind.GRAIN: modifiers.grain,
    Kind.METRIC: nouns.metric,
    Kind.TABLE: nouns.table,
    Kind.ATTRIBUTE: nouns.attribute,
    Kind.VALUE: modifiers.value,
    Kind.TEXT: modifiers.text,
    Kind.TERM: modifiers.term,
}


def sketch(cover: Cover, kind_of: KindOf) -> Sketch:
    """The parts of a cover; raises Unreadable when they do not go together."""
    walk = Walk(kind_of)
    for item in cover.items:
        if item.kind is Kind.CUE:
            assert item.meaning is not None
            walk.hear(item.meaning)
            continue
        LANDINGS[item.kind](walk, item)
        walk.unmet = walk.unmet and item.kind is Kind.NUMBER
        if walk.ored and item.kind is not Kind.NUMBER:
            raise Unreadable("an 'or' is read between values of one column only")
        if item.kind is not Kind.NUMBER:
            if item.kind is not Kind.VALUE:
                walk.negating = False
            walk.joined = walk.of = walk.by = walk.to = walk.placed = False
            walk.last = item
    return _finished(walk)


def _finished(walk: Walk) -> Sketch:
    """The sketch, once everything that waited has found its place."""
    out = walk.out
    left = walk.pending.left_over() or ("a number" if walk.numbers else None)
    left = left or ("a condition" if walk.inner else None) or ("a 'by'" if walk.unmet else None)
    if left:
        raise Unreadable(f"{left} has nothing to bind to")
    if walk.held is not None:
        if walk.held_placed:
            raise Unreadable(f"it is not said what '{walk.held.text}' should be")
        if walk.held.shadowed:
            raise Unreadable("a column's name is also that of a metric or of what a table holds")
        out.shown.append(walk.held)
    _settle_which(walk)
    _settle_time_role(walk)
    _settle_ranked(walk)
    if walk.reads_trend and not any(group.kind is Kind.GRAIN for group in out.groups):
        out.groups.append(Item(0, 0, Kind.GRAIN, 0.0, grain=Grain.MONTH.value))
    if out.descending is not None and not out.groups and out.order is None and not out.newest:
        raise Unreadable("it is not said by what to sort")
    if out.order is not None and out.order.kind is Kind.TABLE and not out.groups:
        raise Unreadable("there is nothing to rank")
    _check_limit(out)
    ranks = out.groups and out.descending is not None and out.order is None
    if ranks and not (out.metrics or out.counts or out.aggregates):
        raise Unreadable("it is not said by what to rank")
    return out


def _check_limit(out: Sketch) -> None:
    """A limit cuts a list or a ranking of one thing; anything else it would cut by chance."""
    measured = out.metrics or out.counts or out.aggregates or out.distinct_counts or out.counted
    if out.metric_aggregates and out.descending is not None:
        raise Unreadable("the total of a ranking is not read yet")
    ranks = out.superlative or out.limit is not None
    if measured and ranks and not out.groups:
        raise Unreadable("there is nothing to rank")
    if measured and ranks and len(out.groups) > 1:
        raise Unreadable("a ranking within each group is not read yet")
    if out.limit is not None and measured and out.descending is None:
        raise Unreadable("it is not said which rows come first")


def _settle_which(walk: Walk) -> None:
    """`which X` groups by X when something is measured, and lists X otherwise."""
    out, which = walk.out, walk.which
    if which is None or which in out.groups:
        return
    if out.metrics or out.counts or out.aggregates:
        out.groups.append(which)
    elif which.kind is not Kind.TABLE:
        out.shown.insert(0, which)
    elif out.subject is None:
        out.subject = which


def _settle_ranked(walk: Walk) -> None:
    """`the three brands with the lowest revenue` ranks brands, though nothing says `by`."""
    out = walk.out
    measured = out.order is not None and out.order.kind in (Kind.METRIC, Kind.TABLE)
    if not (out.descending is not None and measured) or out.groups:
        return
    if out.subject is not None and out.metrics:
        out.superlative = not plural(out.subject)
        out.groups.append(out.subject)
        out.subject = None
    elif len(out.shown) == 1:
        out.superlative = not plural(out.shown[0])
        out.groups.append(out.shown.pop())


def _settle_time_role(walk: Walk) -> None:
    """A date's name without a period is an event: `customers who ordered`."""
    role, out = walk.time_role, walk.out
    if role is None or any(noun.item is role for noun in out.related):
        return
    if walk.subject is not None:
        walk.relate(role, negated=False)
    else:
        out.shown.append(role)
