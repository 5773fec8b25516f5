"""What each part of a release may spend of its budget, by which parts there are. What a part does with it is its own affair."""

from collections.abc import Mapping

from anonymize.synthesis.account import shared_out
from anonymize.synthesis.entities.categories import MOST_OF_CATEGORIES
from anonymize.synthesis.entities.rows import tables_beside
from pipeline.model import Environment, Frames

_SHARES: Mapping[str, float] = {"panel": 0.8, "attributes": 0.04, "events": 0.16}
"""Part -> its share of the budget; what is not there leaves it to the others. Tables of events have equal parts of theirs."""

_MOST_OF_ATTRIBUTES = 0.3
"""Part of the budget that attributes may spend, where they are so many that they need it."""


def most_attributes(environment: Environment, conformed: Frames) -> int:
    """Return how many attributes there are at most: columns of tables about entities, and two for each table."""
    kinds = environment.kinds
    named = {name for kind in kinds for name in kind.tables}
    named |= {table.name for kind in kinds for table in tables_beside(environment, kind, conformed)}
    return sum(len(conformed[name].columns) + 2 for name in named if name in conformed)


def spent_on_an_attribute(environment: Environment, conformed: Frames, budget: float) -> float:
    """Return what each attribute may spend."""
    most = max(most_attributes(environment, conformed), 1)
    return min(MOST_OF_CATEGORIES, spending(environment, conformed, budget)["attributes"] / most)


def spending(environment: Environment, conformed: Frames, budget: float) -> dict[str, float]:
    """Return what each part may spend: those that are there, of events each table."""
    tables = sum(events.table in conformed for events in environment.events)
    is_there = {"panel": bool(environment.panel), "attributes": True, "events": tables > 0}
    parts = [(part, share) for part, share in _SHARES.items() if is_there[part]]
    spends = dict(shared_out(budget, parts))
    wanted = min(MOST_OF_CATEGORIES * most_attributes(environment, conformed), _MOST_OF_ATTRIBUTES * budget)
    if wanted > spends["attributes"]:
        others = [(part, share) for part, share in parts if part != "attributes"]
        spends = dict(shared_out(budget - wanted, others)) | {"attributes": wanted}
    return spends | ({"events": spends["events"] / tables} if tables else {})
