"""Archives: the same files give the same bytes; what an archive of a release never holds is refused before it is written."""

import io
import os
import tarfile
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.release.archive import Bounds, digests_of, open_archive, write_archive
from pipeline.small_files import content_of

DATE = 1_700_000_000
NAMES = st.text("abcäß中 .-", min_size=1, max_size=60).filter(lambda name: name.strip(". ") == name)
Member = tuple[tarfile.TarInfo, bytes]


def archive_of(folder: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        (folder / "in" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / path).write_bytes(content)
    write_archive(folder / "in", list(files), folder / "a.tar.zst", prefix="r-1.0.0", date=DATE)
    return folder / "a.tar.zst"


def packed(folder: Path, members: Iterable[Member], *, then: bytes = b"") -> Path:
    """Pack an archive that nobody of ours would write."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member, data in members:
            tar.addfile(member, io.BytesIO(data))
    file = folder / "bad.tar.zst"
    file.write_bytes(zstandard.compress(content.getvalue() + then))
    return file


def member(name: str, kind: bytes = tarfile.REGTYPE, data: bytes = b"", **more: str) -> Member:
    found = tarfile.TarInfo(name)
    found.type, found.size = kind, len(data)
    for field, value in more.items():
        setattr(found, field, value)
    return found, data


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(NAMES, st.binary(max_size=2000), min_size=1, max_size=5))
def test_what_goes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]) -> None:
    """Whatever files are called and hold."""
    folder = tmp_path_factory.mktemp("archive")
    (into := folder / "out").mkdir()
    opened = open_archive(archive_of(folder, files), into)
    assert opened == into / "r-1.0.0"
    assert {path.name: path.read_bytes() for path in opened.iterdir()} == files


def test_bytes_depend_on_names_and_content_alone(tmp_path: Path) -> None:
    """Not on the order in which files are named, their modes, their times or the umask."""
    files = {"b/x.csv": b"1\n" * 100_000, "a.csv": b"2\n"}
    first = archive_of(tmp_path, files).read_bytes()
    (tmp_path / "other").mkdir()
    before = os.umask(0o077)
    try:
        second = archive_of(tmp_path / "other", dict(reversed(files.items())))
    finally:
        os.umask(before)
    assert second.read_bytes() == first
    with tarfile.open(fileobj=io.BytesIO(zstandard.decompress(first, max_output_size=10**7))) as tar:
        told = {(m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname) for m in tar}
    assert told == {(0o644, DATE, 0, 0, "", "")}


STRANGE: dict[str, Callable[[Path], Path]] = {
    "above its folder": lambda folder: packed(folder, [member("r/../../x", data=b"x")]),
    "absolute": lambda folder: packed(folder, [member("/etc/x", data=b"x")]),
    "below no folder": lambda folder: packed(folder, [member("x", data=b"x")]),
    "backslashes": lambda folder: packed(folder, [member("r/..\\x", data=b"x")]),
    "a link": lambda folder: packed(folder, [member("r/x", tarfile.SYMTYPE, linkname="/etc/passwd")]),
    "a hard link": lambda folder: packed(folder, [member("r/x", tarfile.LNKTYPE, linkname="r/y")]),
    "a device": lambda folder: packed(folder, [member("r/x", tarfile.CHRTYPE)]),
    "a pipe": lambda folder: packed(folder, [member("r/x", tarfile.FIFOTYPE)]),
    "a folder": lambda folder: packed(folder, [member("r/x", tarfile.DIRTYPE)]),
    "twice": lambda folder: packed(folder, [member("r/x", data=b"1"), member("r/x", data=b"2")]),
    "two folders": lambda folder: packed(folder, [member("r/x", data=b"1"), member("s/x", data=b"2")]),
    "something behind the end": lambda folder: packed(folder, [member("r/x", data=b"1")], then=b"\0" * 10_240),
    "nothing": lambda folder: packed(folder, []),
    "a long header": lambda folder: packed(folder, [member(f"r/{'x' * 100_000}", data=b"1")]),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_no_release_holds_is_refused(kind: str, tmp_path: Path) -> None:
    """Nothing is written outside of the folder, and no link or device at all."""
    (into := tmp_path / "out").mkdir()
    with pytest.raises(InputError, match=r"bad\.tar\.zst|one folder"):
        open_archive(STRANGE[kind](tmp_path), into)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tar.zst", "out"]
    assert all(path.is_file() or path.is_dir() for path in into.rglob("*") if not path.is_symlink())
    assert not any(path.is_symlink() for path in into.rglob("*"))


def test_a_bomb_is_refused_before_it_is_written(tmp_path: Path) -> None:
    """Ten gigabytes of zeros fit into half a megabyte; neither memory nor disk is filled with them."""
    bomb = tmp_path / "bomb.tar.zst"
    header = tarfile.TarInfo("r/x")
    header.size = 10 * 10**9
    with zstandard.ZstdCompressor().stream_writer(bomb.open("wb")) as file:
        file.write(header.tobuf())
        for _ in range(300):
            file.write(bytes(10**6))
    (into := tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="more than 4,000,000,000 bytes"):
        open_archive(bomb, into)
    with pytest.raises(InputError, match="more than"):
        open_archive(_zeros(tmp_path), into, bounds=Bounds(bytes=10**6, files=1))
    assert sum(path.stat().st_size for path in into.rglob("*")) == 0
    two = archive_of(tmp_path, {"x": b"1", "y": b"2"})
    assert len(digests_of(two, bounds=Bounds(files=2))) == 2
    with pytest.raises(InputError, match="more than 4,000,000,000 bytes or 1 files"):
        digests_of(two, bounds=Bounds(files=1))


def _zeros(folder: Path) -> Path:
    """Pack a file that says it is small, in an archive that goes on and on."""
    file = folder / "zeros.tar.zst"
    with zstandard.ZstdCompressor().stream_writer(file.open("wb")) as opened:
        for _ in range(20):
            opened.write(bytes(10**6))
    return file


def test_what_is_empty_and_long_takes_little_memory(tmp_path: Path) -> None:
    """Of an archive that opens to 20 MB a few are held at once; of a file that is longer than asked for, nothing."""
    long = tmp_path / "long"
    with long.open("wb") as file:
        file.truncate(10**9)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than"):
            digests_of(_zeros(tmp_path), bounds=Bounds(bytes=10**6, files=1))
        with pytest.raises(OSError, match=r"longer than 40,000,000 bytes"):
            content_of(long, most=40 * 10**6)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("where", [0, 10, -1, -3])
def test_a_changed_byte_is_noticed(where: int, tmp_path: Path) -> None:
    """At the start, within, and in the checksum at the end."""
    file = archive_of(tmp_path, {"x": bytes(range(256)) * 50})
    content = bytearray(file.read_bytes())
    content[where] ^= 1
    file.write_bytes(content)
    (into := tmp_path / "out").mkdir()
    with pytest.raises(InputError, match=r"a\.tar\.zst"):
        open_archive(file, into)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_a_cut_archive_is_noticed(kept: float, tmp_path: Path) -> None:
    """Also where it ends with a whole file."""
    file = archive_of(tmp_path, {"x": bytes(range(256)) * 50, "y": b"1"})
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * kept)])
    (into := tmp_path / "out").mkdir()
    with pytest.raises(InputError, match=r"a\.tar\.zst"):
        open_archive(file, into)


def test_an_archive_that_goes_on_is_noticed(tmp_path: Path) -> None:
    """Whatever follows its end: a second archive, or a single byte."""
    file = archive_of(tmp_path, {"x": b"1"})
    (into := tmp_path / "out").mkdir()
    for more in (b"x", zstandard.compress(b"1"), bytes(5000)):
        changed = tmp_path / "long.tar.zst"
        changed.write_bytes(file.read_bytes() + more)
        with pytest.raises(InputError, match="after its end"):
            open_archive(changed, into)
        (into / "r-1.0.0/x").unlink(missing_ok=True)
