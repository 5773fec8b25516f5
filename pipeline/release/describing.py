"""What a release says of itself: the description of its files, and every metadata file as it follows from that.

It follows from the declaration, the published files and what was asked for, and is the same whoever makes it. So it is written
when a release is made, and made again when one is verified.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.conform.read_back import typed
from pipeline.model import Environment
from pipeline.model.schema.types import published_type
from pipeline.publish.files import FileRecord
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.replay import read_published
from pipeline.publish.variant import CLEAN, VARIANTS
from pipeline.release import layout
from pipeline.release.layout import archive_of, name_of
from pipeline.release.metadata.card import card, citation
from pipeline.release.metadata.croissant import croissant
from pipeline.release.metadata.data_package import data_package
from pipeline.release.metadata.described import Described, DescribedFile, Known, describe_files
from pipeline.release.metadata.dictionary import dictionary_page, dictionary_table
from pipeline.release.metadata.mounting import compose


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a release."""

    version: str
    date: int
    """Of the release, in seconds since 1970."""
    mode: layout.Mode = layout.UNDEREXPLORED
    discloses_noise: bool = False
    has_parquet: bool = False
    license: str = layout.OTHER_LICENSE
    """SPDX identifier, in lower case as hubs want it."""
    authors: tuple[str, ...] = ()
    variants: tuple[str, ...] = VARIANTS
    replaces: bool = False
    """Whether a release of this version that differs is replaced."""

    def __post_init__(self) -> None:
        layout.refuse_no_license(self.license)
        for author in self.authors:
            layout.refuse_no_author(author)

    @property
    def released(self) -> str:
        """Return the day of the release."""
        return datetime.fromtimestamp(self.date, tz=UTC).date().isoformat()

    @property
    def is_documented(self) -> bool:
        """Say whether columns are explained."""
        return self.mode == layout.DOCUMENTED


def describe(
    environment: Environment,
    folder: Path,
    asked: Asked,
    *,
    see: Callable[[Path, pl.DataFrame], None] = lambda _file, _table: None,
) -> Described:
    """Describe the variants below a release's folder.

    Args:
        environment: The declaration.
        folder: That of the release.
        asked: What is asked of it.
        see: Is shown each table with its types, and its file, if anything asked for needs types.

    Raises:
        InputError: A table cannot be read.
    """

    def files(variant: str) -> Iterator[DescribedFile]:
        manifest = json.loads((folder / variant / MANIFEST).read_bytes())
        records = [FileRecord(**file) for file in manifest["files"]]
        types = {}
        for path, table in declared.items() if asked.has_parquet or asked.is_documented else ():
            if path in {record.path for record in records}:
                file = folder / variant / path
                frame = typed(environment, table, read_published(file, table))
                see(file, frame)
                types[f"{variant}/{path}"] = {name: published_type(dtype) for name, dtype in frame.schema.items()}
        known = Known(environment=environment, types=types, fates=manifest["fates"], has_keys=variant == CLEAN)
        yield from describe_files(environment, folder, variant, records, known=known if asked.is_documented else None)

    declared = {f"{table.folder}/{table.path}": table for table in environment.tables}
    name = name_of(environment.name, asked.version)
    return Described(
        name=name,
        title=environment.title,
        version=asked.version,
        released=asked.released,
        policy=policy_of(folder, asked),
        is_sampled=_first_manifest(folder, asked).get("budget") is not None,
        is_demonstration=bool(_first_manifest(folder, asked)["is_demonstration_key"]),
        variants=asked.variants,
        is_documented=asked.is_documented,
        discloses_noise=asked.discloses_noise,
        languages=(environment.entities.language,),
        license=asked.license,
        authors=asked.authors or (f"Curators of {environment.name}",),
        files=tuple(each for variant in asked.variants for each in files(variant)),
        measures=environment.panel.measures if asked.is_documented and environment.panel else (),
        archives={variant: archive_of(name, variant) for variant in asked.variants},
        has_parquet=asked.has_parquet,
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
        layout.README: card(described),
        layout.CITATION: citation(described),
        layout.CROISSANT: croissant(described),
        layout.DATA_PACKAGE: data_package(described),
        layout.COMPOSE: compose(described.variants),
    }
    if described.is_documented:
        files[layout.DICTIONARY_CSV] = dictionary_table(described)
        files[layout.DICTIONARY_PAGE] = dictionary_page(described)
    return files
