"""`python -m benchmarks.frontier`: what every mechanism tried costs and buys, as a table and a picture.

Each mechanism changes the known figures of one year, is attacked by linkage, and compared with the originals; all figures
are means over a few keys. The foils are written as plainly as they can be, each in the version that did best; they see the
known figures of that year alone, while `guarded` rebuilds every measure and year at once. The drawing is in `picture.py`.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.special import ndtri
from scipy.stats import rankdata

from anonymize.figures.guarded import FEWEST_FOR_VALUES, rebuild_from_neighbours
from anonymize.figures.lsd import perturb_low_digits
from anonymize.release_key import DEMONSTRATION_KEY
from anonymize.tables import original_figures
from benchmarks.picture import Point, picture
from pipeline.conform import conform
from pipeline.environment.dataclaw_18 import DATACLAW_18
from pipeline.environment.model import PERIOD, Environment, Frames, Measure
from pipeline.environment.us_listed import US_LISTED
from pipeline.keyed import Key
from validation.attacks.linkage import AMONG_FIVE, LARGEST_CONTRIBUTOR, MAHALANOBIS, OWNER, linkage_attacks
from validation.likeness import likeness
from validation.strength import MOST_CANDIDATES

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Random = np.random.Generator

_KEYS = 5
_SCALE = 0.1
_YEAR = 2014
"""Of the real tables: the year of the design's figures."""
_GROUP = "group"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A panel, and which of its records are attacked by what."""

    environment: Environment
    panel: pl.DataFrame
    """Code, `PERIOD`, `_GROUP` and the measures in quanta."""
    year: int

    @property
    def code(self) -> str:
        """Return the name of the column of codes."""
        return self.environment.entities.code

    @property
    def known(self) -> tuple[str, ...]:
        """Return the measures that the attacker knows and that foils change."""
        return max(self.environment.panel.known, key=len)

    @property
    def records(self) -> pl.DataFrame:
        """Return the records of the year."""
        return self.panel.filter(pl.col(PERIOD) == self.year)


@dataclass(frozen=True, kw_only=True)
class Release:
    """What a mechanism makes of the records of the year."""

    records: pl.DataFrame
    contributors: pl.DataFrame | None = None
    """Code and contributor, the largest first; None where no firm stands out."""


Mechanism = Callable[[Sample, Key], Release]
Foil = Callable[[Floats, Random], tuple[Floats, Integers | None]]
"""Makes new figures of one industry's, shape (n, m), and says whose each record mostly is."""


def mechanisms() -> Iterator[tuple[str, str, Mechanism]]:
    """Yield every mechanism at every strength: name, strength in words, and the mechanism itself."""
    yield from (("digits (lsd)", f"{digits} kept", _digits(digits)) for digits in (3, 1))
    yield from (("noise", f"sd {spread}", _foil(_noise(spread))) for spread in (0.1, 0.3, 0.6, 1.0))
    yield from (("shuffling", f"noise {share}", _foil(_shuffling(share))) for share in (0.2, 0.3, 0.45, 0.6))
    yield from (
        ("local shuffling", f"noise {spread}", _foil(_local_shuffling(spread))) for spread in (0.5, 0.8, 1.2, 2.0)
    )
    yield from (("microaggregation", f"k = {k}", _foil(_microaggregation(k))) for k in (3, 5, 8, 12))
    yield from (("one neighbour", f"of {k}", _foil(_one_neighbour(k))) for k in (1, 3, 8))
    yield from (("assignment", f"not the {k} nearest", _foil(_assignment(k))) for k in (0, 2, 5))
    yield from (("plain mixture", f"k = {k}", _foil(_plain_mixture(k))) for k in (3, 5, 8, 12))
    yield from (("guarded", f"strength {strength}", _guarded(strength)) for strength in (0, 1, 2, 3, 4, 6, 8))


