"""What each raw table is: a listing of entities, their figures by period, records that belong to them, or a lookup table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import polars as pl

from pipeline.guess.keys import Refers, codes, is_first_alike, may_be_code, own_references, references
from pipeline.guess.looking import Looked, Looks, part
from pipeline.guess.words import ENTITY, ID, NAME, PART_OF_NAME, PERSON, identifier, one, words
from pipeline.model.periods import FREQUENCIES, Frequency, Period, period_of
from pipeline.wording import counted

_MOST_OF_LOOKUP = 100
_COLUMNS_OF_LOOKUP = 3
"""Rows and columns of a lookup table, at most (our choice)."""

_DISTINCT = 0.8
"""Part of a listing's names that are different, at least (our choice: namesakes occur)."""

_STEPS: tuple[tuple[Frequency, int], ...] = (("year", 0), ("year", -7), ("quarter", 0), ("month", 0))
"""Periods that dates may say, with days by which they are moved first: a year may end with its last week."""

_TWICE = 0.02
"""Part of the rows of a panel, at most, whose entity and period come again by mistake (our choice)."""

_REGISTER = 50
"""Distinct whole numbers of entities, at most, that a register would hold rather than books (our choice)."""


@dataclass(frozen=True, eq=False)
class EntityKind:
    """One kind of entity."""

    name: str
    """What such an entity is, in one word."""
    home: Looks
    """The table that has one row for each, or, if it lists none, that names them first."""
    code: str
    title: str = ""
    """Column of the name."""
    is_listed: bool = True
    """Whether the table is a listing; not so where its rows are records, or several rows are of one entity."""
    is_person: bool = False
    """Whether its table calls them so."""

    @property
    def is_somebody(self) -> bool:
        """Say whether its table is called after people, companies or the like, rather than after things."""
        return bool({one(word) for word in words(self.home.name)} & ENTITY)


@dataclass(frozen=True, eq=False)
class Dated:
    """A table of figures by entity and period."""

    table: Looks
    code: str
    period: Period
    column: str
    """The raw column that says the period."""
    days: int = 0
    """Days by which a date is moved first."""
    notes: tuple[str, ...] = ()
    doubt: str = ""
    """What does not fit it, if anything."""

    @property
    def is_of_dates(self) -> bool:
        """Say whether dates say the period, of which each table of records has some."""
        return self.table.columns[self.column].is_time


@dataclass(frozen=True, eq=False)
class Shape:
    """What a folder of tables is made of."""

    tables: Sequence[Looks]
    refers: Sequence[Refers]
    kinds: tuple[EntityKind, ...]
    """The main one first."""
    panel: Dated | None
    records: tuple[Looks, ...] = field(default=())
    """Tables of events."""
    unnamed: tuple[str, ...] = ()
    """Tables whose rows nothing may name, since they are sampled."""

    @cached_property
    def by_home(self) -> dict[str, EntityKind]:
        """Return the kinds by the name of their table."""
        return {kind.home.name: kind for kind in self.kinds}

    def table(self, name: str) -> Looks:
        """Return a table by its name."""
        return next(table for table in self.tables if table.name == name)

    def kind_in(self, table: Looks, column: str) -> EntityKind | None:
        """Return the kind whose codes a column holds."""
        own = self.by_home.get(table.name)
        if own and own.code == column:
            return own
        refers = self.refers_of(table, column)
        kind = self.by_home.get(refers.to_table) if refers else None
        return kind if kind and refers and refers.to_column == kind.code else None

    def owners(self, table: Looks) -> dict[str, EntityKind]:
        """Return the kinds whose codes a table holds, by column."""
        return {column: kind for column in table.columns if (kind := self.kind_in(table, column))}

    def rows_of(self, table: Looks) -> Literal["", "somebody", "records"]:
        """Say whose rows with figures or times are, if they list nobody: `somebody`'s who is listed, or `records`' alone."""
        owners, own = self.owners(table).values(), self.by_home.get(table.name)
        is_apart = (self.panel and table is self.panel.table) or (own and own.is_listed)
        if is_apart or not owners or not (_figures(table, self.refers) or _times(table)):
            return ""
        return "somebody" if any(owner.is_listed for owner in owners) else "records"

    def refers_of(self, table: Looks, column: str) -> Refers | None:
        """Return what a column refers to."""
        return next((each for each in self.refers if (each.table, each.column) == (table.name, column)), None)


