"""Noise that keeps to a range of ids is told by one filter; noise completely at random, or at a declared rate, is not."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest

from pipeline.keyed import Key
from pipeline.model import Vocabulary
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.files import RenamedColumns
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.names.damaged import WrongCategory
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.kinds.names.spelling import StrayBlanks
from pipeline.noise.kinds.rows import DuplicateRows, ReorderedRows
from pipeline.noise.mechanisms import AtRandom, CompletelyAtRandom, Condition, Mechanism
from pipeline.noise.spec import NoiseSpec, Rule
from tests.bare import bare, published
from validation.attacks import Attack
from validation.attacks.limits import ALPHA
from validation.attacks.noise import noise_filters
from validation.attacks.noise.noise_filters import REALISTIC, SAMPLE, filter_attacks, filter_entries, samples, together

KEY = Key(b"n" * 32)
ROWS = 12_000
COLUMNS = ("id", "sector", "sectorCode", "area", "note", "value")


ENVIRONMENT = bare(
    "small",
    *(published(name, COLUMNS) for name in ("firms", "others")),
    vocabularies=(Vocabulary(name="areas", aliases={"north": ("N",), "south": ("S",)}),),
)


def table() -> pl.DataFrame:
    """Return rows in a keyed order, whose sector code says what the sector says, and whose area says nothing."""
    row = pl.int_range(ROWS)
    sector = KEY.derive("sector").draw(row) % 4
    return (
        pl.select(
            id=(100_000 + row).cast(pl.String),
            sector=pl.format("sector {}", sector),
            sectorCode=sector.cast(pl.String),
            area=pl.when(KEY.derive("area").draw(row) % 2 == 0).then(pl.lit("north")).otherwise(pl.lit("south")),
            note=pl.lit("as reported"),
            value=(KEY.derive("value").draw(row) % 1_000).cast(pl.String),
        )
        .sort(KEY.derive("order").mac("id"))
        .select(COLUMNS)
    )


def rule(name: str, mechanism: Mechanism, *, kind: Kind | None = None, tables: tuple[str, ...] = ("firms",)) -> Rule:
    return Rule(name=name, kind=kind or MissingValues(columns=("value",)), tables=tables, mechanism=mechanism)


def attacked(*rules: Rule) -> dict[tuple[str, str], Attack]:
    """Apply the rules to the tables and attack what comes out by one filter."""
    return {place: by_filter for place, (by_filter, _) in attacks(*rules).items()}


def classified(*rules: Rule) -> dict[tuple[str, str], Attack]:
    """Apply the rules to the tables and attack what comes out by a small classifier."""
    return {place: by_classifier for place, (_, by_classifier) in attacks(*rules).items()}


def attacks(*rules: Rule) -> dict[tuple[str, str], tuple[Attack, Attack]]:
    """Apply the rules to the tables and attack what comes out."""
    spec = NoiseSpec(environment="small", rules=rules)
    tables = {"firms": table(), "others": table()}
    ledgers = {
        name: apply_noise(frame, ENVIRONMENT.table(name), spec, ENVIRONMENT, KEY).ledger
        for name, frame in tables.items()
    }
    found = {name: of_table(rules, name, ledger) for name, ledger in ledgers.items()}
    return {(one.name, name): found[name][one.name] for one in rules for name in one.tables if one.name in found[name]}


def of_table(rules: Sequence[Rule], name: str, ledger: pl.DataFrame) -> dict[str, tuple[Attack, Attack]]:
    """Attack the rules by a ledger of a table."""
    drawn = samples(
        ENVIRONMENT, noise_filters.attacked(rules, ledger), table(), ENVIRONMENT.table(name), ledger, KEY, beside={}
    )
    return {one.rule.name: both for one, both in zip(drawn, filter_attacks(drawn, KEY), strict=True)}


def planted(row_keys: pl.Series, *, by_filter: bool = True) -> Attack:
    """Attack a ledger that says that completely random gaps met exactly these rows."""
    gaps = rule("gaps", CompletelyAtRandom(rate=0.1))
    ledger = pl.DataFrame({"row_key": row_keys}).with_columns(
        table=pl.lit("firms"), column=pl.lit("value"), rule=pl.lit("gaps"), after=pl.lit("7")
    )
    found = of_table([gaps], "firms", ledger)["gaps"]
    return found[0] if by_filter else found[1]


def test_noise_on_a_range_of_ids_is_told() -> None:
    """Gaps in the rows of adjoining ids are found by a range of them."""
    found = planted(table()["id"].sort()[2_000:4_000])
    assert found.rate > 0.99
    assert found.beats_chance(ALPHA)
    assert "Best filter: id (range of numbers)" in found.detail


def test_noise_at_random_is_not_told() -> None:
    """Gaps completely at random, in one table or two, are told from other rows no better than by guessing."""
    found = attacked(rule("gaps", CompletelyAtRandom(rate=0.2), tables=("firms", "others")))
    assert list(found) == [("gaps", "firms"), ("gaps", "others")]
    assert [attack.beats_chance(ALPHA) for attack in found.values()] == [False, False]
    assert {attack.chance for attack in found.values()} == {0.5}


def test_a_declared_column_and_its_code_are_inherent() -> None:
    """Gaps that depend on the sector are told by it and by its code, which are named and not counted."""
    found = attacked(rule("gaps", AtRandom(column="sector", rates={"sector 1": 0.5}, otherwise=0.01)))["gaps", "firms"]
    assert "Recorded apart by declaration: sector (" in found.detail
    assert "sectorCode (" in found.detail
    assert not found.beats_chance(ALPHA)


def test_where_a_rule_acts_is_no_finding() -> None:
    """Gaps in one sector are compared with the other rows of that sector, which its name does not tell apart."""
    where = (Condition(column="sector", equals="sector 1"),)
    found = attacked(replace(rule("gaps", CompletelyAtRandom(rate=0.5)), where=where))["gaps", "firms"]
    assert not found.beats_chance(ALPHA)


def test_a_column_that_is_not_declared_is_counted() -> None:
    """Gaps that are said to be completely random and keep to one area are told by the area."""
    found = planted(table().filter(area="north")["id"].gather_every(5))
    assert found.detail.startswith("Best filter: area (")
    assert found.beats_chance(ALPHA)


def test_columns_that_any_rule_changed_are_not_looked_at() -> None:
    """What one rule writes is no way to find another's rows: the area, which a rule renames, occurs in no finding."""
    renames = rule("names", CompletelyAtRandom(rate=0.5), kind=NamingDrift(columns=("area",), vocabulary="areas"))
    found = attacked(rule("gaps", CompletelyAtRandom(rate=0.2)), renames)
    assert [attack.beats_chance(ALPHA) for attack in found.values()] == [False, False]
    assert not [attack for attack in found.values() if "area" in attack.detail or "value" in attack.detail]


