"""All leaks."""

from tests.leaks.columns import COLUMN_LEAKS
from tests.leaks.leak import Leak
from tests.leaks.prose import PROSE_LEAKS

LEAKS: tuple[Leak, ...] = (*COLUMN_LEAKS, *PROSE_LEAKS)
