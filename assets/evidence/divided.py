"""Divides long tables of a build into shares, on disk, so that the noise report need not read them whole.

Which tables can be divided, and how rows fall to shares, is said by `validation/noise/cleaner/shares.py`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path

import polars as pl

from assets.making.keys import Stage
from assets.making.step import Run
from assets.making.store import StageTables, writer
from validation.noise.cleaner.shares import NotApartError, Share, numbers_of
from validation.noise.findings import Rows

_PLACE, _NUMBER = "\x1fplace", "\x1fnumber"
_CLEAN, _NOISY = "<", ">"
"""What stands before the names of columns of either side."""


def in_shares(
    run: Run, name: str, beside: Collection[str], noisy: Collection[str], *, codes: Mapping[str, str], shares: int
) -> Iterator[Rows]:
    """Yield the rows of a table share by share.

    Args:
        beside: Tables that are looked into without noise.
        noisy: Those that are looked into with noise, the table among them.
        codes: The column of codes of each table, by which rows without noise fall to shares; other tables are not looked into.
        shares: How many there are.

    Raises:
        NotApartError: Noise did not leave rows where they are.
    """
    with run.store.scratch() as folder:
        for table in {*noisy, *beside} & {*codes}:
            _divide(run, table, codes[table], [_file(folder, table, number) for number in range(shares)])
        for number in range(shares):
            side = partial(_side, folder, number)
            if (clean := side(_CLEAN, name)).height:
                yield Rows(
                    clean=clean,
                    places=side(_PLACE, name)[""],
                    beside=StageTables(beside, partial(side, _CLEAN)),
                    noisy=StageTables(noisy, partial(side, _NOISY)),
                    share=Share(number, shares, codes),
                )


def _divide(run: Run, table: str, code: str, files: Sequence[Path]) -> None:
    """Write the rows of a table, with and without noise side by side, into a file for each share."""
    blocks = _side_by_side(run, table)
    first = next(blocks)
    with ExitStack() as files_open:
        writers = [files_open.enter_context(writer(file, first)) for file in files]
        for block in chain([first], blocks):
            numbered = block.with_columns(numbers_of(block[_CLEAN + code], len(files)).alias(_NUMBER))
            for (number,), rows in numbered.partition_by(_NUMBER, as_dict=True, include_key=False).items():
                writers[number].write_table(rows.to_arrow())


def _side_by_side(run: Run, table: str) -> Iterator[pl.DataFrame]:
    """Yield the rows of a table without and with noise, and their places in it."""
    clean, noisy = run.blocks(Stage.RENDERED, table), run.blocks(Stage.NOISY, table)
    if clean.sizes != noisy.sizes:
        raise NotApartError(f"noise did not leave the rows of {table} where they are")
    above = 0
    # Noise that changed nothing made the same.
    sides = [(_CLEAN, clean)] if noisy == clean else [(_CLEAN, clean), (_NOISY, noisy)]
    for blocks in zip(*(side for _, side in sides), strict=True):
        rows = [block.select(pl.all().name.prefix(sign)) for (sign, _), block in zip(sides, blocks, strict=True)]
        places = pl.int_range(above, above + rows[0].height, eager=True).alias(_PLACE)
        yield pl.concat([*rows, places.to_frame()], how="horizontal")
        above += rows[0].height


def _side(folder: Path, number: int, sign: str, table: str) -> pl.DataFrame:
    """Return those columns of a share that begin with a sign, without it; rows that have no noise as they are."""
    rows = pl.scan_parquet(_file(folder, table, number))
    columns = rows.collect_schema().names()
    kept = sign if any(name.startswith(sign) for name in columns) else _CLEAN
    names = [name for name in columns if name.startswith(kept)]
    return rows.select(pl.col(name).alias(name.removeprefix(kept)) for name in names).collect()


def _file(folder: Path, table: str, number: int) -> Path:
    return folder / f"{table}-{number}.parquet"
