"""Where a checkout keeps what is neither code nor output: keys, specifications, raw tables. Paths, nothing else."""

from pathlib import Path

CURATOR = "curator"
"""Name of the curator's folder in an environment's output."""

STAGES = "stages"
"""Name of the folder of tables between stages, in the curator's."""

SPECIFICATIONS = Path(__file__).parents[1] / "noise_specs"


def default_key(environment: str) -> Path:
    """Return where the release key of an environment is made on first use: outside every output folder."""
    return Path(".silt") / f"{environment}.key"


def default_specification(environment: str) -> Path:
    """Return the environment's realistic noise specification."""
    return SPECIFICATIONS / environment / "noisy.yaml"


def default_cleaning_plan(environment: str) -> Path:
    """Return what the reference cleaner looks for in an environment, if somebody wrote it down."""
    return SPECIFICATIONS / "cleaning" / f"{environment}.yaml"


def default_ablation_plan(environment: str) -> Path:
    """Return how the environment's realistic noise specification is taken apart."""
    return SPECIFICATIONS / environment / "ladder.yaml"


def landing(environment: str) -> Path:
    """Return where an environment's generated corpus lands."""
    return Path("raw") / environment
