"""The evidence of a release, from the command line: keys, signed statements, and proofs of rows of the raw tables."""

import json
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from pipeline.release.layout import DEIDENTIFICATION, PROVENANCE, STATEMENTS
from pipeline.release.provenance.signing_key import key_id, read_public_key
from tests.integration.conftest import run_silt
from tests.integration.readme import ROOT

DECLARATION = ("--environment", "shops.py:SHOPS")

WORDS = "correct horse battery staple"


@dataclass(frozen=True)
class Made:
    """A signed release of the tutorial's example, and where it was made."""

    work: Path

    @property
    def folder(self) -> Path:
        return self.work / "releases/shops-1.0.0"

    def silt(self, *arguments: object) -> CompletedProcess[str]:
        return run_silt(*arguments, cwd=self.work)

    def verified(self, *arguments: object) -> CompletedProcess[str]:
        return self.silt("verify", self.folder, *DECLARATION, "--public-key", "signing.key.pub", *arguments)

    def disclosed(self, table: str, row: object) -> CompletedProcess[str]:
        return self.silt("release", *DECLARATION, "--raw", "shops", "--version", "1.0.0", "--disclose", table, row)


@pytest.fixture(autouse=True, scope="module")
def dated() -> Iterator[None]:
    """Give the release a date: a checkout without history has none."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("SOURCE_DATE_EPOCH", "1790000000")
        yield


@pytest.fixture(scope="module")
def made(built_example: Path, example: list[str], tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Follow the tutorial's example, make an encrypted key, and sign a release with it."""
    work = tmp_path_factory.mktemp("evidence") / "work"
    shutil.copytree(built_example, work)
    shutil.copy(ROOT / "dagster.yaml", work)
    (work / "words").write_text(f"{WORDS}\n")
    (work / "words").chmod(0o600)
    found = Made(work)
    done = found.silt("release", "--make-signing-key", "signing.key", "--passphrase-file", "words")
    assert (done.returncode, done.stderr) == (0, "")
    settings = [each for each in example if each not in {"build", "noisy", "clean"}]
    signed = ("--version", "1.0.0", "--sign", "signing.key", "--passphrase-file", "words")
    done = found.silt("release", *settings, *signed)
    assert done.returncode == 0, done.stderr
    assert WORDS not in done.stdout + done.stderr
    following = "silt verify releases/shops-1.0.0 --environment shops.py:SHOPS --public-key signing.key.pub"
    assert f"  next       {following}\n" in done.stderr
    return found


def test_the_private_key_is_its_owners_alone(made: Made) -> None:
    """Under umask 0, which commands run with here; no secret is in the release."""
    assert stat.S_IMODE((made.work / "signing.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((made.folder.with_name("shops-1.0.0.curator")).stat().st_mode) == 0o700
    salt = (made.folder.with_name("shops-1.0.0.curator") / "salt.hex").read_bytes().strip()
    for path in made.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert salt not in content
            assert b"PRIVATE KEY" not in content


def test_statements_hold_under_the_public_key(made: Made) -> None:
    """We say so, and so does a second implementation."""
    assert made.verified().returncode == 0
    public = read_public_key(made.work / "signing.key.pub")
    for path in STATEMENTS:
        envelope = Envelope.from_dict(json.loads((made.folder / path).read_bytes()))
        assert envelope.verify([SSlibKey.from_crypto(public, keyid=key_id(public))], 1)


def test_a_wrong_passphrase_is_refused(made: Made) -> None:
    """Before anything is made; the passphrase is not shown."""
    (made.work / "wrong").write_text("another passphrase\n")
    (made.work / "wrong").chmod(0o600)
    signed = ("--version", "2.0.0", "--sign", "signing.key", "--passphrase-file", "wrong")
    done = made.silt("release", *DECLARATION, "--raw", "shops", "--noise", "shops.yaml", *signed)
    assert done.returncode == 2
    assert (
        done.stderr.splitlines()[-1]
        == "silt: the signing key signing.key: the passphrase is wrong, or the file is damaged"
    )
    assert not (made.work / "releases/shops-2.0.0").exists()


def test_a_row_is_proved_to_whoever_has_the_release(made: Made) -> None:
    """The proof of a row holds; with another cell it does not, and the row is named."""
    done = made.disclosed("shops", 2)
    assert done.returncode == 0, done.stderr
    (made.work / "proof.json").write_text(done.stdout)
    cells = json.loads(done.stdout)["cells"]
    held = made.verified("--proof", "proof.json")
    assert "row 2 of the raw table 'shops' went in" in held.stdout
    assert held.returncode == 0
    cells[0][1] = f"{cells[0][1]}0"
    (made.work / "changed.json").write_text(json.dumps(json.loads(done.stdout) | {"cells": cells}))
    refused = made.verified("--proof", "changed.json")
    assert refused.returncode == 1
    assert "raw table shops, row 2; expected one that provenance.intoto.json committed to" in refused.stdout


def test_a_statement_of_another_kind_is_noticed(made: Made, tmp_path: Path) -> None:
    """The statement of provenance in the place of that on de-identification is signed, and noticed."""
    folder = Path(shutil.copytree(made.folder, tmp_path / made.folder.name))
    shutil.copy(folder / PROVENANCE, folder / DEIDENTIFICATION)
    done = made.silt("verify", folder, *DECLARATION, "--public-key", "signing.key.pub")
    assert done.returncode == 1
    assert f"{DEIDENTIFICATION}, column 'predicateType': found 'https://slsa.dev/provenance/v1'" in done.stdout
