"""Writes the JSON Schema of each published report, from the root of the repository.

The command is `python -m validation.report.documents.schemas`.
"""

import json
from pathlib import Path

from validation.report.documents import KINDS

FOLDER = Path("docs/schemas")


def schema(name: str) -> str:
    """Return the JSON Schema of a published report, as the content of its file."""
    return json.dumps(KINDS[name].model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def file_of(name: str) -> Path:
    """Return the file of a report's schema, from the root of the repository."""
    return FOLDER / f"{name}.schema.json"


if __name__ == "__main__":
    for each in KINDS:
        file_of(each).write_text(schema(each), encoding="utf-8")
