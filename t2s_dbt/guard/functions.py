"""Which functions may be called, judged on the text that will run."""

from functools import cache
from importlib import resources

from sqlglot.tokenizer_core import Token, TokenType

from t2s_dbt.guard.rejection import Rejection

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})

# Words that a bracket may follow without being a call.
_SYNTAX = frozenset(
    (
        "all and any array as asof at between by case columns cross cube distinct else end except "
        "exclude exists filter first following for from full group grouping having ignore in "
        "inner intersect interval into is join last lateral left like limit natural not nulls of "
        "offset on or order outer over partition pivot positional preceding qualify range "
        "recursive rename replace respect right rollup row rows sample select semi anti set sets "
        "struct table tablesample then to union unique unnest unpivot using values when where "
        "window with within"
    ).split()
)
_SAMPLE_WORDS = frozenset({"sample", "tablesample"})
_SAMPLE_METHODS = frozenset({"system", "bernoulli", "reservoir"})


@cache
def allowed_functions() -> frozenset[str]:
    """The reviewed names of `functions.txt`, lower-cased."""
    text = resources.files(__package__).joinpath("functions.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return frozenset(line.lower() for line in lines if line and not line.startswith("#"))


def _is_definition(tokens: list[Token], position: int) -> bool:
    """Whether a name with a bracket names columns: `AS t(a, b)`, or `WITH t(a) AS (…`."""
    if position and tokens[position - 1].token_type is TokenType.ALIAS:
        return True
    depth = 0
    for place in range(position + 1, len(tokens)):
        kind = tokens[place].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0:
            behind = [token.token_type for token in tokens[place + 1 : place + 3]]
            return behind == [TokenType.ALIAS, TokenType.L_PAREN]
    return False


def check_calls(tokens: list[Token], type_names: frozenset[TokenType]) -> None:
    """Raises Rejection for a call of a function that nobody reviewed.

    Args:
        tokens: the tokens of the text that will run.
        type_names: token types of data types, whose brackets hold a precision.
    """
    for position, token in enumerate(tokens[:-1]):
        if tokens[position + 1].token_type is not TokenType.L_PAREN:
            continue
        name = token.text.lower()
        if not name.replace("_", "").isalnum() or name[0].isdigit():
            continue
        if token.token_type in type_names or _is_definition(tokens, position):
            continue
        before = tokens[position - 1].text.lower() if position else ""
        if before in _SAMPLE_WORDS and name in _SAMPLE_METHODS:
            continue
        quoted = token.token_type is TokenType.IDENTIFIER
        if name in allowed_functions() or (name in _SYNTAX and not quoted):
            continue
        raise Rejection(
            "function", f"the function {token.text} is not one that a question may call", token.text
        )