def measured(sample: Sample, name: str, strength: str, mechanism: Mechanism, keys: int = _KEYS) -> Point:
    """Return the means over a number of keys."""
    figures = [_figures(sample, mechanism(sample, DEMONSTRATION_KEY.derive("frontier", str(i)))) for i in range(keys)]
    return Point(mechanism=name, strength=strength, figures=dict(pl.DataFrame(figures).mean().row(0, named=True)))


def _figures(sample: Sample, release: Release) -> dict[str, float | None]:
    """Return the figures of one release, by the headings of the table."""
    attacks = linkage_attacks(
        sample.records,
        release.records,
        entity=sample.code,
        group=_GROUP,
        measures=sample.known,
        known=[sample.known],
        contributors=release.contributors,
    )
    rates: dict[str, float | None] = {}
    for attack in attacks:
        rates.setdefault(attack.attack, attack.rate)
    alike = likeness(sample.records, release.records, sample.known, group=_GROUP)
    return {
        "owner": rates[OWNER],
        "among five": rates[AMONG_FIVE],
        "Mahalanobis": rates[MAHALANOBIS],
        "largest contributor": rates.get(LARGEST_CONTRIBUTOR),
        "Spearman": alike.median_spearman,
        "drift": alike.largest_drift,
        "D": alike.largest_distance,
    }


def _guarded(strength: int) -> Mechanism:
    def mechanism(sample: Sample, key: Key) -> Release:
        rebuilt = rebuild_from_neighbours(
            sample.panel,
            sample.environment.panel,
            code=sample.code,
            industries=dict(sample.panel.select(sample.code, _GROUP).iter_rows()),
            candidates=_few(sample),
            strength=strength,
            key=key,
        )
        return Release(records=rebuilt.figures.filter(pl.col(PERIOD) == sample.year), contributors=rebuilt.contributors)

    return mechanism


def _few(sample: Sample) -> dict[str, list[str]]:
    """Return the firms of each firm's industry where they are few: they hide it, not those that it is pooled with."""
    members = sample.panel.group_by(_GROUP).agg(pl.col(sample.code).unique().sort())[sample.code].to_list()
    return {firm: firms for firms in members if len(firms) <= MOST_CANDIDATES for firm in firms}


def _digits(digits: int) -> Mechanism:
    def mechanism(sample: Sample, key: Key) -> Release:
        measures = [Measure(name=name, unit="", significant_digits=digits) for name in sample.known]
        noise = (perturb_low_digits(measure, code=sample.code, key=key) for measure in measures)
        return Release(records=sample.records.with_columns(noise))

    return mechanism


def _foil(foil: Foil) -> Mechanism:
    """Apply a foil to each industry by itself, its random numbers seeded by the key."""

    def mechanism(sample: Sample, key: Key) -> Release:
        random = np.random.default_rng(list(key.secret))
        records, codes = sample.records, sample.records[sample.code].to_numpy()
        values = records.select(sample.known).cast(pl.Float64).to_numpy()
        released = values.copy()
        contributors = np.full(len(codes), -1)
        for group in _members(records[_GROUP]):
            released[group], mostly = foil(values[group], random)
            if mostly is not None:
                contributors[group] = group[mostly]
        is_mixed = contributors >= 0
        return Release(
            records=records.with_columns(
                pl.Series(name, np.rint(released[:, j]).astype(np.int64)) for j, name in enumerate(sample.known)
            ),
            contributors=pl.DataFrame({sample.code: codes[is_mixed], "contributor": codes[contributors[is_mixed]]})
            if is_mixed.any()
            else None,
        )

    return mechanism


def _noise(spread: float) -> Foil:
    """Multiply each figure by a log-normal number."""
    return lambda values, random: (values * np.exp(spread * random.standard_normal(values.shape)), None)


def _shuffling(share: float) -> Foil:
    """Data shuffling (Muralidhar and Sarathy 2006): normal scores with correlated noise, mapped to the sorted figures."""

    def foil(values: Floats, random: Random) -> tuple[Floats, None]:
        scores = _scores(values)
        noise = random.multivariate_normal(np.zeros(values.shape[1]), np.cov(scores.T), size=len(values), method="eigh")
        return _mapped(values, np.sqrt(1 - share**2) * scores + share * noise), None

    return foil


