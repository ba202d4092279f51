"""Where numbers, periods, grains, values and quoted texts land: what says more about a noun."""

from dataclasses import replace

from t2s_dbt.generation.rules.chart import Item, Kind
from t2s_dbt.generation.rules.cues import Cue
from t2s_dbt.generation.rules.placing import compare, complete, item_kind, rank
from t2s_dbt.generation.rules.sketch import Condition, TimeCondition, Unreadable
from t2s_dbt.generation.rules.state import GROUP, SORT, Walk
from t2s_dbt.kinds import Kind as ColumnKind

MOST_LIMIT = 10_000


def number(walk: Walk, item: Item) -> None:
    """`over 500` compares, `top 5` limits; a number that does neither makes the cover
    unreadable.
    """
    pending = walk.pending
    if pending.compare is not None or pending.between:
        walk.numbers.append(item.number)
        walk.percent = item.percent
        if walk.held is not None and complete(walk):
            compare(walk, walk.held)
            walk.held = None
    elif _is_limit(walk, item):
        walk.out.limit = int(item.number)
    else:
        raise Unreadable(f"I do not see what the number {item.number:g} belongs to")


def _is_limit(walk: Walk, item: Item) -> bool:
    pending = walk.pending
    directions = (pending.rank, pending.superlative, pending.newest)
    ranks = any(direction is not None for direction in directions)
    whole = item.number.is_integer() and 0 < item.number <= MOST_LIMIT
    free = walk.out.limit is None
    return whole and free and (ranks or pending.which or walk.last is None)


def period(walk: Walk, item: Item) -> None:
    """A period filters the date named before it, or the measures' own."""
    assert item.period is not None
    if walk.pending.negated or walk.pending.lacking:
        raise Unreadable("a period cannot be left out yet")
    if walk.unmet:
        raise Unreadable("a period is no grouping")
    if walk.held is not None and item_kind(walk, walk.held) is ColumnKind.NUMBER:
        raise Unreadable("a number is read as a period")
    if event := _event(walk):
        raise Unreadable(f"I know no date of when something was '{event}'")
    walk.out.times.append(TimeCondition(item.period, walk.time_role, walk.open, walk.last))
    walk.time_role, walk.role = None, ""


def _event(walk: Walk) -> str | None:
    """The participle that says a state and stands last: shipped in May is not ordered in May."""
    last = walk.last
    if last is None or not last.text.lower().endswith("ed"):
        return None
    flag = last.kind is Kind.ATTRIBUTE and item_kind(walk, last) is ColumnKind.BOOLEAN
    return last.text if last.kind is Kind.VALUE or flag else None


def grain(walk: Walk, item: Item) -> None:
    """A grain groups by time: behind `by`, after `which`, or as an adjective (`monthly`)."""
    pending = walk.pending
    adjective = item.meaning is not None and item.meaning.cue is Cue.PERIODIC
    asked = walk.role == GROUP or pending.which or pending.superlative is not None
    if not (asked or adjective):
        raise Unreadable(f"I do not see what '{item.grain}' belongs to")
    if walk.last is not None and walk.last.kind is Kind.GRAIN and not walk.joined:
        raise Unreadable("a part of a period (day of week, month of year) is not read yet")
    if walk.last is not None and walk.last.kind is Kind.VALUE and walk.role == "":
        raise Unreadable(f"I do not see what '{item.grain}' belongs to")
    if walk.time_role is not None:
        raise Unreadable("grouping by another date than the measures' own is not read yet")
    walk.out.groups.append(item)
    if pending.which:
        walk.which, pending.which = item, False
    if pending.rank is not None:
        rank(walk, item)


def value(walk: Walk, item: Item) -> None:
    """A value is a condition on the attribute that holds it; a negation goes on over `A or B`."""
    pending = walk.pending
    if pending.compare is not None or pending.aggregate is not None or pending.amount:
        raise Unreadable("a value is no measure")
    asked = pending.which or pending.rank is not None or pending.superlative is not None
    if asked and item.shadowed:
        raise Unreadable("a value is not asked for")
    if walk.to:
        raise Unreadable("where something goes to is not read yet")
    if walk.both and walk.joined:
        raise Unreadable("'both … and' is not read yet")
    if walk.role == SORT:
        raise Unreadable("a value is nothing to sort by")
    if walk.role == GROUP and (not walk.by or item.shadowed or _is_agent(walk)):
        raise Unreadable("a value is no grouping")
    if pending.missing is not None or pending.distinct:
        raise Unreadable("a value cannot be missing or counted")
    if walk.held is not None:
        held = {candidate.attribute for candidate in walk.held.candidates}
        own = tuple(c for c in item.candidates if c.attribute in held)
        if own:
            item, walk.held = replace(item, candidates=own), None
    negated = pending.negated or pending.lacking or (walk.negating and walk.joined)
    walk.condition(Condition(item, negated=negated))
    pending.negated, pending.lacking, walk.negating = False, False, negated
    walk.with_, walk.role = False, ""


def _is_agent(walk: Walk) -> bool:
    """`shipped by Relay`: who did it is no second condition beside what was done."""
    return walk.last is not None and walk.last.kind in (Kind.VALUE, Kind.ATTRIBUTE)


def text(walk: Walk, item: Item) -> None:
    """A text behind `starting with` and the like is a pattern on the attribute or subject
    before it.
    """
    target = walk.held or walk.subject or walk.which
    if walk.pending.pattern is None or target is None:
        raise Unreadable("I do not see what the quoted text belongs to")
    condition = Condition(target, walk.pending.pattern, text=item.text)
    walk.condition(replace(condition, negated=walk.pending.negated))
    walk.pending.pattern, walk.pending.negated = None, False
    if target is walk.held:
        walk.held = None


def term(_: Walk, item: Item) -> None:
    """A term whose meaning is SQL or an instruction is not used, and said not to be."""
    name = item.candidates[0].name
    raise Unreadable(f"the glossary gives '{name}' as SQL or an instruction, which needs a model")
