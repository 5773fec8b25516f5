"""Every kind's cases for the laws in `test_every_kind.py`, one module a family or two."""

from cases_dates import CASES_OF_DATES
from cases_definitions import CASES_OF_DEFINITIONS
from cases_files import CASES_OF_FILES
from cases_first import FIRST
from cases_formats import CASES_OF_FORMATS
from cases_keys import CASES_OF_KEYS
from cases_language import CASES_OF_LANGUAGE
from cases_missing import CASES_OF_MISSING
from cases_names import NAMES
from cases_prose import CASES_OF_PROSE
from cases_rows import CASES_OF_ROWS
from cases_units import UNITS
from kind_case import KindCase

CASES: tuple[KindCase, ...] = (
    *FIRST,
    *UNITS,
    *NAMES,
    *CASES_OF_LANGUAGE,
    *CASES_OF_MISSING,
    *CASES_OF_KEYS,
    *CASES_OF_DATES,
    *CASES_OF_FORMATS,
    *CASES_OF_PROSE,
    *CASES_OF_DEFINITIONS,
    *CASES_OF_ROWS,
    *CASES_OF_FILES,
)
