"""Answers to statements over tables, which tests ask for again and again: a process of its own gives each once.

Most releases that tests look at have the same tasks over the same tables, and the process that runs their statements takes a
second. What a statement gives depends on its text and on the tables alone; where either was changed, it is run.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from pipeline.publish.files import sha256
from pipeline.tasks.running.apart import StatementAnswer, TableFile, run_apart

MOST = 10**6
"""Bytes of tables over which answers are remembered: more have none of the releases that are looked at often."""


@contextmanager
def remembered() -> Iterator[None]:
    """Run statements apart only where they, or the bytes of a table, are others than before."""
    answers: dict[object, list[StatementAnswer]] = {}

    def given(tables: Sequence[TableFile], statements: Sequence[str]) -> list[StatementAnswer]:
        if sum(table.file.stat().st_size for table in tables) > MOST:
            return list(run_apart(tables, statements))
        asked = tuple((table.name, sha256(table.file), table.null) for table in tables), tuple(statements)
        if asked not in answers:
            answers[asked] = list(run_apart(tables, statements))
        return answers[asked]

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("pipeline.tasks.checked.run_apart", given)
        yield
