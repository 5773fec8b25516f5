"""Group `anonymised`: every table with pseudonyms and perturbed figures, and beside them what only the curator may see.

Two steps make it. The first one makes codes and figures, which most evidence is about; the second one names and prose, which
take longest: neither is made again because something changed that concerns the other alone.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl

from anonymize.names.short import kept_columns, short_names, with_short_names
from anonymize.prose.replacing import ReadBack, read_prose
from anonymize.pseudonyms import Pseudonyms, code_map, codes_of, direct_identifiers, pseudonyms
from anonymize.synthesis import Synthesis, synthesise
from anonymize.tables import (
    FIGURES,
    NAMES,
    Protected,
    anonymised_events,
    anonymised_figures,
    attributes,
    coded_events,
    named_tables,
    original_figures,
    reaching,
    sampled_figures,
)
from assets.conformed import with_dropped
from assets.making.flow import Door
from assets.making.keys import (
    ATTRIBUTES,
    BROKEN,
    CODES,
    FRESH_ATTRIBUTES,
    FRESH_FIGURES,
    HOLD,
    IDENTIFIERS,
    IDENTITY_MAP,
    MODEL,
    PROSE,
    PROSE_LISTED,
    SHORT_NAMES,
    STATED,
    Place,
    Stage,
    about,
    dropped,
    fresh,
    instead,
    notes_of,
    raw_with_codes,
)
from assets.making.parameters import BUDGET, KEY, MASTER, POLICY
from assets.making.results import ROW_COUNT, MadeAsset, Result
from assets.making.step import Run
from assets.wiring.lineage import of_anonymised, said
from assets.wiring.originals import OF_ORIGINALS
from assets.wiring.steps import Declared, ShownAsset, node, step
from pipeline.keyed import Key
from pipeline.model import Environment, Frames, Role
from pipeline.model.schema.complete import invented
from pipeline.private import private_file
from pipeline.report_json import report_json
from validation.distributions.named_periods import with_named_periods

Codes = Mapping[str, Mapping[str, str]]
"""Kind -> original code -> pseudonym."""

_FRESH = "fresh draws"

_FOR_CURATOR = "For the curator alone: the map of pseudonyms and all identifiers, sealed under the release key."


def anonymised_names(environment: Environment) -> list[str]:
    """Return the names of the anonymised tables: the raw ones, those of the panel as one, and the invented names."""
    return [*(table.name for table in reaching(environment)), FIGURES, NAMES]


def anonymised_assets(environment: Environment) -> list[Declared]:
    """Return the assets of the anonymised tables and of the map, made by two steps that know the one map of codes."""
    return [_figures_step(environment), _names_step(environment)]


def _figures_step(environment: Environment) -> Declared:
    names = raw_with_codes(environment)

    @step(
        environment,
        *(Stage.ANONYMISED, FIGURES),
        shown=[_node(environment, FIGURES)],
        reads=_with_dropped(names),
        uses=(KEY, MASTER, POLICY, BUDGET),
        doors=_doors_of_figures(environment),
    )
    def figures(run: Run) -> Iterator[Result]:
        """Give every code its pseudonym, and protect the figures of the panel, and of events."""
        tables, key = run.frames(Stage.CONFORMED, names), run.use(KEY)
        map_ = code_map(environment, with_dropped(run, tables), key)
        run.seal(Stage.IDENTITY, CODES, map_)
        codes = {kind.kind: codes_of(map_, kind) for kind in environment.kinds}
        replaced, protected = _protected(run, tables, codes)
        found = protected.under(codes[environment.entities.kind])
        first = environment.entities.tables[0]
        run.keep(Stage.IDENTITY, ATTRIBUTES, attributes(environment, replaced.get(first, tables[first]), codes, key))
        run.keep(Stage.IDENTITY, BROKEN, found.broken)
        run.keep(Stage.IDENTITY, STATED, found.figures if run.use(POLICY).samples_records else None)
        for name in names:
            run.keep(Stage.IDENTITY, instead(name), replaced.get(name))
        yield _made(run, FIGURES, found.figures)

    return figures


def _names_step(environment: Environment) -> Declared:
    conformed = [table.name for table in environment.raw_tables if _holds_more_than_figures(environment, table.name)]
    every = [(Stage.CONFORMED, table.name) for table in environment.raw_tables]
    map_node = node(
        environment, Stage.IDENTITY, IDENTITY_MAP, group=Stage.ANONYMISED, description=_FOR_CURATOR, reads=every
    )
    names = [name for name in anonymised_names(environment) if name != FIGURES]
    made = [(Stage.IDENTITY, name) for name in (CODES, STATED, *map(instead, raw_with_codes(environment)))]

    @step(
        environment,
        *(Stage.ANONYMISED, NAMES),
        shown=[map_node, *(_node(environment, name) for name in names)],
        reads=[*_with_dropped(conformed), *made],
        uses=(KEY, MASTER, POLICY),
        doors=dict.fromkeys([*OF_ORIGINALS, *((Stage.ANONYMISED, name) for name in names)], Door.MAP),
    )
    def named(run: Run) -> Iterator[Result]:
        """Invent names, and put them into every table and text."""
        tables, key = run.tables(Stage.CONFORMED, conformed), run.use(KEY)
        map_, identifiers = _listed(run, tables)
        run.keep(Stage.IDENTITY, SHORT_NAMES, _short_names(run, tables, short_names(map_.frame())))
        with run.store.scratch() as folder:
            aside = partial(_put_aside, folder)
            prose = read_prose(environment, tables, map_, key, identifiers=identifiers, put_aside=aside)
            yield _kept_map(run, pl.concat([map_.frame(), prose.known]).unique().sort(pl.all()))
            run.seal(Stage.IDENTITY, IDENTIFIERS, pl.concat([identifiers, prose.origins], how="diagonal"))
            run.seal(Stage.IDENTITY, PROSE_LISTED, prose.report.listed)
            run.keep(Stage.IDENTITY, PROSE, report_json(prose.report.counts()).decode())
            kept = {name: run.read(Stage.IDENTITY, instead(name)) for name in raw_with_codes(environment)}
            replaced = {name: frame for name, frame in kept.items() if frame is not None}
            panel = run.read(Stage.IDENTITY, STATED)
            missing = {*names}
            for name, frame in named_tables(environment, tables, replaced, map_, key, prose=prose, panel=panel):
                missing.remove(name)
                yield _made(run, name, frame)
        yield from (_made(run, name, None) for name in sorted(missing))

    return named


def _short_names(run: Run, tables: Iterable[str], short: Sequence[str]) -> str:
    """Return as JSON in how many cells of each column that is published as it is such a word stands, and not which."""
    environment, are_sampled = run.environment, run.use(POLICY).samples_records
    found = {}
    for name in tables:
        owner = environment.owner(name)
        of = [owner.name] if owner else []
        for column in kept_columns(environment, environment.raw_table(name), are_sampled=are_sampled):
            cells, *owners = run.scan(Stage.CONFORMED, name).select(column, *of).collect().iter_columns()
            found[f"{name}.{column}"] = len(with_short_names(cells, short, *owners))
    return json.dumps({column: cells for column, cells in found.items() if cells})


def _put_aside(folder: Path, texts: pl.Series) -> ReadBack:
    """Write texts to a file of a folder, and return what reads them."""
    file = private_file(folder / f"{uuid4().hex}.ipc")
    texts.to_frame().write_ipc(file, compression="lz4")
    return lambda: pl.read_ipc(file).to_series()


def _kept_map(run: Run, known: pl.DataFrame) -> MadeAsset:
    run.seal(Stage.IDENTITY, IDENTITY_MAP, known)
    counts = known["kind"].value_counts(sort=True).sort("kind")
    return run.shown(Stage.IDENTITY, IDENTITY_MAP, {ROW_COUNT: known.height, **dict(counts.iter_rows())})


def _listed(run: Run, tables: Frames) -> tuple[Pseudonyms, pl.DataFrame]:
    """Return the pseudonyms of all that tables list, and what else identifies somebody; the tables do not stay in memory."""
    environment, everybody = run.environment, with_dropped(run, tables)
    map_ = pseudonyms(environment, everybody, run.use(KEY), codes=run.unseal(Stage.IDENTITY, CODES))
    return map_, direct_identifiers(environment, everybody)


def _doors_of_figures(environment: Environment) -> dict[Place, Door]:
    """Return what the figures' step makes of originals that may be published, where records are sampled."""
    drawn = (ATTRIBUTES, BROKEN, STATED, HOLD, FRESH_FIGURES, FRESH_ATTRIBUTES)
    tables = (*map(instead, raw_with_codes(environment)), *(fresh(events.table) for events in environment.events))
    return {
        (Stage.IDENTITY, CODES): Door.MAP,
        (Stage.ANONYMISED, FIGURES): Door.STATISTICS,
        (Stage.REPORTS, MODEL): Door.STATISTICS,
        **{(Stage.IDENTITY, name): Door.STATISTICS for name in (*drawn, *tables)},
    }


