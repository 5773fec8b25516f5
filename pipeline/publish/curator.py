"""Writes files that say what the others in a folder hold, and whose they are: of a build, its curator's, a release's.

Stages write those files.
"""

from collections.abc import Mapping
from pathlib import Path

from pipeline.private import private_file
from pipeline.publish.draft import DRAFT

README = "README.txt"

HOLDS = {
    "identity_map.enc": "which original each pseudonym stands for, sealed under the release key; `silt reveal` prints it",
    "reports/": "of a release of sampled records, how it compares with the ORIGINALS, with all counts: report.html opens it",
    "consistency_defects.txt": "aggregates, identities, totals and domains that are not as they should be, a sentence each",
    "noise_ledger.parquet": "every change that noise made to the noisy variant, with the value before",
    "ablations/": "the ledger of each variant of the noise",
    "originals.json": "of which raw files each variant was made, by digests; a release is refused for any others",
    "store/objects/": "what steps made, by content, ORIGINALS IN CLEAR among it; what would undo the release is sealed (.enc)",
    "store/records/": "which step made what of what, by digests, and what it counted",
    "store/seconds.json": "how long each step took when it was last made",
    "store/.lock": "held by builds at work, so that nothing is removed meanwhile",
    "stages.json": "which object of the store is which table of the last build",
    "refused/": "what the last build that a gate refused would have published; an escape stands in it IN CLEAR",
    "refused/<variant>/would_be_published/": "tables and pages of that build, NOT public: names stand in them IN CLEAR",
    "refused/problems.csv": "every problem of its raw tables, with values of the ORIGINALS that do not identify",
    "refused/findings.csv": "what the search found in that build: each place, with the words around and the ORIGINAL it is",
    "refused/exemptions.py": "which of that could be declared to name no company, with the ORIGINALS",
    "audit-<variant>.json": "what `silt audit` found in the published files",
    "audit-<variant>-findings.csv": "what identifies a company there, as in refused/findings.csv; likewise exemptions.py",
    "tasks/": "answers of the test with their salts, and what noise does to it: index.html opens it",
    "problems.txt": "problems of the raw tables of a build that was refused, with values of the ORIGINALS",
    "crash.txt": "the traceback of a defect, which may hold values of the ORIGINALS",
}
"""What may be in the folder, and what it holds. A folder's line covers everything in it; `<variant>` is any."""


OF_RELEASE = {
    "identity_map.enc": HOLDS["identity_map.enc"],
    "noise.yaml": "the noise specification",
    "noisy/": "reports on the noise, where it is not disclosed; their pages stay in the build",
    "options.json": "what the release was asked for, for whoever builds it again",
    "salt.hex": "with it anybody can test a guess at a row of the ORIGINALS",
    "leaves/": "what binds each row of the originals; `silt release --disclose` proves one with it",
    "links.json": "what whoever has an earlier release of the same tables can link",
    "tasks/": "answers of the test with their salts",
}
"""The same of the curator's half of a release."""

_ALONE = "For the curator alone: folders have mode 0700 and files 0600. Never publish anything of it."

_OF_BUILD = f"""# A build

{DRAFT} `silt release`.

| folder | whose it is |
|---|---|
| `noisy/`, `clean/` | yours; your own agent gets `database/` of one of them, and nothing else |
| `ablations/` | yours: variants with parts of the noise (`silt ablate`) |
| `tasks/` | questions (`silt tasks make`); an agent gets single ones and `manual.md`, and not `dev.jsonl`, which has answers |
| `curator/` | yours alone: it leads back to the originals. Its `{README}` says what each file holds |

`.lock` is held by a build at work. Not everything is there after every build.
"""


def describe(curator: Path) -> None:
    """Write the file that says what the others hold that are there, and the one on what lies beside the curator's folder."""
    keep = (
        "Once a build is published, `silt reveal` and `silt noise` need identity_map.enc and the ledgers alone: store/ and\n"
        "refused/ can be removed."
    )
    _write(curator / README, f"{_ALONE}\n{keep}\n\n{_lines(_there(curator, HOLDS))}")
    (curator.parent / "README.md").write_text(_OF_BUILD, encoding="utf-8")


def _there(curator: Path, holds: Mapping[str, str]) -> dict[str, str]:
    """Return what is in the folder now, and what it holds."""
    return {name: what for name, what in holds.items() if any(curator.glob(name.replace("<variant>", "*")))}


def describe_release(curator: Path) -> None:
    """Write the same into the curator's half of a release."""
    _write(curator / README, f"{_ALONE}\n\n{_lines(_there(curator, OF_RELEASE))}")


def _lines(holds: Mapping[str, str]) -> str:
    width = max(map(len, holds), default=0)
    return "".join(f"{name:<{width}}  {what}\n" for name, what in holds.items())


def _write(file: Path, text: str) -> None:
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        private_file(file).write_text(text, encoding="utf-8")
