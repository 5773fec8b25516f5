"""The JSON Schema of noise specifications, for editors: what `documents.py` and `spec.py` read, said in another language.

It knows no environment: which tables, columns and vocabularies there are, and what parameters demand of each other, only
`load_spec` can say.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pipeline.noise.described.docstrings import field_docs, summary
from pipeline.noise.documents import Alternatives, yaml_name
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import FileKind, Kind, RowKind
from pipeline.noise.mechanisms import CompletelyAtRandom, NotAtRandom
from pipeline.noise.spec import RuleDocument, SpecDocument

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def specification_schema() -> Schema:
    """Return the schema of a whole specification (JSON Schema 2020-12), kinds in the order of the registry."""
    specification = schema_of(SpecDocument)
    specification["properties"]["rules"]["items"] = {"$ref": "#/$defs/rule"}
    definitions = {"rule": _rule(), **{name: _kind(kind) for name, kind in KINDS.items()}}
    return {"$schema": DIALECT, "title": "Noise specification", **specification, "$defs": definitions}


def schema_of(expected: Any) -> Schema:
    """Return the schema of a declared type, of those that `documents.Reader` reads."""
    if expected is Any:
        return {}
    if dataclasses.is_dataclass(expected):
        return _object(typing.cast("type[Any]", expected))
    writings = {
        Annotated: _constrained,
        Literal: _choice,
        Mapping: _entries,
        tuple: _items,
        types.UnionType: _one_of,
        typing.Union: _one_of,  # what Python makes of `Annotated[...] | None`
    }
    writing = writings.get(typing.get_origin(expected))
    return writing(typing.get_args(expected)) if writing else {"type": _TYPES[expected]}


# --- rules -------------------------------------------------------------------------------------------------------------


def _rule() -> Schema:
    rule = schema_of(RuleDocument)
    names = [{"const": name, "description": _told(kind)} for name, kind in KINDS.items()]
    rule["properties"]["kind"] |= {"oneOf": names}
    return {**rule, "allOf": [_judged_by_column(), *(_of_kind(name, kind) for name, kind in KINDS.items())]}


def _of_kind(name: str, kind: type[Kind]) -> Schema:
    """Return what a rule must be if it is of a kind: its parameters; of a kind on files, one mechanism and no rows."""
    then: Schema = {"parameters": {"$ref": f"#/$defs/{name}"}}
    if issubclass(kind, FileKind):
        then |= {"mechanism": _of_type(CompletelyAtRandom.type), "where": {"maxItems": 0}}
    return {"if": {"properties": {"kind": {"const": name}}, "required": ["kind"]}, "then": {"properties": then}}


def _judged_by_column() -> Schema:
    """Return that a rule on rows may name a column to judge them by with one mechanism only."""
    on_rows = [name for name, kind in KINDS.items() if issubclass(kind, RowKind)]
    is_judged = {"kind": {"enum": on_rows}, "parameters": {"type": "object", "required": ["judged_by"]}}
    return {
        "if": {"properties": is_judged, "required": list(is_judged)},
        "then": {"properties": {"mechanism": _of_type(NotAtRandom.type)}},
    }


def _of_type(tag: str) -> Schema:
    return {"properties": {"type": {"const": tag}}}


def _kind(kind: type[Kind]) -> Schema:
    return {**schema_of(kind), "title": kind.name, "description": _told(kind)}


def _told(kind: type[Kind]) -> str:
    return f"{summary(kind)} Recoverable? {kind.recovery}"


# --- types -------------------------------------------------------------------------------------------------------------


def _object(expected: type[Any]) -> Schema:
    hints, docs = typing.get_type_hints(expected, include_extras=True), field_docs(expected)
    items = dataclasses.fields(expected)
    alternatives = expected.exactly_one_of if isinstance(expected, Alternatives) else ()
    return {
        "type": "object",
        "description": summary(expected),
        "properties": {yaml_name(item): _property(item, hints[item.name], docs) for item in items},
        "required": [yaml_name(item) for item in items if _is_required(item)],
        "additionalProperties": False,
        **({"oneOf": [{"required": [name]} for name in alternatives]} if alternatives else {}),
    }


def _property(item: "dataclasses.Field[Any]", hint: Any, docs: Mapping[str, str]) -> Schema:
    described = {"description": docs[item.name]} if item.name in docs else {}
    is_told = item.default is not dataclasses.MISSING and item.default is not None
    return {**schema_of(hint), **described, **({"default": _plain(item.default)} if is_told else {})}


def _is_required(item: "dataclasses.Field[Any]") -> bool:
    return item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING


def _plain(value: Any) -> Any:
    """Return a default as it would stand in a file."""
    if dataclasses.is_dataclass(value):
        return {yaml_name(item): _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _constrained(arguments: Sequence[Any]) -> Schema:
    base, *constraints = arguments
    schema = schema_of(base)
    for constraint in constraints:
        schema |= constraint.schema(schema.get("type", ""))
    return schema


def _choice(allowed: Sequence[Any]) -> Schema:
    return {"enum": list(allowed)}


def _entries(arguments: Sequence[Any]) -> Schema:
    keys, items = (schema_of(argument) for argument in arguments)
    of_keys = {} if keys == {"type": "string"} else {"propertyNames": keys}
    return {"type": "object", **of_keys, "additionalProperties": items}


def _items(arguments: Sequence[Any]) -> Schema:
    return {"type": "array", "items": schema_of(arguments[0])}


def _one_of(options: Sequence[Any]) -> Schema:
    """Return the schema of an optional value, or of dataclasses told apart by `type`."""
    some = [option for option in options if option is not types.NoneType]
    return schema_of(some[0]) if len(some) == 1 else {"oneOf": [_tagged(option) for option in some]}


def _tagged(option: type[Any]) -> Schema:
    schema = schema_of(option)
    tagged = {"type": {"const": option.type}, **schema["properties"]}
    return {**schema, "properties": tagged, "required": ["type", *schema["required"]]}
