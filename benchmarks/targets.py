"""What the benchmarks are to reach, as data, and the tables that say what was measured and what of it was reached."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.measure import Cost

SECONDS, MEMORY = "seconds", "MB"
FLOORS, PER_RECORD = "x the floor", "x the first scale, per record"
PROCESSOR_PER_RECORD = "x its processor time, per record"
ARCHIVED = "of the CSV, the larger archive"
ONE_MACHINE = "x one machine's processor time"
PEER_SECONDS, PEER_MEMORY = "x Silt's seconds", "x Silt's memory"
"""What is compared; a row's ratios have these names."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One thing that was measured, and what it is beside things of the same run."""

    name: str
    cost: Cost
    ratios: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def figures(self) -> dict[tuple[str, str], float]:
        """Return every figure under its name."""
        of_cost = {SECONDS: self.cost.seconds, MEMORY: self.cost.peak_mb}
        return {(self.name, what): value for what, value in (of_cost | dict(self.ratios)).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Target:
    """A bound of a figure of a row: it holds at most so much, or at least."""

    row: str
    figure: str
    at_most: float | None = None
    at_least: float | None = None

    def is_met(self, value: float) -> bool:
        """Say whether a value is within the bound."""
        return (self.at_most is None or value <= self.at_most) and (self.at_least is None or value >= self.at_least)

    @property
    def bound(self) -> str:
        """Return the bound in words."""
        return f"<= {self.at_most:g}" if self.at_most is not None else f">= {self.at_least:g}"


def _large(scale: str, megabytes: float) -> tuple[Target, Target]:
    row = f"dataclaw-18, scale {scale}: cold"
    return Target(row=row, figure=MEMORY, at_most=megabytes), Target(row=row, figure=PER_RECORD, at_most=1.15)


TARGETS: tuple[Target, ...] = (
    Target(row="dataclaw-18: cold", figure=SECONDS, at_most=28),
    Target(row="dataclaw-18: cold", figure=MEMORY, at_most=1_500),
    Target(row="dataclaw-18: cold", figure=FLOORS, at_most=30),
    Target(row="us-listed: cold", figure=SECONDS, at_most=10),
    Target(row="dataclaw-18: unchanged", figure=SECONDS, at_most=1.5),
    Target(row="us-listed: unchanged", figure=SECONDS, at_most=3),
    Target(row="dataclaw-18: one rate changed", figure=SECONDS, at_most=8),
    Target(row="us-listed: one rate changed", figure=SECONDS, at_most=5),
    Target(row="dataclaw-18: noise explained", figure=SECONDS, at_most=3),
    Target(row="us-listed: noise explained", figure=SECONDS, at_most=3),
    Target(row="dataclaw-18: released", figure=SECONDS, at_most=60),
    Target(row="dataclaw-18: released", figure=ARCHIVED, at_most=0.2),
    Target(row="dataclaw-18: verified", figure=SECONDS, at_most=20),
    Target(row="dataclaw-18: verified", figure=MEMORY, at_most=1_000),
    *_large("10", 2_500),
    *_large("50", 4_000),
    Target(row="dataclaw-18, scale 10: cold on dask", figure=ONE_MACHINE, at_most=1.3),
    Target(row="dataclaw-18, scale 10: cold on spark", figure=ONE_MACHINE, at_most=2),
    Target(row="peers' pipeline, scale 0.1", figure=PEER_SECONDS, at_least=10),
    Target(row="peers' pipeline, scale 1", figure=PEER_SECONDS, at_least=20),
    Target(row="peers' pipeline, scale 1", figure=PEER_MEMORY, at_least=1 / 1.3),
)
"""On two idle cores. A megabyte is a million bytes; scale 1 is the paper's size and is not named."""

_HEADER = ("what", "seconds", "processor", "peak MB", "beside")
_TARGETS_HEADER = ("target", "bound", "found", "met")


def table_of(rows: Iterable[Row]) -> str:
    """Return a Markdown table of what was measured."""
    return markdown(_HEADER, [_cells(row) for row in rows])


def verdicts(rows: Sequence[Row], targets: Iterable[Target] = TARGETS) -> str:
    """Return a Markdown table of the targets, those of what was not measured in this run left open."""
    found = {name: value for row in rows for name, value in row.figures.items()}
    return markdown(_TARGETS_HEADER, [_verdict(target, found.get((target.row, target.figure))) for target in targets])


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose columns stand under each other."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = (header, tuple("-" * width for width in widths), *rows)
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    cost = row.cost
    ratios = [f"{value:.2f} {name}" for name, value in row.ratios.items()]
    cpu = "" if cost.cpu_seconds is None else f"{cost.cpu_seconds:.2f}"
    peak = "" if cost.peak_mb is None else f"{cost.peak_mb:,.0f}"
    return row.name, f"{cost.seconds:.2f}", cpu, peak, "; ".join([*ratios, *([row.note] if row.note else [])])


def _verdict(target: Target, value: float | None) -> tuple[str, ...]:
    name = f"{target.row}, {target.figure}"
    if value is None:
        return name, target.bound, "", "not measured"
    return name, target.bound, f"{value:,.2f}", "yes" if target.is_met(value) else "NO"
