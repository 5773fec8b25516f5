"""The end of a build names each limit that is exceeded and refuses nothing, also where the curator alone reads of it."""

import json
from pathlib import Path

import pytest

from assets.wiring.resources import Workspace
from pipeline.places import CURATOR
from silt.commands.build.outcome import published
from silt.environments.us_listed import US_LISTED
from tests.unit.report.findings import distributions, manifest


@pytest.mark.parametrize(
    ("policy", "is_passed", "lines"), [("guarded", False, 1), ("guarded", True, 0), ("lsd", True, 0)]
)
def test_what_only_the_curator_reads_is_named(policy: str, *, is_passed: bool, lines: int, tmp_path: Path) -> None:
    """The line has the section and no count: counts are the curator's. The verdict of that page is named, too."""
    folder = tmp_path / US_LISTED.name
    page = folder / CURATOR / "reports" / "report.html"
    found = {
        folder / "noisy/manifest.json": manifest(policy=policy),
        folder / "noisy/reports/distributions.json": distributions(),
        page.with_name("distributions.json"): distributions() | {"passed": is_passed},
    }
    for file, content in found.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content), encoding="utf-8")
    outcome = published(US_LISTED, Workspace(out=str(tmp_path)), ["noisy"], seconds=1, steps=1)
    said = outcome.look_at
    assert len(said) == lines
    answer = (
        "Partly: a check does not hold; not everything was compared" if lines else "Partly: not everything was compared"
    )
    assert outcome.verdicts.get("faithful_to_originals") == (None if policy == "lsd" else answer)
    assert all(line.endswith(f"which refuses nothing: {page}#beyond-ks") for line in said)
