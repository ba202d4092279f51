"""Renders the Jinja that dbt allows in `dbt_project.yml` and `profiles.yml`: `env_var` and
`var`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from t2s_dbt.errors import ProjectError


def render_text(
    text: str, environment: Mapping[str, str], cli_vars: Mapping[str, Any], path: Path
) -> str:
    """The text with its expressions replaced; raises ProjectError naming the variable that is
    missing.
    """
    if "{{" not in text and "{%" not in text:
        return text
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import SandboxedEnvironment

    missing = object()

    def env_var(name: str, default: Any = missing) -> str:
        value = environment.get(name, default)
        if value is missing:
            raise ProjectError(
                f"needs the environment variable {name}, which is not set",
                path=path,
                hint=f"Set {name}, or give env_var('{name}', …) a default.",
            )
        return str(value)

    def var(name: str, default: Any = missing) -> Any:
        value = cli_vars.get(name, default)
        if value is missing:
            raise ProjectError(
                f"needs the variable '{name}', which was not given",
                path=path,
                hint=f"Give --vars '{{{name}: …}}'.",
            )
        return value

    jinja = SandboxedEnvironment(undefined=StrictUndefined)
    for name in ("as_text", "as_number", "as_bool", "as_native"):
        jinja.filters[name] = lambda value: value
    try:
        return jinja.from_string(text).render(env_var=env_var, var=var)
    except TemplateError as error:
        raise ProjectError(
            f"has an expression that cannot be rendered: {error}", path=path
        ) from error


def render_tree(
    node: Any, environment: Mapping[str, str], cli_vars: Mapping[str, Any], path: Path
) -> Any:
    """The same for every text inside maps and lists."""
    if isinstance(node, str):
        return render_text(node, environment, cli_vars, path)
    if isinstance(node, dict):
        return {key: render_tree(value, environment, cli_vars, path) for key, value in node.items()}
    if isinstance(node, list):
        return [render_tree(value, environment, cli_vars, path) for value in node]
    return node
