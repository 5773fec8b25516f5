"""Re-identification: who owns a record? Attackers assign all records of an industry to originals at once (Hungarian method).

The industry of a published record is known, as are the industries of originals; nothing else about owners is given. Attackers
differ in what they know (`Knowledge`) and in how they compare: by distance, by unmixing, by what they learnt from shadow
releases, and with a second release of the same originals.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy

from pipeline.keyed import Key
from pipeline.model import PERIOD
from validation.attacks import Attack
from validation.attacks.adaptive.arrays import FirmArrays, Floats, Sight, arrays_of
from validation.attacks.adaptive.populations import AttackedRelease, Population
from validation.attacks.adaptive.reidentification.learning import LabelledExample, Learnt, is_pair, learnt
from validation.attacks.adaptive.reidentification.pairs import (
    REGISTER,
    Features,
    pair_features,
    score_distances,
    template_distances,
)
from validation.attacks.adaptive.reidentification.unmixing import Unmixer, unmixer_of

NEAREST, UNMIXING, LEARNED = (f"owner named by {way}" for way in ("distance", "unmixing", "what was learnt"))
WITH_REGISTER = f"{LEARNED}, with the register"
LINKED, JOINTLY = "two releases linked to each other", "owner named from two releases"
"""Names of the attacks."""

_UNMIXING, _TEMPLATES = "unmixing", "shadow releases"

_SMALL = 1e-9

Costs = Mapping[str, Floats]
"""By industry, shape (records, candidates)."""


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What an attacker knows of the originals."""

    text: str
    sight: Sight


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """A release as an attacker sees it, with the features of its pairs with the originals' firms."""

    side: FirmArrays
    truth: Mapping[str, str]
    unmixed: Costs
    features: Mapping[str, Features]


@dataclass(frozen=True, kw_only=True)
class _Attacker:
    """An attacker with some knowledge of the originals, and shadow releases."""

    knowledge: Knowledge
    originals: FirmArrays
    unmixer: Unmixer
    shadows: Sequence[_Seen]
    key: Key

    def sees(self, release: AttackedRelease) -> _Seen:
        """Return the release as the attacker sees it."""
        side = arrays_of(release.population, self.knowledge.sight)
        templates = _templates(self.originals, [(seen.side, seen.truth) for seen in self.shadows])
        return _seen(self.originals, self.unmixer, (side, release.truth), templates, self.knowledge.sight.register)

    def learnt(self, *, with_register: bool) -> Learnt | None:
        """Learn from shadow releases."""
        candidates = self.originals.by_industry()
        examples = [
            LabelledExample(features=features, is_pair=is_pair(records[industry], candidates[industry], seen.truth))
            for seen in self.shadows
            for records in (seen.side.by_industry(),)
            for industry, features in seen.features.items()
        ]
        return learnt(examples, _names(examples, with_register=with_register), self.key) if examples else None


