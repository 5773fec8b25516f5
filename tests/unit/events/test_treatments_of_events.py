"""What becomes of the columns of events, and that copies of them are looked for where they can be told from chance."""

from dataclasses import replace

import polars as pl

from anonymize.policy import GUARDED, LSD
from anonymize.treatments import published_treatments
from pipeline.model import Column, Role, lazy
from pipeline.model.schema.fields import TableLineage, taken
from pipeline.model.treatments import Treatment, treatments
from tests.unit.events.lines_declared import LINES
from tests.unit.events.voyages import KEY, TABLE, VOYAGES, fleet, many
from validation.attacks.records.copies import copy_attacks

DOCKS = replace(TABLE, columns=(*TABLE.columns, Column(name="berth", role=Role.IGNORED)))
DOCKED = fleet(replace(VOYAGES, stay_within="year"), table=DOCKS)


def test_every_column_of_events_has_a_treatment() -> None:
    """Numbers become others, times are moved, figures perturbed; what is ignored is not published."""
    decided = treatments(DOCKED, DOCKS)
    assert {decided[name] for name in ("ship", "ticket")} == {Treatment.PSEUDONYM}
    assert {decided[name] for name in ("left", "due")} == {Treatment.DATE}
    assert {decided[measure.name] for measure in VOYAGES.measures} == {Treatment.FIGURE}
    assert decided["berth"] is Treatment.WITHHELD


def test_other_columns_of_events_are_still_searched_for() -> None:
    """Figures are left to the attack on events, which knows whose they are; a withheld text that is published is found."""
    events = many(20, 30).with_columns(berth=pl.format("Berth of {} no. {}", "ship", "ticket"))
    raw = events.with_columns(pl.all().cast(pl.String))
    codes = pl.DataFrame({"code": [f"s{ship}" for ship in range(20)]}).with_columns(
        pseudonym="code", group=pl.lit("sea")
    )

    def found(*columns: str) -> list[int]:
        published = {"voyages": raw.select("ship", *columns)}
        attacks = copy_attacks(DOCKED, {"voyages": raw.lazy()}, lazy(published), codes, policy=LSD, key=KEY)
        return [attack.successes for attack in attacks]

    assert found("tons", "fare", "crew", "left", "ticket") == [0, 0]
    assert found("tons", "berth") == [0, 1]


def test_the_manifest_says_that_events_are_sampled() -> None:
    """Under `guarded` nothing of a row is said to be kept, perturbed or moved."""
    columns = LINES.table("sailings").columns
    told = replace(LINES, lineage={"sailings": TableLineage(columns=taken("sailings", columns))})
    assert published_treatments(told, GUARDED)["sailings"] == {
        "pseudonym": ["company", "voucher"],
        "sampled": ["sailed", "landed", "passengers", "fare", "takings"],
        "drawn from the shares that it has in the industry": ["class"],
    }
    kept = published_treatments(told, LSD)["sailings"]
    assert kept["kept, a quasi-identifier"] == ["class"]
    assert kept["moved by a number of whole weeks, the same for all of its company"] == ["sailed", "landed"]
    assert kept["perturbed"] == ["passengers", "fare"]
    assert kept["worked out again from passengers and fare; perturbed where that did not hold"] == ["takings"]
