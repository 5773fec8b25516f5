"""One door: of two builds with other originals but the same draws, everything published is the same, byte for byte.

Everything is made from raw tables in which one company has another's figures and events; only the statistics, and what is drawn
from them, are those of the first build. What then differs passes by another way than the declared doors.
"""

import csv
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonymize.policy import GUARDED
from assets.every_step import declared_steps, ordered
from assets.making.flow import Door, doors_of, ways_of_originals
from assets.making.keys import Place, Stage
from assets.making.request import Request
from assets.making.results import ROW_COUNT, Recorded
from assets.making.scheduler import Scheduler
from assets.making.store import Name, Store, Value
from assets.wiring.resources import Workspace
from pipeline.conform.files.listing import digests_of
from pipeline.model import Environment
from pipeline.places import CURATOR, STORE
from silt.environments.us_listed import US_LISTED
from tests.integration.conftest import NOISE_ON_LINES, Build, write_key
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from tests.unit.events.lines import lines, write_lines
from tests.unit.events.lines_declared import LINES

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)]

TARGET, OTHER = "L007", "L011"
"""Whose figures are replaced, and by whose."""

ATTACKS = (Stage.REPORTS, "attacks")
OUTCOME = {"passed"}
"""What may differ in the outcome of a gate."""


def with_other_figures() -> dict[str, pl.DataFrame]:
    """Return the tables of the companies, of which one has the figures and events of another, ten times as large."""
    tables = lines()
    for name in ("annual", "sailings"):
        table = tables[name]
        larger = [pl.col(column) * 10 for column in ("fare", "takings", "fuel", "cash") if column in table.columns]
        copied = table.filter(company=OTHER).with_columns(pl.lit(TARGET).alias("company"), *larger)
        tables[name] = pl.concat([table.filter(pl.col("company") != TARGET), copied])
    numbered = pl.format("V{}", pl.int_range(pl.len()))
    return tables | {"sailings": tables["sailings"].with_columns(numbered.alias("voucher"))}


@dataclass(frozen=True)
class Made:
    """What every step made that the public half depends on, by place."""

    scheduler: Scheduler
    names: Mapping[Place, Name | None]
    shown: list[tuple[str, Recorded]]
    """Step and what the graph shows of it."""

    @property
    def public(self) -> dict[Place, Name | None]:
        """Return what no originals reach but through a door."""
        ways = ways_of_originals(self.scheduler.steps)
        return {place: name for place, name in self.names.items() if place not in ways}

    def report(self, place: Place) -> Any:
        """Return a report."""
        return json.loads(str(self.scheduler.store.value(self.names[place])))


def made(request: Request, store: Store, instead: Mapping[Place, Value] | None = None) -> Made:
    """Make everything but what ends in a folder."""
    scheduler = Scheduler(request, ordered(declared_steps(request.environment)), store, instead=instead)
    outcomes = {step.label: scheduler.outcome(step) for step in scheduler.steps if not step.ends}
    names = {place: name for outcome in outcomes.values() for place, name in outcome.made.items()}
    given = {place: scheduler.store.keep(value) for place, value in (instead or {}).items()}
    return Made(scheduler, names | given, [(label, each) for label, of in outcomes.items() for each in of.results])


def of_companies(_fixtures: pytest.FixtureRequest, folder: Path) -> Request:
    """Write shipping companies, and the same with other figures of one; return the request for what is made of the first."""
    for name, tables in (("one", lines()), ("other", with_other_figures())):
        (folder / name).mkdir()
        write_lines(folder / name, tables)
    (noise := folder / "noise.yaml").write_text(NOISE_ON_LINES)
    return requested(LINES, folder / "one", write_key(folder, f"{102:064x}"), out=str(folder / "out"), noise=str(noise))


def of_listed(fixtures: pytest.FixtureRequest, folder: Path) -> Request:
    """Write listed companies with the figures of one in the place of another's; the others are a build's, with its store."""
    build: Build = fixtures.getfixturevalue("listed_guarded")
    exchange_figures(Path(shutil.copytree(build.raw, folder / "other")) / "fundamentals.csv")
    store = shutil.copytree(build.folder / CURATOR / STORE, folder / "store")
    key = build.folder.parents[1] / "release.key"
    return requested(US_LISTED, build.raw, key, out=str(folder / "out"), store=str(store))


