"""The JSON Schema of specifications, by an independent validator: it takes what is shipped, refuses what the loader refuses.

Names (tables, columns, vocabularies) and what parameters demand of each other are the loader's alone.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, ClassVar, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pipeline.documents.document import YamlDocument, schema_of
from pipeline.documents.fields import ByType, Many, Share, Some, Text, Within
from pipeline.documents.problems import of_file
from pipeline.documents.reading import Reader
from pipeline.errors import SpecError
from pipeline.model import Environment
from pipeline.noise.described.kinds_page import kinds_page
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import FileKind, RowKind
from pipeline.noise.shipped import refreshed, schema_text, specification_schema
from pipeline.noise.spec import load_spec
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.unit.noise.shipped_specifications import RULES, SHIPPED, SPECS

SCHEMA = specification_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
Place = tuple[str | int, ...]

SHAPES = re.compile(
    r"rules\[0\]\.(kind|mechanism\.type): found |"
    r"allowed: (a text \(quote it\)|true or false|a whole number|a number|a number from 0 to 1|a list|a mapping of .*|"
    r"a mapping with `type`: .*|at least one|each once|only the fields .*|a value, the field is required|"
    r"exactly one of in, not_in, equals, matches, is_null|exactly one of bands, rates|nothing: .* changes the whole file.*|"
    r"nothing: only the mechanism .*)$"
)
"""Lines of a refusal that speak of shape, not of names."""
OTHERS: list[Any] = [
    None,
    True,
    7,
    -0.5,
    1.5,
    "text",
    "",
    [],
    ["text"],
    ["a", "a"],
    {},
    {"type": "at_random"},
    {"a": 1},
]


def test_schema_is_a_schema() -> None:
    """It keeps the rules of the dialect that it names."""
    assert VALIDATOR.META_SCHEMA["$id"] == SCHEMA["$schema"]
    VALIDATOR.check_schema(SCHEMA)


def test_what_follows_from_the_code_is_as_it_is_now() -> None:
    """The shipped schema is this one; it, the page and each specification's first line are as `make noise-docs` writes them."""
    assert json.loads((SPECS / "schema.json").read_text("utf-8")) == SCHEMA, "stale; run `make noise-docs`"
    stale = [path.name for path, text in refreshed(SPECS).items() if path.read_text("utf-8") != text]
    assert stale == [], "run `make noise-docs`"


@pytest.mark.parametrize("kind", KINDS)
def test_schema_tells_what_a_kind_is(kind: str) -> None:
    """The editor shows what happens and whether the truth can be found, at the kind's name and at its parameters."""
    offered = {offer["const"]: offer["description"] for offer in SCHEMA["$defs"]["rule"]["properties"]["kind"]["oneOf"]}
    assert KINDS[kind].recovery in offered[kind]
    assert SCHEMA["$defs"][kind]["description"] == offered[kind]


