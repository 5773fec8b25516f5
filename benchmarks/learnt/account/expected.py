"""What the evidence lets expect of any number of a company, for whoever has that number of all others.

Best linear prediction: contributions of other companies show how the number goes with what is contributed, and the noise
is known. A company's industry counts as a company more that has nothing but the others' mean.
"""

import numpy as np

from anonymize.synthesis.cube import Floats, Integers
from benchmarks.learnt.account.evidence import Evidence

_OF_AN_INDUSTRY, _OF_ALL = 1.0, 1e-6
"""How many companies it takes to believe in a mean of an industry, and in that of all."""


def expected(evidence: Evidence, answers: Floats, asked: Integers, peers: Integers) -> tuple[Floats, Floats]:
    """Return what is expected of companies by all others, with them and with others in their places.

    Args:
        evidence: Of m companies.
        answers: Of all of them, shape (m, numbers); NaN where there is none.
        asked: Who is asked for.
        peers: Who stands in the place of each in the control.

    Returns:
        Two of shape (asked, numbers).
    """
    contributed, noise = evidence.directions
    industries = np.eye(int(evidence.groups.max()) + 1)[evidence.groups]
    known = np.concatenate([contributed, industries, np.ones((len(industries), 1))], axis=1)
    believed = np.asarray([_OF_AN_INDUSTRY] * industries.shape[1] + [_OF_ALL])
    seen = []
    for place in (asked, peers):
        own = contributed[place] + noise[evidence.groups[asked]]
        seen.append(np.concatenate([own, known[asked, contributed.shape[1] :]], axis=1))
    columns = [_expected(known, seen, column, asked, believed) for column in answers.T]
    return np.stack([each[0] for each in columns], axis=1), np.stack([each[1] for each in columns], axis=1)


def _expected(known: Floats, seen: list[Floats], answers: Floats, asked: Integers, believed: Floats) -> list[Floats]:
    """Return both means of one number: a ridge whose penalty is the noise, each company's own answer left out."""
    is_known = ~np.isnan(answers)
    rows, truth = known[is_known], answers[is_known]
    penalty = np.concatenate([np.full(known.shape[1] - len(believed), max(float(len(rows)), 1.0)), believed])
    inverse = np.linalg.inv(rows.T @ rows + np.diag(penalty))
    weights = inverse @ rows.T @ truth
    towards = known @ inverse
    share = np.where(is_known, (towards * known).sum(axis=1), 0.0)
    missed = np.where(is_known, answers - known @ weights, 0.0) / np.maximum(1 - share, 1e-9)
    return [each @ weights - (each * towards[asked]).sum(axis=1) * missed[asked] for each in seen]
