"""Numbers in digits and words: `1,200`, `10k`, `15%`, `two thousand five hundred`."""

import re
from collections.abc import Sequence

from t2s_dbt.flow import Token

_DIGITS = re.compile(r"^(-?\d[\d,]*(?:\.\d+)?)(%|bn|[kKmMbB])?$")
_FACTORS = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "%": 0.01}
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SMALL = {word: value for value, word in enumerate(_UNITS)} | {
    word: 20 + 10 * place for place, word in enumerate(_TENS)
}
_FRACTION_WORDS = frozenset({"percent", "%"})
# Behind a number these only repeat its unit.
_CURRENCY_WORDS = frozenset("euro euros eur dollar dollars usd pound pounds gbp".split())


def read_number(tokens: Sequence[Token], first: int) -> tuple[float, int] | None:
    """The number that begins at a token, and the token after it; None where there is none."""
    read = _read_digits(tokens, first) or _read_words(tokens, first)
    if read and read[1] < len(tokens) and tokens[read[1]].lower in _FRACTION_WORDS:
        return read[0] / 100, read[1] + 1
    if read and read[1] < len(tokens) and tokens[read[1]].lower in _CURRENCY_WORDS:
        return read[0], read[1] + 1
    return read


def _read_digits(tokens: Sequence[Token], first: int) -> tuple[float, int] | None:
    found = _DIGITS.match(tokens[first].text)
    if found:
        value = float(found[1].replace(",", "")) * _FACTORS.get((found[2] or "").lower(), 1)
        last = first + 1
        if last < len(tokens) and tokens[last].lower in _SCALES:
            return value * _SCALES[tokens[last].lower], last + 1
        return value, last
    return None


def _read_words(tokens: Sequence[Token], first: int) -> tuple[float, int] | None:
    total = current = 0
    last = first
    while last < len(tokens):
        word = tokens[last].lower
        if word in _SMALL:
            current += _SMALL[word]
        elif word in _SCALES and last > first:
            if word == "hundred":
                current *= 100
            else:
                total, current = total + current * _SCALES[word], 0
        elif not (word == "and" and last > first and _goes_on(tokens, last)):
            break
        last += 1
    return (float(total + current), last) if last > first else None


def _goes_on(tokens: Sequence[Token], place: int) -> bool:
    """Whether an "and" is inside a number: behind hundred or thousand, before a smaller one."""
    behind = place + 1 < len(tokens) and tokens[place + 1].lower in _SMALL
    return behind and tokens[place - 1].lower in _SCALES
