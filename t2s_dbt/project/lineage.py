"""Follows hidden columns through the SQL of the models that copy them.

A column is derived from a hidden one when the expression that makes it reads it. Conditions and
join keys are no derivation: they let a value be compared, not read. Where a name could come from
several sources, all of them count: hiding too much is told in `debug`, showing too much is not told
at all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from t2s_dbt.catalog import Relation

Columns = Mapping[Relation, Mapping[str, str]]
Hidden = Mapping[Relation, frozenset[str]]
Origins = frozenset[tuple[Relation, str]]
Outputs = dict[str, Origins]  # in order, by lower-cased name

_NOTHING: Origins = frozenset()
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
    sql: str, dialect: str, hidden: Hidden, columns: Columns
) -> list[Derived] | None:
    """The output columns of a model's SQL that read a hidden column; None when it cannot be told.

    Args:
        sql: the compiled SQL of the model.
        dialect: sqlglot's name of the warehouse's dialect.
        hidden: lower-cased hidden columns by relation.
        columns: the columns of the relations it may read, where known.
    """
    try:
        tree = parse_one(sql, dialect=dialect)
        outputs = _Tracer(hidden, columns).outputs(tree, {})
    except (SqlglotError, RecursionError, _CannotTell):
        return None
    return [
        Derived(name, relation, column)
        for name, origins in outputs.items()
        for relation, column in sorted(origins)
    ]


class _Tracer:
    """Finds, for each output column of a query, the hidden columns that its expression reads."""

    def __init__(self, hidden: Hidden, columns: Columns) -> None:
        self._relations = {relation.key: relation for relation in (*columns, *hidden)}
        self._hidden, self._columns = hidden, columns

    def outputs(self, query: exp.Expr, ctes: Mapping[str, Outputs]) -> Outputs:
        """The columns of a query, in order, with the origins of each."""
        with_ = query.args.get("with_") or query.args.get("with")
        if query.args.get("laterals"):
            raise _CannotTell
        if isinstance(with_, exp.With):
            ctes = self._with_ctes(with_, ctes)
        if isinstance(query, exp.Subquery):
            return self.outputs(query.this, ctes)
        if isinstance(query, exp.SetOperation):
            return self._set_operation(query, ctes)
        if isinstance(query, exp.Select):
            return self._select(query, ctes)
        raise _CannotTell

    def _with_ctes(self, with_: exp.With, ctes: Mapping[str, Outputs]) -> dict[str, Outputs]:
        known = dict(ctes)
        for cte in with_.expressions:
            name = cte.alias.lower()
            body = cte.this
            if with_.recursive and isinstance(body, exp.SetOperation):
                known[name] = _renamed(cte, self.outputs(body.left, known))
                while (more := _renamed(cte, self.outputs(body, known))) != known[name]:
                    known[name] = more
            known[name] = self._ephemeral(name, _renamed(cte, self.outputs(body, known)))
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

    def _set_operation(self, query: exp.SetOperation, ctes: Mapping[str, Outputs]) -> Outputs:
        left, right = self.outputs(query.left, ctes), self.outputs(query.right, ctes)
        if query.args.get("by_name"):
            return {n: left.get(n, _NOTHING) | right.get(n, _NOTHING) for n in (*left, *right)}
        if len(left) != len(right):
            raise _CannotTell
        return {
            name: ours | theirs
            for (name, ours), theirs in zip(left.items(), right.values(), strict=True)
        }

    def _select(self, query: exp.Select, ctes: Mapping[str, Outputs]) -> Outputs:
        sources = dict(self._sources(query, ctes))
        found: Outputs = {}
        for projection in query.expressions:
            if projection.is_star:
                self._add_star(projection, sources, found, ctes)
            elif projection.find(exp.Columns):
                for outputs in sources.values():
                    _add(found, outputs.items())
            else:
                origins = self._origins(projection, sources, found, ctes)
                _add(found, [(projection.alias_or_name.lower(), origins)])
        return found

    def _sources(
        self, query: exp.Select, ctes: Mapping[str, Outputs]
    ) -> Iterator[tuple[str, Outputs]]:
        """What a query reads, by the name that its columns are qualified with."""
        from_ = query.args.get("from_") or query.args.get("from")
        parts = [from_.this] if from_ else []
        parts += [join.this for join in query.args.get("joins") or ()]
        for part in parts:
            if part.args.get("pivots"):
                raise _CannotTell
            yield part.alias_or_name.lower(), _renamed(part, self._source(part, ctes))

    def _source(self, part: exp.Expr, ctes: Mapping[str, Outputs]) -> Outputs:
        if isinstance(part, exp.Table) and isinstance(part.this, exp.Identifier):
            is_cte = not part.db and part.name.lower() in ctes
            return ctes[part.name.lower()] if is_cte else self._relation(part)
        if isinstance(part, exp.Subquery):
            return self.outputs(part.this, ctes)
        if part.find(exp.Column):
            raise _CannotTell  # a lateral source or table function that may read another's columns
        return {}

    def _relation(self, table: exp.Table) -> Outputs:
        relation = self._relations.get((table.db.lower(), table.name.lower()))
        if relation is None:
            return {}
        hidden = self._hidden.get(relation, frozenset())
        names = [name.lower() for name in self._columns.get(relation, ())] or sorted(hidden)
        return {n: frozenset({(relation, n)}) if n in hidden else _NOTHING for n in names}

    def _add_star(
        self,
        star: exp.Expr,
        sources: Mapping[str, Outputs],
        found: Outputs,
        ctes: Mapping[str, Outputs],
    ) -> None:
        """The columns of `*` or `t.*`: without those of EXCLUDE, with those of REPLACE and
        RENAME.
        """
        of = star.table.lower() if isinstance(star, exp.Column) else ""
        inner = star.this if isinstance(star, exp.Column) else star
        left_out = {column.name.lower() for column in _star_parts(inner, "except")}
        renamed = {a.this.name.lower(): a.alias.lower() for a in _star_parts(inner, "rename")}
        for name, outputs in sources.items():
            if of in ("", name):
                kept = ((n, o) for n, o in outputs.items() if n not in left_out)
                _add(found, ((renamed.get(n, n), o) for n, o in kept))
        for alias in _star_parts(inner, "replace"):
            _add(found, [(alias.alias.lower(), self._origins(alias, sources, found, ctes))])

    def _origins(
        self,
        projection: exp.Expr,
        sources: Mapping[str, Outputs],
        before: Outputs,
        ctes: Mapping[str, Outputs],
    ) -> Origins:
        """The hidden columns that an expression reads, those of its subqueries included."""
        found = _NOTHING
        for query in projection.find_all(exp.Query):
            found = found.union(*self.outputs(query, ctes).values())
        for column in projection.find_all(exp.Column):
            found |= _origins_of(column, sources, before)
        return found


def _renamed(node: exp.Expr, outputs: Outputs) -> Outputs:
    """The columns under the names that an alias gives them: `… AS t(a, b)`."""
    alias = node.args.get("alias")
    given = [name.name.lower() for name in alias.columns] if alias else []
    names = [*given, *list(outputs)[len(given) :]]
    return dict(zip(names, outputs.values(), strict=False))


def _origins_of(column: exp.Column, sources: Mapping[str, Outputs], before: Outputs) -> Origins:
    name, qualifier = column.name.lower(), column.table.lower()
    if qualifier in sources:
        return sources[qualifier].get(name, _NOTHING)
    holders = [outputs[name] for outputs in sources.values() if name in outputs]
    if holders:
        return _NOTHING.union(*holders)
    if name in sources:  # the whole row, by the name of its table
        return _NOTHING.union(*sources[name].values())
    return before.get(name, _NOTHING)  # an alias that was made further left


def _star_parts(star: exp.Expr, name: str) -> list[exp.Expr]:
    return list(star.args.get(f"{name}_") or star.args.get(name) or ())


def _add(found: Outputs, outputs: Iterable[tuple[str, Origins]]) -> None:
    """Adds columns; of two with one name, each keeps its place and both count for the name."""
    for name, origins in outputs:
        place = name if name not in found else f"{name}#{len(found)}"
        found[place] = origins
        found[name] |= origins
