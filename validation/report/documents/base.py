"""What every report has in common as a type."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from validation.attacks.limits import REPORTED_ONLY

Period = int | str
"""A year, or the name of a quarter or month."""

LimitInWords = Annotated[str, BeforeValidator(lambda text: REPORTED_ONLY if text == "told only" else text)]
"""What a policy allows an attack. Where there is no limit, earlier versions said so in other words."""

Cell = Mapping[str, str | int | float | None]
"""Where something was found: columns and their values; empty where nothing was."""


class Document(BaseModel):
    """A report or a part of one: nothing but the fields that are declared, each of its type, and nothing changes."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        # Few reports are read in most builds, and none where nothing changed.
        defer_build=True,
    )


ORIGINALS: Final = "the originals"
FRESH: Final = "fresh draws from the published statistics"
"""What a report compares a release with: fresh draws are a second sample from the same statistics, under another key."""


class Comparing(Document):
    """A report that compares a release with something."""

    compared_with: Literal["the originals", "fresh draws from the published statistics"] = ORIGINALS

    @property
    def is_of_fresh(self) -> bool:
        """Say whether that is fresh draws; fields that are named after originals hold theirs then."""
        return self.compared_with == FRESH

    @property
    def others(self) -> str:
        """Return what it is compared with, as pages call it: an original is never a fresh draw."""
        return "the fresh draws" if self.is_of_fresh else ORIGINALS


class Attempt(Document):
    """An attack that was carried out, and what it found."""

    attack: str
    knowledge: str
    records: int
    successes: int
    chance: float
    """The rate that guessing reaches."""
    detail: str
    rate: float
    upper_95: float
    """One-sided 95 % upper bound of the rate."""
