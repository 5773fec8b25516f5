"""Many patterns at once: what is found is what a look for each of them finds, wherever data are cut."""

import pickle

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from validation.escapes import patterns
from validation.escapes.patterns import Patterns

few_bytes = st.binary(min_size=1, max_size=14).map(lambda raw: bytes(b"aB1,\xe4"[each % 5] for each in raw))


def one_by_one(terms: set[bytes], data: bytes) -> set[tuple[int, bytes]]:
    return {(at, each) for each in terms for at in range(len(data)) if data.startswith(each, at)}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sets(few_bytes, max_size=6), st.lists(few_bytes, max_size=8), st.sampled_from([4, 8, 2**18]))
def test_each_pattern_is_found_wherever_it_stands(
    monkeypatch: pytest.MonkeyPatch, terms: set[bytes], pieces: list[bytes], chunk: int
) -> None:
    """Patterns of any length, within each other and across the chunks in which data are looked up, as they are kept."""
    monkeypatch.setattr(patterns, "_CHUNK", chunk)
    data = b"".join([*pieces, *terms, *pieces])
    prepared = pickle.dumps(Patterns(terms))
    assert len(prepared) < 10_000  # of the tables, what is empty is not kept
    found = list(pickle.loads(prepared).find(data))  # noqa: S301
    assert set(found) == one_by_one(terms, data)
    assert len(found) == len(set(found))


def test_data_that_are_a_pattern_and_no_more_hold_it() -> None:
    """The shortest pattern that the tables know, in data of its length, and at the end of a chunk's first bytes."""
    for before in (0, patterns._CHUNK):
        assert list(Patterns([b"ross"]).find(bytes(before) + b"ross")) == [(before, b"ross")]


def test_texts_are_told_by_their_rows() -> None:
    """No pattern runs on from one text into the next; without any, nothing is found."""
    texts = pl.Series(["贵州茅台", "", "ross", "stores", "rossstores茅台"])
    terms = Patterns([b"rossstores", "茅台".encode(), b"oss", b"!ross"])
    assert terms.held(texts) == {0: {"茅台".encode()}, 2: {b"oss"}, 4: {b"rossstores", "茅台".encode(), b"oss"}}
    assert Patterns([]).held(texts) == {}
    assert terms.held(pl.Series([], dtype=pl.String)) == {}
