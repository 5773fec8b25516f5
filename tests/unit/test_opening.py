"""`silt.open` gives published tables their declared types and loses no cell; `silt.build`, and the public names."""

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import silt
from pipeline.errors import InputError
from pipeline.publish.files import sha256

FIGURES = "id,code,year,measure,unit,value\n1,ABCDE,2015,Total Assets,USD,12.50\n2,ABCDE,2015,Net Income,USD,\n"
PROFILE = "id,code,name,sector,sub_industry,state,country,year_added\n1,ABCDE,Firm,Energy,,Texas,France,1999\n"
DECLARATION = """
import polars as pl
from silt import (
    Column, Entities, EntityView, Environment, Measure, Panel, PublishedTable, RawTable, Role, Views, WideFigures
)

SALES = Measure(name="sales", unit="EUR", decimals=2)
YARD = Environment(
    name="yard",
    title="Boats",
    raw_tables=(
        RawTable(
            name="boats",
            key=("boat",),
            columns=(
                Column(name="boat", role=Role.CODE, nullable=False),
                Column(name="name", role=Role.NAME, nullable=False),
                Column(name="trade", public="a test", nullable=False),
                Column(name="berths", type="integer", public="a test"),
                Column(name="built", role=Role.DATE, type="date"),
            ),
        ),
        RawTable(
            name="books",
            key=("boat", "year"),
            columns=(
                Column(name="boat", role=Role.CODE, nullable=False),
                Column(name="year", type="integer", nullable=False),
                SALES.column(),
            ),
        ),
    ),
    entities=Entities(
        tables=("boats",), code="boat", name="name", industry="trade", sub_industry="trade", language="en"
    ),
    panel=Panel(tables=("books",), measures=(SALES,)),
    tables=(
        PublishedTable(
            path="boats.csv", columns=("boat", "berths", "built"), row_key="boat", needs=(), render=lambda _: pl.DataFrame()
        ),
        PublishedTable(
            path="books.csv", columns=("id", "boat", "year", "sales"), needs=(), render=lambda _: pl.DataFrame()
        ),
    ),
    views=Views(
        entities=EntityView(table="boats", columns={"boat": "boat", "berths": "berths", "built": "built"}),
        figures=(WideFigures(table="books", code="boat", year="year"),),
    ),
)
"""


def write_variant(folder: Path, environment: str, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="")
    listed = [
        {"path": path, "bytes": (folder / path).stat().st_size, "sha256": sha256(folder / path)} for path in files
    ]
    manifest = {"environment": environment, "files": listed}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def us_listed(folder: Path, figures: str = FIGURES) -> Path:
    files = {
        "database/company_figures.csv": figures,
        "database/company_profile.csv": PROFILE,
        "database/notes.txt": "x",
    }
    return write_variant(folder, "us-listed", files)


def test_tables_of_a_shipped_environment_have_their_types(tmp_path: Path) -> None:
    """The manifest names the environment, whose facts give the types; what is no table is passed over."""
    tables = silt.open(us_listed(tmp_path))
    assert list(tables) == ["company_figures", "company_profile"]
    assert isinstance(tables["company_figures"], pl.LazyFrame)
    assert tables["company_figures"].collect_schema() == {
        "id": pl.Int64,
        "code": pl.String,
        "year": pl.Int64,
        "measure": pl.String,
        "unit": pl.String,
        "value": pl.Float64,
    }
    assert tables["company_figures"].collect()["value"].to_list() == [12.5, None]
    assert tables["company_profile"].collect_schema()["year_added"] == pl.Int64


@pytest.mark.parametrize("cell", ["n/a", "1.250,00", "12,50 USD", " 12.50", "１２.５０", "-", "inf"])
def test_column_that_noise_made_unreadable_stays_text(tmp_path: Path, cell: str) -> None:
    """No cell is lost: the whole column stands as it does in the file, and the others have their types."""
    noisy = FIGURES.replace("12.50", f'"{cell}"')
    read = silt.open(us_listed(tmp_path, noisy))["company_figures"].collect()
    assert read["value"].to_list() == [cell, None]
    assert read.schema["year"] == pl.Int64


def test_columns_that_noise_renamed_or_added_are_text(tmp_path: Path) -> None:
    """Only a column of a declared name has a declared type."""
    read = silt.open(us_listed(tmp_path, FIGURES.replace("id,code,year", "id,code,yaer")))["company_figures"]
    assert read.collect_schema()["yaer"] == pl.String
    assert read.collect_schema()["value"] == pl.Float64


