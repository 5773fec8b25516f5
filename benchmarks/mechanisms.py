"""Single mechanisms beside a peer or an obvious version, on invented figures, in one run."""

import time
from collections.abc import Callable

import numpy as np
import polars as pl
from scipy.stats import ks_2samp

from anonymize.keys.release_key import DEMONSTRATION_KEY
from validation.distributions.two_sample import two_sample_tests

Row = tuple[str, str, str, str]

_GROUPS, _SIZE = 4_000, 60
_REPEATS = 3


def mechanisms() -> list[Row]:
    """Time each mechanism; the best of three, so that other work on the machine counts least."""
    return [_distributions()]


def _distributions() -> Row:
    """KS tests of all groups in one pass, beside a loop over scipy's function with the same asymptotic p."""
    originals = (
        DEMONSTRATION_KEY.stream("benchmark").random() + np.arange(_GROUPS * _SIZE, dtype=np.int64) * 7_919 % 1_000_003
    )
    anonymised = originals + np.arange(_GROUPS * _SIZE) % 11
    sample = np.repeat(np.arange(_GROUPS), _SIZE)
    sides = [
        pl.DataFrame({"sample": sample, "value": values.astype(np.int64), "is_anonymised": is_anonymised})
        for values, is_anonymised in ((originals, False), (anonymised, True))
    ]
    ours = _best(lambda: two_sample_tests(pl.concat(sides)))
    pairs = list(zip(originals.reshape(_GROUPS, _SIZE), anonymised.reshape(_GROUPS, _SIZE), strict=True))
    loop = _best(lambda: [ks_2samp(first, second, method="asymp") for first, second in pairs])
    return (
        f"KS: {_GROUPS:,} tests of {_SIZE} and {_SIZE}",
        f"{ours:.3f}",
        "",
        f"{loop / ours:.1f} x as fast as scipy's loop",
    )


def _best(action: Callable[[], object]) -> float:
    times = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)
