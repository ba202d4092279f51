"""The guard: a draft goes in, and a `CheckedSql` or a reason comes out. Pure; it asks no
database.
"""

from itertools import pairwise

from sqlglot import exp, parse, tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from t2s_dbt.catalog import Catalog
from t2s_dbt.flow import GUARD_SEAL, CheckedSql, Exposed, Failure, FailureKind
from t2s_dbt.guard.functions import check_calls
from t2s_dbt.guard.limits import tokenized
from t2s_dbt.guard.rejection import Rejection
from t2s_dbt.guard.relations import resolve_relations

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
_TYPE_TOKENS = frozenset(
    TokenType[name]
    for name in (
        "DECIMAL BIGDECIMAL VARCHAR CHAR NVARCHAR NCHAR TEXT BIT STRUCT MAP LIST ARRAY TIMESTAMP "
        "TIME TIMESTAMPTZ FLOAT DOUBLE INT BIGINT SMALLINT TINYINT ENUM UNION"
    ).split()
    if name in TokenType.__members__
)


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
    try:
        tokenized(sql, dialect)
        tree = _parse(sql, dialect)
        _check_nodes(tree)
        exposed = resolve_relations(tree, catalog)
        _check_hidden(tree, catalog, exposed)
        text = _render(_limited(tree, max_rows), dialect)
        _check_text(text, dialect)
    except Rejection as rejection:
        return Failure(
            FailureKind.REJECTED, rejection.message, rejection.subject, code=rejection.code
        )
    return CheckedSql(text, exposed, max_rows, GUARD_SEAL)


def _parse(sql: str, dialect: str) -> exp.Query:
    try:
        statements = [statement for statement in parse(sql, read=dialect) if statement is not None]
    except SqlglotError as error:
        first = str(error).splitlines()[0]
        raise Rejection("unreadable", f"the statement cannot be read: {first}") from None
    except RecursionError:
        raise Rejection("too_deep", "the statement is nested too deeply") from None
    if len(statements) != 1:
        raise Rejection("several", f"there are {len(statements)} statements; one may run")
    statement = statements[0]
    for kind, words in _FORBIDDEN.items():
        if isinstance(statement, kind):
            raise Rejection("no_query", f"{words} is no query", statement.sql(dialect)[:80])
    if not isinstance(statement, exp.Query):
        raise Rejection("no_query", "the statement is no query", statement.key.upper())
    return statement


def _check_nodes(tree: exp.Query) -> None:
    for node in tree.walk():
        words = _FORBIDDEN.get(type(node))
        if words:
            raise Rejection("forbidden", f"{words} may not stand in a query", node.key.upper())


def _check_hidden(tree: exp.Query, catalog: Catalog, exposed: tuple[Exposed, ...]) -> None:
    """Raises Rejection for a column that policy hides in every relation that the query reads."""
    hidden: set[str] = set()
    for source in exposed:
        hidden |= catalog.hidden_columns.get(source.relation.key, frozenset())
    if not hidden:
        return
    visible = {column.lower() for source in exposed for column in source.columns}
    made = {alias.alias.lower() for alias in tree.find_all(exp.Alias) if not _is_copy(alias)}
    made |= {name.name.lower() for alias in tree.find_all(exp.TableAlias) for name in alias.columns}
    for column in tree.find_all(exp.Column):
        name = column.name.lower()
        if name in hidden and name not in visible and name not in made:
            raise Rejection("hidden", "the query reads a column that is hidden by policy")


def _is_copy(alias: exp.Alias) -> bool:
    """Whether an alias only repeats its column's name: `email AS email` makes nothing new."""
    return isinstance(alias.this, exp.Column) and alias.this.name.lower() == alias.alias.lower()


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


def _render(tree: exp.Query, dialect: str) -> str:
    try:
        return tree.sql(dialect=dialect, comments=False, pretty=True)
    except (RecursionError, SqlglotError):
        raise Rejection("too_deep", "the statement is nested too deeply") from None


def _check_text(text: str, dialect: str) -> None:
    """Judges the text that will run: its calls, and positional references that name no column."""
    tokens = tokenize(text, read=dialect)
    check_calls(tokens, _TYPE_TOKENS)
    for first, second in pairwise(tokens):
        if first.token_type is TokenType.HASH and second.token_type is TokenType.NUMBER:
            raise Rejection("positional", "a column is named by its position", f"#{second.text}")
