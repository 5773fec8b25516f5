"""What differs between two releases: files, columns, records, cells by cause, rates of noise, and by which step to number it.

The rule of numbering stands in `docs/releases.md`: major for schema or meaning, minor for records or cells, patch for what is
said about them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

import polars as pl

from pipeline.errors import InputError
from pipeline.model import Environment, PublishedTable, Role
from pipeline.publish.manifest import DATA_FOLDERS
from pipeline.release.layout import RELEASE
from pipeline.wording import counted, percent
from validation.release.checks.pair import TablePair, paired, pairs
from validation.release.diff.choices import OTHER_BYTES, Choices, choices, folded
from validation.release.diff.numbering import Step, in_words
from validation.release.diff.spending import together
from validation.release.diff.tasks import OF_TASKS, OfTasks, of_tasks
from validation.release.opened import Release, ReleasedVariant

Cause = Literal["noise", "figures", "names", "prose", "other"]

_CAUSES: Mapping[Cause, frozenset[Role]] = {
    "names": frozenset({Role.CODE, Role.NAME, Role.ALIAS}),
    "prose": frozenset({Role.TEXT}),
    "figures": frozenset({Role.MEASURE}),
}
"""Cause -> roles of the columns from which such cells come; the first that fits holds."""

_DIFFER: Mapping[Cause, str] = {
    "noise": "by noise alone",
    "figures": "in columns of figures",
    "names": "in columns of codes and names",
    "prose": "in columns of prose",
    "other": "in other columns",
}
"""Cause -> how cells that differ are counted in words."""

_OF_MEANING = ("policy", "budget", "key_fingerprint", "scale", "source")
"""What a manifest states that gives codes, names and figures another meaning."""


_Place = tuple[str, str]
"""Table and column."""

_Counts = tuple[int, int]
"""Cells that differ, and all cells."""

_STATISTICS = "reports/model.json"
"""Where the statistics stand in a variant of sampled records."""


@dataclass(frozen=True, kw_only=True)
class OfTable:
    """What differs in one table of one variant."""

    path: str
    columns: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """Both headers, if they differ; then cells are not compared."""
    gone: int = 0
    come: int = 0
    """Records by row key that only the first or only the second release has, or has so many times more."""
    cells: Mapping[Cause, int] = field(default_factory=dict)
    """Cells of records in both that differ, by cause; copies of a record are not looked at."""


@dataclass(frozen=True, kw_only=True)
class Differences:
    """What differs between two releases."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    meaning: Mapping[str, tuple[object, object]]
    """What manifests state of how the release was made, and both sides of it."""
    tables: tuple[OfTable, ...]
    rates: Mapping[_Place, tuple[_Counts, _Counts]]
    """Table and column -> in how many cells the noisy variant differs from the clean one, and of how many, in both releases."""
    budgets: tuple[float | None, float | None] = (None, None)
    """What manifests state that the releases spend."""
    tasks: tuple[OfTasks, ...] = ()
    has_same_statistics: bool = False
    """Whether both publish the same noised statistics."""
    lacks_noise: bool = False
    """Whether one alone has a pair of variants, so that noise cannot be compared."""
    chosen: Choices = field(default_factory=dict)
    versions: tuple[str, str] = ("", "")
    """Their numbers; empty of a build."""

    @property
    def step(self) -> Step:
        """Return by which step the second release follows the first."""
        if any(self._asks_for("major").values()):
            return "major"
        if any(self._asks_for("minor").values()):
            return "minor"
        return "patch" if (*self.removed, *self.added, *self.changed) else "none"

    def _asks_for(self, step: Step) -> Mapping[str, bool]:
        """Return what asks for a step, in words -> whether it does."""
        one_sided = {*self.removed, *self.added}
        if step == "major":
            return {
                "a file of data is there in one alone": any(map(_is_data, one_sided)),
                "columns differ": any(table.columns for table in self.tables),
                "how it was made differs": bool(self.meaning),
            }
        rows, cells = any(table.gone or table.come for table in self.tables), any(table.cells for table in self.tables)
        tasks = bool(OF_TASKS & {*self.changed})
        return {
            "rows differ": rows,
            "cells differ": cells,
            "files of data have other bytes": any(map(_is_data, self.changed)) and not rows and not cells,
            "tasks are published in one alone": bool(one_sided & OF_TASKS) and not tasks,
            "tasks differ": tasks,
        }

    def lines(self) -> Iterator[str]:
        """Yield what differs, a line each."""
        yield from (f"chosen   {name}: {one}, then {other}" for name, (one, other) in self.chosen.items())
        sides = {"only in the first": self.removed, "only in the second": self.added, OTHER_BYTES: self.changed}
        is_same_data = not self.meaning and not any(map(_is_data, chain(*sides.values())))
        counted_ones, others = folded(self.chosen, sides, is_same_data=is_same_data)
        yield from (f"files    {what}" for what in counted_ones)
        yield from (f"file     {path}: {side}" for side, paths in others.items() for path in paths)
        yield from (f"made     {name}: {one}, then {other}" for name, (one, other) in self.meaning.items())
        for of_table in self.tables:
            yield from _lines_of(of_table)
        for (table, column), (one, other) in self.rates.items():
            yield f"noise    {table}, column {column!r}: {_of_cells(*one)}, then {_of_cells(*other)}"
        if self.lacks_noise:
            yield "noise    not compared: one of both lacks the noisy variant or the clean one"
        yield from (f"tasks    {of_file}" for of_file in self.tasks)
        if cost := together(self.budgets, is_same=self.has_same_statistics):
            yield f"budget   {cost}"
        why = ", ".join(what for what, is_so in self._asks_for(self.step).items() if is_so)
        number = _NUMBERED.get(self.step) or f"{self.step}: {why}"
        yield "number   " + "; ".join(filter(None, (number, in_words(self.versions, self.step))))


