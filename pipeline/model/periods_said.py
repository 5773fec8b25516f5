"""Periods in the names of columns and files: `sales_2015`, `2015Q1`, `Jan 2021`, `2018/19`, `2018年3月`.

A pattern is such a name with a column in braces in place of the period: `sales_{year}`. How periods are counted, and written
everywhere else, belongs to `periods.py`.
"""

import re

_MONTHS = (
    "jan january januar janvier ene enero", "feb february februar fév fev février fevrier febrero",
    "mar march mär mrz märz mars marzo", "apr april avr avril abr abril", "may mai mayo", "jun june juni juin junio",
    "jul july juli juil juillet julio", "aug august août aout ago agosto",
    "sep sept september septembre septiembre", "oct october okt oktober octobre octubre",
    "nov november novembre noviembre", "dec december dez dezember déc décembre decembre dic diciembre",
)  # fmt: skip
"""What months are called in English, German, French and Spanish."""

_NUMBERS = {word: number for number, words in enumerate(_MONTHS, 1) for word in words.split()}

_YEAR = r"(?P<year>\d{4})"
_FORMS = tuple(
    re.compile(rf"(?i:(?<!\d){form}(?!\d))")
    for form in (
        rf"{_YEAR}[-_ ]?[QT](?P<quarter>[1-4])",
        rf"(?<![^\W_])[QT](?P<quarter>[1-4])[-_ /]?{_YEAR}",
        rf"{_YEAR}[-_](?P<month>0[1-9]|1[0-2])(?![-_]\d)",
        rf"{_YEAR}年(?P<month>0?[1-9]|1[0-2])月",
        rf"(?<!\d[-./])(?P<month>0?[1-9]|1[0-2])[-./]{_YEAR}",
        rf"(?<![^\W_])(?P<word>{'|'.join(_NUMBERS)})\.?[-_ ]?(?P<year>\d{{4}}|(?:-|')\d\d)",
        rf"{_YEAR}(?:/(?P<following>(?:\d\d)?\d\d))?",
    )
)
"""Quarters, months and years; of `2018/19` and the like, the year is the first."""

_COLUMN = re.compile(r"\{(\w+)\}")


def period_column(pattern: str) -> str:
    """Return the column of the period in a pattern, `year` in `sales_{year}`; the empty text if there is none."""
    found = _COLUMN.search(pattern)
    return found[1] if found else ""


def period_said(pattern: str, name: str) -> str | None:
    """Return which period a name says in the place of the pattern's braces, as periods are written; None if it is none such."""
    before, *behind = _COLUMN.sub("\n", pattern).split("\n")
    if len(behind) != 1 or not (name.startswith(before) and name.endswith(behind[0])):
        return None
    said = name[len(before) : len(name) - len(behind[0])]
    return next((_plainly(found) for form in _FORMS if (found := form.fullmatch(said))), None)


def pattern_said(name: str, column: str) -> tuple[str, str] | None:
    """Return the pattern of a name that says a period, with a column in its place, and the period; None if it says none."""
    found = next(filter(None, (form.search(name) for form in _FORMS)), None)
    period = _plainly(found) if found else None
    return (f"{name[: found.start()]}{{{column}}}{name[found.end() :]}", period) if found and period else None


def _plainly(found: re.Match[str]) -> str | None:
    """Return a period as it is written; None for two years that do not follow each other."""
    said = found.groupdict()
    year, following = said["year"].lstrip("-'"), said.get("following")
    if following and int(following) % 100 != (int(year) + 1) % 100:
        return None
    if "quarter" in said:
        return f"{year}Q{said['quarter']}"
    month = said.get("month") or _NUMBERS.get((said.get("word") or "").lower())
    return f"{int(year) % 2000 + 2000 if len(year) == len('21') else year}-{int(month):02}" if month else year
