"""Noise specifications for mutants: the environment's own, edited, and what they make of a table."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import yaml

from anonymize.keys.release_key import DEMONSTRATION_KEY
from assets.making.keys import Stage
from pipeline.model import Environment
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.spec import load_spec
from pipeline.places import default_specification
from tests.mutants.mutant import Made, Spec


def edited(environment: Environment, edit: Callable[[Spec], Spec]) -> Spec:
    """Return the environment's noise specification, edited."""
    spec: Spec = yaml.safe_load(default_specification(environment.name).read_text(encoding="utf-8"))
    return edit(spec)


def written(spec: Spec, folder: Path) -> Path:
    """Write a specification into a folder."""
    file = folder / "noise.yaml"
    file.write_text(yaml.safe_dump(spec, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return file


def noised(made: Made, table: str, edit: Callable[[Spec], Spec]) -> Noised:
    """Return a table with noise by the environment's specification, edited; none of its kinds makes up codes."""
    environment, published = made.environment, made.environment.table(table)
    with tempfile.TemporaryDirectory() as folder:
        spec = load_spec(written(edited(environment, edit), Path(folder)), environment)
    beside: dict[str, pl.DataFrame] = {name: made.table(Stage.RENDERED, name) for name in published.beside}
    key = DEMONSTRATION_KEY
    return apply_noise(made.table(Stage.RENDERED, table), published, spec, environment, key, beside=beside)
