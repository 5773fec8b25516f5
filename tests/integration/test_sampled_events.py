"""Events under `guarded`, from raw tables to published files: 120 shipping companies, 6,000 sailings, totals by year."""

import csv
import json
import shutil
from collections import defaultdict
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import LINES, run_silt
from validation.attacks.limits import ADAPTIVE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(lines_guarded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of a folder in which both variants were built, for audits."""
    return Path(shutil.copytree(lines_guarded, tmp_path_factory.mktemp("lines"), dirs_exist_ok=True))


def rows(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with file.open(newline="", encoding="utf-8-sig") as opened:
        return list(csv.DictReader(opened))


def published(folder: Path, table: str) -> list[dict[str, str]]:
    """Return the rows of a published table of the clean variant."""
    return rows(folder / f"environments/lines/clean/database/{table}.csv")


def report(folder: Path, name: str, *, whose: str = "clean") -> Any:
    """Return a report of the clean variant, or the curator's."""
    return json.loads((folder / f"environments/lines/{whose}/reports/{name}.json").read_bytes())


def test_totals_are_those_of_the_published_rows(folder: Path) -> None:
    """Sailings are counted and takings added up again from the files, to the cent."""
    counts, takings = defaultdict[tuple[str, str], int](int), defaultdict[tuple[str, str], Decimal](Decimal)
    for row in published(folder, "sailings"):
        place = row["company"], row["sailed"][:4]
        counts[place] += 1
        takings[place] += Decimal(row["takings"] or 0)
    annual = {(row["company"], row["year"]): row for row in published(folder, "annual")}
    assert len(annual) == 360
    assert set(counts) <= set(annual)
    for place, row in annual.items():
        assert int(row["sailings"] or 0) == counts[place]
        assert Decimal(row["takings"] or 0) == takings[place]


def test_takings_are_passengers_times_fare(folder: Path) -> None:
    """Rounded to the cent, in all rows but for those drawn as broken: of 120 companies noise hides that there are any."""
    told = [row for row in published(folder, "sailings") if row["passengers"]]
    product = [
        (Decimal(row["passengers"]) * Decimal(row["fare"])).quantize(Decimal("0.01"), ROUND_HALF_UP) for row in told
    ]
    broken = sum(Decimal(row["takings"]) != each for row, each in zip(told, product, strict=True))
    assert len(told) > 4_000
    assert broken / len(told) < 0.03


def test_no_row_is_an_original(folder: Path) -> None:
    """No sailing has time and figures of an original one, whoever's; numbers are new, times are in the same years."""
    then, now = rows(folder / "lines/sailings.csv"), published(folder, "sailings")
    assert not set(map(_event, then)) & set(map(_event, now))
    assert sorted(int(row["voucher"]) for row in now) == list(range(1, len(now) + 1))
    assert {row["sailed"][:4] for row in now} == {"2022", "2023", "2024"}
    # That a landing is never missing, noise hides at this number of companies.
    landed = [row for row in now if row["landed"]]
    assert len(landed) > 0.9 * len(now)
    assert all(datetime.fromisoformat(row["landed"]) >= datetime.fromisoformat(row["sailed"]) for row in landed)


def _event(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("sailed", "landed", "passengers", "fare"))


def test_every_attack_on_events_is_held_to_guessing(folder: Path) -> None:
    """`privacy.json` lists five attacks on events, each limited, tried and kept; the page says that records are sampled."""
    attacks = {entry["attack"]: entry for entry in report(folder, "privacy")["attacks"] if entry["family"] == "events"}
    assert set(attacks) == {
        "event copied whole",
        "owner of an event by its figures",
        "owner of all events by their figures",
        "owner by the days of events",
        "owner by the number of events",
    }
    for entry in attacks.values():
        assert entry["limit"] == "no better than guessing"
        assert entry["passed"] is True
        assert "records" not in entry
    for entry in report(folder, "privacy", whose="curator")["attacks"]:
        assert entry["family"] != "events" or entry["records"] >= 120
    assert "Records are sampled from statistics" in report(folder, "privacy")["summary"]
    page = (folder / "environments/lines/clean/reports/privacy.html").read_text()
    assert "owner of all events by their figures" in page


def test_identities_hold(folder: Path) -> None:
    """The check on identities saw both totals in every record, and no residual."""
    found = {entry["identity"]: entry for entry in report(folder, "consistency")["identities"]}
    for name in ("sailings = number of sailings", "takings = sum of takings over sailings"):
        assert found[name]["records"] > 340
        assert found[name]["max_residual"] == 0


def test_the_model_is_published(folder: Path) -> None:
    """`model.json` tells the statistics of events beside those of the panel."""
    model = report(folder, "model")
    assert set(model["events"]) == {"sailings"}
    assert model["events"]["sailings"]["rows"]["columns"]
    assert {"sailings: shapes", "sailings: location by industry"} <= {
        each["statistic"] for each in model["account"]["statistics"]
    }


def test_an_audit_finds_nobody(folder: Path) -> None:
    """`silt audit` reads the published sailings back, and keeps the limits of `guarded`.

    Its attackers make more releases of their own than a build's, and have a second one of the originals.
    """
    done = run_silt("audit", "clean", *LINES, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads((folder / "environments/lines/curator/audit-clean.json").read_bytes())
    attacks = [entry for entry in told["attacks"] if entry["family"] == "events"]
    assert len(attacks) == 5
    assert {entry["limit"] for entry in attacks} == {"no better than guessing"}
    of_build, of_audit = (
        {entry["attack"]: entry["passed"] for entry in each["attacks"] if entry["family"] == ADAPTIVE}
        for each in (report(folder, "privacy"), told)
    )
    assert of_build.keys() < of_audit.keys()
    assert False not in of_audit.values()
