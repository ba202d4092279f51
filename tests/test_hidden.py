"""A flagged column and its renamed copy, in a whole project: neither value nor name gets out."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console

from t2s_dbt import Answer, Assistant, Status, open_project
from t2s_dbt.cli import machine, terminal
from t2s_dbt.flow import Attempt, Linked, MetricQuery, Proposal, ProposedBy, Refusal, SqlDraft
from tests.conftest import copy_of

CANARY = "ZQCANARY"
FLAGGED, COPIED = "zq_tax_ref", "zq_reach"
AS_OF = date(2025, 1, 1)
PEOPLE, COPY = '"retail"."main"."dim_customers"', '"retail"."main"."zq_contacts"'

# Ways to read the column `{c}` of the relation `{t}`, whose model is `{m}`.
WAYS = """
SELECT {c} FROM {m}
SELECT {c} AS x FROM {t}
SELECT {m}.{c} FROM {m}
SELECT "retail"."main".{m}.{c} FROM {t}
SELECT UPPER({c}) FROM {m}
SELECT "{c}" || '' FROM {m}
SELECT * FROM {m}
SELECT a.* FROM {m} AS a
SELECT * EXCLUDE (customer_id) FROM {m}
SELECT * REPLACE ({c} AS customer_id) FROM {m}
SELECT * RENAME ({c} AS x) FROM {m}
SELECT COLUMNS('zq.*') FROM {m}
SELECT COLUMNS(*) FROM {m}
SELECT COLUMNS(lambda n: n LIKE 'zq%') FROM {m}
SELECT max(COLUMNS('.*')) FROM {m}
SELECT * LIKE 'zq%' FROM {m}
SELECT a FROM {m} AS a
SELECT a::VARCHAR FROM {m} AS a
SELECT to_json(a) FROM {m} AS a
SELECT row(a.*) FROM {m} AS a
SELECT struct_pack(v := {c}) FROM {m}
SELECT #9 FROM {m}
SELECT #2 FROM {m}
SELECT v FROM (SELECT {c} AS v FROM {m})
WITH q(v) AS (SELECT {c} FROM {m}) SELECT v FROM q
WITH q AS (FROM {m}) SELECT {c} FROM q
FROM {m} SELECT {c}
FROM {m}
SELECT b FROM {m} AS t(a, b)
SELECT i FROM {m} AS t(a, b, c, d, e, f, g, h, i)
SELECT {c} FROM {m} NATURAL JOIN (SELECT customer_id FROM {m})
SELECT count(*) FROM {m} AS a JOIN {m} AS b USING ({c})
SELECT a.customer_id FROM {m} AS a JOIN {m} AS b ON a.{c} = b.{c}
SELECT customer_id FROM {m} WHERE {c} LIKE 'ZQ%'
SELECT customer_id FROM {m} ORDER BY {c}
SELECT count(*) FROM {m} GROUP BY {c}
SELECT customer_id FROM {m} GROUP BY 1 HAVING max({c}) > 'Z'
SELECT customer_id FROM {m} QUALIFY row_number() OVER (ORDER BY {c}) = 1
SELECT string_agg({c}, ',') FROM {m}
SELECT list({c}) FROM {m}
SELECT min({c}), max({c}), any_value({c}), first({c}) FROM {m}
SELECT arg_max({c}, customer_id) FROM {m}
SELECT histogram({c}) FROM {m}
SELECT length({c}), md5({c}), hash({c}) FROM {m}
SELECT [x FOR x IN [{c}]] FROM {m}
SELECT list_transform([1], lambda x: {c}) FROM {m}
SELECT MAP {{'k': {c}}} FROM {m}
SELECT CASE WHEN true THEN {c} END FROM {m}
SELECT (SELECT max({c}) FROM {m}) FROM dim_stores
SELECT 1 FROM dim_stores WHERE EXISTS (SELECT 1 FROM {m} WHERE {c} > '')
SELECT x.v FROM {m} AS a, LATERAL (SELECT a.{c} AS v) AS x
SELECT value FROM (UNPIVOT {m} ON {c} INTO NAME name VALUE value)
SELECT * FROM {m} UNPIVOT (value FOR name IN ({c}))
SELECT * FROM (PIVOT {m} ON {c} IN ('ZQCANARY-1') USING count(*))
SELECT {c} FROM {m} UNION ALL SELECT 'x'
SELECT 'x' AS y UNION ALL BY NAME SELECT {c} FROM {m}
SELECT {c} FROM {m} TABLESAMPLE 50%
SELECT error({c}) FROM {m}
SELECT {c}::INT FROM {m}
SELECT CAST({c} AS DATE) FROM {m}
SELECT nosuch({c}) FROM {m}
SELECT {c} FROM {m}; SELECT 1
SELECT {c} FROM {m} WHERE ((
SUMMARIZE {m}
DESCRIBE {m}
SELECT * FROM (SUMMARIZE {m})
SELECT * FROM query('SELECT {c} FROM {m}')
SELECT * FROM duckdb_columns() WHERE table_name = '{m}'
SELECT * FROM pragma_table_info('{m}')
SELECT * FROM information_schema.columns WHERE column_name LIKE 'zq%'
SELECT s.{c} FROM dim_stores AS s, {m}
SELECT u.{c} FROM {m}, UNNEST([1]) AS u
"""
QUESTIONS = (
    "zq tax ref of customers",
    "What is the zq tax ref of Luca Ferrari?",
    "customers by zq tax ref",
    "number of customers with a zq tax ref",
    "list zq contacts",
    "zq reach by customer name",
    "how many zq contacts",
    "customers",
    "list customers in Germany",
)


@dataclass
class Scripted:
    """A provider that proposes what it is told, once, and keeps what it was handed."""

    proposal: MetricQuery | SqlDraft
    name: str = "scripted"
    proposed_by: ProposedBy = ProposedBy.MODEL
    handed: list[str] = field(default_factory=list)

    def propose(self, linked: Linked, attempts: tuple[Attempt, ...]) -> Proposal:
        """The proposal; a refusal when it has failed."""
        told = [attempt.failure for attempt in attempts]
        self.handed.append(f"{linked!r} {told!r}")
        return self.proposal if not attempts else Refusal("no more")


@pytest.fixture(scope="module")
def project(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example project with a flagged column, and a model that copies it under another name."""
    example_copy = copy_of(example, tmp_path_factory.mktemp("hidden"))
    with duckdb.connect(str(example_copy / "retail.duckdb")) as connection:
        connection.execute(
            f"ALTER TABLE main.dim_customers ADD COLUMN {FLAGGED} VARCHAR;"
            f"UPDATE main.dim_customers SET {FLAGGED} = '{CANARY}-' || customer_id;"
            f"CREATE TABLE main.zq_contacts AS SELECT customer_id, {FLAGGED} AS {COPIED}, "
            "customer_name FROM main.dim_customers"
        )
    path = example_copy / "target" / "manifest.json"
    path.write_text(json.dumps(_flagged(json.loads(path.read_bytes()))), encoding="utf-8")
    (example_copy / "target" / "catalog.json").unlink(missing_ok=True)
    with (example_copy / "t2s" / "glossary.yml").open("a", encoding="utf-8") as glossary:
        glossary.write(
            "  - name: taxable people\n"
            f"    filter: {{model: dim_customers, sql: \"{FLAGGED} LIKE '{CANARY}%'\"}}\n"
        )
    return example_copy


def _flagged(manifest: dict[str, Any]) -> dict[str, Any]:
    people = manifest["nodes"]["model.retail.dim_customers"]
    people["columns"][FLAGGED] = {
        **next(iter(people["columns"].values())),
        "name": FLAGGED,
        "config": {"meta": {"pii": True}, "tags": []},
        "meta": {"pii": True},
    }
    copy = json.loads(json.dumps(people))
    copy |= {
        "name": "zq_contacts",
        "alias": "zq_contacts",
        "unique_id": "model.retail.zq_contacts",
        "columns": {},
        "relation_name": COPY,
        "compiled_code": f"select customer_id, {FLAGGED} as {COPIED}, customer_name from {PEOPLE}",
        "depends_on": {"nodes": ["model.retail.dim_customers"], "macros": []},
    }
    manifest["nodes"]["model.retail.zq_contacts"] = copy
    manifest["child_map"]["model.retail.dim_customers"].append("model.retail.zq_contacts")
    manifest["child_map"]["model.retail.zq_contacts"] = []
    return manifest


@pytest.fixture(scope="module")
def opened(project: Path) -> Assistant:
    """An assistant over that project that keeps a trace."""
    return open_project(project, environment={})


def _ways() -> Iterator[str]:
    for line in WAYS.strip().splitlines():
        yield line.format(c=FLAGGED, t=PEOPLE, m="dim_customers")
        yield line.format(c=COPIED, t=COPY, m="zq_contacts")


def _shown(answer: Answer) -> str:
    """An answer in every form in which it is given, aside from the question as it was typed."""
    out = io.StringIO()
    console = Console(file=out, width=200)
    terminal.show(answer, console, console, verbose=True)
    forms = [machine.as_json(answer), machine.as_csv(answer), machine.as_markdown(answer)]
    return "\n".join([*forms, out.getvalue()])


def _kept(project: Path) -> str:
    """What is left on disk: the trace, and everything derived."""
    files = [*(project / "logs" / "t2s").rglob("*"), *(project / "target" / "t2s").rglob("*")]
    texts = [path.read_text(encoding="utf-8") for path in files if path.is_file()]
    assert len(texts) >= 3  # the trace, the values, the compiled metrics
    return "\n".join(texts)


def _assert_nothing_told(text: str) -> None:
    assert CANARY not in text
    assert FLAGGED not in text
    assert COPIED not in text


def test_no_way_to_read_it_gives_a_value_or_a_name(opened: Assistant, project: Path) -> None:
    ways = list(_ways())
    assert len(ways) >= 2 * 40
    for sql in ways:
        provider = Scripted(SqlDraft(sql))
        answer = replace(opened, provider=provider).ask("customers", AS_OF)
        _assert_nothing_told(_shown(answer))
        _assert_nothing_told("".join(provider.handed))
    opened.ask("orders by channel", AS_OF)  # so that a metric is compiled, too
    _assert_nothing_told(_kept(project))


@pytest.mark.parametrize(
    "query",
    [
        MetricQuery(("orders",), (f"customer__{FLAGGED}",)),
        MetricQuery((FLAGGED,)),
        MetricQuery(("orders",), order_by=(f"-customer__{FLAGGED}",)),
    ],
)
def test_no_metric_query_names_it(opened: Assistant, query: MetricQuery) -> None:
    answer = replace(opened, provider=Scripted(query)).ask("orders", AS_OF)
    assert answer.status is Status.FAILED
    _assert_nothing_told(_shown(answer))


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_question_brings_it_up(opened: Assistant, question: str) -> None:
    answer = opened.ask(question, AS_OF)
    _assert_nothing_told(_shown(answer))
    needs_it = "zq tax" in question or "reach" in question
    assert not needs_it or answer.status is Status.REFUSED
    assert not needs_it or "policy hides" in answer.text


def test_a_glossary_term_that_names_it_is_withheld(opened: Assistant) -> None:
    answer = opened.ask("how many taxable people", AS_OF)
    assert answer.status is Status.REFUSED
    assert "policy hides" in answer.text
    assert any("names a hidden column" in note for note in opened.catalog.notes)


def test_the_guard_command_does_not_name_it(
    project: Path, tmp_path: Path, run_cli: Callable[..., tuple[int, str, str]]
) -> None:
    files = []
    for number, sql in enumerate(_ways()):
        files.append(tmp_path / f"{number}.sql")
        files[-1].write_text(sql, encoding="utf-8")
    for output in ("text", "json"):
        status, out, err = run_cli("guard", *map(str, files), "-o", output, cwd=project)
        assert status == 1
        _assert_nothing_told(out + err)


def test_only_the_load_report_names_it(
    project: Path, run_cli: Callable[..., tuple[int, str, str]]
) -> None:
    _, out, _ = run_cli("debug", cwd=project)
    named = [line for line in out.splitlines() if FLAGGED in line or COPIED in line]
    assert all(line.strip().startswith("hidden: ") for line in named)
    assert len(named) == 2
    assert CANARY not in out
