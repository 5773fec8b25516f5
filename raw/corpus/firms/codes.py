"""Exchange-style codes of the domestic and overseas firms: unique, in each venue's own ranges.

The ranges grow with the number of firms; they are wide enough for fifty times the release. Pseudonymous codes are no
business of the corpus.
"""

import polars as pl

from pipeline.errors import InputError
from raw.draws import CORPUS_KEY

_KEY = CORPUS_KEY.derive("codes")

_DOMESTIC_RANGES = {
    ("深交所", "主板"): (1, 4_000, 299_999, 6, "SZ"),
    ("深交所", "创业板"): (300_001, 301_600, 399_999, 6, "SZ"),
    ("上交所", "主板"): (600_000, 605_600, 679_999, 6, "SH"),
    ("上交所", "科创板"): (688_001, 688_990, 719_999, 6, "SH"),
    ("港交所", "主板"): (1, 9_999, 99_999, 5, "HK"),
    ("北交所", "北交所"): (830_799, 839_999, 899_999, 6, "BJ"),
}
"""First code, last of 2022, last possible, digits, suffix. Sources: the exchanges' code ranges; the last column widens them."""

_FURTHER = {("上交所", "科创板"): 829_999}
"""Last code of a range that more firms need than there is room for."""

_OVERSEAS_SUFFIXES = {
    "日本": "T",
    "新加坡": "SI",
    "英国": "L",
    "德国": "DE",
    "法国": "PA",
    "美国": "O",
    "加拿大": "TO",
    "澳大利亚": "AX",
}
_NO_COUNTRY_SUFFIX = "X"
_OVERSEAS_RANGE = (1_001, 9_999, 999_999)


def code_domestic(firms: pl.DataFrame) -> pl.DataFrame:
    """Add `code` (`000001.SZ`) to firms with columns `firm`, `exchange` and `plate`."""
    ranges = [(*venue, *bounds, _FURTHER.get(venue, bounds[2])) for venue, bounds in _DOMESTIC_RANGES.items()]
    schema = ["exchange", "plate", "first", "last", "limit", "digits", "suffix", "further"]
    venues = firms.join(pl.DataFrame(ranges, schema=schema, orient="row"), on=["exchange", "plate"])
    numbered = _numbered(venues, by=["exchange", "plate"])
    return numbered.with_columns(
        code=pl.concat_str(pl.col("number").cast(pl.String).str.zfill(pl.col("digits")), pl.lit("."), "suffix")
    ).select(*firms.columns, "code")


def code_overseas(firms: pl.DataFrame) -> pl.DataFrame:
    """Add `code` (`7203.T`) to overseas firms with columns `firm` and `country`."""
    first, last, limit = _OVERSEAS_RANGE
    suffix = pl.col("country").replace_strict(_OVERSEAS_SUFFIXES, default=_NO_COUNTRY_SUFFIX)
    bounds = {"first": first, "last": last, "limit": limit, "further": limit}
    venues = firms.with_columns(suffix.alias("suffix"), *(pl.lit(value).alias(name) for name, value in bounds.items()))
    numbered = _numbered(venues, by=["suffix"])
    return numbered.with_columns(code=pl.concat_str("number", pl.lit("."), "suffix")).select(*firms.columns, "code")


def _numbered(firms: pl.DataFrame, *, by: list[str]) -> pl.DataFrame:
    """Add `number`: distinct within a venue, spread over its range in keyed order.

    The range is cut into one stretch a firm, and the number drawn within the stretch. A range that the firms of a larger
    corpus do not fit in grows in proportion, up to its limit, and beyond it only if they do not fit in then, either.
    """
    size = pl.len().over(by).cast(pl.Int64)
    within, beyond = (pl.col(last) - pl.col("first") + 1 for last in ("limit", "further"))
    room = pl.when(size <= within).then(within).otherwise(beyond)
    width = pl.max_horizontal(pl.col("last") - pl.col("first") + 1, pl.min_horizontal(2 * size, room))
    if not firms.select((size <= room).all()).item():
        raise InputError(
            f"SCALE too large: {firms.height} firms, more than the exchanges have codes for; use a smaller SCALE"
        )
    rank = _KEY.mac("firm").rank("ordinal").over(by).cast(pl.Int64) - 1
    # Each firm has a stretch of the range of its own, so that numbers are distinct.
    offset = (_KEY.derive("within").draw("firm") % (width // size)) + rank * width // size
    return firms.with_columns(number=pl.col("first") + offset)
