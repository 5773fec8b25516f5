"""The reports of real builds are what the published schemas say, under both policies, with and without figures of events."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.integration.readme import ROOT
from tests.schemas import file_of
from validation.report.documents import KINDS


@pytest.mark.parametrize("build", ["small", pytest.param("small_guarded", marks=pytest.mark.slow), "built_example"])
@pytest.mark.parametrize("variant", ["clean", "noisy"])
def test_every_report_meets_its_schema(build: str, variant: str, request: pytest.FixtureRequest) -> None:
    """Each JSON below `reports/` has a schema in `docs/schemas`, and meets it."""
    made = request.getfixturevalue(build)
    folder = made / "environments/shops" if isinstance(made, Path) else made.folder
    reports = {path.stem: path for path in (folder / variant / "reports").glob("*.json")}
    assert reports.keys() == {*KINDS, *(["model"] if build == "small_guarded" else [])}
    for name, path in reports.items():
        schema = json.loads((ROOT / file_of(name)).read_text(encoding="utf-8"))
        errors = [
            f"{name}: {error.json_path}"
            for error in Draft202012Validator(schema).iter_errors(json.loads(path.read_text(encoding="utf-8")))
        ]
        assert errors == []


ELSEWHERE = {"copies", "order", "filters"}
"""Families of which a success is a column or a decoy."""

NO_OWNER = ("unchanged", "copied whole", "among the", "maxima")
"""What stands in the names of other attacks whose successes name nobody."""


@pytest.mark.parametrize("build", ["small", "built_example", pytest.param("small_guarded", marks=pytest.mark.slow)])
def test_first_sentence_is_the_worst_that_was_found(build: str, request: pytest.FixtureRequest) -> None:
    """No attack of whatever family names a larger share of owners than the page and the report begin with."""
    made = request.getfixturevalue(build)
    folder = (made / "environments/shops" if isinstance(made, Path) else made.folder) / "clean/reports"
    privacy = json.loads((folder / "privacy.json").read_text(encoding="utf-8"))
    rates = [
        entry["rate"]
        for entry in privacy["attacks"]
        if "rate" in entry and entry["family"] not in ELSEWHERE and entry.get("standard_error") is None
        if entry["records"] and not any(words in entry["attack"] for words in NO_OWNER)
    ]
    page = (folder / "report.html").read_text(encoding="utf-8")
    told = re.search(r"best attack names ([\d,]+) of ([\d,]+)", page)
    found, tried = (int(count.replace(",", "")) for count in told.groups()) if told else (0, 1)
    assert found / tried == max(rates, default=0)
    assert not told or f"for {told[1]} of {told[2]} " in privacy["summary"].partition(").")[0]
