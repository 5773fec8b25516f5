"""The typed model of a noise specification, and the loader that checks one against an environment.

A specification is data: rules in order, each where x mechanism x kind. Carrying them out belongs to `engine.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pipeline.documents.document import Names, YamlDocument
from pipeline.documents.fields import OTHER_ENVIRONMENT, ByType, KnownName, Many, Name, Some, Text
from pipeline.documents.problems import Place, of_file
from pipeline.documents.reading import Reader, load
from pipeline.errors import SpecError
from pipeline.model import Environment
from pipeline.noise.kinds import EARLIER_NAMES, KINDS
from pipeline.noise.kinds.interface import FileKind, Kind, RowKind
from pipeline.noise.mechanisms import AtRandom, CompletelyAtRandom, Condition, Mechanism, NotAtRandom

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule: in which tables, on which rows, how often, what happens, and why."""

    name: str
    """Unique in its specification; the key of the rule's randomness comes from it."""
    kind: Kind
    tables: tuple[str, ...]
    mechanism: Mechanism
    where: tuple[Condition, ...] = ()
    reason: str = ""
    recoverable: bool | None = None
    """Whether an agent can find the truth in the environment alone, where the rule knows better than its kind."""


@dataclass(frozen=True, kw_only=True)
class NoiseSpec:
    """A noise specification; the one without rules gives the clean variant."""

    environment: str
    description: str = ""
    rules: tuple[Rule, ...] = ()
    digest: str = ""
    """SHA-256 of the bytes of the file that it was read from."""

    def on(self, table: str) -> Self:
        """Return what of it concerns one table: the same as long as the rules on that table are."""
        rules = tuple(rule for rule in self.rules if table in rule.tables)
        return replace(self, description="", digest="", rules=rules)


def load_spec(path: Path, environment: Environment) -> NoiseSpec:
    """Read a specification for an environment, or raise `SpecError` with all its problems, each with its place."""
    return read_file(path, environment, _spec, what="noise specification")


def read_file(path: Path, environment: Environment, make: Callable[[Reader, Any], T | None], *, what: str) -> T:
    """Read a YAML file that is about noise in an environment.

    Args:
        environment: Gives the names that the file may use: tables, vocabularies, units.
        make: Makes what the file means out of its data, or None, noting problems with the reader.
        what: What the file is, for errors.

    Raises:
        SpecError: The file cannot be read, is not YAML, or has problems: all of them, each with its place.
    """
    document, repeated, digest = load(path)
    reader = Reader(_names(environment), environment, repeated, digest)
    made = make(reader, document)
    if made is None or reader.problems:
        problems = of_file(str(path), reader.problems, document)
        # A file whose only fault is that it is about another environment may be right.
        mend = "" if all(one.allowed.endswith(OTHER_ENVIRONMENT) for one in problems) else "Mend the file."
        raise SpecError(what, problems, mend=mend)
    return made


def with_present_kind(document: Any) -> Any:
    """Return a part of a file with the present name of the kind that it names."""
    name = _field(document, "kind")
    is_earlier = isinstance(name, str) and name in EARLIER_NAMES
    return {**document, "kind": EARLIER_NAMES[name]} if is_earlier else document


def knowing_columns(reader: Reader, document: Any) -> Reader:
    """Return a reader that knows the columns which all of the `tables` in a part of a file have."""
    return replace(reader, names={**reader.names, **_column_names(reader, document)})


def read_kind(reader: Reader, document: Any, place: Place) -> Kind | None:
    """Return the kind that a part of a file names, with its parameters; None if the reader refused it."""
    name, parameters = _field(document, "kind"), _field(document, "parameters")
    if not isinstance(name, str) or name not in KINDS or not isinstance(parameters, Mapping):
        return None
    return reader.read(KINDS[name], parameters, (*place, "parameters"))


class SpecDocument(YamlDocument):
    """A noise specification: rules that make a clean environment noisy, each where x mechanism x kind."""

    environment: Annotated[str, KnownName("environment")]
    """The environment whose tables the rules name."""
    rules: Many[Any]
    """Rules on cells go first, then rules on rows, then rules on the file; each in the order written. None: no noise."""
    description: str = ""
    """What the specification is for."""


class RuleDocument(YamlDocument):
    """One rule: in which tables, on which rows, how often, what happens, and why."""

    name: Name
    """Unique in the file; the rule's randomness depends on it, so a renamed rule draws anew."""
    kind: Annotated[str, KnownName("kind")]
    """What happens."""
    tables: Some[Annotated[str, KnownName("table")]]
    """Published tables, by file name without folder and ending."""
    mechanism: Annotated[Mechanism, ByType()]
    """How often, and on what that depends."""
    parameters: Mapping[str, Any]
    """What the kind needs to know."""
    reason: Text
    """Why the rule is there: a source for its rate, or whose choice it is."""
    where: Many[Condition] = ()
    """Conditions on clean cells, all of which must hold; none means every row. Of no use to a kind that changes files."""
    recoverable: bool | None = None
    """Whether the truth can be found in the environment alone, where the rule knows better than its kind."""


