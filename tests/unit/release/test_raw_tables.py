"""Commitments of a release to its raw tables: what is kept for proofs, what is published, and what a proof shows."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from pipeline.errors import ContractError, InputError
from pipeline.keyed import Key
from pipeline.model import Column, RawTable, Role
from pipeline.private import private_folder
from pipeline.release.provenance.commitments import salt_of
from pipeline.release.provenance.proofs import holds, read_proof
from pipeline.release.provenance.raw_tables import Committed, commit, disclose
from silt.commands.release import disclosed
from silt.environments.us_listed import US_LISTED

SHOPS = RawTable(
    name="shops", key=("code",), columns=(Column(name="code", role=Role.CODE), Column(name="name", role=Role.NAME))
)
PLANTS = RawTable(name="plants", key=("code",), columns=(Column(name="code", role=Role.CODE),), required=False)
NOTES = RawTable(name="notes", key=("key",), columns=(Column(name="key", public="."), Column(name="value", public=".")))

SALT = salt_of(Key(b"k" * 32))


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "shops.csv").write_text('code,name\nS1,"Miller, & 女儿"\nS2,\nS3,"two\nlines"\n', encoding="utf-8")
    (folder / "notes.json").write_text('{"a": "1", "b": "2"}')
    return folder


@pytest.fixture
def curator(tmp_path: Path) -> Path:
    return private_folder(tmp_path / "shops-1.0.0.curator")


def committed(raw: Path) -> Committed:
    return commit((SHOPS, PLANTS, NOTES), raw, SALT)


def test_every_table_that_is_there_is_committed_to(raw: Path) -> None:
    """Root and number of rows are told of each; an optional table that is not there is left out."""
    told = committed(raw).published()
    assert {name: each.rows for name, each in told.items()} == {"shops": 3, "notes": 2}
    assert told == committed(raw).published()


def test_every_row_can_be_proved(raw: Path, curator: Path) -> None:
    """The proof of any row holds, shows the row as it was read, and has the same bytes each time."""
    made = committed(raw)
    made.keep(curator)
    shown = [disclose(SHOPS, row, raw=raw, curator=curator) for row in (2, 3, 4)]
    assert [each.cells for each in shown] == [
        (("code", "S1"), ("name", "Miller, & 女儿")),
        (("code", "S2"), ("name", None)),
        (("code", "S3"), ("name", "two\nlines")),
    ]
    assert all(holds(read_proof(each.model_dump_json().encode()), made.published()) for each in shown)
    assert disclose(NOTES, 3, raw=raw, curator=curator).cells == (("key", "b"), ("value", "2"))
    assert disclose(SHOPS, 2, raw=raw, curator=curator) == shown[0]


def test_a_proof_shows_no_other_row(raw: Path, curator: Path) -> None:
    """Nothing of another row, nor the curator's salt, stands in it."""
    made = committed(raw)
    made.keep(curator)
    text = disclose(SHOPS, 3, raw=raw, curator=curator).model_dump_json()
    assert "Miller" not in text
    assert SALT.secret.hex() not in text


def test_parquet_and_csv_of_the_same_texts_are_the_same(raw: Path) -> None:
    """What is committed to is what was read, in whatever file it lies."""
    before = committed(raw).published()
    (raw / "shops.csv").unlink()
    pl.DataFrame({"code": ["S1", "S2", "S3"], "name": ["Miller, & 女儿", None, "two\nlines"]}).write_parquet(
        raw / "shops.parquet"
    )
    assert committed(raw).published() == before


def test_any_change_changes_the_commitment(raw: Path) -> None:
    """A cell, the order of rows, a row more: each gives another root."""
    text = (raw / "shops.csv").read_text(encoding="utf-8")
    roots = {committed(raw).published()["shops"].root}
    for changed in (
        text.replace("Miller", "Muller"),
        text + "S4,x\n",
        'code,name\nS2,\nS1,"Miller, & 女儿"\nS3,"two\nlines"\n',
    ):
        (raw / "shops.csv").write_text(changed, encoding="utf-8")
        roots.add(committed(raw).published()["shops"].root)
    assert len(roots) == 4


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_open_umask")
def test_what_is_kept_is_the_curators_alone(raw: Path, curator: Path) -> None:
    """Salt and leaves have mode 0600 under any umask, and no row is among them."""
    committed(raw).keep(curator)
    kept = [path for path in curator.rglob("*") if path.is_file()]
    assert sorted(path.relative_to(curator).as_posix() for path in kept) == [
        "leaves/notes.sha256",
        "leaves/shops.sha256",
        "salt.hex",
    ]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE((curator / "leaves").stat().st_mode) == 0o700
    assert all(b"Miller" not in path.read_bytes() for path in kept)


def test_a_row_that_changed_since_is_refused(raw: Path, curator: Path) -> None:
    """The others can still be proved; no cell stands in the message."""
    made = committed(raw)
    made.keep(curator)
    text = (raw / "shops.csv").read_text(encoding="utf-8")
    (raw / "shops.csv").write_text(text.replace("Miller", "Muller"), encoding="utf-8")
    with pytest.raises(InputError, match=r"'shops', row 2: its cells are not those.*--raw") as caught:
        disclose(SHOPS, 2, raw=raw, curator=curator)
    assert "Muller" not in str(caught.value)
    assert holds(disclose(SHOPS, 3, raw=raw, curator=curator), made.published())


def test_rows_and_tables_that_are_not_there_are_refused(raw: Path, curator: Path) -> None:
    """The message says which rows there are, or where to look."""
    committed(raw).keep(curator)
    with pytest.raises(InputError, match="'shops' has no row 5; its rows are 2 to 4"):
        disclose(SHOPS, 5, raw=raw, curator=curator)
    with pytest.raises(InputError, match=r"keeps no commitment to a raw table 'plants'; say which release"):
        disclose(PLANTS, 2, raw=raw, curator=curator)
    (raw / "shops.csv").write_text("code,name\nS1,x\n")
    with pytest.raises(InputError, match="'shops' no longer has this row"):
        disclose(SHOPS, 4, raw=raw, curator=curator)
    (raw / "shops.csv").unlink()
    with pytest.raises(ContractError, match="the file is missing"):
        disclose(SHOPS, 2, raw=raw, curator=curator)


def test_the_command_prints_a_proof(tmp_path: Path, curator: Path) -> None:
    """JSON with a line end, of a table of the environment."""
    raw = tmp_path / "raw"
    raw.mkdir()
    table = US_LISTED.raw_tables[0]
    (raw / f"{table.file}.csv").write_text("a,b\n1,2\n")
    made = commit([table], raw, SALT)
    made.keep(curator)
    printed = disclosed(US_LISTED, table.name, "2", raw=raw, curator=curator)
    assert printed.endswith(b"}\n")
    assert json.loads(printed)["cells"] == [["a", "1"], ["b", "2"]]
    assert holds(read_proof(printed), made.published())
    with pytest.raises(InputError, match=f"unknown raw table 'x'; known: .*{table.name}"):
        disclosed(US_LISTED, "x", "2", raw=raw, curator=curator)
    with pytest.raises(InputError, match="found 'two' for a row; expected its number in the file"):
        disclosed(US_LISTED, table.name, "two", raw=raw, curator=curator)
