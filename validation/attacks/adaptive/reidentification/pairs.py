"""Pairs: numbers that speak for or against a record of one population and one of another belonging to the same firm.

Every number is a distance or a disagreement and does not depend on a mechanism. Which of them matter, and how much, is learnt
(`learning.py`).
"""

from collections.abc import Iterator, Sequence

import numpy as np
import scipy

from validation.attacks.adaptive.arrays import Booleans, FirmArrays, Floats, Integers, side_by_side

Features = dict[str, Floats]
"""By name, shape (records, candidates)."""

REGISTER = "register: "
"""Prefix of the names of features that need a register."""

_SMALL = 1e-3

_EXPONENTS = 64
_MANTISSAS = 2048
_DIGITS = 3


def score_distances(records: FirmArrays, candidates: FirmArrays) -> Floats:
    """Return mean squared differences of normal scores, and of which figures are gaps, over the years that both report."""
    return _mean_squares(records.scores, candidates.scores) + _disagreement(
        np.isnan(records.values), np.isnan(candidates.values), records.has_row, candidates.has_row
    )


def pair_features(records: FirmArrays, candidates: FirmArrays, register: Sequence[str]) -> Features:
    """Return the features of all pairs of records and candidates of one industry; both have the same `Sight`.

    Args:
        records: Records whose owner is looked for.
        candidates: Firms among whom it is looked for.
        register: Names of the register columns.
    """
    distance, levels = scipy.spatial.distance, [firms.filled.mean(axis=1) for firms in (records, candidates)]
    return {
        "scores": np.log(_mean_squares(records.scores, candidates.scores) + _SMALL),
        "ranks": np.log(_mean_squares(records.ranks, candidates.ranks) + _SMALL),
        "logs": np.log(_mean_squares(records.logs, candidates.logs) + _SMALL),
        "levels": np.log(distance.cdist(levels[0], levels[1], "sqeuclidean") + _SMALL),
        "growth": np.log(_mean_squares(_growth(records), _growth(candidates)) + _SMALL),
        "direction": distance.cdist(_directions(records), _directions(candidates)),
        "recurring values": -np.log1p(_recurring(records, candidates)),
        **_patterns(records, candidates),
        **dict(_register(records, candidates, register)),
    }


def template_distances(records: FirmArrays, templates: Floats) -> Floats:
    """Return logarithms of mean squared differences between the scores of records and those of templates, (n, t, m)."""
    return np.log(_mean_squares(records.scores, templates) + _SMALL)


def _mean_squares(left: Floats, right: Floats) -> Floats:
    """Return mean squared differences over the cells that both have, of shapes (n, ...) and (m, ...): shape (n, m).

    Pairs without a common cell get the largest mean of all pairs.
    """
    left, right = side_by_side(left), side_by_side(right)
    is_common = np.isfinite(left).any(axis=0) & np.isfinite(right).any(axis=0)
    (a, in_a), (b, in_b) = _masked(left[:, is_common]), _masked(right[:, is_common])
    count = in_a @ in_b.T
    squares = (a**2) @ in_b.T + in_a @ (b**2).T - 2 * a @ b.T
    means = np.where(count > 0, np.maximum(squares, 0.0) / np.maximum(count, 1.0), -1.0)
    return np.where(means < 0, means.max(initial=0.0), means)


def _masked(values: Floats) -> tuple[Floats, Floats]:
    is_there = np.isfinite(values)
    return np.where(is_there, values, 0.0), is_there.astype(np.float64)


def _growth(side: FirmArrays) -> Floats:
    """Return differences of logarithms from year to year, cut at a factor of e cubed; NaN without both years."""
    growth: Floats = np.clip(np.diff(side.logs, axis=1), -3.0, 3.0)
    return growth


def _directions(side: FirmArrays) -> Floats:
    """Return the scores of each firm, its vector scaled to length one."""
    directions: Floats = side.points / np.maximum(np.linalg.norm(side.points, axis=1, keepdims=True), _SMALL)
    return directions


