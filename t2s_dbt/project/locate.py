"""Finds the line on which a project's YAML defines something, when an answer needs to point
there.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml

from t2s_dbt import yamlfiles
from t2s_dbt.catalog import Location
from t2s_dbt.errors import ProjectError


def locate(location: Location, folder: Path, section: str, name: str) -> Location:
    """The location with the line of `- name: NAME` under a `SECTION:` list; as it was when not
    found.

    `section` is `metrics` or `models`; metrics may be listed at the top of a file or under a model.
    """
    path = folder / location.path
    if path.suffix not in (".yml", ".yaml"):
        return Location(location.path, 1) if path.is_file() else location
    try:
        root = yamlfiles.compose(path, ProjectError)
    except (OSError, ProjectError):
        return location
    line = next(_lines(root, section, name), None) if root is not None else None
    return Location(location.path, line)


def _lines(node: yaml.Node, section: str, name: str) -> Iterator[int]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == section and isinstance(value, yaml.SequenceNode):
                for entry in value.value:  # its own lists hold references, not definitions
                    yield from _named(entry, name)
            else:
                yield from _lines(value, section, name)
    elif isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            yield from _lines(entry, section, name)


def _named(entry: yaml.Node, name: str) -> Iterator[int]:
    if isinstance(entry, yaml.MappingNode):
        for key, value in entry.value:
            if key.value == "name" and value.value == name:
                yield int(key.start_mark.line) + 1
