"""What `silt build --json` prints: how a build ended; and `silt audit --json`, where no audit could be made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pipeline.errors import InputError, Problem, SpecProblem
from validation.escapes import Escape
from validation.report.documents.base import Document
from validation.report.documents.privacy import AttackCounts

Question = Literal["faithful", "safe", "hard", "another_draw_alike"]
"""What a verdict answers."""

MEND = "mend what is named in `message`"
"""What to do first after bad input."""


class PublishedVariant(Document):
    """A variant as it was published."""

    variant: str
    folder: str
    files: int
    """In `database/`, as `rows` are."""
    tables: int = 0
    """Files among them that are tables; `rows` are theirs."""
    rows: int
    further_files: int = 0
    """In other folders: the same in other forms."""
    changes: int
    """Cells and rows that noise changed, as the page counts them; 0 without noise."""
    report: str
    """The page to open first; empty for ablations, which have one each."""


class Outcome(Document):
    """How a build ended."""

    outcome: Literal["published", "refused", "bad input", "defect"]
    environment: str
    variants: Sequence[PublishedVariant] = ()
    seconds: float
    steps: int = 0
    """Steps that this command made, with those that a refused build began; 0 if nothing had changed."""
    verdicts: Mapping[Question, str] = {}
    """The answers with which the report of the first variant opens, each by its question: `faithful` is "Faithful to the
    originals?", `safe` "Safe to publish?", `hard` "How hard?". Of sampled records (`guarded`) the published page does not
    answer the first: it answers `another_draw_alike`, "Would another draw look alike?". `faithful` and `safe` are then the
    answers of the curator's page, which counts what attacks found."""
    look_at: Sequence[str] = ()
    """Each limit that is exceeded and refuses nothing: the section that says more, and what does not hold. Of sampled records
    also the columns that are mostly or all blank."""
    originals: Sequence[str] = ()
    """What changed in the raw tables since the build before, by file and number of rows; and whether the key may release it."""
    failing: Mapping[str, str] = {}
    """Each gate that refused, with what it found."""
    over: Sequence[str] = ()
    """Each attack that is over its limit, the farthest first: what it knows, what it found and may find."""
    attacks_over: Sequence[AttackCounts] = ()
    """The same attacks, each with its figures."""
    escapes: Sequence[Escape] | None = ()
    """Where something stands that identifies a company: the file, the first row, the column, the kind, and how many rows. Null
    where not all was searched: another gate refused the build before, and nothing was found in tables."""
    raw_rows: Sequence[str] = ()
    """Where that stands in the raw tables: file, row and column; and in which published row."""
    problems: Sequence[Problem | SpecProblem] = ()
    """Each problem of the raw tables: file, row, column, what was found, and what was expected. Of a noise specification: file,
    place, what was found, and what is allowed."""
    message: str = ""
    """The error, as it is printed."""
    report: str = ""
    """The page of a refused build."""
    first: str = ""
    """What to do before `next`, if there is anything: of a build that was refused, to mend what failed; or why it is next."""
    next: str = ""
    """The command to run next; of a build that was refused, the same again, or `silt check`, if that tries what failed."""


def listed(error: InputError) -> tuple[Problem | SpecProblem, ...]:
    """Return the problems of an error for a document, whose field says by its name what a sentence begins with."""
    return tuple(
        replace(each, expected=each.expected.removeprefix("expected ")) if isinstance(each, Problem) else each
        for each in error.problems
    )
