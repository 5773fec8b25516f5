"""Nothing that was planted in comments is found in what is published of them, by a search that the finder does not know."""

from pathlib import Path

import polars as pl
import pytest

from anonymize.prose.replacing import read_prose
from anonymize.pseudonyms import pseudonyms
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Column, Entities, Environment, Frames, RawTable, Role
from tests.independent.planted import MANY, Shop, found, shop

KEY = Key(b"q" * 32)
BUYERS = Entities(tables=("buyers",), code="buyer_id", kind="buyer", name="buyer_name", named="person")
FEW, SHORT = 3, 5
"""Surnames of 40 that may be left, and their letters: those that are ordinary words (`May`), where nothing tells them apart."""

MAKERS = Entities(tables=("makers",), code="maker_id", name="maker_name")


def declared(shop_of: Shop, folder: Path) -> tuple[Environment, Frames]:
    def codes(count: int) -> list[str]:
        return [str(1_000 + number) for number in range(count)]

    buyers = {"buyer_id": codes(len(shop_of.people)), "buyer_name": shop_of.people, "phone": shop_of.numbers}
    makers = {"maker_id": codes(len(shop_of.makers)), "maker_name": shop_of.makers}
    frames = {"buyers": buyers, "makers": makers, "comments": {"comment": shop_of.comments}}
    roles = {"buyer_id": Role.CODE, "maker_id": Role.CODE, "phone": Role.IDENTIFIER, "comment": Role.TEXT}
    tables = tuple(
        RawTable(
            name=name,
            columns=(
                Column(name="n", public="a number"),
                *(
                    Column(name=column, role=roles.get(column, Role.NAME), of="buyer" if "buyer" in column else "")
                    for column in columns
                ),
            ),
            key=("n",),
        )
        for name, columns in frames.items()
    )
    environment = Environment(name="shop", title="Shop", raw_tables=tables, entities=MAKERS, further=(BUYERS,))
    for name, columns in frames.items():
        pl.DataFrame(columns).with_row_index("n").write_csv(folder / f"{name}.csv")
    return environment, conform(environment.raw_tables, folder, kinds=environment.kinds).frames


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_planted_in_comments_is_found_again(seed: int, tmp_path: Path) -> None:
    """Surnames, numbers and brands, in three shops, but for surnames that are words; in the originals it finds every one."""
    made = shop(seed)
    assert len(list(found(made, made.comments))) == 3 * MANY
    environment, frames = declared(made, tmp_path)
    prose = read_prose(environment, frames, pseudonyms(environment, frames, KEY), KEY)
    left = list(found(made, prose.texts["comments", "comment"].to_list()))
    assert set(left) <= set(made.surnames())
    assert len(left) <= FEW
    assert max(map(len, left), default=0) <= SHORT
