"""Makes metrics, dimensions and entities of a manifest's semantic models and metrics."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from t2s_dbt.catalog import (
    Attribute,
    Dimension,
    Entity,
    Location,
    Metric,
    MetricType,
    Relation,
    Table,
)
from t2s_dbt.kinds import Aggregate
from t2s_dbt.project.tables import hints, texts

Node = Mapping[str, Any]

_PLAIN_COLUMN = re.compile(r'^"?([A-Za-z_][A-Za-z0-9_]*)"?$')
_STAR_COUNTS = frozenset({"", "1", "*"})
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FILTERED = re.compile(r"(?:(?:Time)?Dimension|Entity)\(\s*['\"]([^'\"]+)['\"]")


class SemanticModels:
    """The semantic models of a manifest over the tables that may be asked.

    A semantic model over a private model still feeds metrics; one over a hidden model feeds none.
    """

    def __init__(
        self,
        manifest: Mapping[str, Any],
        tables: tuple[Table, ...],
        hidden: Mapping[Relation, frozenset[str]],
    ) -> None:
        self._hidden = {relation.key: columns for relation, columns in hidden.items()}
        self._tables = {table.unique_id: table for table in tables}
        self._models: list[Node] = list((manifest.get("semantic_models") or {}).values())
        self._metrics: dict[str, Node] = {
            node["name"]: node
            for node in (manifest.get("metrics") or {}).values()
            if (node.get("config") or {}).get("enabled", True)
        }
        self._by_name = {model["name"]: model for model in self._models}
        self._measures = {
            measure["name"]: (measure, model)
            for model in self._models
            for measure in model.get("measures") or ()
        }

    def dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions whose columns are visible."""
        return tuple(
            dimension
            for model in self._models
            if (table := self._table(model)) is not None
            for raw in model.get("dimensions") or ()
            if not self._hidden_words(str(raw.get("expr") or raw["name"]), model)
            and (dimension := _dimension(raw, model, table)) is not None
        )

    def entities(self) -> tuple[Entity, ...]:
        """Entities, each where it is a primary or unique key."""
        return tuple(
            Entity(raw["name"], table.name, _plain_column(raw.get("expr") or raw["name"], table))
            for model in self._models
            if (table := self._table(model)) is not None
            for raw in model.get("entities") or ()
            if raw.get("type") in ("primary", "unique", "natural")
        )

    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that people may ask for: not private, and made of no hidden column."""
        return tuple(
            self._metric(node)
            for node in self._metrics.values()
            if not (node.get("type_params") or {}).get("is_private")
            and not hints(node).get("hidden")
            and not self._reads_hidden(node)
        )

    def blocked_metrics(self) -> tuple[str, ...]:
        """Names of the metrics that cannot be asked because they read something hidden."""
        return tuple(name for name, node in self._metrics.items() if self._reads_hidden(node))

    def _reads_hidden(self, node: Node) -> bool:
        """Whether a metric reads a hidden model, or its aggregation or filter a hidden column."""
        for aggregation, model, _ in self._parts(node, frozenset()):
            if self._table(model) is None:
                return True
            expr = str(aggregation.get("expr") or aggregation.get("name") or "")
            if self._hidden_words(expr, model):
                return True
        return any(
            raw["name"] == item.split("__")[-1]
            and self._hidden_words(str(raw.get("expr") or raw["name"]), model)
            for condition in self._filters(node)
            for item in _FILTERED.findall(condition)
            for model in self._models
            if _holds(model, item)
            for raw in model.get("dimensions") or ()
        )

    def _hidden_words(self, expr: str, model: Node) -> bool:
        relation = model.get("node_relation") or {}
        key = str(relation.get("schema_name", "")).lower(), str(relation.get("alias", "")).lower()
        words = {word.lower() for word in _WORD.findall(expr)}
        return bool(words & self._hidden.get(key, frozenset()))

    def _metric(self, node: Node) -> Metric:
        own = hints(node)
        parts = list(self._parts(node, frozenset()))
        sources = list(dict.fromkeys(model["name"] for _, model, _ in parts))
        tables = [t for name in sources if (t := self._table(self._by_name[name])) is not None]
        return Metric(
            name=node["name"],
            type=MetricType(node["type"]),
            label=node.get("label") or "",
            description=(node.get("description") or "").strip(),
            synonyms=texts(own.get("synonyms")),
            questions=texts(own.get("questions")),
            unit=own.get("unit"),
            filters=tuple(self._filters(node)),
            models=tuple(table.name for table in tables),
            time=self._time(parts),
            location=Location(str(node.get("original_file_path", "")).replace("\\", "/")),
            counts=self._counts(node, parts),
            shows_period_start=_shows_period_start(node),
            looks_back=self._looks_back(node, frozenset()),
            aggregate=_aggregate(node, parts),
            reads=tuple(dict.fromkeys(t.name for t in (*tables, *self._filtered_by(node)))),
        )

    def _filtered_by(self, node: Node) -> Iterator[Table]:
        """The tables whose dimensions or entities a metric's filters name."""
        for condition in self._filters(node):
            for item in _FILTERED.findall(condition):
                for model in self._models:
                    table = self._table(model)
                    if table is not None and "__" in item and _holds(model, item):
                        yield table

    def _parts(self, node: Node, seen: frozenset[str]) -> Iterator[tuple[Node, Node, str | None]]:
        """What a metric adds up: each (aggregation, semantic model, aggregation time dimension)."""
        if node["name"] in seen:
            return
        params = node.get("type_params") or {}
        aggregation = params.get("metric_aggregation_params")
        if aggregation and aggregation.get("semantic_model") in self._by_name:
            model = self._by_name[aggregation["semantic_model"]]
            merged = {**aggregation, "expr": params.get("expr")}
            yield merged, model, aggregation.get("agg_time_dimension") or _default_time(model)
            return
        for name in _measure_names(params):
            if name in self._measures:
                measure, model = self._measures[name]
                yield measure, model, measure.get("agg_time_dimension") or _default_time(model)
        for name in _input_names(params):
            if name in self._metrics:
                yield from self._parts(self._metrics[name], seen | {node["name"]})

    def _filters(self, node: Node, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """The conditions in a metric's definition and in its inputs', as they are written."""
        if node["name"] in seen:
            return
        params = node.get("type_params") or {}
        for holder in (node, *_inputs(params)):
            for condition in (holder.get("filter") or {}).get("where_filters") or ():
                yield " ".join(str(condition["where_sql_template"]).split())
        for name in _input_names(params):
            if name in self._metrics:
                yield from self._filters(self._metrics[name], seen | {node["name"]})

    def _looks_back(self, node: Node, seen: frozenset[str]) -> bool:
        """Whether a metric, or one of its inputs, reads rows from before the period asked for."""
        if node["name"] in seen:
            return False
        params = node.get("type_params") or {}
        offsets = (
            holder.get("offset_window") or holder.get("offset_to_grain")
            for holder in _inputs(params)
        )
        if node["type"] in ("cumulative", "conversion") or any(offsets):
            return True
        inner = (self._metrics[name] for name in _input_names(params) if name in self._metrics)
        return any(self._looks_back(metric, seen | {node["name"]}) for metric in inner)

    def _time(self, parts: list[tuple[Node, Node, str | None]]) -> Attribute | None:
        """The column behind the metric's own time, when all its parts agree on one."""
        times = {(model["name"], time) for _, model, time in parts if time}
        if len(times) != 1:
            return None
        model_name, time = times.pop()
        table = self._table(self._by_name[model_name])
        if table is None:
            return None
        for raw in self._by_name[model_name].get("dimensions") or ():
            if raw["name"] == time:
                return Attribute(table.name, _plain_column(raw.get("expr") or time, table) or time)
        return None

    def _counts(self, node: Node, parts: list[tuple[Node, Node, str | None]]) -> str | None:
        """The table whose rows a metric counts, if it does only that."""
        if node["type"] != "simple" or len(parts) != 1 or any(True for _ in self._filters(node)):
            return None
        aggregation, model, _ = parts[0]
        table = self._table(model)
        if table is None:
            return None
        expr = str(aggregation.get("expr") or "").strip()
        key = table.key.name if table.key else None
        counts_rows = aggregation.get("agg") in ("count", "sum") and expr in _STAR_COUNTS and expr
        counts_keys = aggregation.get("agg") in ("count", "count_distinct") and expr == key
        return table.name if counts_rows or counts_keys else None

    def _table(self, model: Node) -> Table | None:
        for unique_id in (model.get("depends_on") or {}).get("nodes", ()):
            if unique_id in self._tables:
                return self._tables[unique_id]
        return None


def _dimension(raw: Node, model: Node, table: Table) -> Dimension | None:
    """A dimension, unless its column is hidden (or it is computed of something that cannot be
    told).
    """
    expr = raw.get("expr") or raw["name"]
    column = _plain_column(expr, table)
    plain = _PLAIN_COLUMN.match(expr) is not None
    if plain and column is None and table.columns:
        return None
    own = hints(raw)
    params = raw.get("type_params") or {}
    return Dimension(
        name=raw["name"],
        table=table.name,
        semantic_model=model["name"],
        is_time=raw.get("type") == "time",
        grain=params.get("time_granularity"),
        column=column,
        label=raw.get("label") or "",
        description=(raw.get("description") or "").strip(),
        synonyms=texts(own.get("synonyms")),
    )


def _plain_column(expr: str, table: Table) -> str | None:
    """The column's name when an expression is nothing more than that."""
    found = _PLAIN_COLUMN.match(expr.strip())
    column = table.column(found[1]) if found else None
    return column.name if column else None


def _default_time(model: Node) -> str | None:
    return (model.get("defaults") or {}).get("agg_time_dimension")


def _inputs(params: Node) -> Iterator[Node]:
    """The inputs of a metric that may carry a filter of their own."""
    conversion = params.get("conversion_type_params") or {}
    cumulative = params.get("cumulative_type_params") or {}
    single = ("measure", "numerator", "denominator")
    holders = [params.get(name) for name in single]
    holders += params.get("metrics") or []
    holders += [cumulative.get("metric")]
    parts = ("base_measure", "conversion_measure", "base_metric", "conversion_metric")
    holders += [conversion.get(name) for name in parts]
    yield from (holder for holder in holders if isinstance(holder, Mapping))


def _measure_names(params: Node) -> Iterator[str]:
    conversion = params.get("conversion_type_params") or {}
    for holder in (
        params.get("measure"),
        conversion.get("base_measure"),
        conversion.get("conversion_measure"),
    ):
        if isinstance(holder, Mapping):
            yield holder["name"]


def _input_names(params: Node) -> Iterator[str]:
    """Names of the metrics that a metric is made of."""
    conversion = params.get("conversion_type_params") or {}
    cumulative = params.get("cumulative_type_params") or {}
    holders = [params.get("numerator"), params.get("denominator"), cumulative.get("metric")]
    holders += params.get("metrics") or []
    holders += [conversion.get("base_metric"), conversion.get("conversion_metric")]
    for holder in holders:
        if isinstance(holder, Mapping):
            yield holder["name"]


def _aggregate(node: Node, parts: list[tuple[Node, Node, str | None]]) -> Aggregate | None:
    """The aggregate of a simple metric, where it is one that people name."""
    if node["type"] != "simple" or len(parts) != 1:
        return None
    name = str(parts[0][0].get("agg") or "")
    return next((aggregate for aggregate in Aggregate if aggregate.value == name), None)


def _shows_period_start(node: Node) -> bool:
    """Whether a coarser grain shows a cumulative metric's value on the period's first day."""
    if node["type"] != "cumulative":
        return False
    params = (node.get("type_params") or {}).get("cumulative_type_params") or {}
    return (params.get("period_agg") or "first") == "first"


def _holds(model: Node, item: str) -> bool:
    """Whether a filter's item (`customer__country`) may be a dimension of a semantic model: its
    entity identifies the model's rows.
    """
    entity = item.split("__")[-2] if "__" in item else None
    own = {raw["name"] for raw in model.get("entities") or () if raw.get("type") != "foreign"}
    return entity is None or entity in own or entity == model.get("primary_entity")