@given(cells=st.lists(st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1)))
def test_no_cell_is_ever_lost(tmp_path_factory: pytest.TempPathFactory, cells: list[str | None]) -> None:
    """Whatever stands in a column of numbers: every cell that is not empty is there, as its number or as its text."""
    text = pl.DataFrame({"id": range(len(cells)), "value": cells}, schema={"id": pl.Int64, "value": pl.String})
    folder = us_listed(tmp_path_factory.mktemp("variant"), text.write_csv())
    read = silt.open(folder)["company_figures"].collect()["value"]
    assert read.is_null().to_list() == [cell is None for cell in cells]
    if read.dtype == pl.String:
        assert read.to_list() == cells
    else:
        assert read.to_list() == [None if cell is None else float(cell) for cell in cells]


@pytest.mark.parametrize("change", ["a byte", "a hole", "a pipe"])
def test_what_is_not_as_listed_is_not_read(tmp_path: Path, change: str) -> None:
    """Kind and size are looked at first, then the digest: a file of 50 GB is refused as fast as one with another byte."""
    file = us_listed(tmp_path) / "database/company_figures.csv"
    tables = silt.open(tmp_path)
    if change == "a byte":
        file.write_text(FIGURES.replace("12.50", "12.51"))
    elif change == "a hole":
        os.truncate(file, 50 * 10**9)
    else:
        file.unlink()
        os.mkfifo(file)
    with pytest.raises(InputError, match=r"company_figures\.csv is not (there|what manifest\.json lists)"):
        tables["company_figures"]


def test_types_can_be_left_out(tmp_path: Path) -> None:
    """With `types=False` every cell is the text of the file."""
    read = silt.open(us_listed(tmp_path), types=False)["company_figures"].collect()
    assert set(read.schema.values()) == {pl.String()}
    assert read["value"].to_list() == ["12.50", None]


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    """Write a variant of an environment of one's own, and its declaration beside it."""
    (tmp_path / "yard.py").write_text(DECLARATION, encoding="utf-8")
    files = {
        "database/boats.csv": "boat,berths,built\nB7,4,1998-02-01\n",
        "database/books.csv": "id,boat,year,sales\n1,B7,2023,12.50\n",
        "ideal/books.csv": "boat,sales\nB7,12.50\n",
    }
    return write_variant(tmp_path / "noisy", "yard", files)


def test_own_declaration_gives_types_by_its_views(yard: Path) -> None:
    """Figures, years, attributes and dates are typed without a declared fact; what is nowhere declared stays text."""
    tables = silt.open(yard, environment=f"{yard.parent}/yard.py:YARD")
    assert list(tables) == ["boats", "books", "ideal_books"]
    assert tables["boats"].collect().rows() == [("B7", 4, date(1998, 2, 1))]
    assert tables["books"].collect().rows() == [("1", "B7", 2023, 12.5)]
    assert tables["ideal_books"].collect().rows() == [("B7", "12.50")]


def test_without_a_declaration_all_is_text(yard: Path) -> None:
    """Nothing is guessed."""
    assert silt.open(yard)["books"].collect().rows() == [("1", "B7", "2023", "12.50")]


def test_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    """What the manifest lists must be there."""
    folder = us_listed(tmp_path)
    (folder / "database/company_profile.csv").unlink()
    with pytest.raises(InputError, match=r"company_profile\.csv is not there, although manifest\.json lists it"):
        silt.open(folder)["company_profile"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"variants": ["nosy"]}, "unknown variant 'nosy'; known: clean, noisy"),
        ({"polcy": "lsd"}, "unknown setting 'polcy'; known: budget, engine, fresh, "),
        ({"scale": "half"}, "setting 'scale': found 'half'; Input should be a valid number"),
        ({"key_file": 5}, "setting 'key_file': found what may be a key; Input should be a valid string"),
        ({"policy": "gaurded"}, "unknown policy 'gaurded'"),
        ({"environment": "us-lsited"}, "unknown environment 'us-lsited'"),
    ],
)
def test_bad_settings_of_a_build_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, object], says: str
) -> None:
    """What the command line refuses, `silt.build` refuses as well, with the same error."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=says):
        silt.build(**given)  # type: ignore[arg-type]


def test_import_is_light() -> None:
    """A declaration waits for neither dagster, the stages nor the environments that Silt ships."""
    heavy = ("dagster", "scipy", "great_expectations", "anonymize", "validation", "silt.environments")
    script = f"import sys, silt; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_every_public_name_is_there() -> None:
    """What `__all__` lists can be imported, once."""
    assert [name for name in silt.__all__ if not hasattr(silt, name)] == []
    assert len(silt.__all__) == len(set(silt.__all__))
    with pytest.raises(AttributeError, match="module 'silt' has no attribute 'opne'"):
        _ = silt.opne  # type: ignore[attr-defined]
