"""What a check needs that is not there is said, and accuses nobody."""

import sys
from pathlib import Path

import pytest

from tests.unit.release.test_checks_of_releases import made_in, of
from validation.release.checks.pages import pages_say_the_same
from validation.release.verifying import CHECKS
from validation.report.charts import vega


@pytest.mark.parametrize("has_room", [True, False])
def test_pages_need_room_for_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_room: bool) -> None:
    """The library that draws them reserves more addresses than some processes may."""
    monkeypatch.delitem(sys.modules, "vl_convert", raising=False)
    if not has_room:
        monkeypatch.setattr(vega, "_RESERVED", 2**62)
    (check,) = [check for check in CHECKS if check.find is pages_say_the_same]
    release = of(made_in(tmp_path))
    assert any("charts cannot be drawn here" in need(release) for need in check.needs) != has_room
