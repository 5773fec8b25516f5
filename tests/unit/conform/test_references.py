"""References between tables, over one column or several, broken or not, against a version that goes row by row."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.model import Column, RawTable, Reference
from tests.unit.conform.folders import conformed, counts, problems

Broken = Literal["error", "null", "drop", "keep"]
Row = dict[str, str | None]


def text(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name=name) for name in names)


def as_csv(columns: Sequence[str], rows: Sequence[Row]) -> str:
    lines = [",".join(row[name] or "" for name in columns) for row in rows]
    return "\n".join([",".join(columns), *lines]) + "\n"


BRANCHES = RawTable(
    name="branches",
    columns=(
        Column(name="branch"),
        Column(name="firm"),
        Column(name="town"),
        Column(name="state", allowed=("open", "closed"), treat={"not allowed": "drop"}),
    ),
    key=("branch",),
)
VISITS = RawTable(name="visits", columns=text("id", "of", "at", "other"), key=("id",))
PAIR = Reference(columns=("of", "at"), to_table="branches", to_columns=("firm", "town"))


def files(branches: Sequence[Row], visits: Sequence[Row]) -> dict[str, str]:
    return {
        "branches.csv": as_csv([column.name for column in BRANCHES.columns], branches),
        "visits.csv": as_csv([column.name for column in VISITS.columns], visits),
    }


def branch(name: str, firm: str | None, town: str | None, state: str | None = "open") -> Row:
    return {"branch": name, "firm": firm, "town": town, "state": state}


def visit(name: str, of: str | None, at: str | None, other: str | None = None) -> Row:
    return {"id": name, "of": of, "at": at, "other": other}


LISTED = (branch("1", "A", "Ulm"), branch("2", "A", "Bonn"), branch("3", "B", "Ulm", "sold"))


def test_values_must_occur_together() -> None:
    """Firm B and Bonn both occur, but in no one row; a null among the values refers to nothing."""
    visits = (visit("1", "A", "Ulm"), visit("2", "B", "Bonn"), visit("3", "B", None), visit("4", "A", "Bonn"))
    found = problems(files(LISTED, visits), (BRANCHES, replace(VISITS, references=(PAIR,))))
    assert [(problem.row, problem.column, problem.value) for problem in found] == [(3, "of, at", "B, Bonn")]
    assert found[0].expected == "expected a value of 'firm', 'town' in branches.csv"


@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("UV"), st.sampled_from(["open", "sold"])), max_size=4),
    st.lists(
        st.tuples(
            st.none() | st.sampled_from("ABC"),
            st.none() | st.sampled_from("UVW"),
            st.none() | st.sampled_from("012345"),
        ),
        max_size=6,
    ),
    st.permutations(["pair", "other"]),
    st.sampled_from(["error", "null", "drop", "keep"]),
    st.sampled_from(["null", "drop", "keep"]),
)
def test_references_are_followed_as_a_slow_version_does(
    listed: list[tuple[str, str, str]],
    made: list[tuple[str | None, str | None, str | None]],
    order: list[str],
    pair: Broken,
    other: Broken,
) -> None:
    """Over two columns, and of a table to itself, so that one dropped row takes a chain of others with it."""
    branches = [branch(str(i), *cells) for i, cells in enumerate(listed)]
    visits = [visit(str(i), *cells) for i, cells in enumerate(made)]
    by_name = {
        "pair": replace(PAIR, broken=pair),
        "other": Reference(columns=("other",), to_table="visits", to_columns=("id",), broken=other),
    }
    references = tuple(by_name[name] for name in order)
    tables = (BRANCHES, replace(VISITS, references=references))
    expected = slowly(branches, visits, references)
    if expected is None:
        assert {problem.column for problem in problems(files(branches, visits), tables)} == {"of, at"}
        return
    result = conformed(files(branches, visits), tables)
    counted = Counter({of: count for of, count in counts(result).items() if of[0] == "visits"})
    assert (result.frames["visits"].rows(named=True), counted) == expected


def slowly(
    branches: list[Row], visits: list[Row], references: Sequence[Reference]
) -> tuple[list[Row], Counter[tuple[str, ...]]] | None:
    """Return the visits that stay, as they stay, and what was done to them; None for an error."""
    raw = {"branches": branches, "visits": visits}
    left = {
        "branches": [dict(row) for row in branches if row["state"] == "open"],
        "visits": [dict(row) for row in visits],
    }
    counted = Counter[tuple[str, ...]]()

    def unmet(reference: Reference, tables: dict[str, list[Row]]) -> list[Row]:
        known = {tuple(row[name] for name in reference.to_columns) for row in tables[reference.to_table]}
        told = [(row, tuple(row[name] for name in reference.columns)) for row in left["visits"]]
        return [row for row, cells in told if None not in cells and cells not in known]

    def follow(reference: Reference) -> bool:
        never = unmet(reference, raw)
        missing = unmet(reference, left)
        is_changed = False
        for row in missing:
            was_there = row not in never
            treatment = "drop" if was_there and reference.broken == "error" else reference.broken
            if treatment == "drop":
                left["visits"].remove(row)
            elif treatment == "null":
                row.update(dict.fromkeys(reference.columns))
            is_treated = treatment in ("drop", "null")
            counted[named(reference, "a dropped" if was_there else "no", treatment)] += is_treated
            is_changed |= is_treated
        return is_changed

    while any(follow(reference) for reference in references):
        pass
    if any(reference.broken == "error" and unmet(reference, raw) for reference in references):
        return None
    for reference in references:
        counted[named(reference, "no", "keep")] += (reference.broken == "keep") * len(unmet(reference, left))
    return left["visits"], counted


def named(reference: Reference, to: str, treatment: str) -> tuple[str, str, str, str]:
    """Return what is counted of a reference of visits."""
    return "visits", ", ".join(reference.columns), f"refers to {to} row of {reference.to_table}", treatment


def test_a_key_cannot_become_null() -> None:
    """A reference of key columns is dropped, kept or an error."""
    with pytest.raises(InputError, match=r"a broken reference of 't' can't be null: \['k'\] are of its key"):
        RawTable(
            name="t",
            columns=text("k"),
            key=("k",),
            references=(Reference(columns=("k",), to_table="u", broken="null"),),
        )
