"""What a mutant is. Which there are stands in `catalogue.py`, how they are run in `laboratory.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.keys.release_key import DEMONSTRATION_KEY
from assets.making.store import Value
from pipeline.model import Environment
from tests.stages import kept, named, sealed

Place = tuple[str, str]
"""Stage and name of what a stage made."""

Spec = dict[str, Any]
"""A noise specification as YAML reads it."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """A finished build, as a mutant sees it."""

    environment: Environment
    folder: Path
    """The environment's output folder."""

    def table(self, stage: str, name: str) -> pl.DataFrame:
        """Return a table of a stage.

        Raises:
            TypeError: It is none, or the build does not have it.
        """
        value = self.value(stage, name)
        if not isinstance(value, pl.DataFrame):
            raise TypeError(f"there is no table {stage}/{name}")
        return value

    def sealed(self, stage: str, name: str) -> pl.DataFrame:
        """Return a table of a stage that is kept sealed."""
        return sealed(self.folder, stage, name, DEMONSTRATION_KEY)

    def text(self, stage: str, name: str) -> str:
        """Return a text of a stage.

        Raises:
            TypeError: It is none, or the build does not have it.
        """
        value = self.value(stage, name)
        if not isinstance(value, str):
            raise TypeError(f"there is no text {stage}/{name}")
        return value

    def places(self) -> list[Place]:
        """Return where something is kept."""
        return [(stage, name) for stage, _, name in (place.partition("/") for place in named(self.folder))]

    def value(self, stage: str, name: str) -> Value:
        """Return what a stage keeps under a name; None if it has nothing there."""
        return kept(self.folder, stage, name)


Change = Callable[[Made], Mapping[Place, Value]]
"""Gives what stands in the stages instead of what the build made."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One thing wrong in a build."""

    name: str
    does: str
    """What is wrong, in one sentence."""
    change: Change
    meant: str
    """The check that is there to find it."""
    also: Mapping[str, str] = field(default_factory=dict)
    """Other checks that find it, and why they must."""
    specification: Callable[[Spec], Spec] | None = None
    """The noise specification that the build is judged by, made from the environment's own; None for that itself."""

    @property
    def expected(self) -> set[str]:
        """Return the checks that fail."""
        return {self.meant, *self.also}
