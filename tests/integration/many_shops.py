"""Sixty shops in place of the three of the tutorial's example: a small environment in which the mechanics of builds show."""

import csv
from collections.abc import Iterable
from pathlib import Path

MANY = 60
"""Shops, as many as it takes to see an order."""

_SIZES = [round(70_000 * 1.1**i) for i in range(MANY)]
"""Profit of each in euros, so far apart that the digits drawn anew leave their distribution as it is."""


def write_many_shops(folder: Path) -> None:
    """Write the tables of sixty shops over those of the example, which was written into the folder."""
    _write_rows(
        folder / "shops/shops.csv",
        ["shop", "name", "trade", "town", "opened", "about"],
        (
            [f"A{i}", f"Old Mill Road Shop {i}", ("Bakery", "Bicycles")[i % 2], "Ulm", "3/4/1998", ""]
            for i in range(MANY)
        ),
    )
    _write_rows(
        folder / "shops/accounts.csv",
        ["shop", "year", "delivered", "sales", "costs", "profit", "margin"],
        (
            [f"A{i}", "2023", f"{euros}.20", f"{3 * euros}.60", f"{2 * euros}.40", f"{euros}.20", ""]
            for i, euros in enumerate(_SIZES)
        ),
    )
    _write_rows(
        folder / "shops/deliveries.csv",
        ["shop", "slip", "day", "value"],
        ([f"A{i}", "1001", f"2023-{1 + i % 12:02}-{1 + i % 28:02}", f"{euros}.20"] for i, euros in enumerate(_SIZES)),
    )
    declaration = folder / "shops.py"
    text = declaration.read_text(encoding="utf-8")
    declaration.write_text(text.replace(r"([AB]\d)", r"([AB]\d+)"), encoding="utf-8")


def _write_rows(file: Path, header: list[str], rows: Iterable[list[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([header, *rows])
