"""Which words are public, so that they are no distinctive words of a name: values of attributes, and invented names."""

from collections.abc import Iterable, Iterator

import polars as pl

from anonymize.pseudonyms import Pseudonyms
from pipeline.model import Environment, Frames, Role

MOST_WORDS = 4
"""Words of an attribute's value that are public one by one."""


def invented_words(pseudonyms: Pseudonyms) -> Iterator[str]:
    """Yield every invented name and its words."""
    for each in (pseudonyms, *pseudonyms.further.values()):
        for name in each.names.values():
            yield from public_words((name.legal, name.short, name.english))


def public_values(environment: Environment, conformed: Frames) -> Iterator[str]:
    """Yield the values of attributes that several rows have, or by which rows are grouped, and their words."""
    keys = environment.entities
    grouped = {keys.industry, keys.sub_industry, *(column for of in environment.aggregates for column in of.by)}
    for table in environment.raw_tables:
        if table.name not in conformed or table.name in environment.panel.tables:
            continue
        frame = conformed[table.name]
        for column in table.of_role(Role.ATTRIBUTE):
            values = frame[column.name].drop_nulls()
            if values.dtype != pl.String:
                continue
            if column.name in grouped:
                yield from public_words(values.unique().to_list())
            elif 2 * values.n_unique() <= len(values):  # a value that one row has may be anybody's own
                yield from public_words(values.filter(values.is_duplicated()).unique().to_list())


def public_words(values: Iterable[str]) -> Iterator[str]:
    """Yield values and the words of those that have few; one with a digit may be a code that stands there (`near S104`)."""
    for value in values:
        yield value
        words = value.split()
        if len(words) <= MOST_WORDS:
            yield from (word for word in words if not any(map(str.isdigit, word)))
