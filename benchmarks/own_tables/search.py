"""A search for what identifies somebody in everything that was published, without a line of Silt.

What identifies is decided here, by hand, for each set (`IDENTIFYING`), not by a declaration. Texts are folded to small letters
without accents. Then runs of whole words, cells that are alike (`rapidfuzz`) and the last digits of numbers are compared.
"""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import combining, normalize

from rapidfuzz import fuzz, process

IDENTIFYING: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "shop": {
        "customers": ("firstname", "lastname", "company", "phone", "fax", "address", "postalcode", "email"),
        "invoices": ("billingaddress", "billingpostalcode"),
        "artists": ("name",),
        "albums": ("title",),
        "tracks": ("name", "composer"),
    },
    "schools": {"schools": ("distcod", "district")},
    "purchases": {"purchases": ("customer",)},
    "storms": {"storms": ("name",)},
    "prices": {"prices": ("Manufacturer", "Model", "Make")},
    "firms": {},
    "elections": {"resultats": ("dep_name", "reg_name", "cand_nom", "cand_prenom", "url")},
    "listed": {"股票": ("股票代码", "股票简称")},
    "reviews": {"reviews": ("drugName",)},
    "messy": {"Staaten": ("Staat",)},
}
"""Columns that name or find somebody, by set and raw file. Firms have numbers from 1 to 738, which stand anywhere."""

WRITTEN: Mapping[str, tuple[str, str, int]] = {"listed": ("gbk", ";", 0), "messy": ("cp1252", ";", 2)}
"""Encoding, separator and title lines of raw files that are not plain CSV."""

LONGEST, SHORTEST, SHORTEST_CODE, LAST = 8, 3, 5, 8
"""Words of the longest name, signs of the shortest that is looked for, digits of the shortest code, last digits of a number."""

ALIKE, ALIKE_LETTERS, LONGEST_CELL = 92, 7, 60
"""Likeness in per cent, and signs of the shortest name and the longest cell that are compared."""


HAN = re.compile(r"[\u3400-\u9fff]")
_NUMBER = re.compile(r"[+(]?\d[\d ()./+-]{5,}\d")


@dataclass(frozen=True)
class Found:
    """What was looked for, and what stands in what is published."""

    sought: int
    named: frozenset[str]
    """Names and codes, folded."""
    numbers: frozenset[str]
    """Last digits of telephone numbers and codes."""
    alike: frozenset[tuple[str, str]]
    """Names, and cells that are nearly the same."""


def identifiers(name: str, raw: Path) -> Iterator[str]:
    """Yield the cells of a set's raw files that identify somebody."""
    encoding, separator, titles = WRITTEN.get(name, ("utf-8", ",", 0))
    for file, columns in IDENTIFYING[name].items():
        text = (raw / f"{file}.csv").read_text(encoding=encoding, errors="replace").split("\n", titles)[-1]
        for row in csv.DictReader(io.StringIO(text), delimiter=separator):
            yield from (row[column].strip() for column in columns if (row[column] or "").strip())


def published_cells(folder: Path) -> set[str]:
    """Return all cells of the CSV files below a folder, without those that are numbers with decimals."""
    cells = {
        cell
        for file in folder.rglob("*.csv")
        for row in csv.reader(io.StringIO(file.read_text(encoding="utf-8", errors="replace")))
        for cell in row
    }
    return {cell for cell in cells if not re.fullmatch(r"-?\d*[.,]\d+", cell)}


def search(originals: Iterable[str], cells: Collection[str]) -> Found:
    """Search cells for identifiers."""
    originals = set(originals)
    names = {plain for one in originals if _is_searched_for(plain := folded(one))}
    texts = {folded(cell) for cell in cells}
    together = "\n".join(texts)
    there = {run for text in texts for run in _runs(text)}
    named = {name for name in names if (name in together if HAN.search(name) else name in there)}
    numbers = {_last(one) for one in originals if _NUMBER.fullmatch(one)}
    written = {_last(match[0]) for cell in cells for match in _NUMBER.finditer(cell)}
    short = sorted(text for text in texts if ALIKE_LETTERS <= len(text) <= LONGEST_CELL and not text.isdigit())
    alike = (_nearest(name, short) for name in names - named if len(name) >= ALIKE_LETTERS)
    return Found(len(names), frozenset(named), frozenset(numbers & written), frozenset(pair for pair in alike if pair))


def folded(text: str) -> str:
    """Return words and digits in small letters without accents, one blank between them."""
    bare = "".join(one for one in normalize("NFKD", text.casefold()) if not combining(one))
    return " ".join(re.findall(r"[^\W_]+", bare))


def _is_searched_for(name: str) -> bool:
    """Say whether a name is more than a short word or number, which stands anywhere (`100`, a model of Audi's)."""
    return len(name) >= (SHORTEST_CODE if name.isdigit() else SHORTEST) or HAN.search(name) is not None


def _runs(text: str) -> Iterator[str]:
    words = text.split()
    for size in range(1, LONGEST + 1):
        yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))


def _last(number: str) -> str:
    return re.sub(r"\D", "", number)[-LAST:]


def _nearest(name: str, cells: Sequence[str]) -> tuple[str, str] | None:
    found = process.extractOne(name, cells, scorer=fuzz.ratio, score_cutoff=ALIKE)
    return (name, found[0]) if found else None
