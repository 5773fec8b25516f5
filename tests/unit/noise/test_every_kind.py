"""Laws that every kind of noise keeps, on files: identity, there and back, the ledger, independence, nulls, rates."""

import csv
import json
from collections import Counter
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.keyed import Key
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import CellKind, Draws, FileKind, RowKind
from pipeline.noise.ledger import as_noised, replay, undo
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import read_published, write_table
from tests.stats import check_rate
from tests.unit.noise.applied import problems
from tests.unit.noise.kind_case import KindCase
from tests.unit.noise.kind_cases import CASES
from validation.expectations.rates import alpha_of, rule_rates

LAW = settings(max_examples=3)
every_kind = pytest.mark.parametrize("case", CASES, ids=str)
KEYS = st.binary(min_size=32, max_size=32).map(Key)
SOME_KEY = Key(bytes(range(32)))


def noised(case: KindCase, rows: pl.DataFrame, key: Key, rate: float) -> Noised:
    """Apply the case's kind to rows at a rate."""
    name = case.published.name
    rule = Rule(name="rule", kind=case.kind, tables=(name,), mechanism=CompletelyAtRandom(rate=rate))
    spec = NoiseSpec(environment=case.environment.name, rules=(rule,))
    return apply_noise(rows, case.published, spec, case.environment, key, beside=dict(case.beside))


def written(case: KindCase, result: Noised, folder: Path) -> Path:
    """Write the noisy file as a build does."""
    table = as_noised(case.published, result.ledger)
    write_table(result.frame, table, folder)
    return folder / table.folder / table.path


def records(file: Path, null: str = "") -> list[dict[str, str]]:
    """Read a file by the standard library: texts by header, "" for null."""
    with file.open(encoding="utf-8", newline="") as text:
        return [{name: "" if cell == null else cell for name, cell in row.items()} for row in csv.DictReader(text)]


def multiset(frame: pl.DataFrame) -> Counter[tuple[str | None, ...]]:
    """Return the rows without their order."""
    return Counter(frame.rows())


def subset(case: KindCase, chosen: list[bool]) -> pl.DataFrame:
    """Return some of the rows: of a kind that looks up siblings, whole groups."""
    if not case.grouped_by:
        return case.rows.filter(pl.Series(chosen[: case.rows.height]))
    groups = case.rows[case.grouped_by].unique(maintain_order=True).to_list()
    kept = [group for group, is_in in zip(groups, chosen, strict=False) if is_in]
    return case.rows.filter(pl.col(case.grouped_by).is_in(kept, nulls_equal=True))


CHOSEN = st.lists(st.booleans(), min_size=60, max_size=60)


def test_every_kind_has_a_case() -> None:
    """The laws below are tried with every kind of the registry, on 20 to 60 rows that hold nulls."""
    assert {case.kind.name for case in CASES} == KINDS.keys()
    for case in CASES:
        assert 20 <= case.rows.height <= 60
        assert case.rows.null_count().sum_horizontal().item() > 0


@every_kind
def test_no_case_is_refused(case: KindCase) -> None:
    """What the laws are tried with could stand in a specification."""
    assert problems(case.kind, case.environment) == []


@every_kind
def test_rate_one_changes_something(case: KindCase) -> None:
    """The laws do not hold for want of changes."""
    assert noised(case, case.rows, SOME_KEY, 1.0).ledger.height >= (1 if isinstance(case.kind, FileKind) else 8)


@every_kind
def test_rate_zero_is_the_identity_on_bytes(case: KindCase, tmp_path: Path) -> None:
    """At rate 0 the file has the bytes of the clean one, and the ledger is empty."""
    result = noised(case, case.rows, SOME_KEY, 0.0)
    write_table(case.rows, case.published, tmp_path / "clean")
    clean = tmp_path / "clean" / case.published.folder / case.published.path
    assert written(case, result, tmp_path / "noisy").read_bytes() == clean.read_bytes()
    assert result.ledger.is_empty()


