"""The settings of a build. Every default is what `make env-noisy env-clean` uses; paths are relative to the working folder."""

from dataclasses import dataclass

from anonymize.policy import POLICIES
from pipeline.settings import DEFAULT, setting


@dataclass(frozen=True, kw_only=True)
class BuildSettings:
    """What a build can be given."""

    raw: str = setting("folder of the raw tables; the generated corpus if not given", "")
    noise: str = setting("noise specification; the environment's noisy.yaml if not given", "")
    plan: str = setting("ablation plan; the environment's ladder.yaml if not given", "", option="")
    policy: str = setting(", ".join(POLICIES) + DEFAULT, "lsd")
    budget: float | None = setting(
        "under guarded: what a release may tell of one company, rho of zero-concentrated differential privacy "
        "(default: as declared, else 10)",
        None,
        read=float,
    )
    key_file: str = setting("release key; made on first use for real tables if not given", "")
    out: str = setting("output folder" + DEFAULT, "environments")
    scale: float = setting("size of generated tables, 1 being the paper's or the real ones'", 1.0, read=float)
    store: str = setting("folder of the store between stages; the curator's own if not given", "")
    store_size: float = setting(
        "size in GB to which the store is brought back after a build" + DEFAULT, 20.0, read=float
    )
    fresh: bool = setting("make everything anew, whatever the store holds", default=False)
