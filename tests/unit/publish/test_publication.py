"""Publishing: old or new whenever it is killed, curator files in line; full and closed disks change nothing."""

import fcntl
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from pipeline.disk import reporting_disk
from pipeline.errors import GateError, InputError
from pipeline.publish import swap
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.publication import LOCK, Staging, exclusive, publish_together, recover, refuse_variant, stage
from tests.conftest import NO_SMALL_DISK

ROOT = Path(__file__).parents[3]
KILLED_BUILDS = Path(__file__).with_name("killed_builds.py")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=300,
    )


def fill(staging: Staging, label: str) -> None:
    (staging.public / "reports").mkdir()
    (staging.public / "reports" / "ks.json").write_text(label)
    (staging.public / MANIFEST).write_text(json.dumps({"label": label, "files": []}))
    (staging.curator / "noise_ledger.parquet").write_text(label)


def publish(environment: Path, label: str, variant: str = "noisy") -> None:
    with exclusive(environment):
        staging = stage(environment, variant)
        fill(staging, label)
        publish_together(environment, [staging])


def content(environment: Path) -> dict[str, str]:
    files = sorted(path for path in environment.rglob("*") if path.is_file() and path.name != LOCK)
    return {path.relative_to(environment).as_posix(): path.read_text() for path in files}


def published(label: str) -> dict[str, str]:
    return {
        "curator/noise_ledger.parquet": label,
        f"noisy/{MANIFEST}": json.dumps({"label": label, "files": []}),
        "noisy/reports/ks.json": label,
    }


@pytest.fixture(params=["exchange", "without exchange"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "without exchange":
        monkeypatch.setattr(swap, "exchange", lambda _first, _second: False)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_build_replaces_the_variant_whole(tmp_path: Path) -> None:
    """The first build and the next leave their own files and nothing else, with and without exchange."""
    for label in ("A", "B"):
        publish(tmp_path, label)
        assert content(tmp_path) == published(label)


@pytest.mark.parametrize("how", ["exchange", "without exchange"])
@pytest.mark.parametrize("mode", ["at step", "at random"])
def test_killed_build_leaves_the_old_or_the_new(tmp_path: Path, mode: str, how: str) -> None:
    """Killed before any of its steps, or at random, it leaves each variant whole; recovery both, and the curator's files."""
    result = run(KILLED_BUILDS, mode, tmp_path, how)
    assert result.returncode == 0, result.stderr
    outcomes = [json.loads(line) for line in result.stdout.splitlines()]
    wholes = {label: {"manifest": label, "files": [label], "count": 2} for label in "AB"}
    between = {"manifest": None, "files": [], "count": 0}
    after = [{"noisy": whole, "clean": whole, "ledger": [label], "total": 8} for label, whole in wholes.items()]
    for outcome in outcomes:
        seen = [outcome["at_once"][variant] for variant in ("noisy", "clean")]
        possible = [*wholes.values(), *([between] if how == "without exchange" else [])]
        assert all(variant in possible for variant in seen), outcome
        assert outcome["recovered"] in after, outcome
        # What is new is not taken back.
        assert wholes["B"] not in seen or outcome["recovered"] == after[1] or mode == "at random", outcome
    assert len(outcomes) >= 40
    assert all(any(outcome["recovered"] == whole for outcome in outcomes) for whole in after)


def test_curator_area_is_private(tmp_path: Path) -> None:
    """The curator's folders have mode 0700 and its files 0600, also if it was open before; the variant is readable."""
    (tmp_path / "curator").mkdir(mode=0o755)
    with exclusive(tmp_path):
        staging = stage(tmp_path, "noisy")
        assert staging.public.parent.stat().st_mode & 0o777 == 0o700
        fill(staging, "A")
        (staging.curator / "reports").mkdir()
        (staging.curator / "reports" / "ks.json").write_text("{}")
        publish_together(tmp_path, [staging])
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "curator").rglob("*")}
    assert modes == {"noise_ledger.parquet": 0o600, "reports": 0o700, "ks.json": 0o600}
    assert (tmp_path / "curator").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "noisy").stat().st_mode & 0o444 == 0o444


