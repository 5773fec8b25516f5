"""What sums by industry would cost: how many are near the originals' if a budget were spent on nothing else.

A sum is one over companies of a clipped vector of their mean figures, with the noise of its budget. The scale of each measure
and the norm are the best of several for each budget, which nobody could know: so this is a bound, no mechanism.

    python -m benchmarks.frontier.sums --environment us-listed --raw path/to/tables
"""

import argparse
from collections.abc import Sequence
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np

from anonymize.synthesis.account import clipped
from anonymize.synthesis.cube import Floats, Integers
from anonymize.synthesis.records import records_of, yearly_mean
from anonymize.tables import original_figures
from benchmarks.targets import markdown
from pipeline.conform import conform
from pipeline.model import Environment
from pipeline.model.identities import with_totals
from pipeline.places import landing
from raw.landing import land
from silt.environments.registry import find_environment

_BUDGETS = (3, 10, 30, 100, 300, 1_000, 3_000)
_SCALES, _NORMS = (0.9, 0.97, 0.99, 0.999, 1.0), (0.5, 1.0, 2.0, 4.0, 8.0)
"""Quantiles of magnitudes at which a measure is cut off, and norms in multiples of that."""

_NEAR = 0.25, 0.1

_REPORTED, _CANCELLED = 0.05, 0.1
"""Share of companies with a figure, of a measure that counts; share below which a sum has cancelled out."""


def main() -> None:
    """Print how many sums are near, by budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", default="us-listed")
    parser.add_argument("--raw", type=Path, help="folder of the raw tables; without it the generated ones")
    asked = parser.parse_args()
    environment = find_environment(asked.environment)
    raw = asked.raw or land(environment.corpus, landing(environment.name), 1.0)
    figures, groups = _figures(environment, raw)
    rows = [(f"{budget:,}", *(f"{share:.0%}" for share in near(figures, groups, budget))) for budget in _BUDGETS]
    print(markdown(("budget for sums alone (rho)", "within 25 %", "within 10 %"), rows))


def near(figures: Floats, groups: Sequence[Integers], rho: float) -> tuple[float, float]:
    """Return the shares of sums within 25 and 10 %, for the scale and the norm with the largest first.

    Args:
        figures: Of each company, shape (n, measures).
        groups: Positions of the companies of each industry.
        rho: The budget.
    """
    return max(_near(figures, groups, rho, scale, norm) for scale, norm in product(_SCALES, _NORMS))


def _near(figures: Floats, groups: Sequence[Integers], rho: float, scale: float, norm: float) -> tuple[float, float]:
    unit = np.maximum(np.quantile(np.abs(figures), scale, axis=0), 1e-9)
    vectors = clipped(np.clip(figures / unit, -1.0, 1.0), norm)
    sums, sizes, noised = (
        np.stack([each[group].sum(axis=0) for group in groups]) for each in (figures, np.abs(figures), vectors)
    )
    noise = np.random.default_rng(0).normal(0.0, 2 * norm / sqrt(2 * rho), sums.shape)
    has_any = sizes > 0
    base = np.where(np.abs(sums) < _CANCELLED * sizes, sizes, np.abs(sums))[has_any]
    errors = np.abs((noised + noise) * unit - sums)[has_any] / base
    wide, narrow = (float((errors <= near).mean()) for near in _NEAR)
    return wide, narrow


def _figures(environment: Environment, raw: Path) -> tuple[Floats, list[Integers]]:
    conformed = conform(environment.raw_tables, raw).frames
    entities, panel = environment.entities, environment.panel
    records = records_of(
        with_totals(original_figures(environment, conformed), environment, conformed),
        panel,
        code=entities.code,
        industry=entities.industry,
        entities=conformed[entities.tables[0]],
    )
    figures = yearly_mean(records.quanta)
    additive = np.asarray([measure.additive for measure in panel.measures])
    chosen: Floats = figures[:, additive & ((figures != 0).mean(axis=0) > _REPORTED)]
    return chosen, list(records.groups.values())


if __name__ == "__main__":
    main()
