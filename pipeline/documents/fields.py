"""The types that fields of documents are made of: what `Annotated` may say, and names for what is said often."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, get_args

import polars as pl
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, core_schema

from pipeline.documents.document import Schema, Scope
from pipeline.documents.problems import all_wrong, one_of, problem, problems_of, wrong

T = TypeVar("T")


OTHER_ENVIRONMENT = "; if the file is right, name its environment with --environment (ENV)"

_ELSE = {"environment": OTHER_ENVIRONMENT}
"""What else may answer a name that is not known."""


@dataclass(frozen=True)
class KnownName:
    """The value names something that exists; a schema cannot say what, for it depends on the environment."""

    what: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._known, handler(source))

    def _known(self, value: str, info: ValidationInfo[Scope]) -> str:
        known = info.context.names[self.what]
        if known is None or value in known:
            return value
        raise wrong(
            value,
            f"{one_of(sorted(known), value)}{_ELSE.get(self.what, '')}"
            if known
            else f"nothing: no {self.what} is declared",
        )


@dataclass(frozen=True)
class Within:
    """The value is a number between two others, both included."""

    least: int
    most: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._within, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """Return the bounds."""
        most = {} if self.most is None else {"maximum": self.most}
        return {**handler(schema), "minimum": self.least, **most}

    def _within(self, value: Any, handler: ValidatorFunctionWrapHandler) -> float:
        made: float = handler(value)
        if self.least <= made and (self.most is None or made <= self.most):
            return made
        number = "a whole number" if isinstance(made, int) else "a number"
        raise wrong(value, f"{number} from {self.least} {'on' if self.most is None else f'to {self.most}'}")


@dataclass(frozen=True)
class ByType:
    """The value is one of several documents, distinguished by their field `type`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        options = {option.type: handler.generate_schema(option) for option in get_args(source)}
        union = core_schema.tagged_union_schema(options, discriminator="type")

        def read(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
            if not isinstance(value, Mapping):
                raise wrong(value, f"a mapping with `type`: {', '.join(sorted(options))}")
            tag = value.get("type")
            if not isinstance(tag, str) or tag not in options:
                raise all_wrong([problem(("type",), tag, one_of(sorted(options), tag))])
            try:
                return handler(value)
            except ValidationError as error:  # whose places begin with the tag, which is no step in the file
                raise all_wrong(one.at(one.place[1:]) for one in problems_of(error)) from None

        return core_schema.no_info_wrap_validator_function(read, union)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """Return the JSON Schema without OpenAPI's keyword for the same."""
        return {"oneOf": handler(schema)["oneOf"]}


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _some(items: tuple[T, ...]) -> tuple[T, ...]:
    if len(set(items)) < max(1, len(items)):
        raise wrong(list(items), "each once" if items else "at least one")
    return items


def _compiled(pattern: str) -> str:
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.ComputeError:
        allowed = "a regular expression in Rust's syntax (no look-around, no back-references)"
        raise wrong(pattern, allowed) from None
    return pattern


NOT_EMPTY = Field(min_length=1)
"""A text or a mapping that is not empty."""

PATTERN = AfterValidator(_compiled)
"""A regular expression that polars compiles; a JSON Schema cannot check it, for its expressions have another syntax."""

Text = Annotated[str, NOT_EMPTY]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Share = Annotated[float, Within(0, 1)]

Many = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
"""A list, maybe empty."""

Some = Annotated[
    tuple[T, ...],
    BeforeValidator(_as_tuple),
    Field(json_schema_extra={"minItems": 1, "uniqueItems": True}),
    AfterValidator(_some),  # not `min_length`, by which a list is too short, too, if all its items are wrong
]
"""A list with at least one item, and no item twice."""
