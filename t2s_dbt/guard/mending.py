"""Where sqlglot reads DuckDB's SQL otherwise than DuckDB does: mended, or refused.

A query that is rendered with another meaning would be answered with a wrong number. Each case here
was found by running statements before and after.
"""

from collections.abc import Iterable
from itertools import pairwise

from sqlglot import Dialect, exp
from sqlglot.tokenizer_core import Token, TokenType

from t2s_dbt.guard.limits import TYPES
from t2s_dbt.guard.rejection import Rejection

_LOOKED_AT = frozenset(
    {
        *(TokenType.L_PAREN, TokenType.R_PAREN, TokenType.L_BRACKET),
        *(TokenType.STRING, TokenType.INTERVAL, TokenType.DCOLON),
    }
)
_ARROWS = frozenset({TokenType.ARROW, TokenType.DARROW})
_PATH_SIGNS = frozenset(".[*:")
_CAST_TEXT = [TokenType.STRING, TokenType.DCOLON]
_LITERALS = frozenset({TokenType.STRING, TokenType.NUMBER, TokenType.COMMA, TokenType.DASH})
_GO_ON = frozenset({TokenType.DPIPE, TokenType.DCOLON, TokenType.L_BRACKET, TokenType.PLUS})
_BEHIND_A_NAME = frozenset(
    {TokenType.PLUS, TokenType.STAR, TokenType.SLASH, TokenType.DIV, TokenType.MOD}
)
_OPERATOR_CALLS = (
    *(exp.ArrayOverlaps, exp.ArrayContainsAll, exp.ArrayContainedBy),
    *(exp.JSONExtract, exp.JSONExtractScalar),
)
_UNITS = frozenset(
    "microsecond millisecond second minute hour day week month quarter year decade century "
    "centurie millennium millennia".split()
)


def mended_tokens(tokens: list[Token]) -> list[Token]:
    """The tokens with keys and names that sqlglot would misread made plain.

    Raises:
        Rejection: a field that it would take for a function, whatever is done about it.

    """
    calls: list[str] = []
    mended = list(tokens)
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind not in _LOOKED_AT:
            continue
        before = tokens[place - 1] if place else None
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if kind is TokenType.L_PAREN:
            calls.append(before.text.lower() if before else "")
        elif kind is TokenType.R_PAREN and calls:
            calls.pop()
        elif kind is TokenType.STRING and before and _is_json_key(token, before, calls):
            mended[place] = _like(token, TokenType.STRING, f'$."{token.text}"')
        elif kind is TokenType.INTERVAL and after and _is_name(tokens, place):
            mended[place] = _like(token, TokenType.IDENTIFIER, token.text)
        elif kind is TokenType.L_BRACKET and before:
            _check_field(before, tokens[place - 2] if place > 1 else None)
            if before.token_type is TokenType.IN and not _loops(tokens, place - 1):
                _check_list(tokens, place)
        elif kind is TokenType.DCOLON and before and before.token_type is TokenType.STRING:
            _check_typed(tokens, place - 2)
    return _with_brackets(mended)


def _with_brackets(tokens: list[Token]) -> list[Token]:
    """Brackets around a typed text that is cast: `DATE '2024-01-01'::VARCHAR` is read as a DATE of
    a VARCHAR.
    """
    kinds = [token.token_type for token in tokens]
    if TokenType.DCOLON not in kinds:
        return tokens
    found: list[Token] = []
    for place, token in enumerate(tokens):
        opens = token.token_type in TYPES and kinds[place + 1 : place + 3] == _CAST_TEXT
        closes = place > 0 and kinds[place - 1] in TYPES and kinds[place : place + 2] == _CAST_TEXT
        found += [_like(token, TokenType.L_PAREN, "(")] if opens else []
        found.append(token)
        found += [_like(token, TokenType.R_PAREN, ")")] if closes else []
    return found


def _loops(tokens: list[Token], place: int) -> bool:
    """Whether an IN is that of a comprehension: `[x FOR x, i IN [1, 2]]`."""
    kinds = [token.token_type for token in tokens[max(place - 4, 0) : place]]
    pair = len(kinds) == 4 and kinds[0] is TokenType.FOR and kinds[2] is TokenType.COMMA
    return pair or kinds[-2:-1] == [TokenType.FOR]


