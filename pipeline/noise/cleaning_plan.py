"""The typed model of a cleaning plan, and the loader that checks one against an environment.

A plan is what a careful analyst would suspect of an environment's published tables and look for, in order. It knows what
columns hold (a unit label and its figure, names of a vocabulary, days in one form) and nothing of what noise did: no rates,
no mechanisms, no rules; so one plan serves every specification. Carrying it out belongs to `validation/cleaner`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import KnownName, Many, Some, Text
from pipeline.documents.problems import Place
from pipeline.documents.reading import Reader
from pipeline.model import Environment
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.spec import knowing_columns, read_file, read_kind, with_present_kind


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """One thing to look for and to mend: a kind of noise with what it needs to know of the columns, and where."""

    kind: Kind
    tables: tuple[str, ...]
    reason: str
    """What in the environment gives it away, or holds the truth."""


@dataclass(frozen=True, kw_only=True)
class CleaningPlan:
    """What to look for in an environment, in order: what a later suspicion reads, an earlier one has mended."""

    environment: str
    description: str = ""
    suspicions: tuple[Suspicion, ...] = ()

    def within(self, tables: Collection[str]) -> "CleaningPlan":
        """Return the part of the plan that is about some tables."""
        parts = (
            replace(suspicion, tables=tuple(name for name in suspicion.tables if name in tables))
            for suspicion in self.suspicions
        )
        return replace(self, suspicions=tuple(part for part in parts if part.tables))


def load_plan(path: Path, environment: Environment) -> CleaningPlan:
    """Read a cleaning plan for an environment, or raise `SpecError` with all its problems, each with its place."""
    return read_file(path, environment, _plan, what="cleaning plan")


class _PlanDocument(YamlDocument):
    environment: Annotated[str, KnownName("environment")]
    suspicions: Many[Any]
    description: str = ""


class _SuspicionDocument(YamlDocument):
    kind: Annotated[str, KnownName("kind")]
    tables: Some[Annotated[str, KnownName("table")]]
    parameters: Mapping[str, Any]
    reason: Text


def _plan(reader: Reader, document: Any) -> CleaningPlan | None:
    head = reader.read(_PlanDocument, document, ())
    if head is None:
        return None
    read = [
        _suspicion(reader, with_present_kind(part), ("suspicions", index)) for index, part in enumerate(head.suspicions)
    ]
    return CleaningPlan(
        environment=head.environment,
        description=head.description,
        suspicions=tuple(suspicion for suspicion in read if suspicion is not None),
    )


def _suspicion(plan_reader: Reader, document: Any, place: Place) -> Suspicion | None:
    reader = knowing_columns(plan_reader, document)
    head = reader.read(_SuspicionDocument, document, place)
    kind = read_kind(reader, document, place)
    if head is None or kind is None:
        return None
    return Suspicion(kind=kind, tables=head.tables, reason=head.reason)
