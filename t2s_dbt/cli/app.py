"""The `dbt-t2s` command: wires the commands, and turns every error into one message and an exit
status.
"""

import traceback
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from t2s_dbt import __version__
from t2s_dbt.cli.ask import ask
from t2s_dbt.cli.debug import debug
from t2s_dbt.cli.guard import guard
from t2s_dbt.errors import T2SError

USAGE_OR_PROJECT_TROUBLE = 2
STOPPED = 130

# Typer brings its own copy of click, or uses click: the class that all usage errors share is its
# parent.
_USAGE_ERROR: type[Exception] = next(
    cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException"
)

app = typer.Typer(
    name="dbt-t2s",
    help="Ask questions in English inside a dbt project.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(ask)
app.command()(debug)
app.command()(guard)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dbt-t2s {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status."""
    show_traceback = "--debug" in arguments
    try:
        status = app(args=list(arguments), prog_name="dbt-t2s", standalone_mode=False)
        if status == STOPPED:
            _complain("stopped", "")
        return status if isinstance(status, int) else 0
    except T2SError as error:
        if show_traceback:
            traceback.print_exc()
        _complain(str(error), error.hint)
        return USAGE_OR_PROJECT_TROUBLE
    except _USAGE_ERROR as error:
        error.show()  # type: ignore[attr-defined]
        return USAGE_OR_PROJECT_TROUBLE
    except (KeyboardInterrupt, typer.Abort):
        _complain("stopped", "")
        return STOPPED
    except Exception as error:
        if show_traceback:
            traceback.print_exc()
        hint = "This is a fault of dbt-t2s; --debug shows where. Please report it."
        _complain(f"{type(error).__name__}: {error}", hint)
        return USAGE_OR_PROJECT_TROUBLE


def _complain(message: str, hint: str) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print("error: ", style="bold red", end="")
    console.print(message, markup=False)
    if hint:
        console.print(hint, markup=False)
