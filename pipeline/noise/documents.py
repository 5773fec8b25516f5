"""Documents: YAML files that are read into typed frozen dataclasses, every problem named with its place.

pydantic reads and writes the JSON Schema; here stand the base class `Document`, the types that fields of documents are
made of, what pydantic finds in our words, and where each problem stands. A document says its fields by annotations, and
what two fields demand of each other in a method `refusals`, or in `exactly_one_of` where one of several fields must be
given. This file knows no noise.
"""

import difflib
import inspect
import re
import reprlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, cast, get_args

import polars as pl
import yaml
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from pipeline.model import Environment

T = TypeVar("T")
Place = tuple[str | int, ...]
Problem = tuple[Place, str, str]
"""Where something is wrong, what stands there, and what is allowed."""
Schema = dict[str, Any]

_ALLOWED = {
    "string_type": "a text (quote it)",
    "invalid_key": "a text (quote it)",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "too_short": "at least one",
    "string_too_short": "at least one",
    "missing": "a value, the field is required",
}
"""What is allowed by the type of pydantic's error; it says others in its own words."""


@dataclass(frozen=True)
class Refusal:
    """A field ("" for the whole object) whose value contradicts another or the environment, and what is allowed."""

    field: str
    found: object
    allowed: str


class Document:
    """A frozen dataclass that is read from a file: no other fields than its own, no value cast or null, texts quoted."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        strict=True,
        extra="forbid",
        use_attribute_docstrings=True,
        alias_generator=lambda name: yaml_name(name),  # noqa: PLW0108  (declared below)
    )
    exactly_one_of: ClassVar[tuple[str, ...]] = ()
    """Optional fields, by their names in YAML, of which exactly one must be given."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Yield what is wrong with the fields together, or with the environment given them."""
        yield from ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return how pydantic reads the document: a mapping, in which nothing is null, and then `refusals`."""
        schema: Any = handler(source)
        schema["strict"] = False  # of the mapping; its fields keep the strictness of the class
        for item in schema["schema"]["fields"]:
            if item["schema"]["type"] == "default" and item["schema"]["schema"]["type"] == "nullable":
                item["schema"]["schema"] = item["schema"]["schema"]["schema"]
        return core_schema.with_info_wrap_validator_function(cls._read, schema)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """Return the JSON Schema, with the docstrings of inherited fields too, and without what says nothing."""
        own = handler.resolve_ref_schema(handler(schema))
        parts, inherited = own["properties"], _inherited_docs(cls)
        for name, part in parts.items():
            doc = paragraph(part.pop("description", inherited.get(name, "")))
            is_told = "const" not in part and part.get("default") is not None
            kept = {key: value for key, value in part.items() if key != "title" and (key != "default" or is_told)}
            parts[name] = kept | ({"description": doc} if doc else {})
        tags = [name for name, part in parts.items() if "const" in part]
        alternatives = {"oneOf": [{"required": [name]} for name in cls.exactly_one_of]} if cls.exactly_one_of else {}
        own |= {
            "description": summary(cls),
            "required": list(dict.fromkeys([*tags, *own.get("required", ())])),
            **alternatives,
        }
        own.pop("title", None)
        return own

    @classmethod
    def _read(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            made = handler(value)
        except ValidationError as error:
            raise _refused(_in_words(line, cls) for line in error.errors()) from None
        if problems := list(_contradictions(made, cast("Reader", info.context))):
            raise _refused(problems)
        return made


def _contradictions(made: Document, reader: "Reader") -> Iterator[Problem]:
    given = [name for name in made.exactly_one_of if getattr(made, name, getattr(made, f"{name}_", None)) is not None]
    if made.exactly_one_of and len(given) != 1:
        yield (), repr(", ".join(given) or "none of them"), f"exactly one of {', '.join(made.exactly_one_of)}"
    for refusal in made.refusals(reader.environment):
        yield (refusal.field,) if refusal.field else (), reprlib.repr(refusal.found), refusal.allowed


# --- types of fields ---------------------------------------------------------------------------------------------------

Names = Mapping[str, Collection[str] | None]
"""What may be named, by what it is (`table`, `column`, ...); None where it cannot be known."""


@dataclass(frozen=True)
class Known:
    """The value names something that exists; a schema cannot tell, for it depends on the environment."""

    what: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return how pydantic reads the name."""
        return core_schema.with_info_after_validator_function(self._known, handler(source))

    def _known(self, value: str, info: ValidationInfo["Reader"]) -> str:
        known = info.context.names[self.what]
        if known is None or value in known:
            return value
        raise _wrong(value, one_of(known, value) if known else f"nothing: no {self.what} is declared")


@dataclass(frozen=True)
class Within:
    """The value is a number between two others, both included."""

    least: int
    most: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return how pydantic reads the number."""
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
        raise _wrong(value, f"{number} from {self.least} {'on' if self.most is None else f'to {self.most}'}")


@dataclass(frozen=True)
class ByType:
    """The value is one of several documents, told apart by their field `type`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return how pydantic reads the one document that is meant."""
        options = {option.type: handler.generate_schema(option) for option in get_args(source)}
        union = core_schema.tagged_union_schema(options, discriminator="type")

        def read(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
            if not isinstance(value, Mapping):
                raise _wrong(value, f"a mapping with `type`: {', '.join(sorted(options))}")
            tag = value.get("type")
            if not isinstance(tag, str) or tag not in options:
                raise _refused([(("type",), repr(tag), one_of(options, tag))])
            try:
                return handler(value)
            except ValidationError as error:  # whose places begin with the tag, which is no step in the file
                raise _refused((place[1:], found, allowed) for place, found, allowed in _problems(error)) from None

        return core_schema.no_info_wrap_validator_function(read, union)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """Return the JSON Schema without OpenAPI's keyword for the same."""
        return {"oneOf": handler(schema)["oneOf"]}


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _some(items: tuple[T, ...]) -> tuple[T, ...]:
    if len(set(items)) < max(1, len(items)):
        raise _wrong(list(items), "each once" if items else "at least one")
    return items


