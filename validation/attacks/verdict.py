"""One release judged: what attacks found, held against a policy's limits, with class sizes and what is left blank.

Belongs here: putting together the content of a privacy report from what an auditor holds. The attacks are run by `suite.py`,
worded by `privacy.py`; where the sides come from (a build's tables, published files) is the caller's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from anonymize.policy import Policy
from anonymize.quasi_identifiers import Anonymity, anonymity, given_up
from pipeline.model.fates import in_a_register, quasi_identifiers
from validation.attacks import Attack
from validation.attacks.privacy import privacy_report
from validation.attacks.suite import Sides

CLASS_SIZE = 5
"""Size of class of quasi-identifiers below which records are counted, whatever the policy."""


def verdict(sides: Sides, found: Mapping[str, Sequence[Attack]], policy: Policy) -> dict[str, Any]:
    """Return the privacy report on a release.

    Args:
        sides: What the auditor holds.
        found: Attacks by family.
        policy: The policy of the release.
    """
    declared = quasi_identifiers(sides.environment)
    originals = sides.conformed[sides.environment.entities.tables[0]]
    return privacy_report(
        found,
        policy,
        anonymity=anonymity(sides.entities, declared.columns, k=CLASS_SIZE) if declared.columns else None,
        given_up=given_up(originals, sides.entities, declared) if policy.samples_records else None,
        is_demonstration=sides.is_demonstration,
        has_figures=bool(sides.environment.panel),
        further=_of_kinds(sides),
    )


def _of_kinds(sides: Sides) -> dict[str, Anonymity]:
    """Return the class sizes of each further kind in what is kept of it; none where nothing is."""
    classes = {}
    for of in sides.further:
        columns = in_a_register(sides.environment, of.kind)
        if of.entities is not None and columns:
            classes[of.kind.kind] = anonymity(of.entities, columns, k=CLASS_SIZE)
    return classes
