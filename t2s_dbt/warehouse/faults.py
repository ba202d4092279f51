"""DuckDB's exceptions as failures: one table by class, and what each says of its subject."""

import re
from collections.abc import Callable

import duckdb

from t2s_dbt.flow import Failure, FailureKind

BY_CLASS: dict[type[duckdb.Error], FailureKind] = {
    duckdb.BinderException: FailureKind.OTHER,
    duckdb.CatalogException: FailureKind.UNKNOWN_TABLE,
    duckdb.ParserException: FailureKind.SYNTAX,
    duckdb.SyntaxException: FailureKind.SYNTAX,
    duckdb.ConversionException: FailureKind.CONVERSION,
    duckdb.TypeMismatchException: FailureKind.TYPE_MISMATCH,
    duckdb.InvalidTypeException: FailureKind.TYPE_MISMATCH,
    duckdb.InvalidInputException: FailureKind.CONVERSION,
    duckdb.OutOfRangeException: FailureKind.OUT_OF_RANGE,
    duckdb.OutOfMemoryException: FailureKind.OUT_OF_MEMORY,
    duckdb.InterruptException: FailureKind.INTERRUPTED,
    duckdb.PermissionException: FailureKind.NOT_ALLOWED,
    duckdb.NotImplementedException: FailureKind.OTHER,
    duckdb.SequenceException: FailureKind.NOT_ALLOWED,
    duckdb.TransactionException: FailureKind.OTHER,
    duckdb.ConstraintException: FailureKind.NOT_ALLOWED,
    duckdb.DependencyException: FailureKind.NOT_ALLOWED,
    duckdb.ConnectionException: FailureKind.OTHER,
    duckdb.SerializationException: FailureKind.OTHER,
    duckdb.HTTPException: FailureKind.NOT_ALLOWED,
    duckdb.IOException: FailureKind.OTHER,
    duckdb.FatalException: FailureKind.OTHER,
    duckdb.InternalException: FailureKind.OTHER,
    **{
        getattr(duckdb, name): kind
        for name, kind in {"ResourceInUseException": FailureKind.OTHER}.items()
        if hasattr(duckdb, name)  # newer than the oldest DuckDB that is supported
    },
}

# What a class leaves open, its message tells: DuckDB raises one class for every failed binding.
_BY_MESSAGE: dict[type[duckdb.Error], tuple[tuple[re.Pattern[str], FailureKind], ...]] = {
    duckdb.BinderException: (
        (re.compile(r'Referenced column "(.+?)" (?:was )?not found'), FailureKind.UNKNOWN_COLUMN),
        (re.compile(r'does not have a column named "(.+?)"'), FailureKind.UNKNOWN_COLUMN),
        (re.compile(r'Referenced table "(.+?)" not found'), FailureKind.UNKNOWN_TABLE),
        (re.compile(r'Ambiguous reference to column name "(.+?)"'), FailureKind.AMBIGUOUS_COLUMN),
        (
            re.compile(r'column "(.+?)" must appear in the GROUP BY clause'),
            FailureKind.GROUPING,
        ),
        (
            re.compile(r"Cannot compare values of type (.+?)(?: - an explicit cast|$)", re.M),
            FailureKind.TYPE_MISMATCH,
        ),
        (re.compile(r"No function matches .*? '([^'(]+)\("), FailureKind.TYPE_MISMATCH),
    ),
    duckdb.CatalogException: (
        (re.compile(r"Function with name (.+?) does not exist"), FailureKind.UNKNOWN_FUNCTION),
        (re.compile(r'Table with name "?(.+?)"? does not exist'), FailureKind.UNKNOWN_TABLE),
        (re.compile(r'(?:Type|Sequence) with name "?(.+?)"? does not exist'), FailureKind.OTHER),
    ),
}
_CANDIDATES = re.compile(
    r"(?:Candidate bindings: |Candidate tables: |Did you mean |Candidate functions:|\(use: )(.+)"
)
_QUOTED = re.compile(r"""["']([^"']+)["']""")


def fault(error: duckdb.Error, scrub: Callable[[str], str] = str) -> Failure:
    """The failure that an exception of DuckDB is: its kind, its subject, and the names DuckDB
    offers instead. `scrub` takes out of its text what nobody should read.
    """
    text = scrub(str(error))
    kind = next(
        (BY_CLASS[cls] for cls in type(error).__mro__ if cls in BY_CLASS), FailureKind.OTHER
    )
    subject = ""
    for pattern, found_kind in _BY_MESSAGE.get(type(error), ()):
        if found := pattern.search(text):
            kind, subject = found_kind, found[1]
            break
    offered = _CANDIDATES.search(text)
    candidates = tuple(dict.fromkeys(_QUOTED.findall(offered[1]))) if offered else ()
    first = text.split("\n\nLINE ")[0].strip()
    return Failure(kind, first, subject, candidates)
