"""What came out of a run, whoever ran it, as the command line tells it."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assets.evidence.attacks import OVER
from assets.making.results import Recorded, is_refusal
from assets.wiring.boundary import DETAILS, DRAWN, EXIT_STATUS, FAILING, FOLLOWS, REPORT, StepFailure
from assets.wiring.gates import CAUSE, IN_THE_REPORT
from pipeline.errors import CRASH_STATUS, GateError, InputError, SiltError
from pipeline.publish.refusal import kept_problems
from validation.report.sections.attacked import unkept_in_words


class DefectError(SiltError):
    """Silt itself failed; the curator's area holds the traceback."""

    exit_status = CRASH_STATUS


_KINDS = {kind.exit_status: kind for kind in (GateError, InputError)}


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What came out of a run."""

    checks: Sequence[Recorded]
    failures: Sequence[StepFailure]
    is_success: bool

    def refused(self) -> dict[str, str]:
        """Return the checks that stopped a run in which nothing else went wrong, each with the facts that it tells."""
        if self.is_success or any(self._errors()):
            return {}
        return {check["check"]: f"{_facts(check)}. {_cause(check)}" for check in self.checks if is_refusal(check)}

    def error(self) -> SiltError:
        """Return the error that a step met; problems of the raw tables are reported in full, from the curator's file."""
        outside = DefectError("the build failed outside its stages; look at the run in `make dev`")
        return next(self._errors(), outside)

    def _errors(self) -> Iterator[SiltError]:
        """Yield the errors that steps met, but for those that follow from others."""
        return (_met(failure) for failure in self.failures if not failure.facts[FOLLOWS])


def _facts(check: Recorded) -> str:
    """Return what the report says of a check, or else what it counted, in one line; its samples stand in the report."""
    plain = {name: value for name, (_, value) in check["metadata"].items() if name not in ("samples", "picture", CAUSE)}
    if OVER in plain:
        return unkept_in_words(plain["over their limit"], plain["attacks"])
    if said := plain.get(IN_THE_REPORT):
        return str(said).rstrip(".")
    return ", ".join(f"{name} {value}" for name, value in plain.items() if isinstance(value, str | int | float))


def _cause(check: Recorded) -> str:
    if CAUSE in check["metadata"]:
        return str(check["metadata"][CAUSE][1])
    return "No report says more; `silt build --fresh` shows whether it recurs."


def _met(failure: StepFailure) -> SiltError:
    facts, description = failure.facts, str(failure)
    if FAILING in facts:
        # What no gate found is refused all the same.
        said = description if facts[FAILING] else f"refused: {description}"
        return GateError(said, facts[FAILING], report=facts[REPORT], is_drawn=facts[DRAWN])
    kind = _KINDS.get(facts[EXIT_STATUS], DefectError)
    is_kept_apart = facts[DETAILS] and kind is InputError
    if not is_kept_apart:
        return kind(description)
    details = Path(facts[DETAILS])
    error = InputError(details.read_text(encoding="utf-8").rstrip())
    with suppress(OSError):  # the list itself could not be kept: the text says what is wrong
        error.problems = kept_problems(details.parent)
    return error
