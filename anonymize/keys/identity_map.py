"""The sealed identity map: the original behind each pseudonym, readable with the release key alone.

Belongs here: the bytes of a map. Its rows are made in `pseudonyms.py`, sealing is `sealing.py`, and `pipeline/publish` decides
where the file lies.
"""

import io

import polars as pl

from anonymize.keys.sealing import seal_bytes, unseal_bytes
from pipeline.errors import InputError
from pipeline.keyed import Key

COLUMNS = ("kind", "original", "pseudonym")

ORIGIN = "origin"
"""Kind of rows beside the map that say whose a name is and where it was learnt; nothing is searched for because of them."""

NAME_OF_CODE = "name of code"
"""Kind of a row that gives the invented name of a code. It distinguishes firms that share a name."""

_WHAT = "identity map"


def seal(frame: pl.DataFrame, key: Key) -> bytes:
    """Encrypt a map (text columns `COLUMNS`, no nulls) as a set of rows: neither order nor repetitions are kept.

    Raises:
        InputError: The frame has other columns, or a null.
    """
    if frame.schema != pl.Schema(dict.fromkeys(COLUMNS, pl.String)) or sum(frame.null_count().row(0)):
        raise InputError(
            f"an identity map has the text columns {', '.join(COLUMNS)} without nulls; found {frame.columns}"
        )
    rows = frame.unique().sort(COLUMNS)
    return seal_bytes(rows.write_csv(quote_style="always").encode(), key, what=_WHAT)


def unseal(sealed: bytes, key: Key) -> pl.DataFrame:
    """Decrypt a map: its distinct rows, sorted.

    Raises:
        KeyFileError: It was sealed under another key.
        InputError: It is no sealed map of this version, or was changed since it was sealed.
    """
    return pl.read_csv(io.BytesIO(unseal_bytes(sealed, key, what=_WHAT)), infer_schema=False)
