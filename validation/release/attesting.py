"""What a release is attested by: its two statements, each in an envelope, signed if there is a key."""

from collections.abc import Mapping, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pipeline.release import layout
from pipeline.release.provenance.envelope import STATEMENT_TYPE, pack
from pipeline.release.provenance.statement import PROVENANCE, Materials, provenance, statement
from validation.release.deidentification import DEIDENTIFICATION, Published, deidentification


def attestations(
    subjects: Mapping[str, str],
    head: Mapping[str, Any],
    variants: Sequence[Published],
    materials: Materials,
    *,
    signer: Ed25519PrivateKey | None,
) -> dict[str, bytes]:
    """Return the envelopes of a release, by their file's name.

    Args:
        subjects: SHA-256 of each file that they are about, by its path.
        head: What `release.json` says of the release, but for its files.
        signer: The key that signs; without one the envelopes are unsigned.
    """
    manifests = [each.manifest for each in variants]
    said = {
        layout.PROVENANCE: (PROVENANCE, provenance(head, manifests, materials)),
        layout.DEIDENTIFICATION: (
            DEIDENTIFICATION,
            deidentification(variants, discloses_noise=head["discloses_noise"]),
        ),
    }
    return {
        file: pack(statement(subjects, kind, predicate), STATEMENT_TYPE, signer)
        for file, (kind, predicate) in said.items()
    }
