"""Makes a release of a finished build: staged beside its place, searched, described, packed, and swapped in whole.

The public half depends on the build, on what is asked for and on the date alone. What else belongs into it and needs more than
this layer knows is handed in: declared facts and types, the bill of materials, attestations.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.disk import reporting_disk, sync_tree
from pipeline.errors import GateError, InputError, Problem
from pipeline.model import Environment, PublishedTable
from pipeline.noise.spec import NoiseSpec
from pipeline.private import make_private, private_folder
from pipeline.publish.files import FileRecord
from pipeline.publish.files import sha256 as sha256_of
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.publication import locked
from pipeline.publish.replay import read_published
from pipeline.publish.swap import put_in_place
from pipeline.publish.variant import CLEAN, VARIANTS
from pipeline.release import layout
from pipeline.release.archive import write_archive
from pipeline.release.disclosure import NoiseWords, giving_away, is_of_noise
from pipeline.release.layout import ReleaseHead, archive_of, listed, name_of
from pipeline.release.locating import COLUMN_SUMS, column_sums
from pipeline.release.metadata.card import card, citation
from pipeline.release.metadata.croissant import croissant
from pipeline.release.metadata.data_package import data_package
from pipeline.release.metadata.described import ColumnType, Described, DescribedFile, Facts, Known, describe_files
from pipeline.release.metadata.dictionary import dictionary_page, dictionary_table
from pipeline.release.metadata.mounting import compose

_STAGING = ".staging"

_FOLDER_MODE, _FILE_MODE = 0o755, 0o644
"""Of everything public, whatever the umask."""

_TYPES: Mapping[type[pl.DataType], ColumnType] = {
    pl.Int64: "integer",
    pl.Float64: "number",
    pl.Date: "date",
    pl.Datetime: "timestamp",
}

_SHOWN = 10
"""Places that are named where something gives noise away."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a release."""

    version: str
    date: int
    """Of the release, in seconds since 1970."""
    mode: layout.Mode = layout.UNDEREXPLORED
    discloses_noise: bool = False
    has_parquet: bool = False
    license: str = "other"
    """SPDX identifier, in lower case as hubs want it."""
    authors: tuple[str, ...] = ()
    variants: tuple[str, ...] = VARIANTS
    replaces: bool = False
    """Whether a release of this version that differs is replaced."""

    @property
    def released(self) -> str:
        """Return the day of the release."""
        return datetime.fromtimestamp(self.date, tz=UTC).date().isoformat()


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a release is made with besides the build."""

    facts: Facts
    typed: Callable[[Environment, PublishedTable, pl.DataFrame], pl.DataFrame]
    """Gives a published table the types that are declared, column by column where each cell can be read so."""
    spec: NoiseSpec
    """The noise of the build."""
    public: Mapping[str, bytes] = field(default_factory=dict)
    """Further files of the public half, by path."""
    keep: Callable[[Path], None] = lambda _curator: None
    """Writes into the curator's half, a folder, what else belongs there."""
    attest: Callable[[ReleaseHead, Mapping[str, str]], Mapping[str, bytes]] = lambda _head, _subjects: {}
    """Returns statements, by file, about the head and the archives, given the SHA-256 of each by name."""
    judge: Callable[[Path], None] = lambda _public: None
    """Looks at the finished public half, and raises `GateError` if it must not be released."""


def assemble(environment: Environment, build: Path, releases: Path, asked: Asked, given: Given) -> Path:
    """Make a release of the variants in a build's folder; return its public folder.

    Raises:
        GateError: A file of the build is not what its manifest says, something would give noise away, or it is judged so.
        InputError: The folder cannot be written, or holds another release of this version.
    """
    name = name_of(environment.name, asked.version)
    with locked(releases), reporting_disk(releases, otherwise="give another folder with --releases (RELEASES)"):
        staging = _fresh(releases / _STAGING)
        try:
            staged = _Staged(environment, asked, given, build, staging / name, staging / f"{name}{layout.OF_CURATOR}")
            head = staged.make()
            _refuse_other(releases / name, head, asked)
            given.judge(staged.public)
            for folder in (staged.curator, staged.public):
                put_in_place(folder, releases / folder.name, staging / f".old-{folder.name}")
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return releases / name


