"""All leaks."""

from tests.leaks.columns import COLUMN_LEAKS
from tests.leaks.leak import Leak

LEAKS: tuple[Leak, ...] = (*COLUMN_LEAKS,)
