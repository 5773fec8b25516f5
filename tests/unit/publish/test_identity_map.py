"""The sealed identity map: a round trip, the same bytes for the same map, and refusal of any other key or byte."""

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonymize.keys.identity_map import COLUMNS, seal, unseal
from pipeline.errors import InputError, KeyFileError
from pipeline.keyed import Key

KEY = Key(bytes(range(32)))
OTHER = Key(bytes(32))

texts = st.text(st.characters(codec="utf-8"), max_size=8)
maps = st.lists(st.tuples(texts, texts, texts), max_size=6)


def frame_of(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


MAP = frame_of([("code", "600519.SH", "707889"), ("name", '茅台, "酒"\r\n', "花盈公司")])


@given(maps)
@example([("1", "000001", "2.50")])
def test_unseal_gives_the_set_of_rows(rows: list[tuple[str, str, str]]) -> None:
    """Whatever text is in it, the map comes back as its distinct rows, sorted."""
    assert unseal(seal(frame_of(rows), KEY), KEY).rows() == sorted(set(rows))


@given(maps, st.randoms(use_true_random=False))
def test_order_does_not_change_the_bytes(rows: list[tuple[str, str, str]], order: object) -> None:
    """The same rows in another order, or repeated, are sealed into the same bytes."""
    shuffled = sorted(rows + rows, key=lambda _: getattr(order, "random")())  # noqa: B009
    assert seal(frame_of(shuffled), KEY) == seal(frame_of(rows), KEY)


def test_another_key_gives_other_bytes() -> None:
    """Two keys share nothing after the header."""
    assert seal(MAP, KEY)[-40:] != seal(MAP, OTHER)[-40:]


def test_nothing_stands_in_clear() -> None:
    """No original, pseudonym or part of the key is in the sealed bytes."""
    sealed = seal(MAP, KEY)
    for text in (*MAP["original"], *MAP["pseudonym"], KEY.secret.hex()):
        assert text.encode() not in sealed
    assert KEY.secret not in sealed


def test_wrong_key_is_named_by_fingerprint() -> None:
    """Another key is refused with both fingerprints and neither key."""
    with pytest.raises(KeyFileError, match=f"fingerprint {KEY.fingerprint()}, not {OTHER.fingerprint()}"):
        unseal(seal(MAP, KEY), OTHER)


@given(st.data())
def test_any_changed_byte_is_noticed(data: st.DataObject) -> None:
    """A map with one changed bit, header included, or cut short, is refused."""
    sealed = bytearray(seal(MAP, KEY))
    at = data.draw(st.integers(0, len(sealed) - 1))
    sealed[at] ^= 1 << data.draw(st.integers(0, 7))
    for damaged in (bytes(sealed), bytes(sealed[:at])):
        with pytest.raises(InputError, match=r"damaged or changed|not a sealed identity map|sealed under the key"):
            unseal(damaged, KEY)


@pytest.mark.parametrize(
    "frame",
    [
        MAP.select("kind", "pseudonym", "original"),
        MAP.drop("kind"),
        MAP.with_columns(kind=1),
        MAP.with_columns(pseudonym=pl.lit(None, pl.String)),
    ],
)
def test_other_frames_are_refused(frame: pl.DataFrame) -> None:
    """Other columns, types or nulls are an error."""
    with pytest.raises(
        InputError, match="an identity map has the text columns kind, original, pseudonym without nulls"
    ):
        seal(frame, KEY)
