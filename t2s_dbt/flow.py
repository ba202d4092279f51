"""The values that cross from one step of an answer to the next, in the order in which they do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Literal

from t2s_dbt.catalog import Attribute, Catalog, Relation
from t2s_dbt.reading import Operator, Reading, Scalar

# --- Question ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, and the day on which "last month" is to be understood."""

    text: str
    as_of: date


# --- Linked --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or sign of the question; `start` and `end` are character offsets."""

    text: str
    start: int
    end: int
    quoted: bool = False

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class MetricTarget:
    """A metric, by name."""

    metric: str


@dataclass(frozen=True, slots=True)
class TableTarget:
    """The things a table holds a row each of."""

    table: str


@dataclass(frozen=True, slots=True)
class AttributeTarget:
    """A column or computed dimension."""

    attribute: Attribute


@dataclass(frozen=True, slots=True)
class ValueTarget:
    """A value that an attribute is known to hold, spelled as it is stored."""

    attribute: Attribute
    value: str


@dataclass(frozen=True, slots=True)
class TermTarget:
    """A glossary term whose meaning is a piece of SQL or an instruction."""

    term: str


Target = MetricTarget | TableTarget | AttributeTarget | ValueTarget | TermTarget


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens `first` up to, not including, `last` seem to mean `target`; `score` is 0 to 1."""

    first: int
    last: int
    target: Target
    score: float
    evidence: str


@dataclass(frozen=True)
class Linked:
    """What of the project a question seems to mention: all that a provider is handed.

    `hidden_words` name a hidden column; `near` gives names that are spelled like unknown words.
    """

    question: Question
    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    context: Catalog
    hidden_words: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# --- Proposal ------------------------------------------------------------------------------------


ItemKind = Literal["dimension", "time", "entity"]


@dataclass(frozen=True, slots=True)
class MetricPredicate:
    """A condition on a group-by item of the semantic layer, never a piece of SQL text."""

    item: str
    kind: ItemKind
    operator: Operator
    values: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricQuery:
    """A question to the semantic layer; items are named as MetricFlow names them
    (`customer__country`).

    `order_by` holds items or metrics of the query, with a leading "-" for descending. `start` and
    `end` are days of the metrics' own time, both included.
    """

    metrics: tuple[str, ...]
    group_by: tuple[str, ...] = ()
    where: tuple[MetricPredicate, ...] = ()
    start: date | None = None
    end: date | None = None
    order_by: tuple[str, ...] = ()
    limit: int | None = None
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class SqlDraft:
    """SQL that somebody wrote, unchecked."""

    sql: str
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question back, with the readings to choose from."""

    question: str
    options: tuple[Reading, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there will be no answer, what was not understood, and what could be asked instead."""

    reason: str
    unknown: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


Proposal = MetricQuery | SqlDraft | Clarification | Refusal


# --- Draft, CheckedSql ---------------------------------------------------------------------------


class Tier(StrEnum):
    """How an answer's query came to be."""

    VERIFIED = "verified"
    METRIC = "metric"
    SQL = "sql"


class ProposedBy(StrEnum):
    """Who wrote it."""

    PERSON = "person"
    RULES = "rules"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Draft:
    """SQL on its way to the guard."""

    sql: str
    tier: Tier
    proposed_by: ProposedBy


class _Seal:
    """What only the guard holds; see `CheckedSql`."""


GUARD_SEAL = _Seal()


@dataclass(frozen=True, slots=True)
class Exposed:
    """A relation that a checked query reads, with the columns that may be seen."""

    table: str
    relation: Relation
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedSql:
    """SQL that the guard has walked and rendered anew; nothing else can run.

    Making one needs `GUARD_SEAL`, which only `guard/` imports (the architecture test holds that).
    `limited_to` is how many rows may be shown; the SQL's own limit is one higher, so that a cut can
    be told.
    """

    sql: str
    exposed: tuple[Exposed, ...]
    limited_to: int
    seal: _Seal = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.seal is not GUARD_SEAL:
            raise TypeError("only the guard makes a CheckedSql")


# --- Rows | Failure ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rows:
    """A result: `types` are the engine's type names, `rows` Python values in column order."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    seconds: float = 0.0


class FailureKind(StrEnum):
    """Why a query did not give a usable result."""

    REJECTED = "rejected"
    SYNTAX = "syntax"
    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_COLUMN = "unknown_column"
    UNKNOWN_FUNCTION = "unknown_function"
    AMBIGUOUS_COLUMN = "ambiguous_column"
    TYPE_MISMATCH = "type_mismatch"
    CONVERSION = "conversion"
    GROUPING = "grouping"
    OUT_OF_RANGE = "out_of_range"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    INTERRUPTED = "interrupted"
    NOT_ALLOWED = "not_allowed"
    METRIC_QUERY = "metric_query"
    NEEDS_TIME = "needs_time"
    DRIFT = "drift"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Failure:
    """An expected failure, as the next attempt's input: what kind, about what, and what is
    near it; the guard also says by which rule (`code`) and on which line of the SQL.
    """

    kind: FailureKind
    message: str
    subject: str = ""
    candidates: tuple[str, ...] = ()
    hint: str = ""
    code: str = ""
    line: int | None = None


# --- Attempt, Answer -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attempt:
    """A proposal, the SQL that came of it, and what the database or the guard said."""

    proposal: MetricQuery | SqlDraft
    tier: Tier
    sql: str
    outcome: Rows | Failure | None

    @property
    def failure(self) -> Failure | None:
        """The failure, if it was one."""
        return self.outcome if isinstance(self.outcome, Failure) else None


class Status(StrEnum):
    """How an ask ended."""

    ANSWERED = "answered"
    EMPTY = "empty"
    EXPLAINED = "explained"
    CLARIFY = "clarify"
    REFUSED = "refused"
    FAILED = "failed"


class Level(StrEnum):
    """How sure an answer is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure, and why not surer."""

    level: Level
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader of the answer must know: a code for programs, a sentence for people."""

    code: str
    message: str


class Format(StrEnum):
    """How a result column is shown."""

    TEXT = "text"
    COUNT = "count"
    NUMBER = "number"
    MONEY = "money"
    SHARE = "share"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A result column: its SQL name, what people call it, how it is shown."""

    name: str
    label: str
    format: Format
    unit: str | None = None
    grain: str | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """A metric or model that an answer stands on, and where it is defined."""

    name: str
    location: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything there is to say about one ask; `text` is the sentence, `understood` the reading
    told back.
    """

    question: Question
    status: Status
    text: str
    understood: str = ""
    sql: str | None = None
    columns: tuple[ColumnInfo, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    truncated: bool = False
    tier: Tier | None = None
    proposed_by: ProposedBy | None = None
    metrics: tuple[Used, ...] = ()
    models: tuple[Used, ...] = ()
    filters: tuple[str, ...] = ()
    reading: Reading | None = None
    attempts: tuple[Attempt, ...] = ()
    options: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    confidence: Confidence | None = None
    timing: Mapping[str, float] = field(default_factory=dict)

    @property
    def records(self) -> Sequence[dict[str, Any]]:
        """The rows as dicts by column name."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]
