"""Compares a noisy database with what is documented about the real one, fact by fact, as a table.

Nothing here reads a file: facts (`facts.py`) and tables come from the caller. A fact agrees if the documented count does not
contradict ours. A small count contradicts little, which is why every n is printed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy

from tests.realism.documented import (
    Documented,
    DocumentedCounts,
    DocumentedExamples,
    DocumentedNumber,
    DocumentedRange,
    DocumentedShare,
    DocumentedText,
    Part,
    Tables,
)

ALPHA = 0.01
"""Level of every single test (our choice): of a hundred true facts, one is reported as contradicted."""

MOST_TABLES = 2_000_000
"""Largest number of possible samples that are enumerated for an exact p; beyond it, Pearson's chi-squared is used."""

SHOWN = 3
"""Examples of each side that are shown."""

_TINY = 1e-6
"""A p below it is printed as an upper bound."""

Agrees = Literal["yes", "no", "not compared", "not measured"]
HEADER = ("what", "reference", "documented", "ours", "agrees")


@dataclass(frozen=True)
class Comparison:
    """One line of the table."""

    what: str
    where: str
    documented: str
    ours: str
    agrees: Agrees


def compare(facts: Sequence[Documented], tables: Tables) -> list[Comparison]:
    """Compare each fact with the tables; a fact is not measured if one of its tables is absent.

    Args:
        facts: The facts of the environment.
        tables: Published noisy tables as text, by name.
    """
    return [_compared(fact, tables) for fact in facts]


def realism_table(comparisons: Sequence[Comparison], *, title: str) -> str:
    """Return the comparisons as Markdown: how many agree, how to read it, and one line for each."""
    rows = [(c.what, c.where, c.documented, c.ours, c.agrees) for c in comparisons]
    rule = tuple("---" for _ in HEADER)
    return "\n".join((*_head(comparisons, title), "", *(_line(row) for row in (HEADER, rule, *rows)))) + "\n"


def exact_p(documented: Sequence[int], ours: Sequence[int]) -> float:
    """Return the two-sided p that both counts come from the same shares.

    It is the exact conditional test of Freeman and Halton (1951, Biometrika 38, 141-149), for two forms Fisher's: given the
    totals, the probability of a documented sample that is no likelier than the actual one. Beyond `MOST_TABLES` possible
    samples it is Pearson's chi-squared without continuity correction. It is 1.0 if either side counts nothing.

    Args:
        documented: Counts of each form, two forms at least.
        ours: Counts of the same forms.
    """
    theirs, counted = np.array(documented), np.array(ours)
    theirs, counted = theirs[theirs + counted > 0], counted[theirs + counted > 0]
    if theirs.size < 2 or not theirs.sum() or not counted.sum():
        return 1.0
    if comb(int(theirs.sum()) + theirs.size - 1, theirs.size - 1) > MOST_TABLES:
        return float(scipy.stats.chi2_contingency([theirs, counted], correction=False).pvalue)
    law = scipy.stats.multivariate_hypergeom(theirs + counted, theirs.sum())
    chances, own = np.asarray(law.logpmf(_samples(int(theirs.sum()), theirs.size))), law.logpmf(theirs)
    # Equally likely samples differ in the last digits; R's fisher.test allows for them by the same 1e-7.
    return float(min(1.0, np.exp(chances[chances <= own + 1e-7]).sum()))


