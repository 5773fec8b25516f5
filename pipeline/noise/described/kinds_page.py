"""The table of kinds as Markdown, for `noise_specs/README.md` and `silt noise kinds`.

Everything in it is taken from the declarations (types, defaults, docstrings), so a kind needs no text besides its own.
"""

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from pipeline.noise.described.docstrings import field_docs, summary
from pipeline.noise.described.wording import level_of, value_told
from pipeline.noise.documents import yaml_name
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import Family, Kind


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a kind as a specification may give it."""

    name: str
    doc: str
    choices: tuple[str, ...] = ()
    """The texts of which it is one, if there is a closed set."""
    default: object = dataclasses.MISSING
    """What it is if not given; None if it is nothing then."""
    parts: tuple["Parameter", ...] = ()
    """The fields of the objects that it holds."""


def kinds_page() -> str:
    """Return every kind of the registry as Markdown, one table for each family."""
    order = list(Family)
    kinds = sorted(KINDS.values(), key=lambda kind: order.index(kind.family))
    return (
        "\n\n".join(_family_table(family, list(own)) for family, own in groupby(kinds, lambda kind: kind.family)) + "\n"
    )


def parameters(documented: type[Any]) -> tuple[Parameter, ...]:
    """Return the fields of a kind, or of an object that one of its fields holds, in order."""
    hints, docs = typing.get_type_hints(documented), field_docs(documented)
    return tuple(
        Parameter(
            name=yaml_name(item),
            doc=docs.get(item.name, ""),
            choices=tuple(_inside(hints[item.name], _choices)),
            default=item.default if item.default_factory is dataclasses.MISSING else item.default_factory(),
            parts=tuple(_inside(hints[item.name], _parts)),
        )
        for item in dataclasses.fields(documented)
    )


def _family_table(family: Family, kinds: Sequence[type[Kind]]) -> str:
    head = "| kind | on | what happens | parameters | can an agent find the truth? |\n|---|---|---|---|---|"
    return "\n".join([f"### {family.value.capitalize()}", "", head, *(_row(kind) for kind in kinds)])


def _row(kind: type[Kind]) -> str:
    told = "<br>".join(_parameter_told(parameter) for parameter in parameters(kind)) or "none"
    cells = (f"`{kind.name}`", level_of(kind), summary(kind), told, kind.recovery)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _parameter_told(parameter: Parameter) -> str:
    qualities = [", ".join(f"`{choice}`" for choice in parameter.choices), _default_told(parameter.default)]
    quality = "; ".join(part for part in qualities if part)
    parts = "; ".join(_parameter_told(part).removesuffix(".") for part in parameter.parts)
    return (
        f"`{parameter.name}`{f' ({quality})' if quality else ''}{f': {parameter.doc}' if parameter.doc else ''}"
        f"{f' Each has {parts}.' if parts else ''}"
    )


def _default_told(default: object) -> str:
    if default is dataclasses.MISSING:
        return ""
    return "optional" if default is None else f"default `{value_told(default)}`"


# --- types -------------------------------------------------------------------------------------------------------------


def _inside(hint: Any, found: Any) -> Iterator[Any]:
    """Yield what a function finds in a type and in the types that it is made of."""
    yield from found(hint)
    if typing.get_origin(hint) in {tuple, Mapping, types.UnionType, typing.Union}:
        for part in typing.get_args(hint):
            yield from _inside(part, found)


def _choices(hint: Any) -> tuple[str, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is Literal else ()


def _parts(hint: Any) -> tuple[Parameter, ...]:
    return parameters(hint) if isinstance(hint, type) and dataclasses.is_dataclass(hint) else ()