def _local_shuffling(spread: float, near: int = 12) -> Foil:
    """Data shuffling whose noise has the covariance of each record's own neighbours."""

    def foil(values: Floats, random: Random) -> tuple[Floats, None]:
        scores = _scores(values)
        around = scores[_nearest(scores, near)]
        draws = random.standard_normal(around.shape[:2]) / np.sqrt(around.shape[1])
        noise = np.einsum("nk,nkm->nm", draws, around - around.mean(axis=1, keepdims=True))
        return _mapped(values, scores + spread * noise), None

    return foil


def _microaggregation(k: int) -> Foil:
    """MDAV (Domingo-Ferrer and Mateo-Sanz 2002): groups of k, each drawn anew with its own mean and covariance."""

    def foil(values: Floats, random: Random) -> tuple[Floats, None]:
        scores = _scores(values)
        moved = scores.copy()
        for group in _mdav(scores, k):
            deviations = scores[group] - scores[group].mean(axis=0)
            draws = random.standard_normal((len(group), len(group))) / np.sqrt(len(group))
            moved[group] = scores[group].mean(axis=0) + draws @ deviations
        return _mapped(values, moved), None

    return foil


def _mdav(scores: Floats, k: int) -> Iterator[Integers]:
    left = np.arange(len(scores))
    extreme = scores.mean(axis=0)
    while len(left) >= 2 * k:
        extreme = scores[left[_distances(scores[left], extreme).argmax()]]
        group = left[_distances(scores[left], extreme).argsort(kind="stable")[:k]]
        left = np.setdiff1d(left, group)
        yield group
    yield left


def _one_neighbour(k: int) -> Foil:
    """Publish the figures of one of the k nearest others as they are."""

    def foil(values: Floats, random: Random) -> tuple[Floats, Integers]:
        near = _nearest(_scores(values), k)
        chosen = near[np.arange(len(near)), random.integers(near.shape[1], size=len(near))]
        return values[chosen], chosen

    return foil


