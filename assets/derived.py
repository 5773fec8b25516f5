"""Group `derived`: aggregates of the anonymised firms, and an environment's own tables."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from anonymize.tables import FIGURES
from assets.wiring.boundary import guarded
from assets.wiring.keys import Stage, about, op_name, origins, stored
from assets.wiring.lineage import of_aggregate, said
from assets.wiring.resources import Workspace
from pipeline.derive import derive_aggregate
from pipeline.model import Aggregate, Derivation, Environment


def derived_assets(environment: Environment) -> list[dg.AssetsDefinition]:
    """Return the assets of every aggregate and derivation."""
    return [
        *(_aggregate_asset(environment, aggregate) for aggregate in environment.aggregates),
        *(_derivation_asset(environment, derivation) for derivation in environment.derivations),
    ]


def _aggregate_asset(environment: Environment, aggregate: Aggregate) -> dg.AssetsDefinition:
    firms = environment.entities.tables[0]

    @dg.multi_asset(
        outs=_outs(environment, aggregate.tables()),
        ins={name: dg.AssetIn(origin) for name, origin in origins(environment, (firms, FIGURES)).items()},
        name=op_name(environment, Stage.DERIVED, aggregate.name),
    )
    def derived(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any]]:
        """Derive statistics and counts over groups of firms."""
        with guarded(workspace, environment):
            result = derive_aggregate(environment, aggregate, tables[firms], tables[FIGURES])
            told = of_aggregate(environment, aggregate)
            for name, frame in result.items():
                yield dg.Output(frame, output_name=name, metadata=about(frame, said(told[name])) | told[name])

    return derived


def _derivation_asset(environment: Environment, derivation: Derivation) -> dg.AssetsDefinition:
    @dg.multi_asset(
        outs=_outs(environment, (derivation.name,)),
        ins={name: dg.AssetIn(origin) for name, origin in origins(environment, derivation.needs).items()},
        name=op_name(environment, Stage.DERIVED, derivation.name),
    )
    def derived(workspace: Workspace, **tables: Any) -> dg.Output[Any]:
        """Derive a table of the environment's own."""
        with guarded(workspace, environment):
            is_possible = all(frame is not None for frame in tables.values())
            frame = derivation.derive(tables) if is_possible else None
            return dg.Output(frame, metadata=about(frame))

    return derived


def _outs(environment: Environment, names: tuple[str, ...]) -> dict[str, dg.AssetOut]:
    return {name: stored(environment, Stage.DERIVED, name) for name in names}
