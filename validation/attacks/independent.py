"""The independent opinion: Anonymeter's attacks, by an implementation that is not ours, in the form of our own.

Source of the attacks: Giomi, Boenisch, Wehmeyer and Tasnádi 2023, and their package `anonymeter`. The package and its
dependencies (pandas, numba, scikit-learn) take seconds to import and to compile: builds do not ask, `silt audit` does, and
pandas frames occur nowhere else. Where it is not asked, the reason is said.

Its attacks are used, but not its baselines of random guesses: one cannot be seeded, and one pairs a guess with the target
of the same row number, which in aligned tables is the target itself. The rate of guessing is computed exactly here.
"""

import importlib
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD
from validation.attacks import Attack, and_the
from validation.attacks.records.linkage import fullest_year
from validation.attacks.suite import Sides

NOT_INSTALLED = "Not asked for an independent opinion: anonymeter is not installed (make setup-audit)."
NOTHING_KNOWN = "Not asked: the environment declares no two figures that an outsider may know together."

_FEWEST = 2
"""Number of figures that Anonymeter needs: one that is known, one to be linked or inferred."""


def independent_opinion(sides: Sides, key: Key) -> list[Attack]:
    """Return Anonymeter's attacks on the year with the most records, by the longest set of known figures.

    If it is not asked, one attack without records says why.

    Args:
        sides: What the auditor holds; the truth is not used.
        key: Decides which targets and queries are tried.
    """
    measures = max(sides.environment.panel.known, key=len, default=())
    if len(measures) < _FEWEST:
        return [_not_asked(NOTHING_KNOWN)]
    if find_spec("anonymeter") is None:
        return [_not_asked(NOT_INSTALLED)]
    conformed = sides.conformed[sides.environment.entities.tables[0]]
    originals = _grouped(sides, sides.pair.originals.figures, conformed)
    return opinion(
        originals,
        _grouped(sides, sides.figures, sides.entities),
        group=sides.environment.entities.industry,
        year=fullest_year(originals),
        named=sides.environment.panel.period.name,
        measures=measures,
        key=key,
    )


def _not_asked(why: str) -> Attack:
    return Attack(attack="Anonymeter", knowledge="the published records", records=0, successes=0, detail=why)


