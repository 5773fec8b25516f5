"""The generated originals of us-listed: raw tables of the shape of the real ones, defects included, the same for everybody.

    shapes                          what the real tables are like, as numbers; statement: how accounts hang together
    names -> register               who is listed: `securities.csv`
    statement -> accounts           what they report, as accounts that add up
    defects -> tables               what is missing, cut short or wrong, and how it is written: `fundamentals.csv`

No company is real: names are invented, and CIKs lie far above all that were ever given. Tickers come of the names.
"""

from raw.listed.tables import generate

__all__ = ["VERSION", "generate"]

VERSION = "1"
"""Names the tables: another version means others at the same scale."""
