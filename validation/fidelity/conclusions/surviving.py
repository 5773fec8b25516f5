"""Conclusions: do the analyses of the fixed list give the same answers on the published figures as on the originals?

Belongs here: asking both sides, and the benchmark: two random halves of the originals. What two halves agree on can be read
from half of the firms, whichever they are, so it belongs to the industry and not to single firms; a release should keep it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from scipy.stats import beta

from pipeline.keyed import Key
from pipeline.model import Panel
from validation.fidelity.conclusions.analyses import Analysis, Answer
from validation.fidelity.conclusions.declared import declared_analyses
from validation.fidelity.conclusions.view import View
from validation.fidelity.sides import Columns, Side

SPLITS = 9
"""Number of times that the originals are halved; odd, so that there is always a majority. Our choice: two digits suffice."""

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """One analysis on both sides."""

    kind: str
    name: str
    original: Answer
    published: Answer
    halves: float
    """Share of the splits in which both halves of the originals give the same answer."""

    @property
    def is_same(self) -> bool:
        """Say whether the published figures give the same answer as the originals."""
        return self.original == self.published

    @property
    def is_shared(self) -> bool:
        """Say whether two halves of the originals give the same answer in most splits."""
        return self.halves > 0.5  # noqa: PLR2004


@dataclass(frozen=True, kw_only=True)
class Conclusions:
    """All analyses that the originals answer."""

    conclusions: tuple[Conclusion, ...]
    unanswered: int
    """Analyses of the list that the originals do not answer; they count nowhere else."""

    @property
    def n(self) -> int:
        """Return the number of conclusions."""
        return len(self.conclusions)

    @property
    def same(self) -> float | None:
        """Return the share that the published figures answer as the originals do."""
        return _share([each.is_same for each in self.conclusions])

    @property
    def halves(self) -> float | None:
        """Return the share on which two halves agree, averaged over the splits."""
        return sum(each.halves for each in self.conclusions) / self.n if self.n else None

    @property
    def shared(self) -> tuple[Conclusion, ...]:
        """Return the conclusions on which two halves of the originals agree in most splits."""
        return tuple(each for each in self.conclusions if each.is_shared)

    @property
    def same_of_shared(self) -> float | None:
        """Return the share of shared conclusions that the release keeps: the measure of success."""
        return _share([each.is_same for each in self.shared])

    @property
    def lower_95(self) -> float | None:
        """Return the one-sided 95 % lower bound of that share (Clopper and Pearson 1934), as if they were independent."""
        n, same = len(self.shared), sum(each.is_same for each in self.shared)
        return None if not n else float(beta.ppf(1 - CONFIDENCE, same, n - same + 1)) if same else 0.0

    def by_kind(self) -> dict[str, tuple[int, int, int, int]]:
        """Return, by kind, the numbers of conclusions, same ones, ones that halves share, and same ones among these."""
        kinds = dict.fromkeys(each.kind for each in self.conclusions)
        return {kind: self._counts([each for each in self.conclusions if each.kind == kind]) for kind in kinds}

    def summary(self) -> dict[str, Any]:
        """Return the shares, without any answer, in the form of JSON."""
        return {
            "n": self.n,
            "unanswered": self.unanswered,
            "same": self.same,
            "halves": self.halves,
            "splits": SPLITS,
            "shared": len(self.shared),
            "same_of_shared": self.same_of_shared,
            "lower_95": self.lower_95,
            "by_kind": {kind: dict(zip(_COUNTS, counts, strict=True)) for kind, counts in self.by_kind().items()},
        }

    @staticmethod
    def _counts(some: Sequence[Conclusion]) -> tuple[int, int, int, int]:
        shared = [each for each in some if each.is_shared]
        return len(some), sum(each.is_same for each in some), len(shared), sum(each.is_same for each in shared)


_COUNTS = ("n", "same", "shared", "same_of_shared")


def conclusions(originals: Side, published: Side, *, panel: Panel, columns: Columns, key: Key) -> Conclusions:
    """Ask both sides, and two halves of the originals, `SPLITS` times.

    Args:
        originals: The originals.
        published: The release; its firms may have any codes.
        panel: Declares the measures.
        columns: The columns of entities that both sides have.
        key: Decides which firms make a half.
    """
    view, other = (View.of(side, panel, columns) for side in (originals, published))
    analyses = declared_analyses(view, panel, columns)
    answered = [(analysis, found) for analysis in analyses if (found := analysis.answer(view)) is not None]
    agreement = _agreement([analysis for analysis, _ in answered], view, columns.industry, key)
    return Conclusions(
        conclusions=tuple(
            Conclusion(
                kind=type(analysis).__name__,
                name=str(analysis),
                original=found,
                published=analysis.answer(other),
                halves=halves,
            )
            for (analysis, found), halves in zip(answered, agreement, strict=True)
        ),
        unanswered=len(analyses) - len(answered),
    )


def halves_of(view: View, industry: str, key: Key) -> tuple[View, View]:
    """Split the firms at random within each industry, so that the halves' numbers differ by at most one in each."""
    by = [industry] if industry in view.labels else []
    firms = view.frame.select(view.code, *by).unique(view.code, keep="any", maintain_order=True)
    numbered = firms.sort(*by, key.uniform(view.code), view.code).with_columns(
        is_second=(pl.int_range(pl.len()).over(by) if by else pl.int_range(pl.len())) % 2 == 1
    )
    first, second = (numbered.filter(pl.col("is_second") == side)[view.code] for side in (False, True))
    return view.of_firms(first), view.of_firms(second)


def _agreement(analyses: Sequence[Analysis], view: View, industry: str, key: Key) -> list[float]:
    """Return for each analysis the share of splits in which both halves give the same answer; no answer is no agreement."""
    agreed = [0] * len(analyses)
    for split in range(SPLITS):
        first, second = halves_of(view, industry, key.derive("halves", str(split)))
        for i, analysis in enumerate(analyses):
            found = analysis.answer(first)
            agreed[i] += found is not None and found == analysis.answer(second)
    return [count / SPLITS for count in agreed]


def _share(same: Sequence[bool]) -> float | None:
    return sum(same) / len(same) if same else None
