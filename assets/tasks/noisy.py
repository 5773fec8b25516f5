"""The noisy variant of a build as tasks are tried on it: its files read back, mended by the cleaner, and beside its ledger."""

from pathlib import Path

import polars as pl

from assets.making.request import Request
from assets.making.store import StageTables
from pipeline.documents.document import texts_of
from pipeline.errors import InputError
from pipeline.noise.ledger import as_noised
from pipeline.places import CLEAN, CURATOR, NOISY
from pipeline.publish.files import read_published
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.replay import read_ledger
from pipeline.publish.variant import NOISE_LEDGER
from pipeline.small_files import json_of
from pipeline.tasks.families import Families
from pipeline.tasks.running.clean import Clean
from validation.noise.cleaner.cleaning import clean_up, in_sight
from validation.tasks.answerable import NoisySides

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
