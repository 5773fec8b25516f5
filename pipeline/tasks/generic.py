"""Families that follow from a declaration alone."""

from pathlib import Path

from pipeline.model import Environment
from pipeline.tasks.families import Families, load_families


def families_of(environment: Environment, file: Path | None) -> Families:
    """Return the families of a file, or those that follow from the declaration."""
    if file is None:
        raise NotImplementedError
    return load_families(file, environment)
