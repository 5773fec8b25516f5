"""Writes the JSON Schema of each published report, and of what a release adds, from the root of the repository.

The command is `python -m validation.report.documents.schemas`.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from pipeline.release.provenance.proofs import Proof
from validation.release.deidentification import Deidentification
from validation.report.documents import KINDS

FOLDER = Path("docs/schemas")

OF_RELEASES: Mapping[str, type[BaseModel]] = {"deidentification": Deidentification, "proof": Proof}
"""What only a release has, and a proof about it."""

SCHEMAS = {**KINDS, **OF_RELEASES}


def schema(name: str) -> str:
    """Return the JSON Schema of what is published, as the content of its file."""
    return json.dumps(SCHEMAS[name].model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def file_of(name: str) -> Path:
    """Return the file of a schema, from the root of the repository."""
    return FOLDER / f"{name}.schema.json"


if __name__ == "__main__":
    for each in SCHEMAS:
        file_of(each).write_text(schema(each), encoding="utf-8")