def shape(tables: Sequence[Looks], *, is_sampled: bool = False) -> Shape:
    """Say what each table is; where records are sampled, their rows are no kind of entity."""
    refers = references(tables)
    listed = [kind for table in tables if (kind := _kind(table, tables, refers))]
    tables, listed, refers = _apart(tables, listed, refers)
    for kind, refer in _unlisted(tables, refers) if not listed else ():
        its = {name for name, each in kind.home.columns.items() if each.column.type == "integer"} - {kind.code}
        rest = [part(each, each.name, [name for name in each.columns if name not in its]) for each in tables if its]
        tables, listed, refers = [*(rest or tables), kind.home], [kind], [refer, *refers]
    kinds = [kind for kind in listed if kind.is_listed or not is_sampled] or list(listed)
    unnamed = tuple(kind.home.name for kind in listed if kind not in kinds)
    dated = [each for table in tables if (each := _dated(table, kinds, refers))]
    kinds.sort(key=lambda kind: -_weight(kind, dated, refers, tables))
    of_main = (each for each in dated if kinds and each.code == kinds[0].code)
    panel = min(of_main, key=lambda each: (each.is_of_dates, -len(_figures(each.table, refers))), default=None)
    shaped = Shape(tables, refers, tuple(kinds), panel)
    records = [table for table in tables if shaped.rows_of(table) == "somebody"]
    # References to one's own table say nothing of what a table is, and come last.
    own = [each for kind in kinds if kind.is_listed for each in own_references(kind.home, kind.code)]
    taken = {(each.table, each.column) for each in refers}
    refers = [*refers, *(each for each in own if (each.table, each.column) not in taken)]
    return Shape(tables, refers, tuple(kinds), panel, tuple(records), unnamed)


def _kind(table: Looks, tables: Sequence[Looks], refers: Sequence[Refers]) -> EntityKind | None:
    """Return the kind that a table lists or whose records it holds; None if nobody refers to them and they have no names."""
    to_it = [each for each in refers if each.to_table == table.name]
    own = [name for name in codes(table) if not any((each.table, each.column) == (table.name, name) for each in refers)]
    if not own or not is_first_alike(table, tables) or _is_lookup(table, tables, refers):
        return None
    code = max(own[:2], key=lambda name: (sum(each.to_column == name for each in to_it), -own.index(name)))
    called, title = {one(word) for word in words(table.name)}, _title(table, code)
    holds_records = any(each.table == table.name for each in refers) and bool(_figures(table, refers) or _times(table))
    if holds_records and not title and not called & ENTITY:
        return EntityKind(one(table.name).lower(), table, code, is_listed=False) if to_it else None
    if not (title or to_it or called & ENTITY):
        return None
    is_person = bool(called & PERSON) and not (title and table.columns[title].legal_forms)
    return EntityKind(one(table.name).lower(), table, code, title, is_person=is_person)


def _apart(
    tables: Sequence[Looks], kinds: Sequence[EntityKind], refers: Sequence[Refers]
) -> tuple[list[Looks], list[EntityKind], list[Refers]]:
    """Take the figures out of listings, as tables of their own over the same files: a listing protects none."""
    apart, homes, owned = list(tables), list(kinds), list(refers)
    for number, kind in enumerate(kinds):
        home = kind.home
        figures = [
            each for each in _figures(home, refers) if each != kind.code and not _is_of_register(home.columns[each])
        ]
        if kind.is_listed and figures and home.height > 1:
            listing = part(home, home.name, [name for name in home.columns if name not in figures])
            books = part(home, f"{home.name}_figures", [kind.code, *figures])
            apart[apart.index(home)] = listing
            apart.append(books)
            homes[number] = replace(kind, home=listing)
            rows = home.height
            owned.append(Refers(books.name, kind.code, home.name, kind.code, rows, rows, is_named=True))
    return apart, homes, owned


def _is_of_register(looked: Looked) -> bool:
    """Say whether a register of entities would hold a number, rather than books."""
    return looked.column.type == "integer" and looked.distinct <= min(_REGISTER, looked.filled / 2)


