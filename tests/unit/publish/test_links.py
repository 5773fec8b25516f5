"""Files with the same bytes become one file with several names, or copies where there are no links."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.publish.files import sha256
from pipeline.publish.links import Digests, Pool, file_id, link_or_copy


def written(path: Path, text: str) -> Path:
    """Write a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refusing(number: int) -> Callable[..., None]:
    """Return an `os.link` of a file system that refuses."""

    def link(*_paths: object) -> None:
        raise OSError(number, os.strerror(number))

    return link


def test_a_link_is_the_same_file(tmp_path: Path) -> None:
    """Where links are possible, the second name is of the same file."""
    first = written(tmp_path / "a", "text")
    assert link_or_copy(first, tmp_path / "b")
    assert file_id(tmp_path / "b") == file_id(first)


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP])
def test_a_copy_has_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Where links are impossible, the second name is of a file of its own."""
    first = written(tmp_path / "a", "text")
    monkeypatch.setattr(os, "link", refusing(number))
    assert not link_or_copy(first, tmp_path / "b")
    assert file_id(tmp_path / "b") != file_id(first)
    assert (tmp_path / "b").read_text() == "text"


def test_another_failure_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is no reason to write even more."""
    monkeypatch.setattr(os, "link", refusing(errno.ENOSPC))
    with pytest.raises(OSError, match="No space left"):
        link_or_copy(written(tmp_path / "a", "text"), tmp_path / "b")
    assert not (tmp_path / "b").exists()


def merged(pool: Pool, file: Path, peer_path: str = "none") -> Path:
    """Take a file into a pool."""
    pool.merge(file, sha256(file), peer_path)
    return file


def test_pool_keeps_one_file_for_the_same_bytes(tmp_path: Path) -> None:
    """Files with equal bytes become one, others stay; further places are further names."""
    pool = Pool()
    one, other, same = (
        merged(pool, written(tmp_path / name, text)) for name, text in (("1", "x"), ("2", "y"), ("3", "x"))
    )
    pool.place(sha256(one), tmp_path / "deep/er/4")
    assert file_id(one) == file_id(same) == file_id(tmp_path / "deep/er/4") != file_id(other)
    assert pool.copies == 0


@pytest.mark.parametrize(("published", "is_shared"), [("x", True), ("z", False), ("xx", False)])
def test_pool_uses_what_is_published(tmp_path: Path, published: str, is_shared: bool) -> None:  # noqa: FBT001
    """A file of a peer at the same path is shared if its bytes are the same, whatever its manifest says."""
    peer = written(tmp_path / "noisy/database/t.csv", published)
    file = merged(Pool([tmp_path / "clean", tmp_path / "noisy"]), written(tmp_path / "new.csv", "x"), "database/t.csv")
    assert (file_id(file) == file_id(peer)) == is_shared
    assert (file.read_text(), peer.read_text()) == ("x", published)


def test_pool_counts_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without links, files have the same bytes each in a place of its own, and the pool says how many were copied."""
    monkeypatch.setattr(os, "link", refusing(errno.EPERM))
    pool = Pool()
    files = [merged(pool, written(tmp_path / name, "x")) for name in "abc"]
    assert [file.read_text() for file in files] == ["x", "x", "x"]
    assert len({file_id(file) for file in files}) == 3
    assert pool.copies == 2


def test_a_digest_is_read_once_for_each_file(tmp_path: Path) -> None:
    """The digest is that of the bytes; a second name costs no second reading."""
    first, other = written(tmp_path / "a", "x"), written(tmp_path / "c", "y")
    link_or_copy(first, tmp_path / "b")
    digests = Digests()
    assert [digests.of(path) for path in (first, tmp_path / "b", other)] == [
        sha256(first),
        sha256(first),
        sha256(other),
    ]
    assert len(digests.known) == 2
