"""Makes a database's failure something that the next attempt, or a person, can act on."""

import difflib
from dataclasses import replace

from t2s_dbt.catalog import Catalog
from t2s_dbt.flow import Failure, FailureKind, Tier

_MISSING = (FailureKind.UNKNOWN_TABLE, FailureKind.UNKNOWN_COLUMN)
_REBUILD = "Run `dbt build`, so that the warehouse holds what the project defines."


def diagnose(failure: Failure, catalog: Catalog, tier: Tier) -> Failure:
    """The failure with the names that are near its subject.

    A compiled metric that does not bind is never repaired: project and warehouse have drifted
    apart, and the failure says so.
    """
    if tier is Tier.METRIC:
        if failure.kind in _MISSING or failure.code in ("relation", "column"):
            message = f"the warehouse does not have what the metric reads: {failure.message}"
            return replace(failure, kind=FailureKind.DRIFT, message=message, hint=_REBUILD)
        return failure
    catalog = catalog.askable
    if failure.subject and (failure.kind is FailureKind.UNKNOWN_COLUMN or failure.code == "column"):
        name = failure.subject.split(".")[-1].strip('"')
        return replace(failure, candidates=_columns_near(name, catalog))
    if failure.subject and (
        failure.kind is FailureKind.UNKNOWN_TABLE or failure.code == "relation"
    ):
        names = [table.name for table in catalog.tables]
        near = difflib.get_close_matches(failure.subject.split(".")[-1], names, n=3, cutoff=0.5)
        return replace(failure, candidates=tuple(near) or failure.candidates)
    return failure


def _columns_near(name: str, catalog: Catalog) -> tuple[str, ...]:
    """Columns of that name in other tables, then columns whose names are close."""
    owners = [f"{t.name}.{c.name}" for t in catalog.tables for c in t.columns if c.name == name]
    everywhere = {column.name for table in catalog.tables for column in table.columns}
    near = difflib.get_close_matches(name, everywhere, n=3, cutoff=0.6)
    return tuple(dict.fromkeys((*owners[:3], *near)))
