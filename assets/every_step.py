"""Every step of an environment, in the order in which they start."""

from collections.abc import Sequence
from graphlib import TopologicalSorter

from assets.ablations import ablations_asset
from assets.anonymised import anonymised_assets
from assets.conformed import conformed_assets
from assets.derived import derived_assets
from assets.evidence.reports import report_assets
from assets.files import file_steps
from assets.making.step import Step
from assets.noisy import noisy_assets
from assets.published import published_assets, reports_steps
from assets.rendered import rendered_assets
from assets.wiring.steps import Declared
from pipeline.model import Environment


def declared_steps(environment: Environment) -> list[Declared]:
    """Return every step of an environment."""
    return [
        conformed_assets(environment),
        *anonymised_assets(environment),
        *derived_assets(environment),
        *rendered_assets(environment),
        *noisy_assets(environment),
        *report_assets(environment),
        *file_steps(environment),
        *reports_steps(environment),
        *published_assets(environment),
        ablations_asset(environment),
    ]


def ordered(declared: Sequence[Declared]) -> tuple[Step, ...]:
    """Return steps, each after those that it reads, and else as they are declared: in that order they start."""
    makers = {place: each.step.name for each in declared for place in each.step.makes}
    steps = {each.step.name: each.step for each in declared}
    sorter = TopologicalSorter({name: {makers[place] for place in step.reads} for name, step in steps.items()})
    sorter.prepare()
    rank, ready, names = {name: number for number, name in enumerate(steps)}, list[str](), list[str]()
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=rank.__getitem__)
        names.append(ready.pop(0))
        sorter.done(names[-1])
    return tuple(steps[name] for name in names)
