"""The parts of a request that steps use. A step gets those that it names, and is made again if one of them changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Generic, TypeVar

from anonymize.policy import Policy
from anonymize.treatments import published_treatments
from assets.making.fingerprint import Fingerprinted, fingerprint
from assets.making.inputs.code import code
from assets.making.request import Request, RequestedNoise
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.noise.ablation import AblationPlan
from pipeline.noise.spec import NoiseSpec
from pipeline.publish.manifest import Manifest, software_versions
from pipeline.render import left_out

T = TypeVar("T")


@dataclass(frozen=True)
class StepParameter(Generic[T]):
    """A part of a request, by name. Its value has a fingerprint."""

    name: str
    of: Callable[[Request], T] = field(compare=False)


@dataclass(frozen=True)
class RawFiles(Fingerprinted):
    """The files of the raw tables, in their folder."""

    folder: Path
    files: Mapping[str, str]
    """Name -> digest when the build began; whoever reads one compares it (`conform.reading.read`)."""

    def parts(self) -> object:
        """Return the files' digests, wherever they lie."""
        return self.files


RAW: StepParameter[RawFiles] = StepParameter("raw", lambda request: RawFiles(request.raw, request.raw_files))
ABSENT: StepParameter[frozenset[str]] = StepParameter("absent", lambda request: request.absent)
"""Names of the optional raw tables that are not there."""

MASTER: StepParameter[Key] = StepParameter("master", lambda request: request.release.master)
"""The key that seals what the curator keeps."""
KEY: StepParameter[Key] = StepParameter("key", lambda request: request.release.key)
"""The key from which everything published is drawn."""
POLICY: StepParameter[Policy] = StepParameter("policy", lambda request: request.policy)
BUDGET: StepParameter[float] = StepParameter("budget", lambda request: request.budget)
"""Rho that a release spends; infinite under a policy that bounds nothing."""

NOISE: StepParameter[RequestedNoise] = StepParameter("noise", lambda request: request.noise)
"""The whole noise specification, and by what it is judged."""
PLAN: StepParameter[AblationPlan] = StepParameter("plan", lambda request: request.plan)

NAMED: StepParameter[str] = StepParameter("named", lambda request: request.environment.argument)
"""What names the environment on the command line, from the working folder: commands on pages have it."""


def runs(environment: Environment) -> str:
    """Return the fingerprint of the code that steps run and of what they run it for, wherever that is declared (`NAMED`)."""
    return fingerprint((code(), fingerprint(replace(environment, declared_in=""))))


def manifest(request: Request) -> Manifest:
    """Return the manifest of a variant, but for what distinguishes variants and what only a build can tell."""
    environment, master = request.environment, request.release.master
    return Manifest(
        environment=environment.name,
        variant="",
        source=request.source,
        scale=request.scale,
        policy=request.policy.name,
        budget=request.budget if isfinite(request.budget) else None,
        key_fingerprint=master.fingerprint(),
        is_demonstration_key=request.release.is_demonstration,
        specs={},
        versions=software_versions(version("silt")),
        files=(),
        left_out=left_out(environment, request.absent),
        column_treatments=published_treatments(environment, request.policy),
    )


MANIFEST: StepParameter[Manifest] = StepParameter("manifest", manifest)
"""What a manifest says of the request: where the tables are from, the policy, the key's fingerprint, versions, treatments."""


def rules_on(table: str) -> StepParameter[NoiseSpec]:
    """Return the part of the noise specification that concerns one table."""
    return StepParameter(f"rules on {table}", lambda request: request.noise.spec.on(table))
