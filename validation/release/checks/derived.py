"""What clean tables state of each other is computed again: statistics, counts, repeated figures, names, identities.

The second computation is the one that judges builds (`validation/consistency`); here each cell that contradicts it is found in
its file.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from anonymize.figures.closure import breaks
from pipeline.conform.source import HEADER_ROWS
from pipeline.errors import Problem
from pipeline.model import PERIOD, LongFigures
from pipeline.model.schema.domains import NamedElsewhere, StatedCounts, StatedRecount, StatedStatistics
from validation.consistency.domains import DomainLink
from validation.consistency.recomputed import PLACES
from validation.consistency.residuals import identity_residuals
from validation.release.opened import SHOWN, Release


def aggregates_again(release: Release) -> Iterator[Problem]:
    """Find stated statistics, counts, repetitions and names that do not follow from the published firms."""
    for link in release.links:
        for cell in link.wrong.head(SHOWN).iter_rows(named=True):
            yield _problem(release, link, cell)


def identities_hold(release: Release) -> Iterator[Problem]:
    """Find records that break an identity, if they are more than the report says may.

    Where the originals break it the output is free: by chance it may be off by less than the tolerance, and counts as kept, but
    not as exact. So at least as many records must be exact as the report says were tested.
    """
    environment, clean = release.environment, release.clean
    if environment is None or clean is None or release.read is None:
        return
    panel, code = environment.panel.without_events, environment.entities.code
    figures = release.read.figures
    broken = breaks(figures, panel, code=code)
    report = clean.report("consistency")
    stated, tested = (found if isinstance(found := report.get(name), list) else [] for name in ("broken", "identities"))
    allowed = {e["identity"]: e["published"] for e in stated}
    claimed = {e["identity"]: e["records"] for e in tested}
    for output in broken.columns:
        if broken[output].sum() > allowed.get(output, 0):
            for record in figures.filter(broken[output]).head(SHOWN).iter_rows(named=True):
                yield _breaking(release, record, output, allowed.get(output, 0))
    exact = breaks(figures, panel, code=code, is_exact=True).select(~pl.all())
    kept = identity_residuals(figures, panel, code=code, held=broken.select(~pl.all()))
    for residual, of_exact in zip(kept, identity_residuals(figures, panel, code=code, held=exact), strict=True):
        too_few = of_exact.records < claimed.get(residual.identity, residual.records)
        if of_exact.max_residual or (residual.max_residual and too_few):
            where = ", ".join(f"{name} {value}" for name, value in residual.worst_cell.items())
            yield Problem(_first_file(release), 0, "", where, f"expected {residual.identity} to the last digit")


# --- places ------------------------------------------------------------------------------------------------------------


def _problem(release: Release, link: DomainLink, cell: Mapping[str, Any]) -> Problem:
    """Return where a cell stands that contradicts a statement, what stands there and what should."""
    clean = release.clean
    assert clean is not None  # noqa: S101  (links are those of the clean tables)
    table = release.truth[link.table]
    place = _place(cell)
    row, value = _row_of(release, link, table, place), _stated(link, cell)
    column = _column_of(table, row, value, link)
    named = ", ".join(f"{name} {text}" for name, text in place.items())
    path = clean.path_of(link.table)
    return Problem(path, row, column, value or "nothing", f"expected {_expected(link, cell)} ({named}): {link.what}")


def _place(cell: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {"gap", "n", "sum", "max", "min", "twice_median", "value", "stated", "expected"}
    return {name: value for name, value in cell.items() if name not in numbers and value is not None}


def _row_of(release: Release, link: DomainLink, table: pl.DataFrame, place: Mapping[str, Any]) -> int:
    """Return the row of the file in which a cell stands, the header being 1; 0 if it stands in none."""
    match link.stated:
        case StatedStatistics(read=read) | StatedCounts(read=read):
            return _first_row(lambda rows: _has(read(rows).drop_nulls("value"), place), table)
        case StatedRecount():
            return _first_row(lambda rows: _has(rows, place), table)
        case NamedElsewhere(column=column):
            name = str(place[column])
            return _first_row(lambda rows: rows[column].str.contains(name, literal=True).any(), table)
        case None:
            view = next(view for view in _views(release) if view.table == link.table)
            at = {view.code: place["code"], view.year: place[PERIOD]}
            at |= {view.measure: _label(view, str(place["measure"]))} if isinstance(view, LongFigures) else {}
            return _first_row(lambda rows: _has(rows, at), table)


def _first_row(has: Any, table: pl.DataFrame) -> int:
    """Return the row of the file at which what is looked for is there, by halving; 0 if it never is."""
    if not has(table):
        return 0
    low, high = 0, table.height
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has(table.head(middle)) else (middle, high)
    return high + HEADER_ROWS


def _has(rows: pl.DataFrame, place: Mapping[str, Any]) -> bool:
    at = [pl.col(name).cast(pl.String) == str(value) for name, value in place.items() if name in rows.columns]
    return not rows.filter(*at).is_empty()


def _column_of(table: pl.DataFrame, row: int, value: str, link: DomainLink) -> str:
    """Return the column of a row in which a text stands."""
    if isinstance(link.stated, NamedElsewhere):
        return link.stated.column
    cells = table.row(row - 1 - HEADER_ROWS, named=True) if row else {}
    return next((name for name, text in reversed(cells.items()) if text is not None and _same(text, value)), "")


def _same(text: str, value: str) -> bool:
    try:
        return Decimal(text) == Decimal(value)
    except ArithmeticError:
        return text == value


def _stated(link: DomainLink, cell: Mapping[str, Any]) -> str:
    if isinstance(link.stated, NamedElsewhere):
        return str(cell[link.stated.column])
    if link.stated is None:
        return _number(cell["value"])
    stated = cell.get("value") if isinstance(link.stated, StatedStatistics) else cell.get("stated")
    return "" if stated is None else str(stated)


def _expected(link: DomainLink, cell: Mapping[str, Any]) -> str:
    if isinstance(link.stated, NamedElsewhere):
        return f"a value of {link.stated.to_column} in {link.stated.to_table}"
    if link.stated is None:
        return _number(cell["expected"])
    if not isinstance(link.stated, StatedStatistics):
        return str(cell.get("expected") or 0)
    if not cell.get("n"):
        return "nothing"
    parts = {"mean": ("sum", cell["n"]), "median": ("twice_median", 2)}
    name, by = parts.get(cell["statistic"], (cell["statistic"], 1))
    return _number(cell[name], by=by)


def _number(places: int | None, *, by: int = 1) -> str:
    """Return a number that is given in 10**-`PLACES`, divided."""
    if places is None:
        return ""
    return f"{(Decimal(places).scaleb(-PLACES) / by).normalize():f}"


def _views(release: Release) -> Any:
    views = release.environment.views if release.environment else None
    return views.figures if views else ()


def _label(view: LongFigures, measure: str) -> str:
    return next((label for label, named in view.labels.items() if named == measure), measure)


def _first_file(release: Release) -> str:
    views, clean = _views(release), release.clean
    return clean.path_of(views[0].table) if clean and views else ""


def _breaking(release: Release, record: Mapping[str, Any], output: str, allowed: int) -> Problem:
    code = release.environment.entities.code if release.environment else ""
    path, view = _first_file(release), _views(release)[0]
    at = {view.code: record[code], view.year: record[PERIOD]}
    at |= {view.measure: _label(view, output)} if isinstance(view, LongFigures) else {}
    table = next(iter(name for name in release.truth if release.clean and release.clean.path_of(name) == path))
    row = _first_row(lambda rows: _has(rows, at), release.truth[table])
    identity = f"expected the identity of {output!r} to hold for {record[code]} in {record[PERIOD]}"
    column = view.value if isinstance(view, LongFigures) else output
    cells = release.truth[table].row(row - 1 - HEADER_ROWS, named=True) if row else {}
    return Problem(
        path, row, column, str(cells.get(column, "")), f"{identity} (the report allows {allowed} that do not)"
    )
