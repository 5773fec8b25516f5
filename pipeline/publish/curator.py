"""Writes a file into the curator's folder that says what each other file there holds. Stages write those files."""

from pathlib import Path

from pipeline.private import private_file

README = "README.txt"

HOLDS = {
    "identity_map.enc": "which original each pseudonym stands for, sealed under the release key; `silt reveal` prints it",
    "reports/": "of a release of sampled records, how it compares with the ORIGINALS, with all counts: report.html opens it",
    "noise_ledger.parquet": "every change that noise made to the noisy variant, with the value before",
    "ablations/": "the ledger of each variant of the noise",
    "originals.json": "of which raw files each variant was made, by digests; a release is refused for any others",
    "store/objects/": "what steps made, by content, ORIGINALS IN CLEAR among it; what would undo the release is sealed (.enc)",
    "store/records/": "which step made what of what, by digests, and what it counted",
    "store/seconds.json": "how long each step took when it was last made",
    "store/.lock": "held by builds at work, so that nothing is removed meanwhile",
    "stages.json": "which object of the store is which table of the last build",
    "refused/": "what the last build that a gate refused would have published; an escape stands in it IN CLEAR",
    "refused/problems.csv": "every problem of its raw tables, with values of the ORIGINALS that do not identify",
    "refused/findings.csv": "what the search found in that build: each place, with the words around and the ORIGINAL it is",
    "refused/exemptions.py": "which of that could be declared to name no company, with the ORIGINALS",
    "audit-<variant>.json": "what `silt audit` found in the published files",
    "audit-<variant>-findings.csv": "what identifies a company there, as in refused/findings.csv; likewise exemptions.py",
    "tasks/": "answers of the test with their salts, and what noise does to it: index.html opens it",
    "problems.txt": "problems of the raw tables of a build that was refused, with values of the ORIGINALS",
    "crash.txt": "the traceback of a defect, which may hold values of the ORIGINALS",
}
"""What may be in the folder, and what it holds. A folder's line covers everything in it."""


def describe(curator: Path) -> None:
    """Write the file that describes the others."""
    width = max(map(len, HOLDS))
    lines = [
        "For the curator alone: folders have mode 0700 and files 0600. Never publish anything of it.",
        "Once a build is published, `silt reveal` and `silt noise` need identity_map.enc and the ledgers alone: store/ and",
        "refused/ can be removed. Not everything is there after every build.",
        "",
        *(f"{name:<{width}}  {what}" for name, what in HOLDS.items()),
    ]
    text = "\n".join(lines) + "\n"
    file = curator / README
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        private_file(file).write_text(text, encoding="utf-8")
