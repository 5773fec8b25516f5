"""The settings of a build. Every default is what `make env-noisy env-clean` uses; paths are relative to the working folder."""

from dataclasses import dataclass

from pipeline.settings import DEFAULT, setting

PAGES = "SILT_PAGES"
"""Name of the environment variable with the address at which `silt dev` serves published pages."""


@dataclass(frozen=True, kw_only=True)
class BuildSettings:
    """What a build can be given."""

    raw: str = setting(
        "folder of the raw tables, or their address, as s3://BUCKET/FOLDER; if not given, tables that Silt generates, for "
        "environments that have such tables",
        "",
    )
    noise: str = setting("noise specification; the environment's noisy.yaml if not given", "")
    plan: str = setting("ablation plan; the environment's ladder.yaml if not given", "", option="")
    policy: str = setting(
        "lsd: pseudonyms, and companies can be found again; or guarded: sampled records" + DEFAULT, "lsd"
    )
    budget: float | None = setting(
        "under guarded: how much a release may reveal of one company, as rho of zero-concentrated differential privacy "
        "(default: as declared, else 10)",
        None,
        read=float,
    )
    key_file: str = setting("release key; made on first use for real tables if not given", "")
    out: str = setting("output folder" + DEFAULT, "environments")
    scale: float = setting(
        "size of generated tables; 1 is the size of the paper's or of the real ones", 1.0, read=float
    )
    store: str = setting("folder that keeps results between builds; without it one of the curator's", "")
    shared_store: str = setting("address of a store that machines share, as s3://BUCKET/FOLDER", "")
    store_size: float = setting("largest size of the store after a build, in GB" + DEFAULT, 20.0, read=float)
    engine: str = setting(
        "what performs the steps: local (this machine, the default), dask://HOST:PORT or spark://HOST:PORT, or dask or spark "
        "by their own configuration",
        "",
    )
    fresh: bool = setting("make everything anew, and reuse nothing from the store", default=False)


CHECKED = ("raw", "noise", "policy", "budget")
"""Settings of a build that `silt check` takes, too."""
