"""Every kind's cases for the laws in `test_every_kind.py`, one module a family or two."""

from cases_first import FIRST
from kind_case import KindCase

CASES: tuple[KindCase, ...] = (*FIRST,)
