"""What is asked of a set of tasks: its settings, from which options, Dagster's fields and the set's manifest follow."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pipeline.errors import InputError
from pipeline.settings import DEFAULT, setting, values_of

MAJORITY = Fraction(1, 20)
"""Share of all tasks that any one answer may have, and so that may have none (our choice: what is guessed must not pay)."""

FAMILIES = "families"
"""The setting that the manifest does not state: it is a path, and the digest of what stands there is stated instead."""


@dataclass(frozen=True, kw_only=True)
class TasksSettings:
    """What `silt tasks make` can be given, besides what says which build it is."""

    families: str = setting(
        "file of families (YAML); without it tasks.yaml beside the declaration, or else generic families", ""
    )
    count: int = setting("number of tasks, dev and test together; without it as the families state", 0, read=int)
    dev: str = setting("share of tasks that are published with answers" + DEFAULT, "1/10")
    unanswerable: str = setting(
        "largest share of tasks that the noisy tables cannot answer; the right answer says so" + DEFAULT, "0"
    )
    impact: bool = setting("also find out what the noise of the noisy variant does to each task", default=False)

    def __post_init__(self) -> None:
        if self.count < 0:
            raise InputError(f"--count {self.count} is not a number of tasks; give 1 or more")
        _ = self.dev_share
        if self.unanswerable_share > MAJORITY:
            raise InputError(
                f"--unanswerable {self.unanswerable} is too much: whoever always says that there is no answer would be right "
                f"so often; give {float(MAJORITY):g} or less"
            )

    @property
    def dev_share(self) -> Fraction:
        """Return the share of tasks with answers."""
        return _share("dev", self.dev)

    @property
    def unanswerable_share(self) -> Fraction:
        """Return the share of tasks that are kept although they cannot be answered."""
        return _share("unanswerable", self.unanswerable)

    @property
    def stated(self) -> dict[str, Any]:
        """Return them as the manifest of a set states them, so that it can be made again."""
        return {name: value for name, value in values_of(self).items() if name != FAMILIES}


def _share(name: str, text: str) -> Fraction:
    try:
        share = Fraction(-1 if "e" in text.lower() else text)  # an exponent may be one that no memory holds
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise InputError(f"--{name} {text!r} is not a share; give a number from 0 to 1")
    return share
