"""The entry point of `dbt-t2s`."""

import contextlib
import gc
import io
import os
import sys


def main() -> None:
    """Runs the command line and ends the process with its status.

    The process lives for one question. Collecting garbage while its modules load, and taking them
    apart one by one at its end, would cost a quarter of the whole: neither is done.
    """
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without € shows ?, and no traceback
    from t2s_dbt.cli.app import run

    status = run(sys.argv[1:])
    with contextlib.suppress(BrokenPipeError):  # whoever read the output has gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)
