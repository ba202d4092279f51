"""Makes the `Catalog` of a project's artifacts, the database's columns, and the glossary."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from t2s_dbt.catalog import Catalog, Relation, Term, TermMeaning
from t2s_dbt.config import Audience
from t2s_dbt.project.artifacts import Artifacts, built_nodes
from t2s_dbt.project.audience import audience_nodes, idle_selectors
from t2s_dbt.project.marks import Marks
from t2s_dbt.project.policy import make_policy
from t2s_dbt.project.semantics import SemanticModels
from t2s_dbt.project.tables import Node, is_file_source, make_joins, make_tables, relation_of

_WORD = re.compile(r"\w+")

ColumnTypes = Mapping[Relation, Mapping[str, str]]


def catalogued_types(artifacts: Artifacts) -> ColumnTypes:
    """Column types by relation from `catalog.json`; empty without one, or when it is older than the
    manifest.
    """
    if artifacts.catalog is None:
        return {}
    written = (artifacts.catalog.get("metadata") or {}).get("generated_at", "")
    if written < (artifacts.manifest.get("metadata") or {}).get("generated_at", ""):
        return {}
    nodes = {**artifacts.catalog.get("nodes", {}), **artifacts.catalog.get("sources", {})}
    known = {node["unique_id"]: node for node in _all_nodes(artifacts)}
    return {
        relation_of(known[unique_id]): {
            column["name"]: column["type"]
            for column in sorted(entry["columns"].values(), key=lambda column: column["index"])
        }
        for unique_id, entry in nodes.items()
        if unique_id in known
    }


def relations_of(artifacts: Artifacts) -> tuple[Relation, ...]:
    """Every relation of the project that the database may hold."""
    return tuple(dict.fromkeys(relation_of(node) for node in _all_nodes(artifacts)))


def _all_nodes(artifacts: Artifacts) -> list[Node]:
    manifest = artifacts.manifest
    return [*built_nodes(manifest), *(manifest.get("sources") or {}).values()]


def make_catalog(
    artifacts: Artifacts,
    types: ColumnTypes,
    *,
    dialect: str,
    marks: Marks,
    terms: tuple[Term, ...] = (),
    audience: Audience | None = None,
) -> Catalog:
    """The catalog of everything a question may speak of.

    Args:
        artifacts: what dbt wrote.
        types: column names and types of the relations that exist.
        dialect: sqlglot's name of the warehouse's dialect, for lineage.
        marks: what marks a column as hidden.
        terms: the glossary.
        audience: whose catalog it is; everybody's when None.

    """
    manifest = artifacts.manifest
    policy = make_policy(manifest, types, dialect, marks)
    tables = make_tables(manifest, types, policy.columns, policy.models)
    semantic = SemanticModels(manifest, tables, policy.columns)
    metrics = () if artifacts.semantic_manifest is None else semantic.metrics()
    blocked = tuple(
        f"metric {name} reads a hidden column or model, so it cannot be asked"
        for name in semantic.blocked_metrics()
    )
    times = {metric.time.table: metric.time.name for metric in metrics if metric.time}
    catalog = Catalog(
        tables=tuple(
            replace(table, default_time=table.default_time or times.get(table.name))
            for table in tables
        ),
        joins=make_joins(manifest, tables),
        metrics=metrics,
        dimensions=semantic.dimensions(),
        entities=semantic.entities(),
        terms=terms,
        fiscal_grains=_custom_grains(manifest),
        hidden=policy.report,
        withheld=(
            *semantic.blocked_metrics(),
            *(node["name"] for node in _all_nodes(artifacts) if node["unique_id"] in policy.models),
        ),
        notes=(*artifacts.notes, *policy.notes, *blocked, *_file_sources(manifest)),
    )
    if audience is not None:
        catalog = _for_audience(catalog, artifacts, audience)
    return _spoken_terms(catalog)


def _for_audience(catalog: Catalog, artifacts: Artifacts, audience: Audience) -> Catalog:
    """The catalog without what an audience may not read; calendars stay, for metrics only."""
    spines = _time_spines(artifacts)
    nodes = [node for node in _all_nodes(artifacts) if node["unique_id"] not in spines]
    chosen = audience_nodes(nodes, audience)
    kept = {
        table.name: replace(table, askable=table.unique_id in chosen)
        for table in catalog.tables
        if table.unique_id in chosen | spines
    }
    gone = [table.name for table in catalog.tables if table.name not in kept]
    narrowed = catalog.narrowed(kept)
    narrowed = replace(
        narrowed,
        tables=tuple(kept.values()),
        metrics=tuple(m for m in narrowed.metrics if kept.keys() >= set(m.reads)),
        withheld=(*catalog.withheld, *gone),
    )
    lost = {metric.name for metric in catalog.metrics} - {m.name for m in narrowed.metrics}
    idle = (
        f"audience '{audience.name}': no model answers to the selector '{selector}'"
        for selector in idle_selectors(nodes, audience)
    )
    withheld = (*narrowed.withheld, *sorted(lost))
    return replace(narrowed, withheld=withheld, notes=(*narrowed.notes, *idle))


def _time_spines(artifacts: Artifacts) -> frozenset[str]:
    nodes = _all_nodes(artifacts)
    return frozenset(node["unique_id"] for node in nodes if node.get("time_spine"))


def _file_sources(manifest: Mapping[str, Any]) -> Iterator[str]:
    """A note on each source that is a file: models over it can be asked, it itself cannot."""
    for node in (manifest.get("sources") or {}).values():
        if is_file_source(node):
            name = f"{node.get('source_name')}.{node['name']}"
            yield f"source {name} is a file; ask the models that read it"


def _spoken_terms(catalog: Catalog) -> Catalog:
    """The catalog without the terms that name a hidden column; notes on those that mean nothing."""
    spoken = tuple(term for term in catalog.terms if not _names_hidden(term, catalog))
    silent = tuple(
        f"{term.location}: term '{term.name}' names a hidden column, so it cannot be asked"
        for term in catalog.terms
        if term not in spoken
    )
    gone = (name for t in catalog.terms if t not in spoken for name in (t.name, *t.synonyms))
    withheld = (*catalog.withheld, *gone)
    catalog = replace(catalog, terms=spoken, withheld=withheld)
    return replace(catalog, notes=(*catalog.notes, *silent, *_loose_terms(catalog)))


def _names_hidden(term: Term, catalog: Catalog) -> bool:
    """Whether a term's target or SQL names a column that is hidden in its model, or everywhere."""
    model = term.target.partition(".")[0]
    there = {h.column.lower() for h in catalog.hidden if h.table == model}
    words = set(_WORD.findall(f"{term.target} {term.text}".lower()))
    return not words.isdisjoint(there | catalog.hidden_names)


def _loose_terms(catalog: Catalog) -> Iterator[str]:
    """A note on each glossary term whose metric, model or column cannot be asked."""
    tables = catalog.tables
    known = {
        TermMeaning.METRIC: {metric.name for metric in catalog.metrics},
        TermMeaning.MODEL: {table.name for table in tables},
        TermMeaning.COLUMN: {f"{t.name}.{c.name}" for t in tables for c in t.columns},
    }
    known[TermMeaning.VALUE] = known[TermMeaning.COLUMN]
    for term in catalog.terms:
        if term.meaning in known and term.target not in known[term.meaning]:
            yield f"{term.location}: term '{term.name}' means {term.target}, which cannot be asked"


def _custom_grains(manifest: Mapping[str, object]) -> tuple[str, ...]:
    """Names of the time spine's custom granularities."""
    found: list[str] = []
    nodes = manifest.get("nodes")
    assert isinstance(nodes, Mapping)
    for node in nodes.values():
        spine = node.get("time_spine") or {}
        found += [grain["name"] for grain in spine.get("custom_granularities") or ()]
    return tuple(dict.fromkeys(found))
