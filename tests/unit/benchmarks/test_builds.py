"""What is run beside what: a changed rate is one rate, peers that did another job are refused, parts are chosen by name."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml

from benchmarks.__main__ import LONG, PARTS, asked, measured_rows
from benchmarks.builds import CHANGED_RULES, Builds, unlike, with_changed_rate
from benchmarks.measure import Cost
from benchmarks.targets import Row
from pipeline.noise.spec import load_spec
from pipeline.places import default_specification
from silt.environments.registry import ENVIRONMENTS


@pytest.mark.parametrize("environment", CHANGED_RULES)
def test_one_rate_of_one_rule_is_changed(environment: str, tmp_path: Path) -> None:
    """All else stays, and the result is a specification."""
    rule = CHANGED_RULES[environment]
    given = default_specification(environment).read_text(encoding="utf-8")
    changed = with_changed_rate(given, rule)
    before, after = (yaml.safe_load(text)["rules"] for text in (given, changed))
    different = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [old["name"] for old, _ in different] == [rule]
    ((old, new),) = different
    assert new["mechanism"]["rate"] == pytest.approx(0.9 * old["mechanism"]["rate"])
    (tmp_path / "changed.yaml").write_text(changed, encoding="utf-8")
    assert load_spec(tmp_path / "changed.yaml", ENVIRONMENTS[environment])


def test_peers_that_did_another_job_are_noticed() -> None:
    """Other rows, a table that is not there, too little noise and an original code each are told."""
    rows = {"a.csv": 2, "b.csv": 3}
    same = {"rows": rows | {"more.csv": 1}, "changed": 85, "codes_left": 0}
    assert unlike(same, rows, 100) == []
    found = unlike({"rows": {"a.csv": 1}, "changed": 79, "codes_left": 5}, rows, 100)
    assert found == [
        "a.csv: 1 rows, Silt has 2",
        "b.csv: None rows, Silt has 3",
        "79 noisy cells, Silt has 100",
        "5 codes are left",
    ]


class _Named:
    """Builds whose parts only say that they were asked for."""

    def __getattr__(self, part: str) -> object:
        return lambda *_: self._row(part)

    @staticmethod
    def _row(part: str) -> Iterator[Row]:
        yield Row(name=part, cost=Cost(seconds=0))


def names_of(given: Namespace) -> list[str]:
    """Return the rows of what is asked for."""
    return [row.name for row in measured_rows(cast("Builds", _Named()), given)]


def test_each_part_runs_alone() -> None:
    """Every part is one that can be named, and gives its own rows only."""
    alone = [names_of(asked([part])) for part in PARTS]
    assert all(len(rows) == 1 for rows in alone)
    assert len({rows[0] for rows in alone}) == len(PARTS)


def test_long_parts_are_left_out_unless_named() -> None:
    """`make bench` takes minutes."""
    given = asked([])
    assert set(given.parts) == set(PARTS) - set(LONG)
    assert given.peer_scales == [0.1]
    assert names_of(asked(["scale", "cold"])) == ["cold", "scales"]


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is measured that nobody meant."""
    with pytest.raises(SystemExit):
        asked(["warm"])
    assert "unknown part: warm" in capsys.readouterr().err
