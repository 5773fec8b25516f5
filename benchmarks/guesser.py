"""Says which tasks of a build can be answered without analysis: by guessing, and by searching for the words of the question.

    python -m benchmarks.guesser environments/dataclaw-18

The guesser is stronger than any that one could build: it knows the answers of all other tasks of the family, and is right if
each part of an answer is one of its guesses. These are 0, true, false, what the question names, the most frequent value at this
place of the family's other answers, and, of each column that the answer reads, the value in the first row and the most frequent
one. The searcher takes the rows of each table that share most cells with the question; it is right if one of the first three
holds the whole answer. No code of Silt is used.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

MOST_GUESSED = 0.05
"""Share of tasks that guessing may answer."""

FIRST_ROWS = 3
TELLING = 3
"""Letters or digits of a part that no row has by chance: flags and ids of industries have fewer."""

LONGEST_WORD = 60
"""Letters of a cell that may be a word of a question (our choice: names of firms and industries have fewer)."""

Task = Mapping[str, Any]


def main() -> None:
    """Print how many tasks are guessed and found, and which."""
    folder = Path(sys.argv[1])
    tasks, database = read(folder), folder / "clean/database"
    guessed = [task["id"] for task in tasks if is_guessed(task, tasks, database)]
    found = [task["id"] for task in tasks if is_found(task, database)]
    for name, ids in (("guessed", guessed), ("found by search", found)):
        print(f"{name}: {len(ids)} of {len(tasks)} ({len(ids) / len(tasks):.1%})")
        families = Counter(task["family"] for task in tasks if task["id"] in ids)
        print("".join(f"  {family}: {count}\n" for family, count in families.most_common()), end="")
    sys.exit(len(guessed) > MOST_GUESSED * len(tasks) or bool(found))


def read(folder: Path) -> list[Task]:
    """Return the tasks of dev and test with their answers."""
    asked = {task["id"]: task for name in ("dev", "test") for task in _lines(folder / f"tasks/{name}.jsonl")}
    kept = {task["id"]: task for task in _lines(folder / "curator/tasks/test_answers.jsonl")}
    return [task | kept.get(name, {}) for name, task in asked.items()]


def is_guessed(task: Task, tasks: Sequence[Task], database: Path) -> bool:
    """Say whether each part of the answer is one of the guesses."""
    guesses = set(_of_columns(task, database)) | {"0", "True", "False"}
    others = [parts(other) for other in tasks if other["family"] == task["family"] and other is not task]
    for place, part in enumerate(parts(task)):
        usual = Counter(other[place] for other in others if len(other) > place).most_common(1)
        is_usual = bool(usual) and usual[0][0] == part and usual[0][1] > 1
        is_named = not _number(part) and part in task["question"]
        if not (is_usual or is_named or any(_is_same(part, guess, task["tolerance"]) for guess in guesses)):
            return False
    return True


def is_found(task: Task, database: Path) -> bool:
    """Say whether a row that shares most cells with the question holds the answer."""
    numbers = set(re.findall(r"\d+(?:\.\d+)?", task["question"]))
    return any(len(re.sub(r"\W", "", part)) >= TELLING for part in parts(task)) and any(
        all(any(_is_same(part, cell, task["tolerance"]) for cell in row) for part in parts(task))
        for file in _tables(database)
        for row in _nearest(file, task["question"], numbers)
    )


def parts(task: Task) -> list[str]:
    """Return the parts of an answer as texts."""
    answer = task["answer"]
    return [str(part) for part in (answer if isinstance(answer, list) else [answer])]


def _nearest(file: Path, question: str, numbers: set[str]) -> Iterator[list[str]]:
    """Yield the first rows that share most cells with a question, without the cells that they share."""
    words = {word for word in _words(file) if word in question} | numbers
    table = _table(file)
    shared = table.select(pl.sum_horizontal(pl.all().is_in(list(words)).fill_null(value=False)).alias("shared"))[
        "shared"
    ]
    most = int(str(shared.max() or 0))
    if most:
        for row in table.filter(shared == most).head(FIRST_ROWS).iter_rows():
            yield [cell for cell in row if cell is not None and (cell not in question or _number(cell))]


def _of_columns(task: Task, database: Path) -> Iterator[str]:
    for file, column in {(cell["file"], cell["column"]) for cell in task["evidence"]}:
        yield from _first_and_usual(database / file, column)


@cache
def _first_and_usual(file: Path, column: str) -> tuple[str, ...]:
    cells = _table(file)[column].drop_nulls()
    return (cells[0], str(cells.mode().sort()[0])) if len(cells) else ()


@cache
def _words(file: Path) -> frozenset[str]:
    """Return the cells of a table that may be words of a question."""
    table, words = _table(file), set[str]()
    for name in table.columns:
        is_word = pl.col(name).str.len_chars().is_between(2, LONGEST_WORD) & ~pl.col(name).str.contains(
            r"^[-0-9./: ]+$"
        )
        words |= set(table.select(pl.col(name).unique()).filter(is_word)[name].to_list())
    return frozenset(words)


@cache
def _table(file: Path) -> pl.DataFrame:
    return pl.read_csv(file, infer_schema_length=0)


@cache
def _tables(database: Path) -> tuple[Path, ...]:
    return tuple(sorted(database.rglob("*.csv")))


def _is_same(part: str, cell: str, tolerance: float) -> bool:
    first, second = _number(part), _number(cell)
    return part == cell or (bool(first and second) and abs(float(first) - float(second)) <= tolerance)


def _number(text: str) -> str:
    return text if re.fullmatch(r"-?\d+(\.\d+)?", text) else ""


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
