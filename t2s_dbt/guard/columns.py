"""Resolves the columns that a query reads, scope by scope.

A name must be a column of a source in its own scope or one around it, an alias, or a struct's
field. What cannot be told (a table function's columns, an unnested struct) is left for the database
to say; a column that policy hides is never taken for one of those.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from t2s_dbt.guard.rejection import Rejection
from t2s_dbt.names import folded


@dataclass(frozen=True, slots=True)
class Source:
    """What a name in FROM stands for: its columns, lower-cased, or None where they cannot be told;
    and those that policy hides.
    """

    columns: tuple[str, ...] | None
    hidden: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Whether it surely has a column of that name."""
        return self.columns is not None and name in self.columns

    def may_have(self, name: str) -> bool:
        """Whether it may have one that is not known."""
        return self.columns is None and name not in self.hidden


OPEN = Source(None)
_WHO = frozenset({"user", "current_role"})  # to DuckDB, who asks; unless a column is called that
_COMPARED, _COMPARED_NAMES = 64, 2_000  # letters, and names, that are compared for likeness
HIDDEN_MESSAGE = "the query reads a column that is hidden by policy"
Sources = Mapping[str, Source]
Relations = Mapping[int, Source]  # by the id of the `exp.Table` node


@dataclass(slots=True)
class _Scope:
    """The sources of one SELECT, and the aliases that its expressions may use by now."""

    sources: dict[str, Source] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=set)

    def add(self, name: str, source: Source) -> None:
        """Two sources with one name may each be meant: their columns are put together."""
        twin = self.sources.get(name)
        if twin is not None:
            both = None if None in (twin.columns, source.columns) else _all_columns((twin, source))
            source = Source(both, twin.hidden | source.hidden)
        self.sources[name] = source


_Scopes = tuple[_Scope, ...]  # innermost first


def check_columns(tree: exp.Query, relations: Relations, hidden_names: frozenset[str]) -> None:
    """Raises Rejection for a column that no source of the query has, or that policy hides.

    A name that only hidden columns have is not taken for a column that cannot be told. Qualifiers
    in front of a source's name (`schema.orders.amount`) are dropped from the tree.
    """
    _Resolver(relations, hidden_names).query(tree, (), {})


