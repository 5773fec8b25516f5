"""Group `anonymised`: every table with pseudonyms and perturbed figures, and beside them what only the curator may see.

Two steps make it. The first one makes codes and figures, which most evidence is about; the second one names and prose, which
take longest: neither is made again because something changed that concerns the other alone.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from anonymize.prose.replacing import read_prose
from anonymize.pseudonyms import code_map, codes_of, direct_identifiers, pseudonyms
from anonymize.synthesis import Synthesis, synthesise
from anonymize.tables import (
    FIGURES,
    NAMES,
    Protected,
    anonymised_events,
    anonymised_figures,
    attributes,
    named_tables,
    original_figures,
    reaching,
    sampled_figures,
)
from assets.conformed import with_dropped
from assets.making.aspects import KEY, MASTER, POLICY
from assets.making.keys import (
    ATTRIBUTES,
    BROKEN,
    CODES,
    HOLD,
    IDENTIFIERS,
    IDENTITY_MAP,
    PROSE,
    PROSE_LISTED,
    TOLD,
    Place,
    Stage,
    about,
    dropped,
    instead,
    notes_of,
    raw_with_codes,
)
from assets.making.step import Run
from assets.making.told import Result
from assets.wiring.lineage import of_anonymised, said
from assets.wiring.steps import Declared, node, step
from pipeline.model import Environment, Frames, Role
from pipeline.release.metadata.described import invented
from pipeline.report_json import report_json
from validation.distributions.named_periods import with_named_periods

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
        uses=(KEY, MASTER, POLICY),
    )
    def figures(run: Run) -> Iterator[Result]:
        """Give every code its pseudonym, and protect the figures of the panel, and of events."""
        tables, key = run.frames(Stage.CONFORMED, names), run.use(KEY)
        map_ = code_map(environment, with_dropped(run, tables), key)
        run.seal(Stage.IDENTITY, CODES, map_)
        codes = {kind.kind: codes_of(map_, kind) for kind in environment.kinds}
        replaced, protected = _protected(run, tables)
        found = protected.under(codes[environment.entities.kind])
        first = environment.entities.tables[0]
        run.keep(Stage.IDENTITY, ATTRIBUTES, attributes(environment, replaced.get(first, tables[first]), codes, key))
        run.keep(Stage.IDENTITY, BROKEN, found.broken)
        run.keep(Stage.IDENTITY, TOLD, found.figures if run.use(POLICY).samples_records else None)
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
    made = [(Stage.IDENTITY, name) for name in (CODES, TOLD, *map(instead, raw_with_codes(environment)))]

    @step(
        environment,
        *(Stage.ANONYMISED, NAMES),
        shown=[map_node, *(_node(environment, name) for name in names)],
        reads=[*_with_dropped(conformed), *made],
        uses=(KEY, MASTER),
    )
    def named(run: Run) -> Iterator[Result]:
        """Invent names, and put them into every table and text."""
        tables, key = run.frames(Stage.CONFORMED, conformed), run.use(KEY)
        everybody = with_dropped(run, tables)
        map_ = pseudonyms(environment, everybody, key, codes=run.unseal(Stage.IDENTITY, CODES))
        prose = read_prose(environment, tables, map_, key)
        known = pl.concat([map_.frame(), prose.known]).unique().sort(pl.all())
        run.seal(Stage.IDENTITY, IDENTITY_MAP, known)
        run.seal(Stage.IDENTITY, IDENTIFIERS, direct_identifiers(environment, everybody))
        run.seal(Stage.IDENTITY, PROSE_LISTED, prose.report.listed())
        run.keep(Stage.IDENTITY, PROSE, report_json(prose.report.counts()).decode())
        counts = known["kind"].value_counts(sort=True).sort("kind")
        yield run.shown(Stage.IDENTITY, IDENTITY_MAP, {"dagster/row_count": known.height, **dict(counts.iter_rows())})
        kept = {name: run.read(Stage.IDENTITY, instead(name)) for name in raw_with_codes(environment)}
        replaced = {name: frame for name, frame in kept.items() if frame is not None}
        told = run.read(Stage.IDENTITY, TOLD)
        result = named_tables(environment, tables, replaced, map_, key, prose=prose, told=told)
        yield from (_made(run, name, result.get(name)) for name in names)

    return named


def _protected(run: Run, tables: Frames) -> tuple[Frames, Protected]:
    """Return what takes the place of conformed tables, and the panel, under the original codes."""
    environment, key = run.environment, run.use(KEY)
    if not run.use(POLICY).samples_records:
        events = anonymised_events(environment, tables, key)
        return events, anonymised_figures(environment, tables, key, events=events)
    sampled = synthesise(environment, tables, original_figures(environment, tables), key)
    if model := _model(environment, sampled):
        run.note("model.json", report_json(model).decode())
    run.keep(Stage.IDENTITY, HOLD, _held(sampled))
    return sampled.tables, sampled_figures(environment, sampled, key)


def _held(sampled: Synthesis) -> pl.DataFrame:
    """Return the outputs of the identities that hold in every sampled event, by table."""
    held = [(table, output) for table, events in sampled.events.items() for output in events.holding]
    return pl.DataFrame(held, schema={"table": pl.String, "output": pl.String}, orient="row")


def _model(environment: Environment, sampled: Synthesis) -> dict[str, Any]:
    """Return all that the release knows of the originals' figures and events."""
    panel = sampled.model.described(environment.panel) if sampled.model else {}
    events = {name: each.described for name, each in sampled.events.items()}
    named: dict[str, Any] = with_named_periods(panel, environment.panel.period)
    return named | ({"events": events} if events else {})


def _made(run: Run, name: str, frame: pl.DataFrame | None) -> dg.MaterializeResult[None]:
    environment = run.environment
    lineage = of_anonymised(environment, name, frame)
    raw = [column for table in environment.raw_tables if table.name == name for column in table.columns]
    notes = notes_of(raw or environment.panel.measures, lambda column: invented(environment, column)[1])
    return run.made(Stage.ANONYMISED, name, frame, about(frame, said(lineage, notes)) | lineage)


def _node(environment: Environment, name: str) -> dg.AssetSpec:
    own = {FIGURES: "The figures of every firm and period.", NAMES: "The invented names of every firm."}
    described = own.get(name) or environment.raw_table(name).description
    return node(environment, Stage.ANONYMISED, name, description=described, reads=_sources(environment, name))


def _holds_more_than_figures(environment: Environment, name: str) -> bool:
    """Say whether a raw table is more than a part of the panel, whose codes have their map already."""
    further = environment.raw_table(name).of_role(Role.TEXT, Role.IDENTIFIER)
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
