"""Group `derived`: aggregates of the anonymised firms, and an environment's own tables."""

from collections.abc import Iterator

from anonymize.tables import FIGURES
from assets.making.keys import ATTRIBUTES, Stage, about, origins
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.lineage import of_aggregate, said
from assets.wiring.steps import Declared, asset
from pipeline.derive import derive_aggregate, derive_further
from pipeline.model import Aggregate, Derivation, Environment


def derived_assets(environment: Environment) -> list[Declared]:
    """Return the assets of every aggregate and derivation."""
    return [
        *(_aggregate_asset(environment, aggregate) for aggregate in environment.aggregates),
        *(_derivation_asset(environment, derivation) for derivation in environment.derivations),
    ]


def _aggregate_asset(environment: Environment, aggregate: Aggregate) -> Declared:
    firms = (Stage.IDENTITY, ATTRIBUTES)
    figures = (Stage.ANONYMISED, FIGURES)
    described = f"Statistics and counts of firms by {', '.join(aggregate.by)}."

    @asset(environment, Stage.DERIVED, aggregate.name, reads=(firms, figures), description=described)
    def derived(run: Run) -> Iterator[Result]:
        """Derive statistics and counts over groups of firms."""
        made = derive_aggregate(environment, aggregate, run.read(*firms), run.read(*figures))
        statistics, lineage = made.pop(aggregate.name), of_aggregate(environment, aggregate)
        for name, counts in made.items():
            run.keep(Stage.DERIVED, name, counts)
        metadata = about(statistics, said(lineage), others=made.values()) | lineage
        yield run.made(Stage.DERIVED, aggregate.name, statistics, metadata)

    return derived


def _derivation_asset(environment: Environment, derivation: Derivation) -> Declared:
    places = origins(environment, derivation.needs)

    @asset(environment, Stage.DERIVED, derivation.name, reads=[*places.values()])
    def derived(run: Run) -> Iterator[Result]:
        """A table of the environment's own, made of anonymised ones."""
        tables = {name: run.read(*place) for name, place in places.items()}
        is_possible = all(frame is not None for frame in tables.values())
        frame = derive_further(derivation, tables) if is_possible else None
        yield run.made(Stage.DERIVED, derivation.name, frame, about(frame))

    return derived
