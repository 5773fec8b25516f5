"""Ablations: variants of a noisy environment that differ in which families of noise they keep.

A plan is data: which specification is taken apart, in which order its families are mended, which of them are left out or
kept alone. From plan and specification follow the variants; making and publishing them belongs to
`pipeline/publish/ablations.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import KnownName, Some, Text
from pipeline.documents.reading import Reader
from pipeline.model import Environment
from pipeline.noise.kinds.interface import Family
from pipeline.noise.spec import NoiseSpec, Rule, load_spec, read_file

Series = Literal["ladder", "leave_one_out", "only_one"]

_Families = Some[Annotated[Family, Field(strict=False)]]


@dataclass(frozen=True, kw_only=True)
class AblationPlan:
    """How a specification is taken apart."""

    noise: Path
    """The file of the specification."""
    spec: NoiseSpec
    ladder: tuple[Family, ...]
    """Families in the order in which they are mended: from noisy, where all are left, down to clean."""
    leave_one_out: tuple[Family, ...]
    """Families of which each is the only one mended, in a variant of its own."""
    only_one: tuple[Family, ...]
    """Families of which each is the only one left, in a variant of its own."""


@dataclass(frozen=True, kw_only=True)
class SeriesPart:
    """What a variant is in one series of variants."""

    series: Series
    family: Family | None
    """The family that this rung of the ladder mends (none: the first), that is left out, or that is left alone."""
    rung: int | None = None
    """How many families are mended, in the ladder."""


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """One variant: the families that it keeps, and so the rules."""

    name: str
    parts: tuple[SeriesPart, ...]
    families: tuple[Family, ...]
    """In the order of the ladder."""
    rules: tuple[Rule, ...]
    """In the order of the specification."""


class AblationPlanDocument(YamlDocument):
    """An ablation plan: how a noise specification is taken apart, family by family."""

    environment: Annotated[str, KnownName("environment")]
    """The environment of the specification."""
    noise: Text
    """The specification that is taken apart: its file, seen from the folder of this one."""
    ladder: _Families
    """The order in which families are mended, one more in each variant; every family that has a rule."""
    leave_one_out: Any = False
    """Families that are mended one at a time, all others left: `true` for all of the ladder."""
    only_one: Any = False
    """Families that are left one at a time, all others mended: `true` for all of the ladder."""
    description: str = ""
    """What the plan is for."""


def load_ablation_plan(path: Path, environment: Environment) -> AblationPlan:
    """Read an ablation plan for an environment.

    Raises:
        SpecError: The file, or that of the specification, cannot be read, is not YAML, or has problems: all of them, each
            with its place.
    """
    return read_file(path, environment, partial(_plan, path), what="ablation plan")


def ablations(plan: AblationPlan) -> tuple[Ablation, ...]:
    """Return the variants, each once whatever the number of its parts: the ladder, then one left out, then one alone.

    A family without a rule gives no variant.
    """
    present = {rule.kind.family for rule in plan.spec.rules}
    order = tuple(family for family in plan.ladder if family in present)
    parts: dict[tuple[Family, ...], list[SeriesPart]] = {}
    for families, part in _parts(plan, order):
        parts.setdefault(families, []).append(part)
    return tuple(
        Ablation(
            name=_name(families, order),
            parts=tuple(of_families),
            families=families,
            rules=tuple(rule for rule in plan.spec.rules if rule.kind.family in families),
        )
        for families, of_families in parts.items()
    )


def _plan(path: Path, reader: Reader, document: Any) -> AblationPlan | None:
    head = reader.read(AblationPlanDocument, document, ())
    if head is None:
        return None
    noise = path.parent / head.noise
    spec = load_spec(noise, reader.environment)
    _refuse_unplaced(reader, head.ladder, spec)
    return AblationPlan(
        noise=noise,
        spec=spec,
        ladder=head.ladder,
        leave_one_out=_chosen(reader, head.leave_one_out, head.ladder, "leave_one_out"),
        only_one=_chosen(reader, head.only_one, head.ladder, "only_one"),
    )


def _chosen(reader: Reader, value: Any, ladder: tuple[Family, ...], field: str) -> tuple[Family, ...]:
    """Return the families of a field that holds `true`, `false` or a list, in the order of the ladder."""
    if isinstance(value, bool):
        return ladder if value else ()
    if not isinstance(value, list):
        reader.refuse((field,), value, "true, false or a list of families")
        return ()
    names = reader.read(_Families, value, (field,)) or ()
    for index, name in enumerate(names):
        if name not in ladder:
            reader.refuse((field, index), str(name), f"a family of the ladder: {', '.join(ladder)}")
    return tuple(family for family in ladder if family in names)


def _refuse_unplaced(reader: Reader, ladder: tuple[Family, ...], spec: NoiseSpec) -> None:
    present = {rule.kind.family for rule in spec.rules}
    if unplaced := [family for family in Family if family in present and family not in ladder]:
        allowed = f"every family that has a rule in the specification; {', '.join(unplaced)} is missing"
        reader.refuse(("ladder",), list(map(str, ladder)), allowed)


def _parts(plan: AblationPlan, order: tuple[Family, ...]) -> Iterator[tuple[tuple[Family, ...], SeriesPart]]:
    """Yield the families that are kept, and what the variant is by that."""
    for rung in range(len(order) + 1):
        yield order[rung:], SeriesPart(series="ladder", rung=rung, family=order[rung - 1] if rung else None)
    for left_out in (family for family in plan.leave_one_out if family in order):
        kept = tuple(family for family in order if family != left_out)
        yield kept, SeriesPart(series="leave_one_out", family=left_out)
    for alone in (family for family in plan.only_one if family in order):
        yield (alone,), SeriesPart(series="only_one", family=alone)


def _name(families: tuple[Family, ...], order: tuple[Family, ...]) -> str:
    """Return a name that says which families are kept; it depends on them and the ladder alone."""
    mended = [family for family in order if family not in families]
    if not families:
        return "clean"
    if not mended:
        return "noisy"
    if len(mended) == 1:
        return f"without-{mended[0]}"
    return f"only-{families[0]}" if len(families) == 1 else f"mended-to-{mended[-1]}"
