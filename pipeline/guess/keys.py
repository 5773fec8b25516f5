"""Keys of raw tables, and which column refers to which: from counts of distinct values, and from what headers say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import polars as pl

from pipeline.guess.looking import Looked, Looks
from pipeline.guess.words import ABOVE, ENTITY, GENERIC, ID, NAME, PART_OF_NAME, RECORD, one, words

_LONGEST_CODE = 24
"""Signs of a code in the mean, at most (our choice)."""

_MOST_OF_KEY = 4

_KNOWN = 0.5
"""Part of a column's values that stand in the key that its header names, from which on it refers to it (our choice)."""

_ALL_BUT_FEW = 0.95
_NAMELESS = 5
"""The same, and the number of distinct values, where no header says that it refers."""


@dataclass(frozen=True)
class Refers:
    """A column that holds keys of another table."""

    table: str
    column: str
    to_table: str
    to_column: str
    known: int
    """How many of its distinct values stand there."""
    distinct: int
    is_named: bool
    """Whether its header says so as well."""

    @property
    def evidence(self) -> str:
        """Return what was counted."""
        return f"? reference: {self.known:,} of {self.distinct:,} values of {self.column!r} stand in {self.to_table!r}"


def codes(table: Looks) -> list[str]:
    """Return the columns that number or name each row, the likeliest key first."""
    likely = [looked for looked in table.columns.values() if looked.is_unique and may_be_code(looked)]
    return [looked.name for looked in sorted(likely, key=lambda looked: -_rank(table, looked))]


def may_be_code(looked: Looked) -> bool:
    """Say whether a column may hold codes: short texts, or whole numbers whose header says that they number something."""
    if looked.column.type == "integer":
        return bool((ID | RECORD) & looked.words) and not looked.may_be_year
    if looked.column.type != "text" or not looked.filled or looked.is_prose or looked.column.allowed:
        return False
    return int(looked.text.str.len_chars().sum()) <= _LONGEST_CODE * looked.filled


def compound_key(table: Looks, first: Sequence[str], always: Sequence[str]) -> tuple[str, ...]:
    """Return the fewest columns whose values together are unique but for equal rows; none if there are no such columns.

    Args:
        first: Columns that are preferred.
        always: Columns that have to be among them.
    """
    whole = [looked for looked in table.columns.values() if looked.filled == table.height and not looked.is_prose]
    ranked = sorted(whole, key=lambda looked: (looked.name not in first, looked.column.type == "decimal"))
    names = [looked.name for looked in ranked][:10]
    frame = table.texts
    for size in range(1, min(_MOST_OF_KEY, len(names)) + 1):
        for chosen in combinations(names, size):
            if set(always) <= set(chosen) and frame.select(pl.struct(chosen).n_unique()).item() == frame.height:
                return chosen
    return ()


def has_key(table: Looks) -> bool:
    """Say whether rows that differ do so in columns that have a value in every row: a key may have no gap."""
    whole = [name for name, looked in table.columns.items() if looked.filled == table.height and not looked.is_prose]
    return bool(whole) and table.texts.select(whole).n_unique() == table.texts.height


def references(tables: Sequence[Looks]) -> list[Refers]:
    """Find which columns refer to which table, at most one each."""
    keys = {table.name: codes(table)[:2] if is_first_alike(table, tables) else [] for table in tables}
    found = [refers for table in tables for name in table.columns if (refers := _best(table, name, tables, keys))]
    leads = {(each.table, each.column): each for each in found if each.known == each.distinct}
    found = [_through(each, leads) for each in found if (each.to_table, each.to_column) != (each.table, each.column)]
    return [*found, *_siblings(tables, found)]


def _through(refers: Refers, leads: Mapping[tuple[str, str], Refers]) -> Refers:
    """Return what a column refers to in the end: lines and comments have orders, which their own table lists."""
    further = leads.get((refers.to_table, refers.to_column))
    if further is None or (further.to_table, further.to_column) == (refers.table, refers.column):
        return refers
    return replace(refers, to_table=further.to_table, to_column=further.to_column)


