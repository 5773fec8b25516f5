"""Codes by HMAC, names by faker, prose by one regular expression, figures by fresh low digits: what a user would write.

A part of `peer_pipeline.py`; facts come from `originals.py`.
"""

import hmac
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from faker import Faker

CODE, NAME, YEAR = "bmCode", "bmCompanyName", "year"
PROSE = {
    "company_core": ["bmCoreVieContent"],
    "policy_resource": ["title", "content", "clearContent", "summary", "machineSummary"],
}

Facts = Mapping[str, Any]
Tables = dict[str, pd.DataFrame]

_MENTION = re.compile(r"(?<![\d.])(\d{5,6})(?:\.(?:SZ|SH|HK|BJ))?(?!\d)")
"""A code in prose, with or without its exchange."""

_SEED = 2022


def pseudonyms(codes: Iterable[str], secret: bytes) -> dict[str, str]:
    """Return six digits for each code by HMAC, none twice and none that was a code."""
    old = list(codes)
    taken, new = {code.split(".")[0] for code in old}, {}
    for code in old:
        tries = (hmac.digest(secret, f"{code}/{attempt}".encode(), "sha256") for attempt in count())
        drawn = (str(100_000 + int.from_bytes(digest[:8], "big") % 900_000) for digest in tries)
        new[code] = next(candidate for candidate in drawn if candidate not in taken)
        taken.add(new[code])
    return new


def new_names(raw: Tables, english: Mapping[str, str]) -> dict[str, str]:
    """Return another name for each legal name, alias and English name, made by faker; none twice, and no old one."""
    chinese, foreign = Faker("zh_CN"), Faker("en_US")
    chinese.seed_instance(_SEED)
    foreign.seed_instance(_SEED)
    aliases = raw["company_alias"]
    firms = pd.concat([raw[table][NAME] for table in ("company_profile", "overseas_profile")])
    is_english = aliases["kind"] == "english"
    of_firms, in_english = [*firms, *english], [*aliases.loc[is_english, "alias"], *english.values()]
    of_others = aliases.loc[~is_english, "alias"]
    taken = {*of_firms, *in_english, *of_others}
    # faker knows 324 companies of China: a person's name before them makes enough.
    makes: tuple[tuple[Iterable[str], Callable[[], str]], ...] = (
        (of_firms, lambda: chinese.first_name() + chinese.last_name() + chinese.company()),
        (of_others, lambda: chinese.last_name() + chinese.first_name() + chinese.company_prefix()),
        (in_english, foreign.company),
    )
    new: dict[str, str] = {}
    for old, make in makes:
        for name in dict.fromkeys(old):
            if name not in new:
                new[name] = next(made for made in iter(make, None) if made not in taken)
                taken.add(new[name])
    return new


def anonymised(raw: Tables, codes: Mapping[str, str], names: Mapping[str, str], random: np.random.Generator) -> Tables:
    """Return the tables with new codes and names, also in prose, their rows in another order."""
    tables = {}
    bare, known = {old.split(".")[0]: new for old, new in codes.items()}, pattern_of(names)
    for table in ("company_profile", "overseas_profile", "company_core", "policy_resource", "internal_metrics"):
        frame = raw[table].sample(frac=1, random_state=random).reset_index(drop=True)
        if CODE in frame:
            frame[CODE] = frame[CODE].map(codes)
        if NAME in frame:
            frame[NAME] = frame[NAME].map(names)
        for column in PROSE.get(table, ()):
            renamed = frame[column].str.replace(known, lambda found: names[found[0]], regex=True)
            frame[column] = renamed.str.replace(_MENTION, lambda found: bare.get(found[1], found[0]), regex=True)
        tables[table] = frame
    return tables | {table: raw[table] for table in raw if "macro" in table}


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """Return what finds any of the names, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))


def all_codes(raw: Tables) -> list[str]:
    """Return every code once."""
    tables = ("company_profile", "overseas_profile", "company_operation_history")
    return pd.concat([raw[table][CODE] for table in tables]).drop_duplicates().tolist()


def panel_of(raw: Tables, facts: Facts) -> pd.DataFrame:
    """Return the figures of all years as numbers: code, year, measures."""
    panel = pd.concat([raw["company_operation_status"], raw["company_operation_history"]], ignore_index=True)
    return panel[[CODE, YEAR, *facts["measures"]]].apply(
        lambda column: column if column.name == CODE else pd.to_numeric(column)
    )


def perturbed(panel: pd.DataFrame, facts: Facts, random: np.random.Generator) -> pd.DataFrame:
    """Return the panel with the digits after the third drawn anew; figures of three digits stay."""
    new = panel.copy()
    for measure in facts["measures"]:
        unit = 10.0 ** facts["decimals"][measure]
        quanta = (panel[measure].abs() * unit).round()
        step = 10.0 ** np.maximum(np.floor(np.log10(quanta.where(quanta > 0))) - 2, 0)
        drawn = np.floor(quanta / step) * step + np.floor(random.random(len(panel)) * step)
        new[measure] = (np.sign(panel[measure]) * drawn.fillna(quanta) / unit).round(facts["decimals"][measure])
    return new


def with_identities(panel: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Return the panel with ratios, growth and differences of the new figures wherever the old panel had them."""
    new = panel.copy()
    for output, numerator, denominator in facts["ratios"]:
        _set(new, output, 100 * new[numerator] / new[denominator])
    before = year_before(new, facts)
    for output, base in facts["growths"]:
        _set(new, output, 100 * (new[base] - before[base]) / before[base].abs())
    for output, base in facts["differences"]:
        _set(new, output, new[base] - before[base])
    return new


def year_before(panel: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Return each row's figures of the year before, empty where there is none."""
    earlier = panel.assign(**{YEAR: panel[YEAR] + 1}).set_index([CODE, YEAR])[facts["measures"]]
    return earlier.reindex(pd.MultiIndex.from_frame(panel[[CODE, YEAR]])).reset_index(drop=True)


def _set(panel: pd.DataFrame, output: str, values: pd.Series) -> None:
    known = panel[output].notna() & np.isfinite(values)
    panel[output] = panel[output].where(~known, values.round(2))
