"""Every step of an environment, in the order in which they start."""

from collections.abc import Sequence
from graphlib import TopologicalSorter

from assets import ablations, anonymised, conformed, derived, files, noisy, published, rendered
from assets.evidence.reports import report_assets
from assets.making.step import Step
from assets.wiring.steps import Declared
from pipeline.model import Environment


def declared_steps(environment: Environment) -> list[Declared]:
    """Return every step of an environment."""
    return [
        conformed.conformed_assets(environment),
        *anonymised.anonymised_assets(environment),
        *derived.derived_assets(environment),
        *rendered.rendered_assets(environment),
        *noisy.noisy_assets(environment),
        *report_assets(environment),
        published.truth_step(environment),
        *files.file_steps(environment),
        *published.reports_steps(environment),
        *published.published_assets(environment),
        ablations.ablations_asset(environment),
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
