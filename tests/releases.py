"""Two releases of the same raw tables under different keys: can a firm in one be linked to itself in the other?

The attacker has both releases. Equal pseudonyms are joined; figures are linked to the nearest ones, as in `linkage.py`. The
rate of two releases is compared with the rate of each with the originals in hand. Tests make the second release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from scipy.stats import fisher_exact

from pipeline.model import PERIOD
from validation.attacks import Attack
from validation.attacks.records.linkage import known_figure_attacks


def pseudonym_overlap(first: Mapping[str, str], second: Mapping[str, str], *, kind: str, space: int) -> Attack:
    """Join two releases by equal pseudonyms.

    Args:
        first: Pseudonyms by original, of the one release.
        second: Pseudonyms by original, of the other.
        kind: What is joined ("codes", "names"), for the text.
        space: Number of pseudonyms that one is drawn from. A lower bound errs on the side of no alarm.

    Returns:
        Successes are the firms of both releases whose pseudonym in the first is anybody's in the second. `chance` is the rate
        for as many random draws from the space, and `detail` says how many of the joins are right.
    """
    given = set(second.values())
    both = [original for original in first if original in second]
    right = sum(first[original] == second[original] for original in both)
    return Attack(
        attack=f"equal {kind} in two releases",
        knowledge="a release of the same raw tables under another key",
        records=len(both),
        successes=sum(first[original] in given for original in both),
        chance=min(len(given) / space, 1.0),
        detail=f"{right} of {len(both)} firms have the same pseudonym in both",
    )


def release_linkage(
    first: pl.DataFrame,
    second: pl.DataFrame,
    originals: pl.DataFrame,
    *,
    group: str,
    year: int,
    measures: Sequence[str],
) -> list[Attack]:
    """Link each release to the originals, then the second release to the first, by the nearest figures of a year.

    Args:
        first: Figures of one release: columns `group`, `PERIOD` and one of numbers for each measure.
        second: Figures of the other; row i of all three frames belongs to the same company.
        originals: The originals' figures.
        group: Column that is published as it is (an industry), so that the attacker looks only within it.
        year: The year attacked.
        measures: The figures that are compared.

    Returns:
        Three attacks: the first release to the originals, the second to the originals, the second to the first.
    """
    pairs = {
        "a release to the originals": (originals, first),
        "another release to the originals": (originals, second),
        "two releases to each other": (first, second),
    }
    return [
        replace(
            nearest_of_year(known, published, group=group, year=year, measures=measures),
            attack=f"nearest-neighbour linkage of {name}",
        )
        for name, (known, published) in pairs.items()
    ]


def nearest_of_year(
    originals: pl.DataFrame, published: pl.DataFrame, *, group: str, year: int, measures: Sequence[str]
) -> Attack:
    """Link every record of one year that both sides report to its nearest original within the group."""
    sides = (frame.filter(pl.col(PERIOD) == year) for frame in (originals, published))
    return known_figure_attacks(*sides, group=group, known=[measures])[0]


def does_better(attack: Attack, reference: Attack, *, alpha: float) -> bool:
    """Return whether an attack's rate is above another's at a significance level: Fisher's exact test, one-sided.

    Attacks on the same records tend to succeed on the same ones; the test takes them for independent, and so errs on the side
    of no alarm.
    """
    table = np.array([[a.successes, a.records - a.successes] for a in (attack, reference)])
    return bool(fisher_exact(table, alternative="greater").pvalue < alpha)
