"""What changed in the originals between two builds: files and numbers of rows, counted another way, and no value."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets.making.originals import ORIGINALS, MadeOf, changes, originals_of, originals_with
from assets.making.store import Store
from pipeline.errors import InputError
from pipeline.model import RawTable

TABLE = RawTable(name="shops", file="shops", columns=(), key=())

ROWS = st.lists(st.tuples(st.sampled_from(["A1", "B1", None]), st.one_of(st.none(), st.integers(0, 2))), max_size=6)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return a store that keeps tables."""
    found = Store(tmp_path_factory.mktemp("store"))
    with found.held():
        return found


def state(store: Store, rows: list[tuple[str | None, int | None]], digest: str) -> MadeOf:
    table = pl.DataFrame(rows, schema={"shop": pl.String, "size": pl.Int64}, orient="row")
    return {"files": {"shops.csv": digest, "other.csv": "0"}, "tables": {"shops": store.keep(table)}}


@given(before=ROWS, now=ROWS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_are_counted_as_sets_with_repeats(
    store: Store, before: list[tuple[str | None, int | None]], now: list[tuple[str | None, int | None]]
) -> None:
    """Those that one state has more often than the other, whatever their order."""
    removed, added = (Counter(before) - Counter(now)).total(), (Counter(now) - Counter(before)).total()
    says = f"rows removed {removed}, added {added} (a changed row is both)"
    same = "other bytes, the same rows"
    (found,) = changes([TABLE], store, state(store, before, "1"), state(store, now, "2"))
    assert found == f"shops.csv: {same if before == now else says}"
    assert list(changes([TABLE], store, state(store, before, "1"), state(store, now, "1"))) == []


def test_what_the_store_lost_is_not_counted(store: Store) -> None:
    """Files are named nonetheless; a table that came is counted against none."""
    now = state(store, [("A1", 1)], "2")
    assert list(changes([TABLE], store, now | {"files": {}, "tables": {"shops": "lost.parquet"}}, now)) == [
        "shops.csv: changed"
    ]
    (came,) = changes([TABLE], store, {"files": {}, "tables": {}}, now)
    assert came == "shops.csv: rows removed 0, added 1 (a changed row is both)"


def test_variants_keep_what_they_were_made_of(tmp_path: Path) -> None:
    """What others were made of stays on record; what no build wrote is refused, and nothing is known of what was not built."""
    assert originals_of(tmp_path) == originals_of(tmp_path / "none") == {}
    (file := tmp_path / "curator" / ORIGINALS).parent.mkdir()
    for variants, digest in ((["noisy", "clean"], "1"), (["clean"], "2")):
        file.write_bytes(originals_with(tmp_path, variants, {"a.csv": digest}, {}))
    assert {name: made["files"]["a.csv"] for name, made in originals_of(tmp_path).items()} == {
        "noisy": "1",
        "clean": "2",
    }
    for content in ("", "[]", '{"noisy": 1}'):
        file.write_text(content)
        with pytest.raises(InputError, match=r"originals\.json is not what a build wrote; remove it, and build again"):
            originals_of(tmp_path)
