"""Runs every mutant and prints which check caught it: `python -m tests.mutants`.

The table stands on standard output. It ends with status 1 if a check failed that is not declared, one did not that is, or a
check of the graph has no mutant.
"""

import sys

from tests.mutants.catalogue import MUTANTS, line, table
from tests.mutants.laboratory import checks_of, laboratory


def main() -> int:
    """Print the table, mutant by mutant, then what was not as declared; return the exit status."""
    wrong = []
    with laboratory() as bench:
        print(table(()), end="", flush=True)  # noqa: T201 - the program's output
        for mutant in MUTANTS:
            failed = bench.outcome(mutant).failed
            print(line(mutant), flush=True)  # noqa: T201
            if failed != mutant.expected:
                wrong.append(f"{mutant.name}: failed {sorted(failed)}, declared {sorted(mutant.expected)}")
        unmet = sorted(checks_of(bench.environment) - {mutant.meant for mutant in MUTANTS})
    wrong += [f"{check}: no mutant is there for it" for check in unmet]
    print(f"\n{len(MUTANTS)} mutants, {len(wrong)} not as declared", *wrong, sep="\n")  # noqa: T201
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
