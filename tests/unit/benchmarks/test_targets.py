"""Targets are data, each of a row that is measured, and the tables say what was found and whether it suffices."""

from benchmarks.builds import GENERATED, REAL, title
from benchmarks.measure import Cost
from benchmarks.targets import TARGETS, Row, Target, table_of, verdicts

COLD = Row(
    name="dataclaw-18: cold",
    cost=Cost(seconds=24.5, cpu_seconds=40, peak_mb=1_600.4),
    ratios={"x the floor": 24.96},
    note="all evidence",
)


def test_a_row_is_told_with_everything() -> None:
    """Seconds, processor seconds, peak and ratios stand in one line; what was not measured is blank."""
    header, ruler, cold, bare = table_of([COLD, Row(name="floor", cost=Cost(seconds=1))]).splitlines()
    assert header == "| what              | seconds | processor | peak MB | beside                          |"
    assert set(ruler) == {"|", "-", " "}
    assert cold == "| dataclaw-18: cold | 24.50   | 40.00     | 1,600   | 24.96 x the floor; all evidence |"
    assert [cell.strip() for cell in bare.split("|")] == ["", "floor", "1.00", "", "", "", ""]


def test_each_target_is_met_missed_or_open() -> None:
    """The verdict is about the figure of this run, and a figure that nobody measured is no success."""
    lines = verdicts([COLD]).splitlines()
    of_cold = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:5]] for line in lines}
    assert of_cold["dataclaw-18: cold, seconds"] == ["<= 28", "24.50", "yes"]
    assert of_cold["dataclaw-18: cold, MB"] == ["<= 1500", "1,600.40", "NO"]
    assert of_cold["dataclaw-18: cold, x the floor"] == ["<= 30", "24.96", "yes"]
    assert of_cold["dataclaw-18: unchanged, seconds"] == ["<= 1.5", "", "not measured"]
    assert len(lines) == 2 + len(TARGETS)


def test_rows_of_one_name_tell_their_figures_together() -> None:
    """What is measured once is told beside the floor in one part and beside the peers in another."""
    again = Row(name=COLD.name, cost=COLD.cost, ratios={"per record": 1.0})
    targets = (
        Target(row=COLD.name, figure="per record", at_most=1.15),
        Target(row=COLD.name, figure="x the floor", at_most=1),
    )
    assert [line.split("|")[4].strip() for line in verdicts([COLD, again], targets).splitlines()[2:]] == ["yes", "NO"]


def test_some_bounds_are_from_below() -> None:
    """The peers are to take at least so many times as long."""
    target = Target(row="peers", figure="x", at_least=10)
    assert [target.is_met(value) for value in (9.99, 10.0, 11.0)] == [False, True, True]


def test_a_target_is_of_a_row_that_is_made() -> None:
    """A name that no part gives would leave a target open for ever."""
    whats = ["cold", "unchanged", "one rate changed", "noise explained", "released", "verified"]
    whats += [f"cold on {name}" for name in ("dask", "spark")]
    made = {f"{title(name, scale)}: {what}" for name in (GENERATED, REAL) for scale in (1, 10, 50) for what in whats}
    made |= {f"peers' pipeline, scale {scale:g}" for scale in (0.1, 1)}
    assert {target.row for target in TARGETS} <= made
