"""What a step reports: assets with what is shown of them, and the outcomes of checks.

All of it is plain, and stands in a record as it is: no step and no worker waits until Dagster is imported, and a build that
nobody records does without. `assets/wiring/graph/nodes.py` shows it as Dagster does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

AssetPath = tuple[str, ...]
"""Environment, stage and name of an asset."""

ROW_COUNT = "dagster/row_count"
"""What is shown under this name is how many rows an asset has."""


class Fact(NamedTuple):
    """What is shown otherwise than as the text, number or list that it is."""

    form: Literal["plain", "markdown", "path", "schema", "lineage"]
    """A schema is a list of name, type and description. Lineage has for each column the assets and columns that it is from."""
    value: Any


@dataclass(frozen=True, kw_only=True)
class MadeAsset:
    """An asset that was made."""

    asset: AssetPath
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CheckOutcome:
    """The outcome of a check."""

    check: str
    is_passed: bool
    is_warning: bool = False
    """Whether a failure only warns."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


Result = MadeAsset | CheckOutcome

Recorded = Mapping[str, Any]
"""A result as JSON has it: `asset` and `metadata`; or `check`, `is_passed`, `is_warning` and `metadata`."""


def recorded(result: Result) -> Recorded:
    """Return a result as JSON has it: of metadata its name in plain words, its form and value."""
    facts = {
        in_words(name): value if isinstance(value, Fact) else Fact("plain", value)
        for name, value in result.metadata.items()
    }
    return vars(result) | {"metadata": facts}


def in_words(name: str) -> str:
    """Return the name of a fact in plain words; one of Dagster's own has a prefix, and is as that has it."""
    return name if "/" in name else name.replace("_", " ")


def is_refusal(record: Recorded) -> bool:
    """Say whether a result is a check that failed and does not only warn."""
    return "check" in record and not record["is_passed"] and not record["is_warning"]


def rows_of(record: Recorded) -> int:
    """Return how many rows an asset has; none of what has no rows."""
    return int(record["metadata"].get(ROW_COUNT, (None, 0))[1]) if "asset" in record else 0
