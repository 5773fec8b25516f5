"""Attacks on further kinds: they find what is given away, each for its own kind, and chance otherwise."""

from collections.abc import Mapping

import polars as pl
import pytest

from anonymize.policy import GUARDED, LSD
from anonymize.pseudonyms import pseudonyms
from anonymize.synthesis import synthesise
from anonymize.tables import original_figures
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Frames, lazy
from pipeline.model.treatments import in_a_register
from tests.anonymised import anonymise_tables
from tests.unit.kinds.harbours import HARBOURS, SHIPS
from tests.unit.kinds.test_pseudonyms_of_kinds import KEY, conformed
from validation.attacks import Attack
from validation.attacks.identifiers.guessed_keys import guessable_keys
from validation.attacks.kinds import KindSides, attacks_on_kind
from validation.attacks.limits import CODES, NAMES, ORDER, REGISTER, limit_of

RIGS = ("sloop", "ketch", "brig")
FLEET = 400


def fleet() -> dict[str, pl.DataFrame]:
    """Return tables with many ships, one of which has a rig of its own."""
    tables = conformed(ships=FLEET)
    own = pl.when(pl.col("ship") == "S07").then(pl.lit("junk")).otherwise("rig").alias("rig")
    return tables | {"ships": tables["ships"].with_columns(own)}


def attacked(kind: str, codes: Mapping[str, str], entities: pl.DataFrame, published: Frames) -> dict[str, list[Attack]]:
    tables = fleet()
    return attacks_on_kind(
        HARBOURS,
        KindSides(kind=HARBOURS.kind(kind), entities=entities, codes=codes),
        conformed=tables,
        raw=lazy({name: frame.cast(pl.String) for name, frame in tables.items()}),
        published=lazy(published),
        guesses=guessable_keys("harbours"),
        every_code=codes,
    )


def released(key: Key = KEY) -> tuple[dict[str, str], dict[str, pl.DataFrame]]:
    """Return the codes of ships, and every table anonymised under `lsd`."""
    tables = fleet()
    map_ = pseudonyms(HARBOURS, tables, key)
    told = anonymise_tables(HARBOURS, tables, map_, key, figures=original_figures(HARBOURS, tables))
    return dict(map_.of("ship").codes), told


def by_name(attacks: list[Attack]) -> dict[str, Attack]:
    return {attack.attack: attack for attack in attacks}


def test_a_register_finds_whoever_is_alone_in_it() -> None:
    """Under `lsd` a kind's attributes are the originals': the one junk is found, and no other ship."""
    codes, told = released()
    [attack] = attacked("ship", codes, told["ships"], {})[REGISTER]
    assert (attack.attack, attack.records, attack.successes) == ("quasi-identifier linkage, ship", FLEET, 1)
    assert attack.knowledge == "a register of ship with rig, built (of dates the year)"
    assert limit_of(REGISTER, attack, LSD) is None
    assert str(limit_of(REGISTER, attack, GUARDED)) == "no better than guessing"


def test_what_is_kept_of_a_kind_is_what_a_register_tells() -> None:
    """Codes and names aside, of the main kind as well."""
    assert in_a_register(HARBOURS, SHIPS) == ("rig", "built")
    assert in_a_register(HARBOURS, HARBOURS.entities) == ("trade",)


def test_codes_of_a_kind_are_undone_by_whoever_guesses_the_key() -> None:
    """The key of a kind follows from the release key: one of zeros is guessed, and a secret one is not."""
    codes, told = released(Key(bytes(32)))
    found = by_name(attacked("ship", codes, told["ships"], {})[CODES])
    assert found["dictionary, guessed keys, ship"].successes > 0.9 * FLEET
    codes, told = released()
    found = by_name(attacked("ship", codes, told["ships"], {})[CODES])
    assert all(not attack.beats_chance(1e-4) for attack in found.values())


def test_rows_in_the_order_of_the_originals_are_found() -> None:
    """The published table of ships stands in their raw order; visits in a keyed one."""
    codes, told = released()
    shuffled = told["visits"].select("ship", "weather").sort(KEY.derive("order").mac("ship"))
    found = by_name(attacked("ship", codes, told["ships"], {"ships": told["ships"].select("ship", "rig")})[ORDER])
    assert found["order of ships, rows, ship"].successes
    again = by_name(attacked("ship", codes, told["ships"], {"ships": shuffled})[ORDER])
    assert not again["order of ships, rows, ship"].successes


def test_names_of_a_kind_that_are_like_their_own_are_found() -> None:
    """People who keep all but a letter of their names are found; invented ones by chance."""
    tables = conformed()
    codes = {person: f"9{person}" for person in tables["people"]["person"]}
    people = tables["people"].with_columns(pl.col("person").replace(codes), name=pl.col("name") + "x")
    found = by_name(attacked("person", codes, people, {})[NAMES])
    assert (
        found["name overlap, characters of the legal name: the right one is first of its group, person"].successes == 3
    )


def test_under_guarded_a_kind_is_drawn_within_itself() -> None:
    """Counts of common attributes are near, rare ones blank, rows are others', and a register finds nobody."""
    tables = fleet()
    sampled = synthesise(HARBOURS, tables, original_figures(HARBOURS, tables), KEY, budget=20.0)
    ships = sampled.entities["ships"]
    counts, drawn = (dict(frame.group_by("rig").len().iter_rows()) for frame in (tables["ships"], ships))
    assert all(drawn[rig] == pytest.approx(counts[rig], abs=40) for rig in RIGS)
    assert "junk" not in drawn
    together = tables["ships"].join(ships, on="ship", suffix=" drawn")
    assert together.filter(pl.col("rig") == pl.col("rig drawn")).height < 0.5 * FLEET
    visits = sampled.rows["visits"]
    assert visits.height == pytest.approx(tables["visits"].height, abs=60)
    assert (sampled.statistics, sampled.drawn.figures.height) == (None, 0)
    map_ = pseudonyms(HARBOURS, tables, KEY)
    told = anonymise_tables(HARBOURS, tables, map_, KEY, figures=original_figures(HARBOURS, tables), sampled=sampled)
    [attack] = attacked("ship", map_.of("ship").codes, told["ships"], {})[REGISTER]
    assert not attack.successes
    assert told["visits"]["text"].null_count() == visits.height


def test_rows_of_whom_no_table_lists_are_refused_under_guarded() -> None:
    tables = fleet()
    tables["ships"] = tables["ships"].filter(pl.col("ship") != "S07")
    with pytest.raises(
        InputError, match="1 codes in column 'ship' of 'visits' are in no table that lists entities of the kind"
    ):
        synthesise(HARBOURS, tables, original_figures(HARBOURS, tables), KEY, budget=20.0)
