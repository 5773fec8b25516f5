"""Times tab_err on a table; run by the interpreter of the peers' own environment, which has pandas and not Silt.

Arguments: the CSV file, and for each error `TYPE:COLUMN:RATE`. Prints seconds (the best of three) and the cells changed.
"""

import sys
import time
import warnings

import pandas as pd
from tab_err import ErrorModel, error_mechanism, error_type
from tab_err.api import MidLevelConfig, mid_level

TYPES = {
    "missing": error_type.MissingValue,
    "unit": lambda: error_type.WrongUnit({"wrong_unit_scaling": lambda value: value / 10_000}),
    "typo": error_type.Typo,
}


def main() -> None:
    """Read the table, make the errors three times, and say how long it took at best."""
    warnings.simplefilter("ignore")
    table = pd.read_csv(sys.argv[1])
    times, cells = [], 0
    for repeat in range(3):
        config = MidLevelConfig(_models(sys.argv[2:], seed=repeat))
        started = time.perf_counter()
        _, mask = mid_level.create_errors(table, config)
        times.append(time.perf_counter() - started)
        cells = int(mask.to_numpy().sum())
    print(min(times), cells)


def _models(errors: list[str], *, seed: int) -> dict[str, list[ErrorModel]]:
    models: dict[str, list[ErrorModel]] = {}
    for number, error in enumerate(errors):
        kind, column, rate = error.split(":")
        mechanism = error_mechanism.ECAR(seed=seed * 100 + number)
        models.setdefault(column, []).append(ErrorModel(mechanism, TYPES[kind](), float(rate)))
    return models


if __name__ == "__main__":
    main()
