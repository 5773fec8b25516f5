"""The jobs of an environment: everything that a variant, or all of an ablation's, need: raw tables to published folder."""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from assets.wiring.keys import Stage, key
from pipeline.model import Environment
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.variant import VARIANTS


def job_name(variant: str) -> str:
    """Return the job that builds a variant, or the ablations."""
    return f"env_{variant}"


def jobs(environment: Environment) -> list[UnresolvedAssetJobDefinition]:
    """Return one job for each variant, and one for the ablations."""
    described = {variant: f"the {variant} variant" for variant in VARIANTS} | {ABLATIONS: "every ablation variant"}
    return [
        dg.define_asset_job(
            job_name(variant),
            selection=_all_that_makes(key(environment, Stage.PUBLISHED, variant)),
            config={"loggers": {"console": {}}},
            description=f"Build and publish {published} of {environment.name}.",
        )
        for variant, published in described.items()
    ]


def _all_that_makes(asset: dg.AssetKey) -> dg.AssetSelection:
    return dg.AssetSelection.assets(asset).upstream().required_multi_asset_neighbors()
