"""Documented facts about the real release, each judged in the tables of a noisy database, and all of them as a table.

Nothing here reads a file: facts (`facts.py`) and tables come from the caller. A fact agrees if the documented count does not
contradict ours. A small count contradicts little, which is why every n is printed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

ALPHA = 0.01
"""Level of every single test (our choice): of a hundred true facts, one is reported as contradicted."""

MOST_TABLES = 2_000_000
"""Largest number of possible samples that are enumerated for an exact p; beyond it, Pearson's chi-squared is used."""

SHOWN = 3
"""Examples of each side that are shown."""

_TINY = 1e-6
"""A p below it is printed as an upper bound."""

Tables = Mapping[str, pl.DataFrame]
"""Published tables as text, by name; a measure is given the tables that its fact needs."""

Part = tuple[int, int]
"""A share: how many, and out of how many."""

Agrees = Literal["yes", "no", "not compared", "not measured"]
Verdict = tuple[str, Agrees]
"""Ours in words, and whether it agrees."""

HEADER = ("what", "reference", "documented", "ours", "agrees")


@dataclass(frozen=True)
class Documented:
    """What is compared, the section of the reference that states it, the published tables needed, the documented in words."""

    what: str
    where: str
    needs: tuple[str, ...]
    stated: str
    judged: Callable[[Tables], Verdict]


def of_share(
    what: str, where: str, needs: tuple[str, ...], documented: Part, measure: Callable[[Tables], Part]
) -> Documented:
    """Return a share counted in a sample or in all of the real data."""

    def judged(tables: Tables) -> Verdict:
        ours = measure(tables)
        if not ours[1]:
            return "none to count", "no"
        p = exact_p(*((count, of - count) for count, of in (documented, ours)))
        return f"{_share(ours)}, {_p(p)}", _yes(p >= ALPHA)

    return Documented(what, where, needs, _share(documented), judged)


def of_counts(
    what: str,
    where: str,
    needs: tuple[str, ...],
    documented: Mapping[str, int],
    measure: Callable[[Tables], Mapping[str, int]],
) -> Documented:
    """Return how often each of several forms was counted. `measure` counts the same forms, and may count further ones."""

    def judged(tables: Tables) -> Verdict:
        ours = dict.fromkeys(documented, 0) | dict(measure(tables))
        if not sum(ours.values()):
            return "none to count", "no"
        p = exact_p([documented.get(name, 0) for name in ours], [*ours.values()])
        return f"{_counts(ours)}, {_p(p)}", _yes(p >= ALPHA)

    return Documented(what, where, needs, _counts(documented), judged)


def of_range(
    what: str,
    where: str,
    needs: tuple[str, ...],
    stated: str,
    low: float,
    high: float,
    measure: Callable[[Tables], Part],
) -> Documented:
    """Return a share stated without its counts: in words, or as a span. Bounds are inclusive."""

    def judged(tables: Tables) -> Verdict:
        ours = measure(tables)
        least, most = rate_interval(ours)
        return (_share(ours), _yes(least <= high and most >= low)) if ours[1] else ("none to count", "no")

    return Documented(what, where, needs, stated, judged)


def of_number(
    what: str,
    where: str,
    needs: tuple[str, ...],
    stated: str,
    least: int,
    most: int | None,
    measure: Callable[[Tables], int],
) -> Documented:
    """Return a number that the structure of the data fixes, or of which only the size is stated. Bounds are inclusive."""

    def judged(tables: Tables) -> Verdict:
        ours = measure(tables)
        return f"{ours:,}", _yes(ours >= least and (most is None or ours <= most))

    return Documented(what, where, needs, stated, judged)


def of_examples(
    what: str, where: str, needs: tuple[str, ...], documented: Sequence[str], measure: Callable[[Tables], Sequence[str]]
) -> Documented:
    """Return literal examples, of which nobody counted how many there are; `measure` returns ours as they stand."""

    def judged(tables: Tables) -> Verdict:
        ours = measure(tables)
        return _examples(ours), _yes(bool(ours))

    return Documented(what, where, needs, _examples(documented), judged)


def of_text(
    what: str, where: str, needs: tuple[str, ...], documented: str, measure: Callable[[Tables], str]
) -> Documented:
    """Return two texts that are printed side by side and not compared, because agreement would mean nothing."""
    return Documented(what, where, needs, documented, lambda tables: (measure(tables), "not compared"))


def verdict(fact: Documented, tables: Tables) -> Verdict:
    """Judge a fact in published noisy tables; it is not measured if one of its own is absent."""
    if missing := [name for name in fact.needs if name not in tables]:
        return f"no {', '.join(missing)}", "not measured"
    return fact.judged({name: tables[name] for name in fact.needs})


def realism_table(facts: Sequence[Documented], tables: Tables, *, title: str) -> str:
    """Return the facts as Markdown: how many agree, how to read it, and one line for each."""
    rows = [(fact.what, fact.where, fact.stated, *verdict(fact, tables)) for fact in facts]
    rule = tuple("---" for _ in HEADER)
    return "\n".join((*_head([row[-1] for row in rows], title), "", *map(_line, (HEADER, rule, *rows)))) + "\n"


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


def _samples(total: int, forms: int) -> npt.NDArray[np.int64]:
    """Return every way to divide a total among forms, one row each."""
    samples = np.arange(total + 1, dtype=np.int64)[:, np.newaxis]
    for _ in range(forms - 2):
        left = total - samples.sum(axis=1)
        more = np.repeat(samples, left + 1, axis=0)
        first = np.repeat(np.cumsum(left + 1) - (left + 1), left + 1)
        samples = np.column_stack((more, np.arange(len(more)) - first))
    return np.column_stack((samples, total - samples.sum(axis=1)))


# --- words -------------------------------------------------------------------------------------------------------------


def _head(verdicts: Sequence[str], title: str) -> list[str]:
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


def _yes(is_so: bool) -> Agrees:  # noqa: FBT001  (the verdict itself)
    return "yes" if is_so else "no"


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
