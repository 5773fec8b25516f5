"""Where a checkout keeps keys, specifications and raw tables, which are neither code nor output. Paths, nothing else."""

from pathlib import Path

NOISY, CLEAN = "noisy", "clean"
VARIANTS = (NOISY, CLEAN)
"""Names of the variants, and of their folders."""

CURATOR = "curator"
"""Name of the curator's folder within an environment's output."""

TASKS = "tasks"
"""Name of the folder of tasks, beside the variants and within the curator's."""

STAGES = "stages.json"
"""Name of the curator's file that says which object of the store is which table of the last build."""

STORE = "store"
"""Name of the folder within the curator's that keeps what is made between stages."""

SPECIFICATIONS = Path(__file__).parents[1] / "noise_specs"


def default_key(environment: str, policy: str) -> Path:
    """Return the file of an environment's release key under a policy, made on first use, outside of every output folder."""
    return Path(".silt") / f"{environment}.{policy}.key"


def shared_key(environment: str) -> Path:
    """Return the file in which earlier versions kept the release key of whichever policy came first."""
    return Path(".silt") / f"{environment}.key"


def default_specification(environment: str) -> Path:
    """Return the environment's realistic noise specification."""
    return SPECIFICATIONS / environment / "noisy.yaml"


def default_cleaning_plan(environment: str) -> Path:
    """Return the file that lists what the reference cleaner looks for in an environment; it need not exist."""
    return SPECIFICATIONS / "cleaning" / f"{environment}.yaml"


def default_ablation_plan(environment: str) -> Path:
    """Return the file that says how the environment's realistic noise specification is taken apart."""
    return SPECIFICATIONS / environment / "ladder.yaml"


def default_families(environment: str, declared_in: str) -> Path:
    """Return the file of an environment's families of tasks, beside its declaration; it need not exist.

    Args:
        environment: Its name.
        declared_in: The user's file that declares it, as `Environment.declared_in` has it; empty for a shipped one.
    """
    shipped = Path(__file__).parents[1] / "silt/environments" / environment.replace("-", "_")
    return (Path(declared_in.rpartition(":")[0]).parent if declared_in else shipped) / "tasks.yaml"


def landing(environment: str) -> Path:
    """Return the folder of an environment's generated corpus."""
    return Path("raw") / environment