def is_first_alike(table: Looks, tables: Sequence[Looks]) -> bool:
    """Say whether a table is the first with its header and figures: of files, one a year, it lists the entities of all."""
    has_figures = any(each.is_number and not may_be_code(each) for each in table.columns.values())
    return not has_figures or next(each for each in tables if list(each.columns) == list(table.columns)) is table


def _siblings(tables: Sequence[Looks], found: Sequence[Refers]) -> Iterator[Refers]:
    """Find columns with few values, all of them in a key to which another column of their table refers (from, to)."""
    by_name, taken = {table.name: table for table in tables}, {(each.table, each.column) for each in found}
    for each in found:
        key = by_name[each.to_table].columns[each.to_column]
        for looked in by_name[each.table].columns.values():
            is_free = (each.table, looked.name) not in taken and not looked.column.allowed
            for refers in (
                _within(each.table, looked, each.to_table, key) if is_free and key.column.type == "text" else ()
            ):
                taken.add((each.table, looked.name))
                yield refers


def own_references(table: Looks, key: str) -> Iterator[Refers]:
    """Find the columns that lead to other rows of their own table: their headers say so, and all values are keys of it."""
    names, keys = list(table.columns), table.columns[key]
    for looked in (table.columns[name] for name in names[names.index(key) + 1 :]):
        if looked.words & ABOVE or set(words(key)) < set(words(looked.name)):
            yield from _within(table.name, looked, table.name, keys, is_named=True)


def _within(table: str, looked: Looked, to: str, key: Looked, *, is_named: bool = False) -> Iterator[Refers]:
    """Yield a reference if all values of a column are keys of its type."""
    values = looked.text.drop_nulls().unique()
    if looked.column.type == key.column.type and len(values) and values.is_in(key.text.implode()).all():
        yield Refers(table, looked.name, to, key.name, len(values), len(values), is_named)


def _rank(table: Looks, looked: Looked) -> float:
    position = list(table.columns).index(looked.name)
    is_id, is_own = bool(looked.words & ID), bool(looked.words & {one(word) for word in words(table.name)})
    is_name = bool(looked.words & (NAME | PART_OF_NAME)) or " " in str(looked.text[0])
    return 3 * is_id + 2 * is_own - 2 * is_name - position / len(table.columns)


def _best(table: Looks, name: str, tables: Sequence[Looks], keys: Mapping[str, list[str]]) -> Refers | None:
    looked = table.columns[name]
    if not looked.filled or looked.column.type not in ("text", "integer") or looked.is_prose or looked.may_be_year:
        return None
    if looked.is_unique and looked.words & {one(word) for word in words(table.name)}:
        return None  # its own key, whatever else holds the same values
    found = list(_possible(table, looked, tables, keys))
    return max(found, key=lambda each: (each.is_named, each.known / each.distinct), default=None)


def _possible(table: Looks, looked: Looked, tables: Sequence[Looks], keys: Mapping[str, list[str]]) -> Iterator[Refers]:
    values = looked.text.drop_nulls().unique()
    for other in tables:
        for position, key in enumerate(keys[other.name] if other is not table else []):
            is_named = _names(looked, key, other)
            # Equal texts mean more than chance if they are enough; numbers from 1 on stand everywhere.
            says_much = other.columns[key].column.type == looked.column.type == "text" and looked.distinct >= _NAMELESS
            if not is_named and (position or looked.is_unique or not says_much):
                continue
            known = int(values.is_in(other.columns[key].text.implode()).sum())
            refers = Refers(table.name, looked.name, other.name, key, known, len(values), is_named)
            if known / len(values) >= (_KNOWN if is_named else _ALL_BUT_FEW):
                yield refers


def _names(looked: Looked, key: str, other: Looks) -> bool:
    """Say whether a header speaks of the other table's key: by its name, or by the table's."""
    core = set(words(key)) - GENERIC or {one(word) for word in words(other.name)}
    return (
        core <= looked.words
        and not core <= NAME - ENTITY
        and (bool(looked.words & ID) or core == looked.words or core == set(words(key)))
    )
