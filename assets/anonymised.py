"""Group `anonymised`: every table with pseudonyms and perturbed figures, and beside them what only the curator may see."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dagster as dg
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
    broken_identities,
    original_figures,
    reaching,
    sampled_events,
    sampled_figures,
)
from assets.conformed import with_dropped
from assets.wiring.boundary import guarded, keep
from assets.wiring.keys import SEALED_STORE, STORE, Stage, about, key, op_name, stored, units_of
from assets.wiring.lineage import of_anonymised, said
from assets.wiring.resources import Workspace
from pipeline.model import Environment
from pipeline.report_json import report_json
from validation.distributions.named_periods import with_named_periods

IDENTITY_MAP, IDENTIFIERS, BROKEN = "identity_map", "identifiers", "broken_identities"
"""What the curator keeps: the map of pseudonyms, identifiers that have none, and which published records break an identity."""

PROSE, PROSE_LISTED = "prose", "prose_listed"
"""What was found in prose: counts, and for the curator all that was left or is worth a look, with its place."""

_FOR_CURATOR = {
    IDENTITY_MAP: SEALED_STORE,
    IDENTIFIERS: SEALED_STORE,
    BROKEN: STORE,
    PROSE: STORE,
    PROSE_LISTED: SEALED_STORE,
}
"""What is kept of them under the release key alone, and what in clear."""


def anonymised_names(environment: Environment) -> list[str]:
    """Return the names of the anonymised tables: the raw ones, those of the panel as one, and the invented names."""
    return [*(table.name for table in reaching(environment)), FIGURES, NAMES]


def anonymised_assets(environment: Environment) -> dg.AssetsDefinition:
    """Return one asset for each anonymised table, all made by one step, which knows the one map."""
    names = anonymised_names(environment)
    for_curator = "For the curator alone: what must not be published."
    outs = {
        name: stored(environment, Stage.IDENTITY, name, group=Stage.ANONYMISED, description=for_curator, store=store)
        for name, store in _FOR_CURATOR.items()
    } | {name: stored(environment, Stage.ANONYMISED, name) for name in names}
    ins = {table.name: dg.AssetIn(key(environment, Stage.CONFORMED, table.name)) for table in environment.raw_tables}
    sources = {
        name: {key(environment, Stage.CONFORMED, source) for source in _sources(environment, name)}
        for name in (*_FOR_CURATOR, *names)
    }

    @dg.multi_asset(outs=outs, ins=ins, internal_asset_deps=sources, name=op_name(environment, Stage.ANONYMISED))
    def anonymised(workspace: Workspace, **conformed: Any) -> Iterator[dg.Output[Any]]:
        """Anonymise every table under the release key."""
        with guarded(workspace, environment):
            tables = {name: frame for name, frame in conformed.items() if frame is not None}
            everybody = with_dropped(environment, workspace, tables)
            key_, sampled = workspace.release_key(environment).key, None
            if workspace.release_policy().samples_records:
                sampled = synthesise(environment, tables, original_figures(environment, tables), key_)
                if described := _described(environment, sampled):
                    keep(workspace, environment, "model.json", report_json(described).decode())
            events = sampled_events(sampled) if sampled else anonymised_events(environment, tables, key_)
            # Figures are the work of polars and names that of Python: neither waits for the other.
            with ThreadPoolExecutor(1) as beside:
                figures = (
                    beside.submit(sampled_figures, environment, sampled, key_)
                    if sampled
                    else beside.submit(anonymised_figures, environment, tables, key_, events=events)
                )
                map_ = pseudonyms(environment, everybody, key_)
            prose = read_prose(environment, tables, map_, key_)
            known = pl.concat([map_.frame(), prose.known]).unique().sort(pl.all())
            yield dg.Output(known, output_name=IDENTITY_MAP)
            yield dg.Output(direct_identifiers(environment, everybody), output_name=IDENTIFIERS)
            yield dg.Output(broken_identities(environment, tables, map_, sampled=sampled), output_name=BROKEN)
            yield dg.Output(report_json(prose.report.counts()).decode(), output_name=PROSE)
            yield dg.Output(prose.report.listed(), output_name=PROSE_LISTED)
            result = anonymise_tables(
                environment,
                tables,
                map_,
                key_,
                figures=figures.result(),
                events=events,
                prose=prose,
                sampled=sampled,
            )
            units = units_of(environment.panel.measures)
            for name in names:
                frame = result.get(name)
                lineage = of_anonymised(environment, name, frame)
                yield dg.Output(frame, output_name=name, metadata=about(frame, said(lineage, units)) | lineage)

    return anonymised


def _described(environment: Environment, sampled: Synthesis) -> dict[str, Any]:
    """Return all that the release knows of the originals' figures and events."""
    panel = sampled.model.described(environment.panel) if sampled.model else {}
    events = {name: each.described for name, each in sampled.events.items()}
    named: dict[str, Any] = with_named_periods(panel, environment.panel.period)
    return named | ({"events": events} if events else {})


def _sources(environment: Environment, name: str) -> tuple[str, ...]:
    every = tuple(table.name for table in environment.raw_tables)
    totalled = dict.fromkeys(total.events for total in environment.panel.totals)
    panel = (environment.entities.tables[0], *environment.panel.tables, *totalled)
    special = {
        IDENTITY_MAP: every,
        IDENTIFIERS: every,
        PROSE: every,
        PROSE_LISTED: every,
        BROKEN: panel,
        FIGURES: panel,
        NAMES: environment.entities.tables,
    }
    return special.get(name, (name,))
