"""What the reader does next, in at most three steps, each with its command.

Belongs here: advice that follows from verdicts. What a refused build needs is said by `failures.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from anonymize.policy import GUARDED
from validation.report.documents import Reports
from validation.report.head.verdicts import is_linkable
from validation.report.sections.release import ReportedVariant


@dataclass(frozen=True)
class NextStep:
    """One thing to do."""

    text: str
    command: str = ""


def steps_of(reports: Reports, release: ReportedVariant) -> Iterator[NextStep]:
    """Return what is next for a build that passed."""
    privacy = reports.privacy
    if privacy and is_linkable(privacy) and not release.is_demonstration:
        yield NextStep(
            "If nobody may learn which company is which, do not publish this. Sample the records:",
            release.under(GUARDED),
        )
        yield NextStep("Otherwise give database/ only to those who may know the companies, read-only.")
    elif reports.noise and not reports.noise.rules:
        yield NextStep("Compute gold answers on database/; agents get the noisy variant's.")
    else:
        yield NextStep("Give database/ to the evaluator, read-only; everything beside it is evidence.")
    yield NextStep("Don't take our word for it: attack the published files yourself:", release.audit)
    yield NextStep("Make a release that others can cite and verify:", release.released)
