"""What releases of the same raw tables spend together, and the refusal of one that would spend more than the holder allows.

Whatever is out cannot be called back, so budgets add up (zero-concentrated differential privacy composes: Bun and Steinke 2016,
lemma 1.7). The same statistics with the same noise tell nothing new, and are counted once. What a release spent stands in the
half of the curator, and beside its key. Raw tables are the same by their bytes: one that was changed is another.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum, inf, isfinite
from pathlib import Path
from typing import Any

from pipeline.errors import GateError
from pipeline.model.budget import DELTA, epsilon
from pipeline.release.layout import OF_CURATOR, OPTIONS
from validation.release.diff.gate import earlier_releases, unreadable

_ROUNDING = 1e-9
"""By how much a sum may exceed what is allowed, because of how it is computed."""


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What a release spends, and of what: two that are equal publish the same statistics with the same noise."""

    raw: Mapping[str, str]
    """SHA-256 of the raw files, by name."""
    policy: str
    key_fingerprint: str
    budget: float | None
    """Rho; None under a policy that bounds nothing."""
    model: str | None
    """SHA-256 of the list of statistics; None where no figures and no events are declared."""
    declarations: Mapping[str, str]
    """SHA-256 of the files of a declaration that is a user's own."""

    @property
    def rho(self) -> float:
        """Return what is spent; infinite where nothing bounds it."""
        return inf if self.budget is None else self.budget


def refuse_overspent(
    releases: Path, own: Spending, in_all: float | None, *, recorded: Callable[[], Sequence[Mapping[str, Any]]] = tuple
) -> None:
    """Refuse a release that, with earlier ones of the same raw tables, spends more than all of them may.

    Args:
        releases: The folder below which releases stand, with their curator's halves.
        in_all: What all may spend; None for no limit.
        recorded: Returns what else is known to be released, as `on_record` puts it.

    Raises:
        GateError: It would; the message names each and the sums.
        InputError: What an earlier release was made with cannot be read.
    """
    if in_all is None or own.budget is None:
        return
    known = [*_spent(releases), *((str(each.get("release")), _of(each)) for each in recorded())]
    earlier = [(name, spent) for name, spent in known if set(spent.raw.items()) & set(own.raw.items())]
    distinct = [(name, spent) for i, (name, spent) in enumerate(earlier) if not _is_among(spent, earlier[:i])]
    before = fsum(spent.rho for _, spent in distinct)
    if _is_among(own, distinct) or before + own.rho <= in_all + _ROUNDING:
        return
    listed = ", ".join(f"{name} {_said(spent.rho)}" for name, spent in distinct) or "none"
    raise GateError(
        f"releases of these raw tables may spend {in_all:g} in all (Budget.in_all). Spent is {_said(before)} (by release: "
        f"{listed}), and this one spends {own.budget:g}. Build with a smaller --budget (BUDGET), or declare that more may be "
        "spent; what is out cannot be called back"
    )


def on_record(release: str, spent: Spending) -> dict[str, Any]:
    """Return what a release spends, for the record beside its key."""
    return {"release": release, **asdict(spent)}


def together(budgets: Sequence[float | None], *, is_same: bool) -> str:
    """Return in words what two releases cost whoever is in both; nothing unless both state a budget.

    Args:
        budgets: Rho of each, as its manifest states it.
        is_same: Whether both publish the same statistics.
    """
    stated = [budget for budget in budgets if budget is not None]
    if len(stated) < len(budgets):
        return ""
    rho = max(stated) if is_same else fsum(stated)
    once = ", of the same statistics, which count once" if is_same else ""
    return (
        f"{' and '.join(f'{each:g}' for each in stated)}{once}: they share raw tables; both spend rho {rho:g} together, "
        f"which is epsilon {epsilon(rho):.3g} at delta {DELTA:g}"
    )


def _said(rho: float) -> str:
    return f"{rho:g}" if isfinite(rho) else "without bound"


def _is_among(own: Spending, others: Sequence[tuple[str, Spending]]) -> bool:
    return any(own == spent for _, spent in others)


def _spent(releases: Path) -> Iterator[tuple[str, Spending]]:
    for curator, options in earlier_releases(releases):
        try:
            yield curator.name.removesuffix(OF_CURATOR), _of(options)
        except (TypeError, ValueError):
            raise unreadable(curator / OPTIONS) from None


def _of(options: Mapping[str, Any]) -> Spending:
    """Return what a release spent by its options; those of earlier versions state no budget, and nothing bounds them."""
    budget = options.get("budget")
    return Spending(
        raw=dict(options.get("raw", {})),
        policy=str(options.get("policy")),
        key_fingerprint=str(options.get("key_fingerprint")),
        budget=None if budget is None else float(budget),
        model=options.get("model"),
        declarations=dict(options.get("declarations", {})),
    )
