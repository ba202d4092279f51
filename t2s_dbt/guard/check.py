"""The guard: a draft goes in, and a `CheckedSql` or a reason comes out. Pure; it asks no
database.
"""

import re
from itertools import pairwise

from sqlglot import exp, tokenize
from sqlglot.tokenizer_core import Token, TokenType

from t2s_dbt.catalog import Catalog
from t2s_dbt.flow import GUARD_SEAL, CheckedSql, Failure, FailureKind
from t2s_dbt.guard.columns import HIDDEN_MESSAGE, Source, check_columns
from t2s_dbt.guard.functions import check_calls
from t2s_dbt.guard.limits import tokenized
from t2s_dbt.guard.rejection import Rejection
from t2s_dbt.guard.relations import Read, exposed, project_visible, resolve_relations
from t2s_dbt.guard.statement import read_query

_WORD = re.compile(r"\w+")


def check(
    sql: str, catalog: Catalog, *, max_rows: int, dialect: str = "duckdb"
) -> CheckedSql | Failure:
    """The query, rendered anew from the tree that was walked, or why it may not run.

    Args:
        sql: one statement, as somebody wrote it.
        catalog: what may be read.
        max_rows: how many rows may be shown; the outermost limit is set or clamped to one more.
        dialect: sqlglot's name of the warehouse's dialect.

    """
    tokens: list[Token] = []
    try:
        tokens = tokenized(sql, dialect)
        return _checked(sql, tokens, catalog, max_rows, dialect)
    except RecursionError:
        rejection = Rejection("too_deep", "the statement is nested too deeply")
    except Rejection as raised:
        rejection = raised
    except Exception as error:  # what sqlglot, or a step here, cannot judge may not run
        first = str(error).splitlines()[:1] or [type(error).__name__]
        rejection = Rejection("unreadable", f"the statement cannot be judged: {first[0]}")
    failure = Failure(
        FailureKind.REJECTED,
        rejection.message,
        rejection.subject,
        rejection.candidates,
        code=rejection.code,
        line=rejection.line or _line(rejection.subject, tokens),
    )
    return without_hidden(failure, catalog)


def without_hidden(failure: Failure, catalog: Catalog) -> Failure:
    """The same failure, or one that says less when its words would name a hidden column."""
    told = (failure.message, failure.subject, failure.hint, *failure.candidates)
    if not any(names_hidden(text, catalog) for text in told):
        return failure
    return Failure(failure.kind, HIDDEN_MESSAGE, code="hidden", line=failure.line)


def names_hidden(text: str, catalog: Catalog) -> bool:
    """Whether a text has a word that only hidden columns are called by."""
    words = _WORD.findall(text.lower())
    elements = (word.rpartition("__")[2] for word in words)  # of customer__email, as metrics say it
    spaced = (name for name in catalog.hidden_names if not _WORD.fullmatch(name))
    return not catalog.hidden_names.isdisjoint({*words, *elements}) or any(
        name in text.lower() for name in spaced
    )


def _checked(
    sql: str, tokens: list[Token], catalog: Catalog, max_rows: int, dialect: str
) -> CheckedSql:
    """The steps of the guard, each of which may raise a Rejection."""
    tree = read_query(sql, tokens, dialect)
    reads = resolve_relations(tree, catalog)
    sources = {id(read.node): _source(read, catalog) for read in reads}
    check_columns(tree, sources, catalog.hidden_names)
    project_visible(reads, catalog)
    text = _limited(tree, max_rows).sql(dialect=dialect, comments=False, pretty=True, copy=False)
    _check_text(text, dialect)
    return CheckedSql(text, exposed(reads), max_rows, GUARD_SEAL)


def _source(read: Read, catalog: Catalog) -> Source:
    """The columns of a relation as the resolver needs them; all of them, or it is left open."""
    table = read.table
    hidden = catalog.hidden_columns.get(table.relation.key, frozenset())
    known = tuple(column.name.lower() for column in table.columns)
    return Source(known if table.columns_known else None, hidden)


def _limited(tree: exp.Query, max_rows: int) -> exp.Query:
    """The query with an outermost limit of at most one row more than may be shown."""
    most = max_rows + 1
    limit = tree.args.get("limit")
    if limit is None:
        return tree.limit(most, copy=False)
    amount = limit.expression if isinstance(limit, exp.Limit) else None
    plain = isinstance(limit, exp.Limit) and not limit.args.get("limit_options")
    if plain and isinstance(amount, exp.Literal) and amount.is_int:
        return tree if int(amount.name) <= most else tree.limit(most, copy=False)
    return exp.select("*").from_(tree.subquery("limited", copy=False), copy=False).limit(most)


def _check_text(text: str, dialect: str) -> None:
    """Judges the text that will run: its calls, and positional references that name no column."""
    tokens = tokenize(text, read=dialect)
    check_calls(tokens)
    for first, second in pairwise(tokens):
        if first.token_type is TokenType.HASH and second.token_type is TokenType.NUMBER:
            raise Rejection("positional", "a column is named by its position", f"#{second.text}")


def _line(subject: str, tokens: list[Token]) -> int | None:
    """The line of the statement on which the offending text begins."""
    first = subject.split(".")[0].split("(")[0].strip('"').lower()
    return next((token.line for token in tokens if first and token.text.lower() == first), None)
