"""The section on consistency: enterprise to industry to region to policy, with the worst cell of everything compared.

Belongs here: words and order; every figure stands in `consistency.json`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from pipeline.wording import counted, exact_percent, percent
from validation.attacks.limits import REPORTED_ONLY
from validation.consistency.aggregates import COARSE_PLACES, MOST_OF_CELLS, NEAR, Offset, Structure
from validation.report.documents.consistency import Consistency
from validation.report.html import Cell, Column, Table, fields, render, table, word
from validation.wording import briefly, cell_of, number, spoken

SHOWN = 60
"""Aggregates that the page lists, the farthest off first; all stand in `consistency.json`."""


def agreement(of: Consistency) -> Markup:
    """Return the section's HTML."""
    counts = {
        "cells compared": cells_of(of),
        "cells with a limit": bounded(of),
        "cells over it": outside(of),
        "cells without a limit": cells_of(of) - bounded(of),
        f"cells off by at most {exact_percent(NEAR)}": sum(entry.near for entry in of.aggregates),
        "identities": len(of.identities),
        "largest residual": max((entry.max_residual for entry in of.identities), default=0),
    }
    parts = list(_parts(of))
    return render(
        "agreement.html",
        of=of,
        figures=[(name, number(count)) for name, count in counts.items()],
        parts=parts,
        absent=[part.name[0].lower() + part.name[1:] for part, _ in parts if not part.rows],
        shown=SHOWN,
        aggregates=len(of.aggregates),
        is_sampled=not all(entry.is_judged for entry in of.structures),
        judged=statistics(of, is_judged=True),
        most=may_differ(statistics(of, is_judged=True)[1]),
    )


def cells_of(of: Consistency) -> int:
    """Return how many cells of aggregates were compared."""
    return sum(entry.cells for entry in of.aggregates)


def bounded(of: Consistency) -> int:
    """Return how many cells the policy sets a limit to."""
    return sum(entry.bounded_cells for entry in of.aggregates)


def outside(of: Consistency) -> int:
    """Return how many cells are farther from their originals than the policy allows."""
    return sum(entry.outside for entry in of.aggregates)


def statistics(of: Consistency, *, is_judged: bool) -> tuple[int, int]:
    """Return how many statistics have another distribution over their cells, and how many were tested."""
    tested = _tested(of, is_judged=is_judged)
    return len(_differing(of, tested)), len(tested)


def may_differ(tested: int) -> int:
    """Return how many of the judged statistics may have another distribution where records are sampled."""
    return int(MOST_OF_CELLS * tested)


def statistics_sentence(of: Consistency) -> str:
    """Return how many of the judged statistics have another distribution over their cells; nothing where none was tested."""
    differing, tested = statistics(of, is_judged=True)
    judged = "" if all(entry.is_judged for entry in of.aggregates) else "judged "
    return f"{differing:,} of {tested:,} {judged}statistics of aggregates differ in distribution" if tested else ""


def differing_measures(of: Consistency) -> str:
    """Return the measures whose judged statistics differ in distribution, those with most of them first; of many the first."""
    counts = Counter(entry.measure for entry in _differing(of, _tested(of, is_judged=True)))
    return briefly(", ".join(name for name, _ in counts.most_common()), "measures")


def unjudged_statistics(of: Consistency) -> str:
    """Return how many statistics no gate judges, in words; nothing where all are judged."""
    beside = len(of.aggregates) - statistics(of, is_judged=True)[1]
    return f"; the other {beside:,} of {len(of.aggregates):,} are reported only" if beside else ""


def exact(of: Consistency) -> tuple[int, int]:
    """Return how many identities, totals and links hold to the last digit, and how many were compared."""
    agree = [not total.disagreeing for total in of.totals if total.cells]
    agree += [not link.disagreeing for link in of.chain if link.cells]
    agree += [not entry.max_residual for entry in of.identities if entry.records]
    return sum(agree), len(agree)


def exact_sentence(of: Consistency) -> str:
    """Return how many of what must agree to the last digit does; nothing where nothing was compared."""
    hold, compared = exact(of)
    return f"{hold:,} of {compared:,} identities, totals and links between tables hold" if compared else ""