def _assignment(skipped: int) -> Foil:
    """Optimal transport between neighbours: each firm's figures go whole to another one, at the least total distance.

    Neither to itself nor to its nearest few; distances are blurred, or whoever has the originals would compute the same.
    """

    def foil(values: Floats, random: Random) -> tuple[Floats, Integers]:
        scores = _scores(values)
        costs = cdist(scores, scores, "sqeuclidean") * random.uniform(0.5, 1.5, (len(scores), len(scores)))
        forbidden = np.column_stack([np.arange(len(scores)), _nearest(scores, min(skipped, len(scores) // 4))])
        np.put_along_axis(costs, forbidden, 1e6, axis=1)
        chosen = linear_sum_assignment(costs)[1]
        return values[chosen], chosen

    return foil


def _plain_mixture(k: int) -> Foil:
    """Mix the k nearest others with exponential weights and noise of their own spread: the design's first prototype."""

    def foil(values: Floats, random: Random) -> tuple[Floats, Integers]:
        scores = _scores(values)
        near = _nearest(scores, k)
        weights = random.standard_exponential(near.shape)
        weights /= weights.sum(axis=1, keepdims=True)
        noise = random.standard_normal(near.shape) * np.sqrt(weights)
        noise -= weights * noise.sum(axis=1, keepdims=True)
        moved = np.einsum("nk,nkm->nm", weights + noise, scores[near])
        return _mapped(values, moved), near[np.arange(len(near)), weights.argmax(axis=1)]

    return foil


def _scores(values: Floats) -> Floats:
    """Return the normal scores of each column."""
    return ndtri((rankdata(values, axis=0) - 0.5) / len(values))


def _mapped(values: Floats, scores: Floats) -> Floats:
    """Return the sorted figures of each column in the order of the scores."""
    ranks = scores.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    return np.take_along_axis(np.sort(values, axis=0), ranks, axis=0)


def _nearest(scores: Floats, k: int) -> Integers:
    """Return the k nearest others of each row, nearest first."""
    distances = cdist(scores, scores, "sqeuclidean")
    np.fill_diagonal(distances, np.inf)
    return distances.argsort(axis=1, kind="stable")[:, : min(k, len(scores) - 1)]


def _distances(points: Floats, centre: Floats) -> Floats:
    distances: Floats = np.linalg.norm(points - centre, axis=1)
    return distances


def _members(labels: pl.Series) -> list[Integers]:
    rows = labels.to_frame("label").with_row_index("row").group_by("label", maintain_order=True).agg("row")["row"]
    return [each.to_numpy().astype(np.int64) for each in rows]


def real_sample(folder: Path) -> Sample:
    """Return the companies of `us-listed` with a period that ends in 2014."""
    tables = conform(US_LISTED.raw_tables, folder / US_LISTED.name.replace("-", "_")).frames
    ends = tables["fundamentals"].with_columns(pl.col("Period Ending").dt.year().cast(pl.Int64).alias(PERIOD))
    ends = ends.unique([US_LISTED.entities.code, PERIOD], keep="first", maintain_order=True)
    return _sample(US_LISTED, {**tables, "fundamentals": ends}, _YEAR)


def generated_sample() -> Sample:
    """Return a tenth of the firms of the generated corpus in the year with most records."""
    corpus = DATACLAW_18.corpus
    if corpus is None:
        raise ValueError("dataclaw-18 has a corpus")
    with tempfile.TemporaryDirectory() as folder:
        corpus.generate(Path(folder), _SCALE)
        tables = conform(DATACLAW_18.raw_tables, Path(folder)).frames
    return _sample(DATACLAW_18, tables, None)


def _sample(environment: Environment, tables: Frames, year: int | None) -> Sample:
    """Return the firms with an industry, but for those whose record of the year (the fullest if None) does not compare.

    That is, one that leaves out a known figure, or one of an industry with hardly any other.
    """
    entities = environment.entities
    listed = tables[entities.tables[0]].select(entities.code, pl.col(entities.industry).alias(_GROUP))
    panel = original_figures(environment, tables).join(listed.drop_nulls(), on=entities.code, maintain_order="left")
    fullest = panel.group_by(PERIOD).len().sort("len", PERIOD)[PERIOD][-1]
    sample = Sample(environment=environment, panel=panel, year=year or fullest)
    records = sample.records
    has_gap = pl.any_horizontal(pl.col(sample.known).is_null())
    is_small = (~has_gap).sum().over(_GROUP) < FEWEST_FOR_VALUES
    left_out = records.filter(has_gap | is_small)[entities.code].implode()
    return replace(sample, panel=panel.filter(~pl.col(entities.code).is_in(left_out)))


def table(points: Sequence[Point]) -> str:
    """Return the table in Markdown, one row for each mechanism and strength."""
    names = list(points[0].figures)
    rows = [
        ("mechanism", "strength", *names),
        *((point.mechanism, point.strength, *(_text(name, point.figures[name]) for name in names)) for point in points),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows
    )


def _text(name: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if name in {"Spearman", "drift", "D"} else f"{value:.1%}"


def main() -> None:
    """Measure every mechanism, print the table and draw the picture."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier", description=__doc__)
    options.add_argument("--raw", type=Path, default=os.environ.get("SILT_REAL_TABLES"), help="folder of real tables")
    options.add_argument("--picture", type=Path, default=Path("frontier.svg"), help="where the SVG goes")
    given = options.parse_args()
    sample = real_sample(Path(given.raw)) if given.raw else generated_sample()
    title = f"{sample.environment.name}, {sample.year}: {sample.records.height} records, {len(sample.known)} figures"
    points = [measured(sample, *mechanism) for mechanism in mechanisms()]
    print(f"{title}, means of {_KEYS} keys\n\n{table(points)}")
    given.picture.write_text(picture(points, title=title), encoding="utf-8")


if __name__ == "__main__":
    main()
