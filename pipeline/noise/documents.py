"""Reads plain YAML data into typed frozen dataclasses, collecting every problem with its place.

What the types mean belongs to whoever declares them: a dataclass says its fields by annotations, constraints stand in
`Annotated`, and what two fields demand of each other in a method `refusals`, or in `exactly_one_of` where one of several
fields must be given. The same as a JSON Schema belongs to `json_schema.py`. This file knows no noise.
"""

import dataclasses
import difflib
import re
import reprlib
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeVar, runtime_checkable

import polars as pl
import yaml

from pipeline.model import Environment

T = TypeVar("T")
Place = tuple[str | int, ...]

_TEXT_KINDS = {str: "a text (quote it)", bool: "true or false", int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Refusal:
    """A field ("" for the whole object) whose value contradicts another or the environment, and what is allowed."""

    field: str
    found: object
    allowed: str


@runtime_checkable
class Checked(Protocol):
    """A dataclass that has more to say about its values than their types do."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Yield what is wrong with the object, given an environment."""
        ...


@runtime_checkable
class Alternatives(Protocol):
    """A dataclass of which exactly one of several optional fields must be given."""

    exactly_one_of: ClassVar[tuple[str, ...]]
    """The fields, by their names in YAML."""


class Constraint(Protocol):
    """What `Annotated` may say about a value."""

    def allowed(self, value: Any, names: "Names", /) -> str | None:
        """Return what would be allowed if the value is not, else None."""
        ...

    def schema(self, type_: str, /) -> Mapping[str, Any]:
        """Return the same in the keywords of JSON Schema, of a value of a JSON type; nothing where they cannot say it."""
        ...


Names = Mapping[str, Collection[str] | None]
"""What may be named, by what it is (`table`, `column`, ...); None where it cannot be known."""


@dataclass(frozen=True)
class Known:
    """The value names something that exists."""

    what: str

    def allowed(self, value: str, names: Names) -> str | None:
        """Return the names that exist if the value is not one of them."""
        known = names[self.what]
        if known is None or value in known:
            return None
        return one_of(known, value) if known else f"nothing: no {self.what} is declared"

    def schema(self, _type: str) -> Mapping[str, Any]:
        """Return nothing: which names exist depends on the environment."""
        return {}


@dataclass(frozen=True)
class Share:
    """The value is a number from 0 to 1, both included."""

    def allowed(self, value: float, _names: Names) -> str | None:
        """Return the bounds if the value is outside."""
        return None if 0 <= value <= 1 else "a number from 0 to 1"

    def schema(self, _type: str) -> Mapping[str, Any]:
        """Return the bounds."""
        return {"minimum": 0, "maximum": 1}


@dataclass(frozen=True)
class NotEmpty:
    """The value has at least one character or item, and no item twice."""

    def allowed(self, value: Collection[object], _names: Names) -> str | None:
        """Return what is missing if the value is empty or repeats itself."""
        if not value:
            return "at least one"
        return "each once" if isinstance(value, tuple) and len(set(value)) < len(value) else None

    def schema(self, type_: str) -> Mapping[str, Any]:
        """Return the least size."""
        least = {"string": "minLength", "array": "minItems", "object": "minProperties"}[type_]
        return {least: 1, "uniqueItems": True} if type_ == "array" else {least: 1}


@dataclass(frozen=True)
class Pattern:
    """The value is a regular expression that polars compiles (Rust syntax, no look-around)."""

    def allowed(self, value: str, _names: Names) -> str | None:
        """Return what it should be if it does not compile."""
        try:
            pl.Series([""]).str.contains(value)
        except pl.exceptions.ComputeError:
            return "a regular expression in Rust's syntax (no look-around, no back-references)"
        return None

    def schema(self, _type: str) -> Mapping[str, Any]:
        """Return nothing: JSON Schema's regular expressions are of another syntax."""
        return {}


Text = Annotated[str, NotEmpty()]


def duplicate_keys(node: yaml.Node, place: Place = (), seen: set[int] | None = None) -> Iterator[tuple[Place, str]]:
    """Yield the place of every key that stands twice in one YAML mapping."""
    seen = set() if seen is None else seen
    if id(node) in seen:
        return
    seen.add(id(node))
    for step, child, is_repeated in _children(node):
        if is_repeated:
            yield (*place, step), f"line {child.start_mark.line + 1}"
        yield from duplicate_keys(child, (*place, step), seen)


@dataclass(frozen=True)
class Reader:
    """Reads values of declared types; `problems` fills up with (place, found, allowed)."""

    names: Names
    environment: Environment
    problems: list[tuple[Place, str, str]] = field(default_factory=list)

    def read(self, expected: Any, value: Any, place: Place) -> Any:
        """Return the value as the expected type, or None and a problem noted."""
        if expected is Any:
            return value
        if dataclasses.is_dataclass(expected):
            return self._object(typing.cast("type[Any]", expected), value, place)
        readings = {
            Annotated: self._constrained,
            Literal: self._choice,
            Mapping: self._entries,
            tuple: self._items,
            types.UnionType: self._one_of,
            typing.Union: self._one_of,  # what Python makes of `Annotated[...] | None`
        }
        reading = readings.get(typing.get_origin(expected))
        return reading(typing.get_args(expected), value, place) if reading else self._scalar(expected, value, place)

    def refuse(self, place: Place, found: object, allowed: str) -> None:
        """Note a problem."""
        self.problems.append((place, reprlib.repr(found), allowed))

    def lines(self) -> list[str]:
        """Return every problem as one line, in the order of their places."""
        ordered = sorted({(path(place), found, allowed) for place, found, allowed in self.problems}, key=_natural)
        return [f"{place}: found {found}; allowed: {allowed}" for place, found, allowed in ordered]

    def _constrained(self, arguments: Sequence[Any], value: Any, place: Place) -> Any:
        base, *constraints = arguments
        problems_before = len(self.problems)
        result = self.read(base, value, place)
        if len(self.problems) > problems_before:
            return None
        for constraint in constraints:
            allowed = constraint.allowed(result, self.names)
            if allowed is not None:
                self.refuse(place, value, allowed)
        return result

    def _choice(self, allowed: Sequence[Any], value: Any, place: Place) -> Any:
        return value if value in allowed else self.refuse(place, value, one_of(allowed, value, is_sorted=False))

    def _one_of(self, options: Sequence[Any], value: Any, place: Place) -> Any:
        some = [option for option in options if option is not types.NoneType]
        if len(some) == 1:
            return self.read(some[0], value, place)
        by_type = {option.type: option for option in some}
        if not isinstance(value, Mapping):
            return self.refuse(place, value, f"a mapping with `type`: {', '.join(sorted(by_type))}")
        tag = value.get("type")
        if not isinstance(tag, str) or tag not in by_type:
            return self.refuse((*place, "type"), tag, one_of(by_type, tag))
        return self.read(by_type[tag], {name: item for name, item in value.items() if name != "type"}, place)

    def _items(self, arguments: Sequence[Any], value: Any, place: Place) -> Any:
        if not isinstance(value, list):
            return self.refuse(place, value, "a list")
        return tuple(self.read(arguments[0], item, (*place, index)) for index, item in enumerate(value))

    def _entries(self, arguments: Sequence[Any], value: Any, place: Place) -> Any:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            return self.refuse(place, value, "a mapping whose keys are texts (quote them)")
        keys, items = arguments
        return {self.read(keys, name, (*place, name)): self.read(items, value[name], (*place, name)) for name in value}

    def _scalar(self, expected: type, value: Any, place: Place) -> Any:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if expected is float and is_number:
            return float(value)
        return value if type(value) is expected else self.refuse(place, value, _TEXT_KINDS[expected])

    def _object(self, expected: type[T], value: Any, place: Place) -> T | None:
        fields = {yaml_name(item): item for item in dataclasses.fields(expected)}  # type: ignore[arg-type]
        if not isinstance(value, Mapping):
            self.refuse(place, value, f"a mapping of {', '.join(fields)}")
            return None
        problems_before = len(self.problems)
        for name in value.keys() - fields.keys():
            allowed = f"only the fields {', '.join(fields)}{_suggestion(fields, name)}"
            self.refuse((*place, str(name)), value[name], allowed)
        hints = typing.get_type_hints(expected, include_extras=True)
        given = {
            item.name: self.read(hints[item.name], value[name], (*place, name))
            for name, item in fields.items()
            if self._is_there(item, name, value, place)
        }
        return self._checked(expected, given, place) if len(self.problems) == problems_before else None

    def _is_there(self, item: "dataclasses.Field[Any]", name: str, value: Mapping[str, Any], place: Place) -> bool:
        is_required = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        if name not in value and is_required:
            self.problems.append(((*place, name), "nothing", "a value, the field is required"))
        return name in value

    def _checked(self, make: Callable[..., T], given: Mapping[str, Any], place: Place) -> T:
        made = make(**given)
        if isinstance(made, Alternatives):
            self._refuse_not_one(made, place)
        if isinstance(made, Checked):
            for refusal in made.refusals(self.environment):
                self.refuse((*place, refusal.field) if refusal.field else place, refusal.found, refusal.allowed)
        return made

    def _refuse_not_one(self, made: Alternatives, place: Place) -> None:
        fields = {yaml_name(item): item.name for item in dataclasses.fields(made)}  # type: ignore[arg-type]
        given = [name for name in made.exactly_one_of if getattr(made, fields[name]) is not None]
        if len(given) != 1:
            found = ", ".join(given) or "none of them"
            self.refuse(place, found, f"exactly one of {', '.join(made.exactly_one_of)}")


def one_of(known: Iterable[str], found: object, *, is_sorted: bool = True) -> str:
    """Return what is allowed as text: one of the known names, and the nearest where the one found looks misspelt."""
    names = sorted(known) if is_sorted else list(known)
    return f"one of {', '.join(names)}{_suggestion(names, found)}"


def path(place: Place) -> str:
    """Return a place as people write it: `rules[2].mechanism.rate`."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return steps.removeprefix(".") or "(the whole file)"


def yaml_name(item: "dataclasses.Field[Any]") -> str:
    """Return a field's name in YAML: a trailing underscore keeps Python's keywords apart (`in_` is `in`)."""
    return item.name.removesuffix("_")


def _suggestion(known: Iterable[str], found: object) -> str:
    near = difflib.get_close_matches(found, list(known), n=1) if isinstance(found, str) else []
    return f" (did you mean {near[0]}?)" if near else ""


def _natural(line: tuple[str, str, str]) -> tuple[str, ...]:
    return (re.sub(r"\d+", lambda number: number[0].zfill(9), line[0]), *line[1:])


def _children(node: yaml.Node) -> Iterator[tuple[str | int, yaml.Node, bool]]:
    if isinstance(node, yaml.SequenceNode):
        yield from ((index, child, False) for index, child in enumerate(node.value))
    if isinstance(node, yaml.MappingNode):
        names = [str(name.value) for name, _ in node.value]
        yield from ((name, node.value[i][1], name in names[:i]) for i, name in enumerate(names))
