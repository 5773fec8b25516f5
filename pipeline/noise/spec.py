"""The typed model of a noise specification, and the loader that checks one against an environment.

A specification is data: rules in order, each where x mechanism x kind. Carrying them out belongs to `engine.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import yaml

from pipeline.environment.model import Environment
from pipeline.errors import SpecError
from pipeline.noise.documents import Known, Names, NotEmpty, Place, Reader, Text, duplicate_keys
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.mechanisms import Condition, Mechanism

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader that is written in C, where PyYAML has it: each table of a build reads the specification."""


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


def load_spec(path: Path, environment: Environment) -> NoiseSpec:
    """Read a specification for an environment.

    Raises:
        SpecError: The file cannot be read, is not YAML, or has problems: all of them, each with its place.
    """
    document, repeated = _document(path)
    reader = Reader(_names(environment), environment)
    for place, line in repeated:
        reader.refuse(place, f"twice, {line}", "each key once")
    spec = _spec(reader, document)
    if reader.problems:
        lines = "\n".join(f"  {path}: {line}" for line in reader.lines())
        raise SpecError(f"{len(reader.lines())} problem(s) in the noise specification:\n{lines}\nMend the file.")
    return spec


@dataclass(frozen=True, kw_only=True)
class _SpecDocument:
    environment: Annotated[str, Known("environment")]
    rules: tuple[Any, ...]
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class _RuleDocument:
    name: Text
    kind: Annotated[str, Known("kind")]
    tables: Annotated[tuple[Annotated[str, Known("table")], ...], NotEmpty()]
    mechanism: Mechanism
    parameters: Mapping[str, Any]
    reason: Text
    where: tuple[Condition, ...] = ()
    recoverable: bool | None = None


def _document(path: Path) -> tuple[Any, list[tuple[Place, str]]]:
    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, _Loader)
        repeated = list(duplicate_keys(node)) if node is not None else []
        return yaml.load(text, _Loader), repeated  # noqa: S506  (a safe loader)
    except OSError as error:
        raise SpecError(f"{path}: cannot be read ({error.strerror}); give the path of a YAML file") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date like 2022-13-45
        raise SpecError(f"{path}: is not YAML; {' '.join(str(error).split())}") from error


def _names(environment: Environment) -> Names:
    return {
        "environment": (environment.name,),
        "kind": tuple(KINDS),
        "table": tuple(table.name for table in environment.tables if table.folder == "database" and table.row_key),
        "vocabulary": tuple(vocabulary.name for vocabulary in environment.vocabularies),
        "unit": tuple(unit for family in environment.units.values() for unit in family),
    }


def _spec(reader: Reader, document: Any) -> NoiseSpec:
    head = reader.read(_SpecDocument, document, ())
    if head is None:
        return NoiseSpec(environment=reader.environment.name)
    rules = [_rule(reader, rule, ("rules", index)) for index, rule in enumerate(head.rules)]
    _refuse_repeated_names(reader, head.rules)
    return NoiseSpec(
        environment=head.environment,
        description=head.description,
        rules=tuple(rule for rule in rules if rule is not None),
    )


def _rule(spec_reader: Reader, document: Any, place: Place) -> Rule | None:
    reader = replace(spec_reader, names={**spec_reader.names, **_column_names(spec_reader, document)})
    head = reader.read(_RuleDocument, document, place)
    kind = _kind(reader, document, (*place, "parameters"))
    if head is None or kind is None:
        return None
    return Rule(
        name=head.name,
        kind=kind,
        tables=head.tables,
        mechanism=head.mechanism,
        where=head.where,
        reason=head.reason,
        recoverable=head.recoverable,
    )


def _kind(reader: Reader, document: Any, place: Place) -> Kind | None:
    name, parameters = _field(document, "kind"), _field(document, "parameters")
    if not isinstance(name, str) or name not in KINDS or not isinstance(parameters, Mapping):
        return None  # the reader has refused it already
    kind: Kind | None = reader.read(KINDS[name], parameters, place)
    return kind


def _column_names(reader: Reader, document: Any) -> Names:
    """Return the columns that all of the rule's tables have; anything goes while the tables themselves are wrong."""
    known, given = reader.names["table"], _field(document, "tables")
    if not isinstance(given, list) or not given or not all(name in (known or ()) for name in given):
        return {"column": None, "column to change": None}
    tables = [reader.environment.table(name) for name in given]
    shared = [name for name in tables[0].columns if all(name in table.columns for table in tables)]
    row_keys = {table.row_key for table in tables}
    return {"column": shared, "column to change": [name for name in shared if name not in row_keys]}


def _field(document: Any, name: str) -> Any:
    return document.get(name) if isinstance(document, Mapping) else None


def _refuse_repeated_names(reader: Reader, documents: tuple[Any, ...]) -> None:
    names = [_field(document, "name") for document in documents]
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            reader.refuse(("rules", index, "name"), name, "a name that no other rule has")
