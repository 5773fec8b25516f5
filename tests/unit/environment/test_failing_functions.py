"""What a function of a declaration raises, or gives that nobody can use, is the declaration's to mend; its text is not told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.derive import counts, derive_further
from pipeline.errors import InputError
from pipeline.model import Aggregate, Derivation, Formula, Measure, Panel
from pipeline.model.identities import stated_by
from pipeline.model.refused.failing import declared_function, place_of

FIRMS = pl.DataFrame({"code": ["a", "b"], "trade": ["x", "y"]})


def _raises(*_given: object) -> Any:
    raise ValueError("永安钢铁")


def _of_members(function: Callable[..., Any]) -> object:
    return counts(Aggregate(name="by_trade", by=("trade",), counts=((),), members=function), FIRMS)


def _of_a_formula(function: Callable[..., Any]) -> object:
    measures = tuple(Measure(name=name, unit="EUR", decimals=2) for name in ("sales", "margin"))
    formula = Formula(output="margin", inputs=("sales",), compute=function)
    return stated_by(formula, Panel(tables=("accounts",), measures=measures, identities=(formula,)), code="code")


FAILING: dict[str, tuple[Callable[[Any], object], Any, str]] = {
    "members that raise": (_of_members, _raises, "`members` of the aggregate 'by_trade' failed with ValueError"),
    "members that are none": (_of_members, lambda _: None, "failed with AttributeError"),
    "members by a column that is not there": (_of_members, lambda firms: firms.filter(pl.col("no")), "ColumnNotFound"),
    "members without their columns": (_of_members, lambda firms: firms.select("code"), "ColumnNotFound"),
    "a formula that raises": (_of_a_formula, _raises, "the formula of 'margin' failed with ValueError"),
    "a formula of nothing": (_of_a_formula, lambda _: None, "failed with TypeError"),
    "a formula of what is no input": (_of_a_formula, lambda sales: (pl.col("no"), sales), "failed with ColumnNotFound"),
    "a derivation of nothing": (
        lambda function: derive_further(Derivation(name="texts", needs=(), derive=function), {}),
        lambda _: None,
        "derivation 'texts': a value of type NoneType instead of a frame",
    ),
}


@pytest.mark.parametrize("what", FAILING)
def test_a_function_that_fails_is_named(what: str) -> None:
    """By what it belongs to, without the text of what it raised."""
    run, function, says = FAILING[what]
    with pytest.raises(InputError, match=says) as failed:
        run(function)
    assert "永安钢铁" not in str(failed.value)


def test_the_place_is_the_last_line_of_the_users_own(tmp_path: Path) -> None:
    """Whatever was called from there; what Silt or a library does of its own has none."""
    file = tmp_path / "declared.py"
    file.write_text("import json\n\n\ndef read(text):\n    return json.loads(text)\n")
    declared: dict[str, Any] = {}
    exec(compile(file.read_text(), file, "exec"), declared)  # noqa: S102
    with pytest.raises(InputError, match=r"it failed with JSONDecodeError in declared\.py, line 5 \(its"):
        _run(declared["read"])
    with pytest.raises(ValueError, match="永安钢铁") as raised:
        _raises()
    assert place_of(raised.value) == ""


def _run(function: Callable[[str], object]) -> None:
    with declared_function("it"):
        function("{")
