"""What can go wrong that a person must act on.

    T2SError
    ├── UsageError              the command line or the question itself
    ├── SettingsError           t2s.yml, an environment variable, a flag
    ├── ProjectError            the dbt project
    │   ├── ProjectNotFoundError    no dbt_project.yml from here upward
    │   ├── ProfileError            profiles.yml, its profile or its target
    │   ├── ArtifactMissingError    dbt has not written it yet
    │   └── ArtifactUnreadableError written by a dbt that is not supported, or damaged
    └── WarehouseError          the database
        ├── DatabaseMissingError    there is no such file
        ├── DatabaseLockedError     another process is writing
        └── AdapterUnsupportedError the profile names an engine that is not supported

Expected trouble with a *query* is no exception but a `flow.Failure`: the next attempt learns from
it.
"""

from pathlib import Path


class T2SError(Exception):
    """A failure with a message that says what happened, and a hint that says what to do."""

    def __init__(
        self, message: str, *, hint: str = "", path: Path | None = None, line: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path
        self.line = line

    def __str__(self) -> str:
        """The message with its place in front: `t2s.yml:3: unknown setting 'max_row'`."""
        if self.path is None:
            return self.message
        place = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{place}: {self.message}"


class UsageError(T2SError):
    """The command line or the question cannot be used as it is."""


class SettingsError(T2SError):
    """A setting is unknown, of the wrong type, or out of range."""


class ProjectError(T2SError):
    """The dbt project cannot be used as it is."""


class ProjectNotFoundError(ProjectError):
    """There is no `dbt_project.yml` in the folder or above it."""


class ProfileError(ProjectError):
    """`profiles.yml`, or the profile or target in it, is missing or broken."""


class ArtifactMissingError(ProjectError):
    """dbt has not written an artifact that is needed."""


class ArtifactUnreadableError(ProjectError):
    """An artifact is damaged, or of a schema version that is not supported."""


class WarehouseError(T2SError):
    """The database cannot be used as it is."""


class DatabaseMissingError(WarehouseError):
    """The database file does not exist."""


class DatabaseLockedError(WarehouseError):
    """Another process holds the database for writing."""


class AdapterUnsupportedError(WarehouseError):
    """The profile's adapter is not one this release can question."""
