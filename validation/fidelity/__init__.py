"""Fidelity without pairs: would an analyst read the same from published figures as from the originals?

A published record that was sampled from a model has no owner, so nothing is compared record by record: statistics of the
published table are compared with the same statistics of the originals. The two *sides* of the comparison, originals and
release, share no codes, and may have different numbers of firms and of years per firm.

    sides.py        a side and its columns; cells.py divides both into cells by measure, group and year
    marginals.py    distributions: Kolmogorov-Smirnov and Wasserstein, of figures and of growth
    relations.py    rank correlations, between measures and from year to year
    identities.py   identities between measures, and how often they hold
    presence.py     zeros and gaps
    sums.py         tails and aggregates
    conclusions/    questions that tasks ask of a table, answered by both sides; how many answers are the same, beside how
                    many two halves of the originals share
    report.py       all of it for one release

A report holds statistics of originals, and of conclusions only how many are the same.
"""

from validation.fidelity.conclusions.surviving import Conclusion, Conclusions, conclusions
from validation.fidelity.report import Fidelity, fidelity
from validation.fidelity.sides import EntityColumns

__all__ = ["Conclusion", "Conclusions", "EntityColumns", "Fidelity", "conclusions", "fidelity"]
