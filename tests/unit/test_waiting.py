"""The line that comes and goes while a command prints nothing, in a pseudo-terminal."""

import re
import subprocess
import sys
from pathlib import Path

from pipeline.release.layout import RELEASE, STAGING, STATEMENTS
from silt.commands.release import _so_far
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


def test_behind_a_bar_that_ended_the_line_comes_again() -> None:
    """The bar's last line is whole, with what it then writes to show the cursor. What runs could be named meanwhile, too."""
    done = ran(
        "from rich.console import Console",
        "from rich.progress import Progress",
        "from silt.commands.waiting import running",
        "with Progress(console=Console(file=sys.stderr)) as bar:",
        "    bar.add_task('steps')",
        "    running('attacks')",
        "time.sleep(2)",
    )
    assert "steps" in done.text
    assert "s: attacks" in done.text
    assert done.longest_silence < SILENCE


def test_a_question_stays() -> None:
    """Behind what ends no line nothing is drawn, nor into bytes."""
    for asked in ("print('passphrase: ', end='')", "sys.stdout.buffer.write(b'{}'); sys.stdout.flush()"):
        done = ran(asked, "sys.stdout.flush()", "time.sleep(1)")
        assert ALIVE.search(done.text) is None


def test_in_a_log_a_line_comes_after_a_second_and_then_seldom() -> None:
    """It names the steps, stays, has no controls, and does not come between what is printed in time."""
    lines = (
        "time.sleep(1.5)",
        "waiting.running(lambda: 'attacks')",
        "time.sleep(1)",
        "print('found 3', file=sys.stderr)",
    )
    begin = BEGIN.replace(
        "with", "from silt.commands import waiting\nwaiting.LOG, waiting.FIRST = (0.8, 0.1), 0.4\nwith", 1
    )
    script = begin + "".join(f"    {line}\n" for line in (*lines, "time.sleep(0.3)"))
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert re.fullmatch(r"(silt audit: at work, \d s\n)+(silt audit: at work, \d s: attacks\n)+found 3\n", done.stderr)
    assert done.stdout == ""


def test_a_log_of_what_is_quick_holds_no_line() -> None:
    """A second passes before there is one."""
    done = subprocess.run([sys.executable, "-c", f"{BEGIN}    time.sleep(0.3)"], check=True, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_release_says_how_much_of_it_is_there(tmp_path: Path) -> None:
    """Its files are counted where they are made; before the first one there is no folder. The last ones tell what is made.

    When it is moved to its place, the folder is gone, and nothing begins again.
    """
    seen: set[str] = set()
    assert _so_far(tmp_path, seen) == "releasing, 0 files so far"
    (made := tmp_path / STAGING / "shops-1.0.0").mkdir(parents=True)
    for name, said in {
        "README.md": "releasing, 1 file so far",
        RELEASE: "packing archives",
        STATEMENTS[0]: "verifying the release",
    }.items():
        (made / name).touch()
        assert _so_far(tmp_path, seen) == said
    made.rename(tmp_path / made.name)
    assert _so_far(tmp_path, seen) == "finishing"
