"""Group `anonymised`: every table with pseudonyms and perturbed figures, and beside them what only the curator may see."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dagster as dg

from anonymize.pseudonyms import direct_identifiers, pseudonyms
from anonymize.tables import FIGURES, NAMES, anonymise_tables, anonymised_figures, told_entities
from assets.boundary import guarded
from assets.keys import SEALED_STORE, STORE, Stage, about, key, op_name, stored, units_of
from assets.lineage import of_anonymised, said
from pipeline.environment.model import Environment
from pipeline.resources import Workspace
from validation.strength import weakest_rebuilding

IDENTITY_MAP, IDENTIFIERS, CONTRIBUTORS, STRENGTHS = "identity_map", "identifiers", "contributors", "strengths"
"""What the curator keeps: the map of pseudonyms, identifiers that have none, whose figures went into whose where they were
rebuilt, and what the attacks found at each strength tried."""

_FOR_CURATOR = {
    IDENTITY_MAP: SEALED_STORE,
    IDENTIFIERS: SEALED_STORE,
    CONTRIBUTORS: STORE,
    STRENGTHS: STORE,
}
"""What is kept of them under the release key alone, and what in clear."""


def anonymised_names(environment: Environment) -> list[str]:
    """Return the names of the anonymised tables: the raw ones, those of the panel as one, and the invented names."""
    kept = [table.name for table in environment.raw_tables if table.name not in environment.panel.tables]
    return [*kept, FIGURES, NAMES]


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
            policy = workspace.release_policy()
            tables = {name: frame for name, frame in conformed.items() if frame is not None}
            key_ = workspace.release_key(environment).key
            # Figures are the work of polars and names that of Python: without rebuilding, neither waits for the other.
            with ThreadPoolExecutor(1) as beside:
                told = told_entities(environment, tables, policy, key_)[environment.entities.tables[0]]
                chosen = weakest_rebuilding(environment, tables, told, key_) if policy.rebuilds_figures else None
                rebuilt = chosen.rebuilt.figures if chosen else None
                figures = beside.submit(anonymised_figures, environment, tables, key_, rebuilt=rebuilt)
                map_ = pseudonyms(environment, tables, key_)
            yield dg.Output(map_.frame(), output_name=IDENTITY_MAP)
            yield dg.Output(direct_identifiers(environment, tables), output_name=IDENTIFIERS)
            yield dg.Output(
                chosen.rebuilt.contributors if chosen else None,
                output_name=CONTRIBUTORS,
                metadata={"merged_industries": "; ".join(chosen.rebuilt.merged) if chosen else ""},
            )
            yield dg.Output(chosen.frame() if chosen else None, output_name=STRENGTHS)
            result = anonymise_tables(environment, tables, map_, key_, figures=figures.result(), policy=policy)
            units = units_of(environment.panel.measures)
            for name in names:
                frame = result.get(name)
                lineage = of_anonymised(environment, name, frame)
                yield dg.Output(frame, output_name=name, metadata=about(frame, said(lineage, units)) | lineage)

    return anonymised


def _sources(environment: Environment, name: str) -> tuple[str, ...]:
    every = tuple(table.name for table in environment.raw_tables)
    panel = (environment.entities.tables[0], *environment.panel.tables)
    special = {
        IDENTITY_MAP: every,
        IDENTIFIERS: every,
        CONTRIBUTORS: panel,
        STRENGTHS: panel,
        FIGURES: panel,
        NAMES: environment.entities.tables,
    }
    return special.get(name, (name,))