def _grouped(sides: Sides, figures: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Return the figures with the industry of their company, as text."""
    code, industry = sides.environment.entities.code, sides.environment.entities.industry
    return figures.join(entities.select(code, pl.col(industry).cast(pl.String)), on=code, how="left")


SAMPLE = 500
"""Number of targets or queries of one attack (Anonymeter's default); the records searched in are never sampled."""

TOLERANCE = 0.05
"""Largest relative error of a right guess: Anonymeter's own."""

_QUERY_COLUMNS = 3
"""Columns in a query of the multivariate attack: Anonymeter's own."""

_MOST_ATTEMPTS = 10_000
"""Most queries tried in search of those that single out (our choice): if most fail, fewer than asked for are found."""

Floats = npt.NDArray[np.float64]


def opinion(
    originals: pl.DataFrame,
    published: pl.DataFrame,
    *,
    group: str,
    year: int,
    measures: Sequence[str],
    key: Key,
    sample: int = SAMPLE,
    named: Callable[[int], str] = str,
) -> list[Attack]:
    """Attack the records of one year with Anonymeter: single out in two ways, link, and infer each measure.

    - *Singling out*: queries that select one published record are asked of the originals, one column or three at a time; a
      success selects one original. Guessing reaches (1 - 1/n)^(n - 1), about 0.37 (Cohen and Nissim 2020). The queries use
      published figures as they are, so noise in the last digits defeats them: a low rate here says little about a release.
    - *Linkability*: an attacker with the first half of an original's measures and one with the second half, both with its
      group, look for the nearest published record; a success finds the same one, whosever it is. Guessing reaches 1/n of the
      group. The halves of one company are alike, so that companies which are not in a release do nearly as well: of `us-listed`
      sampled from half of its companies, 132 of 686 records of these in three years were linked, and 114 of 645 of the others.
    - *Inference*: the size of a measure, without its sign, is guessed from the published record that is nearest in the others.

    Distance is Anonymeter's Gower distance, here of signed logarithms, in which a missing figure is 0.

    Args:
        originals: Columns `group` (text), `PERIOD` and one of numbers for each measure.
        published: The same columns, anonymised; rows need not be aligned.
        group: Column that is published as it is (an industry).
        measures: The figures that are attacked; two or more.
        key: Decides which targets and queries are tried.
        sample: Largest number of targets or queries of one attack.
        named: Returns the published name of a year.

    Raises:
        InputError: The package is not installed.
    """
    sides = [_of_year(frame, group, year, measures) for frame in (originals, published)]
    if not all(side.height for side in sides):
        return []
    targets = sides[0].sort(key.derive("targets").mac(pl.int_range(pl.len()))).head(sample)
    attacks = _anonymeter()
    with warnings.catch_warnings():
        # It also queries for null figures, which selects nothing, and polars warns each time.
        warnings.filterwarnings("ignore", "Comparisons with None", UserWarning)
        return [
            *_singling_out(attacks, *sides, year=named(year), key=key.derive("queries"), sample=sample),
            _linkability(attacks, targets, sides[1], group=group, year=named(year), measures=measures),
            *_inference(attacks, targets, sides[1], group=group, year=named(year), measures=measures),
        ]


def _of_year(frame: pl.DataFrame, group: str, year: int, measures: Sequence[str]) -> pl.DataFrame:
    figures = pl.col(measures).cast(pl.Float64)
    return frame.filter((pl.col(PERIOD) == year) & pl.col(group).is_not_null()).select(group, figures)


def _anonymeter() -> Any:
    """Import the package, and silence its log, which repeats its results."""
    try:
        evaluators = importlib.import_module("anonymeter.evaluators")
    except ModuleNotFoundError as error:
        raise InputError(
            "Anonymeter's opinion needs the package anonymeter; install it, or leave its opinion out"
        ) from error
    logging.getLogger("anonymeter").setLevel(logging.ERROR)
    return evaluators


def _singling_out(
    attacks: Any, originals: pl.DataFrame, published: pl.DataFrame, *, year: str, key: Key, sample: int
) -> Iterator[Attack]:
    """Ask the originals the queries that single out among the published records, and count answers with one record."""
    attack = attacks.singling_out_evaluator
    seed = np.random.default_rng(int.from_bytes(key.digest("multivariate"), "big"))
    # The univariate queries come in an order that no seed fixes: all are taken, and we sample.
    every = attack.univariate_singling_out_queries(df=published, n_queries=_all_queries(published), rng=seed)
    queries = {
        "of one column": sorted(every, key=lambda query: key.digest(str(query)))[:sample],
        f"of {_QUERY_COLUMNS} columns": attack.multivariate_singling_out_queries(
            df=published,
            n_queries=sample,
            n_cols=min(_QUERY_COLUMNS, published.width),
            max_attempts=_MOST_ATTEMPTS,
            rng=seed,
        ),
    }
    size = originals.height
    for columns, asked in queries.items():
        found = originals.select(query.cast(pl.Int64).sum().alias(f"{place}") for place, query in enumerate(asked))
        yield Attack(
            attack=f"Anonymeter: singling out by queries {columns}",
            knowledge=f"the published records of {year}",
            records=len(asked),
            successes=sum(count == 1 for count in found.row(0)) if asked else 0,
            chance=(1 - 1 / size) ** (size - 1),
        )


def _all_queries(published: pl.DataFrame) -> int:
    """Return more queries than there can be: one for each cell, and three for each column."""
    return (published.height + 3) * published.width


def _linkability(
    attacks: Any, targets: pl.DataFrame, published: pl.DataFrame, *, group: str, year: str, measures: Sequence[str]
) -> Attack:
    middle = (len(measures) + 1) // 2
    halves = list(measures[:middle]), list(measures[middle:])
    evaluator = attacks.LinkabilityEvaluator(
        ori=_places(targets, measures).to_pandas(),
        syn=_places(published, measures).to_pandas(),
        aux_cols=tuple([*half, group] for half in halves),
        n_attacks=None,
    ).evaluate(n_jobs=1)
    known = " with ".join(", ".join(half) for half in halves)
    sizes = published.group_by(group).len()
    return Attack(
        attack="Anonymeter: linkability",
        knowledge=f"{known}, of {year}{and_the(group)}",
        records=targets.height,
        successes=_successes(evaluator),
        chance=float(
            targets.join(sizes, on=group, how="left").select((1 / pl.col("len")).fill_null(0.0).mean()).item()
        ),
        detail="A success is a company whose two halves lead to one published record, whosever it is; it names no owner.",
    )


def _inference(
    attacks: Any, targets: pl.DataFrame, published: pl.DataFrame, *, group: str, year: str, measures: Sequence[str]
) -> Iterator[Attack]:
    """Infer each measure from the others; records that do not report it take no part."""
    for secret in measures:
        known = [measure for measure in measures if measure != secret]
        asked, source = (
            # Anonymeter divides by the guess, so that each negative guess would count as right: sizes, not signs.
            _places(side.drop_nulls(secret), known).with_columns(pl.col(secret).abs())
            for side in (targets, published)
        )
        if not (asked.height and source.height):
            continue
        evaluator = attacks.InferenceEvaluator(
            ori=asked.to_pandas(),
            syn=source.to_pandas(),
            aux_cols=[*known, group],
            secret=secret,
            regression=True,
            n_attacks=asked.height,
        ).evaluate(n_jobs=1)
        yield Attack(
            attack=f"Anonymeter: inference of {secret}",
            knowledge=f"{', '.join(known)} of {year}{and_the(group)}",
            records=asked.height,
            successes=_successes(evaluator),
            chance=_guessing(asked[secret].to_numpy(), source[secret].to_numpy()),
        )


def _successes(evaluator: Any) -> int:
    """Return its count of successes. It warns if its own baseline is not beaten; we do not use that baseline."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return int(evaluator.results().n_success)


def _places(frame: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """Return the frame with measures as coordinates: sign(x) * log(1 + |x|), 0 if not reported."""
    value = pl.col(measures)
    return frame.with_columns((value.sign() * value.abs().log1p()).fill_null(0.0))


def _guessing(secrets: Floats, guesses: Floats) -> float:
    """Return the share of pairs of a secret and a published value that are within tolerance of each other, sizes >= 0."""
    ordered = np.sort(secrets)
    within = np.searchsorted(ordered, guesses * (1 + TOLERANCE), side="right")
    below = np.searchsorted(ordered, guesses * (1 - TOLERANCE), side="left")
    return float((within - below).sum()) / (len(secrets) * len(guesses))
