"""What the noise of a build does to its tasks: the noisy tables are made anew, rule by rule, and mended by the cleaner."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import polars as pl

from anonymize.keys.identity_map import unseal
from anonymize.pseudonyms import direct_identifiers
from assets.making.request import Request
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.noise.ablation import AblationPlan, ablations
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Family
from pipeline.noise.spec import NoiseSpec
from pipeline.places import CURATOR, NOISY, landing
from pipeline.publish.replay import read_ledger
from pipeline.publish.variant import IDENTITY_MAP, NOISE_LEDGER
from pipeline.small_files import REPORTED, content_of
from pipeline.tasks.making import TaskSet
from pipeline.tasks.running.clean import Clean
from raw.landing import land
from validation.escapes.code_columns import reserved_codes
from validation.escapes.scan import Originals
from validation.tasks.answerable import NoisySides
from validation.tasks.impact import Impact, NoiseParts, impacts


def impact_of(request: Request, tasks: TaskSet, clean: Clean, noisy: NoisySides | None) -> dict[str, Impact]:
    """Return what noise does to each task of a set, by its name.

    Raises:
        InputError: There is no noisy variant, it was made of another specification, or the raw tables are needed and not given.
    """
    environment, spec = request.environment, request.noise.spec
    parts = NoiseParts(
        environment=environment, spec=spec, known=clean.known, noised=_noised(request, clean), ledger=_ledger(request)
    )
    draws = {task.name: task.draw for task in (*tasks.dev, *tasks.test)}
    return impacts(draws, parts, ablations(_plan(request)), noisy.mended if noisy else None)


def _ledger(request: Request) -> pl.DataFrame:
    if not (request.folder / NOISY).is_dir():
        raise InputError(
            f"no noisy variant at {request.folder / NOISY}; build it first, or say where it is with --out (OUT)"
        )
    return read_ledger(request.folder / CURATOR / NOISE_LEDGER)


def _plan(request: Request) -> AblationPlan:
    """Return how the specification is taken apart: as the environment says, or else every family in turn."""
    plan, noise, every = request.planned, request.noise, tuple(Family)
    if plan is not None and plan.noise.resolve() == noise.file.resolve():
        return plan
    return AblationPlan(noise=noise.file, spec=noise.spec, ladder=every, leave_one_out=every, only_one=every)


def _noised(request: Request, clean: Clean) -> Callable[[str, NoiseSpec], pl.DataFrame]:
    """Return what makes a table noisy as the build did, with all of its specification or a part."""
    environment, whole, ledger = request.environment, request.noise.spec, _ledger(request)
    reserved = cache(partial(_reserved, request))

    def noise(name: str, spec: NoiseSpec) -> Noised:
        table = environment.table(name)
        invents = any(rule.kind.invents_codes and name in rule.tables for rule in spec.rules)
        beside = {other: clean.texts(other) for other in table.beside}
        codes = reserved() if invents else None
        return apply_noise(
            clean.texts(name), table, spec, environment, request.release.key, beside=beside, reserved=codes
        )

    @cache
    def with_all(name: str) -> pl.DataFrame:
        made = noise(name, whole)
        if not made.ledger.drop("table").equals(ledger.filter(pl.col("table") == name).drop("table")):
            raise InputError(
                f"table {name!r} of {request.folder / NOISY} has other noise than its specification makes; build again, or say "
                "with --noise of which it was made"
            )
        return made.frame

    return lambda name, spec: with_all(name) if spec == whole else noise(name, spec).frame


def _reserved(request: Request) -> pl.Series:
    """Return the codes that noise may not invent: those of the originals."""
    environment, master = request.environment, request.release.master
    conformed = conform(environment.raw_tables, _raw(request)).frames
    try:
        sealed = content_of(request.folder / CURATOR / IDENTITY_MAP, most=REPORTED)
    except OSError as error:
        raise InputError(f"no identity map can be read below {request.folder / CURATOR}; build again") from error
    known = Originals(
        identity_map=unseal(sealed, master), identifiers=direct_identifiers(environment, conformed), key=master
    )
    return reserved_codes(known.tokens(environment))


def _raw(request: Request) -> Path:
    """Return the folder of the raw tables, generating the corpus on first use."""
    corpus, name = request.environment.corpus, request.environment.name
    if request.raw_files:
        return request.raw
    if corpus is None or request.scale is None:
        raise InputError(
            f"the noise of {name!r} invents codes, and none may be an original's; give the folder of its raw tables with "
            "--raw (RAW)"
        )
    return land(corpus, landing(name), request.scale)
