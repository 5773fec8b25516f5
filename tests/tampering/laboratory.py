"""Makes a small signed release of a build, changes copies of it, and verifies them."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from pipeline.errors import SiltError
from pipeline.model import Environment
from pipeline.publish.files import sha256
from pipeline.publish.replay import read_published
from pipeline.release.archive import write_archive
from pipeline.release.layout import PARQUET, RELEASE, STATEMENTS, ReleaseHead, archive_of, listed, name_of
from pipeline.release.locating import COLUMN_SUMS, column_sums
from pipeline.release.provenance.signing_key import make_signing_key, public_file, read_signing_key
from pipeline.release.provenance.source import Source
from pipeline.release.provenance.statement import Materials
from silt.commands.released import opened_release
from silt.environments.registry import find_environment
from tests.tampering.mutations import Bench, Mutation, Place
from validation.expectations.typed import typed
from validation.release.attesting import attestations
from validation.release.deidentification import published
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


def found(bench: Bench, path: Path) -> list[str]:
    """Return what verifying a folder or archive finds, a line each."""
    try:
        with opened_release(path, bench.declaration, public_file(bench.key)) as release:
            verified = verify(release)
            return [f"{made.check.find.__name__}: {problem}" for made in verified.made for problem in made.problems]
    except SiltError as error:
        return [f"refused: {error}"]


def _made(build: Path, environment: Environment, working: Path, version: str) -> Path:
    """Make a release of a build, signed."""
    folder = working / name_of(environment.name, version)
    for variant in ("noisy", "clean"):
        shutil.copytree(build / variant, folder / variant)
        for table in environment.tables:
            target = folder / variant / PARQUET / table.folder / table.path
            target.parent.mkdir(parents=True, exist_ok=True)
            text = read_published(folder / variant / table.folder / table.path, table)
            typed(environment, table, text).write_parquet(target.with_suffix(".parquet"))
    (folder / "README.md").write_text(f"{environment.title}, {version}\n", encoding="utf-8")
    sealed(folder, working / "key", version=version)
    return folder


def sealed(folder: Path, key: Path, *, version: str = VERSION) -> None:
    """Write sums, head, archives and statements of a release anew, as they follow from its files."""
    for path in [*STATEMENTS, RELEASE, COLUMN_SUMS, *(path.name for path in folder.glob("*.tar.zst"))]:
        (folder / path).unlink(missing_ok=True)
    (folder / COLUMN_SUMS).write_bytes(column_sums(folder, [one.path for one in listed(folder)]).to_bytes())
    manifests = [json.loads((folder / name / "manifest.json").read_bytes()) for name in ("noisy", "clean")]
    head = ReleaseHead(
        environment=manifests[0]["environment"],
        version=version,
        released="2026-01-01",
        mode="documented",
        discloses_noise=True,
        policy=manifests[0]["policy"],
        variants=("noisy", "clean"),
        files=listed(folder),
    )
    (folder / RELEASE).write_bytes(head.to_bytes())
    for variant in head.variants:
        archive = folder / archive_of(head.name, variant)
        write_archive(folder, head.paths_of(variant), archive, prefix=head.name, date=_DATE)
    write_statements(folder, key)


def write_statements(folder: Path, key: Path) -> None:
    """Write the statements about a release, signed with a key."""
    head = ReleaseHead.model_validate_json((folder / RELEASE).read_bytes())
    about = {name: sha256(folder / name) for name in (RELEASE, *(archive_of(head.name, v) for v in head.variants))}
    parameters = {
        name: getattr(head, name) for name in ("environment", "version", "released", "mode", "discloses_noise")
    }
    made_of = Materials(source=Source(), requirements=b"", pinned=(), commitments={}, declarations={})
    signer = read_signing_key(key, lambda: b"")
    variants = [published(folder / name) for name in head.variants]
    for path, content in attestations(about, parameters, variants, made_of, signer=signer).items():
        (folder / path).write_bytes(content)
