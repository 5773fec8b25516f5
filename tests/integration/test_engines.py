"""Engines: what a cluster makes is what one machine makes, whoever is killed; and nothing that it learns names anybody."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import polars as pl
import pytest
from distributed import Client
from polars.testing import assert_frame_equal

from assets.making.keys import SEARCH_TERMS
from benchmarks.clusters import dask_cluster, has_spark, spark_cluster
from silt.engines.cluster import KEY_FILE
from tests.integration.conftest import run_silt
from tests.stages import named, table

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent

KEY = ".silt/shops.lsd.key"

SEED = 31

BLOCKS_OF_ONE = """
from functools import partial
import assets.rendered
assets.rendered.rendered = partial(assets.rendered.rendered, records=1)
"""
"""What workers run first: then each record is a block, and each block a task, which on one machine no table here is."""


BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
"""What spares Java the work that pays in hours alone: five processes of it live for seconds here."""


@dataclass
class Tap:
    """Passes on what goes between a build and a scheduler, and keeps all of it."""

    to: tuple[str, int]
    passed: bytearray = field(default_factory=bytearray)

    def serve(self) -> int:
        """Listen, and return the port."""
        listening = socket.create_server(("127.0.0.1", 0))
        Thread(target=self._accept, args=[listening], daemon=True).start()
        return int(listening.getsockname()[1])

    def _accept(self, listening: socket.socket) -> None:
        while True:
            ends = (listening.accept()[0], socket.create_connection(self.to))
            for one, other in (ends, ends[::-1]):
                Thread(target=self._pass, args=[one, other], daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError), closing(one), closing(other):
            while content := one.recv(1 << 16):
                self.passed += content
                other.sendall(content)


@dataclass(frozen=True)
class Dask:
    """A scheduler with two workers, as an operator starts them."""

    port: int
    tap: Tap
    tapped: int
    folder: Path

    @property
    def engine(self) -> str:
        """Return the setting that names it; what passes is kept."""
        return f"dask://127.0.0.1:{self.tapped}"

    def processes(self) -> list[int]:
        """Return the numbers of the processes of workers."""
        with Client(f"tcp://127.0.0.1:{self.port}", set_as_default=False) as client:
            return list(client.run(os.getpid).values())

    def written(self) -> bytes:
        """Return all that scheduler and workers wrote, and what their pages show."""
        files = [file for file in self.folder.rglob("*") if file.is_file()]
        return b"\n".join([*(file.read_bytes() for file in files), bytes(self.tap.passed)])


@contextmanager
def dask(folder: Path, key: Path | None) -> Iterator[Dask]:
    """Start a scheduler and two workers with a key."""
    first = folder / "first.py"
    first.write_text(BLOCKS_OF_ONE)
    with pytest.MonkeyPatch.context() as patch:
        if key:
            patch.setenv(KEY_FILE, str(key))
        else:
            patch.delenv(KEY_FILE, raising=False)
        with dask_cluster(folder, preload=first) as started:
            tap = Tap(("127.0.0.1", started.port))
            with Client(f"tcp://127.0.0.1:{started.port}", set_as_default=False) as client:
                client.wait_for_workers(2, timeout=60)
            yield Dask(started.port, tap, tap.serve(), folder)


@pytest.fixture(scope="module")
def work(built_example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the folder in which the tutorial's example was followed on one machine."""
    return Path(shutil.copytree(built_example, tmp_path_factory.mktemp("engines") / "work"))


