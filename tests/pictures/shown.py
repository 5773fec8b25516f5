"""What pictures show, as digests: of the picture, and of the code that decides what is seen."""

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]

FIVE_ROWS, GRAPH, REPORT = "docs/pictures/five_rows.png", "docs/pictures/graph.png", "docs/pictures/report.png"

_SOURCES = {
    FIVE_ROWS: ["tests/pictures/five_rows.py", "noise_specs/dataclaw-18/noisy.yaml"],
    GRAPH: ["assets/wiring/steps.py", "assets/wiring/graph/nodes.py", "assets/making/keys.py"],
    REPORT: [
        "validation/report/pages.py",
        *(f"validation/report/{folder}/*" for folder in ("head", "templates", "templates/styles", "templates/scripts")),
    ],
}
"""Picture -> files that decide what it shows."""

SHOWN = Path(__file__).parent / "shown.json"


def shown() -> dict[str, dict[str, str]]:
    """Return the digests of each picture and its sources as they are now."""
    return {
        picture: {
            "picture": _digest([ROOT / picture]),
            "sources": _digest([file for pattern in patterns for file in sorted(ROOT.glob(pattern)) if file.is_file()]),
        }
        for picture, patterns in _SOURCES.items()
    }


def write_shown() -> None:
    """Write down that the pictures show what there is."""
    SHOWN.write_text(json.dumps(shown(), indent=1) + "\n", encoding="utf-8")


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
