"""Every leak is noticed by the check that is there for it, and sound tables by none."""

import pytest

from anonymize.policy import POLICIES
from tests.leaks.catalogue import LEAKS
from tests.leaks.laboratory import noticed
from tests.leaks.leak import Check, Leak

SOUND = [
    Leak(name=name, does="Nothing.", meant=Check.LOAD, says="", policy=policy) for name, policy in POLICIES.items()
]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.name)
def test_each_leak_is_noticed_by_its_check(leak: Leak) -> None:
    """The check that is meant for a leak notices it, and says which column is at fault."""
    found = noticed(leak, [leak.meant])
    assert leak.meant in found, found
    assert leak.says in found[leak.meant]


@pytest.mark.parametrize("leak", SOUND, ids=lambda leak: leak.name)
def test_sound_tables_are_noticed_by_none(leak: Leak) -> None:
    """Without a leak no check notices anything, under either policy."""
    assert noticed(leak) == {}


def test_every_check_has_a_leak() -> None:
    """Each check that is there finds a leak, and names are not given twice."""
    assert {leak.meant for leak in LEAKS} == set(Check)
    assert len({leak.name for leak in LEAKS}) == len(LEAKS)
