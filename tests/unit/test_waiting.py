"""The line that comes and goes while a command prints nothing, in a pseudo-terminal."""

import re
import subprocess
import sys
from pathlib import Path

from tests.terminal import SILENCE, Watched, watched

BEGIN = "import ctypes, sys, time\nfrom silt.commands.waiting import not_silent\nwith not_silent('silt audit'):\n"

ALIVE = re.compile(r"[|/\\-] silt audit: at work, \d s")


def ran(*lines: str) -> Watched:
    """Run statements while the line watches."""
    return watched([sys.executable, "-c", BEGIN + "".join(f"    {line}\n" for line in lines)], Path.cwd())


def test_silence_is_short() -> None:
    """However long nothing is printed; at the end nothing of it is left, and what is printed stands alone."""
    done = ran("time.sleep(2)", "print('found 3')", "time.sleep(1)")
    assert done.status == 0
    assert done.longest_silence < SILENCE
    assert len(ALIVE.findall(done.text)) > len(range(3))
    assert re.search(r"\r *\rfound 3\r\n", done.text)
    assert re.search(r"at work, \d s\r *\r$", done.text)


def test_a_pause_in_which_no_thread_runs_is_noticed() -> None:
    """The control: Python stands still for two seconds, and the terminal with it."""
    assert ran("ctypes.PyDLL(None).usleep(2_000_000)").longest_silence > SILENCE


def test_a_question_stays() -> None:
    """Behind what ends no line nothing is drawn, nor into bytes."""
    for asked in ("print('passphrase: ', end='')", "sys.stdout.buffer.write(b'{}'); sys.stdout.flush()"):
        done = ran(asked, "sys.stdout.flush()", "time.sleep(1)")
        assert ALIVE.search(done.text) is None


def test_elsewhere_nothing_is_written() -> None:
    """A log holds what was printed, and no more."""
    done = subprocess.run([sys.executable, "-c", f"{BEGIN}    time.sleep(1)"], check=True, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"")
