"""Statements: what they say of a release, that they are read back, and that nothing of the builder is in them."""

import json
from hashlib import sha256
from typing import Any

import pytest

from pipeline.errors import InputError
from pipeline.release.provenance.proofs import Commitment
from pipeline.release.provenance.requirements import Requirement
from pipeline.release.provenance.source import SourceCode
from pipeline.release.provenance.statement import PROVENANCE, Materials, provenance, read_statement, statement

DIGEST, ROOT = "ab" * 32, "cd" * 32

HEAD = {"environment": "shops", "version": "1.0.0", "released": "2026-01-31", "discloses_noise": False}


def manifest(variant: str, **specs: str) -> dict[str, Any]:
    return {
        "variant": variant,
        "source": "user tables",
        "scale": None,
        "policy": "guarded",
        "key_fingerprint": "0123456789abcdef",
        "is_demonstration_key": False,
        "specs": specs,
        "versions": {"polars": "2.1.0", "silt": "0.1.0"},
    }


MATERIALS = Materials(
    source=SourceCode(commit="c" * 40, committed=1, tree=DIGEST, is_dirty=True),
    requirements=b"polars==2.1.0\n",
    pinned=(Requirement(name="polars", version="2.1.0", marker="", sha256=(DIGEST,), wanted_by=("silt",)),),
    commitments={"shops": Commitment(root=ROOT, rows=3)},
    declarations={"declaration": DIGEST},
)


def payload(materials: Materials = MATERIALS) -> bytes:
    manifests = [manifest("clean"), manifest("noisy", noise=DIGEST)]
    said = provenance(HEAD, manifests, materials)
    return statement({"release.json": DIGEST, "a.tar.zst": ROOT}, PROVENANCE, said)


def test_a_statement_is_what_in_toto_has() -> None:
    """Its fields are those of the specification, subjects in order."""
    said = json.loads(payload())
    assert list(said) == ["_type", "subject", "predicateType", "predicate"]
    assert said["_type"] == "https://in-toto.io/Statement/v1"
    assert said["subject"] == [
        {"name": "a.tar.zst", "digest": {"sha256": ROOT}},
        {"name": "release.json", "digest": {"sha256": DIGEST}},
    ]
    assert said["predicateType"] == "https://slsa.dev/provenance/v1"


def test_provenance_is_what_slsa_has() -> None:
    """Everything that a build used is told: what was asked for, and each material by digest."""
    said = json.loads(payload())["predicate"]
    built = said["buildDefinition"]
    assert built["externalParameters"] == {
        "environment": "shops",
        "version": "1.0.0",
        "released": "2026-01-31",
        "disclosesNoise": False,
        "policy": "guarded",
        "source": "user tables",
        "scale": None,
    }
    assert built["internalParameters"]["keyFingerprint"] == "0123456789abcdef"
    assert built["resolvedDependencies"] == [
        {
            "name": "silt",
            "uri": "pkg:generic/silt@0.1.0",
            "digest": {"gitCommit": "c" * 40, "dirHash": DIGEST},
            "annotations": {"dirty": True},
        },
        {"name": "requirements.txt", "digest": {"sha256": sha256(b"polars==2.1.0\n").hexdigest()}},
        {"name": "declaration", "digest": {"sha256": DIGEST}},
        {"name": "specification/noise", "digest": {"sha256": DIGEST}},
        {
            "name": "raw/shops",
            "digest": {"saltedMerkleSha256": ROOT},
            "annotations": {"rows": 3, "scheme": "urn:silt:commitment:v1"},
        },
        {"name": "polars", "uri": "pkg:pypi/polars@2.1.0"},
    ]
    assert said["runDetails"] == {"builder": {"id": "urn:silt", "version": {"silt": "0.1.0"}}}


def test_what_is_written_is_read() -> None:
    """Subjects and commitments come back; the same inputs give the same bytes."""
    said = read_statement(payload())
    assert {each.name: (each.digest or {})["sha256"] for each in said.subject} == {
        "a.tar.zst": ROOT,
        "release.json": DIGEST,
    }
    assert said.provenance().commitments() == {"shops": Commitment(root=ROOT, rows=3)}
    assert payload() == payload()


def test_without_a_checkout_the_commit_is_unknown() -> None:
    """It is said, instead of left out."""
    unknown = Materials(source=SourceCode(), requirements=b"", pinned=(), commitments={}, declarations={})
    silt = json.loads(payload(unknown))["predicate"]["buildDefinition"]["resolvedDependencies"][0]
    assert silt == {"name": "silt", "uri": "pkg:generic/silt@0.1.0", "annotations": {"commit": "unknown"}}


def test_a_statement_of_another_kind_is_no_provenance() -> None:
    """The message has what was found and what was expected."""
    other = json.loads(payload()) | {"predicateType": "https://example.com/other"}
    with pytest.raises(InputError, match=r"another kind: found 'https://example.com/other'"):
        read_statement(json.dumps(other).encode()).provenance()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("_type", "https://in-toto.io/Statement/v0.1", "not an in-toto statement, at '_type'"),
        ("subject", [{"digest": {}}], "not an in-toto statement, at 'subject.0.name'"),
        ("more", 1, "not an in-toto statement, at 'more'"),
        ("predicate", {}, "not SLSA provenance, at 'buildDefinition'"),
    ],
)
def test_what_is_no_statement_is_refused(field: str, value: object, message: str) -> None:
    """The message names the field."""
    changed = json.loads(payload()) | {field: value}
    with pytest.raises(InputError, match=message):
        read_statement(json.dumps(changed).encode()).provenance()


@pytest.mark.parametrize("change", [{"digest": {"sha256": ROOT}}, {"annotations": {"rows": -1}}, {"digest": None}])
def test_a_commitment_that_says_too_little_is_refused(change: dict[str, object]) -> None:
    """A raw table without its root, or with an impossible number of rows."""
    said = json.loads(payload())
    raw = next(each for each in said["predicate"]["buildDefinition"]["resolvedDependencies"] if "raw/" in each["name"])
    raw.update(change)
    with pytest.raises(InputError, match=r"not a commitment to 'raw/shops', at '(root|rows)'"):
        read_statement(json.dumps(said).encode()).provenance().commitments()
