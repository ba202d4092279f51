"""How sure an answer is, from facts that are shown as its reasons."""

from collections.abc import Sequence

from t2s_dbt.flow import Attempt, Confidence, Level, Notice, Tier
from t2s_dbt.reading import Reading


def judge(
    reading: Reading | None, tier: Tier, attempts: Sequence[Attempt], notices: Sequence[Notice]
) -> Confidence:
    """High when every word was used, nothing was assumed, and the first query worked."""
    doubts: list[str] = []
    if reading is None:
        doubts.append("the query was not read back as a question")
    else:
        doubts += reading.assumptions
        if reading.unused:
            doubts.append(f"not used: {', '.join(reading.unused)}")
    if len(attempts) > 1:
        doubts.append(f"it took {len(attempts)} attempts")
    doubts += [notice.message for notice in notices if notice.code in LOWERING]
    if not doubts:
        every = "every word of the question is used"
        source = "a defined metric" if tier is Tier.METRIC else "the models' own columns"
        return Confidence(Level.HIGH, (every, f"computed from {source}"))
    return Confidence(Level.MEDIUM if len(doubts) == 1 else Level.LOW, tuple(doubts))


LOWERING = frozenset({"period_start", "empty", "open_period", "stale", "outside_data", "tie"})
