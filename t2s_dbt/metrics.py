"""The semantic layer: what metrics can be grouped by, and a `MetricQuery` as MetricFlow writes it.

MetricFlow is used as a library: no dbt, no connection. It is imported when the first metric is
asked.
"""

import hashlib
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from t2s_dbt.catalog import Attribute, Catalog
from t2s_dbt.flow import Failure, FailureKind, MetricPredicate, MetricQuery
from t2s_dbt.ports import Cache, GroupByItem
from t2s_dbt.reading import Grain, Operator, Scalar

if TYPE_CHECKING:
    from metricflow.engine.metricflow_engine import MetricFlowEngine

_GRAINS = tuple(grain.value for grain in Grain)
METRIC_TIME = "metric_time"
# Raised when the same query is to become other SQL: what is kept is then made anew.
RENDERING = 1
_FIRST_DAY = date(2000, 1, 1)


class MetricFlowLayer:
    """The semantic layer of one project, for one engine's dialect."""

    def __init__(
        self, semantic_manifest: str | None, catalog: Catalog, cache: Cache | None = None
    ) -> None:
        self._text, self._catalog, self._cache = semantic_manifest, catalog, cache
        self._known: dict[tuple[str, ...], tuple[GroupByItem, ...]] = {}

    def group_bys(self, metrics: Sequence[str]) -> tuple[GroupByItem, ...]:
        """The items that all these metrics share, the nearest first."""
        key = tuple(sorted(metrics))
        if self._text is None or not key:
            return ()
        if key not in self._known:
            name = f"group_bys {' '.join(key)}"
            kept = self._cache.get(name) if self._cache else None
            if kept is None:
                items = self._group_bys(key)
                if self._cache:
                    self._cache.put(name, [_item_to_json(item) for item in items])
            else:
                items = tuple(_item_from_json(item) for item in kept)
            self._known[key] = items
        return self._known[key]

    def _group_bys(self, metrics: tuple[str, ...]) -> tuple[GroupByItem, ...]:
        found = self._engine.list_group_bys(metric_names=list(metrics))
        own = self._own_tables(metrics)
        items = {item for raw in found if (item := self._item(raw, own)) is not None}
        return tuple(sorted(items, key=lambda item: (item.hops, item.name)))

    def compile(self, query: MetricQuery) -> str | Failure:
        """The SQL of a query; a query that MetricFlow does not accept is a Failure with its
        reason.
        """
        if self._text is None:
            return Failure(
                FailureKind.METRIC_QUERY,
                "there is no semantic manifest",
                hint="Run `dbt parse` to write it.",
            )
        odd = [p.item for p in query.where if not re.fullmatch(r"\w+", p.item)]
        if odd:
            return Failure(FailureKind.METRIC_QUERY, f"{odd[0]!r} is no name of an item", odd[0])
        name = f"sql {replace(query, reading=None)}"
        kept = self._cache.get(name) if self._cache else None
        if kept is not None:
            return str(kept)
        sql = self._compile(self._exact(query))
        if self._cache and not isinstance(sql, Failure):
            self._cache.put(name, sql)
        return sql

    def _exact(self, query: MetricQuery) -> MetricQuery:
        """The query with its period as conditions on the day, where MetricFlow would take another.

        It widens a time constraint to whole spans: asked by week, a month would gain the days of
        its first and last week that lie outside. And it knows no day before 2000. What looks back
        needs the constraint: conditions would cut off the rows before the period too.
        """
        bounds = [day for day in (query.start, query.end) if day is not None]
        grains = [n.split("__")[-1] for n in query.group_by if n.startswith(f"{METRIC_TIME}__")]
        edges = [day for day in (query.start, query.end and query.end + timedelta(1)) if day]
        cut = any(not _starts(day, grain) for grain in grains for day in edges)
        early = any(day < _FIRST_DAY for day in bounds)
        back = any(m.looks_back for m in self._catalog.metrics if m.name in query.metrics)
        if back or not (cut or early):
            return query
        conditions = [
            MetricPredicate(METRIC_TIME, "time", operator, (day,))
            for operator, day in ((Operator.GE, query.start), (Operator.LE, query.end))
            if day is not None
        ]
        return replace(query, where=(*query.where, *conditions), start=None, end=None)

    def _compile(self, query: MetricQuery) -> str | Failure:
        from metricflow.engine.metricflow_engine import MetricFlowQueryRequest
        from metricflow_semantics.errors.error_classes import MetricFlowException

        try:
            request = MetricFlowQueryRequest.create(
                metric_names=list(query.metrics),
                group_by_names=list(query.group_by),
                where_constraints=[_where(predicate) for predicate in query.where] or None,
                time_constraint_start=_midnight(query.start),
                time_constraint_end=_midnight(query.end),
                order_by_names=list(query.order_by) or None,
                limit=query.limit,
            )
            return self._engine.explain(request).sql_statement.without_descriptions.sql
        except MetricFlowException as error:
            return _failure(str(error))

    @cached_property
    def _engine(self) -> "MetricFlowEngine":
        from metricflow.engine.metricflow_engine import MetricFlowEngine
        from metricflow.protocols.sql_client import SqlEngine
        from metricflow.sql.render.duckdb_renderer import DuckDbSqlPlanRenderer
        from metricflow_semantics.model.dbt_manifest_parser import (
            parse_manifest_from_dbt_generated_manifest,
        )
        from metricflow_semantics.model.semantic_manifest_lookup import SemanticManifestLookup

        for name in ("metricflow", "metricflow_semantics"):  # its warnings are not for who asks
            logging.getLogger(name).setLevel(logging.ERROR)

        class Client:
            """All that `explain` asks of a client: for which engine it writes."""

            sql_engine_type = SqlEngine.DUCKDB
            sql_plan_renderer = DuckDbSqlPlanRenderer()

        assert self._text is not None
        manifest = parse_manifest_from_dbt_generated_manifest(self._text)
        client: Any = Client()
        return MetricFlowEngine(SemanticManifestLookup(manifest), client)

    @cached_property
    def _attributes(self) -> dict[tuple[str, str], Attribute]:
        return {(d.semantic_model, d.name): d.attribute for d in self._catalog.dimensions}

    @cached_property
    def _entity_keys(self) -> dict[str, Attribute]:
        return {
            entity.name: Attribute(entity.table, entity.column)
            for entity in self._catalog.entities
            if entity.column
        }

    def _own_tables(self, metrics: Sequence[str]) -> frozenset[str]:
        """The tables that every one of these metrics is made of."""
        known = {metric.name: frozenset(metric.models) for metric in self._catalog.metrics}
        return frozenset.intersection(*(known.get(name, frozenset()) for name in metrics))

    def _item(self, raw: Any, own: frozenset[str]) -> GroupByItem | None:
        """One of MetricFlow's dimensions or entities; None when its column is hidden.

        A dimension of the metrics' own table is no hop away, though its name leads over that
        table's entity.
        """
        from metricflow.engine.models import Dimension

        if not isinstance(raw, Dimension):
            return self._entity(raw, own)
        links = tuple(link.element_name for link in raw.entity_links)
        name = "__".join((*links, raw.name))
        if raw.name == METRIC_TIME:
            grains = (*_GRAINS, *self._catalog.fiscal_grains)
            return GroupByItem(METRIC_TIME, None, "time", 0, grains)
        model = (
            raw.semantic_model_reference.semantic_model_name if raw.semantic_model_reference else ""
        )
        attribute = self._attributes.get((model, raw.name))
        if attribute is None:
            return None
        hops = 0 if attribute.table in own else len(links)
        if raw.type.value == "time":
            grains = (*_GRAINS, *self._catalog.fiscal_grains)
            return GroupByItem(name, attribute, "time", hops, grains)
        return GroupByItem(name, attribute, "dimension", hops)

    def _entity(self, raw: Any, own: frozenset[str]) -> GroupByItem | None:
        """An entity of the metrics' own table; MetricFlow does not say how others are reached."""
        model = raw.semantic_model_reference.semantic_model_name
        if self._tables.get(model) not in own:
            return None
        return GroupByItem(raw.name, self._entity_keys.get(raw.name), "entity", 0)

    @cached_property
    def _tables(self) -> dict[str, str]:
        return {d.semantic_model: d.table for d in self._catalog.dimensions}


