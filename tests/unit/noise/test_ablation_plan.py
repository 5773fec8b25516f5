"""Ablation plans: which variants follow from one, and that every problem of one is named with its place."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import SpecError
from pipeline.model import Environment
from pipeline.noise.ablation import Ablation, AblationPlan, SeriesPart, ablations, load_ablation_plan
from pipeline.noise.kinds.interface import Family, Kind
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.places import default_ablation_plan, default_specification
from pipeline.publish.publication import VARIANT
from silt.environments.registry import ENVIRONMENTS


class Nothing(Kind):
    """Noise of any family, which is never applied."""

    family: Family  # type: ignore[misc]  # an instance says it here, so that each test has the families it wants


def rules_of(families: Sequence[Family]) -> tuple[Rule, ...]:
    """Return two rules of each family, the second ones in opposite order."""
    return tuple(
        Rule(
            name=f"{number}-{family}",
            kind=Nothing(family=family),
            tables=("t",),
            mechanism=CompletelyAtRandom(rate=1.0),
        )
        for number, order in enumerate((families, families[::-1]))
        for family in order
    )


@st.composite
def plans(draw: st.DrawFn) -> AblationPlan:
    """Return plans with any ladder, families without rules among them, and any choice of the other series."""
    ladder = draw(st.permutations(list(Family)))[: draw(st.integers(1, len(Family)))]
    some = st.lists(st.sampled_from(ladder), unique=True).map(lambda names: tuple(f for f in ladder if f in names))
    return AblationPlan(
        noise=Path("noisy.yaml"),
        spec=NoiseSpec(environment="small", rules=rules_of(draw(some))),
        ladder=tuple(ladder),
        leave_one_out=draw(some),
        only_one=draw(some),
    )


def whole(families: Sequence[Family]) -> AblationPlan:
    """Return the plan that has all variants of some families."""
    order = tuple(families)
    spec = NoiseSpec(environment="small", rules=rules_of(order))
    return AblationPlan(noise=Path("noisy.yaml"), spec=spec, ladder=order, leave_one_out=order, only_one=order)


def by_part(variants: Sequence[Ablation], series: str) -> dict[Any, Ablation]:
    """Return the variants of a series, by rung in the ladder and by family elsewhere."""
    return {
        part.rung if series == "ladder" else part.family: variant
        for variant in variants
        for part in variant.parts
        if part.series == series
    }


@given(plans())
def test_a_variant_keeps_the_rules_of_its_families_in_their_order(plan: AblationPlan) -> None:
    """A rule is in a variant if and only if its family is, and rules stay as they stand in the specification."""
    for variant in ablations(plan):
        assert list(variant.rules) == [rule for rule in plan.spec.rules if rule.kind.family in variant.families]


@given(plans())
def test_the_ladder_goes_down_from_noisy_to_clean(plan: AblationPlan) -> None:
    """Each rung has one family fewer than the one before, the family it names, in the order of the plan."""
    rungs = by_part(ablations(plan), "ladder")
    present = [family for family in plan.ladder if family in {rule.kind.family for rule in plan.spec.rules}]
    assert list(rungs) == list(range(len(present) + 1))
    assert rungs[0].rules == plan.spec.rules
    assert rungs[len(present)].rules == ()
    for rung, family in enumerate(present, start=1):
        assert set(rungs[rung - 1].families) - set(rungs[rung].families) == {family}
        assert SeriesPart(series="ladder", rung=rung, family=family) in rungs[rung].parts


@given(plans())
def test_one_is_left_out_or_alone(plan: AblationPlan) -> None:
    """Each family that the plan names and that has rules is left out once, and alone once; no other is."""
    variants, present = ablations(plan), {rule.kind.family for rule in plan.spec.rules}
    left_out, alone = by_part(variants, "leave_one_out"), by_part(variants, "only_one")
    assert left_out.keys() == set(plan.leave_one_out) & present
    assert alone.keys() == set(plan.only_one) & present
    assert all(set(variant.families) == present - {family} for family, variant in left_out.items())
    assert all(variant.families == (family,) for family, variant in alone.items())


@given(plans())
def test_each_variant_is_there_once(plan: AblationPlan) -> None:
    """No two variants keep the same families or have the same name, no part belongs to two, and names can name folders."""
    variants = ablations(plan)
    parts = [part for variant in variants for part in variant.parts]
    assert len({variant.families for variant in variants}) == len(variants)
    assert len({variant.name for variant in variants}) == len(variants)
    assert len(set(parts)) == len(parts)
    assert all(VARIANT.fullmatch(variant.name) for variant in variants)


@given(plans())
def test_a_name_hangs_on_what_is_kept(plan: AblationPlan) -> None:
    """Which other variants are wanted does not change the name of one."""
    names = {variant.families: variant.name for variant in ablations(plan)}
    present = [family for family in plan.ladder if family in {rule.kind.family for rule in plan.spec.rules}]
    others = {variant.families: variant.name for variant in ablations(whole(present))}
    assert [families for families in names if others.get(families) not in {None, names[families]}] == []


@pytest.mark.parametrize(("families", "variants"), [(0, 1), (1, 2), (2, 4), (3, 8), (10, 29)])
def test_number_of_variants(families: int, variants: int) -> None:
    """Ladder, one out and one alone have 3n + 1 parts; the second rung and the last but one have two of them each."""
    assert len(ablations(whole(list(Family)[:families]))) == variants


def test_names_say_what_is_kept() -> None:
    """Three families, as people read it."""
    variants = ablations(whole([Family.UNITS, Family.NAMES, Family.KEYS, Family.ROWS]))
    assert [variant.name for variant in variants] == [
        "noisy",
        "without-units",
        "mended-to-names",
        "only-rows",
        "clean",
        "without-names",
        "without-keys",
        "without-rows",
        "only-units",
        "only-names",
        "only-keys",
    ]


# --- the file ----------------------------------------------------------------------------------------------------------


def loaded(tmp_path: Path, environment: Environment, /, **changes: Any) -> AblationPlan:
    """Write a plan with fields changed (None takes one out), and its specification of gaps and units; load it."""
    gaps = {
        "name": "gaps",
        "kind": "missing_values",
        "tables": ["figures"],
        "mechanism": {"type": "completely_at_random", "rate": 0.5},
        "parameters": {"columns": ["value"]},
        "reason": "A test.",
    }
    units = gaps | {
        "name": "units",
        "kind": "unit_mismatch",
        "parameters": {"unit_column": "unit", "value_column": "value"},
    }
    (tmp_path / "noise.yaml").write_text(yaml.safe_dump({"environment": "small", "rules": [gaps, units]}), "utf-8")
    plan = {"environment": "small", "noise": "noise.yaml", "ladder": ["units", "names", "missing"]} | changes
    path = tmp_path / "plans" / "ladder.yaml" if "/" in plan["noise"] else tmp_path / "ladder.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump({name: value for name, value in plan.items() if value is not None}), "utf-8")
    return load_ablation_plan(path, environment)


def test_every_part_is_read(tmp_path: Path, environment: Environment) -> None:
    """Families come out typed and in the order of the ladder, the specification from beside the plan."""
    plan = loaded(tmp_path, environment, leave_one_out=True, only_one=["missing", "units"], noise="../noise.yaml")
    assert plan.ladder == plan.leave_one_out == (Family.UNITS, Family.NAMES, Family.MISSING)
    assert plan.only_one == (Family.UNITS, Family.MISSING)
    assert [rule.name for rule in plan.spec.rules] == ["gaps", "units"]
    assert [variant.name for variant in ablations(plan)] == ["noisy", "without-units", "clean", "without-missing"]


def test_only_the_ladder_needs_to_be_said(tmp_path: Path, environment: Environment) -> None:
    """Without a word on the other series there is none."""
    plan = loaded(tmp_path, environment)
    assert plan.leave_one_out == plan.only_one == ()
    assert loaded(tmp_path, environment, leave_one_out=False).leave_one_out == ()


def test_a_problem_of_the_specification_is_reported_as_its_own(tmp_path: Path, environment: Environment) -> None:
    """A plan whose specification is wrong is refused with the specification's problem."""
    (tmp_path / "bad.yaml").write_text("environment: small\nrules: [{}]\n", "utf-8")
    with pytest.raises(SpecError, match=r"in the noise specification:\n.*bad.yaml: rules\[0\]"):
        loaded(tmp_path, environment, noise="bad.yaml")


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_shipped_plans_take_the_realistic_default_apart(environment: Environment) -> None:
    """Each environment has a plan with all series of every family that its default has."""
    plan = load_ablation_plan(default_ablation_plan(environment.name), environment)
    assert plan.noise == default_specification(environment.name)
    assert set(plan.ladder) == set(Family)
    assert plan.leave_one_out == plan.only_one == plan.ladder
