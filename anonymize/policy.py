"""The policies: how a release treats figures and quasi-identifiers, by name.

Attacks measure what a policy protects (`validation/attacks`), with their limits in `validation/attacks/limits.py`;
`anonymize/__init__.py` explains why there are two.
"""

from dataclasses import dataclass

from pipeline.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a release does in addition to pseudonyms. The defaults are the paper's way."""

    name: str
    samples_records: bool = False
    """Whether every published record of a firm is sampled from statistics of its industry (`anonymize/synthesis`)."""


LSD = Policy(name="lsd")
"""The paper's policy: fresh low-order digits (DataClaw, appendix A.2), everything else as it is."""

GUARDED = Policy(name="guarded", samples_records=True)
"""Protects against an attacker who has the register, the annual reports and this code."""

UNDER_LSD = (
    "publish under 'lsd', which keeps every record and measure, with low digits drawn anew, but lets anybody who has the "
    "originals find the owner of each record"
)
"""What remains to whoever lacks what `guarded` needs."""

POLICIES = {policy.name: policy for policy in (LSD, GUARDED)}


def find_policy(name: str) -> Policy:
    """Return the policy of that name, or raise `InputError`."""
    if name not in POLICIES:
        raise InputError.unknown("policy", name, POLICIES)
    return POLICIES[name]
