"""Follows hidden columns through the SQL of the models that copy them.

A column is derived from a hidden one when the expression that makes it reads it. Conditions and
join keys are no derivation: they let a value be compared, not read. Where a name could come from
several sources, all of them count: hiding too much is told in `debug`, showing too much is not told
at all.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from t2s_dbt.catalog import Relation

Columns = Mapping[Relation, Mapping[str, str]]
Hidden = Mapping[Relation, frozenset[str]]
Origins = frozenset[tuple[Relation, str]]
Outputs = dict[str, Origins]  # in order, by lower-cased name
Scopes = tuple[Mapping[str, Outputs], ...]  # the sources of each query, innermost first

_NOTHING: Origins = frozenset()
_ROW_FUNCTIONS = (exp.GenerateSeries, exp.Unnest, exp.Explode)
EPHEMERAL_PREFIX = "__dbt__cte__"


@dataclass(frozen=True, slots=True)
class Derived:
    """A column of a model and the hidden column that it is made of."""

    column: str
    source: Relation
    source_column: str


class _CannotTell(Exception):
    """The columns of a query depend on something that is not known."""


def derived_columns(
    sql: str,
    dialect: str,
    hidden: Hidden,
    columns: Columns,
    project: Iterable[Relation] = (),
    file: Relation | None = None,
) -> list[Derived] | None:
    """The output columns of a model's SQL that read a hidden column; None when it cannot be told.

    Args:
        sql: the compiled SQL of the model.
        dialect: sqlglot's name of the warehouse's dialect.
        hidden: lower-cased hidden columns by relation.
        columns: the columns of the relations it may read, where known.
        project: all relations of the project, those of unknown columns too.
        file: the one source among its parents that is a file, which the SQL names by its path.
    """
    try:
        tree = parse_one(sql, dialect=dialect)
        outputs = _named(_Tracer(hidden, columns, project, file).outputs(tree, {}, ()))
    except (SqlglotError, RecursionError, _CannotTell):
        return None
    return [
        Derived(name, relation, column)
        for name, origins in outputs.items()
        for relation, column in sorted(origins)
    ]


class _Tracer:
    """Finds, for each output column of a query, the hidden columns that its expression reads."""

    def __init__(
        self,
        hidden: Hidden,
        columns: Columns,
        project: Iterable[Relation],
        file: Relation | None,
    ) -> None:
        self._file = [file] if file else []
        self._relations = {relation.key: relation for relation in (*project, *columns, *hidden)}
        self._hidden, self._columns = hidden, columns

    def outputs(self, query: exp.Expr, ctes: Mapping[str, Outputs], outer: Scopes) -> Outputs:
        """The columns of a query, in order, with the origins of each.

        `outer` holds the sources of the queries around it, innermost first: a subquery may read
        them, too.
        """
        with_ = query.args.get("with_")
        if query.args.get("laterals"):
            raise _CannotTell
        if isinstance(with_, exp.With):
            ctes = self._with_ctes(with_, ctes, outer)
        if isinstance(query, exp.Subquery):
            return self.outputs(query.this, ctes, outer)
        if isinstance(query, exp.SetOperation):
            return self._set_operation(query, ctes, outer)
        if isinstance(query, exp.Select):
            return self._select(query, ctes, outer)
        raise _CannotTell

    def _with_ctes(
        self, with_: exp.With, ctes: Mapping[str, Outputs], outer: Scopes
    ) -> dict[str, Outputs]:
        known = dict(ctes)
        for cte in with_.expressions:
            name = cte.alias.lower()
            body = cte.this
            if with_.recursive and isinstance(body, exp.SetOperation):
                known[name] = _renamed(cte, self.outputs(body.left, known, outer))
                while (more := _renamed(cte, self.outputs(body, known, outer))) != known[name]:
                    known[name] = more
            outputs = _renamed(cte, _named(self.outputs(body, known, outer)))
            known[name] = self._ephemeral(name, outputs)
        return known

    def _ephemeral(self, name: str, outputs: Outputs) -> Outputs:
        """The columns of a CTE; one that dbt made of an ephemeral model has that model's flags."""
        model = name.removeprefix(EPHEMERAL_PREFIX)
        if model == name:
            return outputs
        for relation, columns in self._hidden.items():
            if relation.identifier.lower() == model:
                flagged = {n: frozenset({(relation, n)}) for n in columns & outputs.keys()}
                outputs = {n: o | flagged.get(n, _NOTHING) for n, o in outputs.items()}
        return outputs

    def _set_operation(
        self, query: exp.SetOperation, ctes: Mapping[str, Outputs], outer: Scopes
    ) -> Outputs:
        left, right = self.outputs(query.left, ctes, outer), self.outputs(query.right, ctes, outer)
        if query.args.get("by_name"):
            return {n: left.get(n, _NOTHING) | right.get(n, _NOTHING) for n in (*left, *right)}
        if len(left) != len(right):
            raise _CannotTell
        return {
            name: ours | theirs
            for (name, ours), theirs in zip(left.items(), right.values(), strict=True)
        }

    def _select(self, query: exp.Select, ctes: Mapping[str, Outputs], outer: Scopes) -> Outputs:
        sources = self._sources(query, ctes, outer)
        scopes = (sources, *outer)
        found: Outputs = {}
        for projection in query.expressions:
            if projection.is_star:
                self._add_star(projection, scopes, found, ctes)
            elif _expands(projection):
                self._add_expanded(projection, sources, found)
            else:
                origins = self._origins(projection, scopes, found, ctes)
                _add(found, [(projection.alias_or_name.lower(), origins)])
        return found

    def _sources(
        self, query: exp.Expr, ctes: Mapping[str, Outputs], outer: Scopes
    ) -> dict[str, Outputs]:
        """What a query reads, by the name that its columns are qualified with."""
        from_ = query.args.get("from_")
        sources: dict[str, Outputs] = {}
        parts = [from_.this] if from_ else []
        parts += [join.this for join in query.args.get("joins") or ()]
        for part in parts:
            if isinstance(part, exp.Subquery) and isinstance(part.this, exp.Table):  # (a JOIN b)
                inside = exp.Select(from_=exp.From(this=part.this.copy()))
                joined = self._sources(inside, ctes, (sources, *outer))
                whole: Outputs = {}
                for outputs in joined.values():
                    _add(whole, outputs.items())
                sources |= {part.alias.lower(): whole} if part.alias else joined
                continue
            for inner in (part, *(join.this for join in part.args.get("joins") or ())):
                outputs = self._source(inner, ctes, (sources, *outer))
                sources[inner.alias_or_name.lower()] = _renamed(inner, outputs)
        return sources

    def _source(self, part: exp.Expr, ctes: Mapping[str, Outputs], outer: Scopes) -> Outputs:
        outputs = self._bare_source(part, ctes, outer)
        if not part.args.get("pivots"):
            return outputs
        if any(outputs.values()):
            raise _CannotTell  # columns are made of values
        return {}

    def _bare_source(self, part: exp.Expr, ctes: Mapping[str, Outputs], outer: Scopes) -> Outputs:
        if isinstance(part, exp.Table) and isinstance(part.this, exp.Identifier):
            is_cte = not part.db and part.name.lower() in ctes
            return ctes[part.name.lower()] if is_cte else self._relation(part)
        if isinstance(part, exp.Lateral) and isinstance(part.this, exp.Subquery):
            part = part.this
        if isinstance(part, exp.Subquery):
            return _named(self.outputs(part.this, ctes, outer))
        if isinstance(part, exp.Table) and not isinstance(part.this, _ROW_FUNCTIONS):
            # A file, or a text that is run as SQL.
            return self._columns_of(self._file)
        # A series, UNNEST or VALUES: each of its columns may hold all that it reads.
        origins = self._origins(part, outer, {}, ctes)
        alias = part.args.get("alias")
        names = [name.name.lower() for name in alias.columns] if alias else []
        if origins and not names:
            raise _CannotTell
        return dict.fromkeys(names, origins)

    def _relation(self, table: exp.Table) -> Outputs:
        """The columns of a relation of the project, those that are hidden with themselves as their
        origin; what is no relation of the project may hold anything.
        """
        key = (table.db.lower(), table.name.lower())
        matches = [
            r for k, r in self._relations.items() if k == key or (not key[0] and k[1] == key[1])
        ]
        return self._columns_of(matches or self._file)

    def _columns_of(self, relations: list[Relation]) -> Outputs:
        if not relations:
            raise _CannotTell
        found: Outputs = {}
        for relation in relations:
            hidden = self._hidden.get(relation, frozenset())
            known = [name.lower() for name in self._columns.get(relation, ())]
            names = [*known, *sorted(hidden - set(known))]
            _add(
                found, [(n, frozenset({(relation, n)}) if n in hidden else _NOTHING) for n in names]
            )
        return found

    def _add_star(
        self, star: exp.Expr, scopes: Scopes, found: Outputs, ctes: Mapping[str, Outputs]
    ) -> None:
        """The columns of `*` or `t.*`: without those of EXCLUDE, with those of REPLACE and
        RENAME.
        """
        of = star.table.lower() if isinstance(star, exp.Column) else ""
        if of and of not in scopes[0] and _origins_of((of,), scopes, found):
            raise _CannotTell  # the fields of a struct
        inner = star.this if isinstance(star, exp.Column) else star
        left_out = {column.name.lower() for column in _star_parts(inner, "except_")}
        renamed = {a.this.name.lower(): a.alias.lower() for a in _star_parts(inner, "rename")}
        for name, outputs in scopes[0].items():
            if of in ("", name):
                kept = ((n, o) for n, o in outputs.items() if n not in left_out)
                _add(found, ((renamed.get(n, n), o) for n, o in kept))
        for alias in _star_parts(inner, "replace"):
            _add(found, [(alias.alias.lower(), self._origins(alias, scopes, found, ctes))])

    def _add_expanded(
        self, projection: exp.Expr, sources: Mapping[str, Outputs], found: Outputs
    ) -> None:
        """The columns of an expression over COLUMNS(…) or a pattern of `*`."""
        if isinstance(projection, exp.Columns | exp.Like | exp.ILike | exp.Not):  # they keep names
            for outputs in sources.values():
                _add(found, outputs.items())
            return
        every = _NOTHING.union(*(o for outputs in sources.values() for o in outputs.values()))
        name = projection.alias.lower()
        if every and (not name or "\\" in name):
            raise _CannotTell
        _add(found, [(name, every)])

    def _origins(
        self,
        expression: exp.Expr,
        scopes: Scopes,
        before: Outputs,
        ctes: Mapping[str, Outputs],
    ) -> Origins:
        """The hidden columns that an expression reads, those of its subqueries included."""
        found = _NOTHING
        for node in expression.walk(prune=lambda node: isinstance(node, exp.Query)):
            if isinstance(node, exp.Query):
                found = found.union(*self.outputs(node, ctes, scopes).values())
            elif isinstance(node, exp.Column):
                names = tuple(part.name.lower() for part in node.parts)
                found |= _origins_of(names, scopes, before)
            elif isinstance(node, exp.PositionalColumn):
                found = found.union(
                    *(o for outputs in scopes[0].values() for o in outputs.values())
                )
            elif isinstance(node, exp.Dot) and isinstance(node.this, exp.Identifier):
                found |= _origins_of(_dotted(node), scopes, before)  # a method: email.upper()
        return found


