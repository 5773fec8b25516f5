"""Raw tables in parts, as Spark and Dask write them: the same as one file, and each place is named by its part."""

import tempfile
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.conform import conform
from pipeline.conform.files.listing import digests_of, files_of, is_raw, names_in
from pipeline.conform.reading import read
from pipeline.conform.source import Source
from pipeline.errors import ContractError, InputError
from pipeline.model import Column, RawTable, Role

CODE = Column(name="code", role=Role.CODE)

SALES = Column(name="sales", role=Role.MEASURE, type="integer", unit="EUR")

BOOKS = RawTable(name="books", columns=(CODE, SALES), key=("code",))

FRAME = pl.DataFrame({"code": ["a", "b", "c", "d"], "sales": [1, 2, None, 4]})


def written(folder: Path, parts: dict[str, pl.DataFrame], of: str = "books.parquet") -> None:
    for name, part in parts.items():
        file = folder / of / name
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_parquet(file)


def read_in(folder: Path, table: RawTable = BOOKS) -> Source:
    source = read(table, folder)
    assert source is not None
    return source


def problems_in(folder: Path, table: RawTable = BOOKS) -> list[str]:
    with pytest.raises(ContractError, match="problem") as caught:
        conform([table], folder)
    return [str(problem) for problem in caught.value.problems]


@given(cuts=st.sets(st.integers(0, 4), max_size=4), of=st.sampled_from(["books.parquet", "books"]))
def test_parts_are_read_as_one_file(cuts: set[int], of: str) -> None:
    """Wherever it is cut, also into empty parts: the same cells in the same order, and the part of each is known."""
    ends = [0, *sorted(cuts), 4]
    parts = {f"part-{at}.parquet": FRAME[first:last] for at, (first, last) in enumerate(pairwise(ends))}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, parts, of)
        FRAME.write_parquet(folder / "whole.parquet")
        found = read_in(folder)
        whole = read_in(folder, RawTable(name="whole", columns=BOOKS.columns, key=("code",)))
        assert (found.headers, found.text.rows()) == (whole.headers, whole.text.rows())
        places = [found.place(record, "code") for record in range(4)]
        standing = [pl.read_parquet(folder / place.file)["code"][place.row - 2] for place in places]
    assert standing == FRAME["code"].to_list()


def test_what_writers_leave_beside_parts_is_left_out(tmp_path: Path) -> None:
    """Marks of success, metadata, checksums and hidden files, wherever they lie."""
    written(tmp_path, {"part-1.snappy.parquet": FRAME[2:], "part-0.snappy.parquet": FRAME[:2]})
    written(tmp_path, {"_metadata": FRAME, ".part-2.parquet": FRAME, "_spark_metadata/part-3.parquet": FRAME})
    for name in ("_SUCCESS", ".part-0.snappy.parquet.crc", "notes.txt"):
        (tmp_path / "books.parquet" / name).write_bytes(b"1")
    assert files_of(BOOKS, tmp_path) == [f"books.parquet/part-{at}.snappy.parquet" for at in (0, 1)]
    assert read_in(tmp_path).text.rows() == [("a", "1"), ("b", "2"), ("c", None), ("d", "4")]


def test_names_of_folders_state_columns(tmp_path: Path) -> None:
    """As Hive and Spark write them: escaped, and with a name for no value; a year of a table of periods, too."""
    for city, part in (("New%20York", FRAME[:1]), ("__HIVE_DEFAULT_PARTITION__", FRAME[1:])):
        written(tmp_path, {f"city={city}/part-0.parquet": part}, "books_2014")
    table = RawTable(
        name="books",
        columns=(Column(name="year", role=Role.DATE, type="integer"), Column(name="city"), *BOOKS.columns),
        key=("code",),
        file="books_{year}",
    )
    found = read_in(tmp_path, table)
    assert found.headers == ("year", "city", "code", "sales")
    assert found.text.rows() == [
        ("2014", "New York", "a", "1"),
        ("2014", None, "b", "2"),
        ("2014", None, "c", None),
        ("2014", None, "d", "4"),
    ]
    assert found.place(0, "city").file == "books_2014/city=New%20York/part-0.parquet"


