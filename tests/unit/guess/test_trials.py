"""What `silt check` says of a panel before it is built under `guarded`: what its trials refuse, and what helps."""

from pathlib import Path
from random import Random

import pytest

from pipeline.conform import conform
from pipeline.guess.declared import guess
from pipeline.model import Environment, Frames
from silt.commands.check.checking import likely_refused
from tests.unit.guess.folders import write


def states(folder: Path, *, is_steady: bool) -> tuple[Environment, Frames]:
    """Declare and read 60 states over 8 years, in which everybody is out of work at once, or at all times alike."""
    draw, rows = Random(5), "state,year,product,unemployed\n"  # noqa: S311  (not for security)
    for state in range(60):
        size = draw.lognormvariate(10, 1)
        for year in range(2001, 2009):
            shock = 1 if is_steady else 3 ** (year % 2)
            rows += (
                f"State {state},{year},{size * 1.02 ** (year - 2000):.0f},{shock * draw.lognormvariate(5, 0.2):.1f}\n"
            )
    found = guess(write(folder, {"states": rows}))
    assert found is not None
    environment = found.environment()
    read = conform(environment.raw_tables, folder, kinds=environment.kinds, panel=environment.panel)
    return environment, dict(read.frames)


@pytest.mark.parametrize("is_steady", [True, False])
def test_what_a_build_would_refuse_is_said_before(tmp_path: Path, *, is_steady: bool) -> None:
    """No statistic belongs to a year: figures that jump from year to year are not drawn as they are."""
    found, better = likely_refused(*states(tmp_path / "states", is_steady=is_steady), budget=10.0)
    assert any("distributions differ, of 'unemployed' most" in line for line in found) is not is_steady
    assert (better is not None) == any("Such a build tells" in line for line in found)
    assert better in {None, 5.0, 20.0}
