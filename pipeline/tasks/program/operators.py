"""The operators of a question's program, as they are written in YAML: each step is one of them.

A step gives rows, one value or a list. Texts refer by their first character: `$sector` is a slot, `@total` a step that gives
one value; any other is a column or a literal, as the field says. Belongs here: what can be written. What fits together is
checked in `checking.py`; what steps give is computed in `running/`, by two routes.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Final, Literal

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import NOT_EMPTY, ByType, Many, Name, Some, Within

Operand = str | int | float
"""`$slot`, `@step`, or a literal; in `derive` and `compute`, a text is the name of a column."""

SLOT, STEP = "$", "@"
"""What the text of an operand begins with that stands for a slot, or for a step."""

How = Literal["ratio", "percent", "difference", "sum", "growth", "scaled", "changed"]
Statistic = Literal["count", "count_distinct", "sum", "mean", "median", "min", "max", "std", "sample_std"]

COUNTS: Final = ("count", "count_distinct")
EXACT: Final = ("sum", "min", "max")
"""Statistics that are as exact as what they are of."""


class Where(YamlDocument):
    """A condition on a column. An empty cell meets none but `is_not` of nothing."""

    column: Name
    """The column."""
    is_: Operand | None = None
    """Equals this."""
    is_not: Operand | None = None
    """Is there, and differs from this."""
    in_: Some[Operand] | None = None
    """Is one of these."""
    above: Operand | None = None
    below: Operand | None = None
    at_least: Operand | None = None
    at_most: Operand | None = None
    contains: Operand | None = None
    """Has this text in it."""
    holds: Operand | None = None
    """Is a list of texts, divided by `separator`, of which this is one."""
    filled: Literal[True] | None = None
    """Is not empty."""
    separator: str = ""
    """What divides the list of `holds`."""

    exactly_one_of: ClassVar[tuple[str, ...]] = (
        "is",
        "is_not",
        "in",
        "above",
        "below",
        "at_least",
        "at_most",
        "contains",
        "holds",
        "filled",
    )

    @property
    def test(self) -> tuple[str, tuple[Operand, ...]]:
        """Return the name of the condition and what it compares with."""
        for name in self.exactly_one_of:
            given = getattr(self, name, getattr(self, f"{name}_", None))
            if given is not None:
                return name, given if isinstance(given, tuple) else (given,)
        raise AssertionError(self.exactly_one_of)


class TableRows(YamlDocument):
    """Takes the rows of a published table that meet all conditions."""

    type: Literal["table"] = "table"
    table: Name
    where: Many[Where] = ()


class FilterRows(YamlDocument):
    """Keeps the rows of a step that meet all conditions."""

    type: Literal["filter"] = "filter"
    of: Name
    where: Some[Where]


class Join(YamlDocument):
    """Keeps the rows of `left` that have a partner in `right`, and takes columns from it. `right` has one row for each key."""

    type: Literal["join"] = "join"
    left: Name
    right: Name
    keys: Annotated[Mapping[str, str], NOT_EMPTY]
    """Column of `left` -> column of `right`."""
    take: Mapping[str, str]
    """New column -> column of `right`."""


class Derive(YamlDocument):
    """Adds a column that is computed in each row: of two columns, or of a column and a value."""

    type: Literal["derive"] = "derive"
    of: Name
    how: How
    first: Operand
    second: Operand
    into: Name


class Extract(YamlDocument):
    """Adds a column with what the group of a pattern takes from a text, at its first match; empty where there is none."""

    type: Literal["extract"] = "extract"
    of: Name
    column: Name
    pattern: Name
    """A regular expression with one group (`patterns.py`)."""
    into: Name
    gives: Literal["text", "number", "date"] = "text"
    unit: str = ""
    """Unit of a number."""
    decimals: Annotated[int, Within(0, 12)] = 0
    """Digits after the point that a number may have."""
    date_format: str = "%Y-%m-%d"
    """How a date is written."""


class DatePart(YamlDocument):
    """Adds a column with the year, quarter or month of a date, as a number."""

    type: Literal["date_part"] = "date_part"
    of: Name
    column: Name
    part: Literal["year", "quarter", "month"]
    into: Name


class Compute(YamlDocument):
    """Computes one value of two (`@step`, `$slot` or a number)."""

    type: Literal["compute"] = "compute"
    how: How
    first: Operand
    second: Operand


class AggregateRows(YamlDocument):
    """Takes a statistic of a column, one for all rows or one for each group; empty cells do not count."""

    type: Literal["aggregate"] = "aggregate"
    of: Name
    statistic: Statistic
    column: Name | None = None
    """What the statistic is of; without it, `count` counts rows."""
    by: Many[Name] = ()
    into: Name = "value"
    """The column of the statistic, where there are groups."""


class Rank(YamlDocument):
    """Keeps the first rows by a column, in that order; rows without a value are left out."""

    type: Literal["rank"] = "rank"
    of: Name
    column: Name
    order: Literal["highest", "lowest"]
    top: Operand


class LookupCell(YamlDocument):
    """Takes the one cell of a column of a step with one row."""

    type: Literal["lookup"] = "lookup"
    of: Name
    column: Name


class Listing(YamlDocument):
    """Takes the cells of a column as a list: as ranked, or sorted and each once."""

    type: Literal["list"] = "list"
    of: Name
    column: Name


class Compare(YamlDocument):
    """Says whether the first value is larger than the second; with labels, which of them is the larger."""

    type: Literal["compare"] = "compare"
    first: Operand
    second: Operand
    labels: Many[Operand] = ()
    """What the two are called: two slots or texts."""


class Criterion(YamlDocument):
    """One criterion of a decision."""

    column: Name
    weight: Operand
    better: Literal["higher", "lower"]


class Decide(YamlDocument):
    """Adds a score from 0 to 1 by weighted criteria, each scaled between its least and its greatest value among the rows.

    Rows that lack a value are left out. Weights count in proportion to their sum.
    """

    type: Literal["decide"] = "decide"
    of: Name
    criteria: Some[Criterion]
    into: Name = "score"


class Constant(YamlDocument):
    """Gives a literal or a slot as a value, with its unit: the rate of a scenario, a limit that the manual sets."""

    type: Literal["literal"] = "literal"
    value: Operand
    unit: str = ""


Operator = (
    TableRows
    | FilterRows
    | Join
    | Derive
    | Extract
    | DatePart
    | Compute
    | AggregateRows
    | Rank
    | LookupCell
    | Listing
    | Compare
    | Decide
    | Constant
)
Step = Annotated[Operator, ByType()]
Steps = Mapping[str, Operator]


def is_slot(operand: object) -> bool:
    """Say whether an operand is a slot."""
    return isinstance(operand, str) and operand.startswith(SLOT)


def is_step(operand: object) -> bool:
    """Say whether an operand is a step."""
    return isinstance(operand, str) and operand.startswith(STEP)


def operands(step: Operator) -> Iterator[Operand]:
    """Yield whatever a step compares, computes or ranks with."""
    match step:
        case TableRows() | FilterRows():
            for where in step.where:
                yield from where.test[1]
        case Derive() | Compute():
            yield from (step.first, step.second)
        case Extract() if is_slot(step.pattern):
            yield step.pattern
        case Compare():
            yield from (step.first, step.second, *step.labels)
        case Rank():
            yield step.top
        case Decide():
            yield from (criterion.weight for criterion in step.criteria)
        case Constant():
            yield step.value
        case _:
            return


def read_steps(step: Operator) -> list[str]:
    """Return the names of the steps that a step reads."""
    whole = [getattr(step, name) for name in ("of", "left", "right") if hasattr(step, name)]
    return [*whole, *(str(each)[1:] for each in operands(step) if is_step(each))]
