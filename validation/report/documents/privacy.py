"""Types of `privacy.json`: what could an outsider find out?"""

from collections.abc import Mapping

from pydantic import AliasChoices, Field

from anonymize.quasi_identifiers import Classes
from validation.attacks.limits import names_owners
from validation.attacks.records.unchanged import OfMeasure
from validation.escapes import Escape
from validation.report.documents.base import Attempt, Document, LimitInWords


class AttackOutcome(Document):
    """What is published of an attack on sampled records: what it tried, its limit, and whether it kept it."""

    attack: str
    family: str
    knowledge: str
    limit: LimitInWords
    passed: bool | None
    """Null where there was nothing to try."""


class AttackCounts(Attempt):
    """One attack that was carried out on the release, with the originals in hand."""

    family: str
    limit: LimitInWords
    passed: bool | None
    """Null where there was nothing to try."""
    drawn_from: int | None = None
    """Of how many records those that were attacked were drawn, by industry and key; absent where all were attacked."""
    highest_kept: float | None = None
    """The highest rate that keeps the limit, on as many records, and with the same error if it is a gain, which may then be
    negative; null where there is no limit, nothing to try, or none found would be too many to say."""
    effective_records: float | None = Field(default=None, validation_alias=AliasChoices("effective_records", "worth"))
    """The effective sample size, of rows that succeed or fail together."""
    standard_error: float | None = None
    area: float | None = None
    """Under the curve that tells members from others."""
    table: str | None = None
    column: str | None = None
    """What is compared, of an attack that looks at one column of events."""
    measures: tuple[OfMeasure, ...] = ()
    """Measures that came out as they were."""

    @property
    def is_gain(self) -> bool:
        """Say whether the rate is what a release with the company adds to one without it (`Gain`)."""
        return self.standard_error is not None and self.area is None

    @property
    def unaided(self) -> float:
        """Return what guessing reaches, on the scale of the rate: a gain is counted from there."""
        return 0.0 if self.is_gain else self.chance


class GivenUp(Document):
    """A quasi-identifying column: what is left blank of it."""

    column: str
    filled: int
    given_up: int
    share_left: float


class ProseCounts(Document):
    """How companies are written in the originals' prose, by rule."""

    texts: int
    about_a_company: int
    naming_it: int
    replaced: Mapping[str, int]
    left_as_doubtful: Mapping[str, int]
    names_stated: Mapping[str, int] = Field(validation_alias=AliasChoices("names_stated", "names_told"))
    """Former and short names that texts state."""
    ordinary_names: int
    not_replaceable: int
    warnings: tuple[str, ...]


class Exemptions(Document):
    """What a declaration excuses."""

    declared: int
    unused: int | None = None
    """How many excuse nothing; absent where records are sampled, as places are."""
    places: Mapping[str, int] = {}
    """Kind of identifier -> places that are excused."""


class NotSearched(Document):
    """Names and codes that are searched for only alone in columns of codes: elsewhere they stand for something else."""

    short: int
    """They have fewer characters than anything that is searched for anywhere."""
    numbers: int
    """They are digits alone, like years and quantities."""
    ordinary: int = 0
    """They are words of the texts."""
    of: int | None = None
    """How many names, codes and other identifiers are listed, these among them."""


class SearchExtent(Document):
    """How much was searched, and for how much."""

    terms: int | None = None
    """Names, codes and other identifiers that are searched for anywhere; absent where records are sampled."""
    files: int | None = None
    """Files that the manifest lists; its reports, pages and the manifest are searched, too."""
    bytes: int | None = None
    """Bytes of these files."""


class PrivacyBounds(Document):
    """What all statistics together may tell of one company."""

    budget: float
    """Rho of zero-concentrated differential privacy."""
    epsilon: float
    delta: float
    largest_area: float
    """Under the curve of any test of membership."""
    most_bits: float
    """Information about all that a company reports."""
    bounds: str
    """The same in words."""


class Privacy(Document):
    """`privacy.json`: what could an outsider find out from the release?"""

    summary: str
    policy: str
    passed: bool
    attacks: tuple[AttackCounts | AttackOutcome, ...]
    """Where records are sampled, outcomes alone: counts are the curator's."""
    doors: tuple[str, ...] = ()
    """Where records are sampled, all ways on which anything passes from the originals to what is published."""
    account: PrivacyBounds | None = None
    quasi_identifiers: Classes | None
    further_kinds: Mapping[str, Classes]
    given_up: tuple[GivenUp, ...]
    prose: ProseCounts | None = None
    escapes: tuple[Escape, ...] | None = None
    """What stands in a published file and identifies a company; absent where files were not searched."""
    searched: SearchExtent | None = None
    not_searched: NotSearched | None = None
    exemptions: Exemptions | None = None

    @property
    def counted(self) -> list[AttackCounts]:
        """Return the attacks of which counts are reported."""
        return [attack for attack in self.attacks if isinstance(attack, AttackCounts)]

    @property
    def on_owners(self) -> list[AttackCounts | AttackOutcome]:
        """Return the attacks that were tried and name the owner of a record, of whatever family."""
        return [each for each in self.attacks if each.passed is not None and names_owners(vars(each))]
