"""What performs steps: this process, workers beside it, or a cluster.

An engine is handed runs and gives back outcomes. It says where a step is performed, when, and how often it is tried; rows never
pass through it: a step reads its tables from the store, and keeps there what it makes.
"""

import os
from typing import Protocol

from assets.making.step import Run, StepOutcome


class Engine(Protocol):
    """Performs steps, several at a time. Raises what a step raises."""

    @property
    def at_once(self) -> int:
        """Return how many steps it performs at a time."""

    def __call__(self, run: Run) -> StepOutcome:
        """Perform a step."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
