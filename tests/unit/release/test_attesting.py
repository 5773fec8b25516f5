"""What a release is attested by: two statements about the same files, signed or not, the same bytes for the same inputs."""

import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from pipeline.release.provenance.envelope import STATEMENT_TYPE, unpack
from pipeline.release.provenance.proofs import Commitment
from pipeline.release.provenance.signing_key import key_id
from pipeline.release.provenance.source import SourceCode
from pipeline.release.provenance.statement import PROVENANCE, Materials, read_statement
from tests.unit.release.published import build
from validation.release.attesting import attestations
from validation.release.deidentification import DEIDENTIFICATION, published

HEAD = {"environment": "shops", "version": "1.0.0", "released": "2026-01-31", "discloses_noise": False}

SUBJECTS = {"release.json": "ab" * 32, "shops-1.0.0-clean.tar.zst": "cd" * 32}

MATERIALS = Materials(
    source=SourceCode(commit="c" * 40, committed=1, tree="ab" * 32),
    requirements=b"",
    pinned=(),
    commitments={"shops": Commitment(root="cd" * 32, rows=3)},
    declarations={},
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def attested(folder: Path, signer: Ed25519PrivateKey | None) -> dict[str, bytes]:
    variants = [published(each) for each in build(folder)]
    return attestations(SUBJECTS, HEAD, variants, MATERIALS, signer=signer)


def test_both_statements_are_about_the_same_files(tmp_path: Path) -> None:
    """One says what was built from what, one how it protects."""
    made = attested(tmp_path, KEY)
    said = {name: read_statement(unpack(content).payload) for name, content in made.items()}
    assert {name: each.predicate_type for name, each in said.items()} == {
        "provenance.intoto.json": PROVENANCE,
        "deidentification.intoto.json": DEIDENTIFICATION,
    }
    for each in said.values():
        assert {file.name: (file.digest or {})["sha256"] for file in each.subject} == SUBJECTS
    assert said["provenance.intoto.json"].provenance().commitments() == MATERIALS.commitments


def test_signatures_are_accepted_by_a_second_implementation(tmp_path: Path) -> None:
    """Each envelope is right under the public key; without a key it has no signature and the same payload."""
    public = KEY.public_key()
    other = SSlibKey.from_crypto(public, keyid=key_id(public))
    signed, unsigned = attested(tmp_path / "a", KEY), attested(tmp_path / "b", None)
    for name, content in signed.items():
        envelope = Envelope.from_dict(json.loads(content))
        assert envelope.verify([other], 1)
        assert envelope.payload_type == STATEMENT_TYPE == "application/vnd.in-toto+json"
        assert unpack(unsigned[name]).payload == envelope.payload
        assert json.loads(unsigned[name])["signatures"] == []


def test_the_same_inputs_give_the_same_bytes_in_any_folder(tmp_path: Path) -> None:
    """Neither folder nor clock is in it."""
    made = attested(tmp_path / "a", KEY)
    assert made == attested(tmp_path / "another folder", KEY)
    assert all(str(tmp_path).encode() not in unpack(content).payload for content in made.values())
