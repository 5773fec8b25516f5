"""Whoever has an archive, its statements, a public key and `docs/releases.md` gets on: verified, mounted, a question answered.

The commands are those of the page, in an empty folder. The mount is tried for real where bubblewrap is, and the file for
compose is read by compose where that is.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from pipeline.release.metadata import mounting
from pipeline.release.metadata.mounting import commands, try_mount
from tests.conftest import NO_COMPOSE, NO_MOUNTS
from tests.integration.checks import rows_of
from tests.integration.readme import ROOT

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs/releases.md"

NAME = "dataclaw-18-1.0.0"


@pytest.fixture
def mountable(released: Path) -> Path:
    """Return a database that can be mounted here, or skip."""
    database = released / "noisy/database"
    if try_mount(database).is_read_only is None:
        pytest.skip(NO_MOUNTS)
    return database


@pytest.fixture
def empty(released: Path, tmp_path: Path) -> Path:
    """Return a folder that holds what a stranger was given."""
    given = (f"{NAME}-noisy.tar.zst", "provenance.intoto.json", "deidentification.intoto.json", "../signing.key.pub")
    for name in given:
        shutil.copy(released / name, tmp_path)
    return tmp_path


def blocks() -> list[str]:
    """Return the commands of the page's section, block by block."""
    section = PAGE.read_text(encoding="utf-8").split("## A stranger's way")[1].split("\n## ")[0]
    return re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def followed(folder: Path, *scripts: str) -> str:
    """Run blocks of the page one after the other, as a user types them; return what they print."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {"PATH": path, "HOME": str(folder), "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", "\n".join(scripts)], cwd=folder, env=variables, check=False, capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_archive_verifies_and_opens(empty: Path) -> None:
    """With the tools that the page names; all that can be checked of one variant is."""
    said = followed(empty, blocks()[0])
    assert "ok      statements are signed with the given key" in said
    assert re.search(r"Verified in part: 1\d of \d+ checks made, no difference; ", said)
    assert (empty / NAME / "noisy/database").is_dir()


def test_a_question_is_answered_inside(empty: Path, mountable: Path) -> None:
    """As rows that are counted otherwise say; then nothing can be written, and no network is there."""
    unpack, ask, write = blocks()
    counts = Counter(row["province"] for row in rows_of(mountable / "enterprise/company_profile.csv"))
    answers = re.findall(r"^ *(\d+) (\S+)$", followed(empty, unpack, ask), re.MULTILINE)
    assert [int(n) for n, _ in answers] == [n for _, n in counts.most_common(3)]
    assert all(counts[province] == int(n) for n, province in answers)
    shutil.rmtree(empty / NAME)
    said = followed(empty, unpack, write)
    assert "Read-only file system" in said
    assert re.search(r"^read-only\n *lo$", said, re.MULTILINE)


def test_the_page_mounts_as_the_release_says(released: Path) -> None:
    """The line in the release's README and that of the page are one."""
    line = commands("noisy")["bubblewrap"].removesuffix(" sh")
    assert line in (released / "README.md").read_text(encoding="utf-8")
    assert all(line in block for block in blocks()[1:])


def test_a_mount_that_can_be_written_to_is_told(
    mountable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial can fail: with the last `--ro-bind` as `--bind`, it says that files can be written."""
    held = try_mount(mountable)
    assert held.is_read_only is True
    assert held.outcome == "an agent in a sandbox (bubblewrap) reads database/ and can write nothing"
    copy, line = shutil.copytree(mountable, tmp_path / "database"), mounting._bubblewrap
    broken = f"--bind {copy}".split()
    monkeypatch.setattr(
        mounting, "_bubblewrap", lambda source: [*line(source)[:-5], *broken, mounting.PLACE, *line(source)[-2:]]
    )
    assert try_mount(copy).is_read_only is False


def test_compose_accepts_its_file(released: Path) -> None:
    """By its schema, and as it was meant."""
    programs = [each for each in (["docker", "compose"], ["docker-compose"]) if shutil.which(each[0])]
    found = [
        each for each in programs if not subprocess.run([*each, "version"], check=False, capture_output=True).returncode
    ]
    if not found:
        pytest.skip(NO_COMPOSE)
    done = subprocess.run([*found[0], "config"], cwd=released, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (volume,) = yaml.safe_load(done.stdout)["services"]["noisy"]["volumes"]
    assert (volume["read_only"], volume["source"]) == (True, str(released / "noisy/database"))
