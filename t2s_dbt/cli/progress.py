"""Says what a run is doing, once it has taken longer than a second, and only to a terminal."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

PATIENCE_SECONDS = 1.0


class Progress:
    """Holds the words for the present step, and a spinner that shows them."""

    def __init__(self, console: Console) -> None:
        self._status = console.status("starting")
        self._shown = False
        self._lock = threading.Lock()

    def step(self, words: str) -> None:
        """Sets the words for what is being done now."""
        self._status.update(words)

    def start(self) -> None:
        """Shows the spinner."""
        with self._lock:
            self._shown = True
            self._status.start()

    def stop(self) -> None:
        """Takes the spinner away."""
        with self._lock:
            if self._shown:
                self._status.stop()


@contextmanager
def shown_when_slow(console: Console) -> Iterator[Progress]:
    """A progress display for a block of work."""
    progress = Progress(console)
    timer = threading.Timer(PATIENCE_SECONDS, progress.start)
    timer.daemon = True
    if console.is_terminal:
        timer.start()
    try:
        yield progress
    finally:
        timer.cancel()
        progress.stop()
