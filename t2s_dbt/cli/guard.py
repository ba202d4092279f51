"""`dbt-t2s guard`: whether SQL from files or the standard input may run, and if not, why."""

import json
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

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
from t2s_dbt.errors import UsageError
from t2s_dbt.flow import CheckedSql, Failure

STDIN = "-"
REJECTED = 1


class GuardOutput(StrEnum):
    """How verdicts are written."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard says of one file."""

    file: str
    outcome: CheckedSql | Failure

    @property
    def allowed(self) -> bool:
        """Whether it may run."""
        return isinstance(self.outcome, CheckedSql)


def guard(  # noqa: PLR0913 - each flag is a parameter, as typer has it
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files with one query each; - is stdin.")
    ],
    output: Annotated[
        GuardOutput, typer.Option("--output", "-o", help="How to write the verdicts.")
    ] = GuardOutput.TEXT,
    audience: Audience = None,
    project_dir: ProjectDir = None,
    profiles_dir: ProfilesDir = None,
    profile: Profile = None,
    target: Target = None,
    target_path: TargetPath = None,
    vars_: Vars = None,
    debug: Debug = False,
) -> None:
    """Check whether SQL may run over the project's models; nothing is run.

    Exit status: 0 all may run, 1 one may not, 2 usage or project trouble.
    """
    from t2s_dbt.opening import open_guard  # the rest of the package: not for --help

    texts = [(name, _read(name)) for name in files]
    flags = dbt_flags(project_dir, profiles_dir, profile, target, target_path, vars_)
    check = open_guard(Path.cwd(), flags=flags, settings={"audience": audience})
    verdicts = [Verdict(name, check(text)) for name, text in texts]
    if output is GuardOutput.JSON:
        typer.echo(json.dumps([_document(v) for v in verdicts], indent=2, ensure_ascii=False))
    else:
        for verdict in verdicts:
            typer.echo("\n".join(_lines(verdict)))
    raise typer.Exit(0 if all(verdict.allowed for verdict in verdicts) else REJECTED)


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"{name} cannot be read: {error.strerror}", hint="Name a file with one query, or -."
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is no UTF-8 text", hint="Save it as UTF-8.") from error


def _lines(verdict: Verdict) -> list[str]:
    outcome = verdict.outcome
    if isinstance(outcome, CheckedSql):
        names = ", ".join(exposed.table for exposed in outcome.exposed)
        return [f"{verdict.file}: allowed, reads {names or 'no model'}"]
    place = f"{verdict.file}:{outcome.line}" if outcome.line else verdict.file
    lines = [f"{place}: rejected ({outcome.code}): {outcome.message}"]
    if outcome.candidates:
        lines.append(f"  instead: {', '.join(outcome.candidates)}")
    return lines


def _document(verdict: Verdict) -> dict[str, Any]:
    outcome = verdict.outcome
    if isinstance(outcome, CheckedSql):
        reads = [exposed.table for exposed in outcome.exposed]
        return {"file": verdict.file, "verdict": "allowed", "reads": reads, "sql": outcome.sql}
    return {
        "file": verdict.file,
        "verdict": "rejected",
        "code": outcome.code,
        "message": outcome.message,
        "text": outcome.subject or None,
        "line": outcome.line,
        "instead": list(outcome.candidates),
    }
