"""Cases of the kinds that spoil join keys."""

import polars as pl

from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.keys import ReformattedKeys, TrailingBlanks
from tests.bare import published
from tests.unit.noise.applied import environment_of
from tests.unit.noise.kind_case import KindCase

_LINKS = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "firm": str((row * 7919 % 30) * 37) if row % 9 else None,
            "code": f"{row * 37:06d}" if row % 7 else None,
            "ticker": ("ABC", "X", "no key", "12", None)[row % 5],
        }
        for row in range(48)
    ],
    schema=dict.fromkeys(("id", "firm", "code", "ticker"), pl.String),
)
"""Firms by numbers without leading zeros (0 among them), codes by six digits, and keys that are no numbers."""

_TABLE = published("links", _LINKS.columns)


def _case(kind: Kind, name: str = "") -> KindCase:
    return KindCase(kind=kind, environment=environment_of(_TABLE), published=_TABLE, rows=_LINKS, name=name)


CASES_OF_KEYS = (
    _case(ReformattedKeys(columns=("firm", "ticker"), prefix="bid_")),
    _case(ReformattedKeys(columns=("firm",), pad_to=6), "reformatted_keys padded"),
    _case(ReformattedKeys(columns=("ticker",), prefix="<", suffix=">", pad_to=3), "reformatted_keys in brackets"),
    _case(ReformattedKeys(columns=("code",), strip_zeros=True), "reformatted_keys without zeros"),
    _case(ReformattedKeys(columns=("code", "ticker"), suffix="-X", consistent_by="firm"), "reformatted_keys by firm"),
    _case(TrailingBlanks(columns=("firm", "ticker"))),
)
