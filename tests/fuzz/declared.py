"""Declarations that are wrong somewhere: a field of the model, at any depth, gets a random value of its type, or any other.

Fields and their types come from the model itself, so that a new field is tried without anybody thinking of it.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from math import inf, nan
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import polars as pl

from pipeline.model import Environment

Step = tuple[str, Any]
"""A field by its name, an item by its number, or a value by its key."""


class Untold:
    """Says nothing of itself."""

    def __repr__(self) -> str:
        raise ValueError

    __str__ = __repr__


class UntoldError(Exception):
    """An error that says nothing of itself."""

    __str__ = Untold.__repr__


def mutated(environment: Environment, source: random.Random) -> Environment:
    """Return the environment with some fields changed, two at most."""
    for _ in range(source.choice((1, 1, 2))):
        places = list(_places(environment, ()))
        kinds = sorted({type(owner).__name__ for _, owner in places})
        kind = source.choice(kinds)
        path, owner = source.choice([place for place in places if type(place[1]).__name__ == kind])
        field = source.choice(fields(owner))
        hint = get_type_hints(type(owner))[field.name]
        wanted = hint if source.random() < _OF_ITS_TYPE else Any
        value = _value(wanted, source, environment, 3)
        environment = _changed(environment, (*path, ("field", field.name)), value)
    return environment


# ----------------------------------------------------------------------------------------------------------------------

_OF_ITS_TYPE = 0.7
"""How often a value is of the type of its field: what is of another is refused by that alone."""

_TEXTS = (
    "",
    " ",
    "a",
    "*",
    "^.*$",
    "a/b",
    "../x",
    "\0",
    "\ud800",
    "\u202e",
    "商店",
    "x" * 10_000,
    "%Y",
    "(",
    "if",
    "1e999",
)
_NUMBERS = (0, -1, 1, 2, 5, 18, 19, 2**31, 2**63 - 1, 2**63, 2**64, 10**30, -(10**30))
_FLOATS = (0.0, -1.0, 0.5, 1e-300, 1e308, inf, -inf, nan)


def _raises(*_given: object) -> Any:
    raise UntoldError


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    _raises,
    lambda *given: given[0] if given else None,
    lambda *_: None,
    lambda *_: 1 // 0,
    lambda *_: pl.col("nothing"),
    lambda *_: pl.lit(1),
    lambda *_: pl.DataFrame({"a": [1]}),
    lambda *_: pl.LazyFrame({"a": [1]}),
    lambda *_: "text",
    lambda: pl.lit(value=True),
)


def _places(value: Any, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Yield every object of the model within a value, with the way to it."""
    if is_dataclass(value) and not isinstance(value, type):
        yield path, value
        for field in fields(value):
            yield from _places(getattr(value, field.name), (*path, ("field", field.name)))
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _places(each, (*path, ("item", number)))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _places(each, (*path, ("key", key)))


def _changed(value: Any, path: tuple[Step, ...], new: Any) -> Any:
    if not path:
        return new
    (kind, at), rest = path[0], path[1:]
    if kind == "field":
        return replace(value, **{at: _changed(getattr(value, at), rest, new)})
    changed = _changed(value[at], rest, new)
    return {**value, at: changed} if kind == "key" else (*value[:at], changed, *value[at + 1 :])


def _value(hint: Any, source: random.Random, known: Environment, depth: int) -> Any:  # noqa: PLR0911  (one a kind of type)
    """Return a random value of a type; of any type, where nothing says of which."""
    origin, parts = get_origin(hint) or hint, get_args(hint)

    def another(part: Any) -> Any:
        return _value(part, source, known, depth - 1)

    if origin in (Union, UnionType):
        return another(source.choice(parts))
    if origin is Literal:
        return source.choice(parts)
    if origin is Callable:
        return source.choice(_FUNCTIONS)
    if origin is tuple:
        if parts[1:] != (...,):
            return tuple(map(another, parts))
        return tuple(another(parts[0]) for _ in range(source.randrange(4) if depth > 0 else 0))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {another(parts[0]): another(parts[1]) for _ in range(source.randrange(3) if depth > 0 else 0)}
    if isinstance(origin, type) and issubclass(origin, Enum):
        return source.choice(list(origin))
    if is_dataclass(origin):
        return _object(origin, source, known, depth)
    plain: dict[Any, Callable[[], Any]] = {
        str: lambda: source.choice((*_TEXTS, *_names(known), *_names(known))),
        int: lambda: source.choice(_NUMBERS),
        float: lambda: source.choice(_FLOATS),
        bool: lambda: source.random() < 0.5,
        NoneType: lambda: None,
        Fraction: lambda: Fraction(source.choice(_NUMBERS), source.choice((1, 3, 10**20))),
    }
    return plain[origin]() if origin in plain else source.choice(_OTHERS)()


_OTHERS: tuple[Callable[[], Any], ...] = (
    *(lambda: None, lambda: True, lambda: 2.5, lambda: nan, lambda: 7, lambda: b"bytes", lambda: "name", lambda: ["a"]),
    *(dict, set, Untold, UntoldError, object, lambda: iter(("a", "b")), lambda: _raises, lambda: Environment),
    *(lambda: pl.col("a"), lambda: 10**30, lambda: type("Text", (str,), {"__repr__": Untold.__repr__})("a")),
)


def _object(made: Any, source: random.Random, known: Environment, depth: int) -> Any:
    """Return an object of the model with random values where it has to have some, and here and there elsewhere."""
    hints = get_type_hints(made)
    given = {
        field.name: _value(hints[field.name], source, known, depth - 1)
        for field in fields(made)
        if (field.default is MISSING and field.default_factory is MISSING) or (depth > 0 and source.random() < 0.2)
    }
    return made(**given)


def _names(environment: Environment) -> list[str]:
    """Return what things are called in a declaration: names that are there, in places where they may not be."""
    tables = [table.name for table in environment.raw_tables]
    columns = [column.name for table in environment.raw_tables for column in table.columns]
    return [*tables, *columns, *(table.path for table in environment.tables)]
