"""What sort of values a column holds, and how many values become one."""

from enum import StrEnum


class Kind(StrEnum):
    """What sort of values a column holds, and how many values become one."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    OTHER = "other"

    @property
    def is_time(self) -> bool:
        """Whether values are points in time."""
        return self in (Kind.DATE, Kind.TIMESTAMP)


_NUMBERS = (
    "TINYINT SMALLINT INT BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT DECIMAL "
    "NUMERIC NUMBER FLOAT DOUBLE REAL"
)
_KINDS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (Kind.OTHER, ("STRUCT", "MAP", "JSON", "BLOB", "INTERVAL", "UNION", "LIST", "TIME", "BIT")),
    (Kind.TIMESTAMP, ("TIMESTAMP", "DATETIME")),
    (Kind.DATE, ("DATE",)),
    (Kind.BOOLEAN, ("BOOL", "LOGICAL")),
    (Kind.TEXT, ("VARCHAR", "CHAR", "TEXT", "STRING", "BPCHAR", "ENUM", "UUID", "NVARCHAR")),
    (Kind.NUMBER, tuple(_NUMBERS.split())),
)


def kind_of(data_type: str | None) -> Kind:
    """The kind behind a type's name: `DECIMAL(12,2)` is a number, `VARCHAR[]` is other."""
    if not data_type:
        return Kind.OTHER
    name = data_type.strip().upper()
    if name.endswith("]"):
        return Kind.OTHER
    for kind, prefixes in _KINDS:
        if kind is Kind.OTHER:
            if name.split("(")[0].split(" ")[0] in prefixes:
                return kind
        elif name.startswith(prefixes):
            return kind
    return Kind.OTHER


class Aggregate(StrEnum):
    """How many values become one."""

    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "average"
    MEDIAN = "median"
    MIN = "min"
    MAX = "max"