def test_rows_are_sampled_by_kind() -> None:
    """At most `SAMPLE` rows of each kind are looked at, half of them to choose the filter."""
    assert attacked(rule("gaps", CompletelyAtRandom(rate=0.5)))["gaps", "firms"].records <= 1.1 * SAMPLE
    assert attacked(rule("gaps", CompletelyAtRandom(rate=0.01)))["gaps", "firms"].records < SAMPLE / 5


def test_a_rule_that_changed_nothing_is_not_attacked() -> None:
    """Neither a rule at rate 0 nor a specification without rules makes a finding."""
    assert attacked(rule("gaps", CompletelyAtRandom(rate=0.0))) == {}
    assert attacked() == {}


def test_the_attack_is_the_same_every_time() -> None:
    """What is looked at depends on nothing but key, rule and table; what is found comes in the order of the rules."""
    first, second = rule("first", CompletelyAtRandom(rate=0.2)), rule("second", CompletelyAtRandom(rate=0.2))
    found = attacked(first, second)
    assert found == attacked(first, second)
    assert list(found) == [("first", "firms"), ("second", "firms")]


def test_entries_say_rule_table_and_whether_rows_are_told_apart() -> None:
    """The entries of the report hold both attacks, whose rule, kind and table they name."""
    gaps = rule("gaps", CompletelyAtRandom(rate=0.2))
    found = planted(table()["id"].sort()[:1_000])
    entries = filter_entries(gaps, "firms", (found, found))
    assert [(entry["rule"], entry["kind"], entry["table"]) for entry in entries] == [
        ("gaps", "missing_values", "firms")
    ] * 2
    assert [(entry["rate"], entry["is_detected"]) for entry in entries] == [(found.rate, True)] * 2
    by_filter, by_classifier = filter_entries(gaps, "firms", attacks(gaps)["gaps", "firms"])
    assert (by_filter["is_detected"], by_classifier["is_detected"]) == (False, True)  # a gap is seen to be one
    assert [entry["limit"] for entry in (by_filter, by_classifier)] == [None, None]


