"""Judges a plan that the database made for a checked query, before the query runs.

DuckDB's `EXPLAIN (FORMAT json)` gives each step an `Estimated Cardinality`. A cross product has
none, and a nested loop compares every pair whatever it then keeps: both count for the product of
their inputs. Where an estimate says nothing it is not used, and time and memory alone bound the
query: above a recursive CTE, a correlated subquery (whose outer values DuckDB keeps in a CTE of its
own), and a GROUP BY or DISTINCT, which DuckDB takes for half of its input however few months there
are. A filter is taken to keep far less than the fifth that DuckDB guesses.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from t2s_dbt.flow import Failure, FailureKind

# How many times the largest table a step must make before its size is called absurd: reading a
# large table, or joining it by a key, is not.
_TIMES_LARGEST = 100

_CROSS = "CROSS_PRODUCT"
_EVERY_PAIR = (_CROSS, "NESTED_LOOP_JOIN", "BLOCKWISE_NL_JOIN")
_KEYLESS = (*_EVERY_PAIR, "PIECEWISE_MERGE_JOIN", "IE_JOIN")
_CORRELATED = "__duckdb_delim"
_UNTOLD = (
    *("REC_CTE", "REC_KEY_CTE", "REC_CTE_SCAN", "DELIM_SCAN"),
    *("HASH_GROUP_BY", "PERFECT_HASH_GROUP_BY", "PARTITIONED_AGGREGATE"),
)
_KEPT_BY_FILTER = 0.05  # of what DuckDB estimates behind one: it guesses without statistics


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a plan: how many rows it makes or pairs it compares (None where that cannot be
    told), and the tables it reads.
    """

    name: str
    rows: float | None
    tables: tuple[str, ...]
    inputs: tuple["_Step", ...]


def judge_plan(plan: str, most_rows: int) -> Failure | None:
    """Why a plan must not run, or None.

    Args:
        plan: what DuckDB's `EXPLAIN (FORMAT json)` wrote.
        most_rows: how many rows one step may be estimated to make.

    """
    ctes: dict[str, _Step] = {}
    steps = [_step(node, ctes) for node in json.loads(plan)]
    every = [step for root in steps for step in _walk(root)]
    largest = max((step.rows or 0 for step in every if step.tables and not step.inputs), default=0)
    absurd = [
        step
        for step in every
        if step.rows is not None and step.rows > max(most_rows, _TIMES_LARGEST * largest)
    ]
    # The innermost is where it begins; what stands above it only passes its rows on.
    first = next((s for s in absurd if not any(i in absurd for i in s.inputs)), None)
    return _failure(first, most_rows) if first else None


def _step(node: dict[str, Any], ctes: dict[str, _Step]) -> _Step:
    """A node of the plan; `ctes` collects those that it defines, by their index."""
    name = str(node.get("name", "")).strip().upper()
    info = node.get("extra_info") or {}
    inputs: tuple[_Step, ...] = ()
    for child in node.get("children") or ():
        inputs += (_step(child, ctes),)
        if len(inputs) == 1 and "CTE Name" in info and name == "CTE":
            correlated = str(info["CTE Name"]).startswith(_CORRELATED)
            known = replace(inputs[0], rows=None) if correlated else inputs[0]
            ctes[str(info.get("Table Index"))] = known
    tables = tuple(dict.fromkeys(table for step in inputs for table in step.tables))
    if "Table" in info:
        tables = (str(info["Table"]).replace('"', "").rsplit(".", 1)[-1],)
    scanned = ctes.get(str(info.get("CTE Index"))) if name == "CTE_SCAN" else None
    if scanned is not None:
        tables = scanned.tables
    untold = name in _UNTOLD or (scanned is not None and scanned.rows is None)
    return _Step(name, None if untold else _rows(name, info, inputs), tables, inputs)


def _rows(name: str, info: dict[str, Any], inputs: tuple[_Step, ...]) -> float | None:
    if name == "UNGROUPED_AGGREGATE":
        return 1
    if any(step.rows is None for step in inputs):
        return None
    if name in _EVERY_PAIR:
        product = 1.0
        for step in inputs:
            product *= step.rows or 0
        return product
    try:
        rows = float(info["Estimated Cardinality"])
    except (KeyError, TypeError, ValueError):
        rows = max((step.rows or 0 for step in inputs), default=0)
    return rows * _KEPT_BY_FILTER if name == "FILTER" or "Filters" in info else rows


def _walk(step: _Step) -> Iterator[_Step]:
    yield step
    for inner in step.inputs:
        yield from _walk(inner)


def _failure(step: _Step, most_rows: int) -> Failure:
    pairs = step.name in _EVERY_PAIR and step.name != _CROSS
    rows = f"about {step.rows:,.0f} {'pairs of rows' if pairs else 'rows'}"
    sides = [" and ".join(side.tables) or "rows made by a function" for side in step.inputs]
    if step.name in _KEYLESS and len(sides) == 2:
        without = "any condition" if step.name == _CROSS else "a condition that equates columns"
        message = f"{sides[0]} is joined with {sides[1]} without {without}, which makes {rows}"
        hint = "Join them by a key, or filter them first."
    elif len(sides) == 2:
        message = f"the join of {sides[0]} with {sides[1]} makes {rows}"
        hint = "Join by a key that is unique on one side, or aggregate before joining."
    else:
        of = ", ".join(step.tables) or step.name.lower()
        message, hint = f"a step over {of} makes {rows}", "Ask for less."
    return Failure(
        FailureKind.REJECTED,
        f"{message}; at most {most_rows:,} may be estimated",
        ", ".join(step.tables),
        hint=hint,
        code="plan",
    )
