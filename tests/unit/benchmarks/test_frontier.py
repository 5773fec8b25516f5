"""The mechanisms of the frontier are what they are called, all are judged alike, and table and picture show what was found."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

from benchmarks.frontier.foils import Foil, applied, noise, normal_scores, rank_swapping, shuffling
from benchmarks.frontier.judged import JudgedMechanism, MostFound, cells, judged, legend, markdown
from benchmarks.frontier.picture import Point, picture
from benchmarks.frontier.shadows import shadow_attacks
from benchmarks.frontier.synthesizers import plain_table, synthesized
from benchmarks.frontier.work import Work
from pipeline.keyed import Key
from pipeline.model import PERIOD, Entities, Environment, Measure, Panel
from validation.attacks.adaptive.findings import auc, gain
from validation.attacks.adaptive.populations import CODE, INDUSTRY, AttackedRelease, Population, control_releases

MEASURES = ("revenue", "assets", "debt")
KEY = Key(b"k" * 32)


def figures(firms: int = 50) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return firms with three figures that go together."""
    rng = np.random.default_rng(2)
    return np.exp(rng.normal(14, 2, (firms, 1)) + rng.normal(0, 0.3, (firms, 3)))


def town() -> Work:
    """Return eighty firms of two industries in one year."""
    values = figures(80).astype(np.int64)
    codes = [f"firm {place:02}" for place in range(80)]
    population = Population(
        entities=pl.DataFrame({CODE: codes, INDUSTRY: ["bakers", "smiths"] * 40}),
        figures=pl.DataFrame({CODE: codes, PERIOD: [2020] * 80} | dict(zip(MEASURES, values.T, strict=True))),
    )
    entities = Entities(
        tables=(), code=CODE, name="", industry=INDUSTRY, sub_industry=INDUSTRY, language="en", code_mention="()"
    )
    panel = Panel(
        tables=(), measures=tuple(Measure(name=name, unit="") for name in MEASURES), known=(MEASURES[:1], MEASURES)
    )
    environment = Environment(
        name="town", title="A town", raw_tables=(), entities=entities, panel=panel, aggregates=(), tables=()
    )
    return Work(environment=environment, conformed={}, whole=population, originals=population, year=2020)


@pytest.mark.parametrize("foil", [rank_swapping(0.3), shuffling(0.3), shuffling(1.0)])
def test_values_change_hands(foil: Foil) -> None:
    """What swaps or shuffles keeps each measure's values and moves most of them."""
    new = foil(figures(), np.random.default_rng(1))
    assert np.array_equal(np.sort(new, axis=0), np.sort(figures(), axis=0))
    assert (new != figures()).mean() > 0.5


@pytest.mark.parametrize("reach", [0.1, 0.4])
def test_swapped_ranks_are_near(reach: float) -> None:
    """No figure goes further than it may."""
    new = rank_swapping(reach)(figures(), np.random.default_rng(1))
    ranks = [values.argsort(axis=0).argsort(axis=0) for values in (figures(), new)]
    assert np.abs(ranks[1] - ranks[0]).max() == round(reach * 50)


def test_noise_has_the_shape_of_the_data() -> None:
    """Logarithms of the factors are correlated as the figures' ranks are, and as large as asked."""
    values = np.tile(figures(), (20, 1))
    factors = np.log(noise(0.3)(values, np.random.default_rng(1)) / values)
    assert factors.std() == pytest.approx(0.3, rel=0.1)
    assert np.corrcoef(factors.T) == pytest.approx(np.corrcoef(normal_scores(values).T), abs=0.05)


def test_judges_tell_mechanisms_apart() -> None:
    """Hardly any noise names everybody and loses nothing; figures dealt anew name nobody, and lose more."""
    near, far = (judged(town(), applied(foil), keys=1) for foil in (noise(0.001), noise(9.0)))
    assert near.named.rate > 0.95
    assert near.members.rate > 0.9
    assert near.inferred.rate > 0.1
    assert far.named.rate < 0.25
    assert far.distance > near.distance
    assert far.correlations > near.correlations


def test_stated_statistics_are_attacked_too() -> None:
    """What they tell of figures and of membership stands by itself."""
    told = gain("", "", with_firm=np.ones(9), without=np.zeros(9), guessed=np.ones(9))
    area = auc("", "", members=np.ones(9), others=np.zeros(9))
    found = judged(town(), applied(noise(9.0)), stated=lambda _: ([told], [area]), keys=1)
    assert found.stated is not None
    assert [each.rate for each in found.stated] == [1, 1]
    assert found.differenced.rate < 1
    assert cells(found)["area by statistics"] == "1.00 (1.00)"


def test_sums_are_counted_by_how_near_they_are() -> None:
    """All sums of half as much more are far, those of a fifth more within a quarter, and the originals' own within a tenth."""
    found = [judged(town(), applied(lambda values, _, by=by: by * values), keys=1).sums for by in (1.0, 1.2, 1.5)]
    assert found == [(1, 1), (0, 1), (0, 0)]


