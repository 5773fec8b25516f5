"""The first screen: what this is, three verdicts, what to do next; of a refused build what failed, before anything else.

Belongs here: what stands there, in which order, and advice that follows from verdicts: at most four steps, each with its
command. What a refused build needs is said by `failures.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from anonymize.policy import GUARDED, POLICIES
from pipeline.places import NOISY
from pipeline.wording import counted
from validation.report.documents import Reports
from validation.report.documents.distributions import Ks, Sample
from validation.report.head.completed import ADDED, STANDS
from validation.report.head.failures import before_check, failure_of, mended_by
from validation.report.head.gates import WIDE, Gate, gates_of, unjudged
from validation.report.head.verdicts import BAD, CAREFUL, GOOD, MEASURE, verdicts_of
from validation.report.html import SHORT, render
from validation.report.sections.noise import changes_of
from validation.report.sections.release import ReportedVariant
from validation.report.sections.unpromised import found_again

PUBLISHED, REFUSED = "published", "refused"


def top(reports: Reports, release: ReportedVariant) -> Markup:
    """Return the HTML that stands before all sections."""
    gates = sorted(gates_of(reports, release), key=lambda gate: (not gate.has_failed, not gate.is_doubtful))
    failed = [gate for gate in gates if gate.has_failed]
    is_refused = bool(failed or release.refused_by)
    verdicts, is_apart = list(verdicts_of(reports, release, gates)), is_curators(reports, release)
    blank = mostly_blank(reports, release)
    return render(
        "top.html",
        release=release,
        about=f"{_size(reports, release)}: {_kind(reports, release, is_refused=is_refused)}.{f' {blank}.' if blank else ''}",
        is_refused=is_refused,
        failures=[failure_of(gate, reports) for gate in failed],
        verdicts=verdicts[: _OF_ORIGINALS if is_apart else None],
        short=SHORT,
        is_curators=is_apart,
        for_curator=FOR_CURATOR,
        is_of_fresh=reports.is_of_fresh,
        promised=_promised(gates, failed, is_refused=is_refused, withheld=_withheld(reports, release)),
        counted_gates="" if is_refused else _counted_here(reports, release, is_apart=is_apart),
        steps=[] if is_refused or is_apart else list(steps_of(reports, release, is_safe=verdicts[1].is_yes)),
        gates=gates,
        free=[f"“{gate.claims}”" for gate in gates if not gate.is_blocking],
        stands=STANDS,
        before_check=before_check(reports, release, failed),
        mend=mended_by(reports, failed) or "mend the cause",
        trial=release.checked_under(POLICIES[release.manifest["policy"]]),
        added=ADDED,
        wide=WIDE if reports.ks and POLICIES[release.manifest["policy"]].samples_records else "",
        aggregates=unjudged(reports.consistency) if reports.consistency else "",
    )


_OF_ORIGINALS = 2
"""Cards of the curator's page, which compares with the originals: it has no tables, so it says neither how hard they are nor
what to do with them."""


def _counted_here(reports: Reports, release: ReportedVariant, *, is_apart: bool) -> str:
    """Return which gates the page counts; nothing if it counts all."""
    if is_apart:
        return "Counted here: gates on the originals."
    which = [*["before noise"] * release.hides_noise, *["whose outcome may be published"] * reports.is_of_fresh]
    return f"Counted here: gates {' '.join(which)}; the makers alone know what others found." if which else ""


def _withheld(reports: Reports, release: ReportedVariant) -> list[str]:
    """Return what limits the gates that the page counts, if it does not count all."""
    return [*["may be published"] * reports.is_of_fresh, *["is shown here"] * release.hides_noise]


def answers_of(reports: Reports, release: ReportedVariant) -> dict[str, str]:
    """Return in short what the first screen of a published variant answers, by question; the first one counts gates."""
    gates = list(gates_of(reports, release))
    _, promised, counts = _promised(gates, [], is_refused=False, withheld=_withheld(reports, release))
    return {"Built as promised?": f"{promised}: {counts.removesuffix('.')}"} | {
        each.question: each.answer for each in verdicts_of(reports, release, gates)
    }


FOR_CURATOR = "for the curator alone: compared with the originals"
"""What every page of the curator's reports says above all."""


def is_curators(reports: Reports, release: ReportedVariant) -> bool:
    """Say whether sampled records are compared with the originals: only the curator has such a page."""
    is_sampled = POLICIES[release.manifest["policy"]].samples_records
    return is_sampled and any(not each.is_of_fresh for each in reports.comparing)


def _size(reports: Reports, release: ReportedVariant) -> str:
    """Return how much this is: records of tables and of lists, companies, periods of their figures."""
    published = {
        file["path"]: file["records"] for file in release.manifest["files"] if file["path"].startswith("database/")
    }
    tables = [records for records in published.values() if records is not None]
    wide = sum(file["path"].startswith("ideal/") for file in release.manifest["files"])
    if not tables and reports.expectations:
        tables = [suite.records for suite in reports.expectations.tables]
    firms = f" on {release.companies:,} companies" if release.companies else ""
    size = f"{counted(sum(tables), 'record')}{firms} in {counted(len(tables), 'table')}" if tables else f"Tables{firms}"
    lists = _lists(reports, [path for path, records in published.items() if records is None])
    ideal = f", and {counted(wide, 'wide file')} in ideal/" if wide else ""
    return f"{size}{lists}{_periods(reports)}{ideal}"


