"""Ask questions in English inside a dbt project.

The names below are loaded when they are first used, so that `dbt-t2s --version` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from t2s_dbt.version import __version__

if TYPE_CHECKING:
    from t2s_dbt.assistant import Assistant
    from t2s_dbt.flow import Answer, Status
    from t2s_dbt.opening import open_project

_HOMES = {
    "Answer": "t2s_dbt.flow",
    "Assistant": "t2s_dbt.assistant",
    "Status": "t2s_dbt.flow",
    "open_project": "t2s_dbt.opening",
}

__all__ = ["Answer", "Assistant", "Status", "__version__", "open_project"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 't2s_dbt' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
