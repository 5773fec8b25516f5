"""Conclusions: do the analyses of the fixed list give the same answers on the published figures as on the originals?

Belongs here: asking both sides, and the benchmark: two random halves of the originals. What two halves agree on can be read
from half of the firms, whichever they are, so it belongs to the industry and not to single firms; a release should keep it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Panel
from validation.fidelity.conclusions.analyses import Analysis, Answer
from validation.fidelity.conclusions.declared import declared_analyses
from validation.fidelity.conclusions.view import View
from validation.fidelity.sides import EntityColumns
from validation.laws import share_at_least
from validation.pair import Side

SPLITS = 9
"""Number of times that the originals are halved; odd, so that there is always a majority. Our choice: two digits suffice."""

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """One analysis on both sides."""

    kind: str
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
    """All analyses that the originals answer, counted, without any answer; a share of none is None."""

    n: int
    unanswered: int
    """Analyses of the list that the originals do not answer; they count nowhere else."""
    same: float | None
    """Share that the published figures answer as the originals do."""
    halves: float | None
    """Share on which two halves agree, averaged over the splits."""
    splits: int
    shared: int
    """Conclusions that two halves of the originals share more often than not."""
    same_of_shared: float | None
    """Share of shared conclusions that the release keeps: the measure of success."""
    lower_95: float | None
    """One-sided 95 % lower bound of that share (Clopper and Pearson 1934), as if they were independent."""
    by_kind: Mapping[str, Mapping[str, int]]
    """Kind -> the numbers of conclusions, same ones, ones that halves share, and same ones among these."""


def counted(found: Sequence[Conclusion], unanswered: int) -> Conclusions:
    """Return how many conclusions are the same, and how many should be."""
    shared = [each for each in found if each.is_shared]
    n, same = len(shared), sum(each.is_same for each in shared)
    kinds = dict.fromkeys(each.kind for each in found)
    return Conclusions(
        n=len(found),
        unanswered=unanswered,
        same=_share([each.is_same for each in found]),
        halves=sum(each.halves for each in found) / len(found) if found else None,
        splits=SPLITS,
        shared=n,
        same_of_shared=_share([each.is_same for each in shared]),
        lower_95=share_at_least(same, n, CONFIDENCE) if n else None,
        by_kind={kind: _counts([each for each in found if each.kind == kind]) for kind in kinds},
    )


def conclusions(
    originals: Side, published: Side, *, panel: Panel, columns: EntityColumns, key: Key
) -> tuple[list[Conclusion], int]:
    """Ask both sides, and two halves of the originals, `SPLITS` times.

    Args:
        published: The release; its firms may have any codes.
        key: Decides which firms make a half.

    Returns:
        The conclusions of the analyses that the originals answer, and how many they do not answer.
    """
    view, other = (View.of(side, panel, columns) for side in (originals, published))
    analyses = declared_analyses(view, panel, columns)
    answered = [(analysis, found) for analysis in analyses if (found := analysis.answer(view)) is not None]
    agreement = _agreement([analysis for analysis, _ in answered], view, columns.industry, key)
    conclusions = [
        Conclusion(kind=type(analysis).__name__, original=answer, published=analysis.answer(other), halves=halves)
        for (analysis, answer), halves in zip(answered, agreement, strict=True)
    ]
    return conclusions, len(analyses) - len(answered)


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


def _counts(some: Sequence[Conclusion]) -> dict[str, int]:
    shared = [each for each in some if each.is_shared]
    same, same_of_shared = (sum(each.is_same for each in of) for of in (some, shared))
    return {"n": len(some), "same": same, "shared": len(shared), "same_of_shared": same_of_shared}


def _share(same: Sequence[bool]) -> float | None:
    return sum(same) / len(same) if same else None
