"""Run as a script: publishes two variants in child processes, kills them, and prints what each kill left, a JSON line each.

Each child publishes over the last build until SIGKILL takes it, `at step` before its n-th call that touches the file
system (audit events, so every call is a step) or `at random` after some milliseconds. Where builds die by step, so does
a first attempt to recover. With `without exchange` folders can't be exchanged. It is a process of its own as it forks.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pipeline.places import CURATOR, VARIANTS
from pipeline.publish import swap
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.publication import LOCK, exclusive, publish_together, recover, stage

FILES = 2
TOUCHING = ("open", "os.", "shutil.", "fcntl.", "ctypes.")


def publish(environment: Path, label: str, *, die_at_step: int = 0) -> None:
    """Publish two variants in which every file, the manifest and the curator's ledger say `label`."""
    if die_at_step:
        die_at(die_at_step)
    with exclusive(environment):
        staged = [stage(environment, variant) for variant in VARIANTS]
        for staging in staged:
            (staging.public / "reports").mkdir()
            for number in range(FILES):
                (staging.public / "reports" / f"{number}.json").write_text(label * 1000)
            (staging.public / MANIFEST).write_text(json.dumps({"label": label, "files": []}))
            for name in ("noise_ledger.parquet", "reports/originals.json"):
                (staging.curator / name).parent.mkdir(exist_ok=True)
                (staging.curator / name).write_text(label)
        publish_together(environment, staged)


def state(environment: Path) -> dict[str, object]:
    """Return the labels that stand in the published folders and in the curator's, and how many files there are."""
    recovered = [path for path in environment.rglob("*") if path.is_file() and path.name != LOCK]
    kept = [path for path in (environment / CURATOR).rglob("*") if path.is_file()]
    labels: dict[str, object] = {"ledger": sorted({path.read_text() for path in kept}), "total": len(recovered)}
    return labels | {variant: _state_of(environment / variant) for variant in VARIANTS}


def _state_of(variant: Path) -> dict[str, object]:
    return {
        "manifest": json.loads((variant / MANIFEST).read_text())["label"] if variant.exists() else None,
        "files": sorted({path.read_text()[:1] for path in variant.glob("reports/*")}),
        "count": len(list(variant.glob("reports/*"))),
    }


def killed_child(work: Callable[[], None], *, after_seconds: float | None = None) -> bool:
    """Run `work` in a child process, killed after a while if a time is given; return whether it was killed."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    if after_seconds is not None:
        time.sleep(after_seconds)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if status not in {0, signal.SIGKILL}:
        sys.exit(f"a build ended with status {status}")
    return status == signal.SIGKILL


def die_at(step: int) -> None:
    """Kill this process just before its `step`-th call that touches the file system."""
    steps = iter(range(1, step))

    def count(event: str, _arguments: object) -> None:
        if event.startswith(TOUCHING) and next(steps, None) is None:
            signal.raise_signal(signal.SIGKILL)  # os.kill would be counted too

    sys.addaudithook(count)


def at_every_step(
    environment: Path, publish: Callable[..., None], state: Callable[[Path], dict[str, object]]
) -> Iterator[dict[str, object]]:
    """Kill a build at its first step, the next at its second, and so on until one comes through; recover after each."""
    publish(environment, "A")
    for step in range(1, 10_000):

        def build(step: int = step) -> None:
            publish(environment, "B", die_at_step=step)

        def recovery(step: int = step) -> None:
            die_at(1 + step % 25)  # a recovery has up to 25 steps; neighbouring kills leave like states
            recover(environment)

        was_killed = killed_child(build)
        at_once = state(environment)
        killed_child(recovery)
        recover(environment)
        yield {"step": step, "at_once": at_once, "recovered": state(environment)}
        if not was_killed:
            return
        publish(environment, "A")


def at_random(environment: Path, kills: int) -> Iterator[dict[str, object]]:
    """Kill a process that publishes two builds in turn, at random moments."""
    publish(environment, "A")
    moments = random.Random(1)  # noqa: S311

    def work() -> None:
        while True:
            publish(environment, "B")
            publish(environment, "A")

    for number in range(kills):
        killed_child(work, after_seconds=moments.uniform(0, 0.06))
        at_once = state(environment)
        recover(environment)
        yield {"step": number, "at_once": at_once, "recovered": state(environment)}


def print_all(outcomes: Iterator[dict[str, object]]) -> None:
    """Print what kills leave, where nothing is forced to the disk."""
    os.fsync = lambda fd: None  # noqa: ARG005 - a kill loses nothing that was written; only a power cut would
    if "without exchange" in sys.argv:
        swap.exchange = lambda first, second: False  # noqa: ARG005
    for outcome in outcomes:
        print(json.dumps(outcome))  # noqa: T201


if __name__ == "__main__":
    mode, folder = sys.argv[1], Path(sys.argv[2])
    print_all(at_random(folder, 40) if mode == "at random" else at_every_step(folder, publish, state))
