"""Events whose only numbers are marks of a scale: from raw tables, by way of `silt init`, to files under both policies."""

import csv
import random
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.integration.checks import rows_of
from tests.integration.conftest import run_silt, write_key

pytestmark = pytest.mark.slow

COMPANIES, REVIEWS = 300, 3_000
MARKS = {"1": 1, "2": 1, "3": 2, "4": 4, "5": 4}
"""Stars -> how often they are given."""


def write_tables(folder: Path) -> None:
    """Write eateries, their books of three years, and reviews that have a day, stars and no figure."""
    draw = random.Random(7)  # noqa: S311
    codes = [f"R{number:03}" for number in range(COMPANIES)]
    stars = draw.choices([*MARKS], [*MARKS.values()], k=REVIEWS)
    days = [date(2023, 1, 1) + timedelta(draw.randrange(365)) for _ in range(REVIEWS)]
    tables = {
        "eateries": [
            ("eatery", "name", "kind"),
            *((code, f"{draw.randbytes(4).hex().title()} Kitchen", draw.choice(("cafe", "diner"))) for code in codes),
        ],
        "books": [
            ("eatery", "year", "sales"),
            *((c, year, f"{draw.lognormvariate(12, 0.6):.2f}") for c in codes for year in (2021, 2022, 2023)),
        ],
        "reviews": [
            ("review", "eatery", "day", "stars"),
            *(
                (f"V{n:05}", draw.choice(codes), day, mark)
                for n, (day, mark) in enumerate(zip(days, stars, strict=True))
            ),
        ],
    }
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tables, and what `silt init` makes of them."""
    folder = tmp_path_factory.mktemp("marks")
    (folder / "eateries").mkdir()
    write_tables(folder / "eateries")
    assert run_silt("init", "eateries", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(("policy", "apart"), [("lsd", 0.0), ("guarded", 0.05)])
def test_marks_stay_on_their_scale(folder: Path, policy: str, apart: float) -> None:
    """A build passes though events have no figure; each mark is as frequent as it was, exactly or nearly."""
    settings = ("--environment", "eateries.py:EATERIES", "--raw", "eateries", "--key-file", write_key(folder))
    done = run_silt("build", "clean", *settings, "--policy", policy, cwd=folder)
    assert done.returncode == 0, done.stderr
    files = (folder / "eateries/reviews.csv", folder / "environments/eateries/clean/database/reviews.csv")
    raw, published = (Counter(row["stars"] for row in rows_of(file)) for file in files)
    assert published.keys() == MARKS.keys()
    assert all(abs(published[mark] / published.total() - count / raw.total()) <= apart for mark, count in raw.items())
