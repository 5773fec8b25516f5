"""Raw tables at an address: the same as in a folder, read once, for their owner alone, and gone when the command ends."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest
from fsspec.core import url_to_fs

from pipeline.addresses import FETCHED, Location
from pipeline.conform.files.fetching import local_folder
from pipeline.conform.files.listing import digests_of
from pipeline.errors import ContractError, InputError
from pipeline.model import Column, RawTable, Role

BOOKS = RawTable(name="books", columns=(Column(name="code", role=Role.CODE),), key=("code",))

LOANS = RawTable(name="loans", columns=(Column(name="code", role=Role.CODE),), key=("code",), required=False)


def write(address: str, code: str) -> None:
    content = BytesIO()
    pl.DataFrame({"code": [code]}).write_parquet(content)
    place = Location(address, what="a file", option="")
    place.files.pipe_file(place.base, content.getvalue())


@pytest.fixture(autouse=True)
def command() -> Iterator[None]:
    """End as a command does."""
    with FETCHED:
        yield


@pytest.fixture(params=["file", "memory", "s3"])
def raw(request: pytest.FixtureRequest, tmp_path: Path, bucket: str) -> str:
    """Return an address with tables: one in parts, one that is undeclared, what is none."""
    base = {"file": f"file://{tmp_path}/far", "memory": "memory://far", "s3": bucket}[request.param]
    address = f"{base}/raw-{tmp_path.name}"
    for name in ("books.parquet/part-0.parquet", "books.parquet/part-1.parquet", "others.parquet"):
        write(f"{address}/{name}", "a")
    write(f"{address}/books.parquet/_SUCCESS", "")
    return address


def test_tables_are_fetched_as_they_lie(raw: str, tmp_path: Path) -> None:
    """Those that are declared, with the same digests as in a folder, into a folder that its owner alone can read."""
    store = tmp_path / "store"
    folder = local_folder(raw, [BOOKS, LOANS], within=store)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == list(digests_of([BOOKS, LOANS], folder)) == [f"books.parquet/part-{at}.parquet" for at in (0, 1)]
    assert folder.is_relative_to(store)
    assert folder.name == raw.rpartition("/")[2]
    assert {path.stat().st_mode & 0o77 for path in (store, *store.rglob("*"))} == {0}


def test_tables_are_read_once_a_command(raw: str, tmp_path: Path) -> None:
    """What changes meanwhile is for the next command; after each nothing is left."""
    first = local_folder(raw, [BOOKS], within=tmp_path / "store")
    known = digests_of([BOOKS], first)
    write(f"{raw}/books.parquet/part-1.parquet", "b")
    assert digests_of([BOOKS], local_folder(raw, [BOOKS])) == known
    FETCHED.close()
    assert list((tmp_path / "store").iterdir()) == []
    assert digests_of([BOOKS], local_folder(raw, [BOOKS])) != known


def test_what_a_killed_command_left_goes_with_the_next(raw: str, tmp_path: Path) -> None:
    """And not what a command at work has there."""
    store = tmp_path / "store"
    mine = local_folder(raw, [BOOKS], within=store)
    (left := store / "fetched-left" / "raw").mkdir(parents=True)
    (left / "books.csv").write_text("code\na\n")
    other = local_folder(raw + "/", [BOOKS], within=store)
    assert not left.exists()
    assert digests_of([BOOKS], mine) == digests_of([BOOKS], other)


def test_all_tables_are_fetched_where_none_is_declared(raw: str) -> None:
    """For a first look, which is to find out what there is."""
    names = [path.name for path in local_folder(raw).iterdir()]
    assert sorted(names) == ["books.parquet", "others.parquet"]


def test_a_table_that_is_not_there_is_named_with_what_is(raw: str) -> None:
    """Before anything is fetched."""
    table = RawTable(name="shops", columns=BOOKS.columns, key=("code",))
    with pytest.raises(
        ContractError, match=r"shops\.csv; the file is missing; .* holds: books\.parquet, others\.parquet"
    ):
        local_folder(raw, [table])


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nowhere://silt/raw", r"cannot reach the raw tables at nowhere://silt/raw: .*nowhere.*\(--raw, RAW\)"),
        (
            "ftp://127.0.0.1:1/raw",
            r"cannot reach the raw tables at ftp://127\.0\.0\.1:1/raw: ConnectionRefusedError; give",
        ),
        ("reference://raw", "cannot reach the raw tables at reference://raw: TypeError; give"),
        ("simplecache::s3://silt/raw", "give one address: others behind '::' may keep copies"),
        ("s3://another/raw", r"cannot use the raw tables at s3://another/raw \(FileNotFoundError\)"),
        ("s3://silt/raw", r"nothing lies at s3://silt/raw; say where the raw tables are \(--raw, RAW\)"),
        ("s3://me:word@silt/raw", r"the address of the raw tables holds what may be a password .* and is not shown"),
        ("https://a.example/raw?sig=word", r"holds what may be a password or a signature, and is not shown"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(address: str, said: str) -> None:
    """The error has the address, unless it may hold what opens it."""
    with pytest.raises(InputError, match=said) as caught:
        local_folder(address, [BOOKS])
    assert "word@" not in str(caught.value)
    assert "sig=word" not in str(caught.value)


def test_without_credentials_nothing_is_read(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the address, and nothing else of what the environment holds."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.delenv(f"AWS_{name}")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    url_to_fs(bucket)[0].clear_instance_cache()
    with pytest.raises(InputError, match=r"cannot use the raw tables at s3://silt/raw \(NoCredentialsError\)"):
        local_folder(f"{bucket}/raw", [BOOKS])
    url_to_fs(bucket)[0].clear_instance_cache()