def _is_lookup(table: Looks, tables: Sequence[Looks], refers: Sequence[Refers]) -> bool:
    """Say whether a table is a small list of words for what other tables hold, rather than of anybody."""
    used = [each for each in refers if each.to_table == table.name]
    users = [other for other in tables if any(each.table == other.name for each in used)]
    is_small = table.height <= _MOST_OF_LOOKUP and len(table.columns) <= _COLUMNS_OF_LOOKUP
    is_somebody = {one(word) for word in words(table.name)} & ENTITY
    is_beside = all(any(each.table == other.name and each.to_table != table.name for each in refers) for other in users)
    return (
        bool(users)
        and is_small
        and not is_somebody
        and is_beside
        and max(each.height for each in users) > 2 * table.height
    )


def _unlisted(tables: Sequence[Looks], refers: Sequence[Refers]) -> Iterator[tuple[EntityKind, Refers]]:
    """Yield the kind whose figures or times there are, and that no table lists, with a listing from the same file."""
    for table in tables:
        full = [each for each in table.columns.values() if 1 < each.distinct < table.height == each.filled]
        owners = [each for each in full if _may_own(table, each)]
        if owners and (_figures(table, refers) or _times(table)):
            best = max(
                owners, key=lambda each: (_makes_key(table, each), bool(each.words & (ID | ENTITY)), each.distinct)
            )
            name = one("_".join(words(best.name)[:1])) or "entity"
            steady = [each.name for each in table.columns.values() if _is_steady(best, each)]
            listing = part(table, f"{name}_list", [best.name, *steady], once=best.name)
            refer = Refers(table.name, best.name, listing.name, best.name, best.distinct, best.distinct, is_named=True)
            yield EntityKind(name, listing, best.name, _title(listing, best.name), is_person=name in PERSON), refer
            return


def _may_own(table: Looks, looked: Looked) -> bool:
    """Say whether a column may hold codes: it looks so, or its whole numbers come again period by period, each once in one."""
    is_number = looked.column.type == "integer" and not looked.may_be_year and 2 * looked.distinct <= table.height
    return may_be_code(looked) or (is_number and _makes_key(table, looked))


def _is_steady(code: Looked, looked: Looked) -> bool:
    """Say whether a text, or a number of few values, is the same in all rows of a code, and says something."""
    is_few = is_figure(looked) and _is_of_register(looked) and 2 * looked.distinct <= code.distinct
    is_kept = looked.column.type == "text" or is_few
    if looked is code or not is_kept or looked.is_prose or looked.distinct < 2:  # noqa: PLR2004
        return False
    both = pl.DataFrame([code.text.alias("code"), looked.text.alias("value")])
    return both.n_unique() == code.distinct


def _makes_key(table: Looks, looked: Looked) -> bool:
    """Say whether a code and a period together number the rows."""
    columns = table.columns.values()
    periods = [each for each in columns if each.may_be_year or each.is_time or each.column.type in FREQUENCIES]
    return any(_unique(table, looked.name, each.text) for each in periods)


def _unique(table: Looks, code: str, period: pl.Series) -> bool:
    """Say whether a code and a period together are never empty and number the rows, equal rows counted once."""
    return _again(table, code, period) == 0


def _again(table: Looks, code: str, period: pl.Series) -> int:
    """Return how many rows have the code and period of an earlier one, equal rows counted once; all, if a cell is empty."""
    both = pl.DataFrame([table.columns[code].text.alias("code"), period.alias("period")])
    is_filled = both.null_count().sum_horizontal().item() == 0
    return table.texts.height - both.n_unique() if is_filled else table.height


def _title(table: Looks, code: str) -> str:
    """Return the column of names: whose header or legal forms say so, and whose cells differ."""
    found = [
        each
        for each in table.columns.values()
        if each.column.type == "text" and each.name != code
        and (each.legal_forms or (each.words & NAME and not each.words & PART_OF_NAME))
        and not each.is_prose and 2 * each.filled > table.height and each.distinct >= _DISTINCT * max(each.filled, 1)
    ]  # fmt: skip
    plain = {"name", *(one(word) for word in words(table.name))}
    return max(found, key=lambda each: (len(each.words & plain) - len(each.words), each.distinct)).name if found else ""


