"""A disk that is full, wherever it is met: the message says where, and the last build stands."""

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.refusals import DAGSTERS_OWN_WARNING, ended, last_build

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size in bytes: what a full disk does, without filling one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


LONG_TOWNS = ("return shops.select(", 'return shops.with_columns(town=pl.lit("x" * 40_000)).select(')
"""Makes `shops.csv` larger than any table between stages, which are compressed."""


@pytest.mark.parametrize(
    ("size", "made"),
    [(2_500, []), (60_000, ["conformed", "anonymised/names", "rendered/shops"])],
    ids=["stage", "file"],
)
def test_full_disk_changes_nothing(
    shops: Path,
    example: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    made: list[str],
) -> None:
    """Where a stage or a published file cannot be written, the message says where, and the last build stands."""
    before = last_build(shops)
    declaration = Path("shops.py")
    declaration.write_text(declaration.read_text(encoding="utf-8").replace(*LONG_TOWNS), encoding="utf-8")
    monkeypatch.delenv("DAGSTER_HOME")
    Path("dagster.yaml").unlink()
    with files_limited_to(size):
        said = ended(example, capsys)
    assert re.search(
        "cannot write under environments.*: File too large; free space there, or give .*--out", said.printed
    )
    done = set(re.findall(r"^\[\d+/\d+\] ([^\s:,]+)", said.printed, re.MULTILINE))
    assert done >= set(made)
    assert "conformed" in made or not done
    assert "files/clean/shops" not in done
    assert last_build(shops) == before


def test_full_disk_under_the_record_of_builds_changes_nothing(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Where Dagster cannot keep its record, the message says where that is, and the last build stands."""
    before = last_build(shops)
    with files_limited_to(20_000):
        said = ended([*example, "--fresh"], capsys)
    assert f"cannot keep the record of builds under {Path.cwd()}" in said.printed
    assert "free space there" in said.printed
    assert last_build(shops) == before


def test_full_disk_under_the_corpus_leaves_no_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A corpus that cannot be written whole is not there at all, and the message does not speak of --out."""
    monkeypatch.chdir(tmp_path)
    with files_limited_to(5_000):
        said = ended(["build", "--scale", "0.002"], capsys)
    assert re.search("cannot write under raw/dataclaw-18: File too large; free space there, or work in", said.printed)
    assert list((tmp_path / "raw/dataclaw-18").iterdir()) == []
