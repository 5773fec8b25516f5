"""What a process took is that of the process and its children, and of nobody else."""

import sys
from pathlib import Path

import pytest

from benchmarks.measure import measured

HOLD = "import time; block = bytearray(b'1') * {size}; time.sleep(0.4)"


def test_memory_is_that_of_the_child_alone() -> None:
    """What the measuring process itself holds does not count."""
    held = bytearray(b"1") * 200_000_000
    cost, _ = measured([sys.executable, "-c", "import time; time.sleep(0.4)"])
    assert len(held) == 200_000_000
    assert cost.peak_mb is not None
    assert 1 < cost.peak_mb < 100


def test_a_peak_between_two_looks_is_seen() -> None:
    """Memory that is given back at once counts."""
    cost, _ = measured(
        [sys.executable, "-c", "block = bytearray(b'1') * 150_000_000; del block\nimport time; time.sleep(0.4)"]
    )
    assert cost.peak_mb is not None
    assert cost.peak_mb > 150


def test_memory_of_a_tree_is_added_up() -> None:
    """Two processes at work at once count together."""
    size = 60_000_000
    child = f"subprocess.Popen([sys.executable, '-c', {HOLD.format(size=size)!r}])"
    script = f"import subprocess, sys; child = {child}; {HOLD.format(size=size)}; child.wait()"
    cost, _ = measured([sys.executable, "-c", script])
    assert cost.peak_mb is not None
    assert cost.peak_mb > 2 * size / 1e6


def test_what_processes_share_counts_once() -> None:
    """A process that forks has its memory twice, and takes it once."""
    script = (
        "import os, time; block = bytearray(b'1') * 100_000_000; child = os.fork(); time.sleep(1); child and os.wait()"
    )
    cost, _ = measured([sys.executable, "-c", script])
    assert cost.peak_mb is not None
    assert 100 < cost.peak_mb < 160


def test_processor_time_counts_children_and_no_sleep() -> None:
    """Sleeping costs seconds, and no processor seconds; a child's work counts."""
    asleep, _ = measured([sys.executable, "-c", "import time; time.sleep(0.5)"])
    assert asleep.seconds > 0.5
    work = "import time\nwhile time.process_time() < 0.5: pass"
    busy, _ = measured(
        [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}])"]
    )
    assert asleep.cpu_seconds is not None
    assert busy.cpu_seconds is not None
    assert asleep.cpu_seconds < 0.5 < busy.cpu_seconds


def test_a_command_gets_its_folder_and_variables(tmp_path: Path) -> None:
    """What it prints comes back."""
    script = "import os; print(os.getcwd(), os.environ['GIVEN'], 'PATH' in os.environ)"
    _, output = measured([sys.executable, "-c", script], tmp_path, {"GIVEN": "here"})
    assert output.split() == [str(tmp_path.resolve()), "here", "True"]


def test_a_command_that_fails_is_told() -> None:
    """A benchmark of something broken is none: its last words are shown."""
    with pytest.raises(SystemExit, match=r"(?s)failed with status 3.*no raw tables"):
        measured([sys.executable, "-c", "import sys; print('no raw tables', file=sys.stderr); sys.exit(3)"])