def nobodys(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Draw figures that depend on nobody's."""
    return np.exp(random.normal(14, 2, values.shape))


def shadowed(foil: Foil) -> tuple[float, float]:
    """Return what whoever has all others learns by shadow releases, and the area for membership."""
    originals = town().originals
    controls = control_releases(applied(foil), originals, KEY, count=10)
    (told,), (members,) = shadow_attacks(originals, controls, KEY)
    return told.rate, members.rate


def test_shadow_releases_tell_what_is_kept() -> None:
    """Copies tell figures and members; so do sums of columns that change hands, of members; figures of nobody tell neither."""
    copies, shuffled, nobody = (shadowed(foil) for foil in (noise(0.01), shuffling(1.0), nobodys))
    assert copies[0] > 0.3
    assert copies[1] > 0.8
    assert shuffled[1] > 0.9
    assert abs(nobody[0]) < 0.1
    assert 0.3 < nobody[1] < 0.7


def test_shadow_attacks_need_releases_to_learn_from() -> None:
    """With three controls there is but one to learn from, and nothing is guessed."""
    originals = town().originals
    assert shadow_attacks(originals, control_releases(applied(noise(0.1)), originals, KEY, count=3), KEY) == ([], [])


def test_what_is_copied_is_counted() -> None:
    """Shuffled figures are all originals', noisy ones hardly any."""
    assert judged(town(), applied(shuffling(1.0)), keys=1).copied == 1
    assert judged(town(), applied(noise(0.3)), keys=1).copied < 0.05


def test_synthetic_rows_are_dealt_to_firms_of_their_industry() -> None:
    """Every row has an owner as long as its industry has firms; signed logarithms become quanta again, gaps stay gaps."""
    work = town()
    made = plain_table(work.originals).filter(pl.col(INDUSTRY) == "bakers")
    gap = made.with_columns(debt=pl.when(pl.int_range(pl.len()) > 0).then("debt"))
    release = synthesized(work.originals, gap, KEY)
    owners = dict(work.originals.entities.iter_rows())
    assert {owners[code] for code in release.truth} == {"bakers"}
    assert len(release.truth) == len(set(release.truth.values())) == 40
    assert release.population.figures["debt"].null_count() == 1
    assert sorted(release.population.figures["revenue"]) == sorted(
        work.originals.figures.join(work.originals.entities.filter(pl.col(INDUSTRY) == "bakers"), on=CODE)["revenue"]
    )


def test_whole_panels_are_cut_to_the_work() -> None:
    """Other years and measures of a release are not looked at."""
    work = town()
    wide = work.originals.figures.with_columns(other=pl.lit(1))
    more = pl.concat([wide, wide.with_columns(pl.lit(2021, pl.Int64).alias(PERIOD))])
    release = AttackedRelease(population=Population(entities=work.originals.entities, figures=more), truth={})
    assert work.cut(release).population.figures.equals(work.originals.figures)


def found(rate: float) -> MostFound:
    """Return what an attack found."""
    return MostFound(n=10, rate=rate, upper_95=rate + 0.1, chance=0.1)


JUDGED = JudgedMechanism(
    named=found(0.2),
    named_in_panel=found(0.8),
    inferred=found(0.01),
    differenced=found(-0.02),
    members=found(0.5),
    stated=None,
    copied=0.25,
    distance=0.1,
    rejected=0.3,
    correlations=0.02,
    sums=(0.6, 0.9),
    conclusions=0.95,
)


def test_the_table_tells_bounds_and_chance() -> None:
    """Each rate stands with its bound; what is not attacked is empty; the legend has numbers and chance."""
    lines = markdown([cells(JUDGED), cells(replace(JUDGED, named_in_panel=None))]).splitlines()
    assert [cell.strip() for cell in lines[2].split("|")[1:4]] == ["20.0% (30.0%)", "80.0% (90.0%)", "+1.0 (+11.0)"]
    assert lines[3].split("|")[2].strip() == ""
    assert "of 10 records (chance 10.0%)" in legend(JUDGED)


def test_an_empty_column_is_left_out() -> None:
    """Where no mechanism publishes more than the work, the table has no column for it."""
    assert "in the panel" not in markdown([cells(replace(JUDGED, named_in_panel=None))])


def point(mechanism: str, named_in_panel: float | None = None, *, inferred: float = 0.3) -> Point:
    """Return a mark of the picture."""
    return Point(
        mechanism=mechanism,
        strength="1",
        named=0.5,
        named_in_panel=named_in_panel,
        inferred=inferred,
        members=inferred,
        lost=0.05,
    )


def test_the_picture_is_well_formed() -> None:
    """The picture parses as XML, names every mechanism and chance, and is the same each time."""
    points = [point("one & two", 0.8), point("three")]
    drawn = picture(points, title="a < b", chance=0.025)
    texts = [element.text for element in ET.fromstring(drawn).iter() if element.text]  # noqa: S314  (our own text)
    assert {"one & two", "three", "a < b", "chance 2.5%"} <= set(texts)
    assert picture(points, title="a < b", chance=0.025) == drawn


def test_all_that_is_published_has_a_mark_of_its_own() -> None:
    """A mechanism that is attacked in the whole panel, too, has a hollow mark for it, where names are shown."""
    drawn = [picture([point("one", rate)], title="", chance=0.1) for rate in (None, 0.8)]
    assert [each.count('fill="#ffffff" stroke=') for each in drawn] == [0, 1]


def test_a_gain_below_zero_stands_on_the_axis() -> None:
    """Nothing is drawn outside the plots."""
    drawn = [picture([point("one", inferred=inferred)], title="", chance=0.1) for inferred in (-0.2, 0.0)]
    assert drawn[0] == drawn[1]
