"""The data dictionary of a documented release, as CSV and as a page: what each column holds, from the declaration.

It is about the data without noise, which all variants share; where only the noisy variant is released, about that.
"""

import csv
import io
from collections.abc import Iterator

from pipeline.publish.variant import CLEAN
from pipeline.release.metadata.described import Described, DescribedFile
from pipeline.release.metadata.pages import page

HEADER = ("file", "column", "type", "unit", "key", "refers_to", "meaning", "comes_from")

FIGURES = "(figures)"
"""Stands for a file in the rows about figures that long tables name in a column."""


def dictionary_table(described: Described) -> bytes:
    """Return the dictionary as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *_rows(described)])
    return text.getvalue().encode()


def dictionary_page(described: Described) -> bytes:
    """Return the dictionary as Markdown."""
    return page("data_dictionary.md", described=described, files=_files(described))


def _files(described: Described) -> list[DescribedFile]:
    variant = CLEAN if CLEAN in described.variants else described.variants[0]
    return [file for file in described.tables if file.variant == variant]


def _rows(described: Described) -> Iterator[tuple[str, ...]]:
    for file in _files(described):
        for each in file.columns:
            key = "key" if each.is_key else ""
            path = file.record.path
            yield (
                path,
                each.name,
                each.type,
                each.field.unit_in_words,
                key,
                each.refers_to,
                each.field.meaning,
                each.treatment,
            )
    for measure in described.measures:
        kind = "number" if measure.decimals or measure.numerals.least_decimals else "integer"
        yield FIGURES, measure.name, kind, measure.unit, "", "", measure.description, ""
