"""What `silt tasks make --impact` looks at: the noise of a build, made anew rule by rule, and what the cleaner mends."""

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl

from anonymize.keys.release_key import of_policy
from anonymize.pseudonyms import direct_identifiers
from assets.making.store import StageTables
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.noise.ablation import AblationPlan, ablations, load_ablation_plan
from pipeline.noise.cleaning_plan import load_plan
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Family
from pipeline.noise.spec import NoiseSpec, load_spec
from pipeline.places import default_ablation_plan, default_cleaning_plan, default_specification
from pipeline.publish.variant import NOISY
from pipeline.tasks.making import TaskSet
from pipeline.tasks.running.clean import Clean
from silt.commands.audit.request import AuditRequest, raw_folder, read_identity_map, read_manifest, release_master
from silt.commands.audit.sides import noise_ledger
from silt.commands.tasks.request import TasksRequest
from validation.escapes.code_columns import reserved_codes
from validation.escapes.scan import Originals
from validation.noise.cleaner.cleaning import clean_up
from validation.tasks.impact import Impact, NoiseParts, impacts


def impact_of(request: TasksRequest, tasks: TaskSet, clean: Clean, options: argparse.Namespace) -> dict[str, Impact]:
    """Return what noise does to each task of a set, by its name.

    Raises:
        InputError: There is no noisy variant, it was made of another specification, or the raw tables are needed and not given.
    """
    environment = request.environment
    plan = _plan(environment, Path(options.noise) if options.noise else default_specification(environment.name))
    build = AuditRequest(
        environment=environment,
        variant=NOISY,
        out=request.out,
        raw=Path(options.raw) if options.raw else None,
        key_file=request.key_file,
    )
    parts = NoiseParts(
        environment=environment,
        spec=plan.spec,
        known=clean.known,
        noised=_noised(build, clean, plan.spec),
        ledger=noise_ledger(build),
    )
    cleaning = default_cleaning_plan(environment.name)
    tables = [table.name for table in environment.noisy_tables() if clean.file(table.name).is_file()]
    noisy = StageTables(tables, lambda name: parts.noised(name, plan.spec))
    mended = clean_up(noisy, load_plan(cleaning, environment), environment) if cleaning.is_file() else {}
    draws = {task.name: task.draw for task in (*tasks.dev, *tasks.test)}
    return impacts(draws, parts, ablations(plan), mended)


def _plan(environment: Environment, file: Path) -> AblationPlan:
    """Return how the specification is taken apart: as the environment says, or else every family in turn."""
    if not file.is_file():
        raise InputError(f"no noise specification at {file}; say with --noise of which the noisy variant was made")
    ladder = default_ablation_plan(environment.name)
    if ladder.is_file():
        plan = load_ablation_plan(ladder, environment)
        if plan.noise.resolve() == file.resolve():
            return plan
    every = tuple(Family)
    return AblationPlan(
        noise=file, spec=load_spec(file, environment), ladder=every, leave_one_out=every, only_one=every
    )


def _noised(build: AuditRequest, clean: Clean, whole: NoiseSpec) -> Callable[[str, NoiseSpec], pl.DataFrame]:
    """Return what makes a table noisy as the build did, with all of its specification or a part."""
    environment, manifest = build.environment, read_manifest(build)
    master, ledger = release_master(build, manifest), noise_ledger(build)
    key = of_policy(master, str(manifest["policy"]))

    @cache
    def reserved() -> pl.Series:
        conformed = conform(environment.raw_tables, raw_folder(build, manifest)).frames
        map_ = read_identity_map(build, master, manifest)
        originals = Originals(identity_map=map_, identifiers=direct_identifiers(environment, conformed), key=master)
        return reserved_codes(originals.tokens(environment))

    def noise(name: str, spec: NoiseSpec) -> Noised:
        table = environment.table(name)
        invents = any(rule.kind.invents_codes and name in rule.tables for rule in spec.rules)
        beside = {other: clean.texts(other) for other in table.beside}
        codes = reserved() if invents else None
        return apply_noise(clean.texts(name), table, spec, environment, key, beside=beside, reserved=codes)

    @cache
    def with_all(name: str) -> pl.DataFrame:
        made = noise(name, whole)
        if not made.ledger.drop("table").equals(ledger.filter(pl.col("table") == name).drop("table")):
            raise InputError(
                f"table {name!r} of {build.public} has other noise than its specification makes; build again, or say with "
                "--noise of which it was made"
            )
        return made.frame

    return lambda name, spec: with_all(name) if spec == whole else noise(name, spec).frame
