"""What shape the raw files of a folder have: a table in one file or in one each period, long or wide.

Only a first look at strange files guesses (`silt init`). What it finds goes into the declaration, by which `shaping.py` reads.
How a file is written belongs to `sniffing.py`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from pipeline.conform.files.listing import is_raw, names_in, stem_of
from pipeline.conform.first_look.sniffing import TOTAL, dialect_said, not_read, written
from pipeline.conform.reading import read
from pipeline.conform.source import Source
from pipeline.errors import ContractError, InputError, Problem
from pipeline.model import CsvDialect, RawTable, Reshape
from pipeline.model.periods_said import pattern_said, period_column, period_said

_CALLED = {4: "year", 6: "quarter", 7: "month"}
"""Signs of a period -> what its column is called."""

_OUR_TIME = ("1800", "2100")
"""Years that a header or the name of a file may say (our choice)."""

_NUMBER = r"^\W*\d[\d.,'’\s]*\W*[bcdepru]?$"
_FIGURES = 0.5
"""Part of the cells below a period that are numbers, from which on they are figures (our choice: gaps have many names)."""

_WORDLESS = re.compile(r"(?i)^\W*(?:\d\d?\.\d\d?\.|fy|year|jahr|année|annee|exercice|año|ano|ejercicio|年)?\W*$")
"""What is left of a header without its period if it names no figure."""

_PERIOD = re.compile(r"\{\w+\}")

_NAMING = re.compile(
    r"(?i)measure|indicator|variable|metric|item|series|kennzahl|merkmal|position|indicateur|mesure|poste|indicador|concepto"
    r"|partida|指标|项目|科目"
)
"""Headers of columns whose cells name figures."""

_VALUE = re.compile(r"(?i)(?:obs_?)?value|amount|figure|wert|betrag|valeur|montant|valor|importe|数值|金额|值")
"""Headers of a column that holds all of the figures."""


@dataclass(frozen=True)
class SeenTable:
    """A raw table as a first look found it."""

    source: Source
    """Its text; its table says how it is read."""
    ignored: tuple[str, ...]
    """Headers that stand in the way of its shape."""
    notes: tuple[str, ...]


def seen(folder: Path) -> Iterator[SeenTable]:
    """Read every table of a folder.

    Raises:
        ContractError: A file is none; holds the problems of all of them.
        InputError: There is no such folder, or no CSV or Parquet file in it.
    """
    alone, problems = dict[str, Source](), list[Problem]()
    for stem in _stems(folder):
        table = RawTable(name="table", columns=(), key=(), file=stem, dialect=written(folder / f"{stem}.csv"))
        try:
            alone[stem] = _read(table, folder)
        except ContractError as unreadable:
            problems.extend(unreadable.problems)
    if problems:
        raise ContractError(problems)
    for source, notes in _by_period(alone, folder):
        yield _shaped(source, folder, (*dialect_said(source.table.dialect), *notes))


def _stems(folder: Path) -> list[str]:
    there = names_in(folder, otherwise="give the folder of your tables")
    names = [name for name in there if is_raw(name) and not name.endswith(".json")]
    if not names:
        others = "".join(f"\n  {line}" for line in not_read(folder))
        raise InputError(f"no table in {folder}: put CSV or Parquet files there, one a table{others}")
    return list(dict.fromkeys(map(stem_of, names)))


def _read(table: RawTable, folder: Path) -> Source:
    source = read(table, folder)
    if source is None:
        raise AssertionError
    return source


def _by_period(alone: Mapping[str, Source], folder: Path) -> Iterator[tuple[Source, tuple[str, ...]]]:
    """Yield each table with what was seen of its files: those whose names differ in the period alone are one table."""
    groups = defaultdict[str, list[Source]](list)
    for stem, source in alone.items():
        said = _said(stem, source.headers, "file")
        groups[said[0] if said else stem].append(source)
    for file, sources in groups.items():
        first, last = sources[0], sources[-1]
        if len(sources) > 1 and len({_written(source) for source in sources}) == 1:
            table = replace(first.table, file=file, dialect=_together([source.table.dialect for source in sources]))
            yield (
                _read(table, folder),
                (f"? {len(sources)} files, one a period, are one table: {first.file} to {last.file}",),
            )
        else:
            apart = f"? {file!r} could be one table, but the files differ in their headers or in how they are written"
            yield from ((source, (apart,) if len(sources) > 1 else ()) for source in sources)


def _written(source: Source) -> tuple[frozenset[str], CsvDialect]:
    """Return what files of one table have in common."""
    return frozenset(source.headers), replace(source.table.dialect, totals=(), foot=())


def _together(dialects: Sequence[CsvDialect]) -> CsvDialect:
    totals, foot = (
        tuple(dict.fromkeys(text for dialect in dialects for text in getattr(dialect, field)))
        for field in ("totals", "foot")
    )
    return replace(dialects[0], totals=totals, foot=foot)


def _shaped(source: Source, folder: Path, notes: tuple[str, ...]) -> SeenTable:
    found = _wide(source, source.table.file) or _named_in_rows(source)
    if found is None:
        return SeenTable(source, (), (*notes, *_turned(source)))
    reshape, ignored, said = found
    long = _read(replace(source.table, reshape=reshape, ignored=ignored), folder)
    return SeenTable(long, ignored, (*notes, *said))


def _turned(source: Source) -> Iterator[str]:
    """Say of a table with a row for each period and figures beside it that headers may name whom it is about."""
    periods, others = source.column(0), range(1, len(source.headers))
    is_period = all(period_said("{period}", each or "") for each in periods)
    if len(others) > 2 and 1 < periods.n_unique() == len(periods) and is_period and _has_figures(source, others):  # noqa: PLR2004
        yield f"? a row for each {source.headers[0]!r}: if headers name whom it is about, turn rows into columns first"


def _said(name: str, taken: Sequence[str], what: str) -> tuple[str, str] | None:
    """Return the pattern of a name and the period of our time that it says; its column has a name that is not taken."""
    said = pattern_said(name, "year")
    if said is None or not _OUR_TIME[0] <= said[1][:4] <= _OUR_TIME[1]:
        return None
    column = _CALLED[len(said[1])]
    return pattern_said(name, column if column not in taken else f"{what}_{column}")


def _wide(source: Source, file: str) -> tuple[Reshape, tuple[str, ...], tuple[str, ...]] | None:
    """Return how a table in wide format becomes long, with the headers in its way and what was seen; None if it is long."""
    said = [
        (at, found) for at, header in enumerate(source.headers) if (found := _said(header, source.headers, "header"))
    ]
    every = {pattern: {period: at for at, (other, period) in said if other == pattern} for _, (pattern, _) in said}
    groups = {pattern: places for pattern, places in every.items() if len(places) > 1}
    if len(set(map(period_column, groups))) != 1 or not any(
        _has_figures(source, places.values()) for places in groups.values()
    ):
        return None
    taken = {at for places in groups.values() for at in places.values()}
    others = [at for at, header in enumerate(source.headers) if at not in taken and header]
    totals = [at for at in others if TOTAL.match(source.headers[at].strip()) and _has_figures(source, [at])]
    others = [at for at in others if at not in totals]
    wordless = next(filter(_is_wordless, groups), "") if len(groups) == 1 else ""
    by, beside = (_naming(source, others) if wordless else None) or ("", [])
    called = [_figure(pattern, file) for pattern in groups]
    figures = {"value": wordless} if by or called[0] in source.headers else dict(zip(called, groups, strict=True))
    if len(figures) < len(groups) or not others or not figures.keys().isdisjoint(source.headers):
        return None
    reshape = Reshape(figures=figures, named_by=by)
    ignored = tuple(source.headers[at] for at in sorted([*totals, *beside]))
    return reshape, ignored, tuple(_notes(source, groups, totals, by, beside))


def _named_in_rows(source: Source) -> tuple[Reshape, tuple[str, ...], tuple[str, ...]] | None:
    """Return how a table becomes long whose rows say in one column which figure they hold, and in another how much it is."""
    values = [at for at, header in enumerate(source.headers) if _VALUE.fullmatch(header) and _has_figures(source, [at])]
    others = [at for at, header in enumerate(source.headers) if at not in values and header]
    if len(values) != 1 or not any(map(_NAMING.search, source.headers)) or not source.text.height:
        return None
    by, beside = _naming(source, others) or ("", [])
    if not _NAMING.search(by):
        return None
    value = source.headers[values[0]]
    reshape = Reshape(figures={value: value}, named_by=by)
    return reshape, tuple(source.headers[at] for at in beside), tuple(_said_of_names(source, by, beside))


def _notes(
    source: Source, groups: Mapping[str, Mapping[str, int]], totals: Sequence[int], by: str, beside: Sequence[int]
) -> Iterator[str]:
    periods = sorted({period for places in groups.values() for period in places})
    yield f"? wide: headers say {len(periods)} periods, {periods[0]} to {periods[-1]}, which become a column"
    if totals:
        yield f"? {', '.join(repr(source.headers[at]) for at in totals)} adds up periods: left out"
    yield from _said_of_names(source, by, beside) if by else ()


def _said_of_names(source: Source, by: str, beside: Sequence[int]) -> Iterator[str]:
    yield f"? the cells of {by!r} name the figures, and become columns"
    if beside:
        yield f"? {', '.join(repr(source.headers[at]) for at in beside)} is about the figure or a single cell: left out"


def _has_figures(source: Source, places: Iterable[int]) -> bool:
    cells = pl.concat([source.column(at).alias("cell") for at in places]).drop_nulls()
    return int(cells.str.contains(_NUMBER).sum()) > _FIGURES * len(cells)


def _is_wordless(pattern: str) -> bool:
    return bool(_WORDLESS.match(_PERIOD.sub("", pattern)))


def _figure(pattern: str, file: str) -> str:
    """Return what a figure is called: what its headers say beside the period, or else its file."""
    parts = _PERIOD.split(file if _is_wordless(pattern) else pattern)
    return " ".join(part.strip(" -_.,:/") for part in parts if not _WORDLESS.match(part)) or "value"


def _naming(source: Source, others: Sequence[int]) -> tuple[str, list[int]] | None:
    """Return the column whose cells name figures, with the places of what says more of these or of single cells."""
    for at in sorted(others, key=lambda at: (not _NAMING.search(source.headers[at]), at)):
        names = source.column(at)
        is_last = all(_follows(source, at, behind) for behind in others if behind > at)
        if names.null_count() or not 1 < names.n_unique() <= len(names) / 2 or names.str.contains(_NUMBER).any():
            continue
        rest, beside = [other for other in others if other != at], list[int]()
        for other in reversed(rest):
            fewer = [each for each in rest if each != other]
            if fewer and _rows(source, [*fewer, at]) == len(names) and _rows(source, fewer) < _rows(source, rest):
                rest, beside = fewer, [*beside, other]
        is_key = rest and _rows(source, [*rest, at]) == len(names) > _rows(source, rest)
        if is_key and (is_last or _NAMING.search(source.headers[at])):
            return source.headers[at], beside
    return None


def _rows(source: Source, places: Sequence[int]) -> int:
    return int(source.text.select(pl.struct(str(at) for at in places).n_unique()).item())


def _follows(source: Source, at: int, other: int) -> bool:
    """Say whether a column has one value for each of another one."""
    return _rows(source, [at, other]) == _rows(source, [at])
