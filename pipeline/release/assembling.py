"""Makes a release of a finished build: staged beside its place, searched, described, packed, and swapped in whole.

The public half depends on the build, on what is asked for and on the date alone. What else belongs into it and needs more than
this layer knows is handed in: the bill of materials, attestations.
"""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from pipeline.disk import reporting_disk, sync_tree
from pipeline.errors import GateError, InputError, Problem
from pipeline.model import Environment
from pipeline.model.schema.complete import types_of
from pipeline.noise.spec import NoiseSpec
from pipeline.private import make_private, private_folder
from pipeline.publish.curator import describe_release
from pipeline.publish.files import read_published
from pipeline.publish.files import sha256 as sha256_of
from pipeline.publish.formats import FORMATS, WrittenAs
from pipeline.publish.manifest import DATA_FOLDERS, MANIFEST, verify_files
from pipeline.publish.publication import locked
from pipeline.publish.swap import put_in_place
from pipeline.publish.variant import CLEAN, README
from pipeline.release import layout
from pipeline.release.archive import write_archive
from pipeline.release.describing import describe, metadata, policy_of
from pipeline.release.disclosure import NoiseWords, giving_away, is_noisy_page, is_of_noise
from pipeline.release.layout import ReleaseHead, listed, name_of
from pipeline.release.metadata.described import Described
from pipeline.release.settings import Asked
from pipeline.release.tasks import take_tasks
from pipeline.render import path_of
from pipeline.small_files import json_of
from pipeline.wording import counted

_FOLDER_MODE, _FILE_MODE = 0o755, 0o644
"""Of everything public, whatever the umask."""

_SHOWN = 10
"""Places that are named where something gives noise away."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a release is made with besides the build."""

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
        staging = _fresh(releases / layout.STAGING)
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


def refuse_other_tables(environment: Environment, build: Path, releases: Path, asked: Asked) -> None:
    """Raise `InputError` if a release of this version is there and must differ: known before anything is made of the build."""
    target = releases / name_of(environment.name, asked.version)
    if asked.replace or not (target / layout.RELEASE).is_file():
        return
    head = layout.read_head(target)
    built = ((of, file) for of in asked.variants for file in json_of(build / of / MANIFEST)["files"])
    then = [(file.path, file.sha256) for file in head.files]
    now = [(f"{of}/{file['path']}", file["sha256"]) for of, file in built]
    kind = (head.released, head.mode, head.discloses_noise, head.variants)
    is_other = kind != (asked.released, asked.mode, asked.disclose_noise, asked.variants)
    if is_other or _of_tables(then) != _of_tables(now):
        raise _there_already(target)


def _of_tables(files: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(path, digest) for path, digest in files if set(Path(path).parts[1:2]) & set(DATA_FOLDERS)}


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
            self._copy_tables(self.public / variant)
        if self.asked.tasks:
            shown = {"discloses_noise": self.asked.disclose_noise, "has_clean": CLEAN in self.asked.variants}
            take_tasks(self.environment, self.build, self.public, self.curator, **shown)
        self.given.keep(self.curator)
        describe_release(self.curator)
        self._write(self.given.public)
        described = self._described()
        self._write(metadata(described))
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
        """Copy a variant; reports that tell of noise into the curator's half, and pages not at all."""
        source = self.build / variant
        if not (source / MANIFEST).is_file():
            raise InputError(f"{self.build} holds no {variant} variant; build it first")
        for file in sorted(path for path in source.rglob("*") if path.is_file() and path != source / README):
            path = file.relative_to(source).as_posix()
            hides = not self.asked.disclose_noise
            if hides and is_noisy_page(variant, path):
                continue
            target = (self.curator if hides and is_of_noise(variant, path) else self.public) / variant / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        verify_files(self.public / variant)

    def _write(self, files: Mapping[str, bytes]) -> None:
        for path, content in files.items():
            (self.public / path).write_bytes(content)

    def _described(self) -> Described:
        return describe(self.environment, self.public, self.asked)

    def _copy_tables(self, variant: Path) -> None:
        """Write every table of a variant once more in each further format, with types."""
        for table in self.environment.tables if self.asked.formats else ():
            file, written = variant / path_of(table), WrittenAs(types=types_of(self.environment, table))
            if not file.is_file():
                continue
            text = read_published(file, table)
            for name in self.asked.formats:
                target = variant / layout.copy_of(path_of(table), FORMATS[name])
                target.parent.mkdir(parents=True, exist_ok=True)
                FORMATS[name].write([text], written, target)

    def _refuse_given_away(self) -> None:
        """Refuse a public half in which anything tells of noise that is not disclosed."""
        if self.asked.disclose_noise:
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
            discloses_noise=self.asked.disclose_noise,
            policy=policy_of(self.public, self.asked),
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


def _gives_away(found: Sequence[Problem]) -> GateError:
    lines = [
        f"{counted(len(found), 'place')} of the release would give noise away, so nothing is released:",
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
    if asked.replace or not target.exists() or (file.is_file() and file.read_bytes() == head.to_bytes()):
        return
    raise _there_already(target)


def _there_already(target: Path) -> InputError:
    return InputError(
        f"{target} is there already and differs from what would be released; give another --version (VERSION), or --replace "
        "if nobody has it"
    )


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(_FOLDER_MODE if path.is_dir() else _FILE_MODE)
