"""Every kind's cases for the laws in `test_every_kind.py`, one module a family or two."""

from tests.unit.noise.cases_dates import CASES_OF_DATES
from tests.unit.noise.cases_definitions import CASES_OF_DEFINITIONS
from tests.unit.noise.cases_files import CASES_OF_FILES
from tests.unit.noise.cases_first import FIRST
from tests.unit.noise.cases_formats import CASES_OF_FORMATS
from tests.unit.noise.cases_keys import CASES_OF_KEYS
from tests.unit.noise.cases_language import CASES_OF_LANGUAGE
from tests.unit.noise.cases_missing import CASES_OF_MISSING
from tests.unit.noise.cases_names import NAMES
from tests.unit.noise.cases_prose import CASES_OF_PROSE
from tests.unit.noise.cases_rows import CASES_OF_ROWS
from tests.unit.noise.cases_units import UNITS
from tests.unit.noise.kind_case import KindCase

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