_NUMBERED: Mapping[Step, str] = {
    "patch": "patch: neither data nor tasks differ",
    "none": "none is needed: no file differs",
}
"""Step that nothing asks for -> why it is that one."""


def differences(first: Release, second: Release) -> Differences:
    """Compare two releases, or raise `InputError` if they are of different environments."""
    _refuse_others(first, second)
    one, other = (set(release.tree.files) for release in (first, second))
    same = [path for path in sorted(one & other) if first.tree.is_same(path, second.tree)]
    tables = [found for variant in first.variants for found in _of_variant(variant, first, second)]
    changed = [_changed(release) for release in (first, second)]
    return Differences(
        removed=tuple(sorted(one - other)),
        added=tuple(sorted(other - one)),
        changed=tuple(sorted((one & other) - set(same))),
        meaning=_meaning(first, second),
        tables=tuple(tables),
        rates=_rates(*changed) if all(changed) else {},
        lacks_noise=any(changed) and not all(changed),
        budgets=(_stated(first).get("budget"), _stated(second).get("budget")),
        tasks=tuple(of_tasks(first, second)),
        has_same_statistics=bool(_statistics(first) & _statistics(second)),
        chosen=choices(first, second),
        versions=(str(first.head.get("version", "")), str(second.head.get("version", ""))),
    )


def _refuse_others(first: Release, second: Release) -> None:
    names = [
        {str(variant.manifest.get("environment", "")) for variant in release.variants} for release in (first, second)
    ]
    if names[0] != names[1]:
        both = " and ".join(", ".join(map(repr, sorted(each))) for each in names)
        raise InputError(f"these are releases of different environments, {both}; give two of one environment")


def _meaning(first: Release, second: Release) -> dict[str, tuple[object, object]]:
    stated = [_stated(release) for release in (first, second)]
    sides = {name: (stated[0].get(name), stated[1].get(name)) for name in _OF_MEANING}
    return {name: both for name, both in sides.items() if both[0] != both[1]}


def _stated(release: Release) -> Mapping[str, Any]:
    """Return a manifest of the release; variants state the same of what is asked here."""
    return next((variant.manifest for variant in release.variants), {})


def _statistics(release: Release) -> set[str]:
    """Return the digests of the noised statistics from which records are sampled: every variant has the same."""
    return {release.tree.digest(path) for path in release.tree.files if path.endswith(_STATISTICS)}


def _of_variant(variant: ReleasedVariant, first: Release, second: Release) -> Iterator[OfTable]:
    other = second.variant(variant.name)
    for path, table in variant.declared.items() if other else ():
        if other is None or not {path} <= set(variant.tree.files) & set(other.tree.files):
            continue
        if not variant.tree.is_same(path, other.tree):
            yield _of_table(path, table, variant, other, _clean_pair(table, first, second))


