"""Reads a text as exactly one query, in whose tree nothing but reading stands."""

import logging
import re
from itertools import pairwise

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from t2s_dbt.guard.limits import nodes_of
from t2s_dbt.guard.mending import bracket_operands, mend_arrows, mended_tokens
from t2s_dbt.guard.rejection import Rejection
from t2s_dbt.guard.sizes import check_sizes

# It warns of statements that are rejected here anyway, with their whole text.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

# What may not stand anywhere in a tree, with the words that say what it is.
_FORBIDDEN: dict[type[exp.Expr], str] = {
    exp.Insert: "an INSERT",
    exp.Update: "an UPDATE",
    exp.Delete: "a DELETE",
    exp.Merge: "a MERGE",
    exp.Create: "a CREATE",
    exp.Drop: "a DROP",
    exp.Alter: "an ALTER",
    exp.TruncateTable: "a TRUNCATE",
    exp.Copy: "a COPY",
    exp.Attach: "an ATTACH",
    exp.Detach: "a DETACH",
    exp.Set: "a SET",
    exp.Pragma: "a PRAGMA",
    exp.Use: "a USE",
    exp.Command: "a command",
    exp.Describe: "a DESCRIBE",
    exp.Summarize: "a SUMMARIZE",
    exp.Show: "a SHOW",
    exp.Transaction: "a transaction",
    exp.Into: "SELECT … INTO",
    exp.Lock: "a locking read",
    exp.Placeholder: "a parameter",
    exp.Parameter: "a parameter",
    exp.SessionParameter: "a session parameter",
    exp.CurrentUser: "the name of the user",
    exp.SessionUser: "the name of the user",
    exp.CurrentCatalog: "the name of the database",
    exp.CurrentSchema: "the name of the schema",
    exp.CurrentDatabase: "the name of the database",
}
# What may stand in the brackets of a CTE, a subquery or a FROM clause.
_READING = (exp.Query, exp.Values, exp.Pivot, exp.Table)


def read_query(sql: str, tokens: list[Token], dialect: str) -> exp.Query:
    """The tree of the one query in a text; VALUES and PIVOT become a SELECT over them.

    Raises:
        Rejection: the text cannot be read, or is not one query that only reads.

    """
    statement = _parsed(sql, tokens, dialect)
    nodes = list(nodes_of(statement))
    _check_nodes(nodes)
    check_sizes(nodes)
    mend_arrows(nodes, tokens, dialect)
    bracket_operands(nodes)
    if isinstance(statement, exp.Pivot):
        with_ = statement.args.get("with_")
        statement.set("with_", None)
        selected = exp.select("*").from_(exp.Subquery(this=statement), copy=False)
        selected.set("with_", with_)
        return selected
    if isinstance(statement, exp.Values):
        return exp.select("*").from_(exp.Subquery(this=statement), copy=False)
    assert isinstance(statement, exp.Query)
    return statement


def _parsed(sql: str, tokens: list[Token], dialect: str) -> exp.Expr:
    try:
        parsed = Dialect.get_or_raise(dialect).parser().parse(mended_tokens(tokens), sql)
    except (SqlglotError, ValueError) as error:
        raise _unreadable(str(error).splitlines()[0], tokens) from None
    statements = [statement for statement in parsed if statement is not None]
    if len(statements) != 1:
        raise Rejection("several", f"there are {len(statements)} statements; one may run")
    statement = statements[0]
    for kind, words in _FORBIDDEN.items():
        if isinstance(statement, kind):
            raise Rejection("no_query", f"{words} is no query", _first(tokens))
    if not isinstance(statement, exp.Query | exp.Values | exp.Pivot):
        raise Rejection("no_query", "the statement is no query", _first(tokens))
    return statement


def _first(tokens: list[Token]) -> str:
    return tokens[0].text if tokens else ""


def _unreadable(why: str, tokens: list[Token]) -> Rejection:
    """What a parser's complaint means; DuckDB itself reads a few things that it does not."""
    kinds = [token.token_type for token in tokens]
    if TokenType.ORDER_BY in kinds and (TokenType.PIVOT in kinds or TokenType.UNPIVOT in kinds):
        return Rejection(
            "unreadable",
            "a PIVOT or UNPIVOT with ORDER BY cannot be read here; write "
            "SELECT * FROM (PIVOT …) ORDER BY …",
            "ORDER BY",
        )
    if TokenType.BLOCK_START in kinds or (TokenType.L_BRACE,) * 2 in pairwise(kinds):
        return Rejection("unreadable", "the statement holds Jinja; only compiled SQL can be read")
    if "<class" in why or "<Token" in why:  # the parser speaks of its own parts
        place = re.search(r"Line (\d+), Col: \d+", why)
        why = f"its syntax is not known here{f' ({place[0]})' if place else ''}"
    return Rejection("unreadable", f"the statement cannot be read: {why}")


def _check_nodes(nodes: list[exp.Expr]) -> None:
    for node in nodes:
        words = _FORBIDDEN.get(type(node))
        if words:
            raise Rejection("forbidden", f"{words} may not stand in a query", node.key.upper())
        if isinstance(node, exp.Pivot):
            _check_pivot(node)
        if isinstance(node, exp.Alias) and isinstance(node.parent, exp.Paren):
            # `(RESET threads)` is read as a column called RESET, with another name.
            raise Rejection("unreadable", "a name may not be given in brackets", node.alias)
        if isinstance(node, exp.DataType) and node.this is exp.DType.USERDEFINED:
            name = node.sql("duckdb")
            raise Rejection("type", f"the type {name} is not one of DuckDB's own", name)
        if isinstance(node, exp.CTE | exp.Subquery) and not isinstance(node.this, _READING):
            raise Rejection(
                "forbidden", "only a query may stand in brackets", node.this.key.upper()
            )


def _check_pivot(pivot: exp.Pivot) -> None:
    """Raises Rejection for a PIVOT that takes its columns from the data: DuckDB runs it as several
    statements.
    """
    if pivot.args.get("unpivot") or pivot.args.get("fields"):
        return
    # DuckDB does the same for an expression in the place of the column.
    if not all(_lists_values(on) for on in pivot.expressions):
        raise Rejection(
            "pivot", "a PIVOT must list its values here: PIVOT … ON column IN ('a', 'b') …", "PIVOT"
        )


def _lists_values(on: exp.Expr) -> bool:
    return isinstance(on, exp.In) and bool(on.expressions) and isinstance(on.this, exp.Column)
