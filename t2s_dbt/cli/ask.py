"""`dbt-t2s ask`: one question, one answer."""

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from t2s_dbt.cli import machine, terminal
from t2s_dbt.cli.options import (
    Audience,
    Debug,
    Profile,
    ProfilesDir,
    ProjectDir,
    Target,
    TargetPath,
    Vars,
    dbt_flags,
)
from t2s_dbt.cli.progress import shown_when_slow
from t2s_dbt.errors import UsageError
from t2s_dbt.flow import Answer, Status

EXIT_CODES = {
    Status.ANSWERED: 0,
    Status.EMPTY: 0,
    Status.EXPLAINED: 0,
    Status.CLARIFY: 1,
    Status.REFUSED: 1,
    Status.FAILED: 1,
}


WIDE = 10_000


class Output(StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def ask(  # noqa: PLR0913 - each flag is a parameter, as typer has it
    question: Annotated[str, typer.Argument(help="The question, in English.")],
    output: Annotated[
        Output, typer.Option("--output", "-o", help="How to write the answer.")
    ] = Output.TABLE,
    sql: Annotated[
        bool, typer.Option("--sql", help="Write the SQL only, and do not run it.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what would be run, and do not run it.")
    ] = False,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="The day that counts as today (YYYY-MM-DD).")
    ] = None,
    max_rows: Annotated[int | None, typer.Option("--max-rows", help="Rows at most.")] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", help="Seconds a query may run.")
    ] = None,
    max_attempts: Annotated[
        int | None, typer.Option("--max-attempts", help="Queries tried at most.")
    ] = None,
    provider: Annotated[
        str | None, typer.Option("--provider", help="Who reads the question.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the SQL of each attempt and its outcome.")
    ] = False,
    audience: Audience = None,
    project_dir: ProjectDir = None,
    profiles_dir: ProfilesDir = None,
    profile: Profile = None,
    target: Target = None,
    target_path: TargetPath = None,
    vars_: Vars = None,
    debug: Debug = False,
) -> None:
    """Answer a question about the project's data.

    Exit status: 0 answered (an empty result included), 1 asked back, refused or failed, 2 usage,
    project or database trouble.
    """
    from t2s_dbt.opening import open_project  # the rest of the package: not for --help

    out, err = Console(), Console(stderr=True)
    if not out.is_terminal:
        out = Console(width=WIDE)  # a file or pipe has no edge to wrap at
    day = _day(as_of)
    settings = {
        "max_rows": max_rows,
        "timeout": timeout,
        "max_attempts": max_attempts,
        "provider": provider,
        "audience": audience,
    }
    flags = dbt_flags(project_dir, profiles_dir, profile, target, target_path, vars_)
    with shown_when_slow(err) as progress:
        assistant = open_project(Path.cwd(), flags=flags, settings=settings, on_step=progress.step)
        answer = assistant.ask(question, day, run=not (sql or explain))
    if sql:
        _write_sql(answer, out, err)
    else:
        _write(answer, output, out, err, verbose=verbose)
    raise typer.Exit(EXIT_CODES[answer.status])


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--as-of is {text!r}, which is no day", hint="Write it as YYYY-MM-DD."
        ) from None


def _write_sql(answer: Answer, out: Console, err: Console) -> None:
    if answer.sql and answer.status is Status.EXPLAINED:
        out.file.write(answer.sql + "\n")
    else:
        terminal.show(answer, out, err, verbose=False)


def _write(answer: Answer, output: Output, out: Console, err: Console, *, verbose: bool) -> None:
    if output is Output.TABLE:
        terminal.show(answer, out, err, verbose=verbose)
    elif output is Output.JSON:
        out.file.write(machine.as_json(answer) + "\n")
    elif EXIT_CODES[answer.status] != 0 or answer.status is Status.EXPLAINED:
        terminal.show(answer, out, err, verbose=verbose)
    else:
        text = machine.as_csv(answer) if output is Output.CSV else machine.as_markdown(answer)
        out.file.write(text)
        for warning in answer.warnings:
            err.print(f"note: {warning.message}", highlight=False, soft_wrap=True, markup=False)
