"""How the steps of the guard say no to each other; outside the guard it is a `Failure`."""

from collections.abc import Sequence


class Rejection(Exception):
    """A statement that may not run: a code for programs, a sentence, the text that offends, what
    may have been meant instead, and the line where that is known.
    """

    def __init__(
        self,
        code: str,
        message: str,
        subject: str = "",
        candidates: Sequence[str] = (),
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.subject, self.line = code, message, subject, line
        self.candidates = tuple(candidates)
