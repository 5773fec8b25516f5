"""The parts of a declaration that guesses give: raw tables, kinds of entities, panel, events, aggregates, noise."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.guess.digits import code_shape, is_scale, significant_digits
from pipeline.guess.identities import HeldIdentity, held, ordered
from pipeline.guess.keys import compound_key, has_key
from pipeline.guess.looking import Looked, Looks, look
from pipeline.guess.roles import Ruled, language, of_dropped, ruled, same_names
from pipeline.guess.shape import Dated, EntityKind, Shape, shape
from pipeline.guess.totals import sums, totals
from pipeline.guess.unique import MOST, Prevented, prevented
from pipeline.guess.words import FORMER, GROUP, INDUSTRY, UNITS, is_ratio, unit, words
from pipeline.model import (
    PERIOD,
    Aggregate,
    AliasSource,
    Column,
    Entities,
    Environment,
    Events,
    Growth,
    Identity,
    Measure,
    Panel,
    Ratio,
    RawTable,
    Reference,
    Repeats,
    Role,
)
from pipeline.model.periods import WithPeriod
from pipeline.render.as_raw import as_raw
from pipeline.wording import counted, percent

_NOTHING = Ruled(Column(name="", role=Role.IGNORED))
"""What is said of each column of a table that is left out."""

_NOTES = dict[int, tuple[str, ...]]

_GROUPS = 4
"""Entities of a group in the mean, at least, if it is to be compared (our choice)."""


@dataclass(frozen=True, eq=False)
class Guess:
    """A declaration to start from."""

    name: str
    raw_tables: tuple[RawTable, ...]
    entities: Entities
    further: tuple[Entities, ...]
    panel: Panel
    events: tuple[Events, ...]
    aggregates: tuple[Aggregate, ...]
    notes: Mapping[int, tuple[str, ...]] = field(repr=False)
    """What was guessed of a part, and on what evidence, by the part's `id`."""
    left_out: tuple[str, ...]
    """Tables that are not declared."""
    doubt: str
    """What does not fit the panel; the empty text if all does."""
    figures: pl.DataFrame | None = field(repr=False)
    """The originals of the panel: code, `PERIOD`, and measures in quanta."""

    def environment(self) -> Environment:
        """Return the declaration that is written down."""
        declared = Environment(
            name=self.name,
            title=self.name,
            raw_tables=self.raw_tables,
            entities=self.entities,
            further=self.further,
            panel=self.panel,
            events=self.events,
            aggregates=self.aggregates,
        )
        return as_raw(declared)


def guess(folder: Path, taken: Collection[str] = (), *, is_sampled: bool = False) -> Guess | None:
    """Look at the tables of a folder and guess a declaration; None if nothing in it looks like anybody's.

    Args:
        folder: The folder, after which the environment is named.
        taken: Names that other environments have.
        is_sampled: Whether records are to be sampled (`guarded`), so that nothing refers to one of them.

    Raises:
        InputError: There is no such folder, no table in it, or a file that is none.
    """
    shaped = shape(look(folder), is_sampled=is_sampled)
    name = re.sub(r"[^0-9a-z]+", "-", folder.resolve().name.lower()).strip("-") or "tables"
    return _Declaring(shaped).guess(name if name not in taken else f"my-{name}") if shaped.kinds else None


