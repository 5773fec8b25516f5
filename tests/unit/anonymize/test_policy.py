"""The policies: found by name, the paper's being the one that does nothing more."""

from dataclasses import replace

import pytest

from anonymize.policy import GUARDED, LSD, POLICIES, Policy, find_policy


@pytest.mark.parametrize("policy", [LSD, GUARDED], ids=lambda policy: policy.name)
def test_a_policy_is_found_by_its_name(policy: Policy) -> None:
    """Each policy is known under the name that it carries."""
    assert find_policy(policy.name) is policy


def test_names_are_those_under_which_policies_are_listed() -> None:
    """The registry's keys are the policies' own names, so a manifest's name leads back to the policy."""
    assert {name: policy.name for name, policy in POLICIES.items()} == {"lsd": "lsd", "guarded": "guarded"}


def test_the_paper_s_policy_is_the_defaults() -> None:
    """`lsd` samples nothing."""
    assert replace(LSD, name="other") == Policy(name="other")
    assert not LSD.samples_records


def test_guarded_samples_records() -> None:
    """No published record is a real firm's."""
    assert GUARDED.samples_records
