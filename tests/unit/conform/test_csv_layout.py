"""Where a CSV file breaks, against the grammar of RFC 4180 as one slow regular expression and the standard library."""

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from pipeline.conform.csv_layout import FieldPlace, broken_quote, layout

FIELD = r'(?:"(?:[^"]|"")*"|[^",\n]*)'
GRAMMAR = re.compile(rf"{FIELD}(?:[,\n]{FIELD})*")

csv_like = st.text(alphabet='ab,"\n', min_size=1, max_size=30)
records = st.lists(st.lists(st.text(alphabet='é,"\n', max_size=4), min_size=2, max_size=4), min_size=1, max_size=6)


def written(rows: list[list[str]]) -> bytes:
    target = io.StringIO(newline="")
    csv.writer(target, lineterminator="\n").writerows(rows)
    return target.getvalue().encode()


@given(csv_like)
def test_quotes_are_broken_exactly_where_the_grammar_fails(text: str) -> None:
    """A text has a broken quote if and only if the grammar does not produce it."""
    content = text.encode()
    is_broken = broken_quote(content, layout(content)) is not None
    assert is_broken == (GRAMMAR.fullmatch(text) is None)


@given(csv_like)
def test_what_stands_before_the_broken_quote_is_sound(text: str) -> None:
    """Up to the first broken quote the text can still be completed to a sound one; with the byte after it, it can't."""
    content = text.encode()
    offset = broken_quote(content, layout(content))
    if offset is not None:
        before = text[:offset]
        assert GRAMMAR.fullmatch(before) or GRAMMAR.fullmatch(before + '"')


@given(records)
def test_widths_are_the_field_counts_of_the_standard_library(rows: list[list[str]]) -> None:
    """Each record has as many fields as were written."""
    assert layout(written(rows)).widths().tolist() == [len(row) for row in rows]


@given(records)
def test_each_byte_is_placed_in_its_record_field_and_line(rows: list[list[str]]) -> None:
    """The byte that starts a field is placed by counting what was written before it."""
    found = layout(written(rows))
    before = b""
    for row, fields in enumerate(rows, start=1):
        for field in range(len(fields)):
            offset = len(before) + len(written([[*fields[:field], "x"]])) - len(b"x\n")
            line = 1 + written(rows)[:offset].count(b"\n")
            assert found.place(offset) == FieldPlace(row, field, line)
        before += written([fields])


@given(records)
def test_lines_are_those_on_which_records_start(rows: list[list[str]]) -> None:
    """A record starts one line after as many line feeds as were written before it, the quoted ones included."""
    starts = [1 + written(rows[:count]).count(b"\n") for count in range(len(rows))]
    assert layout(written(rows)).lines().tolist() == starts


def test_a_return_is_stray_unless_a_line_feed_or_quotes_are_around_it() -> None:
    """Line ends of Windows and quoted returns stand; a return alone does not, at the end of the file either."""
    assert layout(b'a,b\r\n"c\rd",e\rf\n\r').stray_returns.tolist() == [12, 15]