@every_kind
@LAW
@given(key=KEYS, chosen=CHOSEN, rate=st.sampled_from([0.3, 1.0]), data=st.data())
def test_every_kind_keeps_the_laws(
    case: KindCase, key: Key, chosen: list[bool], rate: float, data: st.DataObject
) -> None:
    """All laws on one application to some of the rows; a second one is to all rows, in another order."""
    rows = subset(case, chosen)
    result = noised(case, rows, key, rate)
    order = data.draw(st.permutations(range(case.rows.height)))
    shuffled = case.rows[order]
    whole = noised(case, shuffled, key, rate)
    with TemporaryDirectory() as folder:
        clean = Path(folder, "clean", case.published.folder, case.published.path)
        write_table(rows, case.published, Path(folder, "clean"))
        noisy = written(case, result, Path(folder, "noisy"))
        undo_takes_back_what_apply_did(case, rows, result, noisy)
        ledger_is_the_diff_of_the_files(case, result, clean, noisy)
    if case.is_ordered or isinstance(case.kind, FileKind):
        assert multiset(whole.frame) == multiset(noised(case, case.rows, key, rate).frame.select(whole.frame.columns))
    if not case.is_ordered:
        rest = subset(case, [not is_in for is_in in chosen])
        parts = [(rows, result), (rest, noised(case, rest, key, rate))]
        result_does_not_depend_on_order_or_other_rows(case, whole, [made.frame for part, made in parts if part.height])
    for clean_rows, applied in ((rows, result), (shuffled, whole)):
        an_empty_cell_stays_empty(case, clean_rows, applied)
        what_is_marked_recoverable_is_mended_without_the_ledger(case, clean_rows, applied)


def undo_takes_back_what_apply_did(case: KindCase, rows: pl.DataFrame, result: Noised, file: Path) -> None:
    """From the noisy file and the ledger comes the clean table, and from the clean table the noisy one."""
    noisy = read_published(file, as_noised(case.published, result.ledger))
    assert_frame_equal(noisy, result.frame)
    assert_frame_equal(undo(noisy, result.ledger, case.published), rows)
    assert_frame_equal(replay(rows, result.ledger, case.published), result.frame)


def ledger_is_the_diff_of_the_files(case: KindCase, result: Noised, clean_file: Path, noisy_file: Path) -> None:
    """What differs between the two files, as the standard library reads them, is what the ledger says, no more or less."""
    clean = records(clean_file)
    noisy = records(noisy_file, as_noised(case.published, result.ledger).dialect.null)
    entries = result.ledger.to_dicts()
    if isinstance(case.kind, CellKind):
        key_of = case.published.row_key
        net: dict[tuple[str, str], tuple[str, str]] = {}
        for entry in entries:
            place = (entry["row_key"], entry["column"])
            net[place] = (net.get(place, (entry["before"],))[0], entry["after"])
        differing = {
            (before[key_of], column): (before[column], after[column])
            for before, after in zip(clean, noisy, strict=True)
            for column in before
            if before[column] != after[column]
        }
        assert differing == {place: pair for place, pair in net.items() if pair[0] != pair[1]}
    elif isinstance(case.kind, RowKind):
        told = {
            side: Counter(
                tuple(cell or "" for cell in json.loads(entry[side])["cells"]) for entry in entries if not entry[other]
            )
            for side, other in (("before", "after"), ("after", "before"))
        }
        before, after = (Counter(tuple(row.values()) for row in side) for side in (clean, noisy))
        assert after - before == told["after"] - told["before"]
        assert before - after == told["before"] - told["after"]
        assert bool(entries) == (clean != noisy)
    else:
        layout = json.loads(next(e for e in reversed(entries) if not e["column"])["after"]) if entries else None
        names = list(noisy[0]) if noisy else result.frame.columns
        assert names == (layout["columns"] if layout else list(case.published.columns))
        new = {entry["column"]: json.loads(entry["after"]) for entry in entries if entry["column"] and entry["after"]}
        for column, cells in new.items():
            if column in names:
                assert [row[column] for row in noisy] == [cell or "" for cell in cells]


def result_does_not_depend_on_order_or_other_rows(case: KindCase, whole: Noised, parts: list[pl.DataFrame]) -> None:
    """Shuffled rows, and a part of the rows, give the same noise: nothing comes from position or from who else is there."""
    if all(set(frame.columns) == set(whole.frame.columns) for frame in parts):
        together = pl.concat([frame.select(whole.frame.columns) for frame in parts])
        assert multiset(together) == multiset(whole.frame)
    else:
        assert not isinstance(case.kind, CellKind | RowKind)


def an_empty_cell_stays_empty(case: KindCase, rows: pl.DataFrame, result: Noised) -> None:
    """No cell that is null in the clean table has text in the noisy one."""
    if isinstance(case.kind, CellKind):
        for column in rows.columns:
            assert result.frame.filter(rows[column].is_null())[column].null_count() == rows[column].null_count()


