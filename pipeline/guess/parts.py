"""Which columns say a part of a time that stands beside them: known by comparing them with it, not by their headers."""

from collections.abc import Mapping

import polars as pl

from pipeline.guess.looking import Looked, Looks

FORMS = (
    "%Y", "%-m", "%-d", "%-H", "%-M", "%-S", "%u", "%w", "%-j", "%-V", "%q", "%-H%M", "%Y%m", "%Y%m%d", "%m", "%d", "%H", "%M",
    "%S", "%H:%M", "%H:%M:%S", "%Y-%m", "%Y-%m-%d", "%A", "%a", "%B", "%b", "%y",
)  # fmt: skip
"""Parts of a time, as they may be written."""

_ALL_BUT_FEW = 0.99
"""Part of the rows in which a column has to say it (our choice: what it says in the others would contradict the time)."""

_TRIED = 2_000
"""Rows on which a form is tried first, spread over the table."""

_ROUND: Mapping[str, int] = {"%-m": 12, "%-d": 31, "%-H": 24, "%u": 7}
"""Forms of parts that begin anew after so many."""

_SHIFTED = 0.8
"""Part of the rows in which a part of a time is shifted by one or two numbers, those of a zone and its summer (our choice)."""


def part_of(looked: Looked, table: Looks) -> tuple[str, str]:
    """Return the time of which a column says a part, and how it is written; two empty texts if there is none."""
    found = ((each.name, form) for each in _times(table) if each is not looked for form in _forms(looked, each))
    return next(found, ("", ""))


def shifted_part_of(looked: Looked, table: Looks) -> str:
    """Return the time of which a column says a part in another zone or by another count; the empty text if there is none."""
    if looked.column.type != "integer":
        return ""
    for time in _times(table):
        for form, length in _ROUND.items():
            numbers = pl.DataFrame(
                [_said(time.values, form).cast(pl.Int64).alias("said"), looked.values.alias("value")]
            )
            both = numbers.gather_every(max(1, numbers.height // _TRIED)).drop_nulls()
            shifts = ((both["said"] - both["value"]) % length).value_counts(sort=True)["count"]
            is_part = looked.values.drop_nulls().is_between(0, length).all() and both["value"].n_unique() > length / 2
            if both.height and is_part and shifts.head(2).sum() >= _SHIFTED * both.height:
                return time.name
    return ""


def _times(table: Looks) -> list[Looked]:
    return [each for each in table.columns.values() if each.is_time]


def _forms(looked: Looked, time: Looked) -> list[str]:
    """Return the forms in which the column says the time in nearly all rows, and says something."""
    if looked.is_time or looked.column.type == "decimal" or not looked.distinct > 1:
        return []
    step = max(1, len(time.values) // _TRIED)
    likely = [form for form in FORMS if _holds(looked.text.gather_every(step), time.values.gather_every(step), form)]
    return [form for form in likely if _holds(looked.text, time.values, form)]


def _holds(text: pl.Series, times: pl.Series, form: str) -> bool:
    both = pl.DataFrame([text.alias("text"), _said(times, form).alias("said")]).drop_nulls()
    is_same = (both["text"] == both["said"]).sum()
    return both.height > 1 and both["said"].n_unique() > 1 and int(is_same) >= _ALL_BUT_FEW * both.height


def _said(times: pl.Series, form: str) -> pl.Series:
    return times.cast(pl.Datetime("us")).dt.to_string(form)
