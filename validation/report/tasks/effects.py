"""What noise does to tasks: which families and rules break which, and what the naive reader answers on the way to clean.

Belongs here: words and order. Answers, causes and rules were found by `validation/tasks/impact.py`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Literal

import polars as pl
from markupsafe import Markup

from pipeline.documents.document import summary
from pipeline.noise.ablation import Ablation
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import Family
from pipeline.tasks.drawing import Plain
from pipeline.tasks.records import Cause, Solved, TaskImpact
from pipeline.wording import counted
from validation.report.html import Cell, Column, Table, prose, table

Mark = Literal["alone", "part", "touched", ""]
"""What a family does to a task: it breaks it alone, or together with others, or only touches what it reads, or nothing."""

Reading = tuple[str, Plain | None, bool]
"""Tables in words, what the naive reader answers on them, and whether it is right."""

_CAUSES: Mapping[Cause, tuple[str, str]] = {
    "": ("The naive reader is wrong without noise, too", ""),
    "one": ("One rule is the cause", "Without it the naive reader is right."),
    "any": ("These rules make the answer wrong together", "Without any one of them the naive reader is right."),
    "several": ("Several rules are the cause", "Taking out one of them is not enough."),
}
"""Cause -> what is said before the rules that are it, and behind them."""


@dataclass(frozen=True, kw_only=True)
class TaskNoise:
    """What is known of the noise of a set of tasks."""

    impact: Mapping[str, TaskImpact]
    """Task -> what noise does to it."""
    variants: Sequence[Ablation]
    """The parts of the noise on which the naive reader was asked."""
    ledger: pl.DataFrame
    """Every change that noise made."""

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Return the rules that change something, each with its kind."""
        return dict(self.ledger.select("rule", "kind").unique(maintain_order=True).iter_rows())

    @cached_property
    def family_of(self) -> dict[str, Family]:
        """Return the family of each rule."""
        return {rule: KINDS[kind].family for rule, kind in self.kinds.items()}

    @cached_property
    def families(self) -> list[Family]:
        """Return the families that change something."""
        return [family for family in Family if family in self.family_of.values()]

    @cached_property
    def alone(self) -> dict[Family | None, str]:
        """Return the variants that have one family of noise alone."""
        return {part.family: each.name for each in self.variants for part in each.parts if part.series == "only_one"}

    @cached_property
    def rungs(self) -> list[tuple[int, str, str]]:
        """Return the rungs of the ladder, from noisy to clean: number, variant, and the family that is mended on it."""
        parts = ((part, each.name) for each in self.variants for part in each.parts)
        return sorted((part.rung or 0, name, part.family or "") for part, name in parts if part.series == "ladder")

    def number(self, rule: str) -> int:
        """Return the number of a rule on the page."""
        return list(self.kinds).index(rule)


@dataclass(frozen=True, kw_only=True)
class NoiseEffect:
    """What noise does to one task."""

    is_right: bool
    is_right_on_clean: bool
    is_answerable: bool | None
    rules: Sequence[str]
    """Those that touch the task or are the cause."""
    numbers: Sequence[int]
    """The same by their numbers on the page."""
    broken_by: Sequence[str]
    why: tuple[str, str]
    """What is said before and behind the rules of the cause."""
    cells: Mapping[str, int]
    """Rule -> how many cells that the task reads it changed."""
    readings: Sequence[Reading]
    marks: Mapping[Family, Mark]

    def said_of(self, rule: str) -> str:
        """Return how many cells that the task reads a rule of the cause changed."""
        found = self.cells.get(rule, 0)
        return f"{counted(found, 'cell')} that it reads" if found else "in other rows, so that the reader takes others"

    @property
    def touched(self) -> list[str]:
        """Return the rules that touch what the task reads, with their cells, but for those that are the cause."""
        return [f"{rule} ({counted(n, 'cell')})" for rule, n in self.cells.items() if rule not in self.broken_by]


def effect_of(task: Solved, noise: TaskNoise) -> NoiseEffect:
    """Return what noise does to a task."""
    impact = noise.impact[task.id]
    rules = list(dict.fromkeys([each.rule for each in impact.touched] + impact.broken_by))
    return NoiseEffect(
        is_right=impact.naive["noisy"] == task.clean_answer,
        is_right_on_clean=impact.naive["clean"] == task.clean_answer,
        is_answerable=impact.answerable,
        rules=rules,
        numbers=[noise.number(rule) for rule in rules],
        broken_by=impact.broken_by,
        why=_CAUSES[impact.cause],
        cells={each.rule: each.cells for each in impact.touched},
        readings=list(_readings(task, impact, noise)),
        marks={family: _mark(family, task, impact, noise) for family in noise.families},
    )


def rules_table(effects: Collection[NoiseEffect], noise: TaskNoise) -> Table:
    """Return each rule with what it does, and how many tasks it touches and breaks."""

    def count(of: Callable[[NoiseEffect], Sequence[str]]) -> Column:
        return lambda rule: sum(rule in of(each) for each in effects)

    columns: dict[str, Column] = {
        "rule": lambda rule: Cell(Markup('<b id="rule-{}">{}</b>').format(noise.number(rule), rule), rule),
        "family": noise.family_of.__getitem__,
        "what it does": lambda rule: Cell(prose(summary(KINDS[noise.kinds[rule]]))),
        "tasks it touches or breaks": count(attrgetter("rules")),
        "tasks it breaks": count(attrgetter("broken_by")),
    }
    ordered = sorted(
        noise.kinds, key=lambda rule: -sum((rule in each.rules) + (rule in each.broken_by) for each in effects)
    )
    return table("rules of noise", ordered, columns, kind="cards")


def _readings(task: Solved, impact: TaskImpact, noise: TaskNoise) -> Iterator[Reading]:
    """Yield the answers from noisy to clean, then after the cleaner; rungs in a row with the same answer are one."""
    answers = ((impact.naive[variant], family) for _, variant, family in noise.rungs)
    for number, (answer, run) in enumerate(groupby(answers, key=itemgetter(0))):
        mended = ", ".join(family for _, family in run if family)
        said = f"with {mended} mended{', too' if number else ''}" if mended else ""
        yield said if number else f"noisy{said and ', and '}{said}", answer, answer == task.clean_answer
    yield "after the reference cleaner", impact.mended, impact.mended == task.clean_answer


def _mark(family: Family, task: Solved, impact: TaskImpact, noise: TaskNoise) -> Mark:
    if family in noise.alone and impact.naive[noise.alone[family]] != task.clean_answer:
        return "alone"
    if family in map(noise.family_of.get, impact.broken_by):
        return "part"
    return "touched" if family in (noise.family_of[each.rule] for each in impact.touched) else ""
