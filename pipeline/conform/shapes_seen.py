"""What shape the raw files of a folder have: a table in one file or in one each period, long or wide.

Only a first look at strange files guesses (`silt init`); what it finds goes into the declaration, by which `shaping.py` reads.
How a file is written belongs to `sniffing.py`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from pipeline.conform.reading import read
from pipeline.conform.sniffing import TOTAL, not_read, written
from pipeline.conform.source import Source
from pipeline.errors import ContractError, InputError, Problem
from pipeline.model import CsvDialect, RawTable, Reshape
from pipeline.model.periods import pattern_said, period_column

_ENDINGS = (".csv", ".parquet")

_CALLED = {4: "year", 6: "quarter", 7: "month"}
"""Signs of a period -> what its column is called."""

_OUR_TIME = ("1800", "2100")
"""Years that a header or the name of a file may say (our choice)."""

_NUMBER = r"^\W*\d[\d.,'’\s]*\W*$"
_FIGURES = 0.5
"""Part of the cells below a period that are numbers, from which on they are figures (our choice: gaps have many names)."""

_WORDLESS = re.compile(r"(?i)^\W*(?:fy|year|jahr|année|annee|exercice|año|ano|ejercicio|年)?\W*$")
"""What is left of a header without its period if it names no figure."""

_PERIOD = re.compile(r"\{\w+\}")

_NAMING = re.compile(
    r"(?i)measure|indicator|variable|metric|item|series|kennzahl|merkmal|position|indicateur|mesure|poste|indicador|concepto"
    r"|partida|指标|项目|科目"
)
"""Headers of columns whose cells name figures."""


@dataclass(frozen=True)
class Seen:
    """A raw table as a first look found it."""

    source: Source
    dialect: CsvDialect
    reshape: Reshape | None
    ignored: tuple[str, ...]
    """Headers that stand in the way of its shape."""
    notes: tuple[str, ...]


def seen(folder: Path) -> Iterator[Seen]:
    """Read every table of a folder.

    Raises:
        ContractError: A file is none; holds the problems of all of them.
        InputError: There is no such folder, or no CSV or Parquet file in it.
    """
    dialects = {stem: written(folder / f"{stem}.csv") for stem in _stems(folder)}
    alone, problems = dict[str, Source](), list[Problem]()
    for stem, (dialect, _) in dialects.items():
        try:
            alone[stem] = _read(RawTable(name=stem, columns=(), key=(), dialect=dialect), folder)
        except ContractError as unreadable:
            problems.extend(unreadable.problems)
    if problems:
        raise ContractError(problems)
    files = _by_period(alone, {stem: dialect for stem, (dialect, _) in dialects.items()})
    for file, stems in files.items():
        yield _shaped(file, stems, folder, alone, dialects)


# ----------------------------------------------------------------------------------------------------------------------


def _stems(folder: Path) -> list[str]:
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise InputError(f"can't read the folder {folder}: {error.strerror}; give the folder of your tables") from error
    names = [path.stem for path in paths if path.suffix in _ENDINGS]
    if not names:
        others = "".join(f"\n  {line}" for line in not_read(folder))
        raise InputError(f"no table in {folder}: put CSV or Parquet files there, one a table{others}")
    return list(dict.fromkeys(names))


def _read(table: RawTable, folder: Path) -> Source:
    source = read(table, folder)
    if source is None:
        raise AssertionError
    return source


def _by_period(alone: Mapping[str, Source], dialects: Mapping[str, CsvDialect]) -> dict[str, list[str]]:
    """Return the names of tables with those of their files: several with one header, of which each says another period."""
    groups = defaultdict[tuple[object, ...], list[str]](list)
    for stem, source in alone.items():
        said = _said(stem, source.headers, "file")
        written = replace(dialects[stem], totals=())
        groups[(said[0], tuple(sorted(source.headers)), written) if said else (stem,)].append(stem)
    return {str(key[0]) if len(stems) > 1 else stems[0]: stems for key, stems in groups.items()}


def _shaped(
    file: str,
    stems: Sequence[str],
    folder: Path,
    alone: Mapping[str, Source],
    dialects: Mapping[str, tuple[CsvDialect, tuple[str, ...]]],
) -> Seen:
    dialect, notes = dialects[stems[0]]
    if len(stems) > 1:
        totals = dict.fromkeys(total for stem in stems for total in dialects[stem][0].totals)
        dialect = replace(dialect, totals=tuple(totals))
        notes = (*notes, f"? {len(stems)} files with one header, one a period: {stems[0]} to {stems[-1]}")
    table = RawTable(name="table", columns=(), key=(), file=file, dialect=dialect)
    source = alone[file] if file in alone else _read(table, folder)
    found = _wide(source, file)
    if found is None:
        return Seen(source, dialect, None, (), notes)
    reshape, ignored, said = found
    return Seen(
        _read(replace(table, reshape=reshape, ignored=ignored), folder), dialect, reshape, ignored, (*notes, *said)
    )


def _said(name: str, taken: Sequence[str], what: str) -> tuple[str, str] | None:
    """Return the pattern of a name and the period of our time that it says; its column has a name that is not taken."""
    said = pattern_said(name, "year")
    if said is None or not _OUR_TIME[0] <= said[1][:4] <= _OUR_TIME[1]:
        return None
    column = _CALLED[len(said[1])]
    return pattern_said(name, column if column not in taken else f"{what}_{column}")


def _wide(source: Source, file: str) -> tuple[Reshape, tuple[str, ...], tuple[str, ...]] | None:
    """Return how a table in wide format becomes long, with the headers in its way and what was seen; None if it is long."""
    groups = defaultdict[str, dict[str, int]](dict)
    for at, header in enumerate(source.headers):
        if said := _said(header, source.headers, "header"):
            groups[said[0]][said[1]] = at
    groups = {each: places for each, places in groups.items() if len(places) > 1}
    if len(set(map(period_column, groups))) != 1 or not any(
        _has_figures(source, places.values()) for places in groups.values()
    ):
        return None
    taken = {at for places in groups.values() for at in places.values()}
    others = [at for at, header in enumerate(source.headers) if at not in taken and header]
    totals = [at for at in others if TOTAL.match(source.headers[at].strip()) and _has_figures(source, [at])]
    others = [at for at in others if at not in totals]
    figures = {_figure(pattern, file): pattern for pattern in groups}
    if len(figures) < len(groups) or not others or set(figures) & {source.headers[at] for at in others}:
        return None
    named = _naming(source, others) if len(figures) == 1 and _is_wordless(next(iter(groups))) else None
    by, beside = named or ("", [])
    reshape = Reshape(figures={"value": next(iter(groups))} if by else figures, named_by=by)
    ignored = tuple(source.headers[at] for at in sorted([*totals, *beside]))
    return reshape, ignored, tuple(_notes(source, groups, totals, by, beside))


def _notes(
    source: Source, groups: Mapping[str, Mapping[str, int]], totals: Sequence[int], by: str, beside: Sequence[int]
) -> Iterator[str]:
    periods = sorted({period for places in groups.values() for period in places})
    yield f"? wide: headers say {len(periods)} periods, {periods[0]} to {periods[-1]}, which become a column"
    if by:
        yield f"? the cells of {by!r} name the figures, and become columns"
    for why, places in (("adds up periods", totals), ("is about the figure or a single cell", beside)):
        if places:
            yield f"? {', '.join(repr(source.headers[at]) for at in places)} {why}: left out"


def _has_figures(source: Source, places: Iterable[int]) -> bool:
    cells = pl.concat([source.column(at).alias("cell") for at in places]).drop_nulls()
    return int(cells.str.contains(_NUMBER).sum()) > _FIGURES * len(cells)


def _is_wordless(pattern: str) -> bool:
    return bool(_WORDLESS.match(_PERIOD.sub("", pattern)))


def _figure(pattern: str, file: str) -> str:
    """Return what a figure is called: what its headers say beside the period, or else its file."""
    parts = _PERIOD.split(file if _is_wordless(pattern) else pattern)
    return " ".join(filter(None, (part.strip(" -_.,:/") for part in parts))) or "value"


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