@dataclass(frozen=True)
class _Staged:
    """A release that is being made."""

    environment: Environment
    asked: Asked
    given: Given
    build: Path
    public: Path
    curator: Path

    def make(self) -> ReleaseHead:
        """Write both halves whole."""
        private_folder(self.curator)
        for variant in self.asked.variants:
            self._take(variant)
        self.given.keep(self.curator)
        described = self._described()
        for path, content in (self._metadata(described) | dict(self.given.public)).items():
            (self.public / path).write_bytes(content)
        sums = column_sums(self.public, [file.path for file in listed(self.public)])
        (self.public / COLUMN_SUMS).write_bytes(sums.to_bytes())
        head = self._head()
        (self.public / layout.RELEASE).write_bytes(head.to_bytes())
        self._attest(head, self._pack(head, described.archives))
        self._refuse_given_away()
        _open_to_all(self.public)
        make_private(self.curator)
        for folder in (self.curator, self.public):
            sync_tree(folder)
        return head

    def _take(self, variant: str) -> None:
        """Copy a variant, what tells of noise into the curator's half."""
        source = self.build / variant
        if not (source / MANIFEST).is_file():
            raise InputError(f"{self.build} holds no {variant} variant; build it first")
        for file in sorted(path for path in source.rglob("*") if path.is_file()):
            path = file.relative_to(source).as_posix()
            stays = not self.asked.discloses_noise and is_of_noise(variant, path)
            target = (self.curator if stays else self.public) / variant / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        verify_files(self.public / variant)

    def _described(self) -> Described:
        asked, environment, name = self.asked, self.environment, self.public.name
        panel = environment.panel if asked.mode == layout.DOCUMENTED else None
        return Described(
            name=name,
            title=environment.title,
            version=asked.version,
            released=asked.released,
            policy=self._manifest(asked.variants[0])["policy"],
            variants=asked.variants,
            is_documented=asked.mode == layout.DOCUMENTED,
            discloses_noise=asked.discloses_noise,
            languages=(environment.entities.language,),
            license=asked.license,
            authors=asked.authors or (f"Curators of {environment.name}",),
            files=tuple(each for variant in asked.variants for each in self._files(variant)),
            measures=panel.measures if panel else (),
            archives={variant: archive_of(name, variant) for variant in asked.variants},
            has_parquet=asked.has_parquet,
        )

    def _files(self, variant: str) -> Iterator[DescribedFile]:
        manifest = self._manifest(variant)
        records = [FileRecord(**file) for file in manifest["files"]]
        types = {path: _types(frame) for path, frame in self._typed(variant, records)}
        known = Known(
            environment=self.environment,
            facts=self.given.facts,
            types=types,
            fates=manifest["fates"],
            has_keys=variant == CLEAN,
        )
        is_documented = self.asked.mode == layout.DOCUMENTED
        return describe_files(self.environment, self.public, variant, records, known=known if is_documented else None)

    def _typed(self, variant: str, records: list[FileRecord]) -> Iterator[tuple[str, pl.DataFrame]]:
        """Yield the tables of a variant with their types, if anything needs them, and write them as Parquet if asked to."""
        if not (self.asked.has_parquet or self.asked.mode == layout.DOCUMENTED):
            return
        declared = {f"{table.folder}/{table.path}": table for table in self.environment.tables}
        for table in (declared[record.path] for record in records if record.path in declared):
            file = self.public / variant / table.folder / table.path
            frame = self.given.typed(self.environment, table, read_published(file, table))
            if self.asked.has_parquet:
                target = self.public / variant / layout.PARQUET / table.folder / table.path
                target.parent.mkdir(parents=True, exist_ok=True)
                frame.write_parquet(target.with_suffix(".parquet"))
            yield f"{variant}/{table.folder}/{table.path}", frame

    def _metadata(self, described: Described) -> dict[str, bytes]:
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

    def _refuse_given_away(self) -> None:
        """Refuse a public half in which anything tells of noise that is not disclosed."""
        if self.asked.discloses_noise:
            return
        paths = sorted(file.relative_to(self.public).as_posix() for file in self.public.rglob("*") if file.is_file())
        if found := list(giving_away(self.public, paths, NoiseWords.of(self.given.spec))):
            raise _gives_away(found)

    def _head(self) -> ReleaseHead:
        return ReleaseHead(
            environment=self.environment.name,
            version=self.asked.version,
            released=self.asked.released,
            mode=self.asked.mode,
            discloses_noise=self.asked.discloses_noise,
            policy=self._manifest(self.asked.variants[0])["policy"],
            variants=self.asked.variants,
            files=listed(self.public),
        )

    def _pack(self, head: ReleaseHead, archives: Mapping[str, str]) -> dict[str, str]:
        """Write the archives; return the SHA-256 of what statements are about."""
        for variant, archive in archives.items():
            paths = head.paths_of(variant)
            write_archive(self.public, paths, self.public / archive, prefix=head.name, date=self.asked.date)
        digests = {archive: sha256_of(self.public / archive) for archive in archives.values()}
        return {layout.RELEASE: sha256(head.to_bytes()).hexdigest()} | digests

    def _attest(self, head: ReleaseHead, subjects: Mapping[str, str]) -> None:
        for path, content in self.given.attest(head, subjects).items():
            (self.public / path).write_bytes(content)

    def _manifest(self, variant: str) -> Mapping[str, Any]:
        content: Mapping[str, Any] = json.loads((self.public / variant / MANIFEST).read_bytes())
        return content


def _gives_away(found: Sequence[Problem]) -> GateError:
    lines = [
        f"{len(found)} place(s) of the release would give noise away, so nothing is released:",
        *(f"  {problem}" for problem in found[:_SHOWN]),
    ]
    remedy = (
        "Name the rule otherwise if its name is a word that has to stand there, or disclose noise (--disclose-noise)."
    )
    return GateError("\n".join([*lines, *(["  ..."] if len(found) > _SHOWN else []), remedy]))


def _fresh(staging: Path) -> Path:
    shutil.rmtree(staging, ignore_errors=True)
    return private_folder(staging)


def _refuse_other(target: Path, head: ReleaseHead, asked: Asked) -> None:
    """Refuse to replace a release by another one of the same version: somebody may have it."""
    file = target / layout.RELEASE
    if asked.replaces or not target.exists() or (file.is_file() and file.read_bytes() == head.to_bytes()):
        return
    raise InputError(
        f"{target} is there already and differs from what would be released; give another --version (VERSION), or --replace "
        "if nobody has it"
    )


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(_FOLDER_MODE if path.is_dir() else _FILE_MODE)


def _types(frame: pl.DataFrame) -> dict[str, ColumnType]:
    return {name: _TYPES[type(kind)] for name, kind in frame.schema.items() if type(kind) in _TYPES}