def _patterns(records: FirmArrays, candidates: FirmArrays) -> Features:
    """Return the share of cells in which gaps, zeros, flags and years disagree, and whether any does."""
    rows = records.has_row, candidates.has_row
    shares = {
        "gaps": _disagreement(np.isnan(records.values), np.isnan(candidates.values), *rows),
        "zeros": _disagreement(records.values == 0, candidates.values == 0, *rows),
        "flags": _disagreement(records.flags, candidates.flags, *rows),
        "years": scipy.spatial.distance.cdist(rows[0].astype(np.float64), rows[1].astype(np.float64), "cityblock"),
    }
    return shares | {f"{name} disagree": (share > 0).astype(np.float64) for name, share in shares.items()}


def _disagreement(left: Booleans, right: Booleans, left_rows: Booleans, right_rows: Booleans) -> Floats:
    """Return the share of cells that disagree, in years of which both have a record; 0 without such a year."""
    a, b = (np.where(rows[:, :, None], states, np.nan) for states, rows in ((left, left_rows), (right, right_rows)))
    common = left_rows.astype(np.float64) @ right_rows.T
    return np.where(common > 0, _mean_squares(a, b), 0.0) if left.shape[2] else np.zeros(common.shape)


def _recurring(records: FirmArrays, candidates: FirmArrays) -> Floats:
    """Return how many figures are equal to three digits; figures that few candidates have count more."""
    cells = [_cells(side) for side in (records, candidates)]
    domain = np.unique(np.concatenate([cell[1] for cell in cells]))
    if not len(domain):
        return np.zeros((len(records.codes), len(candidates.codes)))
    counts = [
        scipy.sparse.csr_array(
            (np.ones(len(ids)), (rows, np.searchsorted(domain, ids))), shape=(len(side.codes), len(domain))
        )
        for (rows, ids), side in zip(cells, (records, candidates), strict=True)
    ]
    holders = np.maximum(np.asarray(counts[1].sum(axis=0)).ravel(), 1.0)
    shared: Floats = (counts[0] @ scipy.sparse.diags_array(1 / holders) @ counts[1].T).toarray()
    return shared


def _cells(side: FirmArrays) -> tuple[Integers, Integers]:
    """Return the firm and the identity of each figure: its cell and three leading digits; zeros and gaps are left out."""
    flat = side_by_side(side.values)
    firms, cells = np.nonzero(np.isfinite(flat) & (flat != 0))
    mantissas, exponents = three_digits(flat[firms, cells])
    identities = (cells * _EXPONENTS + exponents % _EXPONENTS) * _MANTISSAS + mantissas + _MANTISSAS // 2
    return firms, identities


def three_digits(values: Floats) -> tuple[Integers, Integers]:
    """Return signed three-digit mantissas and exponents of values that are not zero: value ~ mantissa * 10**exponent."""
    exponents = np.floor(np.log10(np.abs(values))).astype(np.int64) - (_DIGITS - 1)
    mantissas = np.round(values / 10.0**exponents).astype(np.int64)
    is_carried = np.abs(mantissas) == 10**_DIGITS
    return np.where(is_carried, mantissas // 10, mantissas), exponents + is_carried


def _register(records: FirmArrays, candidates: FirmArrays, names: Sequence[str]) -> Iterator[tuple[str, Floats]]:
    """Yield for each column whether the two agree, and whether they disagree; if one is blank they do neither."""
    for column, name in enumerate(names):
        stated, registered = (
            np.asarray([row[column] or "" for row in side.register]) for side in (records, candidates)
        )
        is_filled = (stated != "")[:, None] & (registered != "")[None, :]
        is_equal = stated[:, None] == registered[None, :]
        yield f"{REGISTER}{name} agrees", (is_filled & is_equal).astype(np.float64)
        yield f"{REGISTER}{name} disagrees", (is_filled & ~is_equal).astype(np.float64)
