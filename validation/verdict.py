"""One release judged: what attacks found, held against a policy's limits, with class sizes and what was given up.

Belongs here: putting together the content of a privacy report from what an auditor holds. The attacks are run by `audit.py`,
worded by `privacy.py`; where the sides come from (a build's tables, published files) is the caller's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from anonymize.policy import Policy
from anonymize.quasi_identifiers import anonymity, given_up
from validation.attacks import Attack
from validation.audit import Sides, likeness_of
from validation.privacy import privacy_report

CLASS_SIZE = 5
"""Size of class of quasi-identifiers below which records are counted, whatever the policy."""


def verdict(
    sides: Sides, found: Mapping[str, Sequence[Attack]], policy: Policy, *, strengths: pl.DataFrame | None = None
) -> dict[str, Any]:
    """Return the privacy report on a release.

    Args:
        sides: What the auditor holds.
        found: Attacks by family.
        policy: The policy of the release.
        strengths: What attacks found at each strength tried, where figures were rebuilt and it is known.
    """
    declared = sides.environment.quasi_identifiers
    originals = sides.conformed[sides.environment.entities.tables[0]]
    return privacy_report(
        found,
        policy,
        anonymity=anonymity(sides.entities, declared.columns, k=CLASS_SIZE) if declared else None,
        given_up=given_up(originals, sides.entities, declared) if declared and policy.k > 1 else None,
        strengths=strengths,
        likeness=likeness_of(sides) if policy.rebuilds_figures and sides.figures.height else None,
        is_demonstration=sides.is_demonstration,
    )
