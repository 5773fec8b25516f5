"""Clusters on this machine, as an operator starts them: a scheduler and two workers with a core each.

Belongs here: starting and ending them. What builds on them take is measured in `builds.py`; what they publish is compared in
`tests/integration/test_engines.py`.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from benchmarks.measure import ROOT, note_processor_seconds

_SPARK = ROOT / ".spark"
"""Spark's libraries, beside the environment of the tests (`make test-spark` puts them there)."""

_PATIENCE = 0.1

_EVERY_SECONDS = 0.2


@dataclass(frozen=True)
class LocalCluster:
    """A cluster that has been started."""

    port: int
    """Where its scheduler listens, on 127.0.0.1."""
    processes: Sequence[int]
    """Those that were started; workers are among their descendants."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What the environment of a build needs besides."""

    @contextmanager
    def watched(self) -> Iterator[Mapping[int, float]]:
        """Look five times a second at what each process takes; give the processor seconds of each so far."""
        taken, ended = dict[int, float](), Event()
        watch = Thread(target=_watch, args=[self.processes, taken, ended])
        watch.start()
        try:
            yield taken
        finally:
            ended.set()
            watch.join()


@contextmanager
def dask_cluster(folder: Path, *, preload: Path | None = None) -> Iterator[LocalCluster]:
    """Start Dask's scheduler and workers, which write into a folder; afterwards they end.

    Args:
        preload: A module that workers run first.
    """
    known = folder / "scheduler.json"
    common = ["--scheduler-file", known, "--no-dashboard"]
    first = ["--preload", preload] if preload else []
    workers = [*common, "--nworkers", 2, "--nthreads", 1, "--local-directory", folder / "local", *first]
    dask = Path(sys.executable).with_name("dask")
    commands = {
        "scheduler": [dask, "scheduler", *common, "--host", "127.0.0.1", "--port", 0],
        "workers": [dask, "worker", *workers],
    }
    with _started(folder, commands, {}) as processes:
        while not known.is_file() or not known.read_text():
            time.sleep(_PATIENCE)
        port = int(json.loads(known.read_text())["address"].rpartition(":")[2])
        yield LocalCluster(port, processes)


def has_spark() -> bool:
    """Say whether Spark can be started here."""
    return _SPARK.is_dir() and shutil.which("java") is not None


@contextmanager
def spark_cluster(folder: Path) -> Iterator[LocalCluster]:
    """Start Spark's standalone master and two workers, which write into a folder; afterwards they end."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    home = _SPARK / "pyspark"
    variables = {"SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    own = {name: str(value) for name, value in (variables | {"PYTHONPATH": f"{_SPARK}:{ROOT}"}).items()}
    master = ["master.Master", "--host", "127.0.0.1", "--port", port]
    worker = ["worker.Worker", "--cores", 1, "--memory", "1g", "--work-dir", folder, f"spark://127.0.0.1:{port}"]
    commands = {
        name: [home / "bin/spark-class", f"org.apache.spark.deploy.{kind}", "--webui-port", 0, *options]
        for name, (kind, *options) in {"master": master, "first worker": worker, "second worker": worker}.items()
    }
    with _started(folder, commands, own) as processes:
        yield LocalCluster(port, processes, own)


@contextmanager
def _started(
    folder: Path, commands: Mapping[str, Sequence[object]], variables: Mapping[str, str]
) -> Iterator[Sequence[int]]:
    """Start processes that log into a folder, and give their numbers; afterwards they end, the last one first."""
    with ExitStack() as started:
        processes = []
        for name, command in commands.items():
            log = started.enter_context((folder / f"{name}.log").open("wb"))
            processes.append(
                subprocess.Popen(
                    [str(part) for part in command],
                    cwd=folder,
                    env=os.environ | variables,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )
            started.callback(processes[-1].wait)
            started.callback(processes[-1].terminate)
        yield [process.pid for process in processes]


def _watch(processes: Sequence[int], taken: dict[int, float], ended: Event) -> None:
    while not ended.wait(_EVERY_SECONDS):
        for process in processes:
            note_processor_seconds(process, taken)
