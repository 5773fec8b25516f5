"""Files and folders of their owner alone, under any umask, whatever stood there before."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.private import make_private, private_file, private_folder, private_lock, write_new


@pytest.fixture(params=[0o000, 0o077, 0o027, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """Set a umask for the time of a test."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def folder(tmp_path: Path, umask: int) -> Path:
    """Return a private folder, made under the umask."""
    assert umask in range(0o1000)
    return private_folder(tmp_path / "curator", "stages", "raw")


def test_folders_are_closed_all_the_way_in(tmp_path: Path, folder: Path) -> None:
    """Each of the named folders has mode 0700, also one that was there and open."""
    folder.chmod(0o777)
    assert private_folder(tmp_path / "curator", "stages", "raw") == folder
    assert [mode(path) for path in (folder, folder.parent, folder.parent.parent)] == [0o700] * 3


def test_file_is_closed_before_anything_stands_in_it(folder: Path) -> None:
    """It has mode 0600 when it is empty and when it is written; who had the old one open sees nothing of the new."""
    path = folder / "map"
    path.touch()
    path.chmod(0o644)
    with path.open() as held:
        assert private_file(path) == path
        assert (mode(path), path.read_bytes()) == (0o600, b"")
        path.write_text("secret")
        assert (mode(path), held.read()) == (0o600, "")


def test_file_does_not_follow_a_link(folder: Path) -> None:
    """A link in the file's place is replaced, and what it leads to is left alone."""
    (folder / "elsewhere").touch()
    (folder / "map").symlink_to(folder / "elsewhere")
    private_file(folder / "map").write_text("secret")
    assert not (folder / "map").is_symlink()
    assert (folder / "elsewhere").read_bytes() == b""


def test_lock_is_closed_and_stays_the_same_file(folder: Path) -> None:
    """A lock that was open to others is closed, and not exchanged under whoever holds it."""
    (folder / ".lock").touch()
    (folder / ".lock").chmod(0o666)
    number = (folder / ".lock").stat().st_ino
    with private_lock(folder / ".lock"):
        assert (mode(folder / ".lock"), (folder / ".lock").stat().st_ino) == (0o600, number)


def test_closing_a_tree_leaves_other_names_of_its_files_alone(tmp_path: Path, folder: Path) -> None:
    """A file that is published, too, stays readable there; names inside the tree still are one file."""
    published = tmp_path / "t.csv"
    published.write_text("rows")
    published.chmod(0o644)
    for name in ("first", "second"):
        (folder / name).hardlink_to(published)
    make_private(folder.parent)
    assert (mode(published), published.stat().st_nlink) == (0o644, 1)
    assert (mode(folder / "first"), (folder / "second").read_text()) == (0o600, "rows")
    assert (folder / "first").samefile(folder / "second")
    assert sorted(path.name for path in folder.iterdir()) == ["first", "second"]


def test_closing_a_tree_closes_its_files(folder: Path) -> None:
    """A file of one name that was open is open no more."""
    (folder / "open").touch()
    (folder / "open").chmod(0o644)
    make_private(folder.parent)
    assert mode(folder / "open") == 0o600


@pytest.mark.parametrize("asked", [0o600, 0o644])
def test_a_new_file_is_whole_and_has_the_mode_that_is_asked_for(folder: Path, asked: int) -> None:
    """Nothing is left beside it."""
    write_new(folder / "new", b"content", mode=asked)
    assert (mode(folder / "new"), (folder / "new").read_bytes()) == (asked, b"content")
    assert list(folder.iterdir()) == [folder / "new"]