def requested(environment: Environment, raw: Path, key: Path, **settings: str) -> Request:
    """Return a request under the policy that samples records."""
    return Workspace(raw=str(raw), key_file=str(key), policy=GUARDED.name, **settings).request(environment)


def exchange_figures(file: Path) -> None:
    """Put the figures of the second company of a table in the place of the first one's."""
    header, *rows = csv.reader(file.read_text(encoding="utf-8").splitlines())
    ticker = header.index("Ticker Symbol")
    first, second, *_ = dict.fromkeys(row[ticker] for row in rows)
    kept = [row for row in rows if row[ticker] != first]
    copied = [
        [first if place == ticker else cell for place, cell in enumerate(row)] for row in kept if row[ticker] == second
    ]
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([header, *kept, *copied])


@pytest.fixture(scope="module", params=[of_companies, of_listed], ids=["lines", "us-listed"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Made, Made]]:
    """Return what is made of two sets of originals, with the draws of the first."""
    folder = tmp_path_factory.mktemp("door")
    first: Request = request.param(request, folder)
    store = Store(first.store)
    with store.held():
        one = made(first, store)
        statistics = [place for place, door in doors_of(one.scheduler.steps).items() if door is Door.STATISTICS]
        draws = {place: store.value(one.names[place]) for place in statistics}
        others = digests_of(first.environment.raw_tables, folder / "other")
        yield one, made(replace(first, raw=folder / "other", raw_files=others), store, draws)


def test_originals_are_others(both: tuple[Made, Made]) -> None:
    """What the curator's reports say moves with them, so that equal public ones say something."""
    one, other = both
    moved = {place for place in one.names if one.names[place] != other.names[place]}
    panel = one.scheduler.request.environment.panel.tables
    assert {(Stage.CONFORMED, name) for name in panel} <= moved
    assert {(Stage.CURATOR, name) for name in ("ks", "distributions", "attacks")} <= moved


def test_nothing_published_moves_but_outcomes_of_gates(both: tuple[Made, Made]) -> None:
    """Tables, noise, ledgers, files and every report but that on attacks are the same bytes; pages follow from these."""
    one, other = both
    moved = {place for place, name in one.public.items() if name != other.public[place]}
    told = {(Stage.FILES, variant) for variant in ("noisy", "clean")}
    assert moved <= {ATTACKS, *told}
    assert len(one.public) > 50


def test_attacks_tell_outcomes_alone(both: tuple[Made, Made]) -> None:
    """Of each attack nothing moves but whether it kept its limit."""
    one, other = (each.report(ATTACKS) for each in both)
    assert {**one, "attacks": [], "passed": True, "summary": ""} == {
        **other,
        "attacks": [],
        "passed": True,
        "summary": "",
    }
    fields = [{name: each[name] for name in each.keys() - OUTCOME} for each in one["attacks"]]
    assert fields == [{name: each[name] for name in each.keys() - OUTCOME} for each in other["attacks"]]


def test_graph_shows_outcomes_alone(both: tuple[Made, Made]) -> None:
    """What Dagster keeps of a build for good is the same of other originals, but for their size and the outcome of gates."""
    moved = {
        (step, fact)
        for (step, one), (_, other) in zip(both[0].shown, both[1].shown, strict=True)
        for fact, shown in one["metadata"].items()
        if json.dumps(shown) != json.dumps(other["metadata"][fact])
    }
    sizes = {("conformed", ROW_COUNT), ("conformed", "bytes"), ("anonymised/figures", ROW_COUNT)}
    assert moved <= {*sizes, ("reports/attacks", "over their limit")}
    assert ("conformed", "bytes") in moved


def test_pages_of_attacks_hold_no_count(both: tuple[Made, Made]) -> None:
    """Where outcomes are the same, so are all files of both variants."""
    one, other = both
    if one.names[ATTACKS] == other.names[ATTACKS]:
        assert one.public == other.public
