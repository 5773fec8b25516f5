"""The verdict on one release: findings of attacks judged by a policy's limits, with class sizes and blanks.

Belongs here: putting together a privacy report from what an auditor holds. Attacks run in `suite.py`, `privacy.py` words the
report, and the caller decides whether the tables come from a build or from published files.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from anonymize.policy import Policy
from anonymize.quasi_identifiers import Anonymity, anonymity, given_up
from pipeline.model.treatments import in_a_register, quasi_identifiers
from validation.attacks import Attack
from validation.attacks.privacy import privacy_report
from validation.attacks.suite import Sides

CLASS_SIZE = 5
"""Size of a class of quasi-identifiers below which records are counted, under every policy."""


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
        has_panel=bool(sides.environment.panel),
        figures_of_events=sides.environment.figures_of_events,
        further=_of_kinds(sides),
    )


def _of_kinds(sides: Sides) -> dict[str, Anonymity]:
    """Return the class sizes of each further kind by its published quasi-identifiers; nothing for kinds without any."""
    return {
        of.kind.kind: anonymity(of.entities, columns, k=CLASS_SIZE)
        for of in sides.further
        if of.entities is not None and (columns := in_a_register(sides.environment, of.kind))
    }
