"""Chooses for each firm a mixture of near neighbours of its own industry, never itself: whose figures make its new ones.

A mixture is affine: coefficients a_1..a_k that sum to one, over k of the firm's nearest neighbours. Weights alone would
pull every firm to the middle, so noise of the neighbours' own spread is added along the differences between them, which
keeps correlations. One mixture serves all measures and years of a firm, so that its panel stays coherent.

Of `CANDIDATES` keyed mixtures the one is taken that (1) leaves as many other originals nearer to the new record than the
firm's own as its keyed draw demands, and does not make the largest contributor the nearest; (2) stays near to the firm;
(3) keeps the second moments of the industry: each choice makes up for the error of the choices before it (herding,
Welling 2009). Where (1) cannot be had, the candidate that comes nearest to it is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from pipeline.keyed import Key

from .cube import Cube, Floats, Integers, filled_over_years

CONTRIBUTORS = 5
"""Firms in a mixture."""

NEIGHBOURS = 12
"""Nearest firms out of which contributors are drawn."""

CANDIDATES = 256
"""Mixtures among which one is chosen."""

COMPETITORS = 40
"""Originals around a firm that are counted as nearer or not: far more than any demand."""

SPREAD = 1.0
"""Standard deviation of the noise along the neighbours' differences; 1 makes up for the variance that mixing takes away."""

KNOWN_WEIGHT = 20.0
"""How much more a measure counts that outsiders know: they attack with it, and analysts look at it first."""

LARGEST_MAY_BE_NEAREST = 0.1
"""Share of firms of which the largest contributor may be the nearest original."""

_PENALTY = 1.5
"""What each missing rank costs, in mean squared normal scores: more than near neighbours differ."""

_MOMENTS = 0.5
"""Weight of the industry's second moments against the firm's own displacement."""

_CLEARLY = 0.8
"""Share of the owner's squared distance below which an original counts as nearer: the figures that a record will get
differ a little from those foreseen here."""

_DIGITS = 9
"""Decimals that decide: below them a sum may differ from machine to machine, and equals are told apart by keyed order."""


@dataclass(frozen=True, kw_only=True)
class Mixtures:
    """Contributors and coefficients of n firms, the largest weight first, shapes (n, k)."""

    contributors: Integers
    coefficients: Floats
    weights: Floats
    """The coefficients without their noise: positive, their sum one; 0 where a firm has fewer contributors."""


@dataclass(frozen=True, kw_only=True)
class _Industry:
    """What one group of n firms looks like: scores of all m measures, known figures in y years (those with most records)."""

    scores: Floats
    """Means over the years, shape (n, m): to stay near in one year alone would show the owner in that year."""
    known_scores: Floats
    """Shape (n, y, v)."""
    logs: Floats
    """Shape (n, y, v)."""
    sorted_scores: Floats
    sorted_logs: Floats
    """Both sorted by firm: what a score is worth in figures, shape (n, y, v)."""
    neighbours: Integers
    """Shape (n, k), nearest first."""
    competitors: Integers
    """Shape (n, y, k): the nearest others by the known figures of each year."""


def choose_mixtures(
    cube: Cube,
    scores: Floats,
    groups: Sequence[Integers],
    *,
    known: Sequence[int],
    strength: int,
    key: Key,
) -> Mixtures:
    """Choose a mixture for every firm.

    Args:
        cube: The originals.
        scores: Their normal scores, NaN where nothing is reported.
        groups: Positions of the firms among which neighbours are looked for; each has two at least.
        known: Positions of the measures that outsiders know.
        strength: The most originals that are demanded to be nearer than the own one; the demand is uniform on 0..strength.
        key: Key of this purpose.
    """
    records = cube.has_row.sum(axis=0)
    years = np.flatnonzero(2 * records >= records.max())
    importance = np.ones(scores.shape[2])
    importance[known] = KNOWN_WEIGHT
    importance /= importance.sum()
    filled = np.nan_to_num(filled_over_years(scores))
    logs = np.nan_to_num(filled_over_years(cube.logs))[:, years][:, :, known]
    scores_of_known = filled[:, years][:, :, known]
    gaps = np.isnan(scores).mean(axis=1) / np.sqrt(scores.shape[2])
    places = np.concatenate([filled.mean(axis=1) * np.sqrt(importance), gaps], axis=1)
    shape = (len(cube.firms), CONTRIBUTORS)
    mixtures = Mixtures(contributors=np.zeros(shape, np.int64), coefficients=np.zeros(shape), weights=np.zeros(shape))
    for group in groups:
        of_group = scores_of_known[group], logs[group]
        industry = _Industry(
            scores=filled[group][:, years].mean(axis=1),
            known_scores=of_group[0],
            logs=of_group[1],
            sorted_scores=np.sort(of_group[0], axis=0),
            sorted_logs=np.sort(of_group[1], axis=0),
            neighbours=_nearest(places[group], NEIGHBOURS),
            competitors=np.stack([_nearest(logs[group, y], COMPETITORS) for y in range(len(years))], axis=1),
        )
        _choose(industry, group, [cube.firms[place] for place in group], importance, strength, key, mixtures)
    return mixtures


