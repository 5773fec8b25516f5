"""The bill of materials of a release: the pinned requirements as CycloneDX 1.6, the same bytes for the same requirements.

Each library has the digests of all files that it may be installed from, and a scope: what Silt runs with is required, or
optional if only some machines need it; what only tests need is excluded.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from pipeline.release.provenance.requirements import Requirement


def sbom(requirements: Sequence[Requirement], at_run_time: Iterable[str], *, silt: str, date: int) -> bytes:
    """Return the bill of materials.

    Args:
        requirements: What is pinned.
        at_run_time: Names of what Silt runs with.
        date: The release's, in seconds since 1970.
    """
    needed = set(at_run_time)
    parts = [_component(each, _scope(each, needed)) for each in requirements]
    root = Component(name="silt", version=silt, type=ComponentType.APPLICATION, bom_ref="silt")
    about = BomMetaData(component=root, timestamp=datetime.fromtimestamp(date, tz=UTC))
    bom = Bom(components=parts, metadata=about, serial_number=uuid5(NAMESPACE_URL, _all(requirements, silt)))
    _depend(bom, root, requirements, parts)
    return JsonV1Dot6(bom).output_as_string(indent=2).encode() + b"\n"


def _component(each: Requirement, scope: ComponentScope) -> Component:
    return Component(
        name=each.name,
        version=each.version,
        type=ComponentType.LIBRARY,
        scope=scope,
        bom_ref=each.url,
        purl=PackageURL("pypi", name=each.name, version=each.version),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in each.sha256],
    )


def _scope(each: Requirement, needed: set[str]) -> ComponentScope:
    if each.name not in needed:
        return ComponentScope.EXCLUDED
    return ComponentScope.OPTIONAL if each.marker else ComponentScope.REQUIRED


def _depend(bom: Bom, root: Component, requirements: Sequence[Requirement], parts: Sequence[Component]) -> None:
    """Say which library needs which."""
    for user in (root, *parts):
        needs = [part for each, part in zip(requirements, parts, strict=True) if user.name in each.wanted_by]
        bom.register_dependency(user, needs)


def _all(requirements: Sequence[Requirement], silt: str) -> str:
    return "\n".join((f"silt {silt}", *(f"{each.url} {' '.join(each.sha256)}" for each in requirements)))
