"""Writes the JSON Schema of what is published or told to programs: reports, what a release adds, how a build ended.

The command, from the root of the repository, is `python -m tests.schemas`.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DataclassSchema, ModelSchema

from pipeline.documents.docstrings import field_docs
from pipeline.release.provenance.proofs import Proof
from pipeline.tasks.records import Commitments, Kept, Question, Solved, TaskImpact
from validation.release.deidentification import Deidentification
from validation.report.documents import KINDS
from validation.report.documents.model import Model
from validation.report.documents.outcome import Outcome
from validation.tasks.scores import Results

FOLDER = Path("docs/schemas")

OF_RELEASES: Mapping[str, type[BaseModel]] = {"deidentification": Deidentification, "proof": Proof}
"""What only a release has, and a proof about it."""

OF_TASKS: Mapping[str, type[BaseModel]] = {
    "task": Question,
    "solved_task": Solved,
    "test_answer": Kept,
    "commitments": Commitments,
    "impact": TaskImpact,
    "results": Results,
}
"""Lines of the files of tasks, commitments to answers, and how answers of others were scored."""

SCHEMAS: Mapping[str, type[BaseModel]] = {**KINDS, **OF_RELEASES, **OF_TASKS, "model": Model, "outcome": Outcome}


def schema(name: str) -> str:
    """Return the JSON Schema of what is published, as the content of its file."""
    made = SCHEMAS[name].model_json_schema(schema_generator=_Documented)
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def file_of(name: str) -> Path:
    """Return the file of a schema, from the root of the repository."""
    return FOLDER / f"{name}.schema.json"


class _Documented(GenerateJsonSchema):
    """Describes each field by what stands under it."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        """Return the schema of a report or a part of one."""
        return _described(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        """Return the schema of a part that is computed elsewhere."""
        return _described(super().dataclass_schema(schema), schema["cls"])


def _described(made: JsonSchemaValue, cls: type) -> JsonSchemaValue:
    aliases = {name: field.alias for name, field in getattr(cls, "model_fields", {}).items()}
    for name, doc in field_docs(cls, object).items():
        if (part := made["properties"].get(aliases.get(name) or name)) is not None:
            part["description"] = doc
    return made


if __name__ == "__main__":
    for each in SCHEMAS:
        file_of(each).write_text(schema(each), encoding="utf-8")
