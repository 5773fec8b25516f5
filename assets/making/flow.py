"""How originals flow through the steps, checked before a build starts: where records are sampled, only through declared doors.

Originals come in by one parameter, the raw tables. A step that uses it, or reads a place that holds originals, makes places
that hold originals: all that it makes but its doors. Such a place is the curator's. Any other one is published, or made for
what is, and may hold none. Belongs here: the walk, and the doors in words. Steps declare which place is a door (`step.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from assets.making.keys import Place, Stage
from assets.making.parameters import RAW
from pipeline.errors import GateError

if TYPE_CHECKING:
    from assets.making.step import Step

_CURATORS = frozenset({Stage.RAW, Stage.CONFORMED, Stage.IDENTITY, Stage.CURATOR})
"""Stages of which nothing is published. Ledgers are not among them: reports tell of what stands there."""

_TABLES = "the raw tables"


class Door(StrEnum):
    """What passes from the originals to what is published where records are sampled, as `privacy.json` says it."""

    STATISTICS = (
        "statistics of the originals, all listed in model.json, and what is drawn from them under the release key"
    )
    MAP = (
        "codes, names and texts that are not about a company: a map under the release key puts pseudonyms into them; every "
        "published file is searched for what it replaces"
    )
    OUTCOME = "the outcome of gates: kept or not"


class FlowError(GateError):
    """A step would let originals out."""


def refuse_leaks(steps: Sequence["Step"]) -> None:
    """Refuse steps that make a place that is not the curator's of originals, and that is no door.

    Args:
        steps: All steps, each after those that it reads, as they are where records are sampled (`Step.under`).

    Raises:
        FlowError: There are such steps; it names each, with the way from the originals.
    """
    ways = ways_of_originals(steps)
    leaks = [
        f"step {step.label!r} makes {_name(place)} of the originals, by way of {' -> '.join(ways[place])}"
        for step in steps
        for place in sorted(step.makes & ways.keys())
        if place[0] not in _CURATORS
    ]
    if leaks:
        listed = "\n  ".join(leaks)
        raise FlowError(
            "where records are sampled, nothing published may be made of originals but through a declared door:\n  "
            f"{listed}\nread a door instead, or declare one (assets/making/flow.py)"
        )


def ways_of_originals(steps: Sequence["Step"]) -> Mapping[Place, tuple[str, ...]]:
    """Return each place that holds originals, with the way that leads there from the raw tables."""
    ways: dict[Place, tuple[str, ...]] = {}
    for step in steps:
        if (way := next(_ways_into(step, ways), None)) is not None:
            ways |= {place: (*way, _name(place)) for place in step.makes - step.doors.keys()}
    return ways


def doors_of(steps: Sequence["Step"]) -> Mapping[Place, Door]:
    """Return the doors that are used: those of steps that originals reach."""
    ways = ways_of_originals(steps)
    return {place: door for step in steps if any(_ways_into(step, ways)) for place, door in step.doors.items()}


def _ways_into(step: "Step", ways: Mapping[Place, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    if RAW in step.uses:
        yield (_TABLES,)
    yield from (ways[place] for place in sorted(step.reads) if place in ways)


def _name(place: Place) -> str:
    return "/".join(place)
