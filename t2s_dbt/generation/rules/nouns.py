"""Where nouns, numbers and periods land: the part that each plays, given the cues before it."""

from dataclasses import replace

from t2s_dbt.generation.rules.chart import Item, Kind
from t2s_dbt.generation.rules.placing import compare, complete, item_kind, plural, rank
from t2s_dbt.generation.rules.sketch import Condition, Unreadable
from t2s_dbt.generation.rules.state import GROUP, SORT, Walk
from t2s_dbt.kinds import Kind as ColumnKind


def metric(walk: Walk, item: Item) -> None:
    """A metric is computed; behind a superlative, `by` after `top N`, or `sorted by` it also
    orders.
    """
    pending, out = walk.pending, walk.out
    _check_metric(walk)
    if pending.aggregate is not None:
        out.metric_aggregates.append((pending.aggregate, item))
    if walk.role == SORT or _ranks(walk) or pending.superlative is not None:
        if out.order is not None:
            raise Unreadable("there are two things to order by")
        out.order = item
        if pending.superlative is not None:
            out.superlative, out.descending = not plural(walk.which), pending.superlative
    elif out.metrics and not walk.joined:
        raise Unreadable("two metrics stand side by side")
    if not any(known.candidates == item.candidates for known in out.metrics):
        out.metrics.append(item)
    if pending.count:
        out.counted_metrics.append(item)
    if pending.amount:
        out.amounts.append(item)
    pending.superlative = pending.aggregate = None
    pending.amount = pending.how_much = False
    pending.count = pending.which = pending.most = False
    walk.role, walk.with_ = "", False


def _check_metric(walk: Walk) -> None:
    pending = walk.pending
    if pending.negated or pending.lacking or pending.distinct or pending.missing is not None:
        raise Unreadable("a metric cannot be negated")
    if pending.compare is not None or walk.numbers:
        raise Unreadable("a condition on a metric is not read yet")
    if walk.role == GROUP and not _ranks(walk):
        raise Unreadable("one metric per another is not read yet")


def _ranks(walk: Walk) -> bool:
    """Whether a `top N` has found what it ranks, and waits for the measure."""
    out = walk.out
    return out.descending is not None and out.order is None and bool(out.groups)


def table(walk: Walk, item: Item) -> None:
    """A table's noun is counted, listed, grouped by, or a condition that its rows exist."""
    pending, out = walk.pending, walk.out
    if walk.role == SORT or pending.aggregate is not None or pending.missing is not None:
        raise Unreadable("a table is no measure")
    if pending.amount:
        raise Unreadable("it is not said which amount is meant")
    if walk.joined and _is_asked(walk):
        raise Unreadable("two different things are asked at once")
    if pending.compare is not None or pending.between:
        raise Unreadable("a condition on a number of rows is not read yet")
    if pending.negated or pending.lacking:
        if walk.subject is None:
            raise Unreadable("nothing stands before the negation")
        walk.relate(item, negated=True)
        _put_inside(walk)
        pending.negated = pending.lacking = False
    elif walk.of and walk.last is not None and walk.last.kind is Kind.ATTRIBUTE:
        out.contexts.append(item)
    elif walk.role == GROUP or pending.rank is not None:
        _group(walk, item)
    elif not _leads(walk, item):
        _follows(walk, item)
    pending.distinct = walk.with_ = False


def _is_asked(walk: Walk) -> bool:
    """Whether the noun before is one that is measured, counted or listed."""
    last, out = walk.last, walk.out
    return last is not None and (last in out.metrics or last in out.counts or last is out.subject)


def _leads(walk: Walk, item: Item) -> bool:
    """Whether a cue before the table makes it what the question is about."""
    pending, out = walk.pending, walk.out
    if pending.count:
        _count(walk, item)
        pending.count = False
    elif pending.superlative is not None and out.limit is not None and not out.groups:
        pending.rank, pending.superlative = pending.superlative, None
        _group(walk, item)
    elif pending.superlative is not None:
        if not pending.most:
            raise Unreadable("it is not said by what to rank")
        _count(walk, item)
        out.order, out.superlative, out.descending = item, True, pending.superlative
        pending.superlative, pending.most = None, False
    elif pending.newest is not None:
        if plural(item) and out.limit is None:
            raise Unreadable("it is not said how many")
        out.subject, out.newest, out.descending = item, True, pending.newest
        pending.newest = None
    elif pending.which:
        if walk.which is not None:
            raise Unreadable("two things are asked for")
        walk.which, pending.which = item, False
    else:
        return False
    return True


def _follows(walk: Walk, item: Item) -> None:
    """A table without a cue is the subject, a condition on the subject, or only says whose
    things are meant.
    """
    out = walk.out
    if walk.with_ and walk.subject is not None and not out.metrics:
        walk.relate(item, negated=False)
    elif walk.subject is None and not out.metrics and walk.which is None:
        if walk.held_with and walk.held is not None:
            raise Unreadable(f"it is not said whether to list '{walk.held.text}' or '{item.text}'")
        out.subject = item
    else:
        out.contexts.append(item)


def _count(walk: Walk, item: Item) -> None:
    if walk.out.counts and not walk.joined:
        raise Unreadable("two counts stand side by side")
    walk.out.counts.append(item)