def test_variants_leave_each_other_alone(tmp_path: Path) -> None:
    """A build of one variant does not touch another."""
    publish(tmp_path, "A", "clean")
    before = {path: text for path, text in content(tmp_path).items() if path.startswith("clean/")}
    publish(tmp_path, "B")
    assert before.items() <= content(tmp_path).items()


def test_failed_build_leaves_no_trace(tmp_path: Path) -> None:
    """Whatever ends a build before it is published, the old one stands and staging is gone."""
    publish(tmp_path, "A")

    def fail() -> None:
        with exclusive(tmp_path):
            fill(stage(tmp_path, "noisy"), "B")
            raise GateError("refused")

    with pytest.raises(GateError, match="refused"):
        fail()
    assert content(tmp_path) == published("A")


def test_files_other_than_the_manifests_are_not_published(tmp_path: Path) -> None:
    """A staged data file that the manifest does not list stops publication."""
    publish(tmp_path, "A")
    with exclusive(tmp_path):
        staging = stage(tmp_path, "noisy")
        fill(staging, "B")
        (staging.public / "database").mkdir()
        (staging.public / "database" / "extra.csv").touch()
        with pytest.raises(GateError, match=r"not listed \['database/extra.csv'\]"):
            publish_together(tmp_path, [staging])
    assert content(tmp_path) == published("A")


def test_refused_build_is_kept_by_the_curator_until_one_passes(tmp_path: Path) -> None:
    """A refused build is kept whole by the curator, replaces an earlier one, and goes when one passes."""
    publish(tmp_path, "A")
    for label in ("B", "C"):
        with exclusive(tmp_path):
            staging = stage(tmp_path, "noisy")
            fill(staging, label)
            kept = refuse_variant(staging)
    assert kept == tmp_path / "curator" / "refused" / "noisy"
    assert content(kept) == {
        "curator/noise_ledger.parquet": "C",
        f"would_be_published/{MANIFEST}": json.dumps({"label": "C", "files": []}),
        "would_be_published/reports/ks.json": "C",
    }
    assert published("A").items() <= content(tmp_path).items()
    publish(tmp_path, "D")
    assert content(tmp_path) == published("D")


def test_second_build_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    """While a build is at work another gets an error; after it, none."""
    with exclusive(tmp_path), pytest.raises(InputError, match=r"\(process \d+\) is at work in"), exclusive(tmp_path):
        pass
    with exclusive(tmp_path):
        pass