def _dotted(dot: exp.Dot) -> tuple[str, ...]:
    """The names in front of a method call."""
    names = [dot.this.name.lower()]
    node: exp.Expr | None = dot
    while isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        names.append(node.expression.name.lower())
        node = node.parent
    return tuple(names)


def _expands(projection: exp.Expr) -> bool:
    """Whether an expression of a SELECT list stands for several columns."""
    return any(
        isinstance(node, exp.Columns)
        or (isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count))
        for node in projection.walk(prune=lambda node: isinstance(node, exp.Query))
    )


def _named(outputs: Outputs) -> Outputs:
    """The columns, when each that is made of a hidden one has a name that is not the database's:
    nobody knows what it makes of `max(email)`.
    """
    if any(origins and not name.split("#")[0] for name, origins in outputs.items()):
        raise _CannotTell
    return outputs


def _renamed(node: exp.Expr, outputs: Outputs) -> Outputs:
    """The columns under the names that an alias gives them: `… AS t(a, b)`."""
    alias = node.args.get("alias")
    given = [name.name.lower() for name in alias.columns] if alias else []
    if len(given) > len(outputs) and any(outputs.values()):
        raise _CannotTell  # not all columns are known, so their places are not
    names = [*given, *list(outputs)[len(given) :]]
    return dict(zip(names, outputs.values(), strict=False))


def _origins_of(names: tuple[str, ...], scopes: Scopes, before: Outputs) -> Origins:
    """The origins of a dotted name: a column, a column's field, or a whole row.

    The nearest source that has it counts; in one scope, all that have it.
    """
    for place, name in enumerate(names[:-1]):
        outputs = next((scope[name] for scope in scopes if name in scope), None)
        if outputs is not None and names[place + 1] in outputs:
            return outputs[names[place + 1]]
    first = names[0]
    for scope in scopes:
        holders = [outputs[first] for outputs in scope.values() if first in outputs]
        if holders:
            return _NOTHING.union(*holders)
        if names[-1] in scope:  # a whole row, by the name of its table
            return _NOTHING.union(*scope[names[-1]].values())
        if first in scope:
            return _NOTHING
    return before.get(first, _NOTHING)  # an alias that was made further left


def _star_parts(star: exp.Expr, name: str) -> list[exp.Expr]:
    return list(star.args.get(name) or ())


def _add(found: Outputs, outputs: Iterable[tuple[str, Origins]]) -> None:
    """Adds columns; of two with one name, each keeps its place and both count for the name."""
    for name, origins in outputs:
        place = name if name not in found else f"{name}#{len(found)}"
        found[place] = origins
        found[name] |= origins
