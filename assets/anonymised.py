"""Group `anonymised`: every table with pseudonyms and perturbed figures, and beside them what only the curator may see."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl

from anonymize.prose.replacing import read_prose
from anonymize.pseudonyms import direct_identifiers, pseudonyms
from anonymize.synthesis import Synthesis, synthesise
from anonymize.tables import (
    FIGURES,
    NAMES,
    anonymise_tables,
    anonymised_events,
    anonymised_figures,
    original_figures,
    reaching,
    sampled_events,
    sampled_figures,
)
from assets.conformed import with_dropped
from assets.making.aspects import KEY, MASTER, POLICY
from assets.making.keys import (
    BROKEN,
    IDENTIFIERS,
    IDENTITY_MAP,
    PROSE,
    PROSE_LISTED,
    Place,
    Stage,
    about,
    dropped,
    units_of,
)
from assets.making.step import Run
from assets.making.told import Result
from assets.wiring.lineage import of_anonymised, said
from assets.wiring.steps import Declared, node, step
from pipeline.model import Environment
from pipeline.report_json import report_json
from validation.distributions.named_periods import with_named_periods

_FOR_CURATOR = "For the curator alone: the map of pseudonyms and all identifiers, sealed under the release key."


def anonymised_names(environment: Environment) -> list[str]:
    """Return the names of the anonymised tables: the raw ones, those of the panel as one, and the invented names."""
    return [*(table.name for table in reaching(environment)), FIGURES, NAMES]


def anonymised_assets(environment: Environment) -> Declared:
    """Return one asset for each anonymised table and one for the map, all made by one step, which knows the one map."""
    names, every = anonymised_names(environment), [(Stage.CONFORMED, table.name) for table in environment.raw_tables]
    map_node = node(
        environment, Stage.IDENTITY, IDENTITY_MAP, group=Stage.ANONYMISED, description=_FOR_CURATOR, reads=every
    )
    nodes = [
        node(
            environment,
            Stage.ANONYMISED,
            name,
            description=_described(environment, name),
            reads=_sources(environment, name),
        )
        for name in names
    ]

    reads = [*every, *((Stage.IDENTITY, dropped(table.name)) for table in environment.raw_tables)]

    @step(environment, Stage.ANONYMISED, shown=[map_node, *nodes], reads=reads, uses=(KEY, MASTER, POLICY))
    def anonymised(run: Run) -> Iterator[Result]:
        """Anonymise every table under the release key."""
        tables = run.frames(Stage.CONFORMED, [table.name for table in environment.raw_tables])
        everybody = with_dropped(run, tables)
        key, sampled = run.use(KEY), None
        if run.use(POLICY).samples_records:
            sampled = synthesise(environment, tables, original_figures(environment, tables), key)
            if model := _model(environment, sampled):
                run.note("model.json", report_json(model).decode())
        events = sampled_events(sampled) if sampled else anonymised_events(environment, tables, key)
        # Figures are the work of polars and names that of Python: neither waits for the other.
        with ThreadPoolExecutor(1) as beside:
            protected = (
                beside.submit(sampled_figures, environment, sampled, key)
                if sampled
                else beside.submit(anonymised_figures, environment, tables, key, events=events)
            )
            map_ = pseudonyms(environment, everybody, key)
        prose, figures = read_prose(environment, tables, map_, key), protected.result()
        known = pl.concat([map_.frame(), prose.known]).unique().sort(pl.all())
        run.seal(Stage.IDENTITY, IDENTITY_MAP, known)
        run.seal(Stage.IDENTITY, IDENTIFIERS, direct_identifiers(environment, everybody))
        run.seal(Stage.IDENTITY, PROSE_LISTED, prose.report.listed())
        run.keep(Stage.IDENTITY, PROSE, report_json(prose.report.counts()).decode())
        run.keep(Stage.IDENTITY, BROKEN, figures.named(map_))
        counts = known["kind"].value_counts(sort=True).sort("kind")
        yield run.shown(Stage.IDENTITY, IDENTITY_MAP, {"dagster/row_count": known.height, **dict(counts.iter_rows())})
        result = anonymise_tables(
            environment, tables, map_, key, figures=figures.figures, events=events, prose=prose, sampled=sampled
        )
        units = units_of(environment.panel.measures)
        for name in names:
            frame = result.get(name)
            lineage = of_anonymised(environment, name, frame)
            yield run.made(Stage.ANONYMISED, name, frame, about(frame, said(lineage, units)) | lineage)

    return anonymised


def _model(environment: Environment, sampled: Synthesis) -> dict[str, Any]:
    """Return all that the release knows of the originals' figures and events."""
    panel = sampled.model.described(environment.panel) if sampled.model else {}
    events = {name: each.described for name, each in sampled.events.items()}
    named: dict[str, Any] = with_named_periods(panel, environment.panel.period)
    return named | ({"events": events} if events else {})


def _described(environment: Environment, name: str) -> str:
    own = {FIGURES: "The figures of every firm and period.", NAMES: "The invented names of every firm."}
    return own.get(name) or environment.raw_table(name).description


def _sources(environment: Environment, name: str) -> list[Place]:
    """Return of which conformed tables an anonymised one is made."""
    totalled = (total.events for total in environment.panel.totals)
    panel = (environment.entities.tables[0], *environment.panel.tables, *totalled)
    special = {FIGURES: panel, NAMES: environment.entities.tables}
    return [(Stage.CONFORMED, source) for source in dict.fromkeys(special.get(name, (name,)))]
