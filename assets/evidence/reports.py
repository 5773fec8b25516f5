"""Group `reports`: what the originals and the published tables say of each other, each with blocking checks."""

from assets.evidence.attacks import attack_steps
from assets.evidence.compared import compared_asset
from assets.evidence.consistency import consistency_steps
from assets.evidence.distributions import distributions_asset
from assets.evidence.expectations import expectation_assets
from assets.evidence.noise_report import noise_steps
from assets.evidence.profile import profile_assets
from assets.making.keys import Stage
from assets.wiring.steps import Declared
from pipeline.model import Environment


def report_assets(environment: Environment) -> list[Declared]:
    """Return the report assets of an environment."""
    stages = (Stage.REPORTS, Stage.CURATOR)
    return [
        # What takes longest first, since it starts first.
        *expectation_assets(environment),
        *noise_steps(environment),
        *attack_steps(environment),
        *([distributions_asset(environment, stage) for stage in stages] if environment.panel else []),
        *(each for stage in stages for each in consistency_steps(environment, stage)),
        *profile_assets(environment),
        compared_asset(environment),
    ]
