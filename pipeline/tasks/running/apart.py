"""Runs statements in a process of their own, which has the tables that they name and nothing else.

A statement may be a stranger's. It has to be one SELECT. DuckDB has loaded the tables before; then it reaches no file, network
or extension, and changes nothing. It bounds neither the length of a text nor the time until it stops, so the system bounds
memory, processor and files of the process.

Both ends of its pipes are here: `python -m pipeline.tasks.running.apart`.
"""

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

MEMORY = 2**31
"""Bytes of address space that a statement may take (our choice: the statements that are made take less than a tenth)."""

BESIDE = 8
"""Bytes of address space for each byte of the tables' files: cells of text lie as 16 bytes and more in memory."""

SECONDS = 20
"""Seconds of processor for a table or a statement (our choice: a thousand times what statements that are made need)."""

_CLOCK = 10
"""Seconds by the clock for each of processor: what sleeps is ended, and a busy machine is waited for."""

_ANSWER = 2**16
"""Bytes of an answer (our choice: a list of ten long names has two thousand)."""


class TableFile(NamedTuple):
    """A table that statements can read."""

    name: str
    file: Path
    null: str
    """What stands in an empty cell."""


class StatementAnswer(NamedTuple):
    """What a statement gave."""

    answer: Any
    refusal: str
    """Why it gives nothing; empty if it gives an answer."""


def run_apart(
    tables: Sequence[TableFile], statements: Sequence[str], *, seconds: int = SECONDS
) -> Iterator[StatementAnswer]:
    """Run statements, each for so many seconds of processor at most, and yield what they give.

    Those that come after one that is out of bounds are not run.
    """
    size = sum(table.file.stat().st_size for table in tables)
    named = [(table.name, str(table.file.resolve()), table.null) for table in tables]
    asked = {"tables": named, "statements": statements, "memory": MEMORY + BESIDE * size, "seconds": seconds}
    # NOTE: -P, or a folder of the user's that is called like one of Silt's would be imported in its place.
    command = [sys.executable, "-P", "-m", __spec__.name]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, env={}) as process:  # noqa: S603  (Silt itself)
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  (pipes were asked for)
        try:
            process.stdin.write(json.dumps(asked).encode())
            process.stdin.close()
            for _ in statements:
                line = process.stdout.readline()
                yield (
                    StatementAnswer(**json.loads(line))
                    if line
                    else StatementAnswer(
                        None, f"it takes more than {seconds} s or {MEMORY >> 30} GB, and no more were run"
                    )
                )
                if not line:
                    return
        finally:
            process.kill()


# --- in the process ----------------------------------------------------------------------------------------------------


def _serve() -> None:
    import duckdb  # noqa: PLC0415  (whoever asks goes without)

    from pipeline.tasks.drawing import answered  # noqa: PLC0415
    from pipeline.tasks.running.duck import ALL_DIGITS, load  # noqa: PLC0415

    def given(statement: str) -> StatementAnswer:
        try:
            parsed = connection.extract_statements(statement)
            if [each.type for each in parsed] != [duckdb.StatementType.SELECT]:
                return StatementAnswer(None, "it is not one SELECT")
            connection.execute("BEGIN TRANSACTION READ ONLY")  # a SELECT may delete rows on its way
            try:
                answer = answered(connection.execute(parsed[0]).fetchone() or (), ALL_DIGITS)
            finally:
                connection.execute("ROLLBACK")
        except (duckdb.Error, ArithmeticError, ValueError) as error:
            return StatementAnswer(None, str(error).splitlines()[0])
        return (
            StatementAnswer(answer, "")
            if len(json.dumps(answer)) <= _ANSWER
            else StatementAnswer(None, "it gives more than an answer")
        )

    asked = json.load(sys.stdin)
    connection = duckdb.connect(config=_CONFIGURATION)
    _bound(asked["memory"])
    for table in asked["tables"]:
        _allow(asked["seconds"])
        with suppress(duckdb.Error):  # then statements say that it is not there
            load(connection, *table)
    connection.execute("SET enable_external_access = false; SET lock_configuration = true")
    for statement in asked["statements"]:
        _allow(asked["seconds"])
        print(json.dumps(given(statement)._asdict()), flush=True)  # noqa: T201  (the pipe)


_CONFIGURATION: dict[str, Any] = {
    "threads": 1,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "temp_directory": "",
}
"""Nothing is fetched or loaded, no variable of Python is a table, and nothing is written when memory is short."""


def _bound(memory: int) -> None:
    """Bound what the process may take beyond what it has now; no file that it writes gets a byte."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _allow(seconds: int) -> None:
    """Allow so many seconds of the processor from now on, and more by the clock. The system ends what takes more."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    signal.alarm(_CLOCK * seconds)


if __name__ == "__main__":
    _serve()