def _choose(
    industry: _Industry,
    group: Integers,
    firms: Sequence[str],
    importance: Floats,
    strength: int,
    key: Key,
    mixtures: Mixtures,
) -> None:
    """Choose for the firms of one group, in their (keyed) order, and write down what is chosen."""
    size, measures = industry.scores.shape
    contributors = min(CONTRIBUTORS, size - 1)
    moments_weight = _MOMENTS * measures / size
    root = np.sqrt(importance)
    error = np.zeros((measures, measures))
    for place, firm in enumerate(firms):
        chosen, weights, coefficients, draws = _candidates(industry.neighbours[place], contributors, firm, key)
        own = industry.scores[place]
        moved = _combined(coefficients, industry.scores[chosen])
        displacement = (moved - own) ** 2 @ importance
        new, old = moved * root, own * root
        # The squared Frobenius norm of error + new new' - old old', up to what all candidates share.
        moments = 2 * ((new @ error) * new).sum(axis=1) + (new**2).sum(axis=1) ** 2 - 2 * (new @ old) ** 2
        cost = (
            displacement + moments_weight * moments + _penalty(industry, place, chosen, coefficients, strength, draws)
        )
        best = int(np.round(cost, _DIGITS).argmin())
        error += np.outer(new[best], new[best]) - np.outer(old, old)
        mixtures.contributors[group[place], :contributors] = group[chosen[best]]
        mixtures.coefficients[group[place], :contributors] = coefficients[best]
        mixtures.weights[group[place], :contributors] = weights[best]


def _candidates(
    neighbours: Integers, contributors: int, firm: str, key: Key
) -> tuple[Integers, Floats, Floats, Floats]:
    """Draw candidates: contributors, weights and coefficients of shape (candidates, k), and two uniforms for the demands."""
    near = len(neighbours)
    uniforms = key.uniforms(2 + CANDIDATES * (near + 2 * contributors), firm)
    draws, rest = uniforms[:2], uniforms[2:].reshape(CANDIDATES, near + 2 * contributors)
    chosen = neighbours[rest[:, :near].argsort(axis=1, kind="stable")[:, :contributors]]
    # The square root of an exponential draw: weights that differ, none of which is much above the others.
    weights = np.sqrt(-np.log1p(-rest[:, near : near + contributors]))
    weights = -np.sort(-weights / weights.sum(axis=1, keepdims=True), axis=1)
    noise = ndtri(rest[:, near + contributors :] + 2.0**-54) * np.sqrt(weights)
    coefficients = weights + SPREAD * (noise - weights * noise.sum(axis=1, keepdims=True))
    return chosen, weights, coefficients, draws


def _penalty(
    industry: _Industry, place: int, chosen: Integers, coefficients: Floats, strength: int, draws: Floats
) -> Floats:
    """Return what each candidate costs for the originals that it fails to put before the owner, in its worst year."""
    years, known = industry.logs.shape[1:]
    demanded = int(draws[0] * (strength + 1))
    is_hidden = bool(strength and draws[1] >= LARGEST_MAY_BE_NEAREST)
    moved = _combined(coefficients, industry.known_scores.reshape(-1, years * known)[chosen]).reshape(-1, years, known)
    missing = np.zeros(len(chosen))
    for year in range(years):
        logs = industry.logs[:, year]
        seen = _figures(moved[:, year], industry.sorted_scores[:, year], industry.sorted_logs[:, year])
        others = _squares(seen, logs[industry.competitors[place, year]])
        owner = ((seen - logs[place]) ** 2).sum(axis=1)
        contributor = ((seen - logs[chosen[:, 0]]) ** 2).sum(axis=1)
        shortage = _shortage(demanded, others, owner)
        is_nearest = contributor <= np.minimum(others.min(axis=1), owner)
        missing = np.maximum(missing, shortage + (is_nearest & is_hidden))
    return _PENALTY * missing


def _shortage(demanded: int, others: Floats, owner: Floats) -> Integers:
    """Return by how many of the others each candidate fails the demand, of which they must be twice as many."""
    missing: Integers = min(demanded, others.shape[1] // 2) - (others < _CLEARLY * owner[:, None]).sum(axis=1)
    return missing.clip(min=0)


def _figures(moved: Floats, scores: Floats, logs: Floats) -> Floats:
    """Return the logarithms of the figures that mixed scores will be given, between the industry's sorted ones."""
    return np.stack([np.interp(moved[:, j], scores[:, j], logs[:, j]) for j in range(scores.shape[1])], axis=1)


def _combined(coefficients: Floats, scores: Floats) -> Floats:
    """Return the candidates' affine combinations, from shapes (c, k) and (c, k, m)."""
    combined: Floats = (coefficients[:, None, :] @ scores)[:, 0]
    return combined


def _nearest(places: Floats, count: int) -> Integers:
    """Return the positions of the nearest others of each row, nearest first; of equals the first."""
    squares = np.round(_squares(places, places), _DIGITS)
    np.fill_diagonal(squares, np.inf)
    return squares.argsort(axis=1, kind="stable")[:, : min(count, len(places) - 1)]


def _squares(left: Floats, right: Floats) -> Floats:
    """Return squared Euclidean distances, shape (len(left), len(right))."""
    squares: Floats = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2 * (left @ right.T)
    return squares
