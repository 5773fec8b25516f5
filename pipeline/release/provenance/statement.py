"""Statements about a release: in-toto Statement v1, and SLSA provenance v1, which says what was built from what.

Types here are written and read back. Nothing of a builder's clock, host, user, folder or number of cores belongs in them. The
second predicate, on de-identification, is `validation/release/deidentification.py`; signatures are `envelope.py`'s.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer
from pydantic.alias_generators import to_camel

from pipeline.errors import InputError
from pipeline.release.provenance.commitments import SCHEME
from pipeline.release.provenance.proofs import Commitment
from pipeline.release.provenance.requirements import REQUIREMENTS, Requirement
from pipeline.release.provenance.source import SourceCode
from pipeline.release.reading import Stated, read_as

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PROVENANCE = "https://slsa.dev/provenance/v1"
"""Their types, as their specifications name them."""

BUILD_TYPE, BUILDER = "urn:silt:release:v1", "urn:silt"

ROOT_DIGEST = "saltedMerkleSha256"
"""Our name of the digest of a raw table: the root of a tree of salted rows (`commitments.py`)."""

_RAW = "raw/"


class Part(Stated, alias_generator=to_camel, validate_by_name=True):
    """A part of a statement: names in the case that in-toto has."""


class Resource(Part):
    """Something that has a name and a digest: in-toto's ResourceDescriptor."""

    name: str
    uri: str | None = None
    digest: Mapping[str, str] | None = None
    annotations: Mapping[str, str | int | bool] | None = None

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, stated: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in stated(self).items() if value is not None}


class BuildDefinition(Part):
    """What was asked for, and what it was made of."""

    build_type: str
    external_parameters: Mapping[str, Any]
    internal_parameters: Mapping[str, Any]
    resolved_dependencies: tuple[Resource, ...]


class Builder(Part):
    """What built: the software, not the machine."""

    id: str
    version: Mapping[str, str]


class RunDetails(Part):
    """By what it was built."""

    builder: Builder


class Provenance(Part):
    """The predicate of SLSA provenance v1."""

    build_definition: BuildDefinition
    run_details: RunDetails

    def commitments(self) -> dict[str, Commitment]:
        """Return what is committed to of each raw table, by its name.

        Raises:
            InputError: A raw table is listed in another way than Silt lists it.
        """
        raw = (each for each in self.build_definition.resolved_dependencies if each.name.startswith(_RAW))
        return {each.name.removeprefix(_RAW): _commitment(each) for each in raw}


class Statement(Part):
    """Something that is said about files: in-toto Statement v1."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(default=STATEMENT, alias="_type")
    subject: tuple[Resource, ...]
    predicate_type: str
    predicate: Mapping[str, Any]

    def provenance(self) -> Provenance:
        """Return the predicate as SLSA provenance, or raise `InputError` if it is none."""
        if self.predicate_type != PROVENANCE:
            raise InputError(f"a statement of another kind: found {self.predicate_type!r}, expected {PROVENANCE!r}")
        return read_as(Provenance.model_validate, self.predicate, "SLSA provenance")


@dataclass(frozen=True, kw_only=True)
class Materials:
    """What a release is made of, besides what its manifests say."""

    source: SourceCode
    requirements: bytes
    """The content of the file of pinned requirements."""
    pinned: tuple[Requirement, ...]
    """Those of them that Silt runs with."""
    commitments: Mapping[str, Commitment]
    """By raw table."""
    declarations: dict[str, str]
    """SHA-256 of files that the source does not hold, by what they are; a declaration of the user's own, for example."""

    @classmethod
    def unknown(cls) -> "Materials":
        """Return what those know of it who did not make the release: nothing."""
        return cls(source=SourceCode(), requirements=b"", pinned=(), commitments={}, declarations={})


def statement(subjects: Mapping[str, str], predicate_type: str, predicate: BaseModel) -> bytes:
    """Return a statement about files as JSON.

    Args:
        subjects: SHA-256 of each file, by its path.
        predicate_type: What names the kind of what is said.
    """
    about = tuple(Resource(name=name, digest={"sha256": digest}) for name, digest in sorted(subjects.items()))
    said = predicate.model_dump(mode="json", by_alias=True)
    return (
        Statement(subject=about, predicate_type=predicate_type, predicate=said).model_dump_json(by_alias=True).encode()
    )


def read_statement(payload: bytes) -> Statement:
    """Read a statement, or raise `InputError`."""
    return read_as(Statement.model_validate_json, payload, "an in-toto statement")


def provenance(
    parameters: Mapping[str, Any], manifests: Sequence[Mapping[str, Any]], materials: Materials
) -> Provenance:
    """Return what a release was built from.

    Args:
        parameters: What was asked for: `environment`, `version`, `released`, `mode` and so on, as the release's head has them.
        manifests: What `manifest.json` of each variant says. They differ in variant, files and specifications alone.
        materials: What it was made of besides.
    """
    manifest = manifests[0]
    built = {name: manifest[name] for name in ("policy", "source", "scale")}
    keys = {"keyFingerprint": manifest["key_fingerprint"], "isDemonstrationKey": manifest["is_demonstration_key"]}
    return Provenance(
        build_definition=BuildDefinition(
            build_type=BUILD_TYPE,
            external_parameters={to_camel(name): value for name, value in (*parameters.items(), *built.items())},
            internal_parameters=keys | {"versions": manifest["versions"]},
            resolved_dependencies=tuple(_resolved(manifests, materials)),
        ),
        run_details=RunDetails(builder=Builder(id=BUILDER, version={"silt": manifest["versions"]["silt"]})),
    )


def _resolved(manifests: Sequence[Mapping[str, Any]], materials: Materials) -> Iterator[Resource]:
    """Return everything that the release was made of: source, requirements, specifications, raw tables."""
    yield _of_source(manifests[0]["versions"]["silt"], materials.source)
    yield Resource(name=REQUIREMENTS, digest={"sha256": sha256(materials.requirements).hexdigest()})
    for name, digest in sorted((materials.declarations | _specifications(manifests)).items()):
        yield Resource(name=name, digest={"sha256": digest})
    for name, stated in sorted(materials.commitments.items()):
        counted = {} if stated.rows is None else {"rows": stated.rows}
        about: dict[str, str | int | bool] = {**counted, "scheme": SCHEME}
        yield Resource(name=f"{_RAW}{name}", digest={ROOT_DIGEST: stated.root}, annotations=about)
    for each in materials.pinned:
        yield Resource(name=each.name, uri=each.url)


def _of_source(version: str, source: SourceCode) -> Resource:
    known = {"gitCommit": source.commit, "dirHash": source.tree}
    return Resource(
        name="silt",
        uri=f"pkg:generic/silt@{version}",
        digest={name: digest for name, digest in known.items() if digest} or None,
        annotations={"dirty": source.is_dirty} if source.commit else {"commit": "unknown"},
    )


def _specifications(manifests: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    return {f"specification/{name}": digest for manifest in manifests for name, digest in manifest["specs"].items()}


def _commitment(table: Resource) -> Commitment:
    said = {"root": (table.digest or {}).get(ROOT_DIGEST), "rows": (table.annotations or {}).get("rows")}
    return read_as(Commitment.model_validate, said, f"a commitment to {table.name!r}")
