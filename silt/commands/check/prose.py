"""What prose still says after a build that may name a listed entity, in others' texts: words of names or near them, and codes.

The words are the originals': they are for the curator's terminal.
"""

from collections.abc import Iterator

import polars as pl

from anonymize.mentions.forms import DISTINCTIVE, IN_PIECES, MISSPELT, SHARED, TORN
from anonymize.prose.replacing import read_prose
from anonymize.pseudonyms import direct_identifiers, pseudonyms
from pipeline.conform import Conformed, known
from pipeline.keyed import Key
from pipeline.model import Environment, Role
from pipeline.wording import counted

_KEY = Key(bytes(32))
"""Pseudonyms are made under it and shown nowhere: what is listed are originals."""

_SHOWN = 8

_NEAR = {
    MISSPELT: ("word", "one letter from a listed name"),
    TORN: ("writing", "of a listed name with a blank within"),
    IN_PIECES: ("writing", "of a listed code in pieces"),
    DISTINCTIVE: ("word", "of a listed name, or like one"),
    SHARED: ("word", "that many listed names share"),
}
"""Rule -> what is counted, and what it is."""


def misspelt_words(
    environment: Environment, conformed: Conformed, *, with_cells: bool, are_sampled: bool
) -> Iterator[str]:
    """Yield for each column of prose how many words are near a listed name and stay; those in most cells with their count.

    Args:
        are_sampled: Whether the policy samples records: then texts stay that are about no company, and no others.
    """
    there = [table for table in environment.raw_tables if table.name in conformed.frames and table.of_role(Role.TEXT)]
    staying = [table.name for table in there if not (are_sampled and table.of_role(Role.CODE))]
    if not staying:
        return
    everybody = known(conformed.frames, conformed.dropped)
    map_, identifiers = pseudonyms(environment, everybody, _KEY), direct_identifiers(environment, everybody)
    listed = read_prose(environment, conformed.frames, map_, _KEY, identifiers=identifiers).report.listed
    near = listed.filter(pl.col("rule").is_in([*_NEAR]), pl.col("table").is_in(staying), list="left as doubtful")
    for (table, column, rule), of_column in near.group_by("table", "column", "rule", maintain_order=True):
        what, which = _NEAR[rule]
        cells = of_column.group_by("written").agg(pl.col("row").n_unique())
        words = [
            f"{word!r} in {count:,}"
            for word, count in cells.sort("row", "written", descending=[True, False]).iter_rows()
        ]
        shown = ", ".join(words[:_SHOWN]) + (", ..." if len(words) > _SHOWN else "")
        said = f": {shown}" if with_cells else " (a terminal shows them)"
        yield (
            f"{table!r}, column {column!r}: a build keeps {counted(len(words), what)} {which}, in "
            f"{counted(of_column['row'].n_unique(), 'raw cell')} about others; mend what names them{said}"
        )