def test_a_wrong_cell_is_named_by_its_part(tmp_path: Path) -> None:
    """Part, row, column and value; and a code that another part has, too."""
    written(tmp_path, {"0.parquet": FRAME, "1.parquet": pl.DataFrame({"code": ["e"], "sales": ["many"]})})
    (problem,) = problems_in(tmp_path)
    assert problem.startswith("books.parquet/1.parquet, row 2, column 'sales': found 'many'; expected a whole number")
    written(tmp_path, {"1.parquet": FRAME[3:]})
    (problem,) = problems_in(tmp_path)
    assert "books.parquet/1.parquet, row 2, column 'code'" in problem


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            {"0.parquet": FRAME, "1.parquet": FRAME.drop("sales")},
            "books.parquet/1.parquet, row 1, column 'sales'; the column is missing, which another file of the table has",
        ),
        (
            {"0.parquet": FRAME, "1.parquet": FRAME.rename({"sales": "Sales"})},
            "books.parquet/0.parquet, row 1, column 'Sales'; the column is missing, which another file of the table has",
        ),
        (
            {"0.parquet": FRAME, "_temporary/0/1.parquet": FRAME},
            "books.parquet: found '_temporary'; its parts are still being written, or their writer failed; wait",
        ),
        (
            {"0.parquet": FRAME, "_delta_log/0.parquet": FRAME},
            "books.parquet: found '_delta_log'; a Delta table keeps rows that were removed, too; write it as plain Parquet",
        ),
        (
            {"0.parquet": FRAME, "more/1.parquet": FRAME},
            "books.parquet/more/1.parquet; its folder is called as no partition is (year=2014); put it beside",
        ),
        ({"0.csv.parquet/x.txt": FRAME}, "books.csv; the file is missing; looked for books.csv or books.parquet or"),
    ],
)
def test_parts_that_are_not_the_table_are_refused(parts: dict[str, pl.DataFrame], said: str, tmp_path: Path) -> None:
    """A column that one part has and another has not, parts that somebody writes or removes, no parts at all."""
    written(tmp_path, parts)
    assert [problem for problem in problems_in(tmp_path) if problem.startswith(said)]


def test_a_part_that_is_damaged_is_named(tmp_path: Path) -> None:
    written(tmp_path, {"0.parquet": FRAME, "1.parquet": FRAME})
    (tmp_path / "books.parquet/1.parquet").write_bytes(b"PAR1")
    assert problems_in(tmp_path) == ["books.parquet/1.parquet; the file can't be read as Parquet; write it again"]


def test_a_file_beside_a_folder_of_parts_is_refused(tmp_path: Path) -> None:
    written(tmp_path, {"0.parquet": FRAME})
    FRAME.write_csv(tmp_path / "books.csv")
    assert problems_in(tmp_path) == ["books.csv; only one of books.csv, books.parquet may be there; remove the others"]


def test_every_part_is_what_was_known(tmp_path: Path) -> None:
    """Digests cover all of them: one that is changed, comes or goes is refused."""
    written(tmp_path, {"0.parquet": FRAME[:2], "1.parquet": FRAME[2:]})
    known = digests_of([BOOKS], tmp_path)
    assert list(known) == ["books.parquet/0.parquet", "books.parquet/1.parquet"]
    assert read(BOOKS, tmp_path, known=known) is not None
    written(tmp_path, {"1.parquet": FRAME[1:]})
    with pytest.raises(InputError, match=r"books\.parquet/1\.parquet was written while it was read"):
        read(BOOKS, tmp_path, known=known)
    (tmp_path / "books.parquet/1.parquet").unlink()
    with pytest.raises(InputError, match=r"files of the table 'books' in .* came or went"):
        read(BOOKS, tmp_path, known=known)


def test_a_first_look_takes_folders_of_parts_alone(tmp_path: Path) -> None:
    """Other folders, whatever lies deep in them, are no tables."""
    written(tmp_path, {"0.parquet": FRAME, "year=2014/1.parquet": FRAME})
    written(tmp_path, {"noisy/store/0.parquet": FRAME, "notes.txt": FRAME}, "environments")
    assert [name for name in names_in(tmp_path) if is_raw(name)] == [
        "books.parquet/0.parquet",
        "books.parquet/year=2014/1.parquet",
    ]
