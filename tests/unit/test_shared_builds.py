"""Builds that tests share are made once, are never stale, and nobody writes into them unnoticed."""

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import shared_builds
from tests.shared_builds import SharedBuilds, source_digest


def noting(notes: Path) -> Callable[[Path], None]:
    """Return what makes a build of one file, and notes that it did."""

    def make(folder: Path) -> None:
        with notes.open("a") as opened:
            opened.write("made\n")
        (folder / "inner").mkdir()
        (folder / "inner/file").write_text("as it was made")

    return make


def ask(folder: Path, notes: Path) -> None:
    SharedBuilds(folder).made("one", noting(notes))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "builds"
    made.mkdir()
    return made


def test_workers_that_ask_at_once_have_one_build(folder: Path, notes: Path) -> None:
    """Whoever comes second waits, and finds it."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=ask, args=(folder, notes)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert notes.read_text() == "made\n"


def test_a_build_that_was_cut_off_is_made_anew(folder: Path, notes: Path) -> None:
    """What a maker that failed has left behind is no build."""

    def failing(build: Path) -> None:
        (build / "half").touch()
        raise RuntimeError("cut off")

    builds = SharedBuilds(folder)
    with pytest.raises(RuntimeError, match="cut off"):
        builds.made("one", failing)
    assert [path.name for path in builds.made("one", noting(notes)).iterdir()] == ["inner"]


@pytest.mark.parametrize(
    "change",
    [
        lambda build: (build / "inner/file").write_text("changed"),
        lambda build: (build / "inner/file").chmod(0o600),
        lambda build: (build / "inner/file").unlink(),
        lambda build: (build / "another").touch(),
    ],
    ids=["other bytes", "other permissions", "a file less", "a file more"],
)
def test_a_test_that_writes_into_a_build_is_found_out(
    folder: Path, notes: Path, change: Callable[[Path], object]
) -> None:
    """When another worker asks, and at the end of the session; the next session makes the build anew."""
    builds = SharedBuilds(folder)
    change(builds.made("one", noting(notes)))
    with pytest.raises(AssertionError, match="a test wrote into the shared build 'one'; copy it"):
        SharedBuilds(folder).made("one", noting(notes))
    with pytest.raises(AssertionError, match="a test wrote into the shared build 'one'; copy it"):
        builds.refuse_changes()
    again = SharedBuilds(folder)
    again.made("one", noting(notes))
    again.refuse_changes()
    assert notes.read_text() == "made\nmade\n"


def test_builds_of_another_source_are_removed(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one byte of the source is another, nothing of before is found; what others still use stays."""
    kept, data = tmp_path / "kept", tmp_path / "data"
    data.mkdir()
    monkeypatch.setattr(shared_builds, "KEPT", kept)
    with shared_builds.shared_builds(data) as first:
        first.made("one", noting(notes))
        (data / "table.csv").write_text("1")
        with shared_builds.shared_builds(data) as second:
            assert second.folder != first.folder
            assert first.folder.is_dir()
    with shared_builds.shared_builds(data) as again:
        assert again.folder == second.folder
        assert not first.folder.exists()


def test_the_digest_follows_each_folder_of_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more file in any folder that is built from gives another digest; caches and generated corpora do not."""
    monkeypatch.setattr(shared_builds, "ROOT", tmp_path)
    for name in shared_builds.SINGLE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    seen = {source_digest()}
    for name in (*shared_builds.SOURCES, "raw/dataclaw-18"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner/file").touch()
        seen.add(source_digest())
    for name in shared_builds.SINGLE:
        (tmp_path / name).write_text("changed")
        seen.add(source_digest())
    assert len(seen) == 2 + len(shared_builds.SOURCES) + len(shared_builds.SINGLE)
    for name in ("pipeline/__pycache__", "raw/dataclaw-18/v1-scale-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    assert source_digest() in seen
