"""A small clean database of `us-listed` for tests of tasks: a few companies with figures that tests can change."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.documents.reading import Reader
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.tasks.drawing import Draw, Drawer
from pipeline.tasks.families import Families, TaskFamily
from pipeline.tasks.running.clean import Clean
from silt.environments.us_listed import US_LISTED

KEY = Key(bytes(32))

Figure = tuple[str, int, str, str | None]
"""Code, year, measure and value."""

COMPANIES = [
    (f"AAAA{letter}", f"Company {letter}", sector) for letter, sector in zip("ABCDEFGH", "XXXXYYYZ", strict=True)
]
"""Code, name and sector."""

PHRASINGS = tuple(f"Question {number}?" for number in range(4))


def database(folder: Path, figures: Iterable[Figure], companies: Sequence[tuple[str, str, str]] = COMPANIES) -> Path:
    """Write the tables of companies and figures."""
    folder.mkdir(parents=True, exist_ok=True)
    header = [field.name for field in US_LISTED.table("company_profile").fields]
    rows = [[str(i), code, name, sector, "", "", "", ""] for i, (code, name, sector) in enumerate(companies, 1)]
    _write(folder / "company_profile.csv", [header, *rows])
    header = [field.name for field in US_LISTED.table("company_figures").fields]
    _write(
        folder / "company_figures.csv",
        [header, *([str(i), c, str(y), m, "USD", v or ""] for i, (c, y, m, v) in enumerate(figures, 1))],
    )
    return folder


def figures_of(measure: str, values: Mapping[str, str | None], year: int = 2014) -> list[Figure]:
    """Return one figure a company, by the last letter of its code."""
    return [(f"AAAA{letter}", year, measure, value) for letter, value in values.items()]


def family(steps: Mapping[str, Any], *of: str, environment: Environment = US_LISTED, **further: Any) -> TaskFamily:
    """Read a family from plain data, as YAML would give it."""
    document = {
        "name": "tested",
        "category": "tested",
        "steps": steps,
        "answer": {"of": list(of), "decimals": further.pop("decimals", 2)},
        "wording": {"en": list(PHRASINGS)},
        **further,
    }
    reader = Reader({}, environment)
    made = reader.read(TaskFamily, document, ())
    assert made is not None, reader.problems
    return made


def drawn(folder: Path, made: TaskFamily, *, key: Key = KEY, number: int = 0) -> Draw:
    """Draw a family once from a database."""
    drawer = Drawer(Families(environment="us-listed", families=(made,)), Clean(US_LISTED, folder), key)
    return drawer.draw(made, number)


def _write(file: Path, rows: Iterable[Sequence[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text, lineterminator="\n").writerows(rows)
