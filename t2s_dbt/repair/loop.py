"""When the loop of attempts ends, and when it may go on."""

import re
from collections.abc import Sequence

from t2s_dbt.flow import Attempt, FailureKind, Rows, Tier

# Trouble that another query for the same question cannot mend.
_FINAL = frozenset({FailureKind.DRIFT, FailureKind.INTERRUPTED, FailureKind.NOT_ALLOWED})


_QUOTED = re.compile(r"""('(?:[^']|'')*'|"[^"]*")""")
_BLANKS = re.compile(r"\s+")


def may_go_on(attempts: Sequence[Attempt], most: int) -> bool:
    """Whether another attempt has something new to work with."""
    last = attempts[-1]
    if isinstance(last.outcome, Rows) or last.outcome is None:
        return False
    if len(attempts) >= most or last.outcome.kind in _FINAL:
        return False
    return not repeats(attempts)


def repeats(attempts: Sequence[Attempt]) -> bool:
    """Whether the last attempt is one that was made before."""
    last = attempts[-1]
    return any(_same(last, earlier) for earlier in attempts[:-1])


def _same(one: Attempt, other: Attempt) -> bool:
    if one.tier is Tier.METRIC or not one.sql:
        return one.proposal == other.proposal
    return _folded(one.sql) == _folded(other.sql)


def _folded(sql: str) -> str:
    """SQL whose blanks count for one outside of quotes, and are kept inside."""
    parts = _QUOTED.split(sql.strip())
    return "".join(
        part if place % 2 else _BLANKS.sub(" ", part) for place, part in enumerate(parts)
    )
