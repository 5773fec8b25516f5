"""What the noise of a build does to its tasks: the noisy tables are made anew, rule by rule, and mended by the cleaner.

Tasks are tried on the noisy variant: its files read back, mended by the cleaner, and beside its ledger (`noisy_sides`).
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

import polars as pl

from anonymize.keys.identity_map import unseal
from anonymize.pseudonyms import direct_identifiers
from assets.making.request import Request
from assets.making.store import StageTables
from pipeline.conform import conform
from pipeline.documents.document import texts_of
from pipeline.errors import InputError
from pipeline.noise.ablation import AblationPlan, ablations
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Family
from pipeline.noise.ledger import as_noised
from pipeline.noise.spec import NoiseSpec
from pipeline.places import CLEAN, CURATOR, NOISY, landing
from pipeline.publish.files import read_published
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.replay import read_ledger
from pipeline.publish.variant import IDENTITY_MAP, NOISE_LEDGER
from pipeline.small_files import REPORTED, content_of, json_of
from pipeline.tasks.families import Families
from pipeline.tasks.making import TaskSet
from pipeline.tasks.records import TaskImpact
from pipeline.tasks.running.clean import Clean
from raw.landing import land
from validation.escapes.code_columns import reserved_codes
from validation.escapes.scan import Originals
from validation.noise.cleaner.cleaning import clean_up, in_sight
from validation.report.tasks.effects import TaskNoise
from validation.tasks.answerable import NoisySides
from validation.tasks.impact import Impact, NoiseParts, impacts


def impact_of(
    request: Request, tasks: TaskSet, clean: Clean, noisy: NoisySides | None, *, watch: Callable[[str], None]
) -> dict[str, Impact]:
    """Return what noise does to each task of a set, by its name.

    Raises:
        InputError: There is no noisy variant, it was made of another specification, or the raw tables are needed and not given.
    """
    environment, spec = request.environment, request.noise.spec
    parts = NoiseParts(
        environment=environment, spec=spec, known=clean.known, noised=_noised(request, clean), ledger=_ledger(request)
    )
    draws = {task.name: task.draw for task in (*tasks.dev, *tasks.test)}
    return impacts(draws, parts, ablations(_plan(request)), noisy.mended if noisy else None, watch=watch)


def task_noise(request: Request, impact: Mapping[str, TaskImpact]) -> TaskNoise:
    """Return what the page of a set shows of its noise."""
    return TaskNoise(impact=impact, variants=ablations(_plan(request)), ledger=_ledger(request))


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


_SHARED = ("source", "scale", "policy", "key_fingerprint")
"""What the manifests of both variants of a build say alike."""


def noisy_sides(request: Request, clean: Clean, families: Families) -> NoisySides | None:
    """Return what tasks of families are tried on; None if there is no noisy variant, or nobody wrote down how it is cleaned.

    Raises:
        GateError: A noisy file is not as it was built.
        InputError: The noisy variant is of another build, or its ledger cannot be read.
    """
    folder, environment = request.folder / NOISY, request.environment
    plan = request.specified.cleaning if request.specified else None
    if plan is None or not (folder / MANIFEST).is_file():
        return None
    _refuse_other(request.folder)
    verify_files(folder)
    ledger = read_ledger(request.folder / CURATOR / NOISE_LEDGER)
    names = [table.name for table in environment.noisy_tables() if clean.file(table.name).is_file()]

    def read(name: str) -> pl.DataFrame:
        table = environment.table(name)
        return read_published(folder / table.folder / table.path, as_noised(table, ledger))

    tables = StageTables(names, read)

    def noisy(name: str) -> pl.DataFrame:
        return tables[name] if name in names else read(name)

    def mended(name: str) -> pl.DataFrame:
        return clean_up(tables, in_sight(plan, name, environment).plan, environment).get(name, noisy(name))

    named = set(texts_of(families.families))
    return NoisySides(
        environment, clean.known, clean=clean.texts, noisy=noisy, mended=mended, ledger=ledger, named=named
    )


def _refuse_other(folder: Path) -> None:
    noisy, clean = (
        {name: json_of(folder / variant / MANIFEST).get(name) for name in _SHARED} for variant in (NOISY, CLEAN)
    )
    if other := [name for name in _SHARED if noisy[name] != clean[name]]:
        raise InputError(
            f"{folder / NOISY} and {folder / CLEAN} are of two builds ({', '.join(other)}); build both again"
        )
