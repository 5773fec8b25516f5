"""Noise of the kinds and in about the amount of `noisy.yaml`, made by tab_err: what a user would write.

A part of `peer_pipeline.py`; facts come from `originals.py`. tab_err gives a table back with errors and a mask of where they
are. What it does not know (the label of a unit that goes with its value) is set by that mask.
"""

import random
import warnings
from collections.abc import Iterable
from typing import Any

import pandas as pd
from tab_err import error_mechanism, error_type
from tab_err.api import low_level

from benchmarks.peers.anonymising import Facts, Tables

_LONG = (
    "industry/national_industry_status",
    "industry/regional_industry_status",
    "enterprise/company_operation_status",
)
_DRIFT = 0.5
_GAPS = (
    ("enterprise/company_operation_status", ("value",), 0.004),
    ("enterprise/company_profile", ("completedDate", "city", "area"), 0.02),
    ("enterprise/company_core", ("bmCoreVieContent",), 0.012),
    ("policy/policy_resource", ("summary", "industry"), 0.01),
)
_ADDED = (
    ("enterprise/company_core", "bmCoreVieContent", "{value} 2022年年度报告全文 12", 0.4),
    ("policy/policy_resource", "issueAuthor", "{value}  ", 0.01),
    ("policy/policy_release_status", "targetName", "{value}  ", 0.01),
)


def with_noise(clean: Tables, facts: Facts) -> tuple[Tables, int]:
    """Return the tables with errors, and how many cells were changed."""
    warnings.simplefilter("ignore")
    random.seed(2022)
    noisy, changed = dict(clean), 0
    for name in _LONG:
        path = f"{name}.csv"
        drifted, names = other_names(noisy[path], facts)
        noisy[path], units = other_units(drifted, facts)
        changed += names + units
    for name, columns, rate in _GAPS:
        for column in columns:
            noisy[f"{name}.csv"], cells = _errors(noisy[f"{name}.csv"], column, rate, error_type.MissingValue())
            changed += cells
    for name, column, template, rate in _ADDED:
        added = error_type.Extraneous({"extraneous_value_template": template})
        noisy[f"{name}.csv"], cells = _errors(noisy[f"{name}.csv"], column, rate, added)
        changed += cells
    return noisy, changed


def other_units(table: pd.DataFrame, facts: Facts) -> tuple[pd.DataFrame, int]:
    """State four in five amounts of money in another unit: value and label."""
    new, changed = table.copy(), 0
    rows = table.index[table["targetUnit"].isin(facts["money_units"]) & table["value"].notna()]
    for left, (unit, size) in zip(range(5, 1, -1), list(facts["money_units"].items())[1:], strict=True):
        scaled = error_type.WrongUnit({"wrong_unit_scaling": lambda value, size=size: value / size})
        part, mask = low_level.create_errors(new.loc[rows], "value", 1 / left, error_mechanism.ECAR(seed=left), scaled)
        hit = rows[mask["value"]]
        new.loc[hit, "value"], new.loc[hit, "targetUnit"] = part.loc[hit, "value"], unit
        rows, changed = rows[~mask["value"]], changed + 2 * len(hit)
    return new, changed


def other_names(table: pd.DataFrame, facts: Facts) -> tuple[pd.DataFrame, int]:
    """Give half of the rows of indicators that have aliases one of these, whatever statistic follows the name."""
    new, changed = table.copy(), 0
    for name, ending, choices in _spellings(facts):
        rows = table.index[table["targetName"] == name + ending]
        if not len(rows):
            continue
        kind = pd.CategoricalDtype([each + ending for each in (name, *choices)])
        part = table.loc[rows, ["targetName"]].astype(kind)
        swapped, cells = _errors(part, "targetName", _DRIFT, error_type.CategorySwap())
        new.loc[rows, "targetName"] = swapped["targetName"].astype(object)
        changed += cells
    return new, changed


def _spellings(facts: Facts) -> Iterable[tuple[str, str, list[str]]]:
    for name, choices in facts["aliases"].items():
        for ending in ("", *facts["suffixes"].values()):
            yield name, ending, choices


def _errors(table: pd.DataFrame, column: str, rate: float, kind: Any) -> tuple[pd.DataFrame, int]:
    dirty, mask = low_level.create_errors(table, column, rate, error_mechanism.ECAR(seed=2022), kind)
    cells = int(mask[column].sum())
    # NOTE: tab_err 0.2.1 writes the text "<NA>", or "None", for a missing text.
    return dirty.assign(**{column: dirty[column].where(~dirty[column].isin(["<NA>", "None", "nan"]))}), cells
