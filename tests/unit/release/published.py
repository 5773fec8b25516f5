"""Two variants as a build publishes them, of the report's findings."""

import json
from pathlib import Path
from typing import Any

from pipeline.report_json import report_json
from tests.unit.report import findings
from validation.report.documents import KINDS

TREATMENTS = {"shops": {"pseudonym": ["code", "name"], "perturbed": ["sales"]}, "plants": {"pseudonym": ["code"]}}


def build(folder: Path, **changes: Any) -> list[Path]:
    """Write manifests and reports, and return the folders; `changes` are of the noisy variant's report on privacy."""
    for variant in ("clean", "noisy"):
        (folder / variant / "reports").mkdir(parents=True)
        manifest = findings.manifest(variant=variant, column_treatments=TREATMENTS)
        (folder / variant / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        told = findings.reports(privacy=findings.privacy(**(changes if variant == "noisy" else {})))
        if variant == "clean":
            told["noise"] = {"rules": []}
            told["expectations"] |= {"variant": "clean", "rules": []}
        for name in KINDS:
            (folder / variant / "reports" / f"{name}.json").write_bytes(report_json(told[name]))
    return [folder / "clean", folder / "noisy"]
