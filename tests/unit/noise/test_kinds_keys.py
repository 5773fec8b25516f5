"""What the kinds that spoil keys do, against slow and obvious versions of it."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.noise.kinds.keys import ReformattedKeys, TrailingBlanks
from tests.stats import check_shares
from tests.unit.noise.applied import applied, mended, refused, rows_of

NUMBERS = st.integers(0, 10**9).map(str)


def test_one_key_reads_differently_in_two_tables() -> None:
    """The example of the DataAgentBench paper: `123` is `bid_123` in one table and `bref_123` in the other."""
    for prefix in ("bid_", "bref_"):
        kind = ReformattedKeys(columns=("book",), prefix=prefix)
        frame = applied(kind, book=["123", None, "x"]).frame
        assert frame["book"].to_list() == [f"{prefix}123", None, f"{prefix}x"]
        assert mended(kind, frame)["book"].to_list() == ["123", None, "x"]


@given(
    keys=st.lists(NUMBERS | st.sampled_from(["AB", "1-2"]), min_size=1, max_size=20),
    prefix=st.sampled_from([None, "p_", "00"]),
    suffix=st.sampled_from([None, ".X"]),
    pad_to=st.sampled_from([None, 2, 6, 12]),
)
def test_reformatted_keys_are_padded_then_framed(
    keys: list[str], prefix: str | None, suffix: str | None, pad_to: int | None
) -> None:
    """Numbers get zeros in front, every key gets prefix and suffix, and all comes off again."""
    kind = ReformattedKeys(columns=("key",), prefix=prefix, suffix=suffix, pad_to=pad_to, strip_zeros=False)
    noised = applied(kind, key=[*keys])
    expected = [
        (prefix or "") + (key.rjust(pad_to or 0, "0") if key.isdecimal() else key) + (suffix or "") for key in keys
    ]
    assert noised.frame["key"].to_list() == expected
    if prefix != "00" or pad_to is None:
        assert noised.ledger["recoverable"].all()
        assert mended(kind, noised.frame)["key"].to_list() == keys


def test_lost_zeros_do_not_come_back() -> None:
    """Leading zeros of numbers go, the last digit stays, and the ledger says that they are lost."""
    kind = ReformattedKeys(columns=("key",), strip_zeros=True)
    noised = applied(kind, key=["000123", "0", "00", "120", "0A1", "007"])
    assert noised.frame["key"].to_list() == ["123", "0", "0", "120", "0A1", "7"]
    assert noised.opportunities["eligible"].to_list() == [3]
    assert not noised.ledger["recoverable"].any()
    assert mended(kind, noised.frame).equals(noised.frame)


def test_lost_zeros_are_distinguished_from_a_prefix_that_comes_off() -> None:
    """Where prefix and zeros change together, only keys that lost no zero come back."""
    kind = ReformattedKeys(columns=("key",), prefix="k", strip_zeros=True)
    ledger = applied(kind, key=["0012", "12"]).ledger
    assert dict(ledger.select("after", "recoverable").unique().sort("recoverable").iter_rows()) == {"k12": True}
    assert ledger["recoverable"].to_list() == [False, True]


def test_numbers_with_zeros_of_their_own_are_lost_by_padding() -> None:
    """Padding hides how many zeros a number had."""
    ledger = applied(ReformattedKeys(columns=("key",), pad_to=6), key=["012", "12"]).ledger
    assert dict(ledger.select("before", "recoverable").iter_rows()) == {"012": False, "12": True}


def test_what_is_not_of_the_form_is_left_by_the_cleaner() -> None:
    """A bare prefix, a prefix and suffix that overlap, and keys without them come back as they are."""
    kind = ReformattedKeys(columns=("key",), prefix="<a", suffix="a>")
    frame = rows_of({"key": ["<aa>", "<a>", "<axa>", "x", None, "<ax"]})
    assert mended(kind, frame)["key"].to_list() == ["<aa>", "<a>", "x", "x", None, "<ax"]


def test_an_entity_is_reformatted_everywhere_or_nowhere() -> None:
    """With `consistent_by` the keys of an entity change in all rows and tables of the rule, others' do not."""
    firms = [f"firm {row % 40}" for row in range(200)]
    kind = ReformattedKeys(columns=("key", "other"), prefix="k", consistent_by="firm")
    tables = [
        applied(kind, rate=0.5, table=table, firm=[*firms], key=["1"] * 200, other=["2"] * 200).frame
        for table in ("one", "two")
    ]
    changed = pl.concat([frame.select("firm", key=pl.col(key) != text) for frame in tables for key, text in PAIRS])
    by_firm = changed.group_by("firm").agg(pl.col("key").n_unique().alias("forms"), pl.col("key").first())
    assert by_firm["forms"].max() == 1
    assert 8 < by_firm["key"].sum() < 32


PAIRS = (("key", "1"), ("other", "2"))


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (ReformattedKeys(columns=("key",)), ""),
        (ReformattedKeys(columns=("key",), pad_to=1), "pad_to"),
        (ReformattedKeys(columns=("key",), pad_to=6, strip_zeros=True), "strip_zeros"),
        (TrailingBlanks(columns=("key",), most=0), "most"),
    ],
)
def test_bad_parameters_are_refused(kind: ReformattedKeys | TrailingBlanks, field: str) -> None:
    """What does nothing, or contradicts itself, is refused at its place."""
    assert refused(kind) == {field}


@pytest.mark.parametrize("most", [1, 3])
def test_blanks_are_added_at_the_end(most: int) -> None:
    """From one to `most` blanks follow the key, each number as often as the others, and they come off again."""
    kind = TrailingBlanks(columns=("key",), most=most)
    keys = ["123", "键", "a b"] * 2_000
    frame = applied(kind, key=[*keys]).frame
    widths = [len(after) - len(before) for before, after in zip(keys, frame["key"], strict=True)]
    assert [after[:-width] for after, width in zip(frame["key"], widths, strict=True)] == keys
    assert {after[-width:].strip(" ") for after, width in zip(frame["key"], widths, strict=True)} == {""}
    assert set(widths) == set(range(1, most + 1))
    check_shares([widths.count(width) for width in range(1, most + 1)] * (2 if most == 1 else 1))
    assert mended(kind, frame)["key"].to_list() == keys


def test_keys_that_end_in_a_blank_are_left() -> None:
    """They could not be told from noise."""
    assert applied(TrailingBlanks(columns=("key",)), key=["1 ", " 1 "]).ledger.is_empty()
    assert applied(TrailingBlanks(columns=("key",)), key=[" 1"]).ledger.height == 1
