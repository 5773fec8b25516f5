"""What is wrong in a document: where it stands, what was found and what is allowed, in our words instead of pydantic's."""

import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from pipeline.errors import SpecProblem, near

Place = tuple[str | int, ...]

_ALLOWED = {
    "string_type": "a text (quote it)",
    "invalid_key": "a text (quote it)",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping whose keys are texts (quote them)",
    "too_short": "at least one",
    "string_too_short": "at least one",
    "string_too_long": "at most {max_length} characters",
    "missing": "a value, the field is required",
}
"""What is allowed by the type of pydantic's error; of other types, pydantic's words will do."""


@dataclass(frozen=True)
class Refusal:
    """A field ("" for the whole object) whose value contradicts another or the environment, and what is allowed."""

    field: str
    found: object
    allowed: str


@dataclass(frozen=True)
class DocumentProblem:
    """One thing that is wrong."""

    place: Place
    found: str
    allowed: str

    def at(self, place: Place) -> "DocumentProblem":
        """Return the problem at another place."""
        return DocumentProblem(place, self.found, self.allowed)


def problem(place: Place, found: object, allowed: str) -> DocumentProblem:
    """Return a problem with a value, cut short if it is long."""
    return DocumentProblem(place, reprlib.repr(found), allowed)


def wrong(found: object, allowed: str) -> PydanticCustomError:
    """Return what a validator raises because of the value that it was given."""
    return _error(problem((), found, allowed))


def all_wrong(problems: Iterable[DocumentProblem]) -> ValidationError:
    """Return what a validator raises because of problems below the value that it was given."""
    lines: list[InitErrorDetails] = [{"type": _error(one), "loc": one.place, "input": None} for one in problems]
    return ValidationError.from_exception_data("document", lines)


def problems_of(error: ValidationError, fields: Sequence[str] = ()) -> Iterator[DocumentProblem]:
    """Yield what pydantic found, in our words; of a document, given the names of its fields."""
    return (_in_words(line, fields) for line in error.errors(include_url=False))


def one_of(known: Iterable[str], found: object) -> str:
    """Return what is allowed as text: one of the known names, and the nearest where the one found looks misspelt."""
    names = list(known)
    meant = near(str(found), names)
    if meant and len(names) > _MANY:
        return f"one of {len(names)}{meant} All of them: {', '.join(names)}"
    return f"one of {', '.join(names)}{meant}"


_MANY = 12
"""Names above which the one that was meant stands first (our choice: they fill more than a line)."""


def of_file(file: str, problems: Iterable[DocumentProblem], document: object = None) -> list[SpecProblem]:
    """Return every problem of a file once, in the order of their places, with the name of the rule that it is in."""
    lines = {(path(one.place), one.found, one.allowed, _name_at(one.place, document)) for one in problems}
    return [
        SpecProblem(file, f"{name}{place}", found, allowed)
        for place, found, allowed, name in sorted(lines, key=_natural)
    ]


def _name_at(place: Place, document: object) -> str:
    """Return the name of the part of a list that a place is in, before its number; nothing if it has none, or that is wrong."""
    match document, place:
        case Mapping(), (of, int() as number, *rest) if rest != ["name"]:
            parts = document.get(of)
            part = parts[number] if isinstance(parts, list) and number < len(parts) else None
            name = part.get("name") if isinstance(part, Mapping) else None
            return f"{reprlib.repr(name)}, " if name and isinstance(name, str) else ""
    return ""


def path(place: Place) -> str:
    """Return a place as people write it: `rules[2].mechanism.rate`."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return steps.removeprefix(".") or "(the whole file)"


def _error(one: DocumentProblem) -> PydanticCustomError:
    return PydanticCustomError("refused", "refused", {"found": one.found, "allowed": one.allowed})


def _in_words(line: ErrorDetails, fields: Sequence[str]) -> DocumentProblem:
    context, found = line.get("ctx", {}), line["input"]
    place = tuple(step for step in line["loc"] if step != "[key]")
    match line["type"]:
        case "refused":
            return DocumentProblem(place, context["found"], context["allowed"])
        case "missing":
            return DocumentProblem(place, "nothing", _ALLOWED["missing"])
        case "unexpected_keyword_argument":
            return problem(place, found, f"only the fields {', '.join(fields)}{near(str(place[-1]), fields)}")
        case "dataclass_type":
            return problem(place, found, f"a mapping of {', '.join(fields)}")
        case "literal_error" | "enum":
            return problem(place, found, one_of(re.findall(r"'([^']*)'", context["expected"]), found))
        case known:
            allowed = _ALLOWED.get(known, line["msg"].removeprefix("Input should be "))
            return problem(place, found, allowed.format_map(context))


def _natural(line: tuple[str, ...]) -> tuple[str, ...]:
    return (re.sub(r"\d+", lambda number: number[0].zfill(9), line[0]), *line[1:])
