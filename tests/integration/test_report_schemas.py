"""The reports of real builds are what the published schemas say, under both policies, with and without figures of events."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.integration.readme import ROOT
from tests.schemas import file_of
from validation.report.documents import KINDS


@pytest.mark.parametrize("build", ["small", pytest.param("small_guarded", marks=pytest.mark.slow), "built_example"])
def test_every_report_meets_its_schema(build: str, request: pytest.FixtureRequest) -> None:
    """Each JSON below the `reports/` of a noisy variant, which has them all, has a schema in `docs/schemas`, and meets it."""
    made = request.getfixturevalue(build)
    folder = made / "environments/shops" if isinstance(made, Path) else made.folder
    reports = {path.stem: path for path in (folder / "noisy/reports").glob("*.json")}
    assert reports.keys() == {*KINDS, *(["model"] if build == "small_guarded" else [])}
    for name, path in reports.items():
        schema = json.loads((ROOT / file_of(name)).read_text(encoding="utf-8"))
        errors = [
            f"{name}: {error.json_path}"
            for error in Draft202012Validator(schema).iter_errors(json.loads(path.read_text(encoding="utf-8")))
        ]
        assert errors == []
