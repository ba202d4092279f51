"""The databases of the public sets as DuckDB files, and the queries that were written for them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from t2s_dbt.catalog import Catalog, Column, Relation, Table
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse

SETS = ("spider", "defog", "bird_superhero", "mf_demo", "acme")
BUDGET = Budget(60, "2GB", 2, lock_wait=1)


@dataclass(frozen=True)
class Database:
    """A public database, as a file and as a catalog that shows everything in it."""

    file: Path

    @cached_property
    def catalog(self) -> Catalog:
        """Every table with every column."""
        found = self.plain.execute(
            "SELECT table_name, list(column_name ORDER BY column_index), "
            "list(data_type ORDER BY column_index) FROM duckdb_columns() "
            "WHERE NOT internal GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        return Catalog(
            tables=tuple(
                Table(
                    name,
                    f"model.{name}",
                    Relation(self.file.stem, "main", name),
                    tuple(map(Column, columns, types)),
                )
                for name, columns, types in found
            )
        )

    @cached_property
    def warehouse(self) -> DuckDBWarehouse:
        """The sandbox over it."""
        return DuckDBWarehouse({self.file.stem: str(self.file)}, BUDGET)

    @cached_property
    def plain(self) -> duckdb.DuckDBPyConnection:
        """A plain connection that only reads."""
        return duckdb.connect(str(self.file), read_only=True)


class Databases:
    """Builds each database once.

    Args:
        data: the folder of the public data.
        folder: where the files go.

    """

    def __init__(self, data: Path, folder: Path) -> None:
        self._data, self._folder = data, folder
        self._built: dict[tuple[str, str], Database] = {}

    def get(self, set_: str, name: str) -> Database:
        """The database of that name in a set; the questions of `followups` are over `spider`."""
        set_ = "spider" if set_ == "followups" else set_
        if (set_, name) not in self._built:
            self._built[set_, name] = self._build(set_, name)
        return self._built[set_, name]

    def _build(self, set_: str, name: str) -> Database:
        file = self._folder / set_ / f"{name}.duckdb"
        file.parent.mkdir(exist_ok=True)
        with duckdb.connect(str(file)) as connection:
            for table, path in self._files(set_, name).items():
                connection.execute(f"CREATE TABLE \"{table}\" AS FROM '{path}'")
        return Database(file)

    def _files(self, set_: str, name: str) -> dict[str, Path]:
        if set_ != "acme":
            return {p.stem: p for p in sorted((self._data / set_ / "db" / name).glob("*.parquet"))}
        small, large = (self._data / set_ / folder for folder in ("csv", "csv_amplified"))
        return {p.stem: p for folder in (small, large) for p in sorted(folder.glob("*.csv"))}


@dataclass(frozen=True)
class Query:
    """One query of a public set."""

    set: str
    database: str
    id: str
    sql: str


def gold(data: Path) -> Iterator[Query]:
    """Every query that the sets give as right, each once."""
    seen = set()
    for query in _gold(data):
        if (query.set, query.database, query.sql) not in seen:
            seen.add((query.set, query.database, query.sql))
            yield query


def _gold(data: Path) -> Iterator[Query]:
    for set_ in SETS:
        for question in _lines(data / set_ / "questions.jsonl"):
            for sql in (question["gold_sql"], *question.get("also_accepted", ())):
                yield Query(set_, question.get("db", set_), question["id"], sql)
    for dialogue in _lines(data / "followups" / "dialogues.jsonl"):
        for turn in dialogue["turns"]:
            yield Query("followups", dialogue["db"], dialogue["id"], turn["gold_sql"])


def recorded(data: Path) -> Iterator[Query]:
    """Every statement that a model wrote and somebody recorded."""
    for set_, name in (("bird_superhero", "superhero"), ("acme", "acme")):
        for number, answer in enumerate(_lines(data / set_ / "recorded_answers.jsonl")):
            if answer["sql"].strip():
                yield Query(set_, name, f"{set_}_{number}", answer["sql"])


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
