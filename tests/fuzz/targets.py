"""What is fuzzed: each file that Silt reads, what reads it in a build or a command, and files to start from."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

import silt
from anonymize.keys.identity_map import COLUMNS, seal, unseal
from anonymize.keys.key_uses import Use, refuse_other_use
from anonymize.keys.release_key import DEMONSTRATION_KEY, read_key
from pipeline.conform import conform
from pipeline.delivery.fetching import DeliveredFiles
from pipeline.errors import SiltError
from pipeline.model import Column, Environment, RawTable
from pipeline.noise.ablation import load_ablation_plan
from pipeline.noise.cleaning_plan import load_plan
from pipeline.noise.spec import load_spec
from pipeline.publish.replay import transform
from pipeline.release.archive import open_archive, write_archive
from pipeline.release.layout import read_head
from pipeline.release.provenance.proofs import read_proof
from pipeline.release.provenance.signing_key import read_public_key, read_signing_key
from pipeline.tasks.scoring.files import read_answers
from pipeline.tasks.scoring.matching import judge
from silt.commands.audit.request import AuditRequest, read_manifest
from silt.commands.check.checking import checked
from silt.environments.registry import find_environment
from tests.catalogue import cases
from tests.catalogue.readers import SHOPS
from tests.fuzz.commands import in_a_copy, with_any_file, with_any_value
from tests.fuzz.commands import prepare as prepare_commands
from tests.fuzz.tables import with_any_tables
from tests.integration.readme import write_example
from tests.unit.tasks.test_scoring import GOLD

LONGEST = 4096
"""Bytes of a file that fuzzing starts from."""

_LISTED = RawTable(name="listed", key=("key",), columns=(Column(name="key"), Column(name="value")))


@dataclass(frozen=True, kw_only=True)
class Target:
    """A file, and what reads it."""

    file: str
    reads: Callable[[Path], object]
    names: str = ""
    """What a message may name in place of the file."""
    is_secret: bool = False

    def read(self, content: bytes) -> None:
        """Write the file, read it, and put what was there before back into its place.

        Raises:
            AssertionError: What is said does not name the file, or tells a part of a key.
            Exception: Reading ends otherwise than Silt does on purpose.
        """
        path = Path(self.file)
        before = path.read_bytes() if path.is_file() else None
        path.write_bytes(content)
        path.chmod(0o600)
        try:
            self.reads(path)
        except SiltError as error:
            said = str(error)
            assert path.name in said or (self.names and self.names in said), f"the file is not named: {said}"
            assert not self.is_secret or not any(part in said for part in _parts(content)), "a part of the key is told"
        finally:
            path.unlink() if before is None else path.write_bytes(before)


_USE = Use(key="0" * 16, environment="shops", policy="lsd", originals="1" * 16)


@cache
def _shops() -> Environment:
    return find_environment(SHOPS)


def _conformed(folder: Path) -> None:
    conform(_shops().raw_tables, folder, kinds=_shops().kinds, panel=_shops().panel)


def _request() -> AuditRequest:
    return AuditRequest(environment=_shops(), variant="noisy", out=Path())


def _opened(folder: Path) -> list[pl.DataFrame]:
    return [table.collect() for table in silt.open(folder, environment=_shops()).values()]


def _undone(ledger: Path) -> None:
    shutil.rmtree("mended", ignore_errors=True)
    transform(_shops(), Path("shops/noisy"), ledger, Path("mended"), direction="undo")


def _unpacked(archive: Path) -> None:
    with TemporaryDirectory(dir=".") as folder:
        open_archive(archive, Path(folder))


def _scored(answers: Path) -> None:
    for answer in read_answers(answers, {"dev-0001"}).values():
        for each, gold in GOLD.values():
            judge(each, gold, answer)


@dataclass(frozen=True, kw_only=True)
class Anything:
    """Input that is no file's bytes: what is tried follows from the bytes, and says itself what is wrong."""

    tries: Callable[[bytes], object]
    file: str = ""

    def read(self, content: bytes) -> None:
        """Try what follows from the bytes."""
        self.tries(content)


def _declared(content: bytes) -> None:
    """Check a declaration that is wrong somewhere, as a file that is loaded."""
    Path("mutated.py").write_text(_MUTATED.format(content=content), encoding="utf-8")
    with suppress(SiltError):
        if refusal := checked("mutated.py:SHOPS", raw=Path("shops"), noise=Path("shops.yaml")).refusal():
            raise refusal


def _fetched(file: Path) -> None:
    DeliveredFiles.at(f"file://{file.parent.absolute()}").fetch(Path("fetched"))


