"""Calls that make a value as large as a number in them says.

DuckDB makes such a value in one step, which neither its memory limit counts nor an interrupt ends:
`len(range(1000000000))` takes minutes and gigabytes. What can be told from the text is refused.
"""

import math
from collections.abc import Callable, Iterable

from sqlglot import exp

from t2s_dbt.guard.rejection import Rejection

MOST = 1_000_000

_FOLDS: dict[type[exp.Expr], Callable[[float, float], float]] = {
    exp.Add: lambda a, b: a + b,
    exp.Sub: lambda a, b: a - b,
    exp.Mul: lambda a, b: a * b,
    exp.Div: lambda a, b: a / b,
    exp.IntDiv: lambda a, b: a // b,
    exp.Pow: math.pow,
    exp.BitwiseLeftShift: lambda a, b: a * math.pow(2, b),
}
_GROWING = (exp.Repeat, exp.Pad, exp.GenerateSeries)
_GROWING_NAMES = frozenset(
    "repeat range generate_series lpad rpad list_resize array_resize bitstring space".split()
)


def check_sizes(nodes: Iterable[exp.Expr]) -> None:
    """Raises Rejection for a call that makes a value of more than a million letters or items."""
    for call in nodes:
        if not isinstance(call, (*_GROWING, exp.Anonymous)):
            continue
        # In FROM a series is rows, which are made a few at a time.
        if isinstance(call.parent, exp.Table | exp.Lateral):
            continue
        if isinstance(call, exp.Anonymous) and call.name.lower() not in _GROWING_NAMES:
            continue
        largest = _parts(call)
        if largest > MOST:
            name = call.name if isinstance(call, exp.Anonymous) else call.sql_name().lower()
            raise Rejection(
                "too_large",
                f"the function {name} would make a value of {largest:,.0f} parts; at most {MOST:,} "
                "may be made in one call",
                name,
            )


def _parts(call: exp.Expr) -> float:
    """How many letters or items a call makes, as far as its text says."""
    if isinstance(call, exp.GenerateSeries):
        start, end, step = (call.args.get(name) for name in ("start", "end", "step"))
        span = abs(_number(end) - _number(start))
        return span / (abs(_number(step)) or 1)
    return max((abs(_number(part)) for part in call.iter_expressions()), default=0)


def _number(node: exp.Expr | None) -> float:
    """The value of an expression of literals; else the largest literal in it."""
    if isinstance(node, exp.Literal):
        try:
            return float(node.name)
        except ValueError:
            return 0
    if isinstance(node, exp.Paren | exp.Cast | exp.TryCast):
        return _number(node.this)
    if isinstance(node, exp.Neg):
        return -_number(node.this)
    fold = next((fold for kind, fold in _FOLDS.items() if isinstance(node, kind)), None)
    if fold is not None and isinstance(node, exp.Binary):
        try:
            return float(fold(_number(node.this), _number(node.expression)))
        except (ArithmeticError, ValueError):
            return math.inf
    literals = node.find_all(exp.Literal) if node else ()
    return max((_number(literal) for literal in literals), default=0)
