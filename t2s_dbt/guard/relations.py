"""Resolves what a statement reads: its CTEs aside, each relation must be a table of the catalog."""

from sqlglot import exp

from t2s_dbt.catalog import Catalog, Table
from t2s_dbt.flow import Exposed
from t2s_dbt.guard.functions import TABLE_FUNCTIONS
from t2s_dbt.guard.rejection import Rejection


def resolve_relations(tree: exp.Query, catalog: Catalog) -> tuple[Exposed, ...]:
    """Rewrites each relation of the tree to its full name, and returns those it reads.

    Raises:
        Rejection: a relation or table function that the project does not expose.

    """
    exposed: dict[str, Exposed] = {}
    for node in list(tree.find_all(exp.Table)):
        if isinstance(node.this, exp.Func):
            _check_table_function(node.this)
        elif not _is_cte(node):
            table = _table(node, catalog)
            columns = tuple(column.name for column in table.columns)
            exposed[table.name] = Exposed(table.name, table.relation, columns)
            _rename(node, table)
    return tuple(exposed.values())


def _check_table_function(call: exp.Func) -> None:
    name = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
    if name.lower() not in TABLE_FUNCTIONS:
        raise Rejection(
            "table_function", f"the table function {name} is not one that a question may call", name
        )


def _is_cte(node: exp.Table) -> bool:
    """Whether the name is that of a CTE in whose scope the node stands."""
    if node.db or node.catalog:
        return False
    name = node.name.lower()
    scope: exp.Expr | None = node.parent
    while scope is not None:
        with_ = scope.args.get("with_") or scope.args.get("with")
        if isinstance(with_, exp.With):
            for cte in with_.expressions:
                inside = _inside(node, cte)
                if cte.alias.lower() == name and (not inside or with_.recursive):
                    return True
                if inside:
                    break
        scope = scope.parent
    return False


def _inside(node: exp.Expr, ancestor: exp.Expr) -> bool:
    above: exp.Expr | None = node
    while above is not None:
        if above is ancestor:
            return True
        above = above.parent
    return False


def _table(node: exp.Table, catalog: Catalog) -> Table:
    """The catalog's table behind a name: schema and identifier, an identifier alone, or a model's
    name.
    """
    name, schema, database = node.name.lower(), node.db.lower(), node.catalog.lower()
    matches = [
        table
        for table in catalog.tables
        if table.relation.identifier.lower() == name
        and schema in ("", table.relation.schema.lower())
        and database in ("", (table.relation.database or "").lower())
    ]
    if not matches and not schema:
        matches = [table for table in catalog.tables if table.name.lower() == name]
    if len(matches) != 1:
        shown = ".".join(part for part in (node.catalog, node.db, node.name) if part)
        if matches:
            places = ", ".join(str(table.relation) for table in matches)
            raise Rejection("ambiguous_relation", f"{shown} may be any of {places}", shown)
        raise Rejection("relation", f"the project exposes no table {shown}", shown)
    return matches[0]


def _rename(node: exp.Table, table: Table) -> None:
    """Gives the node the relation's full name, and keeps the name by which its columns are
    qualified.
    """
    written = node.this.copy()
    if not node.alias and written.name.lower() != table.relation.identifier.lower():
        node.set("alias", exp.TableAlias(this=written))
    relation = table.relation
    node.set("this", exp.to_identifier(relation.identifier, quoted=True))
    node.set("db", exp.to_identifier(relation.schema, quoted=True))
    node.set(
        "catalog", exp.to_identifier(relation.database, quoted=True) if relation.database else None
    )
