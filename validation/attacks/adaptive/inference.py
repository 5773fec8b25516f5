"""Inference: how well does an attacker who knows some figures of a firm infer its others from the release?

Each other figure is guessed in two ways from the published records of the industry and year: by a ridge regression of its
signed logarithm on those of the known figures (and whether they are zero), and from the published record that is nearest in
the known figures. The same is guessed from a control release made without the firm, because laws of the industry that hold
without the firm are no harm to it. A guess is right within a tenth of the value.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import scipy

from pipeline.wording import exact_percent
from validation.attacks.adaptive.arrays import Booleans, FirmArrays, Floats, Integers, Sight, arrays_of, unlogged
from validation.attacks.adaptive.findings import Gain, gain
from validation.attacks.adaptive.populations import AttackedRelease, Control, Population

TOLERANCE = 0.1
"""Largest relative error of a right guess."""

REGRESSION, NEAREST = "other figures inferred by regression", "other figures inferred by the nearest record"
"""Names of the attacks; reports publish them."""

FEWEST_RECORDS = 20
"""With fewer records of an industry and year, the regression uses all industries of the year (our choice)."""

_RIDGE = 1.0

_ABSENT = 5.0
"""Distance of a zero or a gap from other figures, in logarithms."""


def inference_attacks(
    originals: Population, release: AttackedRelease, controls: Sequence[Control], *, known: Sequence[str]
) -> list[Gain]:
    """Guess the other figures of every firm that some control leaves out, from the release and from that control.

    Args:
        originals: All firms that are guessed about.
        release: Made with all of them.
        controls: Each made without some.
        known: Measures of a firm that the attacker knows.
    """
    sight = Sight.of_all(originals)
    is_known = np.asarray([measure in known for measure in sight.measures])
    published = arrays_of(release.population, sight)
    firms = arrays_of(originals, sight)
    counts: dict[str, list[Floats]] = {REGRESSION: [], NEAREST: []}
    for control in controls if is_known.any() and not is_known.all() else ():
        asked = firms.taken(np.flatnonzero([code in control.left_out for code in firms.codes]))
        without = arrays_of(control.release.population, sight)
        for name, found in counts.items():
            found.append(np.stack([_count(asked, source, is_known, name) for source in (published, without)]))
    text = f"the {int(is_known.sum())} known figures of a firm; guesses within {exact_percent(TOLERANCE)}"
    return [_gain(name, text, np.concatenate(found, axis=2)) for name, found in counts.items() if found]


def _gain(name: str, text: str, counts: Floats) -> Gain:
    (with_firm, guessed), (without, _) = counts
    return gain(name, text, with_firm=with_firm, without=without, guessed=guessed)


def _count(asked: FirmArrays, source: FirmArrays, is_known: Booleans, name: str) -> Floats:
    """Guess every unknown figure that the firms report, except zeros; count right guesses and guesses, shape (2, firms)."""
    counts = np.zeros((2, len(asked.codes)))
    for firms, year, records in _cells(asked, source):
        truth = asked.values[firms, year][:, ~is_known]
        logs = records[:, ~is_known]
        inputs = _inputs(asked.logs[firms, year][:, is_known]), _inputs(records[:, is_known])
        guess = _regressed(*inputs, logs) if name == REGRESSION else _nearest(*inputs, logs)
        is_asked = np.isfinite(truth) & (truth != 0)
        # Guesses are signed logarithms.
        off = np.abs(unlogged(guess) - truth) / np.where(is_asked, np.abs(truth), 1.0)
        is_right = is_asked & (np.round(off, 9) <= TOLERANCE)
        counts[:, firms] += is_right.sum(axis=1), is_asked.sum(axis=1)
    return counts


def _cells(asked: FirmArrays, source: FirmArrays) -> Iterator[tuple[Integers, int, Floats]]:
    """Yield firms, year, and the logarithms of the records that the guesses are learnt from."""
    here, there = np.asarray(asked.industries), np.asarray(source.industries)
    for industry in sorted(set(asked.industries)):
        for year in range(asked.has_row.shape[1]):
            firms = np.flatnonzero((here == industry) & asked.has_row[:, year])
            records = np.flatnonzero((there == industry) & source.has_row[:, year])
            if len(records) < FEWEST_RECORDS:
                records = np.flatnonzero(source.has_row[:, year])
            if len(firms) and len(records):
                yield firms, year, source.logs[records, year]


def _inputs(logs: Floats) -> Floats:
    """Return the known figures, a gap as zero, and whether each is zero or a gap."""
    filled = np.nan_to_num(logs)
    return np.concatenate([filled, _ABSENT * (filled == 0)], axis=1)


def _regressed(asked: Floats, inputs: Floats, outputs: Floats) -> Floats:
    """Return ridge predictions; a gap among the outputs counts as the output's mean."""
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-9
    is_there = np.isfinite(outputs)
    means = np.where(is_there, outputs, 0.0).sum(axis=0) / np.maximum(is_there.sum(axis=0), 1)
    x, y = (inputs - middle) / spread, np.where(is_there, outputs - means, 0.0)
    weights = np.linalg.solve(x.T @ x + _RIDGE * np.eye(x.shape[1]), x.T @ y)
    predicted: Floats = (asked - middle) / spread @ weights + means
    return predicted


def _nearest(asked: Floats, inputs: Floats, outputs: Floats) -> Floats:
    # Rounded, because processors differ in last bits: of records that are equally near, the first is taken.
    nearest: Floats = outputs[np.round(scipy.spatial.distance.cdist(asked, inputs), 9).argmin(axis=1)]
    return np.nan_to_num(nearest)