def test_a_classifier_finds_what_is_written_otherwise_and_where() -> None:
    """Cells of another look are found, and rows in one part of the file; another value of the same look is not."""
    every, half = ["sector 0", "sector 1", "sector 2", "sector 3"], CompletelyAtRandom(rate=0.5)
    sectors = rule("sectors", half, kind=WrongCategory(columns=("sector",), values=tuple(every)))
    blanks = rule("blanks", half, kind=StrayBlanks(columns=("sector",)))
    found = classified(sectors, blanks)
    assert not found["sectors", "firms"].beats_chance(ALPHA)
    assert found["blanks", "firms"].rate > 0.99
    assert planted(table()["id"][3_000:5_000], by_filter=False).rate > 0.9


def test_a_kind_that_claims_realism_is_held_to_it() -> None:
    """A category is as likely as another, and keeps to the limit; one that only noise writes does not, and is refused."""
    half = CompletelyAtRandom(rate=0.5)
    for values, is_kept in ((("sector 0", "sector 1", "sector 2", "sector 3"), True), (("sector 0", "Other"), False)):
        sectors = rule("sectors", half, kind=WrongCategory(columns=("sector",), values=values))
        where = (Condition(column="sector", equals="sector 0"),)
        sectors = sectors if is_kept else replace(sectors, where=where)
        entries = filter_entries(sectors, "firms", attacks(sectors)["sectors", "firms"])
        assert [entry["limit"] for entry in entries] == [REALISTIC, REALISTIC]
        assert all(entry["passed"] for entry in entries) == is_kept
    by_sector = rule("sectors", AtRandom(column="sectorCode", rates={"1": 0.5}), kind=sectors.kind)
    entries = filter_entries(by_sector, "firms", attacks(by_sector).get(("sectors", "firms"), ()))
    assert {entry["limit"] for entry in entries} <= {None}


def test_added_rows_are_told_by_nothing_but_their_ids() -> None:
    """Copies under ids of their own are held against the clean rows; what is done to the file is about no row."""
    every = CompletelyAtRandom(rate=1.0)
    copies = rule("copies", CompletelyAtRandom(rate=0.2), kind=DuplicateRows(id_offset=1_000_000))
    headers = rule("headers", every, kind=RenamedColumns(names={"value": "amount"}))
    moved = rule("moved", CompletelyAtRandom(rate=0.2), kind=ReorderedRows(order="shuffled", is_keyed=False))
    found = attacked(copies, headers, moved)
    assert list(found) == [("copies", "firms"), ("moved", "firms")]
    assert [attack.beats_chance(ALPHA) for attack in found.values()] == [False, False]
    assert "Recorded apart by declaration: id (" in found["copies", "firms"].detail
    assert found["copies", "firms"].records > SAMPLE / 2


@pytest.mark.parametrize("cuts", [(6_000,), (3, 4, 9_000)])
def test_samples_of_parts_give_the_sample_of_the_whole(cuts: tuple[int, ...]) -> None:
    """Wherever a table is cut, the same rows are looked at, and the same is found: of cells, and of rows that came."""
    whole, published_firms = table(), ENVIRONMENT.table("firms")
    rules = (
        rule("gaps", CompletelyAtRandom(rate=0.3)),
        rule(
            "blanks", AtRandom(column="sector", rates={"sector 1": 0.4}), kind=StrayBlanks(columns=("sector", "area"))
        ),
        rule("copies", CompletelyAtRandom(rate=0.2), kind=DuplicateRows(id_offset=1_000_000)),
    )
    spec = NoiseSpec(environment="small", rules=rules)
    ledger = apply_noise(whole, published_firms, spec, ENVIRONMENT, KEY).ledger
    row = pl.col("row_key").cast(pl.Int64) % 1_000_000
    place = whole.select(row_key=pl.col("id").cast(pl.Int64) % 1_000_000, place=pl.int_range(pl.len()))
    placed = ledger.with_columns(row_key=row).join(place, on="row_key", maintain_order="left")["place"]
    bounds = [0, *cuts, whole.height]
    parts = [
        samples(
            ENVIRONMENT,
            rules,
            whole[start:end],
            published_firms,
            ledger.filter(placed.is_between(start, end - 1)),
            KEY,
            beside={},
            places=pl.int_range(start, end, eager=True),
        )
        for start, end in pairwise(bounds)
    ]
    merged = [together(of_rule) for of_rule in zip(*parts, strict=True)]
    every = samples(ENVIRONMENT, rules, whole, published_firms, ledger, KEY, beside={})
    assert [one.rows.equals(other.rows) for one, other in zip(merged, every, strict=True)] == [True] * len(rules)
    assert filter_attacks(merged, KEY) == filter_attacks(every, KEY)
