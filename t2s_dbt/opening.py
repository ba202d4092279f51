"""Opens a dbt project: finds its parts, and makes of them what answers or checks."""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from t2s_dbt.assistant import Assistant, OnStep, Opened
from t2s_dbt.catalog import Catalog, Relation
from t2s_dbt.config import Settings, read_settings
from t2s_dbt.errors import WarehouseError
from t2s_dbt.flow import CheckedSql, Failure
from t2s_dbt.generation.rules.provider import RulesProvider
from t2s_dbt.guard.check import check
from t2s_dbt.linking.linker import Linker
from t2s_dbt.linking.values import ValueIndex, build_values, read_values, values_text
from t2s_dbt.metrics import MetricFlowLayer, cache_key
from t2s_dbt.ports import Warehouse
from t2s_dbt.project.artifacts import read_artifacts
from t2s_dbt.project.discover import Flags, Project, find_project
from t2s_dbt.project.load import ColumnTypes, catalogued_types, make_catalog, relations_of
from t2s_dbt.project.marks import Marks
from t2s_dbt.project.profile import read_target
from t2s_dbt.stores.cache import JsonCache
from t2s_dbt.stores.files import replace_file
from t2s_dbt.stores.glossary import read_glossary
from t2s_dbt.stores.trace import FileTrace, NoTrace
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse, check_adapter

WEEKDAYS = {"monday": 0, "sunday": 6}


def open_project(
    start: Path | str = ".",
    *,
    flags: Flags | None = None,
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    now: datetime | None = None,
    on_step: OnStep = lambda _: None,
) -> Assistant:
    """Finds the dbt project at or above a folder and makes it answer questions.

    Args:
        start: a folder in the project.
        flags: dbt's own flags (project and profiles folder, profile, target, target path, vars).
        settings: settings that override `t2s.yml` and the environment, by name.
        environment: the environment variables to read; the process's own when not given.
        now: the time that the trace notes; the clock's when not given.
        on_step: told in words what is being done, for a progress display.

    Raises:
        T2SError: project, profile, artifacts, settings or database cannot be used; the message says
        why.

    """
    environment = dict(os.environ) if environment is None else environment
    flags, folder = flags or Flags(), Path(start)
    started = time.perf_counter()
    on_step("reading the dbt project")
    found = _found(folder, flags, settings or {}, environment)
    project, options = found.project, found.settings
    warehouse = DuckDBWarehouse(found.target.databases, _budget(options), project.folder)
    catalog = _catalog(found, warehouse.describe)
    semantic = found.artifacts.semantic_manifest
    compiled = _derived_file(project, options, "metrics")
    layer = MetricFlowLayer(semantic, catalog, JsonCache(compiled, cache_key(semantic, catalog)))
    on_step("reading the values of text columns")
    kept_values = _derived_file(project, options, "values")
    linker = Linker(catalog, _values(kept_values, catalog, warehouse))
    clock = now or datetime.now(UTC)
    return Assistant(
        opened=found,
        catalog=catalog,
        warehouse=warehouse,
        layer=layer,
        provider=RulesProvider(layer, week_start=WEEKDAYS[options.week_start]),
        linker=linker,
        trace=FileTrace(project.log_path, clock) if options.trace else NoTrace(),
        opening={"open": time.perf_counter() - started},
        on_step=on_step,
    )


def open_guard(
    start: Path | str = ".",
    *,
    flags: Flags | None = None,
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Callable[[str], CheckedSql | Failure]:
    """The guard of the dbt project at or above a folder, as a function of SQL.

    It needs no database: the columns come from `catalog.json`, else from the database if it is
    there, else from the YAML, and then unknown columns are not rejected.

    Raises:
        T2SError: project, profile, artifacts or settings cannot be used; the message says why.

    """
    environment = dict(os.environ) if environment is None else environment
    found = _found(Path(start), flags or Flags(), settings or {}, environment)

    def describe(relations: Iterable[Relation]) -> ColumnTypes:
        folder, budget = found.project.folder, _budget(found.settings)
        try:
            return DuckDBWarehouse(found.target.databases, budget, folder).describe(relations)
        except WarehouseError:
            return {}

    catalog = _catalog(found, describe).askable
    return lambda sql: check(sql, catalog, max_rows=found.settings.max_rows)


def _found(
    folder: Path, flags: Flags, settings: Mapping[str, Any], environment: Mapping[str, str]
) -> Opened:
    """The project, its target, artifacts and settings."""
    project = find_project(folder, flags, environment)
    options = read_settings(project.folder, environment, settings)
    target = read_target(project, folder, flags, environment)
    check_adapter(target.adapter)
    return Opened(project, target, read_artifacts(project, target), options)


def _budget(options: Settings) -> Budget:
    return Budget(
        seconds=options.timeout,
        memory=options.memory_limit,
        threads=options.threads,
        lock_wait=options.lock_wait,
        temporary=options.temp_limit,
        result_bytes=options.max_bytes,
    )


def _catalog(found: Opened, describe: Callable[[Iterable[Relation]], ColumnTypes]) -> Catalog:
    artifacts, options = found.artifacts, found.settings
    known = catalogued_types(artifacts)
    missing = [relation for relation in relations_of(artifacts) if relation not in known]
    return make_catalog(
        artifacts,
        {**known, **(describe(missing) if missing else {})},
        dialect=DuckDBWarehouse.dialect,
        marks=Marks.of(options.hidden_flags, options.hidden_names),
        terms=read_glossary(found.project.folder),
        audience=options.asking,
    )


def _derived_file(project: Project, options: Settings, name: str) -> Path:
    """Where something derived is kept between asks; each audience has its own."""
    name = f"{name}-{options.audience}" if options.audience else name
    return project.target_path / "t2s" / f"{name}.json"


def _values(path: Path, catalog: Catalog, warehouse: Warehouse) -> ValueIndex:
    """The values of text columns, kept in `target/t2s/` until the database or the catalog
    changes.
    """
    columns = [f"{t.relation}.{c.name}" for t in catalog.askable.tables for c in t.columns]
    described = "\n".join([warehouse.state(), *columns])
    key = hashlib.sha256(described.encode()).hexdigest()
    kept = read_values(path, key)
    if kept is None:
        kept = build_values(catalog.askable, warehouse)
        # A folder that cannot be written to costs the next ask some time, not this one its answer.
        with suppress(OSError):
            replace_file(path, values_text(kept, key))
    return kept
