"""Decides which columns and models are hidden: flagged in YAML, named like a secret, or derived
from such a column.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from t2s_dbt.catalog import HiddenColumn, Relation
from t2s_dbt.project.lineage import derived_columns
from t2s_dbt.project.marks import Marks
from t2s_dbt.project.modelsql import model_sql
from t2s_dbt.project.tables import is_file_source, relation_of

Node = Mapping[str, Any]
ColumnTypes = Mapping[Relation, Mapping[str, str]]

_FLAGGED = "flagged in its YAML"


@dataclass(frozen=True)
class Policy:
    """The hidden columns, lower-cased, by relation; the ids of hidden models; the record of why;
    and what could not be told.
    """

    columns: Mapping[Relation, frozenset[str]]
    models: frozenset[str]
    report: tuple[HiddenColumn, ...]
    notes: tuple[str, ...]


def make_policy(
    manifest: Mapping[str, Any], types: ColumnTypes, dialect: str, marks: Marks
) -> Policy:
    """The columns and models that must not be seen, and the columns that are made of them.

    A column that is flagged `false` (`meta.t2s.pii: false`: a count, a hash, a year) is declared
    harmless: neither its name nor its origin hides it. A flagged model hides all its columns and
    itself, unless it says which of its columns are meant. One that is only `hidden` is not offered;
    what is made of it is.
    """
    nodes = [*_enabled(manifest), *(manifest.get("sources") or {}).values()]
    walk = _Walk(manifest, types, dialect, marks)
    hidden: set[str] = set()
    for node in nodes:
        columns = _own_columns(node, types, marks)
        if marks.hides_model(node):
            hidden.add(node["unique_id"])
        if marks.flags_model(node) and _FLAGGED not in columns.values():
            hidden.add(node["unique_id"])
            rest = _all_columns(node, types) - _harmless(node, marks)
            columns = {**dict.fromkeys(rest, "its model is flagged"), **columns}
        for column, reason in columns.items():
            walk.hide(node, column, reason)
    return walk.follow(frozenset(hidden))


def _enabled(manifest: Mapping[str, Any]) -> Iterable[Node]:
    """Models (ephemeral ones too), seeds and snapshots."""
    for node in (manifest.get("nodes") or {}).values():
        if node.get("resource_type") in ("model", "seed", "snapshot"):
            yield node


def _own_columns(node: Node, types: ColumnTypes, marks: Marks) -> dict[str, str]:
    """Columns of a node that are hidden by themselves, lower-cased, and why."""
    documented = {str(c["name"]).lower(): c for c in (node.get("columns") or {}).values()}
    spelled = {name.lower(): name for name in types.get(relation_of(node), ())}
    spelled |= {name: str(column["name"]) for name, column in documented.items()}
    found: dict[str, str] = {}
    for name in dict.fromkeys([*documented, *spelled]):
        flag = marks.flag(documented.get(name, {}))
        if flag:
            found[name] = _FLAGGED
        elif flag is None and marks.names_secret(spelled[name]):
            found[name] = "named like a secret"
    return found


def _all_columns(node: Node, types: ColumnTypes) -> set[str]:
    documented = {str(column["name"]).lower() for column in (node.get("columns") or {}).values()}
    return documented | {name.lower() for name in types.get(relation_of(node), ())}


def _harmless(node: Node, marks: Marks) -> set[str]:
    """Columns that the YAML of a model declares harmless."""
    columns = (node.get("columns") or {}).values()
    return {str(column["name"]).lower() for column in columns if marks.flag(column) is False}


class _Walk:
    """Follows hidden columns downstream, one model after another in the order of the graph."""

    def __init__(
        self, manifest: Mapping[str, Any], types: ColumnTypes, dialect: str, marks: Marks
    ) -> None:
        self._types, self._dialect, self._marks = types, dialect, marks
        self._nodes: dict[str, Node] = {
            **(manifest.get("nodes") or {}),
            **(manifest.get("sources") or {}),
        }
        self._relations = [relation_of(node) for node in self._nodes.values() if "name" in node]
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

    def follow(self, hidden_models: frozenset[str]) -> Policy:
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
        report.sort(key=lambda hidden: (hidden.table, hidden.column))
        return Policy(columns, hidden_models, tuple(report), notes)

    def _derive(self, node: Node) -> bool:
        """Hides the columns of a model that are made of hidden ones; whether any was new."""
        hidden = {relation: frozenset(known) for relation, known in self._hidden.items()}
        sql = model_sql(node, self._nodes)
        told = (hidden, self._types, self._relations, self._file(node))
        found = derived_columns(sql, self._dialect, *told) if sql else None
        if found is None:
            return self._unknown(node)
        harmless, changed = _harmless(node, self._marks), False
        for derived in found:
            if derived.column.lower() not in harmless:
                reason = f"made of {derived.source.identifier}.{derived.source_column}"
                changed |= self.hide(node, derived.column.lower(), reason)
        return changed

    def _file(self, node: Node) -> Relation | None:
        """The one parent that is a file."""
        parents = (node.get("depends_on") or {}).get("nodes", ())
        found = [self._nodes[p] for p in parents if p in self._nodes]
        files = [relation_of(parent) for parent in found if is_file_source(parent)]
        return files[0] if len(files) == 1 else None

    def _unknown(self, node: Node) -> bool:
        """Without lineage, every column is hidden that no parent shows under the same name."""
        shown: set[str] = set()
        hidden: set[str] = set()
        for parent_id in (node.get("depends_on") or {}).get("nodes", ()):
            if parent_id in self._nodes:
                parent = self._nodes[parent_id]
                taken = set(self._hidden.get(relation_of(parent), {}))
                shown |= _all_columns(parent, self._types) - taken
                hidden |= taken
        self._notes.append(
            f"column lineage of {node['name']} cannot be told; its columns that no parent shows "
            "are hidden (`dbt compile` writes the SQL that lineage needs, `pii: false` shows one)"
        )
        own = _all_columns(node, self._types) - _harmless(node, self._marks)
        new = [n for n in own - (shown - hidden) if self.hide(node, n, "its origin is not known")]
        return bool(new)