@pytest.mark.parametrize(
    ("written", "named"), [("silt build (process 7)", "silt build (process 7)"), ("", "another build")]
)
def test_refused_build_waits_for_the_holders_name(tmp_path: Path, written: str, named: str) -> None:
    """A holder writes its name after it has the lock; a build that is refused in between names it all the same."""
    with (tmp_path / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        writing = Timer(0.2, (tmp_path / LOCK).write_text, [written])
        writing.start()
        with pytest.raises(InputError, match=rf"^{re.escape(named)} is at work in"), exclusive(tmp_path):
            pass
        writing.join()


def test_recovering_nothing_changes_nothing(tmp_path: Path) -> None:
    """A folder that is not there, and one that is in order, are left as they are."""
    recover(tmp_path / "nowhere")
    publish(tmp_path, "A")
    recover(tmp_path)
    assert content(tmp_path) == published("A")


@pytest.mark.parametrize("variant", ["", "curator", "../noisy", "Noisy", ".staging"])
def test_name_that_is_no_variants_is_refused(tmp_path: Path, variant: str) -> None:
    """A variant's name can lead nowhere else."""
    with exclusive(tmp_path), pytest.raises(InputError, match="cannot name a variant"):
        stage(tmp_path, variant)


@pytest.mark.parametrize("make", [lambda path: path.touch(), lambda path: path.symlink_to(path.parent)])
def test_place_taken_by_something_else_is_refused(tmp_path: Path, make: object) -> None:
    """A file or a link where the variant belongs is not replaced."""
    assert callable(make)
    make(tmp_path / "noisy")
    with exclusive(tmp_path), pytest.raises(InputError, match="noisy is not a folder; move it away"):
        stage(tmp_path, "noisy")


UNWRITABLE = """
import os, sys
from pathlib import Path
from pipeline.errors import InputError
from pipeline.publish.publication import exclusive
if os.geteuid() == 0:
    os.setuid(65534)  # root is bound by no permissions
try:
    with exclusive(Path(sys.argv[1])):
        print("entered")
except InputError as error:
    print(error)
"""


def test_unwritable_output_folder_is_refused(tmp_path: Path) -> None:
    """A folder that may not be written is an error, for whoever is bound by permissions."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    said = run("-c", UNWRITABLE, closed / "env").stdout
    assert f"cannot write under {closed / 'env'}: Permission denied; make it writable, or give another folder" in said


FULL = """
import os, resource, signal, sys
from pathlib import Path
import polars as pl
from pipeline.model import PublishedTable
from pipeline.errors import InputError
from pipeline.disk import reporting_disk
from pipeline.publish.files import write_table
from pipeline.publish.publication import exclusive, stage

folder, what, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
frame = pl.DataFrame({"id": [os.urandom(20).hex() for _ in range(100_000)]})
table = PublishedTable(path="t.csv", columns=("id",), needs=(), render=lambda _: frame)
try:
    with exclusive(folder):
        staging = stage(folder, "noisy")
        if what == "table":
            write_table(frame, table, staging.public)
        else:
            with reporting_disk(staging.curator):
                frame.write_parquet(staging.curator / "noise_ledger.parquet")
    print("written")
except InputError as error:
    print(error)
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 512 kB; skipped where that is not permitted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(NO_SMALL_DISK)
    yield disk
    subprocess.run(["umount", str(disk)], check=True)  # noqa: S607


@pytest.mark.parametrize("what", ["table", "ledger"])
def test_file_that_grows_too_large_changes_nothing(tmp_path: Path, what: str) -> None:
    """A write that the system cuts off is an error with a remedy; staging is gone and the old build untouched."""
    publish(tmp_path, "A")
    said = run("-c", FULL, tmp_path, what, "100000").stdout
    assert "File too large; free space there, or give another folder with --out (OUT)" in said
    assert content(tmp_path) == published("A")


@pytest.mark.parametrize("what", ["table", "ledger"])
def test_full_disk_changes_nothing(small_disk: Path, what: str) -> None:
    """On a disk that is really full the same holds."""
    environment = small_disk / "env"
    publish(environment, "A")
    said = run("-c", FULL, environment, what, "0").stdout
    assert "No space left on device; free space there, or give another folder with --out (OUT)" in said
    assert content(environment) == published("A")


def test_errors_that_are_not_the_disks_pass(tmp_path: Path) -> None:
    """Only failures of the file system are translated."""
    with pytest.raises(OSError, match="not a disk"), reporting_disk(tmp_path):
        raise OSError("not a disk")


def test_exchange_swaps_two_folders(tmp_path: Path) -> None:
    """Where exchanging is supported, both paths exist before and after."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "label").write_text(name)
    assert swap.exchange(tmp_path / "a", tmp_path / "b")
    assert content(tmp_path) == {"a/label": "b", "b/label": "a"}


def test_exchange_with_nothing_fails(tmp_path: Path) -> None:
    """A failure that is not missing support is an error of the system's."""
    (tmp_path / "a").mkdir()
    with pytest.raises(FileNotFoundError, match="No such file"):
        swap.exchange(tmp_path / "a", tmp_path / "b")
