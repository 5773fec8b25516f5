"""The policies: what a release does about figures and quasi-identifiers, by name.

What a policy is worth, the attacks find out (`validation/attacks`), and what they may find at most stands in
`validation/attacks/limits.py`; why there are two, in `anonymize/__init__.py`.
"""

from dataclasses import dataclass

from pipeline.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a release does besides giving pseudonyms. The defaults are the paper's way."""

    name: str
    samples_records: bool = False
    """Whether everything that is published of a firm is sampled from statistics of its industry (`anonymize/synthesis`)."""


LSD = Policy(name="lsd")
"""The paper's: fresh low-order digits (DataClaw, appendix A.2), everything else as it is."""

GUARDED = Policy(name="guarded", samples_records=True)
"""Against whoever has the register, the annual reports and this code."""

POLICIES = {policy.name: policy for policy in (LSD, GUARDED)}


def find_policy(name: str) -> Policy:
    """Return the policy of that name, or raise `InputError`."""
    if name not in POLICIES:
        raise InputError.unknown("policy", name, POLICIES)
    return POLICIES[name]
