"""What marks a column or model as one that must not be seen: flags in YAML, and secrets' names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from t2s_dbt.project.tables import hints, texts

Node = Mapping[str, Any]

# Keys of `meta` whose value names a class of data: `classification: pii`.
_CLASSES = frozenset(
    "classification data_classification sensitivity privacy data_privacy data_class".split()
)
# Keys whose being there at all says that a column is protected: BigQuery's and Snowflake's.
_PROTECTED = frozenset({"policy_tags", "masking_policy"})
_NO = frozenset({"", "false", "no", "none", "0", "n", "off", "public", "null"})


# Where a name is parted into words: at signs, and at the humps of camel case.
_PARTED = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Marks:
    """What marks a column as hidden: `flags` are keys of `meta` and tags, `secrets` parts of
    names.
    """

    flags: frozenset[str]
    secrets: re.Pattern[str] | None

    @classmethod
    def of(cls, flags: Iterable[str], names: Iterable[str]) -> "Marks":
        """The marks of these settings."""
        parts = "|".join(re.escape(name.lower()) for name in names)
        pattern = re.compile(rf"(?:^|_)(?:{parts})(?:s|\d+)?(?:_|$)") if parts else None
        return cls(frozenset(map(_folded, flags)), pattern)

    def names_secret(self, name: str) -> bool:
        """Whether a column is named like a secret: `user_password`, `apiKey`."""
        spellings = (_PARTED.sub("_", name).lower(), name.lower())
        return self.secrets is not None and any(map(self.secrets.search, spellings))

    def flag(self, node: Node) -> bool | None:
        """Whether YAML flags a column or model as hidden (True), as harmless (False), or says
        nothing (None).
        """
        own = self._in_meta(hints(node))
        if own is not None:
            return own  # only our own hint can say that a column is harmless
        config = node.get("config") or {}
        if self._in_meta(config.get("meta") or {}) or self._in_meta(node.get("meta") or {}):
            return True
        if any(_says_yes(holder.get(key)) for holder in (node, config) for key in _PROTECTED):
            return True
        tags = {_folded(tag) for tag in (*texts(node.get("tags")), *texts(config.get("tags")))}
        return True if tags & self.flags else None

    def hides_model(self, node: Node) -> bool:
        """Whether a model is not to be offered, whatever its data are."""
        metas = (hints(node), (node.get("config") or {}).get("meta") or {}, node.get("meta") or {})
        found = next((meta["hidden"] for meta in metas if "hidden" in meta), False)
        return _says_yes(found)

    def flags_model(self, node: Node) -> bool:
        """Whether a model is flagged as a whole; to be `hidden` says nothing about its data."""
        return bool(replace(self, flags=self.flags - {"hidden"}).flag(node))

    def _in_meta(self, meta: Mapping[str, Any]) -> bool | None:
        """What one map says; of several flags in it, one that hides is stronger."""
        said = [found for entry in meta.items() if (found := self._in_entry(*entry)) is not None]
        return any(said) if said else None

    def _in_entry(self, key: object, value: Any) -> bool | None:
        name = _folded(key)
        if name in self.flags:
            return _says_yes(value)
        if isinstance(value, Mapping):
            return None if name == "t2s" else self._in_meta(value)
        protected = name in _PROTECTED and _says_yes(value)
        classed = name in _CLASSES and {_folded(text) for text in texts(value)} & self.flags
        return True if protected or classed else None


def _folded(name: object) -> str:
    return str(name).strip().lower().replace("-", "_").replace(" ", "_")


def _says_yes(value: Any) -> bool:
    """Whether a flag's value sets it: `true`, `email`, `[name]`, but not `false` or `none`."""
    return bool(value) and _folded(value) not in _NO
