"""Events: how many an entity has, what stands in them, and whether its own are there, for whoever has all others'.

Whatever passes of a table of events is attacked, without a list of it: the statistics are taken again without the events of one
entity, and what is less then is what they contribute. Somebody without the key looks at rows in another order than the release
did, and draws other rows; statistics of another size for that reason are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from anonymize.synthesis import synthesise
from anonymize.synthesis.cube import Floats, Integers
from anonymize.synthesis.events.values import valued
from anonymize.tables import original_figures
from benchmarks.learnt.account.evidence import Evidence, added, evidence_of, membership
from benchmarks.learnt.account.expected import expected
from benchmarks.learnt.account.figures import TARGETS
from benchmarks.learnt.account.replayed import NOBODYS, replayed
from benchmarks.learnt.guesses import Guesses
from pipeline.model import Environment, Events, Frames
from validation.attacks.adaptive.findings import Auc
from validation.attacks.adaptive.inference import TOLERANCE
from validation.attacks.adaptive.values import NEAR

OTHERS_EVENTS = "all events of all other entities"


@dataclass(frozen=True, kw_only=True)
class EventsAttacked:
    """What releases disclose of one table."""

    table: str
    names: Sequence[str]
    """Codes of the entities with events."""
    evidence: Sequence[Evidence]
    """Of each release."""
    numbers: Mapping[str, Floats]
    """What is asked for: logarithms of the count of events, and of the mean size of each figure."""
    categories: Mapping[str, Floats]
    """Column -> which value each entity has most often, as zeros and a one, shape (entities, values)."""

    def learnt(self, releases: Sequence[int], *, targets: int = TARGETS) -> Iterator[Guesses]:
        """Yield what some of the releases disclose, as one."""
        evidence = added([self.evidence[place] for place in releases])
        peers = evidence.peers(NOBODYS, self.names)
        some = np.flatnonzero(peers != np.arange(len(peers)))[:targets]
        for name, truth in self.numbers.items():
            sides = expected(evidence, truth[:, None], some, peers[some])
            is_there = ~np.isnan(truth[some])
            apart = [np.abs(side[is_there, 0] - truth[some][is_there]) for side in sides]
            right, control, near = (
                apart[side] <= np.log10(1 + within) for side, within in ((0, TOLERANCE), (1, TOLERANCE), (0, NEAR))
            )
            yield self._guesses(name, some[is_there], right, control, near)
        for name, is_so in self.categories.items():
            guesses = [side.argmax(axis=1) for side in expected(evidence, is_so, some, peers[some])]
            right, control = (guess == is_so[some].argmax(axis=1) for guess in guesses)
            yield self._guesses(f"commonest {name}", some, right, control, None)

    def membership(self, releases: Sequence[int], *, targets: int = TARGETS) -> Auc:
        """Return how well an entity's events are distinguished from those of another one of its industry in their place."""
        return membership(added([self.evidence[place] for place in releases]), self.names, NOBODYS, games=targets)

    def _guesses(self, name: str, of: Integers, right: Any, control: Any, near: Any) -> Guesses:
        return Guesses(
            attack=f"{self.table}: {name}",
            knowledge=OTHERS_EVENTS,
            codes=[self.names[place] for place in of],
            right=right.astype(np.float64),
            control=control.astype(np.float64),
            near=None if near is None else near.astype(np.float64),
        )


def learnt_of_events(
    environment: Environment, events: Events, conformed: Frames, models: Sequence[Mapping[str, Any]]
) -> EventsAttacked:
    """Attack a table of events.

    Args:
        environment: Declares the events.
        events: The table.
        conformed: The originals, those of the target among them, which are taken away.
        models: `model.json` of each release.
    """
    rows = conformed[events.table]
    names = rows[events.entity].unique().sort().to_list()
    kind = environment.kind_of_events(events)
    listed = pl.concat([conformed[name].select(kind.code, kind.industry) for name in kind.tables if name in conformed])
    industry = dict(listed.unique(kind.code, keep="first").iter_rows())
    groups = np.unique([industry[name] or "" for name in names], return_inverse=True)[1].astype(np.int64)
    columns = valued(environment, environment.raw_table(events.table), events)
    entities = rows.group_by(events.entity).agg(
        pl.len().log10().alias("number of events"),
        *((1 + pl.col(each.name).abs().mean()).log10().alias(f"size of {each.name}") for each in events.measures),
        *(
            pl.col(each.name).drop_nulls().mode().sort().first().alias(f"{events.table} {each.name}")
            for each in columns
        ),
    )
    entities = entities.sort(events.entity)
    figures = [name for name in entities.columns[1:] if not name.startswith(f"{events.table} ")]
    return EventsAttacked(
        table=events.table,
        names=names,
        evidence=[_evidence(environment, events, conformed, each, names, groups) for each in models],
        numbers={name: entities[name].cast(pl.Float64).fill_null(float("nan")).to_numpy() for name in figures},
        categories={
            each.name: entities[f"{events.table} {each.name}"].cast(pl.String).fill_null("").to_dummies().to_numpy()
            * 1.0
            for each in columns
        },
    )


def _evidence(
    environment: Environment,
    events: Events,
    conformed: Frames,
    model: Mapping[str, Any],
    names: Sequence[str],
    groups: Integers,
) -> Evidence:
    """Return what one release discloses: statistics of the table as they are with all, and without each entity's events."""
    rows = conformed[events.table]
    totals = _taken(environment, events, conformed, model)
    without = [
        _taken(environment, events, {**conformed, events.table: rows.filter(pl.col(events.entity) != name)}, model)
        for name in names
    ]
    passed = replayed(model).passed
    always = [
        name for name in totals if all(name in each and each[name].shape == totals[name].shape for each in without)
    ]
    contributions = {name: np.stack([(totals[name] - each[name]).ravel() for each in without]) for name in always}
    return evidence_of(contributions, {name: totals[name].ravel() for name in always}, passed, groups)


def _taken(environment: Environment, events: Events, conformed: Frames, model: Mapping[str, Any]) -> dict[str, Floats]:
    """Return the sums that would pass of a table of events."""
    account = replayed(model, is_whole=False)
    originals = original_figures(environment, conformed)
    synthesise(environment, conformed, originals, NOBODYS, budget=model["account"]["budget"], account=account)
    return {name: each for name, each in account.totals.items() if name.startswith(f"{events.table}: ")}
