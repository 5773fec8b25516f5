"""The base class of documents: how pydantic reads one and writes its JSON Schema, docstrings of fields included."""

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, cast, dataclass_transform

from pydantic import (
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, core_schema

from pipeline.documents import docstrings
from pipeline.documents.problems import DocumentProblem, Refusal, all_wrong, problem, problems_of
from pipeline.model import Environment

Schema = dict[str, Any]

Names = Mapping[str, Collection[str] | None]
"""What may be named, by what it is (`table`, `column`, ...); None where it cannot be known."""


@dataclass(frozen=True)
class Scope:
    """What a document is read with: pydantic's `context`."""

    names: Names
    environment: Environment


def texts_of(part: object) -> Iterator[str]:
    """Yield every text that stands in a document or a part of one."""
    if isinstance(part, str):
        yield part
    elif is_dataclass(part):
        yield from texts_of(vars(part))
    elif isinstance(part, Mapping):
        yield from texts_of([*part, *part.values()])
    elif isinstance(part, Iterable):
        for each in part:
            yield from texts_of(each)


def yaml_name(name: str) -> str:
    """Return a field's name in YAML: a trailing underscore keeps Python's keywords apart (`in_` is `in`)."""
    return name.removesuffix("_")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class YamlDocument:
    """A frozen dataclass that is read from a file: no other fields than its own, no value cast or null, texts quoted.

    Every class below this one is made such a dataclass.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", alias_generator=yaml_name)
    exactly_one_of: ClassVar[tuple[str, ...]] = ()
    """Optional fields, by their names in YAML, of which exactly one must be given."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, kw_only=True)(cls)

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Yield what is wrong with the fields together, or with the environment given them."""
        yield from ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return how pydantic reads the document: a mapping, in which nothing is null, and then `refusals`.

        The hook is pydantic's own for such types. What it changes in the schema has no setting: a strict dataclass takes no
        mapping, and an optional field that may be left out would also be null.
        """
        schema: Any = handler(source)
        if schema["type"] != "dataclass":
            return cast("CoreSchema", schema)  # made before: the class stands in the same document twice
        schema["strict"] = (
            False  # of the mapping, which is no dataclass yet; its fields keep the strictness of the class
        )
        for item in schema["schema"]["fields"]:
            if item["schema"]["type"] == "default" and item["schema"]["schema"]["type"] == "nullable":
                item["schema"]["schema"] = item["schema"]["schema"]["schema"]
        return core_schema.with_info_wrap_validator_function(cls._read, schema, ref=schema.pop("ref"))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """Return the JSON Schema, with the docstrings of inherited fields too, and without what says nothing."""
        own = handler.resolve_ref_schema(handler(schema))
        docs = field_docs(cls)
        parts = {name: _documented(part, docs.get(name, "")) for name, part in own["properties"].items()}
        tags = [name for name, part in parts.items() if "const" in part]
        required = list(dict.fromkeys([*tags, *own.get("required", ())]))
        own |= {"description": summary(cls), "properties": parts, "required": required}
        own |= {"oneOf": [{"required": [name]} for name in cls.exactly_one_of]} if cls.exactly_one_of else {}
        own.pop("title", None)
        return own

    @classmethod
    def _read(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            made = handler(value)
        except ValidationError as error:
            names = [yaml_name(item.name) for item in fields(cls)]
            raise all_wrong(problems_of(error, names)) from None
        if contradictions := list(_contradictions(made, cast("Scope", info.context))):
            raise all_wrong(contradictions)
        return made


@cache
def adapter(declared: Any) -> TypeAdapter[Any]:
    """Return what reads a declared type; pydantic takes a while to make it."""
    return TypeAdapter(declared)


def schema_of(declared: Any) -> Schema:
    """Return the JSON Schema of a declared type; documents inside it have theirs under `$defs`."""
    return adapter(declared).json_schema()


def summary(documented: type) -> str:
    """Return the first paragraph of a class's docstring as one line."""
    return _paragraph(inspect.getdoc(documented) or "")


def field_docs(documented: type) -> Mapping[str, str]:
    """Return by name, as in YAML, what stands under the fields of a document and of those that it inherits from."""
    return {yaml_name(name): _paragraph(doc) for name, doc in docstrings.field_docs(documented, YamlDocument).items()}


def _documented(part: Schema, doc: str) -> Schema:
    """Return the schema of a field with its docstring; neither a title nor a default that is nothing."""
    silent = {"title", "description"} | ({"default"} if "const" in part or part.get("default") is None else set())
    return {key: value for key, value in part.items() if key not in silent} | ({"description": doc} if doc else {})


def _paragraph(doc: str) -> str:
    return " ".join(doc.split("\n\n", maxsplit=1)[0].split())


def _contradictions(made: YamlDocument, scope: Scope) -> Iterator[DocumentProblem]:
    given = [name for name in made.exactly_one_of if getattr(made, name, getattr(made, f"{name}_", None)) is not None]
    if made.exactly_one_of and len(given) != 1:
        yield problem((), ", ".join(given) or "none of them", f"exactly one of {', '.join(made.exactly_one_of)}")
    for refusal in made.refusals(scope.environment):
        yield problem((refusal.field,) if refusal.field else (), refusal.found, refusal.allowed)
