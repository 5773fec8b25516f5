"""Membership: can a firm that is in the release be distinguished from one that was left out?

Every firm is scored against two control releases of the same size: one made without it, and the next, made with it. All scores
are on the scale of the originals (normal scores within industry and year), so that they are comparable. If there are further
controls, the firm's mean score there is subtracted (calibration as in Carlini et al. 2022).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from pipeline.wording import counted
from validation.attacks.adaptive.arrays import FirmArrays, Floats, Sight, arrays_of, side_by_side
from validation.attacks.adaptive.findings import Auc, auc
from validation.attacks.adaptive.populations import FOLDS, Control, Population

NEAREST, DENSITY, TRACING, SECOND_MOMENTS = (
    f"membership by the {score}"
    for score in ("nearest record", "five nearest records", "industry's means", "industry's covariances")
)
"""Names of the attacks: by distances, and by first and second moments (Homer et al. 2008)."""

_FEW = 5


def membership_attacks(originals: Population, controls: Sequence[Control]) -> list[Auc]:
    """Distinguish members from firms that were left out; nothing with fewer than two controls.

    Args:
        originals: All figures of all firms.
        controls: Each made without some of them.
    """
    if len(controls) < 2:  # noqa: PLR2004
        return []
    sight = Sight.of_all(originals)
    firms = arrays_of(originals, sight)
    scores = [_scores(firms, arrays_of(control.release.population, sight), control.left_out) for control in controls]
    is_out = np.asarray([[code in control.left_out for code in firms.codes] for control in controls])
    text = "all figures of all firms, and releases without some of them"
    return [_separated(name, text, np.stack([score[name] for score in scores]), is_out) for name in scores[0]]


def _separated(name: str, text: str, scores: Floats, is_out: np.ndarray) -> Auc:
    """Compare each firm that is left out once; arrays of shape (controls, firms)."""
    firms = np.flatnonzero(is_out.sum(axis=0) == 1)
    out = is_out[:, firms].argmax(axis=0)
    member = (out + 1) % len(scores)
    mine = scores[:, firms]
    columns = np.arange(len(firms))
    is_other = np.ones(mine.shape, np.bool_)
    is_other[out, columns] = is_other[member, columns] = False
    usual = np.where(is_other, mine, 0.0).sum(axis=0) / np.maximum(is_other.sum(axis=0), 1)
    return auc(
        name,
        text,
        members=mine[member, columns] - usual,
        others=mine[out, columns] - usual,
        detail=f"{counted(len(firms), 'firm')}, each tried twice: left out of one release, and in another. "
        f"{len(scores)} releases were made, each without a tenth of the firms{_OF_MORE if len(scores) < FOLDS else ''}.",
    )


_OF_MORE = f"; `silt audit` makes {FOLDS}, and tries all"


def _scores(firms: FirmArrays, release: FirmArrays, left_out: frozenset[str]) -> Mapping[str, Floats]:
    """Return how much each firm looks like a member of a release, by each score."""
    found = {name: np.zeros(len(firms.codes)) for name in (NEAREST, DENSITY, TRACING, SECOND_MOMENTS)}
    published = release.by_industry()
    is_member = np.asarray([code not in left_out for code in firms.codes])
    for industry, places in firms.places().items():
        if industry not in published:
            continue
        here = firms.taken(places)
        points = side_by_side(np.nan_to_num(here.scores))
        records = side_by_side(on_scale(here, published[industry]))
        distances = np.sort(scipy.spatial.distance.cdist(points, records), axis=1)
        found[NEAREST][places] = -distances[:, 0]
        found[DENSITY][places] = -distances[:, :_FEW].mean(axis=1)
        found[TRACING][places], found[SECOND_MOMENTS][places] = _traced(points, records, is_member[places])
    return found


def on_scale(originals: FirmArrays, release: FirmArrays) -> Floats:
    """Return the release's figures as normal scores among the originals', 0 (the median) for gaps."""
    scores = np.zeros(release.values.shape)
    for year, measure in np.ndindex(release.values.shape[1:]):
        known = originals.values[:, year, measure]
        ordered = np.sort(known[np.isfinite(known)])
        values = release.values[:, year, measure]
        if len(ordered):
            ranks = (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / 2
            among = scipy.special.ndtri(np.clip(ranks / len(ordered), 0.5 / len(ordered), 1 - 0.5 / len(ordered)))
            scores[:, year, measure] = np.where(np.isfinite(values), among, 0.0)
    return scores


def _traced(points: Floats, records: Floats, is_member: np.ndarray) -> tuple[Floats, Floats]:
    """Return inner products of each firm's moments with the release's excess over the moments of the other members."""
    members = points[is_member]
    count = np.maximum(len(members) - is_member, 1)[:, None]
    own = points * is_member[:, None]
    means = (members.sum(axis=0) - own) / count
    first = ((points - means) * (records.mean(axis=0) - means)).sum(axis=1)
    released, among = records.T @ records / len(records), members.T @ members
    # z' (released - among others) z, where the others are the members but the firm itself.
    squares = (points**2).sum(axis=1)
    others = (_forms(points, among) - is_member * squares**2) / count[:, 0]
    return first, _forms(points, released) - others


def _forms(points: Floats, matrix: Floats) -> Floats:
    forms: Floats = ((points @ matrix) * points).sum(axis=1)
    return forms
