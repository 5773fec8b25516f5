"""Figures on their way from scores to quanta."""

import numpy as np
import pytest

from anonymize.synthesis.sampling import grow, whole


@pytest.mark.parametrize("anchor", range(4))
def test_growth_leads_from_any_year_to_all_others(anchor: int) -> None:
    """Whichever year is the anchor, the path is the one that the factors are of."""
    path = np.asarray([[100.0, 110.0, 99.0, 198.0], [5.0, 10.0, 30.0, 3.0]])
    factors = np.full(path.shape, np.nan)
    factors[:, 1:] = path[:, 1:] / path[:, :-1]
    found = np.full(path.shape, 7.0)
    found[:, anchor] = path[:, anchor]
    grow(found, factors, anchor)
    np.testing.assert_allclose(found, path)


def test_figures_are_the_nearest_multiples_of_their_grain() -> None:
    """On either side of zero; nothing stays nothing."""
    assert whole(np.asarray([2.6, -2.6, 2.4, np.nan, 14.0]), 5).to_list() == [5, -5, 0, None, 15]
