"""Rules in plain words: where, how often, with what parameters, for `silt noise explain`.

What rules do to data belongs to `engine.py`, showing it on rows to `silt/commands/noise/explain`, the table of kinds to
`kinds_page.py`.
"""

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from typing import Literal

from pipeline.documents.document import field_docs, yaml_name
from pipeline.noise.kinds.interface import CellKind, Kind, RowKind
from pipeline.noise.mechanisms import AtRandom, CompletelyAtRandom, Condition, Mechanism, NotAtRandom
from pipeline.noise.spec import Rule
from pipeline.wording import exact_percent

Level = Literal["cells", "rows", "file"]

LEVELS: tuple[Level, ...] = typing.get_args(Level)
"""In the order of application."""

_ELIGIBLE = {
    "cells": ("every eligible cell", "of the eligible cells"),
    "rows": ("every eligible row", "of the eligible rows"),
    "file": (
        "each choice there is (a column, or the whole file)",
        "of the choices there are (a column, or the whole file)",
    ),
}
_SHOWN_RATES = 8


def level_of(kind: type[Kind]) -> Level:
    """Return on what a kind works."""
    if issubclass(kind, CellKind):
        return "cells"
    return "rows" if issubclass(kind, RowKind) else "file"


def in_order(rules: Sequence[Rule]) -> list[Rule]:
    """Return rules in the order of their application."""
    return sorted(rules, key=lambda rule: LEVELS.index(level_of(type(rule.kind))))


def condition_text(condition: Condition) -> str:
    """Return a condition in words: `measure` is 'Revenue'."""
    cell = f"`{condition.column}`"
    match condition:
        case Condition(in_=tuple(texts)):
            return f"{cell} is one of {_texts(texts)}"
        case Condition(not_in=tuple(texts)):
            return f"{cell} is none of {_texts(texts)}"
        case Condition(equals=str(text)):
            return f"{cell} is {text!r}"
        case Condition(matches=str(pattern)):
            return f"in {cell} the pattern {pattern} finds something"
        case _:
            return f"{cell} is {'empty' if condition.is_null else 'not empty'}"


def mechanism_text(mechanism: Mechanism, kind: Kind) -> str:
    """Return how often, and on what that depends."""
    level = level_of(type(kind))
    every, of_all = _ELIGIBLE[level]
    match mechanism:
        case CompletelyAtRandom(rate=1.0):
            return every
        case CompletelyAtRandom(rate=rate):
            return f"{exact_percent(rate)} {of_all}, all alike"
        case AtRandom(column=column, rates=rates, otherwise=otherwise):
            return f"a share {of_all} that depends on `{column}`: {_rates_text(rates, otherwise)}"
        case NotAtRandom(bands=bands, rates=rates, otherwise=otherwise):
            judged = _judged(kind)
            below = [f"{exact_percent(band.rate)} below {band.below:.12g}" for band in bands or ()]
            banded = ", ".join([*below, f"{exact_percent(otherwise)} otherwise"])
            return f"a share {of_all} that depends on {judged}: {_rates_text(rates, otherwise) if rates else banded}"


def parameter_texts(kind: Kind) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of each parameter that has a value."""
    fields = [(item, getattr(kind, item.name)) for item in dataclasses.fields(kind)]
    docs = field_docs(type(kind))
    return [
        (yaml_name(item.name), value_text(value), docs.get(yaml_name(item.name), ""))
        for item, value in fields
        if value is not None
    ]


def value_text(value: object) -> str:
    """Return a value as text: lists with commas, texts quoted where their ends would not show."""
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return value if value.strip() == value != "" and value.isprintable() else repr(value)
        case Mapping():
            return ", ".join(f"{value_text(name)}: {value_text(item)}" for name, item in value.items()) or "none"
        case tuple() | list():
            return (
                ", ".join(f"({value_text(i)})" if dataclasses.is_dataclass(i) else value_text(i) for i in value)
                or "none"
            )
        case _ if dataclasses.is_dataclass(value):
            named = {yaml_name(item.name): getattr(value, item.name) for item in dataclasses.fields(value)}
            return value_text({name: item for name, item in named.items() if item is not None})
        case _:
            return str(value)


def _judged(kind: Kind) -> str:
    if isinstance(kind, RowKind):
        return f"the row's `{kind.judged_by}`" if kind.judged_by else "the row's key"
    return "the cell itself"


def _rates_text(rates: Mapping[str, float], otherwise: float) -> str:
    rates_of_texts = [f"{exact_percent(rate)} where it is {text!r}" for text, rate in rates.items()]
    more = (
        [f"other rates for {len(rates_of_texts) - _SHOWN_RATES} more texts"]
        if len(rates_of_texts) > _SHOWN_RATES
        else []
    )
    return ", ".join([*rates_of_texts[:_SHOWN_RATES], *more, f"{exact_percent(otherwise)} elsewhere"])


def _texts(texts: Sequence[str]) -> str:
    return ", ".join(repr(text) for text in texts)
