"""Run as a script: publishes folders of variants in child processes, kills them, and prints what each kill left, in JSON.

As `killed_builds.py` does for one variant, at every step from the end of staging on. The two builds have variants of other
names, so that any mixture of them shows.
"""

import json
import sys
from pathlib import Path

from pipeline.places import CURATOR
from pipeline.publish.files import record_file
from pipeline.publish.index import INDEX, write_index
from pipeline.publish.links import link_or_copy
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import exclusive, publish_together, stage
from tests.unit.publish.killed_builds import at_every_step, die_at, print_all

FOLDER = "ablations"

VARIANTS = {"A": ("noisy", "clean"), "B": ("noisy", "only-names")}


def publish(environment: Path, label: str, *, die_at_step: int = 0) -> None:
    """Publish a build in which every file, the index and all ledgers say `label`; files are links to the first one."""
    with exclusive(environment):
        staging = stage(environment, FOLDER)
        first = staging.public / VARIANTS[label][0] / "database" / "t.csv"
        for name in VARIANTS[label]:
            folder = staging.public / name
            (folder / "database").mkdir(parents=True)
            if folder in first.parents:
                first.write_text(label)
            else:
                link_or_copy(first, folder / "database" / "t.csv")
            _write_manifest(folder, label)
            ledger = staging.curator / FOLDER / name / "noise_ledger.parquet"
            ledger.parent.mkdir(parents=True)
            ledger.write_text(label)
        write_index({"label": label}, [{"name": name} for name in VARIANTS[label]], staging.public)
        if die_at_step:
            die_at(die_at_step)
        publish_together(environment, [staging])


def _write_manifest(folder: Path, label: str) -> None:
    manifest = Manifest(
        environment="e",
        variant=folder.name,
        source=label,
        scale=None,
        policy="lsd",
        key_fingerprint="",
        is_demonstration_key=False,
        specs={},
        versions={},
        files=(record_file(folder / "database" / "t.csv", folder),),
    )
    write_manifest(manifest, folder)


def state(environment: Path) -> dict[str, object]:
    """Return the label of the index, the labels of files and ledgers by variant, and whatever else is there."""
    public, curator = environment / FOLDER, environment / CURATOR / FOLDER
    files = {path.parents[1].name: path.read_text() for path in sorted(public.glob("*/database/t.csv"))}
    ledgers = {path.parent.name: path.read_text() for path in sorted(curator.glob("*/noise_ledger.parquet"))}
    return {
        "index": json.loads((public / INDEX).read_text())["label"] if public.exists() else None,
        "files": files,
        "ledgers": ledgers,
        "total": sum(path.is_file() and ".lock" not in path.name for path in environment.rglob("*")),
    }


if __name__ == "__main__":
    print_all(at_every_step(Path(sys.argv[1]), publish, state))
