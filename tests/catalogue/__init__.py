"""The catalogue of bad input: what is wrong, as data, and what is said of it, word for word.

`cases/*.yaml` holds the cases, a file for each kind of input: what is changed in the tutorial's example. `readers.py` gives the
changed input to what reads it in a build. `messages.json` holds what was said, and `bad-input.md` shows it; both are
written by `python -m tests.catalogue`, and `tests/unit/test_catalogue.py` compares.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from tests.catalogue.readers import READERS, said_of
from tests.integration.readme import ROOT, example_files

FOLDER = Path(__file__).parent
MESSAGES = FOLDER / "messages.json"
PAGE = ROOT / "tests" / "catalogue" / "bad-input.md"

IN_FULL = "(the working folder)"
"""Stands for the folder in which a case is tried, wherever a message names it."""


@dataclass(frozen=True)
class Case:
    """One case: the kind of input, what is wrong with it, and the changes that make it so."""

    kind: str
    wrong: str
    changes: tuple[dict[str, Any], ...]

    @property
    def id(self) -> str:
        """Return its name, for tests."""
        return f"{self.kind}: {self.wrong}"


def cases() -> Iterator[Case]:
    """Yield every case, in the order of the files."""
    for kind in READERS:
        listed = yaml.safe_load((FOLDER / "cases" / f"{kind}.yaml").read_text(encoding="utf-8"))
        for wrong, changes in listed.items():
            yield Case(kind, wrong, tuple(changes if isinstance(changes, list) else [changes]))


def tried(case: Case) -> list[str]:
    """Return what is said of a case, in lines: the exit status first."""
    with TemporaryDirectory() as folder, chdir(folder):
        for name, content in example_files().items():
            _write(Path(name), content.encode())
        for change in case.changes:
            _make(change)
        status, message = said_of(case.kind, case.changes)
        # The folder may be called by its real path or by a link; Silt's own may be anywhere.
        for called in (os.path.realpath(folder), folder, os.fspath(FOLDER.parents[1])):
            message = message.replace(called, IN_FULL)
    return [f"exit {status}", *message.splitlines()]


def page(told: dict[str, list[str]]) -> str:
    """Return the page of `docs/` with all cases and what is said of each."""
    lines = [
        "# Bad input\n",
        (
            f"What {len(told)} kinds of bad input end with: the exit status, and what is said, word for word. The cases are in "
            "`tests/catalogue/cases/`, changes of the tutorial's example, and `python -m tests.catalogue` writes this page. Of "
            "a company, no message says anything: cells that may identify one are withheld."
        ),
    ]
    for kind in READERS:
        lines += [
            f"\n## {kind.replace('_', ' ').capitalize()}\n",
            "| what is wrong | exit | what is said |",
            "|---|---|---|",
        ]
        lines += [_row(case, told[case.id]) for case in cases() if case.kind == kind]
    return "\n".join(lines) + "\n"


def written() -> dict[str, list[str]]:
    """Return what was said of each case when the golden file was written."""
    found: dict[str, list[str]] = json.loads(MESSAGES.read_text(encoding="utf-8"))
    return found


# ----------------------------------------------------------------------------------------------------------------------


def _make(change: dict[str, Any]) -> None:
    """Change the working folder: a part of a file, all of it, or what kind of file it is."""
    if "file" not in change:
        return
    path = Path(change["file"])
    if "old" in change:
        text = path.read_text(encoding="utf-8")
        assert change["old"] in text, change
        _write(path, text.replace(change["old"], change["new"] * change.get("times", 1), 1).encode())
        return
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    match change:
        case {"text": text}:
            _write(path, (text * change.get("times", 1)).encode())
        case {"bytes": text}:
            _write(path, text.encode("latin-1"))
        case {"link": target}:
            path.symlink_to(target)
        case {"is": "pipe"}:
            os.mkfifo(path)
        case {"is": "folder"}:
            path.mkdir()
    if "mode" in change:
        path.chmod(change["mode"])


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _row(case: Case, told: list[str]) -> str:
    status, *lines = told
    said = "<br>".join(_shown(line.strip()) for line in lines) or "nothing: it is unusual, and right"
    return f"| {case.wrong} | {status.removeprefix('exit ')} | {said} |"


_LONGEST = 300


def _shown(line: str) -> str:
    short = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    escaped = (
        short.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*").replace("`", "\\`")
    )
    return escaped.replace("_", "\\_")
