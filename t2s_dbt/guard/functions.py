"""Which functions may be called, judged on the text that will run."""

import difflib
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources

from sqlglot.tokenizer_core import Token, TokenType

from t2s_dbt.guard.rejection import Rejection

# They make rows of their arguments alone.
TABLE_FUNCTIONS = frozenset(
    {"range", "generate_series", "unnest", "json_each", "json_tree", "repeat"}
)

# Words that a bracket may follow without being a call.
_SYNTAX = frozenset(
    (
        "all and any array as asof at between by case columns cross cube distinct else end except "
        "exclude exists filter first following for from full group grouping having ignore in "
        "inner intersect interval into is join key last lateral left like limit materialized name "
        "natural not nulls of offset on or order outer over partition percent pivot positional "
        "preceding qualify range recursive rename repeatable replace respect right rollup row "
        "rows sample select semi anti set sets "
        "struct table tablesample then to union unique unnest unpivot using values when where "
        "window with within"
    ).split()
)
_TYPES = frozenset(
    TokenType[name]
    for name in (
        "DECIMAL BIGDECIMAL VARCHAR CHAR NVARCHAR NCHAR TEXT BIT STRUCT MAP LIST ARRAY TIMESTAMP "
        "TIME TIMESTAMPTZ FLOAT DOUBLE INT BIGINT SMALLINT TINYINT ENUM UNION"
    ).split()
    if name in TokenType.__members__
)
# What stands between the name of a CTE, with its columns, and its body.
_BODIES = (["as", "("], ["as", "materialized", "("], ["as", "not", "materialized", "("])
_SAMPLE_WORDS = frozenset({"sample", "tablesample"})
_SAMPLE_METHODS = frozenset({"system", "bernoulli", "reservoir"})


@cache
def allowed_functions() -> frozenset[str]:
    """The reviewed names of `functions.txt`, lower-cased."""
    return frozenset(line.lower() for line in _lines("functions.txt"))


@cache
def refused_functions() -> dict[str, str]:
    """What the functions of `refused.txt` do, by name or pattern."""
    found: dict[str, str] = {}
    reason = ""
    for line in _lines("refused.txt"):
        if line.startswith("["):
            reason = line.strip("[]")
        else:
            found.update(dict.fromkeys(line.split(), reason))
    return found


def _lines(name: str) -> list[str]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def why_refused(name: str) -> str | None:
    """What a function of DuckDB does that a question may not; None when nobody reviewed it."""
    lower = name.lower()
    patterns = refused_functions()
    return next((patterns[p] for p in patterns if fnmatchcase(lower, p)), None)


def refusal(name: str) -> str:
    """The sentence that says why a function may not be called."""
    reason = why_refused(name)
    if reason:
        return f"the function {name} {reason}, which a question may not do"
    return f"the function {name} is not one that a question may call"


def check_calls(tokens: list[Token]) -> None:
    """Raises Rejection for a call of a function that is not allowed, in the text that will run."""
    for position, token in enumerate(tokens[:-1]):
        if tokens[position + 1].token_type is not TokenType.L_PAREN:
            continue
        name, quoted = token.text.lower(), token.token_type is TokenType.IDENTIFIER
        plain = name.replace("_", "").isalnum() and not name[0].isdigit()
        if not (plain or quoted):
            continue
        if token.token_type in _TYPES or _is_definition(tokens, position):
            continue
        before = tokens[position - 1].text.lower() if position else ""
        if before in _SAMPLE_WORDS and name in _SAMPLE_METHODS:
            continue
        allowed = name in allowed_functions() or name in TABLE_FUNCTIONS
        if allowed or (name in _SYNTAX and not quoted):
            continue
        near = difflib.get_close_matches(name, allowed_functions(), n=3, cutoff=0.75)
        raise Rejection("function", refusal(name), name, near)


def _is_definition(tokens: list[Token], position: int) -> bool:
    """Whether a name with a bracket names columns: `AS t(a, b)`, or `WITH t(a) AS (…`.

    A CTE's body may be MATERIALIZED or not, and a recursive one may have USING KEY before it.
    """
    if position and tokens[position - 1].token_type is TokenType.ALIAS:
        return True
    place = _behind_bracket(tokens, position + 1)
    if _words(tokens, place, 2) == ["using", "key"]:
        place = _behind_bracket(tokens, place + 2)
    behind = _words(tokens, place, 4)
    return any(behind[: len(body)] == body for body in _BODIES)


def _words(tokens: list[Token], place: int, count: int) -> list[str]:
    """The next words and signs, lower-cased; a quoted name or text is none."""
    quoted = (TokenType.IDENTIFIER, TokenType.STRING)
    following = tokens[place : place + count]
    return ["" if token.token_type in quoted else token.text.lower() for token in following]


def _behind_bracket(tokens: list[Token], opening: int) -> int:
    """The place behind the bracket that is opened at a place."""
    depth = 0
    for place in range(opening, len(tokens)):
        kind = tokens[place].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0:
            return place + 1
    return len(tokens)
