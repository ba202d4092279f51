"""Limits that are judged from the text and its tokens, before any parser sees it."""

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from t2s_dbt.guard.rejection import Rejection

MAX_BYTES = 100_000
MAX_DEPTH = 50

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


def tokenized(sql: str, dialect: str) -> list[Token]:
    """The tokens of a statement; raises Rejection when it is too long, too deep or badly quoted."""
    from sqlglot import tokenize

    size = len(sql.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise Rejection("too_long", f"the statement has {size} bytes; at most {MAX_BYTES} are read")
    if not sql.strip():
        raise Rejection("empty", "there is no statement")
    try:
        tokens = tokenize(sql, read=dialect)
    except TokenError as error:
        raise Rejection("unreadable", f"a quote or comment is not closed: {error}") from None
    depth = deepest = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif token.token_type in _CLOSING:
            depth -= 1
    if deepest > MAX_DEPTH:
        raise Rejection(
            "too_deep", f"brackets are nested {deepest} deep; at most {MAX_DEPTH} are read"
        )
    return tokens
