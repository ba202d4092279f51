"""Decides which columns are hidden: flagged in YAML, named like a secret, or derived from such a
column.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from t2s_dbt.catalog import HiddenColumn, Relation
from t2s_dbt.project.lineage import derived_columns
from t2s_dbt.project.tables import hints, relation_of

Node = Mapping[str, Any]
ColumnTypes = Mapping[Relation, Mapping[str, str]]

_FLAGS = ("pii", "contains_pii", "is_pii", "sensitive", "hidden")


@dataclass(frozen=True)
class Policy:
    """The hidden columns, lower-cased, by relation; the record of why; and what could not be
    told.
    """

    columns: Mapping[Relation, frozenset[str]]
    report: tuple[HiddenColumn, ...]
    notes: tuple[str, ...]


def make_policy(
    manifest: Mapping[str, Any], types: ColumnTypes, dialect: str, hidden_names: Iterable[str]
) -> Policy:
    """The columns that must not be seen, and those that are made of them.

    A column that is flagged `false` (`meta.t2s.pii: false`: a count, a hash, a year) is declared
    harmless: neither its name nor its origin hides it.
    """
    secret = _secret_pattern(hidden_names)
    nodes = [*_enabled(manifest), *(manifest.get("sources") or {}).values()]
    walk = _Walk(manifest, types, dialect)
    for node in nodes:
        for column, reason in _own_columns(node, types, secret):
            walk.hide(node, column, reason)
    return walk.follow()


def _enabled(manifest: Mapping[str, Any]) -> Iterable[Node]:
    """Models (ephemeral ones too), seeds and snapshots."""
    for node in (manifest.get("nodes") or {}).values():
        if node.get("resource_type") in ("model", "seed", "snapshot"):
            yield node


def _own_columns(
    node: Node, types: ColumnTypes, secret: re.Pattern[str] | None
) -> Iterable[tuple[str, str]]:
    """Columns of a node that are hidden by themselves, and why."""
    documented = {str(c["name"]).lower(): c for c in (node.get("columns") or {}).values()}
    known = [name.lower() for name in types.get(relation_of(node), ())]
    for name in dict.fromkeys([*documented, *known]):
        flag = _flag(documented.get(name, {}))
        if flag:
            yield name, "flagged in its YAML"
        elif flag is None and secret and secret.search(name):
            yield name, "named like a secret"


def _flag(column: Node) -> bool | None:
    """Whether YAML flags a column as hidden (True), as harmless (False), or says nothing (None)."""
    config = column.get("config") or {}
    metas = [hints(column), config.get("meta") or {}, column.get("meta") or {}]
    for meta in metas:
        for name in _FLAGS:
            if name in meta:
                return bool(meta[name])
    tags = {str(tag).lower() for tag in (*(column.get("tags") or ()), *(config.get("tags") or ()))}
    return True if tags & {"pii", "sensitive"} else None


def _secret_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    parts = [re.escape(name.lower()) for name in names]
    return re.compile(rf"(?:^|_)(?:{'|'.join(parts)})s?(?:_|$)") if parts else None


def _harmless(node: Node) -> set[str]:
    """Columns that the YAML of a model declares harmless."""
    columns = (node.get("columns") or {}).values()
    return {str(column["name"]).lower() for column in columns if _flag(column) is False}


class _Walk:
    """Follows hidden columns downstream, one model after another in the order of the graph."""

    def __init__(self, manifest: Mapping[str, Any], types: ColumnTypes, dialect: str) -> None:
        self._types, self._dialect = types, dialect
        self._nodes: dict[str, Node] = {
            **(manifest.get("nodes") or {}),
            **(manifest.get("sources") or {}),
        }
        self._children: Mapping[str, list[str]] = manifest.get("child_map") or {}
        self._hidden: dict[Relation, dict[str, HiddenColumn]] = {}
        self._start: dict[str, None] = {}
        self._notes: list[str] = []

    def hide(self, node: Node, column: str, reason: str) -> bool:
        """Records a column as hidden; False when it already was."""
        relation = relation_of(node)
        known = self._hidden.setdefault(relation, {})
        if column in known:
            return False
        known[column] = HiddenColumn(relation, str(node["name"]), column, reason)
        self._start[node["unique_id"]] = None
        return True

    def follow(self) -> Policy:
        """The policy once nothing new is found downstream."""
        queue = deque(self._start)
        while queue:
            for child_id in self._children.get(queue.popleft(), ()):
                node = self._nodes.get(child_id)
                if node is None or node.get("resource_type") not in ("model", "snapshot"):
                    continue
                if self._derive(node):
                    queue.append(child_id)
        report = [hidden for known in self._hidden.values() for hidden in known.values()]
        columns = {relation: frozenset(known) for relation, known in self._hidden.items()}
        notes = tuple(dict.fromkeys(self._notes))
        return Policy(columns, tuple(sorted(report, key=lambda h: (h.table, h.column))), notes)

    def _derive(self, node: Node) -> bool:
        """Hides the columns of a model that are made of hidden ones; whether any was new."""
        hidden = {relation: frozenset(known) for relation, known in self._hidden.items()}
        sql = node.get("compiled_code")
        found = derived_columns(sql, self._dialect, hidden, self._types) if sql else None
        if found is None:
            return self._same_names(node, hidden)
        harmless, changed = _harmless(node), False
        for derived in found:
            if derived.column.lower() not in harmless:
                reason = f"made of {derived.source.identifier}.{derived.source_column}"
                changed |= self.hide(node, derived.column.lower(), reason)
        return changed

    def _same_names(self, node: Node, hidden: Mapping[Relation, frozenset[str]]) -> bool:
        """Without lineage, columns that are named like a hidden one upstream are hidden."""
        parents = (node.get("depends_on") or {}).get("nodes", ())
        upstream = {relation_of(self._nodes[p]) for p in parents if p in self._nodes}
        names = {name for relation in upstream for name in hidden.get(relation, ())}
        own = {str(name).lower() for name in node.get("columns") or ()}
        own |= {name.lower() for name in self._types.get(relation_of(node), ())}
        own -= _harmless(node)
        self._notes.append(
            f"column lineage of {node['name']} cannot be told; its columns named like a hidden one "
            "are hidden (dbt compile writes the SQL that lineage needs)"
        )
        new = [name for name in names & own if self.hide(node, name, "named like a hidden column")]
        return bool(new)
