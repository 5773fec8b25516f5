"""What `noise_specs/` holds that follows from the code: schema, table of kinds, and the line that leads editors to the schema.

`make noise-docs` writes it anew (`python -m pipeline.noise.shipped`); tests compare. Nothing else is written there by code.

The JSON Schema is what pydantic says of the documents, put together rule by rule. It knows no environment: which tables,
columns and vocabularies there are, and what parameters demand of each other, only `load_spec` can say.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pipeline.documents.document import Schema, schema_of, summary
from pipeline.noise.described.kinds_page import kinds_page
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import FileKind, Kind, RowKind
from pipeline.noise.mechanisms import CompletelyAtRandom, NotAtRandom
from pipeline.noise.spec import RuleDocument, SpecDocument
from pipeline.places import SPECIFICATIONS

START, END = "\n<!-- kinds -->\n", "\n<!-- end of kinds -->\n"
"""Lines of the page between which the table of kinds stands."""

_LED = "# yaml-language-server: $schema="


def refreshed(folder: Path = SPECIFICATIONS) -> Mapping[Path, str]:
    """Return the text that each file in which something follows from the code should have."""
    page = (folder / "README.md").read_text("utf-8")
    files = {path: path.read_text("utf-8") for path in sorted(folder.rglob("*.yaml"))}
    return {
        folder / "schema.json": schema_text(),
        folder / "README.md": page.split(START)[0] + START + "\n" + kinds_page() + END + page.split(END)[1],
        **{path: _led(path, text, folder) for path, text in files.items() if re.search(r"^rules:", text, re.MULTILINE)},
    }


def schema_text() -> str:
    """Return the JSON Schema as a file."""
    return json.dumps(specification_schema(), ensure_ascii=False, indent=2) + "\n"


def _led(path: Path, text: str, folder: Path) -> str:
    """Return a specification that begins with where the schema is, as seen from its folder."""
    up = "../" * (len(path.relative_to(folder).parts) - 1)
    own = re.sub(rf"\A{re.escape(_LED)}.*\n", "", text)
    return f"{_LED}{up}schema.json\n{own}"


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def specification_schema() -> Schema:
    """Return the schema of a whole specification (JSON Schema 2020-12), kinds in the order of the registry."""
    parts: dict[str, Schema] = {}
    kinds = {name: _apart(schema_of(kind), parts) | _named(kind) for name, kind in KINDS.items()}
    rule = _rule(_apart(schema_of(RuleDocument), parts))
    specification = schema_of(SpecDocument)
    specification["properties"]["rules"]["items"] = {"$ref": "#/$defs/rule"}
    definitions = {"rule": rule, **kinds, **parts}
    return {"$schema": DIALECT, **specification, "title": "Noise specification", "$defs": definitions}


def _apart(schema: Schema, parts: dict[str, Schema]) -> Schema:
    """Return the schema of a document alone; those inside it go to `parts`."""
    parts |= schema.pop("$defs", {})
    return schema


def _named(kind: type[Kind]) -> Schema:
    return {"title": kind.name, "description": _description(kind)}


def _description(kind: type[Kind]) -> str:
    return f"{summary(kind)} Recoverable? {kind.recovery}"


def _rule(rule: Schema) -> Schema:
    names = [{"const": name, "description": _description(kind)} for name, kind in KINDS.items()]
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


if __name__ == "__main__":
    for file, content in refreshed().items():
        file.write_text(content, "utf-8")
