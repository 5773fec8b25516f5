"""The generated originals of us-listed: raw tables of the shape of the real ones, defects included, the same for everybody.

    shapes                          what the real tables are like, as numbers; statement: how accounts hang together
    names -> register               who is listed: `securities.csv`
    statement -> accounts           what they report, as accounts that add up
    defects -> tables               what is missing, cut short or wrong, and how it is written: `fundamentals.csv`

No company is real: names are invented, and CIKs lie far above all that were ever given. Tickers come of the names.
"""

from pathlib import Path

from raw.listed.tables import write_tables

VERSION = "1"
"""Names the tables: another version means others at the same scale."""


def generate(directory: Path, scale: float) -> None:
    """Write both raw tables into a directory as CSV.

    Args:
        directory: Made if it is not there; files of the same names are replaced.
        scale: Companies relative to the real tables, which have 505.

    Raises:
        InputError: The scale is larger than names last for.
    """
    write_tables(directory, scale)
