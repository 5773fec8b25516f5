"""A power cut at any moment: the old state or the new one, whole, and the next build goes on by itself."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import polars as pl
import pytest

from anonymize.keys.key_uses import Use, record_of, record_use, refuse_other_use
from anonymize.keys.release_key import make_key
from assets.making.store import Store
from pipeline.errors import KeyFileError
from pipeline.places import CURATOR
from pipeline.publish import publication, swap
from pipeline.publish.publication import recover
from tests.unit.publish.killed_builds import publish, state
from tests.unit.publish.power import IN_MEMORY, on_disk, power_cuts, when_done

TREES = 20
"""Fewer different disks than that, and a piece of work was not watched."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder whose file system gives no inode twice."""
    made = Path(mkdtemp(dir=IN_MEMORY))
    yield made
    shutil.rmtree(made)


def outcomes(folder: Path) -> Iterator[str]:
    """Publish two variants over older ones; say what stands after each power cut and the recovery."""
    (whole := folder / "whole").mkdir()
    wholes = {}
    for label in ("old", "new"):
        publish(whole, label)
        wholes[label] = state(whole)
    publish(environment := folder / "environment", "old")
    for tree in power_cuts(environment, lambda: publish(environment, "new")):
        place = on_disk(tree, Path(mkdtemp(dir=folder)))
        try:
            recover(place)
            found = state(place)
        except ValueError:  # half a file
            found = {}
        yield next((label for label, whole in wholes.items() if found == whole), "half")


@pytest.mark.parametrize("how", ["exchange", "without exchange"])
def test_both_variants_are_old_or_new(folder: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the curator's files, and nothing besides; both outcomes occur."""
    if how != "exchange":
        monkeypatch.setattr(swap, "exchange", lambda _first, _second: False)
    found = list(outcomes(folder))
    assert len(found) > TREES
    assert {*found} == {"old", "new"}
    assert found == sorted(found, reverse=True)  # what is new stays


@pytest.mark.parametrize("left_out", ["files", "journal", "swap", "curator's files"])
def test_every_sync_is_needed(folder: Path, left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one of them a power cut leaves halves."""
    if left_out == "files":
        monkeypatch.setattr(publication, "sync_tree", lambda _folder: None)
    elif left_out == "journal":
        monkeypatch.setattr(publication, "replace_file", lambda path, content: path.write_bytes(content))
    elif left_out == "swap":
        monkeypatch.setattr(swap, "sync_folder", lambda _folder: None)
    else:
        sync = publication.sync_folder
        monkeypatch.setattr(publication, "sync_folder", lambda path: None if path.name == CURATOR else sync(path))
    assert "half" in outcomes(folder)


def test_a_key_that_was_made_is_there(folder: Path) -> None:
    """A power cut while a key is made leaves no key or a whole one; once it is made, it stays."""
    trees = power_cuts(folder, lambda: make_key(folder / "own.key"))
    assert {tree.get("own.key") for tree in trees} == {None, (folder / "own.key").read_bytes()}
    other = folder / "other"
    other.mkdir()
    assert when_done(other, lambda: make_key(other / "own.key")) == [{"own.key": (other / "own.key").read_bytes()}] * 2


def test_the_use_of_a_key_is_known_before_anything_is_published(folder: Path) -> None:
    """The record has the old uses or the new ones; once a use is recorded, another is refused whatever the disk lost."""
    make_key(file := folder / "own.key")
    used = [Use(key="k", environment=name, policy="lsd", originals="") for name in "abc"]
    record_use(file, used[0], is_wanted=False)
    trees = power_cuts(folder, lambda: record_use(file, used[1], is_wanted=True))
    for number, tree in enumerate(trees):
        (place := folder / f"after-{number}").mkdir()
        key = on_disk(tree, place) / file.name
        with pytest.raises(KeyFileError, match="was used for"):
            refuse_other_use(key, used[2])
    assert record_of(key).read_text() == record_of(file).read_text()


def test_what_the_store_lost_is_made_again(folder: Path) -> None:
    """An object or a record of which a part is missing is not used."""
    store, table = Store(folder / "store"), pl.DataFrame({"a": range(1000)})

    def keep() -> None:
        with store.held():
            store.write_record("k", {"made": store.keep(table)})

    for number, tree in enumerate(power_cuts(folder, keep)):
        (place := folder / f"after-{number}").mkdir()
        other = Store(on_disk(tree, place) / "store")
        record = other.record("k")
        if record is not None and other.is_whole(record["made"]):
            assert table.equals(pl.read_parquet(other.file(record["made"])))
        with other.held():
            assert other.file(other.keep(table) or "").read_bytes() == store.file(store.keep(table) or "").read_bytes()
