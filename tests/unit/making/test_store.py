"""The store: what is kept comes back as it was, what is damaged does not, and the oldest goes first."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Event

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.making.store import StageTables, Store
from pipeline.errors import InputError
from pipeline.keyed import Key

FRAME = pl.DataFrame({"a": ["x", None], "b": [1, 2]})
KEY = Key(b"k" * 32)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store in which one can keep."""
    found = Store(tmp_path / "store")
    with found.held():
        return found


def test_what_is_kept_comes_back(store: Store) -> None:
    """Tables, texts, sealed tables, and nothing."""
    assert store.value(store.keep("text\r\n")) == "text\r\n"
    assert store.value(store.keep(None)) is None
    kept = store.value(store.keep(FRAME))
    assert isinstance(kept, pl.DataFrame)
    assert kept.equals(FRAME)
    name = store.seal(FRAME, KEY, what="table a/b/c")
    assert store.unsealed(name, KEY, what="table a/b/c").equals(FRAME)
    with pytest.raises(TypeError, match="is kept sealed"):
        store.value(name)
    with pytest.raises(InputError, match="this is not a sealed table a/b/d"):
        store.unsealed(name, KEY, what="table a/b/d")


@given(sizes=st.lists(st.integers(min_value=0, max_value=5), min_size=1, max_size=6))
def test_blocks_come_back_as_they_were_kept(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    """One after the other, as often as they are walked through; together they are the table."""
    store = Store(tmp_path_factory.mktemp("store"))
    rows = pl.DataFrame({"a": [None, *map(str, range(1, 31))], "b": range(31)}).head(sum(sizes))
    with store.held():
        name = store.keep_blocks(rows.slice(sum(sizes[:place]), size) for place, size in enumerate(sizes))
    blocks = store.blocks(name)
    for _ in range(2):
        found = list(blocks)
        assert [block.height for block in found] == blocks.sizes
        assert pl.concat(found).equals(rows)
    assert [size for size in blocks.sizes if size] == [size for size in sizes if size]
    assert (blocks.height, blocks.schema) == (rows.height, rows.schema)
    kept = store.value(name)
    assert isinstance(kept, pl.DataFrame)
    assert kept.equals(rows)


def test_no_text_has_blocks(store: Store) -> None:
    """What is kept as a table, whole or in blocks, can be read either way; nothing else can."""
    name = store.keep(FRAME)
    assert name is not None
    assert pl.concat(store.blocks(name)).equals(FRAME)
    with pytest.raises(TypeError, match="is no table"):
        store.blocks(store.keep_bytes(b"text", ".txt"))


def test_a_scratch_folder_goes_and_files_in_it_may_stay(store: Store) -> None:
    """One that a killed build left goes when the store is brought back to its size, and not while somebody is at work."""
    with store.scratch() as folder:
        (folder / "a.csv").write_text("a\n1\n")
        name = store.keep_file(folder / "a.csv")
    assert not folder.exists()
    assert store.file(name).read_text() == "a\n1\n"
    left = store.root / ".unfinished-killed"
    (left / "below").mkdir(parents=True)
    (left / "below" / "half").write_text("half")
    with Store(store.root).held():
        store.evict(10**9)
        assert left.exists()
    assert store.evict(10**9) == 0
    assert not left.exists()
    assert store.is_whole(name)


def test_what_is_still_written_to_goes_later(store: Store) -> None:
    """A step that goes on after its build was refused writes to its folder while that is removed."""
    folder = store.root / ".unfinished-step"
    folder.mkdir()
    for number in range(3_000):  # so that to remove them takes longer than to write one
        (folder / f"{number}").touch()
    is_over = Event()

    def write() -> None:
        with suppress(FileNotFoundError):  # the folder is gone
            for number in count(3_000):
                if is_over.is_set():
                    return
                (folder / f"{number}").touch()

    with ThreadPoolExecutor(1) as threads:
        threads.submit(write)
        try:
            assert store.evict(10**9) == 0
        finally:
            is_over.set()
    store.evict(10**9)
    assert not folder.exists()


def test_a_step_that_goes_on_may_finish_a_file_meanwhile(store: Store) -> None:
    """What is there when the folder is listed has another name when it is looked at."""
    is_over, file = Event(), store.root / "objects" / ".unfinished-step"

    def work() -> None:
        while not is_over.is_set():
            with suppress(FileNotFoundError):
                file.touch()
                file.rename(store.root / "objects" / "a.txt")

    with ThreadPoolExecutor(1) as threads:
        threads.submit(work)
        try:
            for _ in range(200):
                store.evict(10**9)
        finally:
            is_over.set()


def test_the_same_is_kept_once(store: Store) -> None:
    """Under one name, whoever keeps it, also if several do at once."""
    with ThreadPoolExecutor(4) as threads:
        names = set(threads.map(lambda _: store.keep(FRAME), range(16)))
    assert len(names) == 1
    assert len(list((store.root / "objects").iterdir())) == 1


@given(where=st.integers(min_value=0, max_value=10**6), bit=st.integers(min_value=0, max_value=7), cut=st.booleans())
def test_a_damaged_object_is_not_whole(
    tmp_path_factory: pytest.TempPathFactory, where: int, bit: int, *, cut: bool
) -> None:
    """Whichever bit of it is another, or wherever it is cut off; the process that wrote it need not look again."""
    root = tmp_path_factory.mktemp("store")
    with Store(root).held():
        name = Store(root).keep(FRAME)
    assert name is not None
    assert Store(root).is_whole(name)
    file = Store(root).file(name)
    content = bytearray(file.read_bytes())
    where %= len(content)
    if cut:
        del content[where:]
    else:
        content[where] ^= 1 << bit
    file.write_bytes(content)
    assert not Store(root).is_whole(name)
    file.unlink()
    assert not Store(root).is_whole(name)


def test_a_damaged_record_is_none(store: Store) -> None:
    """Cut off anywhere, changed, or under another key."""
    store.write_record("a", {"made": [["stage", "name", None]], "seconds": 1.5})
    assert store.record("a") == {"made": [["stage", "name", None]], "seconds": 1.5}
    file = store.root / "records" / "a.json"
    whole = file.read_bytes()
    (store.root / "records" / "b.json").write_bytes(whole)
    assert store.record("b") is None
    assert store.record("c") is None
    for content in (*(whole[:length] for length in range(len(whole))), whole.replace(b"1.5", b"1.6"), b"\xff" + whole):
        file.write_bytes(content)
        assert store.record("a") is None


def test_the_oldest_goes_first(store: Store) -> None:
    """Until the rest is within the limit; what was used counts as new, and leftovers of killed builds go in any case."""
    names = [store.keep(str(number) * 1000) for number in range(4)]
    for age, name in enumerate(names):
        assert name is not None
        os.utime(store.file(name), (age, age))
    assert Store(store.root).is_whole(names[0])
    leftover = store.root / "objects" / ".unfinished-1"
    leftover.write_text("half")
    assert store.evict(2500) == 2004
    assert store.evict(2000) == 0
    assert [Store(store.root).is_whole(name) for name in names] == [True, False, False, True]
    assert not leftover.exists()


def test_nothing_goes_while_a_build_is_at_work(store: Store) -> None:
    """Two may be at work at once; only when both are done can anything go."""
    store.keep("text")
    with Store(store.root).held(), Store(store.root).held():
        assert store.evict(0) == 0
    assert store.evict(0) == 4


def test_it_is_closed_to_others(store: Store) -> None:
    """Folders have mode 0700 and files 0600, under any umask."""
    before = os.umask(0)
    try:
        store.keep("text")
        store.write_record("a", {})
        store.write_seconds({"step": 1.0})
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (store.root, *store.root.rglob("*"))}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert len(modes) == 7


@pytest.mark.parametrize("is_kept", [True, False])
def test_tables_are_read_when_they_are_asked_for(*, is_kept: bool) -> None:
    """Only those that are there: once each if they are kept in memory, and anew each time if not."""
    read: list[str] = []

    def reading(name: str) -> pl.DataFrame:
        read.append(name)
        return FRAME

    tables = StageTables(["a", "b"], reading, is_kept=is_kept)
    assert (len(tables), list(tables)) == (2, ["a", "b"])
    assert tables["a"] is tables["a"]
    assert read == (["a"] if is_kept else ["a", "a"])
    with pytest.raises(KeyError):
        tables["c"]


def test_a_record_that_was_used_is_new(store: Store) -> None:
    """Of two records, the one that was asked for stays although it is older."""
    for age, key in enumerate("ab"):
        store.write_record(key, {"seconds": 1.0})
        os.utime(store.root / "records" / f"{key}.json", (age, age))
    assert store.record("a") is not None
    store.evict((store.root / "records" / "a.json").stat().st_size)
    assert [store.record(key) is not None for key in "ab"] == [True, False]