@pytest.mark.parametrize(("_environment", "path"), SHIPPED, ids=lambda value: getattr(value, "stem", ""))
def test_shipped_specifications_keep_the_schema(_environment: Environment, path: Path) -> None:
    """Each specification under `noise_specs/` is valid, and its first line tells editors where the schema is."""
    assert list(VALIDATOR.iter_errors(yaml.safe_load(path.read_text("utf-8")))) == []
    to_schema = "../" * (len(path.relative_to(SPECS).parts) - 1) + "schema.json"
    first = path.read_text("utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema={to_schema}"


def test_stale_files_are_refreshed(tmp_path: Path) -> None:
    """Page, schema and first lines are made anew; other words, other YAML and what is fresh stay as they are."""
    texts = {
        "README.md": "# Page\n\n<!-- kinds -->\nold\n\n<!-- end of kinds -->\n\nMore.\n",
        "e/kinds/spec.yaml": "# yaml-language-server: $schema=old.json\n# kept\nrules: []\n",
        "e/new.yaml": "environment: e\nrules: []\n",
        "e/other.yaml": "environment: e\nladder: []\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    made = {path.relative_to(tmp_path).as_posix(): text for path, text in refreshed(tmp_path).items()}
    assert made == {
        "schema.json": schema_text(),
        "README.md": f"# Page\n\n<!-- kinds -->\n\n{kinds_page()}\n<!-- end of kinds -->\n\nMore.\n",
        "e/kinds/spec.yaml": "# yaml-language-server: $schema=../../schema.json\n# kept\nrules: []\n",
        "e/new.yaml": "# yaml-language-server: $schema=../schema.json\nenvironment: e\nrules: []\n",
    }
    for name, text in made.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert {path.relative_to(tmp_path).as_posix(): text for path, text in refreshed(tmp_path).items()} == made


@given(data=st.data())
def test_schema_refuses_what_the_loader_refuses_for_its_shape(data: st.DataObject) -> None:
    """Of a rule with one part changed: wrong types, bounds, fields and alternatives are wrong to both, and names to one."""
    environment, rule = RULES[data.draw(st.integers(0, len(RULES) - 1))]
    document = {"environment": environment.name, "rules": [copy.deepcopy(rule)]}
    change(document, data)
    refusals = loader_refusals(document, environment)
    is_refused = not VALIDATOR.is_valid(document)
    if any(SHAPES.search(line) for line in refusals):
        assert is_refused, refusals
    if is_refused:
        assert refusals


def change(document: Any, data: st.DataObject) -> None:
    """Exchange, drop, add or repeat one part of a document."""
    place = data.draw(st.sampled_from([place for place in places(document) if place]))
    *way, last = place
    parent = document
    for step in way:
        parent = parent[step]
    match data.draw(st.sampled_from(["exchange", "drop", "add", "repeat"])):
        case "exchange":
            parent[last] = data.draw(st.sampled_from(OTHERS))
        case "drop":
            del parent[last]
        case "add" if isinstance(parent, dict):
            parent["unheard_of"] = data.draw(st.sampled_from(OTHERS))
        case "repeat" | "add" if isinstance(parent, list):
            parent.append(copy.deepcopy(parent[last]))


def places(document: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the place of every part of a document."""
    yield place
    parts = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for step, part in parts:
        yield from places(part, (*place, step))


def loader_refusals(document: Any, environment: Environment) -> list[str]:
    """Return the lines with which `load_spec` refuses a document; none if it takes it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "spec.yaml"
        path.write_text(yaml.safe_dump(document, allow_unicode=True), "utf-8")
        try:
            load_spec(path, environment)
        except SpecError as error:
            return str(error).splitlines()[1:-1]
    return []


# --- types -------------------------------------------------------------------------------------------------------------


class Step(YamlDocument):
    """One step.

    More about it.
    """

    size: Share
    """How large it is,
    as a share."""
    form: Literal["long", "short"] = "long"


class Wait(YamlDocument):
    """A pause."""

    type: Literal["wait"] = "wait"

    days: Annotated[int, Within(1)] = 1


class Walk(YamlDocument):
    """A way."""

    type: Literal["walk"] = "walk"
    exactly_one_of: ClassVar[tuple[str, ...]] = ("in", "to")

    in_: Text | None = None
    to: Some[Step] | None = None


class Trip(YamlDocument):
    """Two ways of the same class."""

    name: ClassVar[str] = "trip"

    there: Walk
    back: Walk


Way = Annotated[Wait | Walk, ByType()]
THERE = {"type": "walk", "in": "x"}
STEP = {
    "type": "object",
    "description": "One step.",
    "properties": {
        "size": {"type": "number", "minimum": 0, "maximum": 1, "description": "How large it is, as a share."},
        "form": {"type": "string", "enum": ["long", "short"], "default": "long"},
    },
    "required": ["size"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("declared", "schema"),
    [
        (str, {"type": "string"}),
        (Many[bool], {"type": "array", "items": {"type": "boolean"}}),
        (Step, STEP),
        (
            Way,
            {
                "oneOf": [{"$ref": "#/$defs/Wait"}, {"$ref": "#/$defs/Walk"}],
                "$defs": {
                    "Step": STEP,
                    "Wait": {
                        "type": "object",
                        "description": "A pause.",
                        "properties": {
                            "type": {"type": "string", "const": "wait"},
                            "days": {"type": "integer", "minimum": 1, "default": 1},
                        },
                        "required": ["type"],
                        "additionalProperties": False,
                    },
                    "Walk": {
                        "type": "object",
                        "description": "A way.",
                        "properties": {
                            "type": {"type": "string", "const": "walk"},
                            "in": {"type": "string", "minLength": 1},
                            "to": {
                                "type": "array",
                                "items": {"$ref": "#/$defs/Step"},
                                "minItems": 1,
                                "uniqueItems": True,
                            },
                        },
                        "required": ["type"],
                        "additionalProperties": False,
                        "oneOf": [{"required": ["in"]}, {"required": ["to"]}],
                    },
                },
            },
        ),
    ],
    ids=["text", "list", "object", "union"],
)
def test_declared_types_become_schemas(declared: Any, schema: dict[str, Any]) -> None:
    """Types, constraints, defaults and docstrings come out in the keywords of JSON Schema."""
    assert schema_of(declared) == schema


def test_maps_tell_their_keys_and_values() -> None:
    """The keys of a map are texts with constraints of their own, its values of a type."""
    expected = {"type": "object", "propertyNames": {"minLength": 1}, "additionalProperties": {"type": "integer"}}
    assert schema_of(Mapping[Text, int]) == expected
    assert schema_of(Mapping[str, int]) == {"type": "object", "additionalProperties": {"type": "integer"}}


@pytest.mark.parametrize(
    ("declared", "value", "line"),
    [
        (Step, {"size": "0.1"}, "size: found '0.1'; allowed: a number"),
        (Step, {"size": True}, "size: found True; allowed: a number"),
        (Step, {"size": 1.5}, "size: found 1.5; allowed: a number from 0 to 1"),
        (Step, {"size": 1, "form": None}, "form: found None; allowed: one of long, short"),
        (
            Step,
            {"size": 1, "frm": "long"},
            "frm: found 'long'; allowed: only the fields size, form; did you mean 'form'?",
        ),
        (Step, {"size": 1, 2: 3}, "[2]: found 2; allowed: a text (quote it)"),
        (Step, [], "(the whole file): found []; allowed: a mapping of size, form"),
        (Way, {"type": "wait", "days": 1.0}, "days: found 1.0; allowed: a whole number"),
        (Way, {"type": "wait", "days": True}, "days: found True; allowed: a whole number"),
        (Way, {"type": "wait", "days": 0}, "days: found 0; allowed: a whole number from 1 on"),
        (Way, {"type": "walk", "in": None}, "in: found None; allowed: a text (quote it)"),
        (Way, {"type": "walk", "in": b"x"}, "in: found b'x'; allowed: a text (quote it)"),
        (
            Way,
            {"type": "walk", "in": date(2022, 1, 1)},
            "in: found datetime.date(2022, 1, 1); allowed: a text (quote it)",
        ),
        (Way, {"type": "walk", "to": {"size": 1}}, "to: found {'size': 1}; allowed: a list"),
        (Way, {"type": "walk", "to": {1, 2}}, "to: found {1, 2}; allowed: a list"),
        (Way, {"type": "walk", "to": [{"size": 2}]}, "to[0].size: found 2; allowed: a number from 0 to 1"),
        (
            Trip,
            {"there": THERE, "back": {"type": "walk"}},
            "back: found 'none of them'; allowed: exactly one of in, to",
        ),
        (
            Trip,
            {"there": {"type": "walk"}, "back": THERE},
            "there: found 'none of them'; allowed: exactly one of in, to",
        ),
        (Trip, {"there": THERE, "back": 3}, "back: found 3; allowed: a mapping of type, in, to"),
        (Trip, {"there": THERE, "back": THERE, "by": 1}, "by: found 1; allowed: only the fields there, back"),
        (Way, {"type": "wlk"}, "type: found 'wlk'; allowed: one of wait, walk; did you mean 'walk'?"),
        (Way, {"in": "x"}, "type: found None; allowed: one of wait, walk"),
    ],
)
def test_nothing_is_cast(declared: Any, value: Any, line: str) -> None:
    """What is nearly right is refused at its place alone, with what is allowed."""
    reader = Reader(names={}, environment=DATACLAW_18)
    assert reader.read(declared, value, ()) is None
    assert list(map(str, of_file("way.yaml", reader.problems))) == [f"way.yaml: {line}"]


def test_what_is_read_is_what_python_would_make() -> None:
    """Defaults are filled in, lists become tuples, a whole number will do for a number."""
    reader = Reader(names={}, environment=DATACLAW_18)
    read = reader.read(Walk, {"type": "walk", "to": [{"size": 1}]}, ())
    assert (read, reader.problems) == (Walk(to=(Step(size=1.0),)), [])
    assert type(read.to[0].size) is float


def test_levels_say_which_mechanism_they_take() -> None:
    """A file has no rows to choose or cells to depend on, and only one mechanism judges rows by a column."""
    for name, kind in KINDS.items():
        plain = {"name": "x", "kind": name, "tables": ["t"], "reason": "r", "parameters": {}}
        by_value = plain | {"mechanism": {"type": "not_at_random", "rates": {"a": 1}}}
        alike = plain | {"mechanism": {"type": "completely_at_random", "rate": 1}}
        where = alike | {"where": [{"column": "c", "equals": "x"}]}
        judged = alike | {"parameters": {"judged_by": "c"}}
        at = {"mechanism", "where"} if issubclass(kind, FileKind) else set()
        assert wrong(by_value) | wrong(where) == at
        assert wrong(judged) == ({"mechanism"} if issubclass(kind, RowKind) else set())
        assert wrong(alike) == set()


def wrong(rule: dict[str, Any]) -> set[str]:
    """Return the fields of a rule that its level refuses, parameters aside."""
    document = {"environment": "e", "rules": [rule]}
    fields = {str(error.absolute_path[2]) for error in VALIDATOR.iter_errors(document) if len(error.absolute_path) > 2}
    return fields - {"parameters"}
