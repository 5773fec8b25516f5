"""Raw folders of a few lines, conformed: what the tests of whole folders share."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipeline.conform import Conformed, conform
from pipeline.errors import ContractError, Problem
from pipeline.model import RawTable


def conformed(files: Mapping[str, str], tables: tuple[RawTable, ...]) -> Conformed:
    with tempfile.TemporaryDirectory() as directory:
        for name, content in files.items():
            (Path(directory) / name).write_text(content, encoding="utf-8", newline="")
        return conform(tables, Path(directory))


def problems(files: Mapping[str, str], tables: tuple[RawTable, ...]) -> tuple[Problem, ...]:
    with pytest.raises(ContractError, match="problem") as caught:
        conformed(files, tables)
    return caught.value.problems


def counts(result: Conformed) -> dict[tuple[str, str, str, str], int]:
    return {(each.table, each.column, each.cause, each.treatment): each.count for each in result.treated}