class _Declaring:
    """Makes the parts, and notes what was guessed of each."""

    def __init__(self, shaped: Shape) -> None:
        self.shape, self.notes = shaped, _NOTES()
        self.figures: pl.DataFrame | None = None
        self.ruled = {
            table.name: {name: ruled(shaped, table, looked) for name, looked in table.columns.items()}
            for table in shaped.tables
        }
        self.prevented = {table.name: self._prevented(table) for table in shaped.records}
        without = [table for table in shaped.records if not has_key(self._kept(table))]
        self.ruled |= {table.name: dict.fromkeys(table.columns, _NOTHING) for table in without}
        self.shape = replace(shaped, records=tuple(table for table in shaped.records if table not in without))

    def _prevented(self, table: Looks) -> Prevented:
        """Keep rows of records from being published as they were: leave out attributes, and say how many digits may stay."""
        columns = self.ruled[table.name]
        of = {role: [table.columns[n] for n, each in columns.items() if each.column.role is role] for role in Role}
        attributes = [each for each in of[Role.ATTRIBUTE] if not columns[each.name].column.follows]
        kept = [each for each in attributes if not is_scale(each)]
        digits = {each.name: significant_digits(each) for each in of[Role.MEASURE]}
        found = prevented(of[Role.MEASURE], digits, kept, of[Role.TIME])
        why = "? with it rows would be published as they were, each the only one of its kind: withheld"
        for name in found.left_out:
            columns[name] = Ruled(Column(name=name, role=Role.IGNORED), (why,))
        return found

    def _kept(self, table: Looks) -> Looks:
        """Return a table without the columns that are left out."""
        stay = [name for name, each in self.ruled[table.name].items() if each.column.role is not Role.IGNORED]
        return replace(table, columns={name: table.columns[name] for name in stay})

    def guess(self, name: str) -> Guess:
        """Return all of it."""
        alone = tuple(self._events(table) for table in self.shape.records)
        events = tuple(self._noting(each, sums=tuple(self._noted(sums(self.shape, each, alone)))) for each in alone)
        panel = self._panel(self.shape.panel, events) if self.shape.panel else Panel()
        events = tuple(self._staying(each, panel) for each in events)
        measures = {each.table: each.measures for each in events}
        if self.shape.panel:
            measures[self.shape.panel.table.name] = panel.measures
        about = [
            table
            for table in self.shape.tables
            if any(each.column.role is not Role.IGNORED for each in self.ruled[table.name].values())
        ]
        declared = tuple(self._raw_table(table, measures.get(table.name, ())) for table in about)
        entities = [self._entities(kind) for kind in self.shape.kinds]
        left_out = tuple(table.name for table in self.shape.tables if table not in about)
        left = ", ".join(map(repr, left_out))
        note = (
            f"? left out, for they are about nobody, belong to records alone, or have no key: {left}. To publish one, declare "
            "it; without a key, number its rows in the raw file"
        )
        self._note(declared, note if left else "")
        return Guess(
            name=name,
            raw_tables=declared,
            entities=entities[0],
            further=tuple(entities[1:]),
            panel=panel,
            events=events,
            aggregates=self._aggregates(entities[0]) if self.shape.panel else (),
            notes=self.notes,
            left_out=left_out,
            doubt=self.shape.panel.doubt if self.shape.panel else "",
            figures=self.figures,
        )

    def _note(self, part: object, *notes: str) -> None:
        if noted := tuple(note for note in notes if note):
            self.notes[id(part)] = (*self.notes.get(id(part), ()), *noted)

    def _raw_table(self, table: Looks, measures: Sequence[Measure]) -> RawTable:
        columns, ignored, dropped = [], list(table.ignored), []
        by_name = {measure.name: measure for measure in measures}
        for name, each in self.ruled[table.name].items():
            if each.column.role is Role.IGNORED:
                ignored.append(name)
                dropped.append((name, each))
                continue
            column = by_name[name].column() if name in by_name else each.column
            self._note(column, *(() if name in by_name else each.notes))
            columns.append(column)
        panel = self.shape.panel if self.shape.panel and self.shape.panel.table is table else None
        complete = self._complete(panel) if panel else None
        key, note = self._key(table, columns, panel)
        again = table.height - self._kept(table).texts.height
        declared = RawTable(
            name=table.name,
            file=table.file,
            dialect=table.dialect,
            reshape=table.reshape,
            key=key,
            repeats=Repeats() if again or table.is_drawn or note.startswith("? no key") else None,
            ignored=tuple(ignored),
            columns=tuple(columns),
            references=tuple(self._references(table)),
            complete=complete,
            adds=(Column(name=complete.period.column, type=complete.period.type),) if complete else (),
        )
        drawn = f"? no table lists them: their codes, and what is the same in all rows of each, from {table.file!r}"
        equal = f"? {again:,} rows are equal to others in all columns that stay: of these, one does" if again else ""
        self._note(declared, *table.notes, drawn if table.is_drawn else equal, *of_dropped(dropped), note)
        return declared

    def _complete(self, panel: Dated) -> WithPeriod | None:
        return None if panel.period.column == panel.column else WithPeriod(panel.column, panel.period, panel.days)

    def _key(self, table: Looks, columns: Sequence[Column], panel: Dated | None) -> tuple[tuple[str, ...], str]:
        """Return the columns of the key, with the evidence."""
        if panel:
            return (panel.code, panel.period.column), ""
        kind, rows = self.shape.by_home.get(table.name), f"distinct of {table.height:,} rows"
        if kind and table.columns[kind.code].is_unique:
            return (kind.code,), f"? key: {table.columns[kind.code].distinct:,} {rows}"
        numbers = [each.name for each in columns if each.role is Role.NUMBER]
        owner = [each.name for each in columns if each.role is Role.CODE]
        if numbers and owner and table.texts.select(owner[0], numbers[0]).n_unique() == table.texts.height:
            return (owner[0], numbers[0]), ""
        first = [each.name for each in columns if each.role in (Role.CODE, Role.NUMBER, Role.TIME)]
        kept = replace(table, columns={each.name: table.columns[each.name] for each in columns if not each.follows})
        key = compound_key(kept, first, always=owner[:1]) if columns else ()
        if key:
            return key, f"? key: {', '.join(map(repr, key))}, each time together another"
        filled = {name for name, each in table.columns.items() if each.filled == table.height}
        whole = [each.name for each in columns if each.name in filled and not (each.follows or each.role is Role.TEXT)]
        return tuple(whole) or tuple(table.columns), (
            "? no key: no few columns number the rows; of rows that are equal in all columns, one stays"
        )

    def _references(self, table: Looks) -> Iterator[Reference]:
        for name in table.columns:
            refers, kind = self.shape.refers_of(table, name), self.shape.kind_in(table, name)
            if refers and kind and refers.to_table == kind.home.name:
                yield Reference(
                    columns=(name,),
                    to_table=refers.to_table,
                    to_columns=(refers.to_column,),
                    broken="error" if refers.known == refers.distinct else "keep",
                )

    def _entities(self, kind: EntityKind) -> Entities:
        is_main = kind is self.shape.kinds[0]
        listed = (kind.home.name,) if kind.is_listed else ()
        named = [name for name, each in self.ruled[kind.home.name].items() if each.column.role is Role.NAME]
        title = kind.home.columns[named[0]].text if named else None
        shared = same_names(title)
        groups = self._industries(kind) if is_main else []
        columns = self.ruled[kind.home.name] if kind.is_listed else {}
        entities = Entities(
            kind="" if is_main else re.sub(r"\W+", "_", kind.name),
            tables=listed,
            code=kind.code,
            name=named[0] if named else "",
            named="person" if kind.is_person else "company",
            industry=groups[0] if groups else "",
            sub_industry=groups[-1] if groups[1:] else "",
            language="en" if title is None else language(title),
            code_shape=code_shape(kind.home.columns[kind.code]),
            aliases=tuple(self._aliases(kind)) if named else (),
            looked_up=tuple(name for name, each in columns.items() if each.is_looked_up),
            same_name="several companies" if shared else "error",
        )
        few = (
            f"? industries: {', '.join(map(repr, groups))} {'have' if groups[1:] else 'has'} few groups"
            if groups
            else ""
        )
        self._note(entities, few, shared)
        return entities

    def _aliases(self, kind: EntityKind) -> Iterator[AliasSource]:
        for table in self.shape.tables:
            code = next((name for name, each in self.shape.owners(table).items() if each is kind), "")
            for name, each in self.ruled[table.name].items():
                if code and each.column.role is Role.ALIAS and each.column.of in {"", kind.name}:
                    kept = "former" if table.columns[name].words & FORMER else "short"
                    yield AliasSource(table=table.name, alias=name, code=code, only_kind=kept)

    def _industries(self, kind: EntityKind) -> list[str]:
        """Return the columns by which entities may be grouped, those of industries before others, the coarsest first."""
        found = []
        for name, each in self.ruled[kind.home.name].items() if kind.is_listed else ():
            looked = kind.home.columns[name]
            is_group = each.column.role is Role.ATTRIBUTE and looked.column.type == "text" and looked.words & GROUP
            if is_group and looked.filled == kind.home.height and 1 < looked.distinct <= kind.home.height / _GROUPS:
                found.append((not looked.words & INDUSTRY, looked.distinct, name))
        return [name for is_other, _, name in sorted(found) if is_other == min(found)[0]]

    def _aggregates(self, entities: Entities) -> tuple[Aggregate, ...]:
        if entities.industry not in {name for each in self.ruled.values() for name in each}:
            return ()
        called = "_".join(word for word in words(entities.industry) if word.isascii()) or "group"
        return (Aggregate(name=f"by_{called}", by=(entities.industry,)),)

    def _events(self, table: Looks) -> Events:
        columns = self.ruled[table.name]
        codes, own = self.shape.owners(table), self.shape.by_home.get(table.name)
        owners = [name for name, kind in codes.items() if kind is not own and kind.is_listed] or list(codes)
        main = [name for name, kind in codes.items() if kind is self.shape.kinds[0]]
        entity = (main or owners)[0]
        measures = self._measures(table)
        times = [name for name, each in columns.items() if each.column.role is Role.TIME]
        figures = pl.DataFrame([table.columns[each.name].values.alias(each.name) for each in measures])
        rows = figures.with_columns(pl.lit("").alias("code of nobody"), pl.lit(None, pl.Int64).alias(PERIOD))
        found = held(rows, measures, "code of nobody") if measures else ()
        measures = self._figures(measures, found)
        events = Events(
            table=table.name,
            entity=entity,
            time=times[0] if times else "",
            measures=measures,
            identities=tuple(self._noted(found)),
        )
        stay = self.prevented[table.name].share
        alone = f"? about {percent(stay)} of the rows stay as they were, each the only one of its kind"
        by = f", by {times[0]!r}" if times else ""
        self._note(events, f"? records of {entity!r}{by}", alone if stay > MOST else "")
        return events

    def _staying(self, events: Events, panel: Panel) -> Events:
        """Return events that stay in the period of the figures that are their totals."""
        frequency = panel.period.frequency
        if all(total.events != events.table for total in panel.totals) or frequency in ("week", "day"):
            return events
        return self._noting(events, stay_within=frequency)

    def _noting(self, events: Events, **given: Any) -> Events:
        """Return events with more that is declared, and the same notes."""
        changed = replace(events, **given)
        self._note(changed, *self.notes.get(id(events), ()))
        return changed

    def _noted(self, found: Sequence[HeldIdentity]) -> Iterator[Identity]:
        for each in found:
            self._note(each.identity, each.evidence)
            yield each.identity

    def _measures(self, table: Looks) -> tuple[Measure, ...]:
        ruled = {name: each for name, each in self.ruled[table.name].items() if each.column.role is Role.MEASURE}
        digits = self.prevented[table.name].digits if table.name in self.prevented else {}
        return tuple(self._measure(table.columns[name], each, digits.get(name)) for name, each in ruled.items())

    def _measure(self, looked: Looked, each: Ruled, digits: int | None) -> Measure:
        column, around = looked.column, looked.column.numerals.around
        said = unit(looked.name) or next((UNITS[text.lower()] for text in around if text.lower() in UNITS), "")
        measure = Measure(
            name=looked.name,
            unit=said,
            decimals=column.decimals,
            additive=not is_ratio(looked.name) and said != "%",
            numerals=column.numerals,
            significant_digits=significant_digits(looked) if digits is None else digits,
            null_tokens=column.null_tokens,
            treat=column.treat,
        )
        self._note(measure, *each.notes)
        return measure

    def _figures(self, measures: Sequence[Measure], found: Sequence[HeldIdentity]) -> tuple[Measure, ...]:
        """Return the measures, those that identities show to be percentages as such; note which have no unit."""
        percentages = {each.identity.output for each in found if _is_percentage(each.identity)}
        known_figures = []
        for measure in measures:
            is_known = measure.unit or measure.name not in percentages
            known = measure if is_known else replace(measure, unit="%", additive=False)
            self._note(known, *(self.notes.get(id(measure), ()) if known is not measure else ()))
            known_figures.append(known)
        figures, bare = tuple(known_figures), [each.name for each in known_figures if not each.unit]
        self._note(figures, f"? unit: missing in {counted(len(bare), 'header')} of measures" if bare else "")
        return figures

    def _panel(self, dated: Dated, events: Sequence[Events]) -> Panel:
        table, measures = dated.table, self._measures(dated.table)
        code = table.columns[dated.code].text.alias(dated.code)
        values = (table.columns[each.name].values.alias(each.name) for each in measures)
        figures = pl.DataFrame([code, self._numbers(dated), *values])
        self.figures = figures = figures.unique([dated.code, PERIOD], keep="first", maintain_order=True)
        found = ordered((*totals(self.shape, figures, measures, dated, events), *held(figures, measures, dated.code)))
        measures = self._figures(measures, found)
        panel = Panel(
            tables=(table.name,), measures=measures, identities=tuple(self._noted(found)), period=dated.period
        )
        self._note(panel, *dated.notes)
        return panel

    def _numbers(self, dated: Dated) -> pl.Series:
        """Return the period of each row as a number."""
        values = dated.table.columns[dated.column].values.alias(dated.column)
        complete = self._complete(dated)
        if complete is None:
            return values.cast(pl.Int64).alias(PERIOD)
        return complete(values.to_frame().lazy()).collect()[dated.period.column].alias(PERIOD)


def _is_percentage(identity: Identity) -> bool:
    return isinstance(identity, Growth) or (isinstance(identity, Ratio) and identity.scale == 100)  # noqa: PLR2004