def cache_key(semantic_manifest: str | None, catalog: Catalog) -> str:
    """What kept items and SQL depend on: our rendering, MetricFlow, the manifest, the catalog."""
    parts = [
        str(RENDERING),
        version("metricflow"),
        semantic_manifest or "",
        repr(catalog.dimensions),
        repr(catalog.entities),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _item_to_json(item: GroupByItem) -> list[Any]:
    attribute = [item.attribute.table, item.attribute.name] if item.attribute else None
    return [item.name, attribute, item.kind, item.hops, list(item.grains)]


def _item_from_json(kept: list[Any]) -> GroupByItem:
    name, attribute, kind, hops, grains = kept
    return GroupByItem(
        name, Attribute(*attribute) if attribute else None, kind, hops, tuple(grains)
    )


def _starts(day: date, grain: str) -> bool:
    """Whether a span of that grain begins on a day; of a week or a custom grain that is not
    known.
    """
    match grain:
        case Grain.DAY:
            return True
        case Grain.MONTH:
            return day.day == 1
        case Grain.QUARTER:
            return day.day == 1 and day.month % 3 == 1
        case Grain.YEAR:
            return day.day == 1 and day.month == 1
        case _:
            return False


def _midnight(day: date | None) -> datetime | None:
    return datetime(day.year, day.month, day.day) if day else None


def _where(predicate: MetricPredicate) -> str:
    """A typed condition as MetricFlow's filter text, with every literal escaped."""
    item = _reference(predicate)
    operator, values = predicate.operator, predicate.values
    match operator:
        case Operator.IS_NULL | Operator.NOT_NULL:
            return f"{item} {operator.value.upper()}"
        case Operator.IN:
            return f"{item} IN ({', '.join(map(_literal, values))})"
        case Operator.NOT_IN:
            return f"({item} NOT IN ({', '.join(map(_literal, values))}) OR {item} IS NULL)"
        case Operator.NE:
            return f"({item} <> {_literal(values[0])} OR {item} IS NULL)"
        case Operator.CONTAINS:
            return f"contains(lower({item}), lower({_literal(values[0])}))"
        case Operator.STARTS_WITH:
            return f"starts_with(lower({item}), lower({_literal(values[0])}))"
        case Operator.ENDS_WITH:
            return f"suffix(lower({item}), lower({_literal(values[0])}))"
        case _:
            return f"{item} {operator.value} {_literal(values[0])}"


def _reference(predicate: MetricPredicate) -> str:
    """An item as MetricFlow's filters name it: entities before the last one are its path."""
    *links, name = predicate.item.split("__")
    *path, entity = links or [""]
    short = f"{entity}__{name}" if entity else name
    through = f", entity_path={path!r}" if path else ""
    match predicate.kind:
        case "time":
            return f"{{{{ TimeDimension('{short}', 'day'{through}) }}}}"
        case "entity":
            return f"{{{{ Entity('{short}'{through}) }}}}"
        case _:
            return f"{{{{ Dimension('{short}'{through}) }}}}"


def _literal(value: Scalar) -> str:
    """A value as a SQL literal that Jinja will leave alone."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return repr(value)
    text = value.isoformat() if isinstance(value, date) else value
    quoted = "'" + text.replace("'", "''") + "'"
    return re.sub(r"[{}]+", lambda braces: "{{ '" + braces[0] + "' }}", quoted)


def _failure(text: str) -> Failure:
    """What MetricFlow says of a query it does not accept, without its tree of locations."""
    messages = re.findall(
        r"Message:\s*\n(.+?)(?:\n\s*(?:Suggestions|Query Input|Issue Location))", text, re.S
    )
    message = " ".join(" ".join(messages or [text]).split())
    message = message.split(" Got exception: ")[0]
    needs_time = "do not include 'metric_time'" in message or "'metric_time' or the" in message
    kind = FailureKind.NEEDS_TIME if needs_time else FailureKind.METRIC_QUERY
    suggestions = re.search(r"Suggestions:\s*\[(.+?)\]", text, re.S)
    names = re.findall(r"'([^']+)'", suggestions[1]) if suggestions else []
    return Failure(kind, message[:500], candidates=tuple(names))