def _protected(run: Run, tables: Frames, codes: Codes) -> tuple[Frames, Protected]:
    """Return what takes the place of conformed tables, and the panel, under the original codes."""
    environment, key = run.environment, run.use(KEY)
    if not run.use(POLICY).samples_records:
        events = anonymised_events(environment, tables, key)
        return events, anonymised_figures(environment, tables, key, events=events)
    originals, budget = original_figures(environment, tables), run.use(BUDGET)
    sampled = synthesise(environment, tables, originals, key, budget=budget)
    run.keep(Stage.REPORTS, MODEL, report_json(_model(environment, sampled)).decode())
    run.keep(Stage.IDENTITY, HOLD, _held(sampled))
    again = synthesise(environment, tables, originals, key, budget=budget, again=sampled)
    _keep_fresh(run, again, codes, key.derive(_FRESH))
    return sampled.tables, sampled_figures(environment, sampled, key)


def _keep_fresh(run: Run, sampled: Synthesis, codes: Codes, key: Key) -> None:
    """Keep a second sample under the published codes, of what reports compare: it is nobody's, as the first is."""
    environment, tables = run.environment, sampled.tables
    figures = sampled_figures(environment, sampled, key).under(codes[environment.entities.kind]).figures
    run.keep(Stage.IDENTITY, FRESH_FIGURES, figures)
    first = environment.entities.tables[0]
    run.keep(Stage.IDENTITY, FRESH_ATTRIBUTES, attributes(environment, tables[first], codes, key))
    for name in sampled.events:
        run.keep(Stage.IDENTITY, fresh(name), coded_events(environment, name, tables[name], codes, key))


