"""Unchanged figures: which measures have more figures equal to the originals, to the last digit, than they may?

Belongs here: every measure, also those with short figures. A mechanism that keeps three digits cannot hide a figure of three
digits or fewer; this attack makes that visible. Single distinctive figures belong to `exact.py`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import polars as pl

from anonymize.policy import Policy
from pipeline.model import PERIOD, Measure
from pipeline.wording import counted
from validation.attacks import Attack
from validation.laws import exceeded

UNCHANGED = "measures as they were"

MOST, MOST_SAMPLED = 0.2, 0.05
"""Most unchanged figures of a measure, as a share beyond chance (our choice). If a four-digit figure keeps three, the last
digit recurs once in ten: more than twice that means that the measure is too short to be hidden. A sampled record has no owner,
so that the share must be small."""

DECIMALS = 6
"""Decimals of a chance: more than any verdict needs, fewer than another order of summing changes."""

SHOWN = 10
"""Measures that the detail names; the report lists all that exceed their share."""

FAMILY_WISE = 0.001
"""Probability that chance puts any measure above its share."""


@dataclass(frozen=True, kw_only=True)
class OfMeasure:
    """Number of unchanged figures of one measure; zeros say little and are left out."""

    measure: str
    figures: int
    unchanged: int
    chance: float
    """The share of equal figures between a company and others of its group and year."""

    @property
    def beyond(self) -> float:
        """Return the share that is unchanged beyond chance."""
        return self.unchanged / self.figures - self.chance if self.figures else 0.0


@dataclass(frozen=True, kw_only=True)
class Unchanged(Attack):
    """The attack, with each measure above its share, the worst first."""

    measures: tuple[OfMeasure, ...] = ()

    def published(self) -> dict[str, object]:
        """Return the attack's entry in `privacy.json`."""
        return super().published() | {"measures": [asdict(each) for each in self.measures]}


def unchanged_measures(
    originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[Measure], *, group: str, policy: Policy
) -> Unchanged:
    """Compare each figure with the original of the same company and year; a record is a measure with figures.

    Args:
        originals: `group`, `PERIOD` and a column of quanta for each measure.
        published: The measures, anonymised; row i belongs to the company and year of row i of `originals`.
        group: Column within which companies may be alike.
        policy: If it samples records, the allowed share is smaller.
    """
    most = MOST_SAMPLED if policy.samples_records else MOST
    every = [_of_measure(originals, published, measure.name, group) for measure in measures]
    tried = [each for each in every if each.figures]
    ordered = sorted(tried, key=lambda each: (-each.beyond, each.measure))
    over = [each for each in ordered if each.beyond > most and _beats_chance(each, len(tried))]
    # Who owns a sampled record is a secret, and this count depends on it: it is reported only if it refuses the build.
    shown = over or ([] if policy.samples_records else ordered[:1])
    return Unchanged(
        attack=UNCHANGED,
        knowledge="every figure of the originals",
        records=len(tried),
        successes=len(over),
        measures=tuple(over),
        detail=_in_words(shown, is_over=bool(over), untried=len(every) - len(tried)),
    )


def _of_measure(originals: pl.DataFrame, published: pl.DataFrame, measure: str, group: str) -> OfMeasure:
    """Count the equal figures; chance is the share of equal ones among the others of the same group and year."""
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
    """Say whether chance can be ruled out. One success and one failure are added, as few figures never prove a chance of 0."""
    chance = (found.chance * found.figures + 1) / (found.figures + 2)
    return bool(exceeded(found.unchanged - 1, found.figures, chance) < FAMILY_WISE / tried)


def _in_words(shown: Sequence[OfMeasure], *, is_over: bool, untried: int) -> str:
    if not shown:
        return ""
    listed = ", ".join(f"{each.measure} {each.unchanged:,} of {each.figures:,}" for each in shown[:SHOWN])
    more = f", and {len(shown) - SHOWN} more measures, which are listed below" if len(shown) > SHOWN else ""
    further = f" Not counted: {counted(untried, 'measure')} without a figure other than 0." if untried else ""
    return f"{'Figures as they were' if is_over else 'The most figures as they were'}: {listed}{more}.{further}"
