"""The escape scan knows every kind of entity: its codes and names, those of people, short codes in columns of codes alone."""

from pathlib import Path

import polars as pl
import pytest

from anonymize.pseudonyms import pseudonyms
from tests.unit.kinds.harbours import HARBOURS
from tests.unit.kinds.test_pseudonyms_of_kinds import KEY, conformed, made
from validation.escapes.scan import Originals, scan

LONG = "S0042"
"""A ship's code that is long enough to be looked for anywhere."""


def found(folder: Path, **files: str) -> list[tuple[str, str]]:
    """Return column and kind of what is found in files."""
    tables = conformed()
    tables["ships"] = tables["ships"].with_columns(ship=pl.col("ship").replace("S05", LONG))
    tables["visits"] = tables["visits"].with_columns(ship=pl.col("ship").replace("S05", LONG))
    map_ = pseudonyms(HARBOURS, tables, KEY).frame()
    identifiers = pl.DataFrame(schema={"kind": pl.String, "original": pl.String})
    (folder / "database").mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / "database" / f"{name}.csv").write_text(content, encoding="utf-8")
    originals = Originals(identity_map=map_, identifiers=identifiers, key=KEY)
    escapes = scan(folder, HARBOURS, originals.search_terms(HARBOURS)).escapes
    return [(escape.column, escape.kind) for escape in escapes]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"seen by {LONG} twice", "ship code"),
        ("与李成林同行", "person name"),
        ("与李 成 林同行", "person name"),
        ("said LI CHENGLIN", "person alias"),
        ("Ada  Quill", "person name"),
        ("formerly Fish Stairs", "alias"),
    ],
)
def test_identities_of_every_kind_are_found_in_prose(tmp_path: Path, text: str, kind: str) -> None:
    assert found(tmp_path, ships=f"ship,rig\nX,{text}\n") == [("rig", kind)]


def test_short_codes_are_found_in_columns_of_codes_alone(tmp_path: Path) -> None:
    """`S00` is the code of a ship and of a harbour, and a word elsewhere."""
    assert found(tmp_path, ships="ship,rig\nX,S00 1\n") == []
    assert found(tmp_path, ships="ship,rig\ns-00,\n") == [("ship", "code"), ("ship", "ship code")]
    assert found(tmp_path, ships="ship,rig\nS01,\n") == [("ship", "ship code")]


def test_pseudonyms_are_nobodys(tmp_path: Path) -> None:
    """What is published instead is no false alarm, of any kind."""
    published = made().frame()["pseudonym"].to_list()
    lines = "".join(f"{code},{code}\n" for code in published)
    assert found(tmp_path, ships=f"ship,rig\n{lines}") == []
