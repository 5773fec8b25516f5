"""Refuses YAML that is small and stands for something huge: nested without end, or growing by its aliases.

The library calls itself for each level, until the process has no stack left; so the parser's events are looked at first.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import yaml

DEEPEST = 64
"""Levels of a document (our choice: specifications have eight)."""

MOST_VALUES = 100_000
"""Values of a document if each alias is a copy (our choice: twenty times those of the longest specification)."""


class _Made(NamedTuple):
    """How many levels a node has, and how many values."""

    levels: int = 1
    values: int = 1


@dataclass
class _Begun:
    """A list or a mapping whose end has not come."""

    anchor: str
    levels: int = 1
    values: int = 1


def refuse_unbounded(events: Iterable[yaml.Event]) -> None:
    """Go through a document's events.

    Raises:
        ValueError: It is nested too deeply, or has too many values.
    """
    begun = [_Begun("")]
    known: dict[str, _Made] = {}
    for event in events:
        match event:
            case yaml.CollectionStartEvent():
                begun.append(_Begun(event.anchor or ""))
                _add(_Made(0, 0), begun, event)
            case yaml.CollectionEndEvent():
                ended = begun.pop()
                known[ended.anchor] = _Made(ended.levels, ended.values)
                _add(known[ended.anchor], begun, event)
            case yaml.AliasEvent():
                _add(known.get(event.anchor, _Made()), begun, event)
            case yaml.ScalarEvent():
                _add(_Made(), begun, event)


def _add(made: _Made, begun: list[_Begun], event: yaml.Event) -> None:
    within = begun[-1]
    within.levels = max(within.levels, 1 + made.levels)
    within.values += made.values
    line = f"line {event.start_mark.line + 1}"
    if len(begun) + made.levels > DEEPEST:
        raise ValueError(f"{line}: nested more than {DEEPEST} levels deep")
    if within.values > MOST_VALUES:
        raise ValueError(f"{line}: more than {MOST_VALUES:,} values, each alias counted as what it stands for")
