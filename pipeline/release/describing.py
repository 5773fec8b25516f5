"""What a release says of itself: the description of its files, and every metadata file as it follows from that.

It follows from the declaration, the published files and what was asked for, and is the same whoever makes it. So it is written
when a release is made, and made again when one is verified.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.conform.cells import typed
from pipeline.model import Environment, PublishedTable
from pipeline.model.schema.complete import types_of
from pipeline.model.schema.types import PublishedType, published_type
from pipeline.places import TASKS
from pipeline.publish.files import FileRecord, read_published
from pipeline.publish.formats import FORMATS
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.variant import CLEAN
from pipeline.release import layout
from pipeline.release.layout import archive_of, name_of
from pipeline.release.metadata import card, croissant, data_package, dictionary, mounting
from pipeline.release.metadata.described import Described, DescribedFile, Known, describe_files, describe_tasks
from pipeline.release.settings import Asked


def describe(environment: Environment, folder: Path, asked: Asked) -> Described:
    """Describe the variants below a release's folder, or raise `InputError` if a table cannot be read."""

    def files(variant: str) -> Iterator[DescribedFile]:
        manifest = json.loads((folder / variant / MANIFEST).read_bytes())
        records = [FileRecord(**file) for file in manifest["files"]]
        listed = [record.path for record in records if record.path in declared] if asked.documented else []
        types = {f"{variant}/{path}": types_in(folder / variant / path, declared[path]) for path in listed}
        known = Known(
            environment=environment, types=types, treatments=manifest["column_treatments"], has_keys=variant == CLEAN
        )
        yield from describe_files(environment, folder, variant, records, known=known if asked.documented else None)

    def types_in(file: Path, table: PublishedTable) -> dict[str, PublishedType]:
        frame = typed(types_of(environment, table), read_published(file, table))
        return {name: published_type(dtype) for name, dtype in frame.schema.items()}

    declared = {f"{table.folder}/{table.path}": table for table in environment.tables}
    name = name_of(environment.name, asked.version)
    tasks = json.loads((folder / TASKS / MANIFEST).read_bytes()) if asked.tasks else {}
    return Described(
        name=name,
        title=environment.title,
        version=asked.version,
        released=asked.released,
        silt=str(_first_manifest(folder, asked).get("versions", {}).get("silt", "")),
        policy=policy_of(folder, asked),
        is_sampled=_first_manifest(folder, asked).get("budget") is not None,
        is_demonstration=bool(_first_manifest(folder, asked)["is_demonstration_key"]),
        variants=asked.variants,
        is_documented=asked.documented,
        discloses_noise=asked.disclose_noise,
        languages=(environment.entities.language,),
        license=asked.license,
        authors=asked.authors,
        files=(*(each for variant in asked.variants for each in files(variant)), *describe_tasks(tasks)),
        measures=environment.panel.measures if asked.documented and environment.panel else (),
        archives={variant: archive_of(name, variant) for variant in asked.variants},
        formats=tuple(each for name, each in FORMATS.items() if name in asked.formats),
        tasks=tasks,
        argument="FILE.py:NAME" if environment.declared_in else environment.name,
    )


def policy_of(folder: Path, asked: Asked) -> str:
    """Return the policy under which the variants of a release were built."""
    return str(_first_manifest(folder, asked)["policy"])


def _first_manifest(folder: Path, asked: Asked) -> Mapping[str, Any]:
    stated: Mapping[str, Any] = json.loads((folder / asked.variants[0] / MANIFEST).read_bytes())
    return stated


def metadata(described: Described) -> dict[str, bytes]:
    """Return the metadata files of a release by their paths."""
    files = {
        layout.README: card.card(described),
        layout.CITATION: card.citation(described),
        layout.CROISSANT: croissant.croissant(described),
        layout.DATA_PACKAGE: data_package.data_package(described),
        layout.COMPOSE: mounting.compose(described.variants),
    }
    if described.is_documented:
        files[layout.DICTIONARY_CSV] = dictionary.dictionary_table(described)
        files[layout.DICTIONARY_PAGE] = dictionary.dictionary_page(described)
    return files
