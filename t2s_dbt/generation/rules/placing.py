"""What landing a noun and landing what modifies it have in common."""

from dataclasses import replace

from t2s_dbt.catalog import Attribute
from t2s_dbt.generation.rules.chart import Item
from t2s_dbt.generation.rules.sketch import Condition
from t2s_dbt.generation.rules.state import Walk
from t2s_dbt.kinds import Kind as ColumnKind
from t2s_dbt.reading import Operator


def item_kind(walk: Walk, item: Item) -> ColumnKind:
    """What sort of values the likeliest attribute of an item holds."""
    return walk.kind_of(item.candidates[0].attribute or Attribute("", ""))


def plural(item: Item | None) -> bool:
    """Whether several are asked for: `the best stores` are more than one."""
    text = item.text.lower() if item is not None else ""
    return text.endswith("s") and not text.endswith(("ss", "us", "is"))


def rank(walk: Walk, item: Item) -> None:
    """Makes a waiting `top` the ranking of an item: of one, or of several where it is a plural."""
    out = walk.out
    out.descending, walk.pending.rank = walk.pending.rank, None
    out.superlative = out.limit is None and not plural(item)


def complete(walk: Walk) -> bool:
    """Whether a comparison has all its numbers."""
    needed = 2 if walk.pending.between else 1
    return len(walk.numbers) == needed


def compare(walk: Walk, item: Item) -> None:
    """Makes a waiting comparison a condition on an item."""
    pending, numbers = walk.pending, walk.numbers
    if pending.between:
        low, high = sorted(numbers)
        walk.condition(Condition(item, Operator.GE, (low,), walk.percent))
        walk.condition(Condition(item, Operator.LE, (high,), walk.percent))
    else:
        assert pending.compare is not None
        condition = Condition(item, pending.compare, tuple(numbers), walk.percent)
        walk.condition(replace(condition, negated=pending.negated))
        pending.negated = False
    pending.compare, pending.between, walk.numbers = None, False, []
