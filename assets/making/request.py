"""What a build is asked for: read and checked once, when it starts. A stage takes from it what it uses, by name."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from anonymize.keys.key_uses import Use, bound_to, digest_of
from anonymize.keys.release_key import ReleaseKey
from anonymize.policy import Policy
from assets.making.originals import originals_of
from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.noise.ablation import AblationPlan
from pipeline.noise.cleaning_plan import CleaningPlan
from pipeline.noise.spec import NoiseSpec
from pipeline.places import CURATOR, VARIANTS
from pipeline.private import private_folder
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.manifest import MANIFEST
from pipeline.small_files import json_of

_RAW = "set of originals"
"""What else variants may be of, in words."""


@dataclass(frozen=True, kw_only=True)
class RequestedNoise:
    """A noise specification, and by what it is judged."""

    spec: NoiseSpec
    file: Path
    is_default: bool
    """Whether it is the environment's realistic default, which has to keep its promises; a user's own only warns."""
    families: Sequence[str]
    """In which order the ladder mends families."""
    cleaning: CleaningPlan | None
    """What the reference cleaner looks for; None if nobody wrote it down."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """An environment, and where and how it is built."""

    environment: Environment
    release: ReleaseKey = field(repr=False)
    """The release key under the policy."""
    policy: Policy
    budget: float
    """Rho that a release spends, of zero-concentrated differential privacy; infinite under a policy that bounds nothing."""
    raw: Path
    """Folder of the raw tables: a user's, or where the generated corpus landed."""
    raw_files: Mapping[str, str]
    """Name of each file of the raw tables there -> its digest, when the build began."""
    absent: frozenset[str]
    """Names of the optional raw tables that are not there."""
    source: str
    """Where the raw tables are from, in the manifest's words."""
    scale: float | None
    """Size of the generated corpus; None for a user's tables."""
    out: Path
    """Folder below which environments are built."""
    store: Path
    """Folder of the store between stages."""
    shared_store: str
    """Address of a store that other machines share; empty if there is none."""
    store_size: float
    """Size to which the store is brought back after a build, in GB."""
    is_fresh: bool
    """Whether nothing is taken from the store that was not made in this build."""
    specified: RequestedNoise | None
    planned: AblationPlan | None

    @property
    def use(self) -> Use | None:
        """Return what a release uses the key for, by the raw files as they were when it began; None for the public key."""
        if self.release.is_demonstration:
            return None
        return Use(
            key=self.release.master.fingerprint(),
            environment=self.environment.name,
            policy=self.release.policy,
            originals=digest_of(self.raw_files, self.release.master),
        )

    @property
    def bound_to(self) -> Sequence[Use]:
        """Return what releases use the key for, if a release of this would be refused for it.

        Raises:
            KeyFileError: The record of its uses cannot be read.
        """
        return bound_to(self.release.file, self.use) if self.release.file is not None and self.use is not None else ()

    def refuse_others(self, variants: Collection[str]) -> None:
        """Refuse to publish variants beside others that stand in the folder and belong to something else.

        They share one identity map, and whoever compares them takes them for one truth.

        Raises:
            InputError: Another variant, which is not replaced, is of another key, policy, source, scale or originals.
        """
        for variant, other in self._others():
            if variant not in variants:
                raise InputError(
                    f"{self.folder / variant} was built with {other}, and variants in one folder must agree; build it in the "
                    "same command, remove it, or give another folder with --out (OUT)"
                )

    def replaced(self, variants: Collection[str]) -> list[str]:
        """Return of what else the variants are that stand in the folder and would be replaced, but for corrected originals."""
        return sorted(
            {other for variant, other in self._others() if variant in variants and other != f"another {_RAW}"}
        )

    def refuse_stale(self, variants: Collection[str]) -> None:
        """Refuse to release variants that were built of something else than what is given.

        Raises:
            InputError: One is of another key, policy, source, scale or originals.
        """
        for variant, other in self._others():
            if variant in variants:
                raise InputError(f"{self.folder / variant} is of {other} than what is given; build it again")

    def _others(self) -> Iterator[tuple[str, str]]:
        """Yield each variant that stands in the folder and is of something else, with what that is."""
        own = {
            "policy": self.policy.name,
            "key_fingerprint": self.release.master.fingerprint(),
            "source": self.source,
            "scale": self.scale,
        }
        made_of = originals_of(self.folder)
        # NOTE: not the curator's folder, in which a step that outlives its build may still remove what it wrote.
        published = (file for name in (*VARIANTS, ABLATIONS) for file in (self.folder / name).rglob(MANIFEST))
        for file in sorted(published):
            variant = file.relative_to(self.folder).parts[0]
            with suppress(OSError, ValueError, TypeError, AttributeError):
                there = json_of(file)
                other = [name for name, value in own.items() if there.get(name) != value]
                # NOTE: ablations of earlier originals may stay, since no release takes them; the end of a build says so.
                if variant in VARIANTS and made_of.get(variant, {}).get("files") != self.raw_files:
                    other.append(_RAW)
                if other:
                    yield variant, f"another {', '.join(other)}".replace("key_fingerprint", "key")

    @property
    def folder(self) -> Path:
        """Return the environment's output folder."""
        return self.out / self.environment.name

    @property
    def curator(self) -> Path:
        """Return the curator's folder, made private if it is not there."""
        return private_folder(self.folder / CURATOR)

    @property
    def noise(self) -> RequestedNoise:
        """Return the noise, or raise `InputError` if there is none: neither given nor the environment's own."""
        if self.specified is None:
            raise lacking(self.environment, NOISE_SPECIFICATION)
        return self.specified

    @property
    def plan(self) -> AblationPlan:
        """Return the ablation plan, or raise `InputError` if there is none: neither given nor the environment's own."""
        if self.planned is None:
            raise lacking(self.environment, ABLATION_PLAN)
        return self.planned


NOISE_SPECIFICATION, ABLATION_PLAN = "noise specification", "ablation plan"


def noise_beside(environment: Environment) -> str:
    """Return the specification beside a declaration, under its name, as `silt init` writes it; nothing if there is none."""
    beside = Path(environment.declared_in.rpartition(":")[0] or environment.name).with_suffix(".yaml")
    return str(beside) if beside.is_file() else ""


def lacking(environment: Environment, what: str) -> InputError:
    """Return the error of an environment that needs a file of noise and has none."""
    beside = noise_beside(environment) if what == NOISE_SPECIFICATION else ""
    there = f": {beside} lies beside the declaration" if beside else ""
    error = InputError(
        f"environment {environment.name!r} has no {what} of its own; give one with --noise (NOISE){there}"
    )
    if beside:
        error.mending = {"noise": beside}
    return error
