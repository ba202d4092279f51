"""Which models an audience may read, by selectors as dbt writes them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from t2s_dbt.config import Audience
from t2s_dbt.errors import SettingsError
from t2s_dbt.project.tables import texts

Node = Mapping[str, Any]

_METHODS = ("access", "group", "package", "path", "resource_type", "source", "tag")
_GRAPH = re.compile(r"^\d*\+|\+\d*$|^@")


def audience_nodes(nodes: Iterable[Node], audience: Audience) -> frozenset[str]:
    """The ids of the nodes that an audience may read.

    A selector is `method:value` (access, group, package, path, resource_type, source, tag) or the
    name of a model; both take `*`. Selectors of a list are added up, parts of one that are joined
    by commas must all hold. A private model is read only by an audience that names it, or
    `access:private`.

    Raises:
        SettingsError: a selector of a kind that is not known.

    """
    chosen = [_parts(selector, audience) for selector in audience.select]
    left_out = [_parts(selector, audience) for selector in audience.exclude]
    return frozenset(
        node["unique_id"]
        for node in nodes
        if any(_may_read(parts, node) for parts in chosen)
        and not any(_answers(parts, node) for parts in left_out)
    )


def idle_selectors(nodes: Iterable[Node], audience: Audience) -> Iterator[str]:
    """The selectors of an audience that no node answers to."""
    known = list(nodes)
    for selector in (*audience.select, *audience.exclude):
        parts = _parts(selector, audience)
        if not any(_answers(parts, node) for node in known):
            yield selector


def _parts(selector: str, audience: Audience) -> list[tuple[str, str]]:
    """A selector as (method, pattern) pairs."""
    found = []
    for part in selector.split(","):
        method, colon, value = part.strip().rpartition(":")
        known = method in _METHODS if colon else True
        if _GRAPH.search(part.strip()) or not known or not value:
            raise SettingsError(
                f"audience '{audience.name}' has the selector '{selector}', which is not known",
                hint="Write a model's name or method:value, where method is one of "
                f"{', '.join(_METHODS)}; `*` stands for any text.",
            )
        found.append((method, value))
    return found


def _may_read(parts: list[tuple[str, str]], node: Node) -> bool:
    """Whether a selector chooses a node; a private one only by its name or its access."""
    named = any(part in (("", node["name"]), ("access", "private")) for part in parts)
    return _answers(parts, node) and (named or _access(node) != "private")


def _answers(parts: list[tuple[str, str]], node: Node) -> bool:
    return all(_matches(part, node) for part in parts)


def _access(node: Node) -> str:
    return str(node.get("access") or (node.get("config") or {}).get("access") or "protected")


def _matches(part: tuple[str, str], node: Node) -> bool:
    method, pattern = part
    if method == "path":
        path = str(node.get("original_file_path") or "").replace("\\", "/")
        folder = pattern.rstrip("/")
        return fnmatchcase(path, folder) or fnmatchcase(path, f"{folder}/*")
    return any(fnmatchcase(value, pattern) for value in _values(method, node))


def _values(method: str, node: Node) -> tuple[str, ...]:
    config = node.get("config") or {}
    match method:
        case "access":
            return (_access(node),)
        case "group":
            return texts(node.get("group") or config.get("group"))
        case "package":
            return texts(node.get("package_name"))
        case "resource_type":
            return texts(node.get("resource_type"))
        case "source":
            source = node.get("source_name")
            return (str(source), f"{source}.{node['name']}") if source else ()
        case "tag":
            return (*texts(node.get("tags")), *texts(config.get("tags")))
        case _:
            return (str(node["name"]), ".".join(map(str, node.get("fqn") or ())))
