"""The ledger walked over tables it is not of; the laws of its own tables are in `test_noise_engine.py`."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.ledger import OPPORTUNITIES, SCHEMA, explains, noise_report, replay, undo
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule

TABLE = pl.DataFrame({"id": ["1", "2"], "measure": ["revenue", None]})


def ledger(*changes: tuple[str, str, str, str], table: str = "figures") -> pl.DataFrame:
    """Make a ledger of changes (row key, column, before, after)."""
    rows = [(table, row_key, column, "kind", "rule", before, after, True) for row_key, column, before, after in changes]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_several_changes_of_one_cell_collapse(environment: Environment) -> None:
    """Replay ends at the last text, undo at the first, through an empty one between them."""
    changes = ledger(("1", "measure", "revenue", "sales"), ("1", "measure", "sales", ""))
    noisy = replay(TABLE, changes, environment.table("figures"))
    assert noisy["measure"].to_list() == [None, None]
    assert_frame_equal(undo(noisy, changes, environment.table("figures")), TABLE)


def test_a_ledger_explains_all_or_nothing(environment: Environment) -> None:
    """A ledger explains its own noise, and none that lacks a change, has one too many or names another text."""
    published, change = environment.table("figures"), ("1", "measure", "revenue", "sales")
    noisy = replay(TABLE, ledger(change), published)
    assert explains(ledger(change), TABLE, noisy, published)
    assert not explains(ledger(), TABLE, noisy, published)
    assert not explains(ledger(change), TABLE, TABLE, published)
    assert not explains(ledger(("1", "measure", "income", "sales")), TABLE, noisy, published)


def test_rows_of_other_tables_are_passed_over(environment: Environment) -> None:
    """A ledger of several tables serves each of them."""
    changes = ledger(("1", "measure", "revenue", "sales"), table="policies")
    assert_frame_equal(replay(TABLE, changes, environment.table("figures")), TABLE)


@pytest.mark.parametrize(
    "change",
    [("3", "measure", "revenue", "sales"), ("3", "measure", "", "sales"), ("1", "measure", "income", "sales")],
    ids=["row", "row without a text", "text"],
)
def test_ledger_of_other_data_is_refused(change: tuple[str, str, str, str], environment: Environment) -> None:
    """A row that is not there, or a cell with another text, shows that ledger and table do not belong together."""
    with pytest.raises(
        InputError, match=r"ledger is not of this table 'figures': 1 of its 1 cells of column 'measure'"
    ):
        replay(TABLE, ledger(change), environment.table("figures"))


def test_every_row_that_is_not_there_is_counted(environment: Environment) -> None:
    """A row past the end and one with other texts are two, and never none."""
    past, other = (f'{{"position":{place},"cells":["2","income"]}}' for place in (2, 1))
    with pytest.raises(InputError, match="ledger is not of this table 'figures': 2 of its 2 whole rows are not there"):
        replay(TABLE, ledger(("3", "", past, ""), ("2", "", other, "")), environment.table("figures"))


def test_a_row_key_that_stands_twice_is_refused(environment: Environment) -> None:
    """An entry names one row: where two have its key, the table is another."""
    twice, change = pl.concat([TABLE, TABLE]), ("1", "measure", "revenue", "sales")
    with pytest.raises(InputError, match="ledger is not of this table 'figures'"):
        replay(twice, ledger(change), environment.table("figures"))


def test_ledger_of_other_columns_is_refused(environment: Environment) -> None:
    """A column that is not there is named, with those that are."""
    with pytest.raises(InputError, match=r"unknown column of figures in the noise ledger 'colour'; known: id, measure"):
        undo(TABLE, ledger(("1", "colour", "red", "blue")), environment.table("figures"))


def test_changes_are_recoverable_if_all_of_them_are(environment: Environment) -> None:
    """One change that cannot be taken back is told of the whole rule."""
    kind, chosen = MissingValues(columns=("measure",)), CompletelyAtRandom(rate=0.5)
    spec = NoiseSpec(
        environment=environment.name, rules=(Rule(name="rule", kind=kind, tables=("figures",), mechanism=chosen),)
    )
    changes = ledger(("1", "measure", "a", "b"), ("2", "measure", "a", "b"))
    eligible = pl.DataFrame([("rule", "figures", "measure", 4)], schema=OPPORTUNITIES, orient="row")
    for recoverable in ([True, True], [True, False]):
        report = noise_report(changes.with_columns(recoverable=pl.Series(recoverable)), spec, eligible)
        (told,) = report["rules"]
        assert (told["cells"], told["rate"], told["recoverable"]) == (2, 0.5, all(recoverable))
