"""Rendering: what a declaration returns is what it declared, and what cannot be built is said."""

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from pipeline.keyed import Key
from pipeline.model import Environment, Parts, PublishedDocument, PublishedTable, Truth
from pipeline.render import RenderingError, is_renderable, left_out, render_table, rendered
from silt.environments.us_listed import US_LISTED

TRUTH = Truth(tables={}, order=Key(b"k" * 32))
FRAME = pl.DataFrame({"id": ["1", "2"], "value": ["a", None]})


def table(frame: Any, *, row_key: str = "id") -> PublishedTable:
    return PublishedTable(path="t.csv", columns=("id", "value"), needs=("a",), render=lambda _: frame, row_key=row_key)


def test_a_sound_rendering_comes_back_as_it_is() -> None:
    """A frame of text in declared columns with a unique key is the table."""
    assert render_table(table(FRAME), TRUTH).equals(FRAME)


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        (None, "a value of type NoneType instead of a frame"),
        (FRAME.select("value", "id"), r"columns \['value', 'id'\] instead of \['id', 'value'\]"),
        (FRAME.with_columns(value=pl.lit(1)), "column 'value' is Int32, not text"),
        (FRAME.with_columns(value=pl.lit("")), "column 'value' holds the empty string"),
        (FRAME.with_columns(id=pl.lit("1")), "row key 'id' is null or not unique"),
        (FRAME.with_columns(id=pl.lit(None, pl.String)), "row key 'id' is null or not unique"),
    ],
    ids=["nothing", "order", "type", "empty text", "repeated key", "null key"],
)
def test_a_rendering_that_is_not_as_declared_is_refused(frame: Any, fault: str) -> None:
    """Each way of breaking the declaration is named, with the table's path."""
    with pytest.raises(RenderingError, match=f"rendering of t.csv: {fault}"):
        render_table(table(frame), TRUTH)


@pytest.mark.parametrize(
    ("ids", "is_sound"),
    [
        (["1", "2", "3"], True),
        (["1", "2", "2"], False),
        (["1", "3", "2"], False),
        (["1", "2"], False),
        (["1", "2", "03"], False),
        (["1", None, "3"], False),
    ],
    ids=["sound", "repeated", "in another order", "too few", "written otherwise", "null"],
)
def test_a_table_in_parts_counts_its_records(ids: list[str | None], *, is_sound: bool) -> None:
    """Its row keys are the numbers from 1 on, so that no two blocks share one: whatever else a part gives is refused."""
    parts = Parts(
        sizes=pl.Series([2, 0, 1]),
        render=lambda start, stop, _first: pl.DataFrame(
            {"id": ids[0 if start < 1 else 2 : 3 if stop > 2 else 2], "value": None},
            schema=dict.fromkeys(FRAME.columns, pl.String),
        ),
    )
    declared = replace(table(FRAME), render=lambda _: parts)
    for records in (1, 2, 3, None):
        blocks = rendered(declared, TRUTH, records=records)
        if is_sound:
            assert pl.concat(blocks)["id"].to_list() == ids
        else:
            with pytest.raises(RenderingError, match="row key 'id' does not count the records from"):
                list(blocks)


def test_a_table_in_parts_without_any_is_one_empty_block() -> None:
    """Whoever walks through blocks sees the header even where there is no record."""
    for sizes in ([], [0, 0]):
        parts = Parts(sizes=pl.Series(sizes, dtype=pl.UInt32), render=lambda *_: FRAME.clear())
        blocks = list(rendered(replace(table(FRAME), render=lambda _, parts=parts: parts), TRUTH))
        assert [block.schema for block in blocks] == [FRAME.schema]


def test_a_table_without_a_key_may_repeat_rows() -> None:
    """A table that declares no key may hold the same row twice: it can have no noise."""
    assert render_table(table(FRAME.with_columns(id=pl.lit("1")), row_key=""), TRUTH).height == 2


def test_what_is_absent_is_said() -> None:
    """A file whose need is absent is left out, one whose use is absent is told to be partial, and others are not mentioned."""
    environment: Environment = replace(
        US_LISTED,
        tables=(
            table(FRAME),
            replace(table(FRAME), path="u.csv", needs=(), uses=("a",)),
            replace(table(FRAME), path="v.csv", needs=()),
        ),
        documents=(PublishedDocument(path="d.json", needs=("a", "b"), render=lambda _: ""),),
    )
    assert left_out(environment, frozenset({"a"})) == {
        "database/t.csv": "not built: the raw tables lack a",
        "database/u.csv": "built without the rows of a, which the raw tables lack",
        "database/d.json": "not built: the raw tables lack a",
    }
    assert not is_renderable(environment.tables[0], frozenset({"a"}))
    assert is_renderable(environment.tables[1], frozenset({"a"}))
