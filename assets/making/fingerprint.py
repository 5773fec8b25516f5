"""The fingerprint of a value: a digest that two values share only if they mean the same to a step.

A value is taken apart down to texts and numbers. A function is what its code says and what it is bound to; what that code
uses besides, Silt's and a declaration's, is known by itself (`inputs/`). A file stands for its content, a key for its
fingerprint. What has none is refused: a value without a fingerprint would let something stale pass for fresh.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.publish.files import sha256


class Fingerprinted(ABC):
    """A value that says by itself which parts its fingerprint is made of."""

    @abstractmethod
    def parts(self) -> object:
        """Return the value that stands for this one."""


def fingerprint(value: object) -> str:
    """Return the fingerprint of a value: 64 hexadecimal digits.

    Raises:
        InputError: A file that is part of it cannot be read.
        TypeError: A part of it has no fingerprint.
    """
    return hashlib.sha256(repr(_parts(value, ())).encode()).hexdigest()


def _parts(value: object, above: tuple[int, ...]) -> object:
    """Return a value as texts, numbers and tuples of them; `above` holds what it is a part of, by `id`."""
    if value is None or (isinstance(value, bool | int | float | str | bytes) and not isinstance(value, Enum)):
        return value
    if id(value) in above:
        return ("above", len(above) - above.index(id(value)))
    inner = (*above, id(value))
    kind: type[Any] = type(value)
    return (f"{kind.__module__}.{kind.__qualname__}", *(_parts(part, inner) for part in _way_of(kind)(value)))


def _way_of(kind: type[Any]) -> Callable[..., Iterable[object]]:
    if kind not in _WAYS:
        _WAYS[kind] = _found_way(kind)
    return _WAYS[kind]


def _found_way(kind: type[Any]) -> Callable[..., Iterable[object]]:
    for known, way in _KINDS:
        if issubclass(kind, known):
            return way
    if not is_dataclass(kind):
        return _reduced
    names = [field.name for field in fields(kind)]
    return lambda value: [(name, getattr(value, name)) for name in names]


def _reduced(value: object) -> Iterable[object]:
    """Take anything else apart as it would be copied: into what makes it, and of what (a fraction, a date)."""
    try:
        reduced: Any = value.__reduce_ex__(4)
    except TypeError as error:
        raise TypeError(
            f"a {type(value).__qualname__} has no fingerprint ({error}); derive it from `Fingerprinted`"
        ) from error
    return (
        [reduced]
        if isinstance(reduced, str)
        else [list(part) if isinstance(part, Iterator) else part for part in reduced]
    )


def _of_path(path: Path) -> Iterable[object]:
    try:
        return (path.name, sha256(path))
    except OSError as error:
        raise InputError(f"can't read {path}: {error.strerror}; make it readable") from error


def _of_function(function: FunctionType) -> Iterable[object]:
    bound = [cell.cell_contents for cell in function.__closure__ or ()]
    return (
        function.__module__,
        function.__qualname__,
        function.__code__,
        function.__defaults__,
        function.__kwdefaults__,
        bound,
    )


_KINDS: Sequence[tuple[type | tuple[type, ...], Callable[..., Iterable[object]]]] = (
    (Fingerprinted, lambda value: (value.parts(),)),
    (Key, lambda key: (key.fingerprint(),)),
    (Enum, lambda member: (member.name, member.value)),
    (Path, _of_path),
    (Mapping, lambda mapping: mapping.items()),
    (AbstractSet, lambda members: sorted(map(fingerprint, members))),
    (Sequence, lambda sequence: sequence),
    (FunctionType, _of_function),
    (BuiltinFunctionType, lambda function: (function.__module__, function.__qualname__)),
    (CodeType, lambda code: (code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_consts)),
    (partial, lambda bound: (bound.func, bound.args, bound.keywords)),
    (type, lambda kind: (kind.__module__, kind.__qualname__)),
    (re.Pattern, lambda pattern: (pattern.pattern, pattern.flags)),
    (pl.Expr, lambda expression: (expression.meta.serialize(format="binary"),)),
    (pl.Series, lambda series: (series.to_frame(),)),
    (pl.DataFrame, lambda frame: (list(frame.schema.items()), frame.write_ipc(None).getvalue())),
    (pl.DataType, lambda dtype: (repr(dtype),)),
)
"""What a value is -> how it is taken apart; the first that fits counts."""

_WAYS: dict[type[Any], Callable[..., Iterable[object]]] = {}
"""How each type is taken apart that was met so far."""