def _check_typed(tokens: list[Token], place: int) -> None:
    """Raises Rejection for a cast of a text whose type has several words: `DECIMAL(4, 1)
    '1.25'::VARCHAR`.
    """
    token = tokens[place] if place >= 0 else None
    if token and (token.token_type is TokenType.R_PAREN or token.text.lower() == "zone"):
        raise Rejection(
            "unreadable",
            "a text with a type in front and a cast behind cannot be read here; put the text and "
            "its type in brackets",
            tokens[place + 1].text,
            line=token.line,
        )


def _check_list(tokens: list[Token], opening: int) -> None:
    """Raises Rejection for `x IN [list]` unless it is one of literals, closed at once: it is read
    as `x IN (…)`, which means something else when the list holds NULL.
    """
    place = opening + 1
    while place < len(tokens) and tokens[place].token_type in _LITERALS:
        place += 1
    closed = place < len(tokens) and tokens[place].token_type is TokenType.R_BRACKET
    behind = tokens[place + 1].token_type if place + 1 < len(tokens) else None
    if not closed or behind in _GO_ON:
        raise Rejection(
            "unreadable",
            "IN with a list cannot be read here; write list_contains(list, value)",
            "IN",
            line=tokens[opening].line,
        )


def _is_json_key(token: Token, before: Token, calls: list[str]) -> bool:
    """Whether a text is a key that sqlglot would take for a path: `payload ->> 'a.b'`."""
    inside = before.token_type is TokenType.COMMA and calls and calls[-1].startswith("json_extract")
    is_key = before.token_type in _ARROWS or inside
    text = token.text
    return bool(is_key and not text.startswith(("$", "/")) and _PATH_SIGNS & set(text))


def _is_name(tokens: list[Token], place: int) -> bool:
    """Whether INTERVAL is a column here: `interval - 1`, but not `INTERVAL -1 DAY`."""
    kinds = [token.token_type for token in tokens[place + 1 : place + 3]]
    if kinds[:1] != [TokenType.DASH]:
        return bool(kinds) and kinds[0] in _BEHIND_A_NAME
    unit = tokens[place + 3].text.lower().rstrip("s") if place + 3 < len(tokens) else ""
    return kinds[1:] != [TokenType.NUMBER] or unit not in _UNITS


def _check_field(token: Token, before: Token | None) -> None:
    """Raises Rejection for `list[1]` and `t.array[1]`, which are read as LIST(1) and ARRAY[1]."""
    name, qualified = token.text.lower(), before is not None and before.token_type is TokenType.DOT
    if name == "list" or (name == "array" and qualified):
        raise Rejection(
            "unreadable",
            f"an element of a column called {name} cannot be read by its place here; give the "
            "column another name in a subquery first",
            token.text,
            line=token.line,
        )


def _like(token: Token, kind: TokenType, text: str) -> Token:
    """A token of another kind or text in the place of one."""
    return Token(kind, text, token.line, token.col, token.start, token.end)


def mend_arrows(nodes: Iterable[exp.Expr], tokens: list[Token], dialect: str) -> None:
    """Makes `f(payload -> 'key')` an extraction again: sqlglot reads it as a lambda.

    With an arrow, a body begins with a literal only when the arrow is JSON's. One that is written
    `lambda x: …` is a lambda.
    """
    lambdas = [node for node in nodes if isinstance(node, exp.Lambda)]
    if not lambdas:
        return
    reader = Dialect.get_or_raise(dialect)
    words = [token.text.lower() for token in tokens]
    written = {after for word, after in pairwise(words) if word == "lambda"}
    for lambda_ in lambdas:
        if lambda_.expressions[0].name.lower() in written:
            continue
        body, first = lambda_.this, lambda_.this
        while isinstance(first, exp.Binary):
            first = first.this
        if isinstance(first, exp.Literal) and len(lambda_.expressions) == 1:
            column = exp.column(lambda_.expressions[0].copy())
            path = reader.to_json_path(first.copy())
            extraction = exp.JSONExtract(this=column, expression=path)
            if first is body:
                body = extraction
            else:
                first.replace(extraction)
            lambda_.replace(body)


def bracket_operands(nodes: Iterable[exp.Expr]) -> None:
    """Brackets around the operands of calls that are rendered as operators: `list_has_any(a, b ||
    c)` becomes `a && (b || c)`.
    """
    for node in nodes:
        if isinstance(node, _OPERATOR_CALLS):
            for operand in (node.this, node.expression):
                if isinstance(operand, exp.Binary):
                    operand.replace(exp.Paren(this=operand.copy()))