def knowledges(originals: Population, known: Sequence[str], key: Key) -> list[Knowledge]:
    """Return the kinds of knowledge that are tried: all, one year, the known measures, and a keyed half of the measures.

    Args:
        originals: Has the measures and years; the one year is that with most records, the last of several.
        known: Measures that outsiders know; if there are none, this kind is not tried.
        key: Decides the half.
    """
    years = originals.figures[PERIOD].unique().sort()
    fullest = originals.figures[PERIOD].value_counts().sort("count", PERIOD)[PERIOD].tail(1)
    measures = originals.measures
    half = sorted(measures, key=lambda name: key.derive("half").digest(name))[: (len(measures) + 1) // 2]
    settings = {
        "all figures of all years": (years, measures, originals.flags),
        "all figures of the year with most records": (fullest, measures, originals.flags),
        f"all years of {', '.join(known)}": (years, known, ()),
        "a half of the measures, all years": (years, [name for name in measures if name in half], ()),
    }
    return [
        Knowledge(
            text=text,
            sight=Sight(years=tuple(years), measures=tuple(measures), flags=tuple(flags), register=originals.register),
        )
        for text, (years, measures, flags) in settings.items()
        if len(measures)
    ]


def reidentification_attacks(
    originals: Population,
    release: AttackedRelease,
    *,
    shadows: Sequence[AttackedRelease],
    knowledge: Knowledge,
    known: Sequence[str],
    key: Key,
    second: AttackedRelease | None = None,
) -> list[Attack]:
    """Name the owners of all records of a release that have figures.

    Args:
        originals: The originals; here they are cut down to what the attacker knows.
        release: The release under attack.
        shadows: Shadow releases: of the same originals, made by the attacker; without any, nothing is learnt.
        known: Measures that outsiders know, and that mechanisms may prefer.
        key: Decides which pairs are learnt from.
        second: Another release of the same originals; the attacker has both and does not know how their codes match.
    """
    attacker = _attacker(originals, shadows, knowledge, known, key)
    seen = attacker.sees(release)
    found = {NEAREST: _nearest(attacker.originals, seen.side), UNMIXING: seen.unmixed}
    if (model := attacker.learnt(with_register=False)) is not None:
        found[LEARNED] = _costs(model, seen)
    if knowledge.sight.register and (model := attacker.learnt(with_register=True)) is not None:
        found[WITH_REGISTER] = _costs(model, seen)
    attacks = [
        _named(name, knowledge.text, costs, (seen.side, attacker.originals), seen.truth)
        for name, costs in found.items()
    ]
    return attacks + ([] if second is None else list(_two_releases(attacker, seen, attacker.sees(second))))


def _attacker(
    originals: Population, shadows: Sequence[AttackedRelease], knowledge: Knowledge, known: Sequence[str], key: Key
) -> _Attacker:
    sight = knowledge.sight
    side = arrays_of(originals, sight)
    unmixer = unmixer_of(side, sight.measures, known)
    sides = [(arrays_of(each.population, sight), each.truth) for each in shadows]
    unmixer = unmixer.learnt(sides)
    seen = [
        _seen(side, unmixer, each, _templates(side, sides[:place] + sides[place + 1 :]), sight.register)
        for place, each in enumerate(sides)
    ]
    return _Attacker(knowledge=knowledge, originals=side, unmixer=unmixer, shadows=seen, key=key.derive("pairs"))


def _seen(
    originals: FirmArrays,
    unmixer: Unmixer,
    release: tuple[FirmArrays, Mapping[str, str]],
    templates: Floats,
    register: Sequence[str],
) -> _Seen:
    """Return a release as an attacker sees it.

    Args:
        originals: The originals as far as he knows them.
        unmixer: Computes the unmixing costs of pairs.
        release: The release and its truth.
        templates: Mean records of each original in other releases.
        register: Columns that a register has.
    """
    side, truth = release
    unmixed = unmixer.costs(side)
    places = originals.places()
    features = {
        industry: pair_features(records, originals.taken(places[industry]), register)
        | {_UNMIXING: unmixed[industry], _TEMPLATES: template_distances(records, templates[places[industry]])}
        for industry, records in side.by_industry().items()
        if industry in places
    }
    return _Seen(side=side, truth=truth, unmixed=unmixed, features=features)


def _templates(originals: FirmArrays, releases: Sequence[tuple[FirmArrays, Mapping[str, str]]]) -> Floats:
    """Return the mean scores of each original's records, shape (n, t, m), 0 (the median) where it has none."""
    total, count = np.zeros(originals.values.shape), np.zeros(originals.values.shape)
    for side, truth in releases:
        places = {code: place for place, code in enumerate(side.codes)}
        pairs = [(firm, places.get(truth.get(code, ""), -1)) for firm, code in enumerate(originals.codes)]
        firms, records = np.asarray([pair for pair in pairs if pair[1] >= 0], np.int64).reshape(-1, 2).T
        scores = side.scores[records]
        total[firms] += np.nan_to_num(scores)
        count[firms] += np.isfinite(scores)
    return total / np.maximum(count, 1.0)


def _names(examples: Sequence[LabelledExample], *, with_register: bool) -> list[str]:
    return [name for name in examples[0].features if with_register or not name.startswith(REGISTER)]


def _nearest(originals: FirmArrays, published: FirmArrays) -> Costs:
    candidates = originals.by_industry()
    return {
        industry: score_distances(records, candidates[industry])
        for industry, records in published.by_industry().items()
        if industry in candidates
    }


def _costs(model: Learnt, seen: _Seen) -> Costs:
    return {industry: model.costs(features) for industry, features in seen.features.items()}


def _assigned(costs: Floats) -> dict[int, int]:
    """Return the candidate of each record that gets one: the assignment with the smallest sum of costs."""
    # Rounded, because processors differ in last bits, and an assignment among equal costs would follow them.
    records, candidates = scipy.optimize.linear_sum_assignment(np.round(costs, 9))
    return dict(zip(records.tolist(), candidates.tolist(), strict=True))


def _named(
    name: str, knowledge: str, costs: Costs, sides: tuple[FirmArrays, FirmArrays], truth: Mapping[str, str]
) -> Attack:
    """Count the records that are assigned to their owner; `truth` maps candidates' codes to records'."""
    records, candidates = (side.by_industry() for side in sides)
    successes = total = 0
    chance = 0.0
    for industry, cost in costs.items():
        pairs = is_pair(records[industry], candidates[industry], truth)
        successes += sum(bool(pairs[pair]) for pair in _assigned(cost).items())
        total += len(cost)
        # A random assignment of n records among m candidates names each rightly with probability 1 / max(n, m).
        chance += len(cost) / max(cost.shape)
    return Attack(attack=name, knowledge=knowledge, records=total, successes=successes, chance=chance / max(total, 1))


def _two_releases(attacker: _Attacker, first: _Seen, second: _Seen) -> Iterator[Attack]:
    """Link the first release to the second, then name owners by both; with two shadow releases, both steps are learnt."""
    text = attacker.knowledge.text
    link = _links(attacker, first, second)
    across = _across(first, second)
    yield _named(LINKED, "two releases of the same originals", link, (first.side, second.side), across)
    model = attacker.learnt(with_register=False)
    costs = [seen.unmixed if model is None else _costs(model, seen) for seen in (first, second)]
    joint = {
        industry: cost + _through(link[industry], costs[1][industry])
        for industry, cost in costs[0].items()
        if industry in link
    }
    yield _named(JOINTLY, text, joint, (first.side, attacker.originals), first.truth)


def _across(first: _Seen, second: _Seen) -> dict[str, str]:
    """Return the code in the first release of each code in the second."""
    back = {published: original for original, published in second.truth.items()}
    return {code: first.truth.get(back.get(code, ""), "") for code in second.side.codes}


def _links(attacker: _Attacker, first: _Seen, second: _Seen) -> Costs:
    """Return the evidence against records of two releases belonging to the same firm."""
    examples, model = _link_examples(first, second), _linker(attacker)
    return {
        industry: example.features["scores"] if model is None else model.costs(example.features)
        for industry, example in examples.items()
    }


def _linker(attacker: _Attacker) -> Learnt | None:
    """Learn from every two shadow releases which of their records belong to the same firm."""
    pairs = combinations(attacker.shadows, 2)
    examples = [example for pair in pairs for example in _link_examples(*pair).values()]
    return learnt(examples, list(examples[0].features), attacker.key.derive("links")) if examples else None


def _link_examples(first: _Seen, second: _Seen) -> dict[str, LabelledExample]:
    """Return the pairs of records of two releases, by the industries that both have."""
    ones, others, across = first.side.by_industry(), second.side.by_industry(), _across(first, second)
    return {
        industry: LabelledExample(
            features=_link_features(
                ones[industry], others[industry], first.unmixed[industry], second.unmixed[industry]
            ),
            is_pair=is_pair(ones[industry], others[industry], across),
        )
        for industry in sorted(ones.keys() & others.keys())
    }


def _link_features(first: FirmArrays, second: FirmArrays, one: Floats, other: Floats) -> Features:
    """Return the features of pairs of records, and how much the two agree on who could be their owner."""
    likeness = _standard(one) @ _standard(other).T / one.shape[1]
    return pair_features(first, second, ()) | {"likely owners": -likeness}


def _standard(costs: Floats) -> Floats:
    # Costs of two sources are on different scales; standardised by record they can be added.
    centred = costs - costs.mean(axis=1, keepdims=True)
    standard: Floats = centred / np.maximum(centred.std(axis=1, keepdims=True), _SMALL)
    return standard


def _through(link: Floats, second: Floats) -> Floats:
    """Return the cost of a record of the first release for an original, by way of the best record of the second."""
    return np.stack([(costs[:, None] + second).min(axis=0) for costs in link])
