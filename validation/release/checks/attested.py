"""What is stated about a release is about this one, agrees with its files, and bears the signature that was asked for."""

import json
from collections.abc import Callable, Iterator, Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pipeline.errors import InputError, Problem
from pipeline.publish.files import sha256
from pipeline.release import layout
from pipeline.release.archive import Bounds
from pipeline.release.layout import ARCHIVE, RELEASE, STATEMENTS
from pipeline.release.layout import PROVENANCE as PROVENANCE_FILE
from pipeline.release.provenance.envelope import STATEMENT_TYPE, Envelope, unpack
from pipeline.release.provenance.proofs import Proof, holds
from pipeline.release.provenance.signing_key import key_id
from pipeline.release.provenance.statement import (
    PROVENANCE,
    Materials,
    Provenance,
    Statement,
    provenance,
    read_statement,
)
from pipeline.release.reading import read_as
from validation.release import deidentification
from validation.release.opened import Release, ReleasedVariant
from validation.release.tree import TEXT
from validation.report.documents import KINDS, Reports


def stated_of_this(release: Release) -> Iterator[Problem]:
    """Find statements that are not about these files, are not written as statements are, or are not there."""
    for path in STATEMENTS:
        content = release.statement(path)
        if content is None:
            yield Problem(path, 0, "", "no such file", "expected a statement about the release")
            continue
        try:
            envelope = unpack(content)
            statement = read_statement(envelope.payload)
        except InputError as error:
            yield Problem(path, 0, "", str(error), "expected a statement in an envelope")
            continue
        if envelope.to_bytes() != content or envelope.type != STATEMENT_TYPE:
            yield Problem(path, 0, "", envelope.type, "expected an envelope as it is written, of an in-toto statement")
        yield from _of_subjects(release, path, statement)
        kind, says = _KINDS[path]
        if statement.predicate_type == kind:
            yield from says(release, path, statement)
        else:
            yield Problem(path, 0, "predicateType", statement.predicate_type, f"expected {kind}")


def signed(release: Release) -> Iterator[Problem]:
    """Find statements that are not there, or without a signature that holds under the given public key."""
    key, read = release.public_key, envelopes(release)
    for path in STATEMENTS if key else ():
        if path not in read:
            yield Problem(
                path, 0, "", "no statement", "expected one that is signed; fetch it and put it beside the release"
            )
        elif key is not None and not read[path].check(key):
            found = ", ".join(each.keyid[:16] for each in read[path].signatures) or "no signature"
            yield Problem(path, 0, "", found, f"expected a signature of this content by the key {key_id(key)[:16]}")


def envelopes(release: Release) -> Mapping[str, Envelope]:
    """Return the envelopes that can be read, by path."""
    found = {}
    for path in STATEMENTS:
        try:
            found[path] = unpack(release.statement(path) or b"")
        except InputError:
            continue
    return found


def provenance_of(release: Release) -> Provenance | None:
    """Return what the release says that it was built from; None if it says nothing that can be read."""
    envelope = envelopes(release).get(PROVENANCE_FILE)
    try:
        return read_statement(envelope.payload).provenance() if envelope else None
    except InputError:
        return None


def whose(release: Release) -> Iterator[str]:
    """Yield by whom the release is signed, and what that was held against."""
    key: Ed25519PublicKey | None = release.public_key
    signatures = {path: [each.keyid for each in read.signatures] for path, read in envelopes(release).items()}
    names = {name for of_one in signatures.values() for name in of_one}
    if not release.is_release:
        yield "Not a release but a build: nothing is signed, and curator/, which nobody else may see, was not looked at."
    elif not signatures:
        yield (
            "The statements are not here (*.intoto.json, beside the archives): whether the release is signed is not known. "
            "Put them beside the archive."
        )
    elif not names:
        yield "The release is not signed: it says itself who made it, and anybody could have."
    elif key is None:
        named = ", ".join(sorted(names))
        yield f"Signed by the key {named}, which was not checked: give its public key with --public-key."
    else:
        yield f"Checked against the public key {key_id(key)}."
    for path, of_one in signatures.items():
        own = key_id(key) if key else next(iter(of_one), "")
        if further := [*filter(own.__ne__, of_one), *[own] * (of_one.count(own) - 1)]:
            yield f"{path} bears {len(further)} more, of which nothing was checked: by {', '.join(further)}."


def unknown_maker(release: Release) -> str:
    """Return why nobody knows who made the release; nothing where its signature was held against a given key."""
    statements = envelopes(release) if release.is_release else {}
    if any(read.signatures for read in statements.values()):
        return "" if release.public_key else "its signature was not checked: nobody knows who made it"
    is_unknown = release.is_release and not statements
    return f"{'its statements are not here' if is_unknown else 'unsigned'}: nobody knows who made it"


