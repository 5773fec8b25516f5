"""Breaks builds of the tutorial's example in every way that is known, and prints what each left: `make faults`.

Two builds with other keys are the references: whatever happens, both variants and the curator's ledger are one build's.

    killed         builds, at random moments, by SIGKILL
    power cut      publishing, at every moment (`tests/unit/publish/power.py`)
    A beside B     two of build, web run, ablations, audit and release at once, in every pairing
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, cycle, islice
from pathlib import Path

from tests.integration.killed_example import ENVIRONMENT, KEYS, Child, digest_of, start, started
from tests.integration.readme import example_command, write_example
from tests.unit.publish.power import IN_MEMORY

State = Mapping[str, str]

WHOLE, BETWEEN, MIXED = "one build, whole", "one build, once the next command began", "MIXED"

LADDER = "environment: shops\ndescription: with and without\nnoise: shops.yaml\nladder: [missing]\nonly_one: true\n"

OPTIONS = ["--environment", "shops.py:SHOPS", "--out", "environments", "--raw", "shops"]

ACTS: dict[str, list[str]] = {
    "build": [*example_command(), "--fresh"],
    "web": [],
    "ablations": ["ablate", *OPTIONS, "--noise", "ladder.yaml", "--fresh"],
    "audit": ["audit", "noisy", *OPTIONS],
    "release": ["release", "--version", "1.0.0", "--replace", *OPTIONS, "--noise", "shops.yaml"],
}
"""What is done at the same time, as arguments of `silt`; a run of the web graph has none."""


def main() -> int:
    """Print the table; return 1 if anything was left that is not one build's."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--trials", type=int, default=50, help="of two at once")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    moments = random.Random(asked.seed)  # noqa: S311
    with tempfile.TemporaryDirectory(prefix="silt-faults-") as folder:
        os.chdir(folder)
        prepare(Path(folder))
        wholes = [whole(key) for key in KEYS]
        rows = [
            *(("killed", outcome) for outcome in killed(asked.kills, wholes, moments)),
            *((names, outcome) for names, outcome in beside(asked.trials, wholes, moments)),
            *(("power cut", outcome) for outcome in power_cuts()),
        ]
    print(table(rows))  # noqa: T201
    return int(any(outcome == MIXED for _, outcome in rows))


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


def next_command() -> int:
    """Begin as every command does that works in the folder, and end."""
    from pipeline.publish.publication import exclusive  # noqa: PLC0415

    with exclusive(ENVIRONMENT):
        return 0


def killed(count: int, wholes: list[State], moments: random.Random) -> Iterator[str]:
    """Kill builds with the key that the last one did not have, at random; the last is left to end, and leaves nothing over."""
    began = time.monotonic()
    whole(KEYS[0])
    lasts = time.monotonic() - began
    for _ in range(count):
        child = begun("build", KEYS[state() == wholes[0]])
        time.sleep(moments.uniform(0, lasts))
        os.kill(child.process, signal.SIGKILL)
        child.end()
        yield verdict(wholes)
    whole(KEYS[0])
    left = [path for path in ENVIRONMENT.rglob(".*") if path.name in (".staging", ".retired")]
    yield WHOLE if state() == wholes[0] and not left else MIXED


def beside(count: int, wholes: list[State], moments: random.Random) -> Iterator[tuple[str, str]]:
    """Start two acts with different keys, the second somewhat later."""
    for pair in islice(cycle(combinations_with_replacement(ACTS, 2)), count):
        children = []
        for act, key in zip(pair, moments.sample(KEYS, 2), strict=True):
            children.append(begun(act, key))
            time.sleep(moments.uniform(0, 2))
        ended = [(child.printed.read().decode(), child.end()) for child in children]
        yield " beside ".join(pair), verdict(wholes) if all(map(is_clear, ended)) else f"{MIXED}: {ended}"


def is_clear(ended: tuple[str, int]) -> bool:
    """Say whether somebody came through, or was told in so many words why not."""
    printed, status = ended
    return status == 0 or (
        status in (1, 2) and ("is at work in" in printed or "not of one build" in printed or not printed)
    )


def power_cuts() -> Iterator[str]:
    """Publish two variants over older ones, and cut the power at every moment."""
    from tests.unit.publish.test_power_loss import outcomes  # noqa: PLC0415

    scratch = Path(tempfile.mkdtemp(dir=IN_MEMORY))
    try:
        yield from (MIXED if outcome == "half" else WHOLE for outcome in outcomes(scratch))
    finally:
        shutil.rmtree(scratch)


def table(rows: list[tuple[str, str]]) -> str:
    """Return the outcomes, counted, as Markdown."""
    counts = Counter(rows)
    lines = [f"| {what} | {outcome} | {number} |" for (what, outcome), number in counts.items()]
    return "\n".join(["| fault | left | times |", "|---|---|---:|", *lines])


if __name__ == "__main__":
    sys.exit(main())
