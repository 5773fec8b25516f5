"""The shared store, on a server that speaks S3: what one machine keeps every other finds, and nothing torn is used."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from fsspec.core import url_to_fs

from assets.making.shared_store import SharedStore, opened
from assets.making.store import Store
from pipeline.errors import InputError
from pipeline.keyed import Key

ADDRESS = "s3://silt/store"

KEY = Key(b"1" * 32)

FRAME = pl.DataFrame({"code": ["a", "b"], "sales": [1, None]})


pytestmark = pytest.mark.usefixtures("bucket")


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Return the store as two machines have it."""
    one, other = opened(tmp_path / "one", ADDRESS, KEY), opened(tmp_path / "other", ADDRESS, KEY)
    with one.held(), other.held():
        yield one, other


def test_what_one_machine_keeps_the_other_finds(machines: tuple[Store, Store], tmp_path: Path) -> None:
    """Tables, blocks, texts, files and records, each under its name; and a copy is as private as what is kept here."""
    one, other = machines
    with one.scratch() as folder:
        (folder / "a.csv").write_text("a\n1\n")
        names = [one.keep(FRAME), one.keep_blocks([FRAME, FRAME]), one.keep("text"), one.keep_file(folder / "a.csv")]
    one.write_record("key", {"made": names})
    assert other.record("key") == {"made": names}
    table, blocks, text, file = map(str, names)
    assert FRAME.equals(other.value(table))
    assert [FRAME.equals(block) for block in other.blocks(blocks)] == [True, True]
    assert (other.value(text), other.file(file).read_text()) == ("text", "a\n1\n")
    assert {path.stat().st_mode & 0o77 for path in (tmp_path / "other").rglob("*")} == {0}
    assert (other.record("another"), other.is_whole("0.txt")) == (None, False)


def test_what_is_torn_is_fetched_again_or_not_used(machines: tuple[Store, Store], tmp_path: Path) -> None:
    """A damaged copy is replaced by the whole one; what is damaged there itself counts as not there."""
    one, _ = machines
    name = str(one.keep(FRAME))
    one.file(name).write_bytes(b"torn")
    assert SharedStore(tmp_path / "one", ADDRESS, KEY).is_whole(name)
    assert FRAME.equals(one.value(name))
    far, base = url_to_fs(ADDRESS)
    (there,) = far.ls(base, detail=False)
    far.pipe(there, b"torn")
    assert not SharedStore(tmp_path / "new", ADDRESS, KEY).is_whole(name)


def test_who_can_read_the_address_learns_nothing(machines: tuple[Store, Store], tmp_path: Path) -> None:
    """Neither a cell nor a digest of a table that somebody could try; in the folder of a machine both stand."""
    table, record = pl.DataFrame({"name": ["The Corner Loaf"] * 50}), {"lines": ["of The Corner Loaf"]}
    name = str(machines[0].keep(table))
    machines[0].write_record("a key", record)
    far, base = url_to_fs(ADDRESS)
    seen = b"".join(path.encode() + far.cat_file(path) for path in far.find(base))
    kept = b"".join(path.name.encode() + path.read_bytes() for path in (tmp_path / "one").rglob("*") if path.is_file())
    said = [b"Corner Loaf", name.partition(".")[0].encode(), b"a key", b"PAR1"]
    assert [what in kept for what in said] == [True] * 4
    assert [what in seen for what in said] == [False] * 4


def test_who_can_write_there_changes_nothing(machines: tuple[Store, Store], tmp_path: Path) -> None:
    """A record of somebody without the key, and one in the place of another, count as not there."""
    one, other = machines
    for key in ("first", "second"):
        one.write_record(key, {"made": key})
    far, base = url_to_fs(ADDRESS)
    first, second = far.ls(base, detail=False)
    contents = far.cat_file(first), far.cat_file(second)
    far.pipe({first: contents[1], second: contents[0]})
    assert [other.record(key) for key in ("first", "second")] == [None, None]
    forger = SharedStore(tmp_path / "forger", ADDRESS, Key(b"2" * 32))
    with forger.held():
        forger.write_record("third", {"made": "forged"})
    assert other.record("third") is None
    far.pipe({first: contents[0], second: contents[1]})
    assert [other.record(key) for key in ("first", "second")] == [{"made": "first"}, {"made": "second"}]


def test_a_folder_can_be_shared_too(tmp_path: Path) -> None:
    """It is made where it is missing."""
    one, other = (opened(tmp_path / name, f"file://{tmp_path}/shared/store", KEY) for name in ("one", "other"))
    with one.held():
        name = one.keep(FRAME)
    assert FRAME.equals(other.value(name))


def test_store_that_cannot_be_reached_is_named(machines: tuple[Store, Store]) -> None:
    """The error has the address, and nothing of what opens it."""
    with pytest.raises(InputError, match="cannot reach the store at nowhere://silt"):
        opened(Path("any"), "nowhere://silt", KEY)
    far, _ = url_to_fs(ADDRESS)
    far.rm("silt", recursive=True)
    with pytest.raises(InputError, match="cannot use the store at s3://silt/store") as caught:
        machines[0].keep(FRAME)
    assert "secret word" not in str(caught.value)
