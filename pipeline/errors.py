"""Every error that Silt raises on purpose, on one screen.

Two families: the user's input is wrong (`InputError`, exit status 2), or a gate refused a build (`GateError`, exit status 1).
Messages are built here, next to their facts. An error is legible whatever value it quotes, and never holds a raw
identifier: whoever raises it withholds the value.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from pipeline.legible import legible, one_line
from pipeline.wording import counted

CRASH_STATUS = 3
"""Exit status of the command line after a defect in Silt itself, which raises none of these errors."""

WITHHELD = "(withheld: it identifies a company)"


def near(found: str, known: Sequence[str]) -> str:
    """Return the known name that a misspelt one was meant to be, as the end of a message; nothing if none is near."""
    bare = {name.lstrip("-"): name for name in known}  # two dashes that both have make no two options alike
    close = difflib.get_close_matches(found.lstrip("-"), bare, n=1)
    return f"; did you mean {bare[close[0]]!r}?" if close else ""


def near_path(path: Path) -> str:
    """Return what of its kind lies beside a path that is not there, as `near`; nothing if it is there."""
    with suppress(OSError):
        seen = (each for each in path.parent.iterdir() if not each.name.startswith("."))
        beside = (each for each in seen if each.suffix == path.suffix and each.exists())
        return "" if path.exists() else near(str(path), [str(each) for each in beside])
    return ""


def said(error: BaseException) -> str:
    """Return the message of an error that somebody else wrote, on one line; some cannot be read."""
    try:
        return " ".join(str(error).split())
    except Exception:  # noqa: BLE001  (their `__str__` is anybody's)
        return "its message cannot be read"


class SiltError(Exception):
    """The base of all of them; `exit_status` is the exit status of the command line."""

    exit_status = 2
    steps = 0
    """Steps that a build had begun when it ended so."""

    def __str__(self) -> str:
        """Return the message, with characters that a terminal would obey made visible."""
        return legible(super().__str__())


class InputError(SiltError):
    """Bad usage, bad input or a place that cannot be read or written; the message says what to do about it."""

    problems: "tuple[Problem | SpecProblem, ...]" = ()
    """Of the raw tables or a specification, if it is about these."""
    mending: Mapping[str, Any] = MappingProxyType({})
    """Settings to add so that the same command can succeed, where they are known."""

    @classmethod
    def unknown(cls, what: str, found: object, known: Iterable[str]) -> Self:
        """Return an error that names the unknown value and all known ones."""
        listed = sorted(known)
        return cls(f"unknown {what} {found!r}; known: {', '.join(listed)}{near(str(found), listed)}")


def two_parts(first: SiltError, second: InputError) -> InputError:
    """Return one error of two that are both in the way of a build."""
    return InputError(f"not ready to build; 2 parts to mend:\n{first}\n{second}")


class KeyFileError(InputError):
    """A release key that cannot be used. The error never holds any part of the key."""


class SpecError(InputError):
    """A noise specification that cannot be used: where in it, the value found, and what is allowed."""

    def __init__(self, message: str, problems: "Iterable[SpecProblem]" = (), *, mend: str = "") -> None:
        """Keep the problems; of these the message says where they are, and `mend` what to do."""
        self._listed, self._where, self._mend = tuple(problems), message, mend
        self.problems = self._listed
        listed = [f"{counted(len(self.problems), 'problem')} in the {message}:", *(f"  {one}" for one in self.problems)]
        super().__init__("\n".join([*listed, *filter(None, [mend])]) if self.problems else message)

    def without(self, found: Collection[str]) -> "SpecError | None":
        """Return it without problems of these names, which are right where the declaration is wrong; None if none is left."""
        left = [problem for problem in self._listed if problem.found not in {*map(repr, found)}]
        if len(left) == len(self._listed):
            return self
        return SpecError(self._where, left, mend=self._mend) if left else None


class GateError(SiltError):
    """A gate refused a build: its files stay in the curator's folder and nothing is published."""

    exit_status = 1

    def __init__(
        self,
        message: str,
        failing: Mapping[str, str] | None = None,
        *,
        over: Sequence[str] = (),
        report: str = "",
        is_drawn: bool = False,
    ) -> None:
        super().__init__(message)
        self.failing = dict(failing or {})
        """What each failing gate found, by its name."""
        self.over = list(over)
        """Attacks that are over their limit, the farthest first, with what they found: for the curator, as `raw_rows` are."""
        self.report = report
        """The page of the refused build; empty if there is none."""
        self.is_drawn = is_drawn
        """Whether the draw of the key decided, before anything was there to judge: another key may pass."""
        self.raw_rows: list[str] = []
        """Where in the raw tables stands what identifies, for the curator: file, row and column."""


