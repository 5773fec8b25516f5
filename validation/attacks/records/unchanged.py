"""Unchanged figures: which measures came out as the originals, to the last digit, in more of their figures than they may.

Belongs here: every measure, short ones too. A figure of three digits or fewer cannot be hidden by a mechanism that keeps
three; that nobody says so is what this attack is for. Figures that tell by their length are `exact.py`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import polars as pl
from scipy.stats import binom

from anonymize.policy import Policy
from pipeline.model import PERIOD, Measure
from validation.attacks import Attack

UNCHANGED = "measures as they were"

MOST, MOST_SAMPLED = 0.2, 0.05
"""Share of its figures that a measure may have as they were, beyond chance (our choice). Of a figure of four digits that keeps
three, the last one is drawn as it was once in ten: more than twice that means that the measure is too short to be hidden. A
sampled record has no owner, so that any share tells."""

DECIMALS = 6
"""Decimals of a chance: more than any verdict needs, fewer than a sum in another order changes."""

SHOWN = 10
"""Measures that are named in words; the report has all that are over their share."""

FAMILY_WISE = 0.001
"""Probability that chance puts any measure over its share."""


@dataclass(frozen=True, kw_only=True)
class OfMeasure:
    """How many figures of one measure are the originals; zeros, which say little, are left out."""

    measure: str
    figures: int
    unchanged: int
    chance: float
    """The share that is equal between a company and others of its group and year."""

    @property
    def beyond(self) -> float:
        """Return the share that is unchanged beyond chance."""
        return self.unchanged / self.figures - self.chance if self.figures else 0.0


@dataclass(frozen=True, kw_only=True)
class Unchanged(Attack):
    """The attack, with each measure that is over its share, the worst first."""

    measures: tuple[OfMeasure, ...] = ()

    def published(self) -> dict[str, object]:
        """Return the entry of `privacy.json`."""
        return super().published() | {"measures": [asdict(each) for each in self.measures]}


def unchanged_measures(
    originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[Measure], *, group: str, policy: Policy
) -> Unchanged:
    """Compare each figure with the original of the same company and year: a record is a measure that has any.

    Args:
        originals: `group`, `PERIOD` and a column of quanta for each measure.
        published: The measures, anonymised; row i belongs to the company and year of row i of `originals`.
        measures: The measures.
        group: Column within which companies may be alike.
        policy: Under one that samples records, any measure over its share is one too many.
    """
    most = MOST_SAMPLED if policy.samples_records else MOST
    every = [_of_measure(originals, published, measure.name, group) for measure in measures]
    tried = [each for each in every if each.figures]
    ordered = sorted(tried, key=lambda each: (-each.beyond, each.measure))
    over = [each for each in ordered if each.beyond > most and _beats_chance(each, len(tried))]
    # Which record is whose is a secret where records are sampled: a count that needs it is told only where it refuses.
    shown = over or ([] if policy.samples_records else ordered[:1])
    return Unchanged(
        attack=UNCHANGED,
        knowledge="every figure of the originals",
        records=len(tried),
        successes=len(over),
        measures=tuple(over),
        detail=_in_words(shown, is_over=bool(over)),
    )


def _of_measure(originals: pl.DataFrame, published: pl.DataFrame, measure: str, group: str) -> OfMeasure:
    """Count the figures that are equal; chance is that of the others of the same group and year, each as likely."""
    both = pl.DataFrame(
        [originals[group], originals[PERIOD], originals[measure].alias("own"), published[measure].alias("released")]
    )
    there = both.drop_nulls("released").with_columns(others=pl.len().over(group, PERIOD) - 1)
    alike = there.group_by(group, PERIOD, pl.col("released").alias("own")).agg(alike=pl.len())
    asked = there.filter(pl.col("own") != 0).join(alike, on=[group, PERIOD, "own"], how="left", nulls_equal=True)
    is_equal = pl.col("own") == pl.col("released")
    by_chance = (pl.col("alike").fill_null(0) - is_equal) / pl.col("others").clip(1)
    found = asked.select(unchanged=is_equal.sum(), chance=by_chance.mean())
    return OfMeasure(
        measure=measure,
        figures=asked.height,
        unchanged=found["unchanged"][0] or 0,
        chance=round(found["chance"][0] or 0.0, DECIMALS),
    )


def _beats_chance(found: OfMeasure, tried: int) -> bool:
    """Say so beyond doubt; of few figures nobody can say that chance is nothing: one more came out equal, and one did not."""
    chance = (found.chance * found.figures + 1) / (found.figures + 2)
    return bool(binom.sf(found.unchanged - 1, found.figures, chance) < FAMILY_WISE / tried)


def _in_words(shown: Sequence[OfMeasure], *, is_over: bool) -> str:
    if not shown:
        return ""
    listed = ", ".join(f"{each.measure} {each.unchanged:,} of {each.figures:,}" for each in shown[:SHOWN])
    return f"{'Figures as they were' if is_over else 'The most figures as they were'}: {listed}{_more(len(shown))}."


def _more(shown: int) -> str:
    return f", and {shown - SHOWN} more measures" if shown > SHOWN else ""
