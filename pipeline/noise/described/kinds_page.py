"""The table of kinds as Markdown, for `noise_specs/README.md` and `silt noise kinds --markdown`.

Everything in it is taken from the declarations (types, defaults, docstrings), so a kind needs no text besides its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Any

from pipeline.documents.document import Schema, schema_of, summary
from pipeline.noise.described.wording import level_of, value_text
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import Family, Kind


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a kind as a specification may give it."""

    name: str
    doc: str
    choices: tuple[str, ...] = ()
    """The texts of which it is one, if there is a closed set."""
    default: object = MISSING
    """What it is if not given; None if it is nothing then."""
    parts: tuple["Parameter", ...] = ()
    """The fields of the objects that it holds."""


def kinds_page() -> str:
    """Return every kind of the registry as Markdown, one table for each family."""
    return "\n\n".join(_family_table(family, kinds) for family, kinds in _families().items()) + "\n"


def kinds_by_family() -> dict[str, dict[str, str]]:
    """Return what each kind does, by family and name."""
    return {family.value: {kind.name: summary(kind) for kind in kinds} for family, kinds in _families().items()}


def _families() -> dict[Family, list[type[Kind]]]:
    found = {family: [kind for kind in KINDS.values() if kind.family is family] for family in Family}
    return {family: kinds for family, kinds in found.items() if kinds}


def parameters(documented: type[Any]) -> tuple[Parameter, ...]:
    """Return the fields of a kind, or of an object that one of its fields holds, in order."""
    schema = schema_of(documented)
    return _parameters(schema, schema.get("$defs", {}))


def _family_table(family: Family, kinds: Sequence[type[Kind]]) -> str:
    head = "| kind | on | what happens | parameters | can an agent find the truth? |\n|---|---|---|---|---|"
    return "\n".join([f"### {family.value.capitalize()}", "", head, *(_row(kind) for kind in kinds)])


def _row(kind: type[Kind]) -> str:
    listed = "<br>".join(_parameter_text(parameter) for parameter in parameters(kind)) or "none"
    cells = (f"`{kind.name}`", level_of(kind), summary(kind), listed, kind.recovery)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _parameter_text(parameter: Parameter) -> str:
    qualities = [", ".join(f"`{choice}`" for choice in parameter.choices), _default_text(parameter.default)]
    quality = "; ".join(part for part in qualities if part)
    parts = "; ".join(_parameter_text(part).removesuffix(".") for part in parameter.parts)
    return (
        f"`{parameter.name}`{f' ({quality})' if quality else ''}{f': {parameter.doc}' if parameter.doc else ''}"
        f"{f' Each has {parts}.' if parts else ''}"
    )


def _default_text(default: object) -> str:
    if default is MISSING:
        return ""
    return "optional" if default is None else f"default `{value_text(default)}`"


# --- the schema --------------------------------------------------------------------------------------------------------


def _parameters(schema: Schema, documents: Mapping[str, Schema]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(
            name=name,
            doc=part.get("description", ""),
            choices=tuple(_inside(part, documents).get("enum", ())),
            default=MISSING if name in schema["required"] else part.get("default"),
            parts=_parameters(_inside(part, documents), documents),
        )
        for name, part in schema.get("properties", {}).items()
    )


def _inside(part: Schema, documents: Mapping[str, Schema]) -> Schema:
    """Return what a parameter is, or what the list or mapping holds that it is."""
    if "$ref" in part:
        return _inside(documents[part["$ref"].split("/")[-1]], documents)
    inner = part.get("items") or part.get("additionalProperties")
    return _inside(inner, documents) if isinstance(inner, dict) else part