@dataclass(frozen=True, order=True)
class Problem:
    """One defect of the raw tables: where it is, the value found, what was expected.

    `row` is the record's line in the file's own numbering (the header is row 1); 0 if the problem concerns the whole file.
    """

    file: str
    row: int
    column: str
    value: str
    expected: str

    def __str__(self) -> str:
        """Print one line, whatever a name in it holds: file, row, column, value, expectation."""
        place = ", ".join(
            part
            for part in (
                self.file,
                f"row {self.row}" if self.row else "",
                f"column{'s' if self._is_of_several else ''} {self.column!r}" if self.column else "",
            )
            if part
        )
        found = f": found {self.value if self.value == WITHHELD else repr(self.value)}" if self.value else ""
        return one_line(f"{place}{found}; {self.expected}")

    @property
    def _is_of_several(self) -> bool:
        """Say whether it is of a key of several columns; elsewhere a comma is a header's own."""
        return OF_A_KEY in self.expected and ", " in self.column


@dataclass(frozen=True)
class SpecProblem:
    """One defect of a specification: where it is, what was found there, what is allowed."""

    file: str
    place: str
    found: str
    allowed: str

    def __str__(self) -> str:
        """Print one line."""
        return f"{self.file}: {self.place}: found {self.found}; allowed: {self.allowed}"


_OF_A_CELL = "expected "
"""How begins what is said of a cell, whose problem names its row and its column: it can be mended by a treatment."""

NO_FILE = "the file is missing"
OF_A_KEY = "a key that no other record has"
"""What is said of two problems that are mended in a way of their own."""

MISSING = "the column is missing"
"""How begins what is said of a declared column that no header has; the value is that which may be meant, if one may."""
_OF_A_HEADER = ("the column is", "no such column", "expected a header row")
"""How begins what is said of the columns of a file, which other columns in the declaration mend."""


class ContractError(InputError):
    """The raw tables break their declared contract; holds every problem found, sorted."""

    shown = 50
    problems: tuple[Problem, ...]

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        lines = [
            f"{counted(len(self.problems), 'problem')} in the raw tables:",
            *(f"  {p}" for p in self.problems[: self.shown]),
        ]
        if len(self.problems) > self.shown:
            lines.append(f"  ... and {len(self.problems) - self.shown} more")
        self.misspelt = frozenset(
            each.value for each in self.problems if each.value and each.expected.startswith(MISSING)
        )
        """Headers that may be a declared column whose name is misspelt."""
        expected = [problem.expected for problem in self.problems]
        of_headers = any(each.startswith(_OF_A_HEADER) for each in expected)
        of_keys = any(OF_A_KEY in each for each in expected)
        of_cells = any(
            each.row and each.column and each.expected.startswith(_OF_A_CELL) and OF_A_KEY not in each.expected
            for each in self.problems
        )
        missing = [each.startswith(NO_FILE) for each in expected]
        where = "there how to treat cells" if of_headers else "in the declaration how to treat these"
        ways = {
            "correct the columns in the declaration (`ignored` leaves some out)": of_headers,
            f"say {where} (`null_tokens`, `treat`; see docs/tutorial.md)": of_cells,
            "declare which row of a key counts (`repeats`), or another `key`": of_keys,
            "declare the name that the file has (`file`)": any(missing),
        }
        first = "Give each file the name that is looked for" if missing and all(missing) else "Mend the raw tables"
        lines.append(f"{', or '.join([first, *(way for way, fits in ways.items() if fits)])}.")
        super().__init__("\n".join(lines))
