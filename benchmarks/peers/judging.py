"""KS tests by scipy in a loop, suites of Great Expectations, and a search for what was there before: what a user would write.

A part of `peer_pipeline.py`; facts come from `originals.py`.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import ks_2samp

from benchmarks.peers.anonymising import CODE, YEAR, Facts, Tables, pattern_of

with warnings.catch_warnings(action="ignore"):  # what it imports is deprecated here and there
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

_LEAST_FIRMS = 4
"""Firms of a group below which no test can reject anything."""

_FIGURES = {"id", "value", "createTime", "updateTime"}
"""Columns in which no name can stand."""

_CLOCK = r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2}$"


def ks_tests(before: pd.DataFrame, after: pd.DataFrame, firms: pd.DataFrame, facts: Facts) -> list[float]:
    """Return p of every measure in every industry, sub-industry and year; both panels have the same rows in one order."""
    groups = before[[CODE, YEAR]].merge(firms[[CODE, "industry", "secondIndustry"]], on=CODE, how="left")
    found = []
    for level in ("industry", "secondIndustry"):
        for rows in groups.groupby([level, YEAR]).indices.values():
            one, other = before.iloc[rows], after.iloc[rows]
            for measure in facts["measures"]:
                first, second = one[measure].dropna(), other[measure].dropna()
                if min(len(first), len(second)) >= _LEAST_FIRMS:
                    found.append(float(ks_2samp(first, second, method="asymp").pvalue))
    return found


def read_again(folder: Path) -> Tables:
    """Return the written tables as text, by path."""
    files = sorted((folder / "database").rglob("*.csv"))
    return {str(file.relative_to(folder / "database")): pd.read_csv(file, dtype=str) for file in files}


def expectations(tables: Tables, facts: Facts) -> list[bool]:
    """Return for every expectation of every table whether it is met."""
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    source = context.data_sources.add_pandas("written")
    results = []
    with warnings.catch_warnings(action="ignore"):  # pandas warns about groups in a pattern, which are not used here
        for path, frame in tables.items():
            batch = source.add_dataframe_asset(path).add_batch_definition_whole_dataframe("all")
            suite = gx.ExpectationSuite(path, expectations=list(suite_of(frame, facts)))
            results += batch.get_batch({"dataframe": frame}).validate(suite).results
    return [bool(result.success) for result in results]


def suite_of(frame: pd.DataFrame, facts: Facts) -> Iterator[Any]:
    """Yield what is expected of a table: its columns and rows, and what is known of each column that it has."""
    expect = gx.expectations
    yield expect.ExpectTableColumnsToMatchOrderedList(column_list=list(frame.columns))
    yield expect.ExpectTableRowCountToEqual(value=len(frame))
    for column in frame.columns:
        if column in {"id", CODE, YEAR, "targetCode", "targetName"}:
            yield expect.ExpectColumnValuesToNotBeNull(column=column)
        if column == "id":
            yield expect.ExpectColumnValuesToBeUnique(column=column)
        if column in _patterns():
            yield expect.ExpectColumnValuesToMatchRegex(column=column, regex=_patterns()[column])
        if column in _sets(facts) and column not in _open_sets(frame):
            yield expect.ExpectColumnValuesToBeInSet(column=column, value_set=_sets(facts)[column])


def leaked(tables: Tables, codes: Iterable[str], names: Iterable[str]) -> set[str]:
    """Return which original codes and names stand in the written files: each distinct text is looked through once."""
    known, old = pattern_of(names), set(codes)
    found: set[str] = set()
    for frame in tables.values():
        for column in frame.columns.difference(_FIGURES):
            texts = frame[column].dropna().unique()
            found |= old.intersection(texts)
            found.update(name for text in texts for name in known.findall(text))
    return found


def codes_left(tables: Tables, codes: Mapping[str, str]) -> int:
    """Count the cells of code columns that hold no pseudonym."""
    new = set(codes.values())
    return sum(int((~frame[CODE].isin(new)).sum()) for frame in tables.values() if CODE in frame)


def _patterns() -> dict[str, str]:
    return {CODE: r"^\d{6}$", "createTime": _CLOCK, "updateTime": _CLOCK, "value": r"^-?\d+(\.\d+)?(e[+-]?\d+)?$"}


def _sets(facts: Facts) -> dict[str, list[str]]:
    codes = [code + ending for code in facts["codes"].values() for ending in ("", "_YOY", "_CHG")]
    industries = [*facts["industries"], facts["total"][1]]
    return {"targetCode": codes, "industry": industries, "industryId": [*facts["industries"].values(), "0"]}


def _open_sets(frame: pd.DataFrame) -> set[str]:
    """Return columns that hold lists in this table, of which nothing so plain is true."""
    return {"industry"} if "issueAuthor" in frame else set()
