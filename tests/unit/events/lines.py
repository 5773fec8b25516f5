"""A generator of shipping companies, many enough to be sampled: their sailings, and what they come to by year.

Nothing in it is random but by key, so that every run has the same tables.
"""

from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import ndtri

from pipeline.keyed import Key

KEY = Key(b"l" * 32)
PORTS = ("Cork", "Dover", "Leith")
YEARS = (2022, 2023, 2024)
COSTS = ("fuel", "wages", "dues", "repairs", "insurance", "rent", "debt", "cash")
CLASSES = ("car", "foot", "freight")


def lines(companies: int = 120, *, key: Key = KEY) -> dict[str, pl.DataFrame]:
    """Return the tables `companies`, `sailings` and `annual` as they are written to files.

    Companies differ in how often they sail and how large their ships are, and the large ones sail more often; summers are busy,
    dear sailings carry fewer, one sailing in twenty has no passengers counted, and of takings one in fifty is not the product.
    """
    rng = _Draws(key)
    size = rng.normal(companies, "size")
    codes = [f"L{place:03d}" for place in range(companies)]
    each = np.clip(np.exp(3.7 + 0.5 * size + 0.4 * rng.normal(companies, "each")), 10, 150).astype(int)
    owner = np.repeat(np.arange(companies), each)
    n = len(owner)
    day = (rng.uniform(n, "day") + rng.uniform(n, "summer")) / 2 * 360
    year = np.asarray(YEARS)[(rng.uniform(n, "year") * len(YEARS)).astype(int)]
    fare = np.round(np.exp(3.4 + 0.3 * rng.normal(companies, "fares")[owner] + 0.1 * rng.normal(n, "fare")), 2)
    crowd = 6.5 + 0.5 * size[owner] - 0.8 * (np.log(fare) - 3.4) + 0.003 * np.minimum(day, 360 - day)
    passengers = np.rint(np.exp(crowd + 0.3 * rng.normal(n, "passengers"))).astype(int)
    is_counted = rng.uniform(n, "counted") > 0.05
    is_product = rng.uniform(n, "product") > 0.02
    takings = np.where(is_product, np.round(passengers * fare, 2), np.round(passengers * fare * 0.9, 2))
    hour = np.asarray([7, 8, 9, 13, 17, 22])[(rng.uniform(n, "hour") * 6).astype(int)]
    minute = np.asarray([0, 30])[(rng.uniform(n, "minute") * 2).astype(int)]
    minutes = np.rint(np.exp(4.9 + 0.3 * rng.normal(companies, "routes")[owner] + 0.1 * rng.normal(n, "span")) / 5) * 5
    sailed = pl.DataFrame(
        {"year": year, "day": day.astype(int), "hour": hour, "minute": minute, "for": minutes}
    ).select(
        start := (
            pl.datetime(pl.col("year"), 1, 1)
            + pl.duration(days=pl.col("day"), hours=pl.col("hour"), minutes=pl.col("minute"))
        ).alias("sailed"),
        (start + pl.duration(minutes=pl.col("for").cast(pl.Int64))).alias("landed"),
    )
    sailings = pl.DataFrame(
        {
            "company": np.asarray(codes)[owner],
            "voucher": [f"V{place}" for place in range(n)],
            "sailed": sailed["sailed"],
            "landed": sailed["landed"],
            "class": np.asarray(CLASSES)[(rng.uniform(n, "class") ** 2 * 3).astype(int)],
            "passengers": pl.Series(passengers).set(pl.Series(~is_counted), None),
            "fare": fare,
            "takings": pl.Series(takings).set(pl.Series(~is_counted), None),
        }
    )
    ports = np.asarray(PORTS)[np.arange(companies) % 3]
    listed = pl.DataFrame(
        {"company": codes, "name": [f"{_word(place)} Lines" for place in range(companies)], "port": ports}
    )
    annual = (
        sailings.group_by("company", year=pl.col("sailed").dt.year())
        .agg(sailings=pl.len(), takings=pl.col("takings").sum().round(2))
        .sort("company", "year")
    )
    sizes = pl.DataFrame({"company": codes, "size": size})
    own = annual.join(sizes, on="company")
    paid = [np.round(np.exp(11 + own["size"].to_numpy() + 0.5 * rng.normal(own.height, name)), 2) for name in COSTS]
    books = own.drop("size").with_columns(pl.Series(name, each) for name, each in zip(COSTS, paid, strict=True))
    return {"companies": listed, "sailings": sailings, "annual": books}


def write_lines(folder: Path, tables: dict[str, pl.DataFrame]) -> Path:
    """Write the tables as CSV files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        frame.write_csv(folder / f"{name}.csv", datetime_format="%Y-%m-%dT%H:%M:%S", float_precision=2)
    return folder


_FIRST = ("Al", "Bor", "Cas", "Dun", "Er", "Fal", "Gor", "Hol", "Is", "Jor")
_SECOND = (
    "dane",
    "feld",
    "gate",
    "holm",
    "kirk",
    "land",
    "mere",
    "ness",
    "port",
    "wick",
    "ster",
    "thorp",
    "vik",
    "effective_records",
    "by",
)


def _word(place: int) -> str:
    return f"{_FIRST[place % len(_FIRST)]}{_SECOND[place // len(_FIRST) % len(_SECOND)]}"


class _Draws:
    """Uniform and normal draws by key and purpose."""

    def __init__(self, key: Key) -> None:
        self.key = key

    def uniform(self, count: int, purpose: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return so many draws from [0, 1)."""
        return self.key.uniforms(count, purpose)

    def normal(self, count: int, purpose: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return so many standard normal draws."""
        draws: np.ndarray[tuple[int], np.dtype[np.float64]] = ndtri(self.uniform(count, purpose) + 2.0**-54)
        return draws