def _names(environment: Environment) -> Names:
    return {
        "environment": (environment.name,),
        "kind": tuple(KINDS),
        "table": tuple(table.name for table in environment.noisy_tables() if table.row_key),
        "vocabulary": tuple(vocabulary.name for vocabulary in environment.vocabularies),
        "unit": tuple(unit for family in environment.units.values() for unit in family),
    }


def _spec(reader: Reader, document: Any) -> NoiseSpec | None:
    head = reader.read(SpecDocument, document, ())
    if head is None:
        return None
    rules = [_rule(reader, with_present_kind(rule), ("rules", index)) for index, rule in enumerate(head.rules)]
    _refuse_repeated_names(reader, head.rules)
    return NoiseSpec(
        environment=head.environment,
        description=head.description,
        rules=tuple(rule for rule in rules if rule is not None),
        digest=reader.digest,
    )


def _rule(spec_reader: Reader, document: Any, place: Place) -> Rule | None:
    reader = knowing_columns(spec_reader, document)
    head = reader.read(RuleDocument, document, place)
    kind = read_kind(reader, document, place)
    _refuse_misfits(reader, document, place)
    if head is None or kind is None:
        return None
    _refuse_apart(reader, head, kind, place)
    _refuse_rows_of_documents(reader, head, kind, place)
    return Rule(**{name: value for name, value in vars(head).items() if name != "parameters"} | {"kind": kind})


def _refuse_apart(reader: Reader, head: RuleDocument, kind: Kind, place: Place) -> None:
    """Refuse a rule whose tables would not decide alike, where what happens in one depends on another."""
    if kind.spans and set(head.tables) != set(kind.spans):
        reader.refuse((*place, "tables"), head.tables, f"just {', '.join(kind.spans)}")
    if len(kind.spans) > 1 and not isinstance(head.mechanism, CompletelyAtRandom):
        allowed = f"{CompletelyAtRandom.type}: the tables must decide alike"
        reader.refuse((*place, "mechanism", "type"), head.mechanism.type, allowed)
    if len(kind.spans) > 1 and head.where:
        reader.refuse((*place, "where"), head.where, "nothing: the tables must decide alike")


def _refuse_rows_of_documents(reader: Reader, head: RuleDocument, kind: Kind, place: Place) -> None:
    """Refuse noise on the rows or the file of a document, of which only cells can change."""
    tables = [reader.environment.table(name) for name in head.tables]
    documents = [table.name for table in tables if table.document is not None]
    if documents and isinstance(kind, RowKind | FileKind):
        allowed = f"a kind on cells: {', '.join(documents)} is a document, which keeps its rows and its form"
        reader.refuse((*place, "kind"), head.kind, allowed)


def _refuse_misfits(reader: Reader, document: Any, place: Place) -> None:
    """Refuse what kinds of a level cannot use: a file has no rows to choose, only one mechanism judges rows by a column."""
    name, where = _field(document, "kind"), _field(document, "where")
    mechanism = _field(_field(document, "mechanism"), "type")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind and issubclass(kind, FileKind):
        if mechanism in (AtRandom.type, NotAtRandom.type):
            allowed = f"{CompletelyAtRandom.type}: {name} changes the whole file, which has no cell to depend on"
            reader.refuse((*place, "mechanism", "type"), mechanism, allowed)
        if where:
            reader.refuse((*place, "where"), where, f"nothing: {name} changes the whole file, not some of its rows")
    judged_by = _field(_field(document, "parameters"), "judged_by")
    if kind and issubclass(kind, RowKind) and judged_by is not None and mechanism != NotAtRandom.type:
        allowed = f"nothing: only the mechanism {NotAtRandom.type} judges a row by a column"
        reader.refuse((*place, "parameters", "judged_by"), judged_by, allowed)


def _column_names(reader: Reader, document: Any) -> Names:
    """Return the columns that all of the rule's tables have, and the tables beside all of them.

    Anything goes while the tables themselves are wrong.
    """
    known, given = reader.names["table"], _field(document, "tables")
    if not isinstance(given, list) or not given or not all(name in (known or ()) for name in given):
        return {"column": None, "column to change": None, "table beside": None}
    tables = [reader.environment.table(name) for name in given]
    shared = [name for name in tables[0].columns if all(name in table.columns for table in tables)]
    row_keys = {table.row_key for table in tables}
    return {
        "column": shared,
        "column to change": [name for name in shared if name not in row_keys],
        "table beside": [name for name in tables[0].beside if all(name in table.beside for table in tables)],
    }


def _field(document: Any, name: str) -> Any:
    return document.get(name) if isinstance(document, Mapping) else None


def _refuse_repeated_names(reader: Reader, documents: tuple[Any, ...]) -> None:
    names = [_field(document, "name") for document in documents]
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            reader.refuse(("rules", index, "name"), name, "a name that no other rule has")