def row_went_in(proof: Proof, release: Release) -> Iterator[Problem]:
    """Find a proof that does not lead to what the release's statement of provenance says of the table.

    Raises:
        InputError: The release has no such statement, or says nothing of the table.
    """
    content = release.statement(PROVENANCE_FILE)
    if content is None:
        raise InputError(f"no {PROVENANCE_FILE} is there, which tells of raw tables")
    stated = read_statement(unpack(content).payload).provenance()
    if not holds(proof, stated.commitments()):
        expected = (
            f"expected one that {PROVENANCE_FILE} committed to, with its salt and path: row, salt or path is another's"
        )
        yield Problem(f"raw table {proof.table}", proof.row, "", "", expected)


def _of_subjects(release: Release, path: str, statement: Statement) -> Iterator[Problem]:
    stated = {subject.name: (subject.digest or {}).get("sha256", "") for subject in statement.subject}
    archives = {digest for name, digest in stated.items() if name.endswith(ARCHIVE)}
    if RELEASE not in stated:
        yield Problem(path, 0, "subject", ", ".join(stated), f"expected a statement about {RELEASE}")
    for name, digest in stated.items():
        if (size := release.tree.files.get(name, 0)) > (Bounds().bytes if name.endswith(ARCHIVE) else TEXT):
            yield Problem(name, 0, "", f"{size:,} bytes", "expected fewer: it is not read")
            continue
        found = _digest(release, name)
        if found is None and not (name.endswith(ARCHIVE) and release.archive):
            yield Problem(name, 0, "", "no such file", f"expected the file that {path} is about")
        elif found is not None and found != digest:
            yield Problem(name, 0, "", f"SHA-256 {found[:16]}", f"{path} is about one with {digest[:16]}")
    for name in release.tree.files:
        if name.endswith(ARCHIVE) and name not in stated:
            yield Problem(name, 0, "", "an archive", f"expected one that {path} is about")
    # Whatever its name is now, an archive that is verified is one of those.
    if release.archive is not None and (packed := sha256(release.archive)) not in archives:
        yield Problem(
            release.archive.name, 0, "", f"SHA-256 {packed[:16]}", f"expected an archive that {path} is about"
        )


def _digest(release: Release, name: str) -> str | None:
    """Return the digest of a file that a statement is about; None if it is not there."""
    if name in release.tree.files:
        return release.tree.digest(name)
    if release.archive is not None and release.archive.name == name:
        return sha256(release.archive)
    return None


def _of_provenance(release: Release, path: str, statement: Statement) -> Iterator[Problem]:
    """Compare what the statement says with head and manifests, all of it but what only the makers know."""
    stated = statement.provenance()
    head = {name: value for name, value in release.head.items() if name != "files"}
    made = provenance(head, [variant.manifest for variant in release.variants], Materials.unknown())
    definition, expected = stated.build_definition, made.build_definition
    sides = [
        ({"buildType": definition.build_type}, {"buildType": expected.build_type}),
        (definition.external_parameters, expected.external_parameters),
        (definition.internal_parameters, expected.internal_parameters),
        (stated.run_details.model_dump(), made.run_details.model_dump()),
    ]
    for found, follows in sides:
        for name in sorted(found.keys() | follows.keys()):
            if (one := found.get(name)) != (other := follows.get(name)):
                yield Problem(path, 0, name, str(one), f"expected {other!r}, as head and manifest say")
    specifications = {each.name: (each.digest or {}).get("sha256") for each in definition.resolved_dependencies}
    for variant in release.variants:
        for name, digest in variant.manifest["specs"].items():
            if specifications.get(f"specification/{name}") != digest:
                place = f"specification/{name}"
                yield Problem(
                    path, 0, place, str(specifications.get(place)), f"expected {digest}, as the manifest says"
                )


def _of_deidentification(release: Release, path: str, statement: Statement) -> Iterator[Problem]:
    """Compare what the statement says with the reports that are public."""
    stated = read_as(
        deidentification.Deidentification.model_validate_json, json.dumps(statement.predicate), f"what {path} says"
    )
    variants = [_published(release, variant) for variant in release.variants]
    found = deidentification.deidentification(variants, discloses_noise=bool(release.head.get("discloses_noise")))
    for field in deidentification.disagreeing(stated, found, in_words=not release.is_of_another_silt):
        yield Problem(path, 0, field, "something else", "expected what manifests and reports say")


def _published(release: Release, variant: ReleasedVariant) -> deidentification.Published:
    paths = {name: f"{variant.prefix}{layout.REPORTS}/{name}.json" for name in KINDS}
    texts = {name: release.tree.content(path).decode() for name, path in paths.items() if path in release.tree.files}
    reports = read_as(Reports.of, texts, f"the reports of {variant.name!r}")
    return deidentification.Published(manifest=variant.manifest, reports=reports)


_KINDS: Mapping[str, tuple[str, Callable[[Release, str, Statement], Iterator[Problem]]]] = {
    layout.PROVENANCE: (PROVENANCE, _of_provenance),
    layout.DEIDENTIFICATION: (deidentification.DEIDENTIFICATION, _of_deidentification),
}
"""What each statement has to be, and how it is compared with the files."""
