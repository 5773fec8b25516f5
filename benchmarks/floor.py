"""The floor of a build: read the same raw tables, write the same published bytes, do nothing in between.

    python -m benchmarks.floor ENVIRONMENT RAW BUILT OUT

prints the seconds of the best of three, and the bytes written. The frames to write are read from a finished build before the
clock starts.
"""

import sys
import time
from pathlib import Path

import polars as pl

from pipeline.model import Environment
from pipeline.publish.files import read_published, write_table
from silt.environments.registry import ENVIRONMENTS


def main(environment: Environment, raw: Path, built: Path, out: Path) -> None:
    """Time the floor of an environment whose build is in `built`."""
    frames = [
        (variant, table, read_published(built / variant / table.folder / table.path, table))
        for variant in ("noisy", "clean")
        for table in environment.tables
        if (built / variant / table.folder / table.path).is_file()
    ]
    times = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        for file in sorted(raw.iterdir()):
            _read(file)
        records = [(variant, write_table(frame, table, out / variant)) for variant, table, frame in frames]
        times.append(time.perf_counter() - started)
    for variant, record in records:
        if (out / variant / record.path).read_bytes() != (built / variant / record.path).read_bytes():
            sys.exit(f"{variant}/{record.path} differs from the build: this is no floor of it")
    print(f"{min(times):.3f} {sum(record.bytes for _, record in records)}")


_REPEATS = 3


def _read(file: Path) -> None:
    """Read a table; documents are small, and no part of the floor."""
    if file.suffix == ".parquet":
        pl.read_parquet(file)
    elif file.suffix == ".csv":
        pl.read_csv(file, infer_schema=False)


if __name__ == "__main__":
    main(ENVIRONMENTS[sys.argv[1]], *(Path(argument) for argument in sys.argv[2:5]))
