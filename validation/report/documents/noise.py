"""Types of `noise.json` and `expectations.json`: what did noise change, and do published tables meet their suites?"""

from collections.abc import Mapping
from typing import Literal

from pydantic import AliasChoices, Field

from validation.attacks.noise.noise_filters import REALISTIC
from validation.expectations.rates import RuleRate
from validation.noise.cleaner.aggregates import Recomputed
from validation.report.documents.base import Attempt, Document


class OfRule(Document):
    """Something of a rule of the specification in one column."""

    rule: str
    kind: str
    table: str
    column: str
    """Empty for rows and files."""
    recoverable: bool | None
    """Whether all of it is; null where it changed nothing."""


class RuleChanges(OfRule):
    """What a rule changed."""

    cells: int
    rate: float
    """Share of what it could have changed."""


class Filter(Attempt):
    """An attempt to tell the rows that a rule changed from those that it left."""

    rule: str
    kind: str
    table: str
    is_detected: bool = Field(validation_alias=AliasChoices("is_detected", "told_apart"))
    """Whether it does better than guessing."""
    limit: float | None
    """What a kind that claims realism may be sorted to."""
    passed: bool

    @property
    def is_undecided(self) -> bool:
        """Say whether too few rows were tried: what is not detected may still do better than realism allows (upper bound)."""
        return not self.is_detected and self.upper_95 > REALISTIC


class Changes(Document):
    """Changes, by whether they can be found out again and were."""

    changes: int
    recoverable: int
    mended: int
    missed: int
    unrecoverable: int
    right_anyway: int


class OfKind(Changes):
    """What one kind of noise did, and what of it was mended."""

    kind: str
    family: str
    wrong: int


class Cleaner(Changes):
    """What the reference cleaner made of the noisy tables."""

    passed: bool
    share: float
    wrong: int
    """Cells that noise had left alone and the cleaner changed."""
    aggregates_are_exact: bool
    published_aggregates: Changes
    recomputed_aggregates: tuple[Recomputed, ...]
    kinds: tuple[OfKind, ...]


class Example(OfRule):
    """One change of a rule."""

    family: str
    before: str | None
    after: str | None


class LadderStep(Document):
    """A step of the ladder: what a reader who mends nothing answers rightly of what is left."""

    step: int
    mended: tuple[str, ...]
    changes: int
    answered: Mapping[str, float | None]


class Questions(Document):
    """How many questions were put."""

    tables: tuple[str, ...]
    one_record: int = Field(alias="one record")
    one_group: int = Field(alias="one group")
    two_groups: int = Field(alias="two groups")
    every_record: int | None = Field(default=None, alias="every record")
    """Records of all tables, those without noise among them."""
    touched_records: int | None = Field(default=None, alias="touched records")
    """Of all of them, those that noise changed or removed."""
    tables_without_noise: tuple[str, ...] = Field(default=(), alias="tables without noise")
    """Tables of figures first."""


class Noise(Document):
    """`noise.json`: what did noise change, and what can be mended? Without noise there are no rules, and nothing else."""

    rules: tuple[RuleChanges, ...]
    is_blocking: bool = False
    """Whether a failure stops publishing: Silt's own noise must keep its word, a user's may not."""
    filters: tuple[Filter, ...] = ()
    cleaner: Cleaner | None = None
    examples: tuple[Example, ...] = ()
    ladder: tuple[LadderStep, ...] = ()
    questions: Questions | None = None


class Suite(Document):
    """The suite of one table."""

    table: str
    records: int
    expectations: int
    met: int
    page: str
    """Its page of Data Docs."""


class Unmet(Document):
    """An expectation that was not met."""

    table: str
    column: str | None
    expectation: str
    observed: str


class Expectations(Document):
    """`expectations.json`: does every published table meet its suite?"""

    passed: bool
    variant: Literal["clean", "noisy"]
    expectations: int
    met: int
    tables: tuple[Suite, ...]
    failed: tuple[Unmet, ...]
    rules: tuple[RuleRate, ...]
