"""The SQL of a model, for lineage."""

import re
from collections.abc import Mapping
from typing import Any

from t2s_dbt.project.tables import relation_of

Node = Mapping[str, Any]

_LEFT_OUT = re.compile(
    r"\{#.*?#\}"
    r"|\{\{\s*config\s*\(.*?\)\s*\}\}"
    r"|\{%-?\s*if\s+is_incremental\(\)\s*-?%\}\s*(?:where|and|or)\b(?:(?!\{%).)*\{%-?\s*endif\s*-?%\}",
    re.DOTALL | re.IGNORECASE,
)
_CALL = re.compile(
    r"\{\{-?\s*(ref|source)\(\s*['\"]([^'\"]+)['\"]\s*(?:,\s*['\"]([^'\"]+)['\"]\s*)?\)\s*-?\}\}"
)


def model_sql(node: Node, nodes: Mapping[str, Node]) -> str | None:
    """The compiled SQL of a model; None when there is none and its own text holds more Jinja than
    `ref`, `source`, `config` and conditions in `is_incremental` blocks.

    `dbt parse` writes no compiled SQL. What it leaves is enough to follow columns in most models.

    Args:
        node: the model, as the manifest has it.
        nodes: nodes and sources by id, to look up what it refers to.

    """
    if node.get("compiled_code"):
        return str(node["compiled_code"])
    if node.get("language") not in (None, "sql"):
        return None
    parents = [nodes[p] for p in (node.get("depends_on") or {}).get("nodes", ()) if p in nodes]
    unknown = False

    def relation(call: re.Match[str]) -> str:
        nonlocal unknown
        function, first, second = call.groups()
        name = second or first
        found = [
            parent
            for parent in parents
            if parent["name"] == name and (function == "ref" or parent.get("source_name") == first)
        ]
        if len(found) != 1:
            unknown = True
            return name
        place = relation_of(found[0])
        parts = (place.database, place.schema, place.identifier)
        return ".".join('"' + part.replace('"', '""') + '"' for part in parts if part)

    text = _CALL.sub(relation, _LEFT_OUT.sub(" ", str(node.get("raw_code") or "")))
    return None if unknown or not text.strip() or "{{" in text or "{%" in text else text