class _Resolver:
    def __init__(self, relations: Relations, hidden_names: frozenset[str]) -> None:
        self._relations, self._hidden_names = relations, hidden_names

    def query(self, node: exp.Expr, outer: _Scopes, ctes: Sources) -> Source:
        """Checks a query, and gives its output columns."""
        with_ = node.args.get("with_")
        if isinstance(with_, exp.With):
            ctes = self._with(with_, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, outer, ctes)
        if isinstance(node, exp.SetOperation):
            left, right = (self.query(side, outer, ctes) for side in (node.left, node.right))
            made = self._union(node, left, right)
        elif isinstance(node, exp.Subquery):
            made = self._source(node, (_Scope(), *outer), ctes)
        elif isinstance(node, exp.Pivot):
            made = self._pivot(node, outer, ctes)
        else:  # VALUES
            made = OPEN
        scope = _Scope({"": made})
        self._expressions(node, (scope, *outer), ctes, leave=("this", "expression", "with_"))
        return made

    def _union(self, node: exp.SetOperation, left: Source, right: Source) -> Source:
        if left.columns is None or (node.args.get("by_name") and right.columns is None):
            return OPEN
        return Source(_all_columns((left, right))) if node.args.get("by_name") else left

    def _with(self, with_: exp.With, outer: _Scopes, ctes: Sources) -> dict[str, Source]:
        known = dict(ctes)
        for cte in with_.expressions:
            name, body = folded(cte.alias), cte.this
            if with_.recursive and isinstance(body, exp.Union) and not body.args.get("with_"):
                known[name] = _renamed(cte, self.query(body.left, outer, known))
                self.query(body.right, outer, known)
            else:
                known[name] = _renamed(cte, self.query(body, outer, known))
        return known

    def _select(self, node: exp.Select, outer: _Scopes, ctes: Sources) -> Source:
        scope = _Scope()
        scopes = (scope, *outer)
        from_ = node.args.get("from_")
        for part in (from_.this if from_ else None, *(node.args.get("laterals") or ())):
            if part is not None:
                self._add(part, scope, scopes, ctes)
        for join in node.args.get("joins") or ():
            self._join(join, scope, scopes, ctes)
        outputs: list[Source] = []
        for projection in node.expressions:
            self._expression(projection, scopes, ctes)
            outputs.append(_output(projection, scope))
            scope.aliases.add(folded(projection.alias))
        self._expressions(
            node, scopes, ctes, leave=("from_", "joins", "laterals", "expressions", "with_")
        )
        return OPEN if OPEN in outputs else Source(_all_columns(outputs))

    def _add(self, part: exp.Expr, scope: _Scope, scopes: _Scopes, ctes: Sources) -> None:
        """Adds what a part of FROM brings: its source, and the sources joined inside brackets."""
        scope.add(_name_of(part), self._source(part, scopes, ctes))
        for join in part.args.get("joins") or ():
            self._join(join, scope, scopes, ctes)

    def _join(self, join: exp.Join, scope: _Scope, scopes: _Scopes, ctes: Sources) -> None:
        self._add(join.this, scope, scopes, ctes)
        for name in join.args.get("using") or ():
            self._check((folded(name.name),), scopes[:1], name)
        if join.args.get("on") is not None:
            self._expression(join.args["on"], scopes, ctes)

    def _source(self, part: exp.Expr, scopes: _Scopes, ctes: Sources) -> Source:
        """The columns of one part of FROM; what it reads itself is checked."""
        source = self._bare_source(part, scopes, ctes)
        for pivot in part.args.get("pivots") or ():
            self._expressions(pivot, (_Scope({"": source}), *scopes), ctes, leave=("alias",))
            source = OPEN
        return _renamed(part, source)

    def _bare_source(self, part: exp.Expr, scopes: _Scopes, ctes: Sources) -> Source:
        if isinstance(part, exp.Table) and isinstance(part.this, exp.Identifier):
            known = self._relations.get(id(part))
            return ctes.get(folded(part.name), OPEN) if known is None else known
        if isinstance(part, exp.Subquery) and _is_join(part.this):
            inner = _Scope()
            self._add(part.this, inner, (inner, *scopes), ctes)
            scopes[0].sources.update(inner.sources)
            return _all(inner)
        if isinstance(part, exp.Subquery):
            return self.query(part.this, scopes, ctes)
        if isinstance(part, exp.Lateral) and isinstance(part.this, exp.Subquery):
            return self.query(part.this.this, scopes, ctes)
        if isinstance(part, exp.Query | exp.Pivot):
            return self.query(part, scopes, ctes)
        self._expressions(part, scopes, ctes, leave=("alias", "joins", "pivots"))
        return OPEN  # a table function, UNNEST or VALUES

    def _pivot(self, pivot: exp.Pivot, outer: _Scopes, ctes: Sources) -> Source:
        inner = _Scope()
        self._add(pivot.this, inner, (inner, *outer), ctes)
        self._expressions(pivot, (inner, *outer), ctes, leave=("this", "into", "with_"))
        return OPEN

    def _expressions(
        self, node: exp.Expr, scopes: _Scopes, ctes: Sources, leave: Iterable[str]
    ) -> None:
        """Checks the expressions in a node's arguments, aside from those that are left."""
        for name, value in node.args.items():
            if name not in leave:
                for part in value if isinstance(value, list) else (value,):
                    if isinstance(part, exp.Expr):
                        self._expression(part, scopes, ctes)

    def _expression(self, expression: exp.Expr, scopes: _Scopes, ctes: Sources) -> None:
        """Checks the columns of an expression, and each query in it with a scope of its own."""
        stack = [expression]  # a chain of a thousand operators is as deep as it is long
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Query):
                self.query(node, scopes, ctes)
            elif isinstance(node, exp.Column):
                self._column(node, scopes, ctes)
            elif isinstance(node, exp.Comprehension):
                variables = (node.expression, node.args.get("position"))
                named = _Scope(aliases={folded(name.name) for name in variables if name})
                self._expressions(node, (named, *scopes), ctes, leave=())
            elif isinstance(node, exp.Lambda):
                named = _Scope(aliases={folded(name.name) for name in node.expressions})
                self._expressions(node, (named, *scopes), ctes, leave=("expressions",))
            elif isinstance(node, exp.Collate):
                stack.append(node.this)  # a collation is written like a column: NOCASE.NOACCENT
            elif isinstance(node, exp.Dot) and (parts := _method_owner(node)):
                self._owner(parts, scopes, node)
                stack.append(node.expression)
            else:
                stack += node.iter_expressions()

    def _column(self, column: exp.Column, scopes: _Scopes, ctes: Sources) -> None:
        if isinstance(column.this, exp.Star):
            self._expression(column.this, scopes, ctes)
            if column.table:
                self._check((folded(column.table),), scopes, column)
            return
        parts = tuple(folded(part.name) for part in column.parts)
        first = self._check(parts, scopes, column)
        for qualifier in ("catalog", "db", "table")[4 - len(parts) :][:first]:
            column.set(qualifier, None)

    def _owner(self, parts: tuple[str, ...], scopes: _Scopes, node: exp.Expr) -> None:
        """Raises Rejection for a method of a hidden column; the name before a call may also be a
        schema: `main.abs(1)`.
        """
        try:
            self._check(parts, scopes, node)
        except Rejection as rejection:
            if rejection.code == "hidden":
                raise

    def _check(self, parts: tuple[str, ...], scopes: _Scopes, node: exp.Expr) -> int:
        """How many leading parts of a name only say where its source is.

        Raises Rejection when nothing in scope has that name.
        """
        for place, part in enumerate(parts):
            source = next((s.sources[part] for s in scopes if part in s.sources), None)
            column = parts[place + 1] if place + 1 < len(parts) else None
            if source is None or (place and column is None):
                continue
            if column is None or self._held(column, (source,), node):
                return place if not place or not self._known(parts[0], scopes, node) else 0
            if column in source.hidden:
                raise _hidden(node)
        if not self._known(parts[0], scopes, node):
            raise _unknown(parts, scopes, node)
        return 0

    def _known(self, name: str, scopes: _Scopes, node: exp.Expr) -> bool:
        """Whether a name is an alias or a column of the nearest scope that has it."""
        for scope in scopes:
            sources = list(scope.sources.values())
            if name in scope.aliases or self._held(name, sources, node):
                return True
            if any(name in source.hidden for source in sources):
                raise _hidden(node)
        return False

    def _held(self, name: str, sources: Iterable[Source], node: exp.Expr) -> bool:
        """Whether one of the sources has a column of that name, or may have one."""
        sources = tuple(sources)
        if any(source.has(name) for source in sources):
            return True
        possible = name not in _WHO and any(source.may_have(name) for source in sources)
        if possible and name in self._hidden_names:
            raise _hidden(node)
        return possible