def _of_table(
    path: str, table: PublishedTable, one: ReleasedVariant, other: ReleasedVariant, clean: TablePair | None
) -> OfTable:
    frames = [variant.read(path) for variant in (one, other)]
    if frames[0] is None or frames[1] is None:
        return OfTable(path=path)
    if frames[0].columns != frames[1].columns:
        return OfTable(path=path, columns=(tuple(frames[0].columns), tuple(frames[1].columns)))
    if not table.row_key or table.row_key not in frames[0].columns:
        return OfTable(path=path)
    pair = paired(table, frames[0], frames[1])
    cells: Counter[Cause] = Counter()
    for column in pair.columns:
        differing = pair.differing(column)
        of_noise = _of_noise(pair, clean, column, differing) if one.name == "noisy" else 0
        cells["noise"] += of_noise
        cells[cause_of(one.environment, table, column)] += differing.len() - of_noise
    return OfTable(path=path, gone=pair.gone, come=pair.come, cells={cause: n for cause, n in cells.items() if n})


def _clean_pair(table: PublishedTable, first: Release, second: Release) -> TablePair | None:
    """Return the clean tables of both releases side by side; None if they are not there."""
    if table.folder != "database" or table.name not in first.truth or table.name not in second.truth:
        return None
    return paired(table, first.truth[table.name], second.truth[table.name]) if table.row_key else None


def _of_noise(pair: TablePair, clean: TablePair | None, column: str, differing: pl.Series) -> int:
    """Count the differing cells of noisy tables whose clean cells are the same."""
    if clean is None or column not in clean.columns:
        return 0
    key = pair.table.row_key
    changed = clean.noisy(key).gather(clean.differing(column))
    return differing.len() - int(pair.noisy(key).gather(differing).is_in(changed.implode()).sum())


def cause_of(environment: Environment | None, table: PublishedTable, column: str) -> Cause:
    """Return by what a cell of a clean column comes to differ, as lineage declares it."""
    origins = next((field.origins for field in table.fields if field.name == column), None)
    if environment is None or origins is None:
        return "other"
    raw = {each.name: each for each in environment.raw_tables}
    roles: set[Role | None] = set()
    for name, of in origins:
        declared = {each.name: each.role for each in (*raw[name].columns, *raw[name].adds)} if name in raw else {}
        is_name = name in ("names", "identity_map") or of == environment.entities.code
        roles.add(Role.NAME if is_name else declared.get(of, Role.MEASURE if name not in raw else None))
    return next((cause for cause, of_cause in _CAUSES.items() if roles & of_cause), "other")


def _rates(one: Mapping[_Place, _Counts], other: Mapping[_Place, _Counts]) -> dict[_Place, tuple[_Counts, _Counts]]:
    """Return how many cells noise changes in each column, where that differs."""
    both = {place: (one.get(place, (0, 0)), other.get(place, (0, 0))) for place in {**one, **other}}
    return {place: rates for place, rates in both.items() if rates[0] != rates[1]}


def _changed(release: Release) -> dict[_Place, _Counts]:
    return {
        (pair.table.name, column): (pair.differing(column).len(), pair.height)
        for pair in pairs(release)
        for column in pair.columns
    }


def _of_cells(changed: int, cells: int) -> str:
    return f"{changed:,} of {counted(cells, 'cell')} ({percent(changed / cells)})" if cells else "no cell"


def _is_data(path: str) -> bool:
    return bool(set(DATA_FOLDERS) & set(path.split("/")[:2])) and path != RELEASE


def _lines_of(table: OfTable) -> Iterator[str]:
    if table.columns:
        one, other = (
            [name for name in mine if name not in yours] for mine, yours in (table.columns, table.columns[::-1])
        )
        yield f"schema   {table.path}: columns gone {one}, come {other}" + ("" if one or other else " (another order)")
    if table.gone or table.come:
        yield f"records  {table.path}: {table.gone:,} gone, {table.come:,} come"
    if table.cells:
        cells = sum(table.cells.values())
        by_cause = ", ".join(f"{n:,} {_DIFFER[cause]}" for cause, n in table.cells.items())
        yield f"cells    {table.path}: {counted(cells, 'cell')} {'differs' if cells == 1 else 'differ'}: {by_cause}"