def _group(walk: Walk, item: Item) -> None:
    if walk.pending.negated:
        raise Unreadable("a grouping cannot be negated")
    if walk.last in walk.out.groups and not (walk.joined or walk.unmet):
        raise Unreadable("two groupings stand side by side")
    if walk.pending.rank is not None:
        rank(walk, item)
    elif _ranks_rows(walk, item):
        walk.out.subject, walk.out.order = walk.out.groups.pop(), item
        return
    walk.out.groups.append(item)


def _ranks_rows(walk: Walk, item: Item) -> bool:
    """Whether `top N` ranks a table's own rows by a number of theirs: `top 4 products by price`."""
    out = walk.out
    alone = [group.kind for group in out.groups] == [Kind.TABLE] and not out.metrics
    is_number = item.kind is Kind.ATTRIBUTE and item_kind(walk, item) is ColumnKind.NUMBER
    return alone and is_number and out.descending is not None and out.order is None


def _put_inside(walk: Walk) -> None:
    """Conditions between a negation and its noun are the noun's: `without late orders`."""
    for condition in walk.inner:
        walk.condition(condition)
    walk.inner = []


def attribute(walk: Walk, item: Item) -> None:
    """An attribute lands where the cues before it send it; without any, its kind decides."""
    pending = walk.pending
    if item.shadowed and (walk.role == GROUP or _asks_to_compute(walk)):
        raise Unreadable("a column's name is also that of a metric or of what a table holds")
    if walk.of and walk.role == GROUP and walk.last in walk.out.groups:
        raise Unreadable("one attribute of another is not read yet")
    if _repeats_value(walk, item):
        return
    if walk.role == SORT:
        if walk.out.order is not None:
            raise Unreadable("two things to sort by are not read yet")
        walk.out.order = item
    elif pending.lacking:
        _lacking(walk, item)
    elif pending.missing is not None:
        walk.null_condition(item, missing=pending.missing)
        pending.missing = None
    elif walk.role == GROUP or pending.rank is not None:
        _group(walk, item)
    elif not _measured(walk, item):
        _described(walk, item)
    walk.with_ = False


def _asks_to_compute(walk: Walk) -> bool:
    pending = walk.pending
    ranks = pending.rank is not None or pending.superlative is not None
    return pending.aggregate is not None or pending.count or pending.which or ranks


def _measured(walk: Walk, item: Item) -> bool:
    """Whether a cue before the attribute asks to compute, compare or single it out."""
    pending, out = walk.pending, walk.out
    if pending.aggregate is not None:
        out.aggregates.append((pending.aggregate, item))
        pending.aggregate, pending.how_much = None, False
    elif pending.count:
        if item_kind(walk, item) is ColumnKind.BOOLEAN or item_kind(walk, item).is_time:
            raise Unreadable("a flag or a date is not counted")
        (out.distinct_counts if pending.distinct else out.counted).append(item)
        pending.count = pending.distinct = False
    elif pending.superlative is not None and out.limit is not None and not out.groups:
        pending.rank, pending.superlative = pending.superlative, None
        _group(walk, item)
    elif pending.superlative is not None:
        out.order, out.superlative = item, True
        out.descending, pending.superlative = pending.superlative, None
    elif pending.which:
        if walk.which is not None:
            raise Unreadable("two things are asked for")
        walk.which, pending.which, pending.distinct = item, False, False
    elif walk.numbers and complete(walk):
        compare(walk, item)
    else:
        return False
    return True


def _repeats_value(walk: Walk, item: Item) -> bool:
    """`the marketplace channel`: a column's name behind its value only says which column it is."""
    last, conditions = walk.last, walk.out.conditions
    if last is None or last.kind is not Kind.VALUE or walk.joined or walk.role or not conditions:
        return False
    named = {candidate.attribute for candidate in item.candidates}
    shared = tuple(c for c in last.candidates if c.attribute in named)
    if not shared or conditions[-1].item is not last:
        return False
    conditions[-1] = replace(conditions[-1], item=replace(last, candidates=shared))
    return True


def _lacking(walk: Walk, item: Item) -> None:
    """`without a score` says it is missing; `without late …` waits for the noun that is late."""
    if item_kind(walk, item) is ColumnKind.NUMBER:
        raise Unreadable(f"it is not said whether '{item.text}' is to be missing or zero")
    if item_kind(walk, item) is ColumnKind.BOOLEAN:
        walk.inner.append(Condition(item))
    else:
        walk.null_condition(item, missing=True)
        walk.pending.lacking = False


def _described(walk: Walk, item: Item) -> None:
    """A flag is a condition, a date waits for its period, anything else for a value or
    comparison.
    """
    kind = item_kind(walk, item)
    if kind is ColumnKind.BOOLEAN:
        walk.condition(Condition(item, negated=walk.pending.negated))
        walk.pending.negated = False
    elif kind.is_time:
        _date(walk, item)
    else:
        if walk.held is not None:
            walk.out.shown.append(walk.held)
        walk.held, walk.held_placed, walk.held_with = item, walk.placed, False


def _date(walk: Walk, item: Item) -> None:
    if walk.time_role is not None:
        raise Unreadable("two dates stand side by side")
    dates = tuple(c for c in item.candidates if c.attribute and walk.kind_of(c.attribute).is_time)
    item = replace(item, candidates=dates)
    if walk.subject is not None:
        walk.relate(item, negated=walk.pending.negated)
    elif walk.pending.negated:
        raise Unreadable("nothing stands before the negation")
    walk.pending.negated, walk.time_role = False, item