def _hidden(node: exp.Expr) -> Rejection:
    named = node.find(exp.Identifier)
    return Rejection("hidden", HIDDEN_MESSAGE, line=named.meta.get("line") if named else None)


def _unknown(parts: tuple[str, ...], scopes: _Scopes, node: exp.Expr) -> Rejection:
    """That no source has a column; with the names that are spelled like it."""
    sources = {name: source for scope in scopes for name, source in scope.sources.items()}
    named = sources.get(parts[-2]) if len(parts) > 1 else None
    among = {parts[-2]: named} if named else sources
    columns = {name for source in among.values() for name in source.columns or ()}
    few = sorted(name for name in columns if len(name) <= _COMPARED)[:_COMPARED_NAMES]
    near = difflib.get_close_matches(parts[-1][:_COMPARED], few, n=3, cutoff=0.5)
    shown = ", ".join(filter(None, among)) or "what the query reads"
    return Rejection(
        "column", f"there is no column {node.sql('duckdb')} in {shown}", node.sql("duckdb"), near
    )


def _is_join(inner: exp.Expr) -> bool:
    """Whether brackets in FROM hold a join, `(a JOIN b …)`, and no query."""
    named = inner.args.get("alias") or inner.args.get("joins")
    return isinstance(inner, exp.Table) or bool(named and not isinstance(inner, exp.Select))


