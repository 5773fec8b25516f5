"""Anonymises whole tables: each column by the treatment that its declaration gives it.

Takes conformed tables; returns tables of the same names with the columns that may be published, and the panel as one table
`FIGURES`. A column without a treatment (`pipeline/model/treatments.py`) is dropped, so that none is published undecided. The
single mechanisms are in `codes.py`, `names/`, `prose/replacing.py`, `dates.py` and `figures/`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from anonymize.dates import redraw_dates
from anonymize.figures import perturb_figures
from anonymize.figures.closure import breaks, close
from anonymize.figures.events import anonymise_events, published_order
from anonymize.figures.lsd import perturb_low_digits
from anonymize.prose.replacing import ReplacedProse
from anonymize.prose.writing import is_about_entities, write_anew
from anonymize.pseudonyms import Pseudonyms
from anonymize.synthesis import Synthesis
from pipeline.keyed import Key
from pipeline.model import PERIOD, Column, Environment, Frames, RawTable, Role
from pipeline.model.identities import summed, with_totals, without_totals
from pipeline.model.treatments import Treatment, is_withheld, treatments

FIGURES = "figures"
"""Name of the anonymised panel, and of the originals' panel."""

NAMES = "names"
"""Name of the table of invented names: code, legal, short, english."""


def named_tables(
    environment: Environment,
    conformed: Frames,
    instead: Frames,
    pseudonyms: Pseudonyms,
    key: Key,
    *,
    prose: ReplacedProse,
    panel: pl.DataFrame | None = None,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield every conformed table but the panel's under invented names, with its name, and the table of these, `NAMES`.

    Args:
        conformed: Conformed tables by name; optional ones may be absent.
        instead: What takes the place of conformed tables, under the original codes: `anonymised_events`, or what was sampled.
        key: Release key.
        prose: The texts of the conformed tables with pseudonyms in them.
        panel: The sampled panel under its published codes, from which prose about firms is written anew; None where records
            are those of firms, and prose is theirs.
    """
    entities: dict[str, pl.DataFrame] = {}
    for table in reaching(environment):
        rows = instead[table.name] if table.name in instead else conformed.get(table.name)
        if rows is not None and not (panel is not None and is_about_entities(table)):
            texts = _texts(environment, table, conformed, prose, key)
            made = _anonymise(environment, table, rows, pseudonyms, key, texts)
            if table.name in environment.entities.tables:
                entities[table.name] = made
            yield table.name, made
    if panel is not None:
        yield from _written(environment, dict(conformed) | dict(instead), entities, pseudonyms, panel, key)
    yield NAMES, pseudonyms.published_names()


def attributes(
    environment: Environment, frame: pl.DataFrame, codes: Mapping[str, Mapping[str, str]], key: Key
) -> pl.DataFrame:
    """Return what is published of each entity of the first table besides names and texts: by this, figures are grouped.

    Args:
        frame: The conformed table, or what takes its place.
        codes: Pseudonymous codes by kind and original.
        key: Release key.
    """
    table = environment.raw_table(environment.entities.tables[0])
    return _nameless(environment, table, frame.drop(_names_and_texts(table)), codes, key)


def coded_events(
    environment: Environment, name: str, rows: pl.DataFrame, codes: Mapping[str, Mapping[str, str]], key: Key
) -> pl.DataFrame:
    """Return sampled events under published codes, without names and texts; arguments as those of `attributes`."""
    table = environment.raw_table(name)
    return _nameless(environment, table, rows.drop(_names_and_texts(table), strict=False), codes, key)


def _names_and_texts(table: RawTable) -> list[str]:
    return [column.name for column in table.of_role(Role.NAME, Role.ALIAS, Role.TEXT)]


def reaching(environment: Environment) -> list[RawTable]:
    """Return the raw tables that are anonymised one by one: not those of the panel, nor those that are only compared with."""
    tables = environment.raw_tables
    return [
        table for table in tables if table.name not in environment.panel.tables and not is_withheld(environment, table)
    ]


def anonymised_events(environment: Environment, conformed: Frames, key: Key) -> dict[str, pl.DataFrame]:
    """Return every table of events with its figures, times, numbers and order protected, under the original codes."""
    made: dict[str, pl.DataFrame] = {}
    for events in sorted(environment.events, key=lambda each: bool(each.sums)):
        if events.table in conformed:
            rows = conformed[events.table]
            then, now = (summed(events, rows, environment, tables) for tables in (conformed, made))
            kept = pl.DataFrame([now[name].set(then[name].ne_missing(rows[name]), None) for name in now.columns])
            made[events.table] = anonymise_events(
                events, environment.raw_table(events.table), rows, key, sums=kept if events.sums else None
            )
    return made


@dataclass(frozen=True, kw_only=True)
class Protected:
    """The panel with its figures protected, under the original codes."""

    figures: pl.DataFrame
    broken: pl.DataFrame
    """Code and period of each original or sampled record, and for each identity whether it need not hold."""

    def under(self, codes: Mapping[str, str]) -> "Protected":
        """Return it under published codes."""
        return Protected(figures=_coded_figures(self.figures, codes), broken=_coded_figures(self.broken, codes))


def anonymised_figures(
    environment: Environment, conformed: Frames, key: Key, *, events: Frames | None = None
) -> Protected:
    """Return the panel with perturbed figures; identities that do not hold in the originals need not hold.

    Args:
        key: Release key.
        events: The published events, for totals over events in the panel.
    """
    originals, panel, code = original_figures(environment, conformed), environment.panel, environment.entities.code
    stated = with_totals(originals, environment, conformed)
    totals = with_totals(originals, environment, events or {}).drop(originals.columns)
    broken = breaks(stated, panel, code=code)
    figures = perturb_figures(stated, panel, broken=broken, code=code, key=key.derive("perturb"), totals=totals)
    return Protected(figures=figures.select(originals.columns), broken=_keyed(stated, broken, code))


def sampled_figures(environment: Environment, sampled: Synthesis, key: Key) -> Protected:
    """Return the sampled panel with fresh low digits and every identity's output computed, totals from the sampled events."""
    panel, code, purpose, drawn = environment.panel, environment.entities.code, key.derive("perturb"), sampled.drawn
    fresh = drawn.figures.with_columns(
        perturb_low_digits(measure, of=(code, PERIOD), key=purpose) for measure in panel.measures
    )
    stated = with_totals(fresh, environment, sampled.tables)
    closed = without_totals(close(stated, drawn.broken, drawn.missing, panel, code=code), panel)
    return Protected(figures=closed, broken=_keyed(drawn.figures, drawn.broken, code))


def _keyed(figures: pl.DataFrame, broken: pl.DataFrame, code: str) -> pl.DataFrame:
    return pl.concat([figures.select(code, PERIOD), broken], how="horizontal")


def original_figures(environment: Environment, conformed: Frames) -> pl.DataFrame:
    """Return the conformed panel: code, period and measures, the rows of all its tables, sorted by code and period."""
    panel = environment.panel
    names, code = [measure.name for measure in panel.measures], environment.entities.code
    schema = {code: pl.String()} | dict.fromkeys((PERIOD, *names), pl.Int64())
    period = pl.col(panel.period.column).alias(PERIOD)
    tables = [conformed[table].select(code, period, *names) for table in panel.tables if table in conformed]
    return pl.concat([pl.DataFrame(schema=schema), *tables], how="vertical_relaxed").sort(code, PERIOD)


def _written(
    environment: Environment,
    sources: Frames,
    anonymised: Frames,
    pseudonyms: Pseudonyms,
    figures: pl.DataFrame,
    key: Key,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables with prose about firms, with every text composed anew from published facts about its firm."""
    plain = {
        table.name: _anonymise(environment, table, sources[table.name].drop(texts), pseudonyms, key)
        for table in environment.raw_tables
        if table.name in sources and is_about_entities(table)
        for texts in [[column.name for column in table.of_role(Role.TEXT)]]
    }
    code, of_entities = environment.entities.code, dict(anonymised) | plain
    listed = [of_entities[name] for name in environment.entities.tables if name in of_entities]
    # An entity in several tables has the attributes of the first, as in the views.
    entities = pl.concat(listed, how="diagonal").unique(code, keep="first", maintain_order=True)
    names = {pseudonyms.codes[code]: name for code, name in pseudonyms.names.items()}
    for name, rows in plain.items():
        yield name, write_anew(environment, name, rows, entities=entities, names=names, figures=figures, key=key)


def _anonymise(
    environment: Environment,
    table: RawTable,
    frame: pl.DataFrame,
    pseudonyms: Pseudonyms,
    key: Key,
    texts: Iterable[pl.Series] = (),
) -> pl.DataFrame:
    named = frame.with_columns(
        *(_named(table, column, pseudonyms.of(column.of)) for column in table.of_role(Role.NAME, Role.ALIAS)), *texts
    )
    codes = {kind.kind: pseudonyms.of(kind.kind).codes for kind in environment.kinds}
    return _nameless(environment, table, named, codes, key)


def _nameless(
    environment: Environment, table: RawTable, frame: pl.DataFrame, codes: Mapping[str, Mapping[str, str]], key: Key
) -> pl.DataFrame:
    """Return a table with dates and codes anonymised, and without what is withheld; names and texts are so already."""
    owner = environment.owner(table.name)
    dates = [column.name for column in table.of_role(Role.DATE)]
    trading_days = [column.name for column in table.of_role(Role.DATE) if column.is_trading_day]
    if dates and owner:
        # The main kind keeps the purpose without a kind, so that its dates do not change when a kind is added.
        purpose = key.derive("dates", *([owner.of] if owner.of else []))
        frame = redraw_dates(frame, columns=dates, entity=owner.name, key=purpose, trading_days=trading_days)
    frame = frame.with_columns(_coded(column.name, codes[column.of]) for column in table.of_role(Role.CODE))
    frame = frame.with_columns(
        pl.col(column.follows).dt.to_string(column.date_format).alias(column.name)
        for column in table.columns
        if column.follows
    )
    decided = treatments(environment, table)
    return frame.select(
        name for name in frame.columns if decided.get(name, Treatment.WITHHELD) is not Treatment.WITHHELD
    )


def _texts(
    environment: Environment, table: RawTable, conformed: Frames, prose: ReplacedProse, key: Key
) -> Iterator[pl.Series]:
    """Return the replaced texts of a table in the order of its anonymised rows; events are published in another order."""
    is_of_events = any(events.table == table.name for events in environment.events)
    for column in table.of_role(Role.TEXT):
        text = prose.text(table.name, column.name)
        yield text.gather(published_order(table, conformed[table.name], key)) if is_of_events else text


def _coded_figures(frame: pl.DataFrame, codes: Mapping[str, str]) -> pl.DataFrame:
    return frame.with_columns(_coded(frame.columns[0], codes))


def _coded(column: str, codes: Mapping[str, str]) -> pl.Expr:
    return pl.col(column).replace_strict(*_pairs(codes), return_dtype=pl.String)


def _named(table: RawTable, column: Column, pseudonyms: Pseudonyms) -> pl.Expr:
    """Replace a name by the row's code, because two firms may share it; an alias, or a name without a code, by its text."""
    codes = table.of_role(Role.CODE, of=column.of)
    by_text = pl.col(column.name).replace_strict(*_pairs(pseudonyms.mentions), default=None, return_dtype=pl.String)
    if not codes or column.role is Role.ALIAS:
        return by_text.alias(column.name)
    legal = {code: name.legal for code, name in pseudonyms.names.items()}
    by_code = pl.col(codes[0].name).replace_strict(*_pairs(legal), default=None, return_dtype=pl.String)
    return pl.when(pl.col(column.name).is_not_null()).then(pl.coalesce(by_code, by_text)).alias(column.name)


def _pairs(replacements: Mapping[str, str]) -> tuple[pl.Series, pl.Series]:
    """Return what is replaced and by what; polars takes several times longer to read a mapping."""
    return pl.Series(replacements.keys(), dtype=pl.String), pl.Series(replacements.values(), dtype=pl.String)
