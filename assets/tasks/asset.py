"""In the group `tasks`: the tasks of both variants, with gold answers, and the checks that they pass."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
from pydantic import create_model

from assets.making.keys import Stage, op_name, path_of
from assets.making.results import AssetPath, CheckOutcome, Fact, MadeAsset
from assets.making.scheduler import Scheduler
from assets.tasks.making import TasksMade, make_tasks_of
from assets.wiring.gates import TRIED, verdict
from assets.wiring.graph.nodes import check_spec, failing_as_dagster_does, fields_of, shown, spec
from assets.wiring.steps import gate, node, versioned
from pipeline.model import Environment
from pipeline.publish.variant import VARIANTS
from pipeline.settings import settings_from
from pipeline.tasks.checked import check_set
from pipeline.tasks.gates import most_alike
from pipeline.tasks.records import canonical
from pipeline.tasks.settings import TasksSettings

TASKS = "tasks"
"""Name of the asset, and of the job that makes it."""

_UNTRIED = "not tried: there is no noisy variant, or no plan of how its tables are cleaned"

_AGREE, _UNGUESSED, _ANSWERABLE = "two_programs_agree", "answers_cannot_be_guessed", "answerable_from_noisy"

_CONFIG = create_model("TasksConfig", __base__=dg.Config, **fields_of(TasksSettings))
"""The settings of a set, as the launchpad shows them."""


def tasks_key_of(environment: Environment) -> AssetPath:
    """Return the path of the asset."""
    return path_of(environment, Stage.TASKS, TASKS)


def tasks_asset(environment: Environment, *, make: Callable[[], TasksMade] | None = None) -> dg.AssetsDefinition:
    """Return the asset of an environment's tasks; the command line makes them in its own way."""
    described = (
        "Questions about the published tables, with answers, steps and milestones; those of the test stay apart."
    )
    reads = [(Stage.PUBLISHED, variant) for variant in VARIANTS]
    made_of = versioned(node(environment, Stage.TASKS, TASKS, reads=reads, description=described, kinds={"json"}))

    @dg.multi_asset(
        specs=[spec(made_of)],
        check_specs=[check_spec(gate(name, made_of.asset)) for name in (_AGREE, _UNGUESSED, _ANSWERABLE)],
        name=op_name(environment, Stage.TASKS, TASKS),
        config_schema=_CONFIG.to_fields_dict(),
    )
    def tasks(context: dg.AssetExecutionContext, scheduler: dg.ResourceParam[Scheduler]) -> Iterator[Any]:
        with failing_as_dagster_does(scheduler.request.folder):
            settings = settings_from(TasksSettings, context.op_execution_context.op_config)
            made = make() if make else make_tasks_of(scheduler.request, settings)
            checked = check_set(scheduler.request.folder, made.clean)
        yield from shown([MadeAsset(asset=made_of.asset, metadata=about(made)), *verdicts(made, checked)])

    return tasks


def verdicts(made: TasksMade, checked: int) -> Iterator[CheckOutcome]:
    """Yield the outcome of each check, given how many answers were compared with their statements and commitments."""
    every = made.draws
    answers = Counter(canonical(draw.gold) for draw in every)
    most = max(answers.values(), default=0)
    yield verdict(_AGREE, is_passed=checked == len(every), facts={"answers": checked, "tasks": len(every)})
    yield verdict(
        _UNGUESSED,
        is_passed=most <= most_alike(len(every)),
        facts={"tasks_with_the_commonest_answer": most, "allowed": most_alike(len(every))},
    )
    answerable = sum(draw.is_answerable for draw in every)
    facts = {"answerable": answerable, "marked": len(every) - answerable} if made.was_tried else {TRIED: _UNTRIED}
    yield verdict(_ANSWERABLE, is_passed=made.was_tried, is_warning=True, facts=facts)


def about(made: TasksMade) -> dict[str, Any]:
    """Return what the graph shows: where the tasks are, how many of each category and level, and what was refused."""
    counts = Counter(f"{draw.family.category}, {draw.family.how_hard}" for draw in made.draws)
    known: dict[str, Any] = {
        "folder": Fact("path", str(made.folder)),
        "tasks": len(made.draws),
        "by_category_and_level": dict(sorted(counts.items())),
        "refused_draws": dict(made.tasks.refused.most_common()),
    }
    right = sum(impact.is_robust for impact in made.impact.values())
    return known | ({"naive_right": f"{right} of {len(made.impact)}"} if made.impact else {})