def _held(sampled: Synthesis) -> pl.DataFrame:
    """Return the outputs of the identities that hold in every sampled event, by table."""
    held = [(table, output) for table, events in sampled.events.items() for output in events.holding]
    return pl.DataFrame(held, schema={"table": pl.String, "output": pl.String}, orient="row")


def _model(environment: Environment, sampled: Synthesis) -> dict[str, Any]:
    """Return the account, and the noised statistics of the originals of which records are sampled."""
    panel = {"panel": sampled.statistics.described()} if sampled.statistics else {}
    events = {name: each.described for name, each in sampled.events.items()}
    named: dict[str, Any] = with_named_periods(panel, environment.panel.period)
    return {"account": sampled.account.described()} | named | ({"events": events} if events else {})


def _made(run: Run, name: str, frame: pl.DataFrame | None) -> MadeAsset:
    environment = run.environment
    lineage = of_anonymised(environment, name, frame)
    raw = [column for table in environment.raw_tables if table.name == name for column in table.columns]
    notes = notes_of(raw or environment.panel.measures, lambda column: invented(environment, column)[1])
    return run.made(Stage.ANONYMISED, name, frame, about(frame, said(lineage, notes)) | lineage)


def _node(environment: Environment, name: str) -> ShownAsset:
    own = {FIGURES: "The figures of every firm and period.", NAMES: "The invented names of every firm."}
    described = own.get(name) or environment.raw_table(name).description
    return node(environment, Stage.ANONYMISED, name, description=described, reads=_sources(environment, name))


def _holds_more_than_figures(environment: Environment, name: str) -> bool:
    """Say whether a raw table is more than a part of the panel, whose codes have their map already."""
    table = environment.raw_table(name)
    further = table.of_role(Role.TEXT, Role.IDENTIFIER, Role.IGNORED) or table.ignored
    named = [table for kind in environment.kinds for table in (*kind.tables, *(alias.table for alias in kind.aliases))]
    return name not in environment.panel.tables or name in named or bool(further)


def _with_dropped(names: list[str]) -> list[Place]:
    """Return where conformed tables are kept, and what identifies a company in the rows that were dropped."""
    return [place for name in names for place in ((Stage.CONFORMED, name), (Stage.IDENTITY, dropped(name)))]


def _sources(environment: Environment, name: str) -> list[Place]:
    """Return of which conformed tables an anonymised one is made."""
    totalled = (total.events for total in environment.panel.totals)
    panel = (environment.entities.tables[0], *environment.panel.tables, *totalled)
    special = {FIGURES: panel, NAMES: environment.entities.tables}
    return [(Stage.CONFORMED, source) for source in dict.fromkeys(special.get(name, (name,)))]
