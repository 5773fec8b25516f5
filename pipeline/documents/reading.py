"""Reads YAML files: into plain data, keys that stand twice noted, and that into documents, all problems collected.

YAML that is small and stands for something huge, nested without end or growing by its aliases, is refused: the library calls
itself for each level, until the process has no stack left; so the parser's events are looked at first.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import yaml
from pydantic import ValidationError

from pipeline.documents.document import Scope, adapter
from pipeline.documents.problems import DocumentProblem, Place, problem, problems_of
from pipeline.errors import SpecError, near_path
from pipeline.small_files import content_of, refuse_key

T = TypeVar("T")

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader that is written in C, where PyYAML has it: each table of a build reads the specification."""


@dataclass(frozen=True)
class Reader(Scope):
    """Reads values of declared types; `problems` fills up."""

    problems: list[DocumentProblem] = field(default_factory=list)
    digest: str = ""
    """SHA-256 of the file's bytes."""

    def read(self, declared: type[T], value: Any, place: Place) -> T | None:
        """Return the value as the declared type, or None and its problems noted."""
        try:
            return cast("T", adapter(cast("Any", declared)).validate_python(value, context=self))
        except ValidationError as error:
            self.problems.extend(one.at((*place, *one.place)) for one in problems_of(error))
            return None

    def refuse(self, place: Place, found: object, allowed: str) -> None:
        """Note a problem."""
        self.problems.append(problem(place, found, allowed))


def load(path: Path) -> tuple[Any, list[DocumentProblem], str]:
    """Return what a YAML file holds, its keys that stand twice in one mapping, and the digest of its bytes.

    Raises:
        SpecError: The file cannot be read, or is not YAML.
        KeyFileError: It may be a key.
    """
    try:
        content = content_of(path)
        refuse_key(path, content)
        text, digest = content.decode(), hashlib.sha256(content).hexdigest()
        refuse_unbounded(yaml.parse(text, Loader=_Loader))
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, [], digest
        return loader.construct_document(node), list(_repeated(node, (), set())), digest
    except OSError as error:
        otherwise = f"give the path of a YAML file{near_path(path)}"
        raise SpecError(f"{path}: cannot be read ({error.strerror}); {otherwise}") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # ValueError: a date like 2022-13-45
        raise SpecError(f"{path}: is not YAML; {' '.join(str(error).split())}") from error


def _repeated(node: yaml.Node, place: Place, seen: set[int]) -> Iterator[DocumentProblem]:
    """Yield every key that stands twice; a node that stands in itself is looked at once."""
    if id(node) in seen:
        return
    seen.add(id(node))
    names: list[str] = []
    for step, child in _children(node):
        if step in names:
            yield problem((*place, step), f"twice, line {child.start_mark.line + 1}", "each key once")
        names.extend([step] if isinstance(step, str) else [])
        yield from _repeated(child, (*place, step), seen)


def _children(node: yaml.Node) -> Iterator[tuple[str | int, yaml.Node]]:
    if isinstance(node, yaml.SequenceNode):
        yield from enumerate(node.value)
    if isinstance(node, yaml.MappingNode):
        yield from ((str(name.value), child) for name, child in node.value)


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
    """Raise `ValueError` if a document, of which these are the events, is nested too deeply or has too many values."""
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
