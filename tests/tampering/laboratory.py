"""Makes a small signed release of a build, changes copies of it, and verifies them."""

import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version as installed
from pathlib import Path
from random import Random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pipeline.errors import SiltError
from pipeline.model import Environment
from pipeline.noise.spec import NoiseSpec
from pipeline.places import TASKS
from pipeline.publish.files import sha256
from pipeline.release.archive import write_archive
from pipeline.release.assembling import Given, assemble
from pipeline.release.layout import ARCHIVE, RELEASE, SBOM, STATEMENTS, archive_of, listed, read_head
from pipeline.release.provenance.envelope import STATEMENT_TYPE, pack, unpack
from pipeline.release.provenance.requirements import PROJECT, at_run_time, pinned, read_requirements
from pipeline.release.provenance.sbom import sbom
from pipeline.release.provenance.signing_key import make_signing_key, public_file, read_signing_key
from pipeline.release.provenance.source import ROOT, SourceCode
from pipeline.release.provenance.statement import Materials, Resource, read_statement
from pipeline.release.settings import Asked
from silt.commands.released import opened_release
from silt.environments.registry import find_environment
from tests.tampering.mutations import Bench, Mutation, Place
from validation.release.all_checks import CHECKS
from validation.release.attesting import attestations
from validation.release.deidentification import published
from validation.release.tree import UNREADABLE
from validation.release.verifying import verify

VERSION, OLDER = "1.0.0", "0.9.0"

_DATE = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())


@dataclass(frozen=True)
class Outcome:
    """What verifying said of a changed release."""

    lines: tuple[str, ...]
    """What was found, each with the check that found it."""
    place: Place

    @property
    def is_noticed(self) -> bool:
        """Say whether anything was found."""
        return bool(self.lines)

    @property
    def is_placed(self) -> bool:
        """Say whether something that was found names the file, row and column that were changed."""
        return any(self.place.is_named(line) for line in self.lines)


@contextmanager
def laboratory(build: Path, declaration: str, *, working: Path) -> Iterator[Bench]:
    """Give a release of a build to tamper with.

    Args:
        build: The environment's output folder.
        declaration: What names its declaration on the command line.
        working: Folder in which everything is made.
    """
    for name in ("key", "other"):
        make_signing_key(working / name)
    environment = find_environment(declaration)
    made = {version: _made(build, environment, working, version) for version in (OLDER, VERSION)}
    yield Bench(
        release=made[VERSION],
        older=made[OLDER],
        key=working / "key",
        other_key=working / "other",
        declaration=declaration,
        remade=sealed,
    )


def outcome(bench: Bench, mutation: Mutation, seed: int) -> Outcome:
    """Change a copy of the release, and verify it."""
    with tempfile.TemporaryDirectory(dir=bench.key.parent) as scratch:
        folder = Path(shutil.copytree(bench.release, Path(scratch, bench.release.name)))
        place = mutation(bench, folder, Random(seed))  # noqa: S311  (no secret hangs on it)
        return Outcome(lines=tuple(found(bench, folder / place.verified)), place=place)


def found(bench: Bench, path: Path, checks: Collection[str] = ()) -> list[str]:
    """Return what verifying a folder or archive finds, a line each; by all checks if none is named."""
    try:
        with opened_release(path, bench.declaration, public_file(bench.key)) as release:
            verified = verify(release, [each for each in CHECKS if not checks or each.find.__name__ in checks])
            return [f"{made.check.find.__name__}: {problem}" for made in verified.made for problem in made.problems]
    except SiltError as error:
        return [f"refused: {error}"]


def _made(build: Path, environment: Environment, working: Path, version: str) -> Path:
    """Make a release of a build, signed."""
    libraries = pinned(read_requirements(ROOT))
    needed = at_run_time(libraries, (ROOT / PROJECT).read_bytes())
    asked = Asked(
        version=version,
        date=_DATE,
        documented=True,
        disclose_noise=True,
        formats=("parquet",),
        tasks=(build / TASKS).is_dir(),
        license="cc-by-4.0",
        authors=("A. Name",),
    )
    given = Given(
        spec=NoiseSpec(environment=environment.name),
        public={SBOM: sbom(libraries, needed, silt=installed("silt"), date=_DATE)},
    )
    folder = assemble(environment, build, working / "releases", asked, given)
    sealed(folder, working / "key")
    return folder


def sealed(folder: Path, key: Path) -> None:
    """Write head, archives and statements of a release anew, as they follow from its files; what cannot be is left."""
    if not (folder / RELEASE).is_file():
        return
    head = read_head(folder).model_copy(update={"files": listed(folder)})
    (folder / RELEASE).write_bytes(head.to_bytes())
    for variant in head.variants:
        archive = folder / archive_of(head.name, variant)
        if archive.is_file():
            write_archive(folder, head.paths_of(variant), archive, prefix=head.name, date=_DATE)
    write_statements(folder, key)


def write_statements(folder: Path, key: Path) -> None:
    """Write the statements about a release, signed with a key."""
    head = read_head(folder)
    about = {path.name: sha256(path) for path in (folder / RELEASE, *folder.glob(f"*{ARCHIVE}"))}
    parameters = head.model_dump(mode="json", exclude={"files"})
    made_of = Materials(
        source=SourceCode(), requirements=read_requirements(ROOT), pinned=(), commitments={}, declarations={}
    )
    signer = read_signing_key(key, lambda: b"")
    try:
        variants = [published(folder / name) for name in head.variants]
        made = attestations(about, parameters, variants, made_of, signer=signer)
    except UNREADABLE:  # of what cannot be read nothing new is said
        made = {path: _about_others((folder / path).read_bytes(), about, signer) for path in STATEMENTS}
    for path, content in made.items():
        (folder / path).write_bytes(content)


def _about_others(envelope: bytes, about: Mapping[str, str], signer: Ed25519PrivateKey) -> bytes:
    """Return a statement that says the same about other files."""
    said = read_statement(unpack(envelope).payload)
    subject = tuple(Resource(name=name, digest={"sha256": digest}) for name, digest in sorted(about.items()))
    return pack(
        said.model_copy(update={"subject": subject}).model_dump_json(by_alias=True).encode(), STATEMENT_TYPE, signer
    )
