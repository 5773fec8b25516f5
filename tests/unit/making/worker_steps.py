"""Steps that a worker of the tests performs: `python -m tests.unit.making.worker_steps ENVIRONMENT PIPE`."""

import os
import sys
from collections.abc import Iterator

from assets.making.engines.worker import serve
from assets.making.parameters import POLICY
from assets.making.results import Result
from assets.making.step import Run, Step
from pipeline.model import Environment
from silt.environments.registry import ENVIRONMENTS

DEFECT = "defect"
"""Name of the step that fails wherever it is performed."""

ENDS_WORKER = "ends the worker"
"""Name of the step that ends the process that performs it, but for the one whose number is in the variable `SPARED`."""

SPARED = "SPARED"


def steps(environment: Environment) -> tuple[Step, ...]:
    """Return a step that keeps the number of its process, and two that go wrong."""
    return tuple(_step(environment, name) for name in ("number", DEFECT, ENDS_WORKER))


def _step(environment: Environment, name: str) -> Step:
    def body(run: Run) -> Iterator[Result]:
        if name == DEFECT:
            raise ValueError(name)
        if name == ENDS_WORKER and os.environ[SPARED] != str(os.getpid()):
            os._exit(1)
        run.log(f"under {run.use(POLICY).name}")
        yield run.made("stage", name, str(os.getpid()), {"number": 1})

    return Step(
        environment=environment,
        name=name,
        label=name,
        reads=frozenset(),
        uses=frozenset({POLICY}),
        makes=frozenset({("stage", name)}),
        body=body,
    )


if __name__ == "__main__":
    declared = ENVIRONMENTS[sys.argv[1]]
    serve(int(sys.argv[2]), declared, steps(declared))