def _figures(table: Looks, refers: Sequence[Refers]) -> list[str]:
    """Return the columns of numbers that refer to nothing, and are no codes, years or numbers of rows."""
    taken = {each.column for each in refers if each.table == table.name}
    return [each.name for each in table.columns.values() if is_figure(each) and each.name not in taken]


def is_figure(looked: Looked) -> bool:
    """Say whether a column holds figures: numbers that neither name something nor say when."""
    is_code = bool(identifier(looked.name)) or (may_be_code(looked) and "of" not in looked.words)
    is_time = looked.may_be_year or bool(looked.says_when)
    return looked.is_number and not is_time and not is_code and not is_counter(looked)


def is_counter(looked: Looked) -> bool:
    """Say whether a column numbers the rows of its table from 0 or 1 on."""
    if looked.column.type != "integer" or not looked.is_unique or looked.filled < 3:  # noqa: PLR2004
        return False
    steps = looked.values.diff().drop_nulls()
    return bool((steps == 1).all())


def _times(table: Looks) -> list[str]:
    return [each.name for each in table.columns.values() if each.is_time]


def _codes_in(table: Looks, kind: EntityKind, refers: Sequence[Refers]) -> list[str]:
    """Return the columns of a table that hold the codes of a kind."""
    of_kind = [
        each.column
        for each in refers
        if each.table == table.name and (each.to_table, each.to_column) == (kind.home.name, kind.code)
    ]
    return ([kind.code] if table is kind.home and not kind.is_listed else []) + of_kind


def _dated(table: Looks, kinds: Sequence[EntityKind], refers: Sequence[Refers]) -> Dated | None:
    """Return a table as figures by entity and period, if each entity has one row a period."""
    if not _figures(table, refers):
        return None
    for kind in kinds:
        for code in _codes_in(table, kind, refers):
            found = _by_period(table, code)
            if found:
                return found
    return None


def _by_period(table: Looks, code: str) -> Dated | None:
    rows = f"one row for each {code!r} and"
    is_often = table.height >= 2 * table.columns[code].distinct
    said = {each.name: "year" if each.may_be_year else each.column.type for each in table.columns.values()}
    periods = {name: one for name, type_ in said.items() for one in FREQUENCIES if one == type_}
    again = {name: _again(table, code, table.columns[name].text) for name in periods}
    best = min(again, key=again.__getitem__, default=None)
    if best and again[best] <= (_TWICE * table.height if is_often else 0):
        doubt = _doubt(table, f"{code!r} and {best!r}", again[best]) if again[best] else ""
        notes = (f"? panel: {rows} {best!r}", *([f"? {doubt}"] if doubt else []))
        return Dated(table, code, Period(best, periods[best]), best, notes=notes, doubt=doubt)
    for each in table.columns.values():
        if not (each.is_time and is_often):
            continue
        for frequency, days in _STEPS:
            moved = period_of(pl.col(each.name) + pl.duration(days=days), frequency)
            if _unique(table, code, each.values.to_frame(each.name).select(moved).to_series()):
                note = f"? panel: {rows} {frequency} of {each.name!r}" + (f", {-days} days before" if days else "")
                name = frequency if frequency not in table.columns else "period"
                return Dated(table, code, Period(name, frequency), each.name, days, (note,))
    return None


def _doubt(table: Looks, key: str, again: int) -> str:
    known = f"{table.height - again:,} of {counted(table.height, 'row')}"
    return f"{key} number {known} in {table.file!r}: `silt check` names those that have them again"


def _weight(kind: EntityKind, dated: Sequence[Dated], refers: Sequence[Refers], tables: Sequence[Looks]) -> float:
    """Weigh a kind: the main one has figures by period, then records, then names."""
    own = [each for each in dated if each.code in _codes_in(each.table, kind, refers) and each.code == kind.code]
    used = sum(
        bool(_codes_in(table, kind, refers)) and bool(_figures(table, refers) or _times(table)) for table in tables
    )
    return 100 * bool(own) + 10 * used + 30 * kind.is_somebody + 3 * bool(kind.title) + 8 * kind.is_listed
