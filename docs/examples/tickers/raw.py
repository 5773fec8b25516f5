"""Writes the raw folder: `python raw.py WHEEL FOLDER`, from the wheel of `pytickersymbols` as it was downloaded."""

import csv
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def main(wheel: Path, folder: Path) -> None:
    """Write companies, their ISINs, and the indices that they are in. A company goes by its name and its first symbol."""
    sys.path.insert(0, str(wheel))
    from pytickersymbols.indices_data import INDICES  # noqa: PLC0415 - it is in the wheel

    companies: dict[str, Mapping[str, Any]] = {}
    members: dict[tuple[str, str], None] = {}
    isins: dict[str, str] = {}
    for index in INDICES.values():
        for listed in index["companies"]:
            if listed.get("symbol"):
                company = companies.setdefault(listed["name"], listed)
                members[company["symbol"], index["name"]] = None
                isins |= dict.fromkeys(listed.get("isins", ()), company["symbol"])
    folder.mkdir(parents=True, exist_ok=True)
    _write(
        folder / "companies.csv",
        ("symbol", "name", "country", "industry", "website"),
        map(_profile, companies.values()),
    )
    _write(folder / "isins.csv", ("isin", "symbol"), isins.items())
    _write(folder / "members.csv", ("symbol", "index"), members)


def _profile(company: Mapping[str, Any]) -> tuple[str, ...]:
    industries = company.get("industries", ())
    website = company.get("metadata", {}).get("website", "")
    return (
        company["symbol"],
        company["name"],
        company.get("country", "").rpartition(",")[2].strip(),  # "Hartford, Connecticut": a city is as good as a name
        industries[0] if industries else "",
        website,
    )


def _write(file: Path, header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