def unbounded_sentence(of: Consistency) -> str:
    """Return how many aggregates are near, and how far the farthest is off; nothing if none without a limit is off."""
    if not unbounded_in_words(of):
        return ""
    every = cells_of(of)
    near, worst = every - _far(of.aggregates), max(of.aggregates, key=_most)
    share = f"{near:,} of {every:,} aggregates ({percent(near / every)}) are off by at most {exact_percent(NEAR)}"
    named = f"{worst.statistic} of “{worst.measure}”, {worst.table}"
    tiny = ", which is near 0 beside the one here" if _most(worst) >= _BESIDE_NOTHING else ""
    free = f"{every - bounded(of):,} have no limit beyond which a build is refused"
    return f"{share}; the worst, {named}, by {_offset(_most(worst))} its value in {of.others}{tiny}; {free}"


def limits_sentence(of: Consistency) -> str:
    """Return how many aggregates keep their limit, and how many have none; nothing where none has one."""
    if not (limited := bounded(of)):
        return ""
    within = f"{limited - outside(of):,} of" if outside(of) else "all"
    kept = f"{within} {counted(limited, 'cell')} of aggregates with a limit keep it, give or take one unit of the last digit"
    free = cells_of(of) - limited
    return f"{kept}{_far_and_limited(of)}{f'; {free:,} have no limit' if free else ''}"


_BESIDE_NOTHING = 100
"""Offset from which a value is near 0 beside the other one, which is 99 times as large or more (our choice)."""


def unbounded_in_words(of: Consistency) -> str:
    """Return in a few words how many cells are far off, or how far the farthest is; nothing if all of them have a limit."""
    if not any(entry.max_offset or entry.from_zero for entry in _unbounded(of)):
        return ""
    if far := _far(of.aggregates):
        share = f"{percent(far / cells_of(of))} of {cells_of(of):,} aggregates"
        return f"{share} are off by more than {exact_percent(NEAR)}"
    worst, every = max(map(_most, of.aggregates)), cells_of(of)
    free = f"without a limit: {every - bounded(of):,} of {every:,}"
    return f"aggregates are off by up to {_offset(worst).removesuffix(' of')} ({free})"


def _far(entries: Iterable[Offset]) -> int:
    return sum(entry.cells - entry.near for entry in entries)


def _far_and_limited(of: Consistency) -> str:
    """Return of how many whose limit is kept all the same the value is far off, as of small whole numbers; nothing if none."""
    kept = [entry for entry in of.aggregates if entry.bounded_cells == entry.cells and not entry.outside]
    far = sorted((entry for entry in kept if _far([entry])), key=lambda entry: -_far([entry]))
    if not far:
        return ""
    further = f" and {counted(len(far) - 1, 'further statistic')}" if far[1:] else ""
    named = f"{far[0].statistic} of {far[0].measure}{further}"
    return f"; {_far(far):,} of them are off by more than {exact_percent(NEAR)} by that unit ({named})"


def _unbounded(of: Consistency) -> list[Offset]:
    return [entry for entry in of.aggregates if entry.bounded_cells < entry.cells]


def _most(entry: Offset) -> float:
    return abs(entry.max_offset or 0.0)


def _offset(share: float) -> str:
    """Return a relative offset as a part or a multiple of the value that it is an offset from, to the digits that it has."""
    return f"{exact_percent(share)} of" if share <= 1 else f"{share:,.0f} times"


def cells_sentence(of: Consistency) -> str:
    """Return how many cells of aggregates are not the originals'; nothing where all are."""
    if all(entry.is_same for entry in of.structures):
        return ""
    names = ("cells", "missing", "extra", "changed")
    cells, missing, extra, changed = (sum(getattr(entry, name) for entry in of.structures) for name in names)
    other = f"{changed:,} have another number of companies"
    return f"of {cells:,} rows of aggregates {missing:,} are missing, {other}, {extra:,} are new"


def _tested(of: Consistency, *, is_judged: bool) -> list[Offset]:
    return [entry for entry in of.aggregates if entry.is_judged == is_judged and entry.ks_p_value is not None]


def _differing(of: Consistency, tested: Iterable[Offset]) -> list[Offset]:
    """Return the statistics that have another distribution over their cells."""
    return [entry for entry in tested if entry.ks_p_value is not None and entry.ks_p_value <= of.alpha]


def _counted_by_the_gate(of: Consistency) -> Table:
    """Return a row for each measure of each table with judged statistics, those of which most differ first."""
    groups: dict[tuple[str, str], list[Offset]] = {}
    for entry in _tested(of, is_judged=True):
        groups.setdefault((entry.table, entry.measure), []).append(entry)
    differing = {name: _differing(of, tested) for name, tested in groups.items()}
    columns: dict[str, Column] = {
        "table": lambda name: name[0],
        "measure": lambda name: name[1],
        "judged": lambda name: len(groups[name]),
        "differ": lambda name: len(differing[name]),
        "which": lambda name: ", ".join(entry.statistic for entry in differing[name]),
    }
    worst_first = sorted(groups, key=lambda name: -len(differing[name]))
    return table("Statistics that the gate judges", worst_first, columns)


