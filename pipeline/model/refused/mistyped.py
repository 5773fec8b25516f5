"""What in a declaration is of another type than its field: found by the annotations, so that a new field is checked, too.

Python does not look at annotations: without this, `decimals=2.5` would end in the middle of a build, as a defect. Belongs here:
types alone, at any depth. What a value of the right type contradicts belongs to `contradictions.py`.
"""

import inspect
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from pipeline.errors import InputError
from pipeline.wording import counted

_PLAIN: Mapping[type, str] = {
    str: "a text",
    int: "a whole number of 64 bits",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
}
"""What is said of types that have no fields."""

_NAMING = ("name", "path", "table", "column", "output")
"""Fields that name an object of the model, the first that it has."""

_BEYOND = 2**63
"""The first number that 64 bits do not hold."""

_FIRST = 20
"""Problems that are reported; our choice."""


class _Place(NamedTuple):
    """A value in a declaration, the type that it has to be of, and where it is."""

    value: Any
    hint: Any
    where: str
    is_shown: bool = True
    """Whether the value may be shown: what names a company may not."""


def refuse_mistyped(declared: object) -> None:
    """Refuse an object of the model in which a value, at any depth, is of another type than its field.

    Raises:
        InputError: It is such an object. The message has a line for each value: where it is, what it is, what is allowed.
    """
    problems = list(_problems(_Place(declared, type(declared), type(declared).__name__)))
    if problems:
        more = [f"... and {len(problems) - _FIRST} more"] if len(problems) > _FIRST else []
        lines = "\n".join(f"  {line}" for line in (*problems[:_FIRST], *more))
        raise InputError(f"{counted(len(problems), 'value')} of another type than a declaration has there:\n{lines}")


def _problems(place: _Place) -> Iterator[str]:
    """Yield what is wrong with a value: that it is of another type, or what is wrong within it."""
    value, hint = place.value, place.hint
    if _are_plain((value,), hint):
        return
    alternatives = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    fitting = [each for each in alternatives if _fits(value, each)]
    if not fitting:
        allowed = " or ".join(_type_in_words(each) for each in alternatives)
        yield f"{place.where}: found {_shown(value) if place.is_shown else 'another value'}; allowed: {allowed}"
        return
    within = (place._replace(hint=each) for each in fitting)
    yield from min(([line for part in _parts(each) for line in _problems(part)] for each in within), key=len)


def _fits(value: Any, hint: Any) -> bool:  # noqa: PLR0911  (one a kind of type)
    """Say whether a value is of a type, whatever is within it."""
    origin, parts = get_origin(hint) or hint, get_args(hint)
    if origin is Any:
        return True
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in parts)
    if origin is Callable:
        return callable(value) and (not isinstance(parts[0], list) or _takes(value, len(parts[0])))
    if origin in (int, float):
        is_held = not isinstance(value, int) or -_BEYOND <= value < _BEYOND
        return isinstance(value, int | origin) and not isinstance(value, bool) and is_held
    if origin is str:
        return isinstance(value, StrEnum) or type(value) is str
    if origin is tuple and parts[1:] != (...,):
        return isinstance(value, tuple) and len(value) == len(parts)
    return isinstance(value, origin)


def _parts(place: _Place) -> Iterator[_Place]:
    """Yield what is within a value that is of its type, but for what is seen at once to be right."""
    value, where, parts = place.value, place.where, get_args(place.hint)
    if is_dataclass(value) and not isinstance(value, type):
        hints = _hints(type(value))
        for each in fields(value):
            yield _Place(getattr(value, each.name), hints[each.name], f"{where}.{each.name}", each.repr)
    elif isinstance(value, Mapping) and parts:
        if not (_are_plain(value.keys(), parts[0]) and _are_plain(value.values(), parts[1])):
            for key, each in value.items():
                yield _Place(key, parts[0], f"a key of {where}")
                yield _Place(each, parts[1], f"{where}[{_shown(key)}]")
    elif isinstance(value, tuple) and parts:
        of_each = parts[:1] * len(value) if parts[1:] == (...,) else parts
        if not (parts[1:] == (...,) and _are_plain(value, parts[0])):
            for number, (each, part) in enumerate(zip(value, of_each, strict=True)):
                yield _Place(each, part, f"{where}[{_called(each, number)}]")


@cache
def _hints(declared: type) -> Mapping[str, Any]:
    return get_type_hints(declared)


def _are_plain(values: Iterable[object], hint: Any) -> bool:
    """Say whether all values are of one type without fields, and no subclass: most are, and that is seen at once."""
    return hint in _PLAIN and hint is not int and {hint}.issuperset(map(type, values))


def _takes(called: Any, count: int) -> bool:
    """Say whether a function can be called with so many arguments; of some that are written in C, nobody knows."""
    try:
        inspect.signature(called).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _called(value: object, number: int) -> str:
    """Return by what one of several is found: by what names it, else by its number."""
    own = [each.name for each in fields(value)] if is_dataclass(value) and not isinstance(value, type) else []
    name = next((getattr(value, name) for name in _NAMING if name in own), None)
    return _shown(name) if isinstance(name, str) else str(number)


def _shown(value: object) -> str:
    """Return what a value is: in short if it is plain, else its type, for what an object prints may be anything."""
    return reprlib.repr(value) if type(value) in _PLAIN else f"a value of type {type(value).__name__}"


def _type_in_words(hint: Any) -> str:
    origin, parts = get_origin(hint) or hint, get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(map(repr, parts))}"
    if origin is Callable:
        return f"a function of {counted(len(parts[0]), 'argument')}" if isinstance(parts[0], list) else "a function"
    if origin is tuple:
        return "a tuple, as in (a, b) or (a,)" if parts[1:] == (...,) else f"a tuple of {len(parts)}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a dict"
    return _PLAIN.get(origin, getattr(origin, "__name__", str(origin)))
