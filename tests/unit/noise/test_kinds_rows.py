"""What kinds on rows do, against slow obvious versions; the laws of all kinds are in `test_every_kind.py`."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model.plain_codes import plain_code
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.decoys import DecoyRows, KnownIn, _made_up
from pipeline.noise.kinds.interface import ELIGIBLE, Kind
from pipeline.noise.kinds.parts.added_rows import fitting
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows, ReorderedRows
from pipeline.noise.ledger import added_rows, replay, undo
from pipeline.noise.mechanisms import Band, CompletelyAtRandom, Condition, Mechanism, NotAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.stats import check_law
from tests.unit.noise.cases_rows import ENVIRONMENT, FIGURES, POLICIES, ROWS

TOLD = KnownIn(key="firm", table="policies", column="firm")


def noised(
    rows: pl.DataFrame,
    *kinds: Kind,
    key: Key,
    mechanism: Mechanism | float = 1.0,
    where: tuple[Condition, ...] = (),
    beside: Mapping[str, pl.DataFrame] | None = None,
    reserved: pl.Series | None = None,
) -> Noised:
    """Apply kinds to `figures`, each by a rule of its own."""
    chosen = CompletelyAtRandom(rate=mechanism) if isinstance(mechanism, float) else mechanism
    rules = tuple(
        Rule(name=f"rule {number}", kind=kind, tables=("figures",), mechanism=chosen, where=where)
        for number, kind in enumerate(kinds)
    )
    spec = NoiseSpec(environment="small", rules=rules)
    tables = {"policies": POLICIES} if beside is None else beside
    return apply_noise(rows, FIGURES, spec, ENVIRONMENT, key, beside=tables, reserved=reserved)


def test_dropped_rows_leave_gaps(key: Key) -> None:
    """The rows that stay are as they were and in their order; the ledger names the others."""
    result = noised(ROWS, DroppedRows(), key=key, mechanism=0.4)
    gone = set(result.ledger["row_key"])
    assert 0 < len(gone) < ROWS.height
    assert result.frame.rows() == [row for row in ROWS.rows() if row[0] not in gone]


def test_rows_are_judged_by_a_column(key: Key) -> None:
    """Not at random, a row goes by the number in the column that the kind names; rows without it stay."""
    by_value = NotAtRandom(bands=(Band(below=0, rate=1.0),))
    result = noised(ROWS, DroppedRows(judged_by="value"), key=key, mechanism=by_value)
    assert result.frame.rows() == [row for row in ROWS.rows() if row[4] is None or int(row[4]) >= 0]


@pytest.mark.parametrize("place", ["after", "end", "anywhere"])
def test_copies_stand_behind_their_rows(place: str, key: Key) -> None:
    """Without the copies the table is as it was; each stands right behind its row, behind all, or anywhere behind it."""
    kind = DuplicateRows(place=place, id_offset=1000)  # type: ignore[arg-type]
    frame = noised(ROWS, kind, key=key, mechanism=0.5).frame
    keys = [int(one) for one in frame["id"]]
    copies = [one for one in keys if one > 1000]
    assert frame.filter(pl.col("id").cast(pl.Int64) <= 1000).equals(ROWS)
    assert copies
    for copy in copies:
        distance = keys.index(copy) - keys.index(copy - 1000)
        assert distance == 1 if place == "after" else distance > 0
    if place == "end":
        assert keys[-len(copies) :] == sorted(copies)


def test_places_anywhere_are_uniform(key: Key) -> None:
    """Of 4,000 rows the copies of the first 2,000 stand behind all that follow alike: KS."""
    first = (Condition(column="measure", equals="doubled"),)
    kind = DuplicateRows(place="anywhere", id_offset=10_000)
    keys = noised(_many(4_000, doubled=2_000), kind, key=key, where=first).frame["id"].cast(pl.Int64).to_list()
    behind, shares = 0, []
    for one in keys:
        if one < 10_000:
            behind = one
        else:
            own = one - 10_000
            shares.append((behind - own + 0.5) / (4_000 - own))
    assert len(shares) == 2_000
    check_law(shares, lambda x: x)


def _many(size: int, doubled: int) -> pl.DataFrame:
    row = pl.int_range(size)
    measure = pl.when(row < doubled).then(pl.lit("doubled")).otherwise(pl.lit("other"))
    return pl.select(id=row.cast(pl.String), firm=row.cast(pl.String), measure=measure, unit=None, value=None).cast(
        pl.String
    )


def test_near_copies_differ_where_they_say(key: Key) -> None:
    """A blank at the end, letters in the other case, a time up to a day later in its own form; other texts stay."""
    kind = DuplicateRows(place="end", alter={"measure": "case", "unit": "load_time", "value": "blank"})
    copies = noised(ROWS, kind, key=key).frame[ROWS.height :]
    for copy, row in zip(copies.to_dicts(), ROWS.to_dicts(), strict=True):
        assert (copy["id"], copy["firm"]) == (row["id"], row["firm"])
        assert copy["value"] == (None if row["value"] is None else row["value"] + " ")
        assert copy["measure"] == {"revenue": "REVENUE", "Profit": "PROFIT", "收入": "收入", None: None}[row["measure"]]
        assert _is_later(row["unit"], copy["unit"])


def _is_later(before: str | None, after: str | None) -> bool:
    forms = {"/": "%d/%m/%Y %H:%M:%S", "-": "%Y-%m-%d %H:%M:%S"}
    form = next((forms[sign] for sign in forms if before and sign in before), None)
    if before is None or after is None or form is None:
        return before == after
    moved = datetime.strptime(after, form) - datetime.strptime(before, form)  # noqa: DTZ007  (load times have no zone)
    unpadded = not any(part.startswith("0") for part in after.split(" ")[0].split("/")) if "/" in after else True
    return timedelta(0) < moved <= timedelta(days=1) and unpadded


WITH_OFFSET = pytest.mark.parametrize(
    "kind", [DuplicateRows(id_offset=1000), DecoyRows(keys=("firm",), id_offset=1000)], ids=["duplicates", "decoys"]
)


@WITH_OFFSET
def test_row_keys_that_are_no_numbers_are_refused(kind: Kind, key: Key) -> None:
    """File, row, column and value are named, whichever rows the draws pick."""
    rows = ROWS.head(3).with_columns(id=pl.Series(["1", "x2", "3"]))
    with pytest.raises(InputError, match=r"figures.csv, row 3, column 'id': found 'x2'; numbers"):
        noised(rows, kind, key=key, mechanism=0.0)


@WITH_OFFSET
def test_row_keys_that_another_rule_gave_are_refused(kind: Kind, key: Key) -> None:
    """Two rules that add rows to one table need offsets of their own."""
    with pytest.raises(InputError, match=r"figures.csv, row 2, column 'id': found '1'; no two row keys 1000 apart"):
        noised(ROWS, DuplicateRows(id_offset=1000, place="end"), kind, key=key)


@given(ids=st.sets(st.integers(0, 10**12), min_size=2, max_size=30), declared=st.integers(1, 2000), data=st.data())
def test_an_offset_fits_tables_of_any_size(ids: set[int], declared: int, data: st.DataObject) -> None:
    """It stays as declared if that fits; otherwise it has as few zeros more as leave every row key to one row."""
    near = data.draw(st.sets(st.sampled_from([each + declared * 10**zeros for each in ids for zeros in range(4)])))
    rows = pl.DataFrame({"id": list(map(str, ids | near))}).with_columns(pl.lit(value=True).alias(ELIGIBLE))
    found = fitting(rows, FIGURES, declared)
    zeros = next(zeros for zeros in range(20) if found == declared * 10**zeros)
    assert not {each + found for each in ids | near} & (ids | near)
    assert all({each + declared * 10**fewer for each in ids | near} & (ids | near) for fewer in range(zeros))


@pytest.mark.parametrize("ids", [range(1, 31), range(1, 3001, 100), range(1, 300_001, 10_000)], ids=str)
def test_copies_are_told_whatever_offset_fits(ids: range, key: Key) -> None:
    """The cleaner reads them from the noisy rows alone, which do not say how large the table was."""
    rows = ROWS.with_columns(id=pl.Series(map(str, ids)), value=pl.Series(map(str, ids)))
    kind = DuplicateRows(id_offset=1000, place="anywhere")
    noisy = noised(rows, kind, key=key, mechanism=0.4).frame
    assert noisy["id"].is_unique().all()
    assert noisy.height > rows.height
    assert_frame_equal(kind.mended(noisy, FIGURES, ENVIRONMENT, {}), rows)


def test_decoys_are_made_of_other_rows(key: Key) -> None:
    """Each cell stands in another eligible row of its column, grouped cells in one and the same; codes are new."""
    where = (Condition(column="measure", is_null=False),)
    kind = DecoyRows(keys=("firm",), id_offset=100, together=(("measure", "unit"),), place="end")
    decoys = added_rows(noised(ROWS, kind, key=key, where=where).ledger, FIGURES).to_dicts()
    sources = {row["id"]: row for row in ROWS.drop_nulls(["firm", "measure"]).to_dicts()}
    assert [int(decoy["id"]) - 100 for decoy in decoys] == [int(one) for one in sources]
    for decoy in decoys:
        others = [row for name, row in sources.items() if int(name) != int(decoy["id"]) - 100]
        assert (decoy["measure"], decoy["unit"]) in {(row["measure"], row["unit"]) for row in others}
        assert decoy["value"] in {row["value"] for row in others}
        assert decoy["firm"] not in set(ROWS["firm"])
    assert len({(decoy["measure"], decoy["unit"], decoy["value"]) for decoy in decoys}) > 5


def test_made_up_codes_are_free_and_no_two_are_equal(key: Key) -> None:
    """Where few codes are left, each is given once at most, and the rest of the decoys gets none."""
    codes = pl.Series([str(code) for code in range(10, 41)])
    made_up = _made_up(codes, codes.alias("taken"), key)["made_up"].to_list()
    assert 1 < len(made_up) == len(set(made_up))
    assert set(made_up) <= {str(code) for code in range(41, 50)}


def test_rows_of_one_entity_give_rows_of_one_decoy(key: Key) -> None:
    """Made-up codes and codes are one to one."""
    kind = DecoyRows(keys=("firm",), id_offset=100, place="end")
    decoys = added_rows(noised(ROWS, kind, key=key).ledger, FIGURES)
    firms = ROWS.drop_nulls("firm")["firm"].to_list()
    assert len(set(zip(firms, decoys["firm"], strict=True))) == len(set(firms)) == decoys["firm"].n_unique()


CODES = {
    r"^[1-9]\d{5}$": [str(100_000 + 7919 * row) for row in range(30)],
    r"^0\d{4}\.(HK|SZ)$": [f"{7 * row:05}.{('HK', 'SZ')[row % 2]}" for row in range(30)],
    r"^[BCDFG][KLMNP][RST][ab]$": [
        "BCDFG"[row % 5] + "KLMNP"[row // 5 % 5] + "RST"[row % 3] + "ab"[row % 2] for row in range(30)
    ],
}


@pytest.mark.parametrize(("shape", "codes"), CODES.items(), ids=["digits", "with a suffix", "letters"])
def test_made_up_codes_look_like_the_codes(shape: str, codes: list[str], key: Key) -> None:
    """Digits for digits, letters that stand there in other codes, suffixes that exist; and none of them is taken."""
    kind, rows = DecoyRows(keys=("firm",), id_offset=100), ROWS.with_columns(firm=pl.Series(codes))
    made = added_rows(noised(rows, kind, key=key).ledger, FIGURES)["firm"]
    assert made.n_unique() > 20
    assert made.str.contains(shape).all()
    assert not set(made) & set(codes)
    for place in range(len(codes[0])):
        assert set(made.str.slice(place, 1)) <= {code[place] for code in codes}


def test_made_up_codes_avoid_what_is_reserved(key: Key) -> None:
    """Of six tens and five ones all but one code is taken: that one is made up, once, and not at all if it is reserved."""
    codes = pl.Series([f"{tens}{ones}" for tens in range(1, 7) for ones in range(5)])
    rows, kind = ROWS.with_columns(firm=codes.replace("64", "63")), DecoyRows(keys=("firm",), id_offset=100)
    reserved = pl.select(plain_code(pl.lit("0064.0"))).to_series()
    assert added_rows(noised(rows, kind, key=key).ledger, FIGURES)["firm"].unique().to_list() == ["64"]
    assert noised(rows, kind, key=key, reserved=reserved).ledger.is_empty()


def test_decoys_that_another_table_does_not_know_are_told(key: Key) -> None:
    """The anti-join gives the clean rows back; a real code that the other table lacks refuses the build."""
    kind = DecoyRows(keys=("firm",), id_offset=100, known_in=TOLD)
    result = noised(ROWS, kind, key=key)
    assert result.ledger["recoverable"].all()
    assert_frame_equal(kind.mended(result.frame, FIGURES, ENVIRONMENT, {"policies": POLICIES}), ROWS)
    with pytest.raises(
        InputError, match=r"figures.csv, row 3, column 'firm': found '107919'; a code that policies has"
    ):
        noised(ROWS, kind, key=key, mechanism=0.0, beside={"policies": POLICIES.filter(pl.col("firm") != "107919")})


def test_decoys_without_the_table_that_knows_do_nothing(key: Key) -> None:
    """A rule that looks into a table that is not there changes nothing and counts nothing."""
    result = noised(ROWS, DecoyRows(keys=("firm",), id_offset=100, known_in=TOLD), key=key, beside={})
    assert_frame_equal(result.frame, ROWS)
    assert result.opportunities.is_empty()


@pytest.mark.parametrize(
    ("compared_as", "expected"),
    [("number", ["-5", "2", "10", "1e3", "n/a", None]), ("text", ["-5", "10", "1e3", "2", "n/a", None])],
)
def test_rows_are_sorted_by_number_or_text(compared_as: str, expected: list[str | None], key: Key) -> None:
    """As the release sorts its yearly table (reference 4.15); what cannot be compared comes last."""
    rows = ROWS.head(6).with_columns(value=pl.Series(["10", None, "2", "n/a", "1e3", "-5"]))
    kind = ReorderedRows(order="ascending", by="value", compared_as=compared_as)  # type: ignore[arg-type]
    result = noised(rows, kind, key=key)
    assert result.frame["value"].to_list() == (expected if compared_as == "text" else [*expected[:4], None, "n/a"])
    assert_frame_equal(kind.mended(result.frame, FIGURES, ENVIRONMENT, {}), rows)


def test_rows_that_are_not_chosen_keep_their_places(key: Key) -> None:
    """A shuffle moves the chosen rows among their own places."""
    where = (Condition(column="measure", equals="revenue"),)
    frame = noised(ROWS, ReorderedRows(order="shuffled"), key=key, where=where).frame
    is_chosen = [row["measure"] == "revenue" for row in ROWS.to_dicts()]
    for before, after, chosen in zip(ROWS.rows(), frame.rows(), is_chosen, strict=True):
        assert chosen or before == after
    assert sorted(frame["id"]) == sorted(ROWS["id"])
    assert frame["id"].to_list() != ROWS["id"].to_list()


def test_shuffles_are_uniform(key: Key) -> None:
    """Wherever a thousand neighbours of 4,000 shuffled rows stand is uniform: KS."""
    keys = noised(_many(4_000, 0), ReorderedRows(order="shuffled"), key=key).frame["id"].cast(pl.Int64).to_list()
    check_law([(place + 0.5) / 4_000 for place, row in enumerate(keys) if row < 1_000], lambda x: x)


def test_row_keys_that_do_not_tell_the_order_are_refused(key: Key) -> None:
    """Unless the specification says so, since the order would be lost; rows that noise added may stand anywhere."""
    rows = ROWS[[1, 0, 2]]
    with pytest.raises(InputError, match=r"figures.csv, row 3, column 'id': found '1'; numbers that rise"):
        noised(rows, ReorderedRows(order="shuffled"), key=key)
    assert not noised(rows, ReorderedRows(order="shuffled", is_keyed=False), key=key).ledger["recoverable"].any()
    noised(ROWS, DuplicateRows(id_offset=1000), ReorderedRows(order="shuffled"), key=key)


def test_rules_on_rows_follow_each_other(key: Key) -> None:
    """Whatever is doubled, made up, moved and dropped in turn, the ledger leads there and back."""
    kinds = (
        ReorderedRows(order="shuffled"),
        DuplicateRows(place="anywhere", alter={"value": "blank"}),
        DecoyRows(keys=("firm",), id_offset=100),
        DroppedRows(),
        DuplicateRows(id_offset=1000),
    )
    result = noised(ROWS, *kinds, key=key, mechanism=0.5)
    assert_frame_equal(replay(ROWS, result.ledger, FIGURES), result.frame)
    assert_frame_equal(undo(result.frame, result.ledger, FIGURES), ROWS)


def _changed(ledger: pl.DataFrame, side: str, **told: object) -> pl.DataFrame:
    """Return the ledger with something else told in the first entry that tells a row on a side."""
    number = (ledger[side].str.starts_with("{")).arg_true()[0]
    text = json.dumps(json.loads(ledger[side][number]) | told)
    row = pl.int_range(pl.len()) == number
    return ledger.with_columns(pl.when(row).then(pl.lit(text)).otherwise(side).alias(side))


@pytest.mark.parametrize("told", [{"position": 4}, {"position": 99}, {"cells": ["1", None, None, None, None]}])
def test_ledger_of_other_rows_is_refused(told: dict[str, object], key: Key) -> None:
    """A dropped row that stood elsewhere, outside the table or held another text shows that ledger and table are strangers."""
    result = noised(ROWS, DroppedRows(), key=key, mechanism=0.3)
    other = _changed(result.ledger, "before", **told)
    with pytest.raises(
        InputError, match=r"ledger is not of this table 'figures': \d+ of its \d+ whole rows are not there"
    ):
        replay(ROWS, other, FIGURES)


@pytest.mark.parametrize("told", [{"position": 98}, {"position": -1}])
def test_ledger_that_puts_rows_outside_is_refused(told: dict[str, object], key: Key) -> None:
    """An added row stands within the table."""
    result = noised(ROWS, DuplicateRows(id_offset=1000), key=key, mechanism=0.3)
    with pytest.raises(InputError, match="there is no room for those that it puts in"):
        replay(ROWS, _changed(result.ledger, "after", **told), FIGURES)


@pytest.mark.parametrize("change", [{"row_key": "x"}, {"before": "77"}, {"after": "77"}], ids=str)
def test_ledger_of_other_moves_is_refused(change: dict[str, str], key: Key) -> None:
    """A moved row that is not where the ledger says, or goes nowhere, shows that ledger and table are strangers."""
    ledger = noised(ROWS, ReorderedRows(order="shuffled"), key=key).ledger
    first = pl.int_range(pl.len()) == 0
    other = ledger.with_columns(
        pl.when(first).then(pl.lit(text)).otherwise(column).alias(column) for column, text in change.items()
    )
    with pytest.raises(InputError, match="moved rows are not there"):
        replay(ROWS, other, FIGURES)
