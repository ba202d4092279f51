"""Times a cold `dbt-t2s ask` of a metric question against `mf query` for the same metric query.

`python -m evals.bench.cold_ask --mf PATH/TO/mf` runs them in turn, each as a process of its own,
and prints the median, least and most wall time of each and the ratios. `first` is a question whose
metric query MetricFlow has yet to compile (the compiled ones are deleted before each run), `again`
one whose compiled query is kept in `target/t2s/`. `dbt-metricflow` needs a
virtual environment of its own:

    python3 -m venv .venv-mf
    .venv-mf/bin/pip install -c constraints.txt dbt-metricflow dbt-duckdb
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from evals.building import EXAMPLE, ROOT, build_example

QUESTION = "What was revenue by month in 2024?"
ASK = ["ask", QUESTION, "-o", "csv", "--as-of", "2025-01-01"]
MF_QUERY = [
    *("query", "--metrics", "revenue", "--group-by", "metric_time__month"),
    *("--start-time", "2024-01-01", "--end-time", "2024-12-31", "--order", "metric_time__month"),
]
BASELINE = [sys.executable, "-c", "import duckdb, sqlglot, typer, yaml, jinja2, rich"]
DEFAULT_RUNS = 7
COMPILED = EXAMPLE / "target" / "t2s" / "metrics.json"


def timed(command: Sequence[str]) -> float:
    """Wall seconds of one run; raises CalledProcessError with what it printed when it fails."""
    started = time.perf_counter()
    subprocess.run(
        command,
        cwd=EXAMPLE,
        env={**os.environ, "DBT_PROFILES_DIR": str(EXAMPLE)},
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return time.perf_counter() - started


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark and prints its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mf", type=Path, default=ROOT / ".venv-mf" / "bin" / "mf")
    parser.add_argument("--runs", type=int, default=DEFAULT_RUNS)
    options = parser.parse_args(arguments)
    build_example()
    ask = [str(Path(sys.executable).with_name("dbt-t2s")), *ASK]
    commands = {"ask, first": ask, "ask, again": ask, "bare imports": BASELINE}
    if options.mf.exists():
        commands["mf query"] = [str(options.mf.absolute()), *MF_QUERY]
    else:
        print(f"{options.mf} is not there, so there is nothing to compare with; see --help.")
    times: dict[str, list[float]] = {name: [] for name in commands}
    for run in range(options.runs + 1):
        for name, command in commands.items():
            if name == "ask, first":
                COMPILED.unlink(missing_ok=True)
            seconds = timed(command)
            if run:  # the first of each only warms the caches
                times[name].append(seconds)
    for name, found in times.items():
        print(
            f"{name:14} median {statistics.median(found):6.2f} s   "
            f"least {min(found):6.2f}   most {max(found):6.2f}   runs {len(found)}"
        )
    for ours in ("ask, first", "ask, again"):
        for other in [name for name in commands if not name.startswith("ask")]:
            ratio = statistics.median(times[ours]) / statistics.median(times[other])
            print(f"{ours} / {other}: {ratio:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
