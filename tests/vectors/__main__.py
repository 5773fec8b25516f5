"""Writes the golden vectors: `python -m tests.vectors`. A change of them is a decision."""

from tests.vectors import VECTORS, as_json, vectors

VECTORS.write_text(as_json(vectors()), encoding="utf-8")
