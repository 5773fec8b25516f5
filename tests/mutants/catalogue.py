"""All mutants, in the order in which a build would meet them, and their table."""

from tests.mutants.aggregates import AGGREGATE_MUTANTS
from tests.mutants.figures import FIGURE_MUTANTS
from tests.mutants.mutant import Mutant
from tests.mutants.noise import NOISE_MUTANTS
from tests.mutants.tables import TABLE_MUTANTS

MUTANTS = (*FIGURE_MUTANTS, *AGGREGATE_MUTANTS, *TABLE_MUTANTS, *NOISE_MUTANTS)


def table(mutants: tuple[Mutant, ...] = MUTANTS) -> str:
    """Return the mutants as a table in Markdown: what is wrong, which check finds it, which others do and why."""
    lines = ["| mutant | what is wrong | found by | and, because |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(line, mutants)]) + "\n"


def line(mutant: Mutant) -> str:
    """Return a mutant's row of the table."""
    others = "; ".join(f"`{check}`: {reason}" for check, reason in mutant.also.items())
    return f"| {mutant.name} | {mutant.does} | `{mutant.meant}` | {others} |"
