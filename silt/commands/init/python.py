"""Writes parts of a declaration as Python: dataclasses with the fields that are not defaults, with notes as comments."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

_WIDTH = 118
_STEP = "    "


class Writing:
    """Writes values, some by a name that they have in the file."""

    def __init__(self, notes: Mapping[int, Sequence[str]], names: Mapping[int, str]) -> None:
        self._notes, self._names = notes, names
        self.used: set[str] = set()
        """What the file has to import."""

    def source(self, value: object, indent: str = "") -> str:  # noqa: PLR0911  (a type each)
        """Return a value as Python; notes of its parts stand above them, so that such a value takes several lines."""
        if id(value) in self._names:
            return self._names[id(value)]
        if is_dataclass(value) and not isinstance(value, type):
            self.used.add(type(value).__name__)
            return self._call(type(value).__name__, list(_given(value)), indent)
        if isinstance(value, Mapping):
            pairs = ", ".join(f"{self.source(key)}: {self.source(each)}" for key, each in value.items())
            return f"{{{pairs}}}"
        if isinstance(value, frozenset):
            return f"frozenset({self.source(tuple(sorted(value))) if value else ''})"
        if isinstance(value, tuple):
            return self._tuple(value, indent)
        if isinstance(value, Enum):
            self.used.add(type(value).__name__)
            return f"{type(value).__name__}.{value.name}"
        if isinstance(value, Fraction):
            return f"Fraction({value.numerator}, {value.denominator})"
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)

    def comments(self, value: object, indent: str) -> str:
        """Return the notes of a value as comments, a line each."""
        return "".join(f"{indent}# {note}\n" for note in self._notes.get(id(value), ()))

    def _call(self, name: str, given: Sequence[tuple[str, object]], indent: str) -> str:
        inner = indent + _STEP
        parts = [(each, f"{field}={self.source(each, inner)}") for field, each in given]
        return self._listed(f"{name}(", parts, ")", indent)

    def _tuple(self, value: tuple[object, ...], indent: str) -> str:
        inner = indent + _STEP
        parts = [(each, text) for each in value if (text := self.source(each, inner))]
        short = f"({', '.join(text for _, text in parts)}{',' if len(parts) == 1 else ''})"
        return short if self._fits(short, parts, indent) else self._listed("(", parts, ")", indent)

    def _listed(self, start: str, parts: Sequence[tuple[object, str]], end: str, indent: str) -> str:
        short = f"{start}{', '.join(text for _, text in parts)}{end}"
        if self._fits(short, parts, indent):
            return short
        inner = indent + _STEP
        lines = "".join(f"{self.comments(each, inner)}{inner}{text},\n" for each, text in parts)
        return f"{start}\n{lines}{indent}{end}"

    def _fits(self, short: str, parts: Sequence[tuple[object, str]], indent: str) -> bool:
        has_notes = any(id(each) in self._notes and id(each) not in self._names for each, _ in parts)
        return "\n" not in short and not has_notes and len(indent) + len(short) <= _WIDTH


def _given(value: Any) -> Iterator[tuple[str, object]]:
    """Yield the fields of a dataclass that differ from what they are if they are left out."""
    for field in fields(value):
        found = getattr(value, field.name)
        if found != _default(field) and not _follows(value, field.name, found):
            yield field.name, found


def _default(field: "Field[Any]") -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _follows(value: Any, name: str, found: object) -> bool:
    """Say whether a field has what another field gives it if it is left out."""
    followed = {"file": "name", "to_columns": "columns", "sub_industry": "industry"}.get(name, "")
    return found == "all entities" or (bool(followed) and found == getattr(value, followed, None))
