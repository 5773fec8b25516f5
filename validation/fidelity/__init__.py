"""Fidelity without pairs: do published figures say of the originals what an analyst would have read in these?

A published record that was sampled from a model has no owner, so nothing is compared record by record: statistics of the
published table stand against the same statistics of the originals. The sides share no codes, and may have other numbers of
firms and of years per firm.

    sides.py        a side and its columns; cells.py lays both out by measure, group and year
    marginals.py    distributions: Kolmogorov-Smirnov and Wasserstein, of figures and of growth
    relations.py    rank correlations, between measures and from year to year
    identities.py   identities between measures, and how often they hold
    presence.py     zeros and gaps
    sums.py         tails and aggregates
    conclusions/    questions that tasks ask of a table, with their answers from one side; how many come out the same, beside
                    how many two halves of the originals share
    report.py       all of it for one release; table.py as plain text

Reports hold statistics of originals and, among the conclusions, answers from them: they are the curator's to pass on.
"""

from validation.fidelity.conclusions.surviving import Conclusion, Conclusions, conclusions
from validation.fidelity.report import Fidelity, fidelity
from validation.fidelity.sides import Columns, Side
from validation.fidelity.table import fidelity_table

__all__ = ["Columns", "Conclusion", "Conclusions", "Fidelity", "Side", "conclusions", "fidelity", "fidelity_table"]