def _lists(reports: Reports, paths: Sequence[str]) -> str:
    """Return what stands in lists beside the tables: a manifest does not count their records, a profile does."""
    records = {table.file: table.records for table in reports.profile.tables} if reports.profile else {}
    counts = [records[path] for path in paths if path in records]
    return f", {counted(sum(counts), 'record')} in {counted(len(counts), 'list')}" if counts else ""


def _kind(reports: Reports, release: ReportedVariant, *, is_refused: bool) -> str:
    """Return what became of the originals, and whether there is noise; of a refused build no more than that it is refused."""
    if is_refused:
        return "not fit to publish"
    is_sampled = POLICIES[release.manifest["policy"]].samples_records
    noise = (
        "without noise" if reports.noise and not changes_of(reports.noise) else f"and noisy on purpose. {_BEFORE_NOISE}"
    )
    return f"{'sampled' if is_sampled else 'pseudonymised'}, {noise}"


_BEFORE_NOISE = "The first two answers are of the tables before noise"


def mostly_blank(reports: Reports, release: ReportedVariant) -> str:
    """Return the columns of sampled records that are blank in half of their cells or more; nothing if none is."""
    if not (reports.profile and POLICIES[release.manifest["policy"]].samples_records):
        return ""
    of_each = ((table, column) for table in reports.profile.tables if table.records for column in table.columns)
    blank = [f"{table.table}.{column.column}" for table, column in of_each if 2 * column.missing >= table.records]
    policy = "the policy leaves prose blank, and values that few share"
    return f"Mostly or all blank: {', '.join(blank)} ({policy})" if blank else ""


def _periods(reports: Reports) -> str:
    found = sorted({str(sample.year) for sample in _compared(reports.ks)}) if reports.ks else []
    if not found:
        return ""
    periods = f"from {found[0]} to {found[-1]}" if len(found) > 1 else f"of {found[0]}"
    return f", companies' figures {periods}"


def _compared(ks: Ks) -> Sequence[Sample]:
    """Return the samples whose periods are the release's: those too small may be of sampled originals alone."""
    return ks.tests if ks.allowed and not ks.is_of_fresh else (*ks.tests, *ks.too_small)


def _promised(
    gates: Sequence[Gate], failed: Sequence[Gate], *, is_refused: bool, withheld: Sequence[str]
) -> tuple[str, str, str]:
    """Return whether the build is as promised: tone, answer and reason; of a part of the gates the answer is no plain yes."""
    if not gates and not is_refused:
        return CAREFUL, "unknown", "No report tells anything of this variant, so there is no evidence either way."
    untried, doubtful = (sum(getattr(gate, name) for gate in gates) for name in ("is_open", "is_doubtful"))
    stopped = sum(not gate.is_reached for gate in gates)
    held = len(gates) - len(failed) - untried - doubtful - stopped
    nothing = f", {untried} had too little to compare" if untried else ""
    nothing += f", {stopped} was not tried" if stopped else ""
    broken = f", {len(failed)} failed" if failed else ""
    look = f", {counted(doubtful, 'thing')} to look at" if doubtful else ""
    sentence = f"{held} of {len(gates)} gates hold{broken}{nothing}{look}."
    if is_refused:
        return BAD, "no", sentence if failed else f"{sentence} A check that is in no report refused the build."
    limits = [*["it could be tried"] * bool(untried), *withheld]
    if doubtful:
        return CAREFUL, "not in every respect", sentence
    # What could not be tried stands on the cards, each in the tone of what it means there.
    return (MEASURE, f"as far as {' and '.join(limits)}", sentence) if limits else (GOOD, "yes", sentence)


# --- what is next ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NextStep:
    """One thing to do."""

    text: str
    command: str = ""


def steps_of(reports: Reports, release: ReportedVariant, *, is_safe: bool) -> Iterator[NextStep]:
    """Return what is next for a build that passed, in the order of the terminal; a release only of what is safe."""
    privacy = reports.privacy
    if privacy and found_again(privacy) and not release.is_demonstration:
        yield NextStep(
            "If nobody may learn which company is which, do not publish this. See what sampling the records takes:",
            release.checked_under(GUARDED),
        )
    yield NextStep("Don't take our word for it: attack the published files yourself:", release.audit)
    if reports.noise and not reports.noise.rules and release.variant != NOISY:
        yield NextStep("Compute gold answers on `database/`. Your own agent gets the noisy variant's.")
    else:
        yield NextStep(
            "Give your own agent, on your machine, `database/` and nothing else: this page shows cells without noise."
        )
    if is_safe:
        yield NextStep("For anybody else, make a release, which they can cite and verify:", release.released)