def _method_owner(dot: exp.Dot) -> tuple[str, ...]:
    """The column whose method is called: `email.upper()`, of which no Column node is made."""
    parts: list[str] = []
    node: exp.Expr = dot
    while isinstance(node, exp.Dot):
        if isinstance(node.expression, exp.Identifier):
            parts.insert(0, folded(node.expression.name))
        node = node.this
    return (folded(node.name), *parts) if isinstance(node, exp.Identifier) else ()


def _name_of(part: exp.Expr) -> str:
    """The name by which the columns of a part of FROM are qualified."""
    for pivot in part.args.get("pivots") or ():
        if pivot.alias:
            return folded(pivot.alias)
    return folded(part.alias_or_name)


def _renamed(node: exp.Expr, source: Source) -> Source:
    """The columns under the names that an alias gives them: `… AS t(a, b)`."""
    alias = node.args.get("alias")
    given = tuple(folded(name.name) for name in alias.columns) if alias else ()
    if not given or (source.columns is None and not isinstance(node, exp.Values)):
        return source
    if source.columns is None:
        return Source(given)
    # Those that it does not rename keep their names; which they are, the database knows.
    return Source(tuple(dict.fromkeys((*given, *source.columns))), source.hidden - set(given))


def _output(projection: exp.Expr, scope: _Scope) -> Source:
    """The columns that one expression of a SELECT list gives."""
    if isinstance(projection, exp.Star):
        return _starred(projection, _all(scope))
    if isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star):
        return _starred(projection.this, scope.sources.get(folded(projection.table), OPEN))
    return OPEN if _expands(projection.unalias()) else _named(projection)


def _expands(expression: exp.Expr) -> bool:
    """Whether one expression of a SELECT list may give several columns."""
    if isinstance(expression, exp.Explode | exp.Unnest):  # of a struct: one a field
        return True
    nodes = expression.walk(prune=lambda node: isinstance(node, exp.Query))
    return any(
        isinstance(node, exp.Columns)
        or (isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count))
        for node in nodes
    )


def _named(projection: exp.Expr) -> Source:
    """A column by its alias or its own name; one that the database names cannot be told."""
    name = projection.alias or (projection.name if isinstance(projection, exp.Column) else "")
    return Source((folded(name),)) if name else OPEN


def _starred(star: exp.Star, source: Source) -> Source:
    if source.columns is None:
        return OPEN
    left_out = {folded(column.name) for column in star.args.get("except_") or ()}
    renamed = {folded(a.this.name): folded(a.alias) for a in star.args.get("rename") or ()}
    return Source(tuple(renamed.get(n, n) for n in source.columns if n not in left_out))


def _all(scope: _Scope) -> Source:
    """Every column of a scope's sources."""
    sources = tuple(scope.sources.values())
    return OPEN if any(s.columns is None for s in sources) else Source(_all_columns(sources))


def _all_columns(sources: Iterable[Source]) -> tuple[str, ...]:
    """The columns of sources, each name once: `SELECT *, *` twenty times over has a million."""
    return tuple(dict.fromkeys(name for source in sources for name in source.columns or ()))
