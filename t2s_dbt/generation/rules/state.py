"""What the walk over a question knows so far: cues that wait, the open role, the sketch as it
grows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from t2s_dbt.catalog import Attribute
from t2s_dbt.generation.rules.chart import Item, Kind
from t2s_dbt.generation.rules.cues import Cue, Meaning
from t2s_dbt.generation.rules.sketch import Condition, RelatedNoun, Sketch, Unreadable
from t2s_dbt.kinds import Aggregate
from t2s_dbt.kinds import Kind as ColumnKind
from t2s_dbt.reading import Operator

KindOf = Callable[[Attribute], ColumnKind]

GROUP, SORT = "group", "sort"
_PARTING = frozenset(
    {Cue.PREPOSITION, Cue.TO, Cue.OF, Cue.THAT, Cue.WITH, Cue.NOT, Cue.WITHOUT, Cue.WHICH}
)


@dataclass
class Pending:
    """Cues that wait for what they bind to; a direction is True for descending."""

    count: bool = False
    amount: bool = False
    how_much: bool = False
    distinct: bool = False
    aggregate: Aggregate | None = None
    rank: bool | None = None
    superlative: bool | None = None
    most: bool = False
    newest: bool | None = None
    which: bool = False
    compare: Operator | None = None
    between: bool = False
    negated: bool = False
    lacking: bool = False
    missing: bool | None = None
    pattern: Operator | None = None

    def left_over(self) -> str | None:
        """What still waits, in words; None when nothing does."""
        waiting = {
            "a comparison": self.compare is not None or self.between,
            "a negation": self.negated or self.lacking,
            "an aggregate": self.aggregate is not None,
            "a count": self.count or self.amount or self.how_much,
            "a superlative": self.superlative is not None or self.newest is not None,
            "a ranking": self.rank is not None,
            "a pattern": self.pattern is not None,
            "'missing'": self.missing is not None,
        }
        return next((what for what, waits in waiting.items() if waits), None)


@dataclass
class Walk:
    """The sketch so far, and what the next item must know of those before it.

    `held` is an attribute that waits for a comparison or a value, `time_role` a date that waits for
    a period, `which` the noun after "which"; `joined` says that a conjunction stands before the
    next noun.
    """

    kind_of: KindOf
    out: Sketch = field(default_factory=Sketch)
    pending: Pending = field(default_factory=Pending)
    role: str = ""
    of: bool = False
    to: bool = False
    both: bool = False
    unmet: bool = False
    placed: bool = False
    held_placed: bool = False
    held_with: bool = False
    joined: bool = False
    with_: bool = False
    negating: bool = False
    by: bool = False
    which: Item | None = None
    held: Item | None = None
    time_role: Item | None = None
    open: RelatedNoun | None = None
    inner: list[Condition] = field(default_factory=list)
    ored: bool = False
    numbers: list[float] = field(default_factory=list)
    percent: bool = False
    last: Item | None = None
    reads_trend: bool = False

    @property
    def subject(self) -> Item | None:
        """The table that is counted or listed, once it is known."""
        which = self.which if self.which is not None and self.which.kind is Kind.TABLE else None
        return self.out.counts[0] if self.out.counts else self.out.subject or which

    def hear(self, meaning: Meaning) -> None:
        """Takes in a cue."""
        if self.unmet and meaning.cue in _PARTING:
            raise Unreadable("a 'by' has nothing to bind to")
        if meaning.cue in (Cue.NOT, Cue.WITHOUT):
            self.role = ""
        if meaning.cue is Cue.WHICH:
            self.out.listed = True
        if not _set_pending(self.pending, meaning):
            connect = _CONNECTIVES.get(meaning.cue)
            if connect is not None:
                connect(self, meaning)

    def null_condition(self, item: Item, *, missing: bool) -> None:
        """Adds `is missing` or `is known`."""
        operator = Operator.IS_NULL if missing else Operator.NOT_NULL
        self.condition(Condition(item, operator))

    def condition(self, condition: Condition) -> None:
        """Adds a condition, tied to the one before it where an "or" stands between."""
        either = None
        if self.ored:
            if not self.out.conditions:
                raise Unreadable("I do not see what the 'or' stands between")
            either, self.ored = self.out.conditions[-1], False
        made = replace(condition, within=self.open, either=either, joined=self.joined)
        self.out.conditions.append(made)

    def relate(self, item: Item, *, negated: bool) -> None:
        """Opens a related noun; conditions that follow may be conditions on it."""
        self.open = RelatedNoun(item, negated)
        self.out.related.append(self.open)


def _set_pending(pending: Pending, meaning: Meaning) -> bool:
    """Sets the field of a cue that waits for its noun; False when the cue is not of that sort."""
    fields: dict[Cue, tuple[str, object]] = {
        Cue.COUNT: ("count", True),
        Cue.AMOUNT: ("amount", True),
        Cue.HOW_MUCH: ("how_much", True),
        Cue.DISTINCT: ("distinct", True),
        Cue.WHICH: ("which", True),
        Cue.BETWEEN: ("between", True),
        Cue.NOT: ("negated", True),
        Cue.WITHOUT: ("lacking", True),
        Cue.AGGREGATE: ("aggregate", meaning.value),
        Cue.TOP: ("rank", meaning.value),
        Cue.SUPERLATIVE: ("superlative", meaning.value),
        Cue.NEWEST: ("newest", meaning.value),
        Cue.COMPARE: ("compare", meaning.value),
        Cue.PATTERN: ("pattern", meaning.value),
    }
    if meaning.cue not in fields:
        return False
    name, value = fields[meaning.cue]
    setattr(pending, name, value)
    return True


def _most(walk: Walk, meaning: Meaning) -> None:
    walk.pending.superlative, walk.pending.most = bool(meaning.value), True


def _of(walk: Walk, _: Meaning) -> None:
    walk.of, walk.negating = True, False


def _presence(walk: Walk, meaning: Meaning) -> None:
    """`segment is missing` binds back, `missing segment` binds forward."""
    missing = meaning.cue is Cue.MISSING
    if walk.held is not None:
        walk.null_condition(walk.held, missing=missing)
        walk.held = None
    else:
        walk.pending.missing = missing


def _open(walk: Walk, role: str) -> None:
    """Opens a role; the noun that it is for must come before another one is opened."""
    if walk.unmet:
        raise Unreadable("a 'by' has nothing to bind to")
    walk.role, walk.unmet = role, True


def _group(walk: Walk, _: Meaning) -> None:
    _open(walk, GROUP)


def _by(walk: Walk, _: Meaning) -> None:
    _open(walk, GROUP)
    walk.by = True


def _sort(walk: Walk, _: Meaning) -> None:
    _open(walk, SORT)


def _join(walk: Walk, _: Meaning) -> None:
    walk.joined = True


def _or(walk: Walk, _: Meaning) -> None:
    walk.joined = walk.ored = True


def _that(walk: Walk, meaning: Meaning) -> None:
    last = walk.last
    if last is not None and last.kind is Kind.TABLE and walk.role == GROUP:
        raise Unreadable("it is not said whether to group by them or to ask for theirs only")
    _part(walk, meaning)


def _part(walk: Walk, _: Meaning) -> None:
    walk.role, walk.negating, walk.placed = "", False, True


def _with(walk: Walk, _: Meaning) -> None:
    walk.role, walk.with_ = "", True
    walk.held_with = walk.held is not None


def _is(walk: Walk, _: Meaning) -> None:
    walk.pending.which = False
    if not walk.unmet:
        walk.role = ""


def _direct(walk: Walk, meaning: Meaning) -> None:
    walk.out.descending = bool(meaning.value)


def _when(walk: Walk, _: Meaning) -> None:
    walk.out.asks_time = walk.out.listed = True


def _both(walk: Walk, _: Meaning) -> None:
    walk.both = True


def _to(walk: Walk, meaning: Meaning) -> None:
    walk.to = True
    _part(walk, meaning)


def _list(walk: Walk, _: Meaning) -> None:
    walk.out.listed = True


def _trend(walk: Walk, _: Meaning) -> None:
    walk.reads_trend = True


_CONNECTIVES: dict[Cue, Callable[[Walk, Meaning], None]] = {
    Cue.MISSING: _presence,
    Cue.PRESENT: _presence,
    Cue.GROUP: _group,
    Cue.BY: _by,
    Cue.SORT: _sort,
    Cue.AND: _join,
    Cue.OR: _or,
    Cue.MARK: _join,
    Cue.MOST: _most,
    Cue.OF: _of,
    Cue.PREPOSITION: _part,
    Cue.THAT: _that,
    Cue.WITH: _with,
    Cue.IS: _is,
    Cue.DIRECTION: _direct,
    Cue.OVER_TIME: _trend,
    Cue.BOTH: _both,
    Cue.WHEN: _when,
    Cue.TO: _to,
    Cue.LIST: _list,
}
