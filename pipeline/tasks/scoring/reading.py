"""Reads a value or a list as it was given: numbers with or without unit, texts, days, yes or no, and lists in one text.

What is right is not known here. So what is said of a form that nobody asked for gives no answer away. A text has one reading or
none: `36 or 51` and `36,51` are no number. The rules are those of docs/tasks.md, "Scoring an answer".
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache

from pipeline.tasks.program.shapes import Kind

Value = Decimal | str | bool
"""A value as it is compared: a number exactly, a text without blanks around it and in small letters, or yes or no."""


class NotAsAskedError(ValueError):
    """An answer that has not the form for which its guideline asks; the message says why, and not what is right."""


_FORMS: Mapping[Kind, str] = {
    "number": "one number, with or without its unit",
    "yes or no": "true or false",
    "text": "one text",
    "date": "one text",
}

_UNITS = (
    ("%", "percent", "per cent"),
    ("percentage points", "percentage point", "pp", "百分点", "个百分点", "%"),
    ("days", "day", "天"),
    ("USD", "US$", "$"),
    ("元", "CNY", "RMB", "¥"),
)
"""Each unit with its other spellings (our choice: those that people write); any other unit has one."""

_TRUTHS: Mapping[str, bool] = {"true": True, "yes": True, "是": True, "false": False, "no": False, "否": False}

_SEPARATORS = (r"\n", r"[;；]", r", |，", r",", r"、")
"""Between the entries of a list in one text; the first that occurs is the one that separates."""


def read_value(given: object, kind: Kind, unit: str = "", *, called: str = "it") -> Value:
    """Return a value as it is compared.

    Args:
        given: What JSON holds: a number, a text, true or false.
        kind: What it should be.
        unit: In which a number is asked for; it may stand before or behind the number, or be left out.
        called: The subject of the error.

    Raises:
        NotAsAskedError: It is something else.
    """
    value: Value | None
    match kind:
        case "number":
            value = _number(given, unit)
        case "yes or no":
            value = given if isinstance(given, bool) else _TRUTHS.get(folded(given)) if isinstance(given, str) else None
        case _:
            value = folded(str(given)) if isinstance(given, str | int | float) and not isinstance(given, bool) else None
    if value is None:
        raise NotAsAskedError(f"{called} is not {_FORMS[kind]}")
    return value


def entries_of(given: object) -> Sequence[object]:
    """Return the entries of a list: of a JSON array, or of a text that holds one or has separators.

    Semicolons or ends of lines separate; where there are none, a comma with a blank, then a bare comma, then a Chinese `、`.

    Raises:
        NotAsAskedError: It is neither a list nor a text.
    """
    if isinstance(given, list):
        return given
    if not isinstance(given, str):
        raise NotAsAskedError("it is not a list")
    text = given.strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            listed: list[object] = json.loads(text)
        except (ValueError, RecursionError):
            text = text[1:-1]
        else:
            return listed
    separator = next((each for each in _SEPARATORS if re.search(each, text)), r"\n")
    return [_unquoted(entry.strip()) for entry in re.split(separator, text) if entry.strip()]


def folded(text: str) -> str:
    """Return a text as texts are compared: composed (NFC), without blanks around it, capitals as small letters."""
    return unicodedata.normalize("NFC", text).strip().casefold()


def _number(given: object, unit: str) -> Decimal | None:
    found = _number_in(unit).fullmatch(_plain(str(given))) if isinstance(given, str | int | float) else None
    return Decimal(found["sign"] + found["size"].replace(",", "")) if found else None


@cache
def _number_in(unit: str) -> re.Pattern[str]:
    """Return the pattern of a number: thousands have commas or none, and its unit stands on one side or the other."""
    spelled = next((units for units in _UNITS if unit in units), (unit,)) if unit else ()
    units = "|".join(re.escape(_plain(each)) for each in spelled) or r"(?!)"
    size = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?"
    return re.compile(rf"(?:(?:{units})\s*)?(?P<sign>[+-]?)\s*(?:(?:{units})\s*)?(?P<size>{size})\s*(?:{units})?")


def _plain(text: str) -> str:
    """Return a text with figures, signs and letters of full width (NFKC), and the sign of minus (U+2212), as ASCII has them."""
    return unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip().casefold()


def _unquoted(entry: str) -> str:
    is_quoted = len(entry) > 1 and entry[0] == entry[-1] and entry[0] in "\"'"
    return entry[1:-1] if is_quoted else entry