def what_is_marked_recoverable_is_mended_without_the_ledger(case: KindCase, rows: pl.DataFrame, result: Noised) -> None:
    """`mended` takes back every recoverable change, leaves what is clean alone, and makes nothing worse."""
    assert_frame_equal(case.kind.mended(rows, case.published, case.environment, case.beside), rows)
    mended = case.kind.mended(result.frame, case.published, case.environment, case.beside)
    if isinstance(case.kind, CellKind):
        lost = {(entry["row_key"], entry["column"]) for entry in result.ledger.to_dicts() if not entry["recoverable"]}
        for before, after in zip(rows.to_dicts(), mended.to_dicts(), strict=True):
            for column, text in before.items():
                assert after[column] == text or (before[case.published.row_key], column) in lost
    elif result.ledger["recoverable"].all():
        assert multiset(mended.select(rows.columns)) == multiset(rows)


@every_kind
def test_what_mends_apart_mends_shares_as_it_mends_the_whole(case: KindCase) -> None:
    """Whichever columns rows fall to shares by: as long as it says so, and row keys stand once and rise."""
    name, key = case.published.name, case.published.row_key
    columns = [column for column in case.published.columns if column != key]
    is_of_rows = isinstance(case.kind, RowKind)
    noisy = case.rows if is_of_rows else noised(case, case.rows, SOME_KEY, 0.5).frame
    sides = {name: case.rows, **case.beside}
    for by in (
        dict(zip(sides, chosen, strict=True)) for chosen in product(columns, *(f.columns for f in case.beside.values()))
    ):
        if case.kind.mends_apart(name, by) and noisy.height == case.rows.height:
            shares = {table: rows[by[table]].hash() % 3 for table, rows in sides.items()}
            parts = [
                case.kind.mended(
                    noisy.filter(shares[name].eq_missing(number)),
                    case.published,
                    case.environment,
                    {table: rows.filter(shares[table].eq_missing(number)) for table, rows in case.beside.items()},
                )
                for number in range(3)
            ]
            whole = case.kind.mended(noisy, case.published, case.environment, case.beside)
            assert_frame_equal(pl.concat(parts), whole, check_row_order=False)


@every_kind
def test_rate_is_exact_in_expectation(case: KindCase) -> None:
    """Of 20 copies of the rows, what changes at rate 0.3 is binomial among what changes at 1, if rows are drawn for alone."""
    if not _is_drawn_by_row(case):
        return
    row_key = case.published.row_key
    rows = pl.concat([case.rows.with_columns(pl.lit(f"{copy}0000") + pl.col(row_key)) for copy in range(1, 6)])
    keys = [SOME_KEY.derive(str(number)) for number in range(4)]
    at_one = [_changed_rows(case, noised(case, rows, key, 1.0)) for key in keys]
    at_rate = [_changed_rows(case, noised(case, rows, key, 0.3)) for key in keys]
    assert all(some <= every for some, every in zip(at_rate, at_one, strict=True))
    check_rate(sum(map(len, at_rate)), sum(map(len, at_one)), 0.3, tests=len(CASES))


@every_kind
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_every_kind_keeps_its_rate(case: KindCase, rate: float) -> None:
    """As `validation/expectations/rates.py` counts it, a rule of any kind is within its bounds, under several keys."""
    rule = Rule(name="rule", kind=case.kind, tables=(case.published.name,), mechanism=CompletelyAtRandom(rate=rate))
    spec = NoiseSpec(environment=case.environment.name, rules=(rule,))
    clean = {case.published.name: case.rows, **case.beside}
    for byte in range(2):
        key = Key(bytes([byte]) * 32)
        done = noised(case, case.rows, key, rate)
        alpha = alpha_of(spec, done.opportunities)
        for found in rule_rates(case.environment, spec, done.ledger, done.opportunities, clean, key, alpha):
            assert found.passed, found


def _changed_rows(case: KindCase, result: Noised) -> set[str]:
    """Return the keys of the rows that changed in the column that is drawn for; of a kind on rows, all of them."""
    if isinstance(case.kind, CellKind):
        draws = Draws(rule=SOME_KEY, table=case.published)
        column = case.kind.edits(case.environment, draws)[0].column
        return set(result.ledger.filter(pl.col("column") == column)["row_key"])
    return set(result.ledger["row_key"])


def _is_drawn_by_row(case: KindCase) -> bool:
    if isinstance(case.kind, CellKind):
        draws = Draws(rule=SOME_KEY, table=case.published)
        return case.kind.edits(case.environment, draws)[0].owner == case.published.row_key
    return isinstance(case.kind, RowKind) and not case.is_ordered
