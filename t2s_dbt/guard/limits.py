"""Limits on the size and the nesting of a statement.

They are judged twice: on its tokens, before a parser that recurses sees them, and on its tree.
"""

from collections.abc import Iterator

from sqlglot import exp, tokenize
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from t2s_dbt.guard.rejection import Rejection

MAX_BYTES = 100_000
MAX_TOKENS = 20_000
MAX_DEPTH = 50
MAX_JOINS = 200
MAX_TYPES = 6

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
# What an operand ends or separates: a run of other tokens is a chain of prefixes, each of which
# costs a parser one level (`NOT NOT NOT …`, `FROM FROM FROM …`).
_OPERANDS = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.COMMA,
        TokenType.STAR,
        TokenType.SEMICOLON,
        TokenType.END,
        *_OPENING,
        *_CLOSING,
    }
)
TYPES = frozenset(DuckDB.Parser.TYPE_TOKENS)
# Each bracket behind a type's name is read twice, as a type and as a call: twenty of them take
# hours.
_READ_TWICE = TYPES | {TokenType.ROW}
# What makes a level of nesting in a tree. Chains of one operator (`a OR b OR c`) make none.
_LEVELS = (exp.Select, exp.Func, exp.Case, exp.Paren, exp.Unary, exp.Lambda, exp.Bracket)


def tokenized(sql: str, dialect: str) -> list[Token]:
    """The tokens of a statement; raises Rejection when it is too long, too deep or badly quoted."""
    size = len(sql.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise Rejection(
            "too_long", f"the statement has {size:,} bytes; at most {MAX_BYTES:,} are read"
        )
    if not sql.strip():
        raise Rejection("empty", "there is no statement")
    try:
        tokens = tokenize(sql, read=dialect)
    except TokenError as error:
        raise Rejection("unreadable", f"a quote or comment is not closed: {error}") from None
    deepest = max(_depths(tokens), default=0)
    if deepest > MAX_DEPTH:
        raise _too_deep(deepest)
    if len(tokens) > MAX_TOKENS:
        raise Rejection(
            "too_long",
            f"the statement has {len(tokens):,} words and signs; at most {MAX_TOKENS:,} are read",
        )
    joins = sum(token.token_type is TokenType.JOIN for token in tokens)
    if joins > MAX_JOINS:
        raise Rejection(
            "too_long", f"the statement has {joins} joins; at most {MAX_JOINS} are read"
        )
    return tokens


def _depths(tokens: list[Token]) -> Iterator[int]:
    """How deep each token is nested: in brackets and CASE, in a run of prefixes, or behind a run of
    `[…][…]`.
    """
    run = subscripts = types = 0
    opened: list[bool] = []  # whether each open bracket stands behind a type's name
    before: TokenType | None = None
    for token in tokens:
        kind = token.token_type
        if kind in _OPENING:
            opened.append(kind is TokenType.L_PAREN and before in _READ_TWICE)
            types += opened[-1]
        elif kind in _CLOSING and opened:
            types -= opened.pop()
        if types > MAX_TYPES:
            raise Rejection("too_deep", f"more than {MAX_TYPES} types are nested in each other")
        run = 0 if kind in _OPERANDS else run + 1
        if kind is TokenType.L_BRACKET:
            subscripts = subscripts + 1 if before is TokenType.R_BRACKET else 0
        before = kind
        yield max(len(opened), run, subscripts)


def nodes_of(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Every node of a tree; raises Rejection where queries, calls and cases are nested too deep."""
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, _LEVELS) and not isinstance(node, exp.Binary):
            depth += 1
            if depth > MAX_DEPTH:
                raise _too_deep(depth)
        yield node
        for child in node.iter_expressions():
            stack.append((child, depth))


def _too_deep(depth: int) -> Rejection:
    return Rejection(
        "too_deep", f"the statement is nested {depth} deep; at most {MAX_DEPTH} are read"
    )