def rate_interval(part: Part) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) interval of a rate at 1 - `ALPHA`; all rates if nothing was counted."""
    count, of = part
    if not of:
        return 0.0, 1.0
    interval = scipy.stats.binomtest(count, of).proportion_ci(1 - ALPHA, method="exact")
    return float(interval.low), float(interval.high)


# --- one fact ----------------------------------------------------------------------------------------------------------


def _compared(fact: Documented, tables: Tables) -> Comparison:
    missing = [name for name in fact.needs if name not in tables]
    if missing:
        return Comparison(fact.what, fact.where, _stated(fact), f"no {', '.join(missing)}", "not measured")
    ours, agrees = _measured(fact, {name: tables[name] for name in fact.needs})
    return Comparison(fact.what, fact.where, _stated(fact), ours, agrees)


def _stated(fact: Documented) -> str:
    match fact:
        case DocumentedShare():
            return _share(fact.documented)
        case DocumentedCounts():
            return _counts(fact.documented)
        case DocumentedExamples():
            return _examples(fact.documented)
        case DocumentedText():
            return fact.documented
        case DocumentedRange() | DocumentedNumber():
            return fact.stated


def _measured(fact: Documented, tables: Tables) -> tuple[str, Agrees]:
    match fact:
        case DocumentedShare():
            return _judged_share(fact.documented, fact.measure(tables))
        case DocumentedCounts():
            return _judged_counts(fact.documented, fact.measure(tables))
        case DocumentedRange():
            return _judged_range(fact, fact.measure(tables))
        case DocumentedNumber():
            number = fact.measure(tables)
            return f"{number:,}", _yes(number >= fact.least and (fact.most is None or number <= fact.most))
        case DocumentedExamples():
            examples = fact.measure(tables)
            return _examples(examples), _yes(bool(examples))
        case DocumentedText():
            return fact.measure(tables), "not compared"


def _judged_share(documented: Part, ours: Part) -> tuple[str, Agrees]:
    if not ours[1]:
        return "none to count", "no"
    p = exact_p(_both(documented), _both(ours))
    return f"{_share(ours)}, {_p(p)}", _yes(p >= ALPHA)


def _judged_counts(documented: Mapping[str, int], ours: Mapping[str, int]) -> tuple[str, Agrees]:
    if not sum(ours.values()):
        return "none to count", "no"
    names = list(dict.fromkeys((*documented, *ours)))
    p = exact_p([documented.get(name, 0) for name in names], [ours.get(name, 0) for name in names])
    return f"{_counts({name: ours.get(name, 0) for name in names})}, {_p(p)}", _yes(p >= ALPHA)


def _judged_range(fact: DocumentedRange, ours: Part) -> tuple[str, Agrees]:
    if not ours[1]:
        return "none to count", "no"
    low, high = rate_interval(ours)
    return _share(ours), _yes(low <= fact.high and high >= fact.low)


def _both(part: Part) -> tuple[int, int]:
    count, of = part
    return count, of - count


def _yes(is_so: bool) -> Agrees:  # noqa: FBT001  (the verdict itself)
    return "yes" if is_so else "no"


# --- law of a sample ---------------------------------------------------------------------------------------------------

_Integers = npt.NDArray[np.int64]


def _samples(total: int, forms: int) -> _Integers:
    """Return every way to divide a total among forms, one row each."""
    samples = np.arange(total + 1, dtype=np.int64)[:, np.newaxis]
    for _ in range(forms - 2):
        left = total - samples.sum(axis=1)
        more = np.repeat(samples, left + 1, axis=0)
        first = np.repeat(np.cumsum(left + 1) - (left + 1), left + 1)
        samples = np.column_stack((more, np.arange(len(more)) - first))
    return np.column_stack((samples, total - samples.sum(axis=1)))


# --- words -------------------------------------------------------------------------------------------------------------


def _head(comparisons: Sequence[Comparison], title: str) -> list[str]:
    verdicts = [comparison.agrees for comparison in comparisons]
    absent = verdicts.count("not measured")
    return [
        f"**{title}**: of {len(verdicts)} documented facts {verdicts.count('yes')} agree, {verdicts.count('no')} do not, "
        f"{verdicts.count('not compared')} are not compared"
        + (f", {absent} could not be measured." if absent else "."),
        "",
        f"Counts agree if one law could have given both (exact, two-sided, at {ALPHA:.0%} each); shares stated without counts,",
        f"if the exact {1 - ALPHA:.0%} interval of ours meets them; examples, if ours has such cases. Every n is shown, for a",
        "small one contradicts little.",
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _share(part: Part) -> str:
    count, of = part
    return f"{count:,} of {of:,} ({_percent(count / of)})"


def _percent(rate: float) -> str:
    return f"{rate:.1%}" if 0 < rate < 0.1 or 0.99 < rate < 1 else f"{rate:.0%}"


def _counts(counts: Mapping[str, int]) -> str:
    return f"{', '.join(f'{name} {count:,}' for name, count in counts.items())} (of {sum(counts.values()):,})"


def _examples(examples: Sequence[str]) -> str:
    if not examples:
        return "none"
    quoted = ", ".join(f"`{example}`" for example in examples[:SHOWN])
    return f"{quoted} ({len(examples):,})" if len(examples) > SHOWN else quoted


def _p(p: float) -> str:
    if p < _TINY:
        return f"p < {_TINY:.0e}"
    return f"p = {p:.2f}" if p >= ALPHA else f"p = {p:.1g}"
