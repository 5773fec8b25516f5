"""The policies: what a release does about figures, quasi-identifiers and small cells, by name.

What a policy is worth, the attacks find out (`validation/attacks`), and what they may find at most stands in
`validation/attacks/limits.py`; why there are two, in `anonymize/__init__.py`.
"""

from dataclasses import dataclass, field

from pipeline.errors import InputError
from pipeline.suppression import CellRule


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a release does besides giving pseudonyms. The defaults are the paper's way."""

    name: str
    rebuilds_figures: bool = False
    """Whether figures are rebuilt from near neighbours before their low digits are perturbed."""
    k: int = 1
    """Size that every class of quasi-identifiers has at least; with 1 they are kept, and the sizes told."""
    cells: CellRule = field(default_factory=CellRule)
    """What a cell of an aggregate must be for its statistics to be published."""


LSD = Policy(name="lsd")
"""The paper's: fresh low-order digits (DataClaw, appendix A.2), everything else as it is."""

GUARDED = Policy(name="guarded", rebuilds_figures=True, k=5, cells=CellRule(minimum_count=3, largest_share=0.85))
"""Against whoever has the register and the annual reports. Five is the usual least k (ARX, sdcMicro); three firms and
85 % of a cell are rules of thumb of statistical offices (Hundepool et al. 2012, section 4.2)."""

POLICIES = {policy.name: policy for policy in (LSD, GUARDED)}


def find_policy(name: str) -> Policy:
    """Return the policy of that name, or raise `InputError`."""
    if name not in POLICIES:
        raise InputError.unknown("policy", name, POLICIES)
    return POLICIES[name]
