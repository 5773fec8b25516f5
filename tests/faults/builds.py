"""Builds of the tutorial's example for the faults: how one is begun, what stands then, and whether it is one build's."""

import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.integration.killed_example import ENVIRONMENT, KEYS, Child, digest_of, start, started
from tests.integration.readme import example_command, write_example

State = Mapping[str, str]

Row = tuple[str, str]
"""A fault, and what it left."""

Ended = tuple[str, int]
"""What a command printed, and its exit status."""

WHOLE, BETWEEN, MIXED = "one build, whole", "one build, once the next command began", "MIXED"

LADDER = "environment: shops\ndescription: with and without\nnoise: shops.yaml\nladder: [missing]\nonly_one: true\n"

OPTIONS = ["--environment", "shops.py:SHOPS", "--out", "environments", "--raw", "shops"]

AT_ONCE = ("build", "web", "ablations", "audit", "release")

REASONS = ("is at work in", "not of one build", "was sealed under the key", "variants in one folder must agree")
"""Why a command may be refused beside another: that works there, or has published something else by now."""

RAW = Path("shops/shops.csv")

ACTS: dict[str, list[str]] = {
    "build": [*example_command(), "--fresh"],
    "again": example_command(),
    "web": [],
    "ablations": ["ablate", *OPTIONS, "--noise", "ladder.yaml", "--fresh"],
    "audit": ["audit", "noisy", *OPTIONS],
    "release": [
        "release",
        "--version",
        "1.0.0",
        "--replace",
        "--allow-linkable",
        "--reuse-key",
        *OPTIONS,
        "--noise",
        "shops.yaml",
    ],
}
"""Arguments of `silt`; a run of the web graph has none. `again` takes what it can from the store."""


def prepare(folder: Path) -> None:
    """Write the example, a plan of ablations and two keys."""
    write_example(folder)
    (folder / "ladder.yaml").write_text(LADDER)
    for digit, key in enumerate(KEYS, start=1):
        (folder / key).write_text(str(digit) * 64)
        (folder / key).chmod(0o600)


def whole(key: str) -> State:
    """Build with a key to the end; return what stands then."""
    child = begun("build", key)
    printed = child.printed.read()
    if child.end():
        sys.exit(printed.decode())
    return state()


def begun(act: str, key: str) -> Child:
    """Start one of the acts with a key, in a process of its own."""
    return started(lambda: web_run(key)) if act == "web" else start(ACTS[act], key)


def web_run(key: str) -> int:
    """Run the job as the web graph does: nobody has made anything, and settings are those of the launchpad."""
    from assets.making.keys import job_name  # noqa: PLC0415  (polars must not be there before a fork)
    from assets.wiring.resources import Workspace  # noqa: PLC0415
    from silt.definitions import build_defs, configured  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415

    workspace = Workspace(raw="shops", noise="shops.yaml", key_file=key, out="environments", fresh=True)
    job = build_defs(find_environment("shops.py:SHOPS")).resolve_job_def(job_name("noisy", "clean"))
    done = job.execute_in_process(run_config=configured(workspace), raise_on_error=False)
    return 0 if done.success else 2


def state() -> State:
    """Return a digest of each published variant and of the curator's ledger."""
    return {name: digest_of(ENVIRONMENT / name) for name in ("noisy", "clean", "curator/noise_ledger.parquet")}


def verdict(wholes: list[State]) -> str:
    """Say whether what stands is one build's; if not, whether the next command makes it so."""
    if state() in wholes:
        return WHOLE
    started(next_command).end()
    return BETWEEN if state() in wholes else MIXED


def left_by(child: Child, wholes: list[State]) -> str:
    """Wait for the end of a build that met a fault; return the verdict, or what it said if that is not clear."""
    printed, status = end = ended(child)
    is_told = status == 0 or (status in (1, 2) and "silt: " in printed and "Traceback" not in printed)
    return verdict(wholes) if is_told else f"{MIXED}: {end}"


def ended(child: Child) -> Ended:
    """Wait for the end."""
    return child.printed.read().decode(), child.end()


def is_told_who(end: Ended) -> bool:
    """Say whether somebody came through beside others, or was told in so many words why not."""
    printed, status = end
    return status == 0 or (status in (1, 2) and (not printed or any(reason in printed for reason in REASONS)))


def other_key(wholes: list[State]) -> str:
    """Return the key that the last build did not have."""
    return KEYS[state() == wholes[0]]


def seconds_of_a_build() -> float:
    """Build, and return how long it took."""
    began = time.monotonic()
    whole(KEYS[0])
    return time.monotonic() - began


def next_command() -> int:
    """Begin as every command does that works in the folder, and end."""
    from pipeline.publish.publication import exclusive  # noqa: PLC0415

    with exclusive(ENVIRONMENT):
        return 0


def table(rows: list[Row]) -> str:
    """Return the outcomes, counted, as Markdown."""
    counts = Counter(rows)
    lines = [f"| {what} | {left} | {number} |" for (what, left), number in counts.items()]
    return "\n".join(["| fault | left | times |", "|---|---|---:|", *lines])
