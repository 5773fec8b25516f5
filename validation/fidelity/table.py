"""The fidelity report as plain text, for a terminal or a curator's note.

Belongs here: words and columns. Every number comes from the report.
"""

from collections.abc import Iterator

from validation.fidelity.conclusions.surviving import Conclusions
from validation.fidelity.identities import IdentityShares
from validation.fidelity.marginals import Distances
from validation.fidelity.report import Fidelity
from validation.fidelity.sides import Changes
from validation.fidelity.sums import Near


def fidelity_table(report: Fidelity) -> str:
    """Return the report in lines of words and numbers."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Fidelity) -> Iterator[str]:
    yield f"firms {report.firms[0]} and {report.firms[1]}, records {report.records[0]} and {report.records[1]}"
    yield _row(
        "distributions", "tests", "p<=0.05", "median D", "by chance", "largest D", "W logs", "W sd", where="largest at"
    )
    yield _distances("by industry", report.marginals)
    yield _distances("by sub-industry", report.marginals_of_sub_industries)
    yield _distances("growth by industry", report.growth)
    yield _row("absolute changes of", "n", "median", "95 %", "largest", "within", "limit", where="largest at")
    yield _changes("rank correlations", report.correlations)
    yield _changes("year on year", report.year_on_year)
    yield _changes("shares of zeros", report.presence.zeros)
    yield _changes("shares of gaps", report.presence.gaps)
    yield _changes("top tenth's share", report.tails)
    yield _row("within 10 %", "n", "share", "error")
    yield _near("sums", report.aggregates.sums)
    yield _near("means", report.aggregates.means)
    yield _near("medians", report.aggregates.medians)
    yield _near("industries by sums", report.aggregates.industries)
    yield _row("identities hold", "n", "n publ.", "originals", "published", "residual")
    yield from (_identity(each) for each in report.identities)
    yield from _conclusions(report.conclusions)


def _distances(name: str, found: Distances) -> str:
    numbers = (
        *(found.rejected, found.median_distance, found.chance_distance, found.largest_distance),
        *(found.wasserstein, found.wasserstein_sd),
    )
    return _row(name, str(found.tests), *map(_number, numbers), where=found.largest_at)


def _changes(name: str, found: Changes) -> str:
    numbers = (found.median, found.percentile_95, found.largest, found.within, found.limit)
    return _row(name, str(found.n), *map(_number, numbers), where=found.largest_at)


def _near(name: str, found: Near) -> str:
    return _row(name, str(found.n), _number(found.share), _number(found.median_error))


def _identity(found: IdentityShares) -> str:
    shares = map(_number, (found.originals, found.published))
    return _row(found.identity, str(found.n), str(found.n_published), *shares, str(found.largest_residual))


def _conclusions(found: Conclusions) -> Iterator[str]:
    yield _row("conclusions", "n", "same", "shared", "same")
    for kind, counts in found.by_kind().items():
        yield _row(kind, *map(str, counts))
    yield f"{found.n} conclusions: {_number(found.same)} the same; two halves of the originals agree on {_number(found.halves)}"
    yield (
        f"{len(found.shared)} on which two halves agree in most splits: {_number(found.same_of_shared)} the same, "
        f"at least {_number(found.lower_95)} (95 %)"
    )


def _row(name: str, *cells: str, where: str = "") -> str:
    return f"{name:<44.44}{''.join(f'{cell:>11}' for cell in cells)}  {where}".rstrip()


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