def _compiled(pattern: str) -> str:
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.ComputeError:
        allowed = "a regular expression in Rust's syntax (no look-around, no back-references)"
        raise _wrong(pattern, allowed) from None
    return pattern


NOT_EMPTY = Field(min_length=1)
"""A text or a mapping that is not empty."""

PATTERN = AfterValidator(_compiled)
"""A regular expression that polars compiles; a schema cannot tell, for those of JSON Schema are of another syntax."""

Text = Annotated[str, NOT_EMPTY]
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


# --- reading -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """Reads values of declared types; `problems` fills up."""

    names: Names
    environment: Environment
    problems: list[Problem] = field(default_factory=list)

    def read(self, expected: type[T], value: Any, place: Place) -> T | None:
        """Return the value as the expected type, or None and its problems noted."""
        try:
            return cast("T", _adapter(cast("Any", expected)).validate_python(value, context=self))
        except ValidationError as error:
            self.problems.extend(((*place, *steps), found, allowed) for steps, found, allowed in _problems(error))
            return None

    def refuse(self, place: Place, found: object, allowed: str) -> None:
        """Note a problem."""
        self.problems.append((place, reprlib.repr(found), allowed))

    def lines(self) -> list[str]:
        """Return every problem as one line, in the order of their places."""
        ordered = sorted({(path(place), found, allowed) for place, found, allowed in self.problems}, key=_natural)
        return [f"{place}: found {found}; allowed: {allowed}" for place, found, allowed in ordered]


@cache
def _adapter(expected: Any) -> TypeAdapter[Any]:
    return TypeAdapter(expected)


def schema_of(expected: Any, template: str = "#/$defs/{model}") -> Schema:
    """Return the JSON Schema of a declared type; the documents inside it stand under `$defs`."""
    return _adapter(expected).json_schema(ref_template=template)


def _wrong(found: object, allowed: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "refused", {"found": reprlib.repr(found), "allowed": allowed})


def _refused(problems: Iterable[Problem]) -> ValidationError:
    """Return problems at once, each at its place below the value that is read."""
    return ValidationError.from_exception_data(
        "document",
        [
            {
                "type": PydanticCustomError("refused", "refused", {"found": found, "allowed": allowed}),
                "loc": place,
                "input": None,
            }
            for place, found, allowed in problems
        ],
    )


def _problems(error: ValidationError) -> Iterator[Problem]:
    return (_in_words(line) for line in error.errors(include_url=False))


def _in_words(line: ErrorDetails, document: type[Document] | None = None) -> Problem:
    """Return what pydantic found in our words; of a document, with the names of its fields."""
    context, found = line.get("ctx", {}), line["input"]
    place = tuple(step for step in line["loc"] if step != "[key]")
    fields = [yaml_name(name) for name in getattr(document, "__dataclass_fields__", ())]
    match line["type"]:
        case "refused":
            return place, context["found"], context["allowed"]
        case "missing":
            return place, "nothing", _ALLOWED["missing"]
        case "unexpected_keyword_argument":
            allowed = f"only the fields {', '.join(fields)}{_suggestion(fields, place[-1])}"
        case "dataclass_type":
            allowed = f"a mapping of {', '.join(fields)}"
        case "literal_error" | "enum":
            allowed = one_of(re.findall(r"'([^']*)'", context["expected"]), found, is_sorted=False)
        case known:
            allowed = _ALLOWED.get(known, line["msg"].removeprefix("Input should be "))
    return place, reprlib.repr(found), allowed


def one_of(known: Iterable[str], found: object, *, is_sorted: bool = True) -> str:
    """Return what is allowed as text: one of the known names, and the nearest where the one found looks misspelt."""
    names = sorted(known) if is_sorted else list(known)
    return f"one of {', '.join(names)}{_suggestion(names, found)}"


def path(place: Place) -> str:
    """Return a place as people write it: `rules[2].mechanism.rate`."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return steps.removeprefix(".") or "(the whole file)"


def yaml_name(name: str) -> str:
    """Return a field's name in YAML: a trailing underscore keeps Python's keywords apart (`in_` is `in`)."""
    return name.removesuffix("_")


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


# --- docstrings --------------------------------------------------------------------------------------------------------


def summary(documented: type) -> str:
    """Return the first paragraph of a class's docstring as one line."""
    return paragraph(inspect.getdoc(documented) or "")


def paragraph(doc: str) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join(doc.split("\n\n", maxsplit=1)[0].split())


def field_docs(documented: type) -> Mapping[str, str]:
    """Return by name, as in YAML, what stands under the fields of a document and of those that it inherits from."""
    parts = schema_of(documented)["properties"]
    return {name: part["description"] for name, part in parts.items() if "description" in part}


def _inherited_docs(documented: type) -> Mapping[str, str]:
    """Pydantic reads the docstrings of a class's own fields only."""
    bases = [base for base in documented.__mro__[1:] if is_dataclass(base)]
    return field_docs(bases[0]) if bases else {}


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
