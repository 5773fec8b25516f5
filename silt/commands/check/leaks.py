"""What a build would refuse at its end: listed codes and names that stand in columns which are published as they are.

The search is the build's own (`validation/escapes`). Of a finding no more is said than where it stands.
"""

from collections.abc import Container, Iterator, Sequence

import polars as pl

from anonymize.names.short import kept_columns, short_names, with_short_names
from anonymize.prose.replacing import read_prose
from anonymize.pseudonyms import direct_identifiers, pseudonyms
from pipeline.conform import Conformed, known
from pipeline.keyed import Key
from pipeline.model import Environment, RawTable
from pipeline.wording import counted
from validation.escapes.documents import TextDocument
from validation.escapes.exemptions import declared_otherwise, grouping_by
from validation.escapes.files import File, search_files
from validation.escapes.scan import Originals

_KEY = Key(bytes(32))
"""Pseudonyms are made under it and shown nowhere: what is searched for are originals."""

_Kept = tuple[RawTable, str, pl.Series]
"""A table, a column of it that is published as it is, and its cells."""


def leaks(environment: Environment, conformed: Conformed) -> dict[tuple[str, str], str]:
    """Return each kept column of text, after its table, in which something identifies an entity: where first, what to do."""
    columns = list(_kept(environment, conformed))
    found = _found(environment, conformed, columns, knows_prose=False) if columns else {}
    if any(found.values()):  # prose may show that a name is an ordinary word, which takes long to read
        found = _found(environment, conformed, columns, knows_prose=True)
    said = {}
    for table, column, _ in columns:
        if records := found[table.name, column]:
            place = conformed.sources[table.name].place(records[0], column)
            first = f"first in row {place.row:,} of {place.file}"
            said[table.name, column] = (
                f"{table.name!r}, column {column!r} is published as it is, and a build would refuse it: "
                f"{counted(len(records), 'raw cell')} with what identifies somebody, {first}; "
                f"{declared_otherwise([column], grouping_by(environment))}"
            )
    return said


def words_of_names(
    environment: Environment, conformed: Conformed, *, are_sampled: bool, refused: Container[tuple[str, str]] = ()
) -> Iterator[str]:
    """Yield each kept column of text with words that are listed names less their legal form: no gate searches for these.

    Of columns that a build would refuse (`leaks`) nothing more is said.
    """
    short = short_names(_originals(environment, conformed, knows_prose=False).identity_map)
    for table, column, text in _kept(environment, conformed, are_sampled=are_sampled):
        if (table.name, column) in refused:
            continue
        source, owner = conformed.sources[table.name], environment.owner(table.name)
        owners = [source.column(source.headers.index(owner.name))] if owner and owner.name in source.headers else []
        if cells := with_short_names(text, short, *owners):
            place = source.place(cells[0], column)
            yield (
                f"{table.name!r}, column {column!r} is published as it is: {counted(len(cells), 'raw cell')} with a word that "
                f"is a listed name without its legal form, first in row {place.row:,} of {place.file}. No gate searches "
                f"for such words; if they name somebody, {declared_otherwise([column], grouping_by(environment))}"
            )


def _kept(environment: Environment, conformed: Conformed, *, are_sampled: bool = False) -> Iterator[_Kept]:
    """Yield columns of text that are published as they are, with their cells as they were read."""
    for table in environment.raw_tables:
        kept = kept_columns(environment, table, are_sampled=are_sampled)
        source = conformed.sources.get(table.name)
        for place, header in enumerate(source.headers if source else ()):
            if source and header in kept:
                yield table, header, source.column(place)


def _found(
    environment: Environment, conformed: Conformed, columns: Sequence[_Kept], *, knows_prose: bool
) -> dict[tuple[str, str], list[int]]:
    """Return the records of each column in which something is found that is not exempted, counted from 0."""
    terms = _originals(environment, conformed, knows_prose=knows_prose).search_terms(environment)
    exempted = [each.token for each in environment.exemptions]
    cells = [text.drop_nulls().unique(maintain_order=True) for _, _, text in columns]
    files = [File(TextDocument("", "\n".join(each.str.replace_all(r"[\r\n]+", " ")))) for each in cells]
    found = {}
    for (table, column, text), distinct, hits in zip(columns, cells, search_files(files, terms), strict=True):
        lines = hits.table("").filter(~pl.col("token").is_in(exempted), pl.col("row") > 0)["row"]
        found[table.name, column] = text.is_in(distinct.gather(lines - 1).implode()).arg_true().to_list()
    return found


def _originals(environment: Environment, conformed: Conformed, *, knows_prose: bool) -> Originals:
    """Return what a build of these tables searches for, with or without what their prose teaches of names."""
    everybody = known(conformed.frames, conformed.dropped)
    map_, identifiers = pseudonyms(environment, everybody, _KEY), direct_identifiers(environment, everybody)
    listed = map_.frame()
    if knows_prose:
        prose = read_prose(environment, conformed.frames, map_, _KEY, identifiers=identifiers)
        listed = pl.concat([listed, prose.known])
    return Originals(identity_map=listed, identifiers=identifiers, key=_KEY)