TARGETS: Mapping[str, Target | Anything] = {
    "raw-csv": Target(file="shops/shops.csv", reads=lambda file: _conformed(file.parent)),
    "figures-csv": Target(file="shops/accounts.csv", reads=lambda file: _conformed(file.parent)),
    "raw-parquet": Target(file="parquet/listed.parquet", reads=lambda file: conform((_LISTED,), file.parent)),
    "raw-json": Target(file="json/listed.json", reads=lambda file: conform((_LISTED,), file.parent)),
    "specification": Target(file="shops.yaml", reads=lambda file: load_spec(file, _shops())),
    # It may be the specification that the plan names.
    "ablations": Target(file="ladder.yaml", reads=lambda file: load_ablation_plan(file, _shops()), names=": "),
    "cleaning": Target(file="cleaning.yaml", reads=lambda file: load_plan(file, _shops())),
    "key": Target(file="my.key", reads=read_key, is_secret=True),
    "signing-key": Target(file="my.pem", reads=lambda file: read_signing_key(file, lambda: b"word"), is_secret=True),
    "public-key": Target(file="my.pub", reads=read_public_key),
    "uses": Target(file="my.key.used.json", reads=lambda _: refuse_other_use(Path("my.key"), _USE)),
    "map": Target(
        file="map.enc", reads=lambda file: unseal(file.read_bytes(), DEMONSTRATION_KEY), names="identity map"
    ),
    "manifest": Target(file="shops/noisy/manifest.json", reads=lambda file: _opened(file.parent), names="noisy"),
    "audited": Target(file="shops/noisy/manifest.json", reads=lambda _: read_manifest(_request())),
    "published": Target(file="shops/noisy/database/shops.csv", reads=lambda _: _opened(Path("shops/noisy"))),
    "ledger": Target(file="ledger.parquet", reads=_undone, names="ledger"),
    "head": Target(file="release/release.json", reads=lambda file: read_head(file.parent)),
    "delivery": Target(file="delivered/delivery.json", reads=_fetched),
    "proof": Target(file="proof.json", reads=lambda file: read_proof(file.read_bytes()), names="proof"),
    "answers": Target(file="answers.jsonl", reads=_scored),
    "archive": Target(file="release.tar.zst", reads=_unpacked),
    "declarations": Anything(tries=_declared),
    "values": Anything(tries=partial(in_a_copy, with_any_value)),
    "swapped": Anything(tries=partial(in_a_copy, with_any_file)),
    "tables": Anything(tries=partial(in_a_copy, with_any_tables)),
}
"""By what they are called on the command line."""


def prepare(built: Path) -> None:
    """Write into the working folder: the tutorial's example, the environment built of it, and a file for each target."""
    write_example(Path())
    for variant in ("noisy", "clean", "curator"):
        shutil.copytree(built / variant, f"environments/shops/{variant}", ignore=shutil.ignore_patterns("store"))
    prepare_commands()
    shutil.copytree(built / "noisy", "shops/noisy")
    for name in ("parquet", "json", "release", "delivered"):
        Path(name).mkdir()
    pl.DataFrame({"key": ["a", "b"], "value": ["x", None]}).write_parquet("parquet/listed.parquet")
    shutil.copy(built / "curator" / "noise_ledger.parquet", "ledger.parquet")
    mapped = pl.DataFrame([("code", "A1", "X9")], schema=list(COLUMNS), orient="row")
    Path("map.enc").write_bytes(seal(mapped, DEMONSTRATION_KEY))
    write_archive(Path("shops"), ["shops.csv"], Path("release.tar.zst"), prefix="shops-1.0.0", date=0)


def seeds(target: Target | Anything) -> list[bytes]:
    """Return what a guided target starts from: the valid file, if there is one, and those of the catalogue of bad input."""
    own = [Path(target.file).read_bytes()] if Path(target.file).is_file() else []
    name = Path(target.file).name
    listed = [change for case in cases() for change in case.changes if Path(change.get("file", "")).name == name]
    texts = [(change["text"] * change.get("times", 1)).encode() for change in listed if "text" in change]
    return [content for content in [*own, *texts, *_FURTHER.get(name, ())] if len(content) <= LONGEST]


# ----------------------------------------------------------------------------------------------------------------------

_MUTATED = """import random

from silt.environments.registry import find_environment
from tests.fuzz.declared import mutated

SHOPS = mutated(find_environment("shops.py:SHOPS"), random.Random({content!r}))
"""

_FURTHER = {
    "my.key": [b"0123456789abcdef" * 4 + b"\n"],
    "delivery.json": [
        b'{"format": 1, "environment": "shops", "variant": null, "files": [{"path": "a/b.csv", "bytes": 0, "sha256": "%s", '
        b'"parts": []}]}' % (b"0" * 64)
    ],
    "listed.json": [b'{"a": "b", "c": null}'],
    "ladder.yaml": [b"environment: shops\nnoise: shops.yaml\nladder: [missing]\n"],
    "my.key.used.json": [b'{"format": 1, "uses": [{"key": "1", "environment": "2", "policy": "3", "originals": "4"}]}'],
}


def _parts(content: bytes) -> Iterator[str]:
    """Yield all that would tell of a key: sixteen characters of it that follow each other."""
    text = content.decode("latin-1")
    return (part for start in range(len(text) - 15) if (part := text[start : start + 16]).isalnum())
