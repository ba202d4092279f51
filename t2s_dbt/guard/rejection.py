"""How the steps of the guard say no to each other; outside the guard it is a `Failure`."""


class Rejection(Exception):
    """A statement that may not run: a code for programs, a sentence, and the text that offends."""

    def __init__(self, code: str, message: str, subject: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.subject = code, message, subject