@pytest.fixture(scope="module")
def cluster(work: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """Return a cluster whose workers have the key of the build."""
    with dask(tmp_path_factory.mktemp("dask"), work / KEY) as found:
        yield found


@pytest.fixture(scope="module")
def killed(work: Path, example: list[str], cluster: Dask) -> Path:
    """Return what stands after a build of which the process was killed midway, and the next one lost workers all along."""
    return built_though_killed(work, [*example, "--out", "elsewhere"], cluster, drivers=1, workers=3)


def built_though_killed(work: Path, command: list[str], cluster: Dask, *, drivers: int, workers: int) -> Path:
    """Kill so many builds at random moments, then so many workers during one; return what the last one published."""
    command, folder = [*command, "--engine", cluster.engine], work / command[-1] / "shops"
    drawn = random.Random(SEED)  # noqa: S311
    for _ in range(drivers):
        with subprocess.Popen([BIN / "silt", *command, "--fresh"], cwd=work, stderr=subprocess.PIPE) as driver:
            assert driver.stderr is not None
            next(line for line in driver.stderr if re.match(rb"\[\d+/", line))
            time.sleep(drawn.uniform(0, 3))
            driver.kill()
        assert driver.wait() == -signal.SIGKILL
        assert not list(folder.glob("*/database"))

    def kill() -> None:
        for _ in range(workers):
            time.sleep(drawn.uniform(1, 4))
            while not (processes := cluster.processes()):  # those killed before are started again
                time.sleep(0.1)
            os.kill(drawn.choice(processes), signal.SIGKILL)

    killing = Thread(target=kill)
    killing.start()
    while (done := run_silt(*command, cwd=work)).returncode:
        # A step that loses its worker too often is given up, and so is a build without any; the same command goes on.
        assert done.returncode == 2, done.stderr
        assert not list(folder.glob("*/database"))
    killing.join()
    return folder


def test_build_on_a_cluster_is_that_of_one_machine(killed: Path, work: Path) -> None:
    """All that stages keep and every published file is the same, in other blocks, though workers and a build were killed."""
    assert_same(work / "environments/shops", killed)


@pytest.mark.full
def test_whoever_is_killed_ten_times(work: Path, example: list[str], cluster: Dask) -> None:
    """Ten builds at random moments, and ten workers: nothing is published before everything is the same."""
    command = [*example, "--out", "ten-times"]
    assert_same(work / "environments/shops", built_though_killed(work, command, cluster, drivers=10, workers=10))


def assert_same(one: Path, other: Path) -> None:
    """Compare what two builds published and what their stages keep, whatever the blocks of tables."""
    here, there = map(named, (one, other))
    in_blocks = {place for place, name in there.items() if name and name.endswith(".blocks")}
    assert {place.partition("/")[0] for place in in_blocks} == {"rendered", "noisy"}
    # A pickle says which texts are one object, and that is another thing in each process.
    others = there.keys() - in_blocks - {"/".join(SEARCH_TERMS)}
    assert {place: there[place] for place in others} == {place: here[place] for place in others}
    assert here.keys() == there.keys()
    for stage, _, name in (place.partition("/") for place in in_blocks):
        assert_frame_equal(table(one, stage, name), table(other, stage, name))
    for variant in ("noisy", "clean"):
        contents = [
            {file.relative_to(folder): file.read_bytes() for file in (folder / variant).rglob("*") if file.is_file()}
            for folder in (one, other)
        ]
        assert contents[0] == contents[1]


SHOPS = "shops.csv"
"""The raw table in which names of companies stand."""


def names_in(raw: Path) -> list[str]:
    """Return the names of companies in raw tables."""
    names = pl.read_csv(raw / SHOPS, infer_schema=False)["name"]
    return sorted({name for name in names if name and len(name) > 5})


def test_cluster_learns_of_no_key_and_no_company(killed: Path, work: Path, example: list[str], cluster: Dask) -> None:
    """Nothing that passes through it or that it writes holds the key or a name, not even where a raw cell is wrong."""
    raw = shutil.copytree(work / "shops", work / "wrong")
    table = raw / SHOPS
    names = names_in(work / "shops")
    content = table.read_bytes()
    (raw / table.name).write_bytes(content + content.splitlines()[-1] + b",one cell too many\n")
    refused = run_silt(*example, "--raw", "wrong", "--out", "refused", "--engine", cluster.engine, cwd=work)
    assert refused.returncode == 2
    key = (work / KEY).read_text().strip()
    seen = cluster.written()
    assert str(work).encode() in seen, "what passes is not seen"
    assert names
    assert [name for name in (*names, key) if name.encode() in seen] == []
    assert bytes.fromhex(key) not in seen
    assert killed.is_dir()


def test_build_on_spark_is_that_of_one_machine(work: Path, example: list[str], tmp_path: Path) -> None:
    """Every object that a stage keeps is the same, and Spark writes down neither the key nor a name."""
    if not has_spark():
        pytest.skip("there is no Spark here, or no Java (make test-spark)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_FILE, str(work / KEY))
        patch.setenv("JAVA_TOOL_OPTIONS", BRIEF)
        with spark_cluster(tmp_path) as started:
            engine = f"spark://127.0.0.1:{started.port}"
            done = subprocess.run(
                [BIN / "silt", *example, "--out", "on-spark", "--engine", engine],
                cwd=work,
                env=os.environ | started.variables,
                check=False,
                capture_output=True,
                text=True,
            )
    assert done.returncode == 0, done.stderr
    here, there = (
        json.loads((work / out / "shops/curator/stages.json").read_text()) for out in ("environments", "on-spark")
    )
    assert there == here
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"Registered app silt" in written
    key = (work / KEY).read_text().strip()
    assert [name for name in (*names_in(work / "shops"), key) if name.encode() in written] == []


def test_what_one_machine_has_made_others_find(work: Path, example: list[str], tmp_path: Path) -> None:
    """A second build with a store of its own makes nothing but what it publishes, and publishes the same."""
    printed = [
        run_silt(*example, "--out", out, "--shared-store", f"file://{tmp_path}/shared", cwd=work).stderr
        for out in ("first", "second")
    ]
    made = [
        [line for line in lines.splitlines() if re.match(r"\[\d+/", line) and "(reused)" not in line]
        for lines in printed
    ]
    assert [line.split("]")[1].partition(":")[0] for line in made[1]] == [" published/noisy", " published/clean"]
    assert len(made[0]) > 20
    one, other = ((work / out / "shops/curator/stages.json").read_text() for out in ("first", "second"))
    assert other == one


def test_worker_without_the_key_is_named(work: Path, example: list[str], tmp_path: Path) -> None:
    """A build says what a worker lacks, publishes nothing, and does not make everything itself instead."""
    with dask(tmp_path, None) as cluster:
        done = run_silt(*example, "--out", "keyless", "--engine", cluster.engine, cwd=work)
    assert done.returncode == 2
    assert KEY_FILE in done.stderr
    assert not list((work / "keyless/shops").glob("*/database"))


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("dusk", "unknown engine 'dusk'; known: dask, dask://HOST:PORT, local, spark"),
        ("dask://", "unknown engine"),
        ("dask://127.0.0.1:9", "no scheduler of Dask's answers at 127.0.0.1:9"),
    ],
)
def test_engine_that_is_not_there_is_named(work: Path, example: list[str], engine: str, said: str) -> None:
    """A setting that names none, and an address at which nobody answers."""
    done = run_silt(*example, "--fresh", "--out", "nowhere", "--engine", engine, cwd=work)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_unknown_engine_is_refused_before_tables_are_generated(tmp_path: Path) -> None:
    """Nothing is left behind."""
    assert run_silt("build", "--engine", "dusk", cwd=tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == []
