"""Where the generated corpus lands: whole or not at all, once for each scale."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import InputError
from pipeline.model import Corpus
from raw.landing import land


def write_scale(folder: Path, scale: float) -> None:
    (folder / "scale.txt").write_text(repr(scale))


def fail_half_way(folder: Path, scale: float) -> None:
    write_scale(folder, scale)
    raise InputError("no more names")


CORPUS = Corpus(version="7", generate=write_scale)


@pytest.mark.parametrize(("scale", "name"), [(1.0, "v7-scale-1"), (0.01, "v7-scale-0.01"), (10.0, "v7-scale-10")])
def test_folder_says_version_and_scale(tmp_path: Path, scale: float, name: str) -> None:
    """A person finds the corpus by its version and scale."""
    assert land(CORPUS, tmp_path / "raw", scale) == tmp_path / "raw" / name


def test_every_scale_has_its_own_corpus(tmp_path: Path) -> None:
    """Scales that differ in the last digit are not taken for each other."""
    scales = (0.1, 0.10000001, 0.1000000149011612)
    folders = [land(CORPUS, tmp_path, scale) for scale in scales]
    assert [float((folder / "scale.txt").read_text()) for folder in folders] == list(scales)


def test_what_has_landed_is_reused(tmp_path: Path) -> None:
    """A second build does not write the corpus again."""
    folder = land(CORPUS, tmp_path, 1.0)
    assert land(Corpus(version="7", generate=fail_half_way), tmp_path, 1.0) == folder


def changed(folder: Path) -> None:
    (folder / "scale.txt").write_text("2.0")


def gone(folder: Path) -> None:
    (folder / "scale.txt").unlink()


def added(folder: Path) -> None:
    (folder / "scale.txt").rename(folder / "firms.txt")
    write_scale(folder, 1.0)


def changed_without_a_note(folder: Path) -> None:
    (folder / ".generated.json").unlink()
    changed(folder)


@pytest.mark.parametrize("change", [changed, gone, added, changed_without_a_note])
def test_what_is_not_as_it_was_generated_is_refused(tmp_path: Path, change: Callable[[Path], None]) -> None:
    """It would be published as the generated corpus; and it may be somebody's work, so it is left alone."""
    folder = land(CORPUS, tmp_path, 1.0)
    change(folder)
    left = sorted(path.name for path in folder.iterdir() if path.name[0] != ".")
    with pytest.raises(InputError, match=r"is not as it was generated: (scale|firms)\.txt; remove the folder"):
        land(CORPUS, tmp_path, 1.0)
    assert sorted(path.name for path in folder.iterdir() if path.name[0] != ".") == left


def test_what_an_earlier_version_generated_is_taken(tmp_path: Path) -> None:
    """It made no note of it."""
    folder = land(CORPUS, tmp_path, 1.0)
    (folder / ".generated.json").unlink()
    assert land(CORPUS, tmp_path, 1.0) == folder


def test_half_a_corpus_does_not_land(tmp_path: Path) -> None:
    """A generator that fails leaves nothing behind."""
    with pytest.raises(InputError, match="no more names"):
        land(Corpus(version="7", generate=fail_half_way), tmp_path, 1.0)
    assert list(tmp_path.iterdir()) == []
