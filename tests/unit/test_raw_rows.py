"""Where in the raw tables of a refused build the leaks stand: the first of each column first, of many the first are named."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from anonymize.keys.identity_map import COLUMNS, seal
from pipeline.errors import GateError
from pipeline.keyed import Key
from pipeline.model import Column, RawTable, Role
from pipeline.places import CURATOR
from pipeline.publish.publication import REFUSED, WOULD_BE_PUBLISHED
from pipeline.publish.refusal import FINDINGS, keep_findings
from pipeline.publish.variant import IDENTITY_MAP
from silt.commands.build.refused import complete
from validation.escapes.findings import LITERAL, NORMAL_FORM
from validation.report.head.completed import first_of

KEY = Key(bytes(32))
NOBODY = pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.String))


def refused(folder: Path, known: pl.DataFrame, **tables: pl.DataFrame) -> GateError:
    """Keep a variant as one in which something escaped, with its identity map, and return the error."""
    variant = folder / CURATOR / REFUSED / "noisy"
    (variant / WOULD_BE_PUBLISHED / "database").mkdir(parents=True)
    for name, rows in tables.items():
        rows.write_csv(variant / WOULD_BE_PUBLISHED / f"database/{name}.csv")
    (variant / CURATOR).mkdir()
    (variant / CURATOR / IDENTITY_MAP).write_bytes(seal(known, KEY))
    return GateError("refused", report=str(variant / WOULD_BE_PUBLISHED / "reports/report.html"))


def places_of(error: GateError, tables: list[RawTable], folder: Path, registers: Sequence[str] = ()) -> list[str]:
    """Return what is said of the leaks of a refused build whose raw tables lie in the same folder."""
    words = {"build": "", "trial": "", "stands": ""}
    return complete(error, tables, registers=registers, folder=folder, variant="noisy", raw=folder, key=KEY, **words)


def test_places_are_in_the_order_of_rows(tmp_path: Path) -> None:
    """Twelve addresses that were found in another order: row 10 does not stand before row 2."""
    mails = [f"owner{number}@shops.example" for number in range(12)]
    table = RawTable(name="shops", columns=(Column(name="shop", role=Role.CODE), Column(name="mail")), key=("shop",))
    codes = [f"S{number}" for number in range(12)]
    pl.DataFrame({"shop": codes, "mail": mails}).write_csv(tmp_path / "shops.csv")
    error = refused(tmp_path, NOBODY)
    found = pl.DataFrame(
        {"file": "database/shops.csv", "row": range(2, 14), "column": "mail", "written": mails[::-1], "token": ""}
    )
    found.write_csv(tmp_path / CURATOR / REFUSED / FINDINGS)
    places = places_of(error, [table], tmp_path)
    assert places == [
        f"shops.csv, row {row}, column mail: published in database/shops.csv, row {15 - row}, column mail"
        for row in range(2, 14)
    ]


def test_a_place_is_of_the_finding_and_not_of_its_words(tmp_path: Path) -> None:
    """A name stands in the table that lists it, too, and in another row: the words around say which cell was published.

    Where several tables hold it, the one that lists the entities is named.
    """
    shops = pl.DataFrame({"shop": ["S1", "S2"], "note": ["Birch sells bread", "none"], "name": ["Birch", "Elm"]})
    visits = pl.DataFrame(
        {"shop": ["S2", "S1", "S2"], "note": ["quick", "like Birch", "Birch again"], "name": ["", "Birch", ""]}
    )
    tables = []
    for name, rows in {"shops": shops, "visits": visits}.items():
        rows.write_csv(tmp_path / f"{name}.csv")
        roles = {"name": Role.NAME}
        columns = tuple(Column(name=each, role=roles.get(each, Role.ATTRIBUTE)) for each in rows.columns)
        tables.append(RawTable(name=name, columns=columns, key=("shop",)))
    error = refused(tmp_path, NOBODY)
    found = {
        "file": ["database/visits.csv", "database/visits.csv", "database/shops.csv", "reports/report.html"],
        "row": [9, 8, 7, 1],
        "column": ["note", "note", "note", None],
        "before": ["", "like ", "", "like "],
        "written": ["Birch"] * 4,
        "after": [" again", "", "", ""],
        "token": ["Birch"] * 3 + [""],
    }
    pl.DataFrame(found).write_csv(tmp_path / CURATOR / REFUSED / FINDINGS)
    places = places_of(error, tables[::-1], tmp_path, registers=["shops"])
    assert places == [
        f"{raw}, column note: published in database/{published}, column note (listed in shops.csv, row 2, column name)"
        for raw, published in (
            ("shops.csv, row 2", "shops.csv, row 7"),
            ("visits.csv, row 3", "visits.csv, row 8"),
            ("visits.csv, row 4", "visits.csv, row 9"),
        )
    ]
    kept = pl.read_csv(tmp_path / CURATOR / REFUSED / FINDINGS, infer_schema=False)
    assert kept["raw_row"].to_list() == ["4", "3", "2", None]
    assert kept["listed_in"].to_list() == ["shops.csv, row 2, column name"] * 3 + [""]


def test_a_name_that_stands_as_it_is_listed_comes_first(tmp_path: Path) -> None:
    """What has only its normal form comes after it, in whatever order of the alphabet: the first says whose it is."""
    found = {"token": ["Elm GmbH", "Elm Ltd"], "rule": [NORMAL_FORM, LITERAL]}
    place = {"file": "a.csv", "row": 2, "column": "note", "written": "Elm Ltd", "objection": ""}
    rows = pl.DataFrame(found).with_columns(pl.lit(value).alias(name) for name, value in place.items())
    kept = keep_findings(tmp_path / CURATOR, rows, [])
    assert pl.read_csv(kept.findings)["token"].to_list() == ["Elm Ltd", "Elm GmbH"]


def test_of_many_the_first_are_named() -> None:
    """What follows is counted, and stands in the file of findings."""
    assert first_of(["a", "b", "c", "d", "e"]) == ["a", "b", "c", "d", "e"]
    assert first_of(["a", "b", "c", "d", "e", "f", "g"]) == ["a", "b", "c", "d", "e", "and 2 more, in findings.csv"]


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["c/o Elm", "c/o Elm Ltd"])), min_size=1, max_size=8),
    order=st.randoms(use_true_random=False),
)
def test_each_published_row_has_its_own_raw_row(rows: list[tuple[int, str]], order: Random) -> None:
    """Entities share a text, and one may have it in several rows: each row's is that of its entity, and none is left out."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        raw = pl.DataFrame({"shop": [f"S{shop}" for shop, _ in rows], "address": [text for _, text in rows]})
        raw.write_csv(place / "shops.csv")
        table = RawTable(
            name="shops", columns=(Column(name="shop", role=Role.CODE), Column(name="address")), key=("shop",)
        )
        moved = order.sample(range(len(rows)), len(rows))
        published = raw[moved].with_columns("P-" + pl.col("shop"))
        shops = raw.select(kind=pl.lit("code"), original="shop", pseudonym="P-" + pl.col("shop"))
        error = refused(place, shops.unique(), shops=published)
        found = published.select(
            file=pl.lit("database/shops.csv"),
            row=pl.int_range(2, 2 + pl.len()),
            column=pl.lit("address"),
            written=pl.lit("Elm"),
            before=pl.lit("c/o "),
            after=pl.col("address").str.slice(7),
            token=pl.lit("Elm"),
        )
        found.write_csv(place / CURATOR / REFUSED / FINDINGS)
        places = places_of(error, [table], place)
        kept = pl.read_csv(place / CURATOR / REFUSED / FINDINGS)["raw_row"].to_list()
    assert [raw.row(row - 2) for row in kept] == raw[moved].rows()
    assert sorted(kept) == list(range(2, 2 + len(rows)))
    assert places == [
        f"shops.csv, row {row}, column address: published in database/shops.csv, row {2 + kept.index(row)}, column address"
        for row in sorted(kept)
    ]
