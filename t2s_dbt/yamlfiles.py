"""Reads YAML files that people write, and says where they are broken."""

from pathlib import Path
from typing import Any

import yaml

from t2s_dbt.errors import T2SError

# The parser in C, where PyYAML was built with it, is ten times as fast.
_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def compose(path: Path, error: type[T2SError]) -> yaml.Node | None:
    """The tree of a YAML file, with line numbers; None when it holds nothing.

    Raises:
        T2SError: of the kind `error`, with file and line, when it is no UTF-8 text or broken.
    """
    try:
        node = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=_PARSER)
    except UnicodeDecodeError as bad:
        raise error("is not UTF-8 text", path=path, hint="Save the file as UTF-8.") from bad
    except yaml.YAMLError as bad:
        mark = getattr(bad, "problem_mark", None)
        problem = getattr(bad, "problem", None) or "it cannot be parsed"
        line = mark.line + 1 if mark else None
        hint = "Mend the YAML at that line."
        raise error(f"broken YAML: {problem}", path=path, line=line, hint=hint) from bad
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return None
    return node


def construct(node: yaml.Node, path: Path, error: type[T2SError]) -> Any:
    """The value of a node; raises T2SError of the kind `error` when YAML cannot make it."""
    try:
        return yaml.SafeLoader("").construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError) as bad:
        line = node.start_mark.line + 1
        raise error("holds a value that cannot be read", path=path, line=line) from bad


def load(path: Path, error: type[T2SError]) -> Any:
    """The value of a whole file; None when it holds nothing."""
    node = compose(path, error)
    return None if node is None else construct(node, path, error)
