"""Synthesizers of others as mechanisms of the frontier.

Each gets one wide table (industry and the known figures of one year) and returns one; it runs in the peers' own environment
(`peer.py`). Figures go as signed logarithms, without which beta margins and truncated normals would do badly. A
synthetic row has no owner: it is dealt by key to a firm of its industry, as the records of `guarded` are. So owners are named
at chance by construction; what discloses something is inference, differencing, membership and what is copied.

Of those looked at, synthpop has no port to Python whose trees are sequential; `trees` is its default method on scikit-learn.
SmartNoise, which has AIM and MST, installs by name, but with torch and its CUDA libraries, which is more than a benchmark may
ask for; `mst` is the latter's mechanism on mbi, its authors' library. Epsilon 1,000 shows what the bins alone cost.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.frontier.foils import Mechanism
from benchmarks.measure import PEERS
from pipeline.keyed import Key
from pipeline.model import PERIOD
from validation.attacks.adaptive.arrays import signed_logs
from validation.attacks.adaptive.populations import CODE, INDUSTRY, AttackedRelease, Make, Population

NAMES: Mapping[str, tuple[str, str]] = {
    "copula": ("Gaussian copula (SDV's copulas)", "default"),
    "forest": ("random forest (arfpy)", "default"),
    "trees": ("sequential trees (synthpop's way)", "default"),
    "mst:1000": ("MST (mbi)", "epsilon 1,000"),
    "mst:10": ("MST (mbi)", "epsilon 10"),
    "mst:1": ("MST (mbi)", "epsilon 1"),
}
"""Peers in words, by what `peer.py` calls them."""

GROUP = "industry"
"""What peers call `INDUSTRY`, which no header of a file can be."""


def synthesized(population: Population, made: pl.DataFrame, key: Key) -> AttackedRelease:
    """Return the release of a synthetic table, its rows dealt to the firms of their industries.

    Args:
        population: What it was made of, of one year.
        made: A row a firm: `INDUSTRY`, and the figures as signed logarithms; not a number is a gap.
        key: Deals.
    """
    year = population.figures[PERIOD][0]
    codes, place = key.derive("codes"), pl.int_range(pl.len()).over(INDUSTRY)
    rows = made.with_row_index(CODE).with_columns(codes.mac(CODE).alias(CODE), _place=place)
    firms = population.entities.sort(INDUSTRY, key.derive("deal").mac(CODE)).select(CODE, INDUSTRY, _place=place)
    dealt = firms.join(rows.select(published=CODE, _place="_place", **{INDUSTRY: INDUSTRY}), on=[INDUSTRY, "_place"])
    figures = rows.select(
        CODE,
        pl.lit(year, pl.Int64).alias(PERIOD),
        *(_figures(rows[name]).alias(name) for name in population.measures),
    )
    return AttackedRelease(
        population=Population(entities=rows.select(CODE, INDUSTRY).sort(CODE), figures=figures.sort(CODE)),
        truth=dict(dealt.select(CODE, "published").iter_rows()),
    )


def plain_table(population: Population) -> pl.DataFrame:
    """Return what a synthesizer is given: industry and signed logarithms, in the order of the codes."""
    rows = population.figures.join(population.entities, on=CODE).sort(CODE)
    return rows.select(INDUSTRY, *(pl.Series(name, signed_logs(rows[name].to_numpy())) for name in population.measures))


@contextmanager
def peer(name: str, interpreter: Path = PEERS) -> Iterator[Make]:
    """Start a peer, which answers as long as the block lasts, and return it as a mechanism."""
    command = [str(interpreter), str(Path(__file__).parent / "peer.py"), name]
    with (
        tempfile.TemporaryDirectory() as scratch,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
    ):
        given, made = (Path(scratch) / file for file in ("originals.csv", "synthetic.csv"))

        def make(population: Population, key: Key) -> AttackedRelease:
            plain_table(population).rename({INDUSTRY: GROUP}).write_csv(given)
            seed = int.from_bytes(key.derive("seed").secret[:4], "big") // 2
            print(f"{given}\t{made}\t{seed}", file=process.stdin, flush=True)
            if process.stdout is None or not process.stdout.readline():
                raise RuntimeError(f"{name} has ended before its table was there")
            return synthesized(population, pl.read_csv(made).rename({GROUP: INDUSTRY}), key)

        yield make


def synthesizers(opened: ExitStack) -> Iterator[Mechanism]:
    """Yield every peer; each answers until `opened` is closed."""
    for peer_name, (name, strength) in NAMES.items():
        yield Mechanism(name=name, strength=strength, make=opened.enter_context(peer(peer_name)))


def _figures(logs: pl.Series) -> pl.Series:
    values = logs.cast(pl.Float64).to_numpy()
    quanta = np.sign(values) * np.expm1(np.minimum(np.abs(values), 42.0))
    return pl.Series(quanta).fill_nan(None).round().cast(pl.Int64)
