"""What a build is given: where things are, which key, policy, specification and scale. A Dagster resource, no logic of stages.

Every default is what `make env-noisy env-clean` uses. Paths are relative to the working directory.
"""

from pathlib import Path

import dagster as dg

from anonymize.keys.key_uses import Use, digest_of
from anonymize.keys.release_key import ReleaseKey, release_key
from anonymize.policy import LSD, Policy, find_policy
from pipeline.conform.reading import files_of
from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.noise.ablation import AblationPlan, load_ablation_plan
from pipeline.noise.cleaning_plan import CleaningPlan, load_plan
from pipeline.noise.spec import NoiseSpec, load_spec
from pipeline.places import (
    CURATOR,
    default_ablation_plan,
    default_cleaning_plan,
    default_key,
    default_specification,
    landing,
)
from pipeline.private import private_folder
from raw.landing import land


class Workspace(dg.ConfigurableResource[None]):
    """The settings of a build."""

    raw: str = ""
    """Folder of the raw tables; empty for the generated corpus."""
    out: str = "environments"
    """Folder below which environments are built."""
    key_file: str = ""
    """File of the release key; empty for the environment's own."""
    reuse_key: bool = False
    """Whether the key may be used beside what it was used for already, another policy or other originals."""
    noise: str = ""
    """Noise specification; empty for the environment's realistic default."""
    plan: str = ""
    """Ablation plan; empty for the one that takes the realistic default apart."""
    policy: str = LSD.name
    """What is done about figures and quasi-identifiers."""
    scale: float = 1.0
    """Firms and records of the generated corpus, relative to the paper."""

    def folder(self, environment: Environment) -> Path:
        """Return the environment's output folder."""
        return Path(self.out) / environment.name

    def curator(self, environment: Environment) -> Path:
        """Return the curator's folder, made private if it is not there."""
        return private_folder(self.folder(environment) / CURATOR)

    def is_generated(self, environment: Environment) -> bool:
        """Say whether the raw tables are the generated corpus."""
        return environment.corpus is not None and not self.raw

    def raw_folder(self, environment: Environment) -> Path:
        """Return the folder of the raw tables, generating the corpus on first use."""
        if self.raw:
            return Path(self.raw)
        if environment.corpus is None:
            raise InputError(
                f"environment {environment.name!r} has no generated corpus; give the folder of its tables with --raw (RAW)"
            )
        return land(environment.corpus, landing(environment.name), self.scale)

    def source(self, environment: Environment) -> str:
        """Say in the manifest's words where the raw tables are from."""
        if environment.corpus is None or self.raw:
            return "user tables"
        return f"generated corpus {environment.corpus.version}"

    def absent(self, environment: Environment) -> frozenset[str]:
        """Return the names of the optional raw tables that are not there."""
        folder = self.raw_folder(environment)
        return frozenset(table.name for table in environment.raw_tables if not files_of(table, folder))

    def release_key(self, environment: Environment) -> ReleaseKey:
        """Return the release key under the policy, made on first use for real tables."""
        return release_key(
            Path(self.key_file) if self.key_file else None,
            default=default_key(environment.name),
            is_generated=self.is_generated(environment),
            policy=self.release_policy().name,
        )

    def key_use(self, environment: Environment) -> Use | None:
        """Return what the release key is used for, by the raw files as they are; None for the key that everybody has."""
        release = self.release_key(environment)
        if release.is_demonstration:
            return None
        folder = self.raw_folder(environment)
        files = [folder / name for table in environment.raw_tables for name in files_of(table, folder)]
        return Use(
            key=release.master.fingerprint(),
            environment=environment.name,
            policy=release.policy,
            originals=digest_of(files, release.master),
        )

    def noise_path(self, environment: Environment) -> Path:
        """Return the file of the noise specification."""
        return Path(self.noise) if self.noise else default_specification(environment.name)

    def noise_spec(self, environment: Environment) -> NoiseSpec:
        """Return the noise specification, checked against the environment."""
        return load_spec(self.noise_path(environment), environment)

    def is_default_noise(self, environment: Environment) -> bool:
        """Say whether the noise specification is the environment's realistic default."""
        return self.noise_path(environment).resolve() == default_specification(environment.name).resolve()

    def cleaning_plan(self, environment: Environment) -> CleaningPlan | None:
        """Return what the reference cleaner looks for, checked against the environment; None if nobody wrote it down."""
        plan = default_cleaning_plan(environment.name)
        return load_plan(plan, environment) if plan.is_file() else None

    def ablation_plan(self, environment: Environment) -> AblationPlan:
        """Return the ablation plan, checked against the environment."""
        return load_ablation_plan(
            Path(self.plan) if self.plan else default_ablation_plan(environment.name), environment
        )

    def release_policy(self) -> Policy:
        """Return the policy, or raise `InputError` if it is none that Silt has."""
        return find_policy(self.policy)