def _parts(of: Consistency) -> Iterator[tuple[Table, str]]:
    """Yield each table, and what is said instead of it where it holds nothing but agreement."""
    agree: dict[str, Column] = _WORST | {"verdict": lambda entry: word(not entry.disagreeing, compared=entry.cells)}
    ends: dict[str, Column] = {"from": "source", **fields("to", "what", "cells", "disagreeing")}
    disagreeing = sum(entry.disagreeing for entry in of.chain)
    yield table("From domain to domain", of.chain, ends | agree), _quiet(of.chain, disagreeing, "0 cells disagree")
    totals: dict[str, Column] = {"total": lambda entry: spoken(entry.total), "parts": lambda entry: spoken(entry.parts)}
    totals |= fields("statistic", "cells", "disagreeing") | {"largest gap": "max_gap"}
    gaps = sum(entry.disagreeing for entry in of.totals)
    yield table("Totals and their parts", of.totals, totals | agree), _quiet(of.totals, gaps, "0 cells disagree")
    structure = fields("table", "content", "cells", "missing", "extra", "changed") | {"verdict": _is_same}
    others = sum(entry.missing + entry.extra + entry.changed for entry in of.structures)
    yield table("Structure", of.structures, structure), _quiet(of.structures, others, "0 missing, 0 extra, 0 changed")
    residual: dict[str, Column] = fields("identity", "records") | {"largest residual": "max_residual"}
    residual |= {"verdict": lambda entry: word(not entry.max_residual, compared=entry.records)}
    most = max((entry.max_residual for entry in of.identities), default=0)
    yield (
        table("Identities, where they must hold", of.identities, residual),
        _quiet(of.identities, most, "largest residual 0"),
    )
    must_hold = {entry.identity.partition(" = ")[0]: entry.records for entry in of.identities}
    sides: dict[str, Column] = {f"in {of.others}": "originals", "in what is published": "published"}
    sides |= {
        "of these where it must hold": "only_published",
        "rows where it must hold": lambda entry: must_hold.get(entry.identity, 0),
    }
    sides |= {"verdict": lambda entry: word(not entry.only_published)}
    broken = sum(entry.originals + entry.published for entry in of.broken)
    yield (
        table("Rows that break an identity", of.broken, fields("identity") | sides),
        _quiet(of.broken, broken, "0 rows"),
    )
    given = {"given table": "table", **fields("cells", "agreeing", "only_given", "only_derived")}
    yield table(f"{of.others.capitalize()} against themselves", of.given, given), ""
    if not all(entry.is_judged for entry in of.aggregates):
        yield _counted_by_the_gate(of), ""
    offsets = fields("table", "statistic", "measure", "cells", "mean_offset") | {
        f"off by at most {exact_percent(NEAR)}": "near",
        "largest offset, any cell": _largest,
    }
    offsets |= {
        "cells with a limit": "bounded_cells",
        "their limit": lambda entry: entry.bound if entry.bounded_cells else None,
        "over it": "outside",
        "KS p": "ks_p_value",
    }
    offsets |= _WORST
    worst_first = sorted(of.aggregates, key=lambda entry: (-entry.outside, -abs(entry.max_offset or 0)))
    yield table("The aggregates that are farthest off", worst_first[:SHOWN], offsets), ""


def _quiet(entries: Sequence[object], found: float, said: str) -> str:
    """Return one line for entries in which nothing was found; nothing where something was, or there are none."""
    return f"{counted(len(entries), 'comparison')}: {said}" if entries and not found else ""


def _largest(entry: Offset) -> Cell | float | None:
    """Return the largest offset as it is published: to hundredths, so that it gives away no original; less is not nothing."""
    is_less = entry.max_offset == 0 and entry.worst_cell
    return Cell(f"below {0.5 * 10**-COARSE_PLACES:g}", 0.0) if is_less else entry.max_offset


def _is_same(entry: Structure) -> Cell:
    if entry.is_judged or entry.is_same:
        return word(entry.is_same, compared=entry.cells)
    return Cell(REPORTED_ONLY, kind="note")


_WORST: dict[str, Column] = {"worst cell": lambda entry: cell_of(entry.worst_cell)}
