"""Variants at an address: whoever reads finds the old one or the new one, whole, whatever happens on the way."""

import json
import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st

import silt
from pipeline.addresses import Location
from pipeline.delivery.fetching import DeliveredFiles
from pipeline.delivery.listing import DELIVERY, DeliveredFile
from pipeline.delivery.sending import Delivered, deliver
from pipeline.errors import GateError, InputError

PART = 10
"""Bytes of a part: few, so that a file has many."""

OLD = {"database/books.csv": "code,sales\na,1\nb,2\nc,3\n", "database/old.csv": "code\na\n", "reports/ks.json": "{}"}

NEW = {"database/books.csv": "code,sales\na,1\nb,2\nc,4\n", "database/new.csv": "code\nb\n", "reports/ks.json": "{ }"}


def variant(folder: Path, files: dict[str, str], *, name: str = "noisy", environment: str = "books") -> Path:
    """Write a variant, in place of any that was there."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    listed = [
        {"path": path, "bytes": len(text), "sha256": sha256(text.encode()).hexdigest()}
        for path, text in files.items()
        if path.startswith("database")
    ]
    (folder / "manifest.json").write_text(json.dumps({"environment": environment, "variant": name, "files": listed}))
    return folder


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def read(address: str, folder: Path) -> dict[str, bytes]:
    shutil.rmtree(folder, ignore_errors=True)
    return content_of(DeliveredFiles.at(address).fetch(folder))


def sent(folder: Path, address: str) -> Delivered:
    return deliver(folder, address, part=PART)


@pytest.fixture(params=["file", "memory", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path, bucket: str) -> str:
    """Return an address at which nothing lies."""
    base = {"file": f"file://{tmp_path}/far", "memory": "memory://far", "s3": bucket}[request.param]
    return f"{base}/{tmp_path.name}/books"


def test_what_is_delivered_is_read_back(address: str, tmp_path: Path) -> None:
    """Byte for byte, first and second time; parts one after the other are the file; nothing of the first is left."""
    place = Location(address, what="it", option="")
    for files in (OLD, NEW):
        folder = variant(tmp_path / "noisy", files)
        found = sent(folder, address)
        assert read(address, tmp_path / "read") == content_of(folder)
        names = set(place.sizes()) - {DELIVERY}
        assert names == found.listing.names()
        parts = sorted(name for name in names if name.startswith("database/books.csv/"))
        assert "".join(place.files.cat_file(place.path(name)).decode() for name in parts) == files["database/books.csv"]
        assert [place.sizes()[name] for name in parts] == [10, 10, 3]
    again = sent(folder, address)
    assert (again.sent, again.removed) == (0, 0)


@given(length=st.integers(0, 45))
def test_parts_have_their_digests_in_their_names(length: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Files of any length, also none, and of as many parts as that takes."""
    folder = variant(tmp_path_factory.mktemp("made") / "noisy", {"database/books.csv": "x" * length})
    address = f"memory://lengths/{length}"
    place = Location(address, what="it", option="")
    sent(folder, address)
    parts = [name for name in place.sizes() if name.startswith("database/")]
    assert len(parts) == -(-length // PART)
    for name in parts:
        assert sha256(place.files.cat_file(place.path(name))).hexdigest() == name[-68:-4]
    assert read(address, folder.parent / "read") == content_of(folder)


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[type, int], None]]:
    """Return what makes a file system end the process when it changes something for the nth time: half of it is written."""
    left = count()

    def halting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def changing(self: Any, path: str, *given: Any, **named: Any) -> Any:
            if next(left):
                return real(self, path, *given, **named)
            if name == "pipe_file":
                real(self, path, given[0][: len(given[0]) // 2])
            raise KeyboardInterrupt

        return changing

    def kill(system: type, moment: int) -> None:
        nonlocal left
        monkeypatch.undo()
        left = count(-moment)
        for name in ("pipe_file", "cp_file", "rm_file"):
            monkeypatch.setattr(system, name, halting(name, getattr(system, name)))
        if system is LocalFileSystem:
            monkeypatch.setattr(system, "mv", halting("mv", system.mv))  # which renames, in one step

    yield kill
    monkeypatch.undo()


@pytest.mark.parametrize("system", [LocalFileSystem, MemoryFileSystem])
def test_a_kill_leaves_the_old_or_the_new_variant(
    system: type, killed: Callable[[type, int], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At every moment at which something changes; what is delivered then comes whole, and nothing else is left."""
    found = set[str]()
    old, new = variant(tmp_path / "old/noisy", OLD), variant(tmp_path / "new/noisy", NEW)
    for moment in count():
        base = f"{tmp_path}/far" if system is LocalFileSystem else f"far/{tmp_path.name}"
        address = f"{'file' if system is LocalFileSystem else 'memory'}://{base}/{moment}"
        sent(old, address)
        killed(system, moment)
        try:
            sent(new, address)
            break
        except KeyboardInterrupt:
            monkeypatch.undo()
        seen = read(address, tmp_path / "read")
        assert seen in (content_of(old), content_of(new))
        found.add("old" if seen == content_of(old) else "new")
        then = (new, old)[moment % 2]
        names = sent(then, address).listing.names()
        assert read(address, tmp_path / "read") == content_of(then)
        assert set(Location(address, what="it", option="").sizes()) == names | {DELIVERY}
    assert (moment > 10, found) == (True, {"old", "new"})


def test_delivered_tables_are_opened(address: str, tmp_path: Path) -> None:
    """As those of a folder are, and what is delivered meanwhile is not mixed with what was opened."""
    folder = variant(tmp_path / "noisy", OLD)
    sent(folder, address)
    opened = silt.open(address)
    assert list(opened) == list(silt.open(folder))
    assert opened["books"].collect().equals(pl.DataFrame({"code": ["a", "b", "c"], "sales": ["1", "2", "3"]}))
    sent(variant(folder, NEW), address)
    with pytest.raises(InputError, match=r"database/old\.csv/00000-.* is not at .*; read again"):
        opened["old"]
    assert silt.open(address)["new"].collect()["code"].to_list() == ["b"]


def test_a_part_that_is_changed_is_noticed(address: str, tmp_path: Path) -> None:
    """By whoever reads it; a part that is missing is named, too."""
    listing = sent(variant(tmp_path / "noisy", OLD), address).listing
    place = Location(address, what="it", option="")
    first, second = list(next(file for file in listing.files if file.path == "database/books.csv").names())[:2]
    place.files.pipe_file(place.path(second), b"b,2\nc,3\n,,")
    with pytest.raises(GateError, match=rf"{second} at .* is not what delivery\.json lists"):
        read(address, tmp_path / "read")
    place.files.rm_file(place.path(first))
    with pytest.raises(InputError, match=rf"{first} is not at .*, although delivery\.json named it"):
        read(address, tmp_path / "read")
    assert sent(tmp_path / "noisy", address).sent == 1


def test_another_variant_is_not_replaced(tmp_path: Path) -> None:
    """Whoever mounts the address would read the answers."""
    address = f"memory://{tmp_path.name}"
    sent(variant(tmp_path / "noisy", OLD), address)
    for name, environment in (("clean", "books"), ("noisy", "loans")):
        other = variant(tmp_path / "other", NEW, name=name, environment=environment)
        said = rf"the noisy variant of 'books' lies at .*, and not the {name} variant of '{environment}'"
        with pytest.raises(InputError, match=said):
            sent(other, address)
    assert read(address, tmp_path / "read") == content_of(tmp_path / "noisy")


def test_what_others_keep_at_the_address_stays(tmp_path: Path) -> None:
    address = f"memory://{tmp_path.name}"
    place = Location(address, what="it", option="")
    theirs = ["notes/2014.txt", f"database/books.csv/00000-{'0' * 64}.csv"]
    for name in theirs:
        place.files.pipe_file(place.path(name), b"theirs")
    sent(variant(tmp_path / "noisy", OLD), address)
    sent(variant(tmp_path / "noisy", NEW), address)
    assert [place.files.cat_file(place.path(name)) for name in theirs] == [b"theirs", b"theirs"]


def test_a_note_of_somebody_else_removes_nothing_but_parts(tmp_path: Path) -> None:
    """Whoever can write at the address can have nothing removed elsewhere."""
    (tmp_path / "key").write_text("ours")
    address = f"file://{tmp_path}/far"
    place = Location(address, what="it", option="")
    place.files.pipe_file(place.path("notes.txt"), b"ours")
    place.files.pipe_file(
        place.path(".under-way.json"), json.dumps(["../key", "notes.txt", f"{tmp_path}/key"]).encode()
    )
    sent(variant(tmp_path / "noisy", OLD), address)
    assert (tmp_path / "key").read_text() + (tmp_path / "far/notes.txt").read_text() == "oursours"


def test_deliveries_do_not_lie_in_each_other(address: str, tmp_path: Path) -> None:
    """They would share parts, and one would remove those of the other."""
    folder = variant(tmp_path / "noisy", OLD)
    sent(folder, f"{address}/noisy")
    with pytest.raises(InputError, match="another delivery lies below"):
        sent(folder, address)
    with pytest.raises(InputError, match="another delivery lies above"):
        sent(folder, f"{address}/noisy/database")
    assert read(f"{address}/noisy", tmp_path / "read") == content_of(folder)


def _changed(folder: Path) -> None:
    (folder / "database/books.csv").write_text("code\n")


def _linked(folder: Path) -> None:
    (folder / "reports/key").symlink_to("/etc/hostname")


@pytest.mark.parametrize(
    ("spoil", "error", "said"),
    [
        (
            _changed,
            GateError,
            r"the files of 'noisy' are not those of its manifest: missing \[\], changed \['database/b",
        ),
        (_linked, InputError, r"reports/key is no file; nothing is delivered with it"),
        (
            lambda folder: (folder / "manifest.json").write_text("{}"),
            InputError,
            "no manifest.json of a variant can be",
        ),
        (
            lambda folder: (folder / "manifest.json").unlink(),
            InputError,
            "no manifest.json of a variant can be read in",
        ),
    ],
)
def test_what_is_not_as_it_is_listed_is_not_delivered(
    spoil: Callable[[Path], object], error: type[Exception], said: str, tmp_path: Path
) -> None:
    """Nothing is sent of it."""
    folder = variant(tmp_path / "noisy", OLD)
    spoil(folder)
    with pytest.raises(error, match=said):
        sent(folder, f"memory://{tmp_path.name}")
    assert Location(f"memory://{tmp_path.name}", what="it", option="").sizes() == {}


@pytest.mark.parametrize("place", ["curator/refused/noisy/would_be_published", "books-1.0.0.curator/noisy"])
def test_nothing_of_the_curators_is_delivered(place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is the curator's: nothing of it is delivered"):
        sent(variant(tmp_path / place, OLD), f"memory://{tmp_path.name}")


@pytest.mark.parametrize("path", ["../books.csv", "/books.csv", "a//b", "a/./b", "a\0b", ""])
def test_a_listing_that_leads_elsewhere_is_refused(path: str, tmp_path: Path) -> None:
    """Whoever can write at an address writes nothing outside of the folder of whoever reads."""
    with pytest.raises(ValueError, match="no path below a folder"):
        DeliveredFile(path=path, bytes=0, sha256="0" * 64, parts=())
    address = f"memory://{tmp_path.name}"
    sent(variant(tmp_path / "noisy", OLD), address)
    place = Location(address, what="it", option="")
    listing = json.loads(place.files.cat_file(place.path(DELIVERY)))
    listing["files"][0]["path"] = path
    place.files.pipe_file(place.path(DELIVERY), json.dumps(listing).encode())
    with pytest.raises(InputError, match=r"not a listing \(delivery\.json at .*\), at 'files\.0\.path'"):
        DeliveredFiles.at(address)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nowhere://silt/books", r"cannot reach what is delivered at nowhere://silt/books: .*\(--to, TO\)"),
        ("s3://another/books", r"cannot use what is delivered at s3://another/books \(FileNotFoundError\)"),
        ("s3://me:word@silt/books", r"the address of what is delivered holds what may be a password"),
    ],
)
@pytest.mark.usefixtures("bucket")
def test_an_address_that_cannot_be_used_is_refused(address: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        sent(variant(tmp_path / "noisy", OLD), address)


def test_where_nothing_was_delivered_nothing_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing was delivered to memory://.*: there is no delivery\.json"):
        DeliveredFiles.at(f"memory://{tmp_path.name}")
