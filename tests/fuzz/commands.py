"""Commands that are wrong somewhere: an option has a random value, or a file is another one. None may end as a defect.

Commands and options come from the parser itself. A build is given tables that its first step refuses, after all settings.
"""

import argparse
import os
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from silt.cli import _parser, main
from silt.commands import COMMANDS

KEY = "0123456789abcdef" * 4
"""What stands in the key file: no eight digits of it may be told."""

_OF_SHOPS = "--environment shops.py:SHOPS"
_COMMANDS = (
    f"check {_OF_SHOPS} --raw shops --noise shops.yaml",
    f"build noisy {_OF_SHOPS} --raw broken --noise shops.yaml --key-file my.key",
    f"ablate {_OF_SHOPS} --raw broken --noise ladder.yaml --key-file my.key",
    f"release {_OF_SHOPS} --raw broken --noise shops.yaml --version 1.0.0 --key-file my.key",
    f"audit noisy {_OF_SHOPS} --raw shops --out environments --key-file my.key",
    f"reveal {_OF_SHOPS} --out environments --key-file my.key",
    f"verify environments/shops/noisy {_OF_SHOPS} --public-key my.pub",
    f"rebuild environments/shops {_OF_SHOPS} --raw broken --key-file my.key",
    "diff environments/shops environments/shops",
    "init shops --to declared.py",
    "dev --host localhost --port 3000",
    f"noise explain shops.yaml {_OF_SHOPS}",
    f"noise undo {_OF_SHOPS} --variant environments/shops/noisy --ledger ledger.parquet --to mended",
    f"noise replay {_OF_SHOPS} --variant environments/shops/clean --ledger ledger.parquet --to noised",
    "noise changes --ledger ledger.parquet --table shops",
    "noise kinds",
    f"tasks make {_OF_SHOPS} --out environments --count 9 --dev 1/3 --key-file my.key",
    f"tasks explain {_OF_SHOPS} --family count_shops",
    f"tasks check {_OF_SHOPS} --out environments",
    f"score answers.jsonl {_OF_SHOPS} --out environments --to scored",
)
"""One of each, on the tutorial's example."""

_VALUES = (
    *(
        "",
        " ",
        "0",
        "1",
        "-1",
        "2.5",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "1e308",
        "9" * 30,
        "9" * 5000,
        "True",
        "None",
        "a\0b",
    ),
    *(
        "\udcff",
        "\u202e",
        "商店",
        "x" * 300,
        "/dev/null",
        "/proc/self/mem",
        "/dev/zero",
        "/etc/passwd",
        "nowhere",
        "nowhere/x",
    ),
    *(
        "shops.csv/x",
        "..",
        ".",
        "~",
        "-",
        "--",
        "*",
        "%s",
        "{}",
        "noisy",
        "clean",
        "guarded",
        "shops.py:",
        ":SHOPS",
        KEY,
    ),
)


def prepare() -> None:
    """Write the files that commands name and the example has not: a raw folder that is refused, and keys."""
    shutil.copytree("shops", "broken")
    Path("broken/accounts.csv").write_text("nothing\n1\n", encoding="utf-8")
    Path("my.key").write_text(KEY + "\n", encoding="utf-8")
    Path("my.key").chmod(0o600)
    Path("answers.jsonl").write_text('{"id": "dev-0001", "answer": ["12.5 %", 3]}\n', encoding="utf-8")
    Path("ladder.yaml").write_text("environment: shops\nnoise: shops.yaml\nladder: [missing]\n", encoding="utf-8")
    said(["release", "--make-signing-key", "my.pem"])
    shutil.copy("my.pem.pub", "my.pub")


def with_any_value(source: random.Random) -> None:
    """Run a command with random values of its options."""
    command = source.choice(_COMMANDS).split()
    words = 2 if command[0] == "noise" else 1
    options = list(_options(_of(command[:words])))
    for _ in range(source.choice((1, 1, 2))):
        if options and source.random() < _OPTIONS:
            option = source.choice(options)
            command += [option.option_strings[-1], *([_value(source)] if option.nargs != 0 else [])]
        else:
            command[source.randrange(len(command))] = _value(source)
    refuse_defect(command)


def with_any_file(source: random.Random) -> None:
    """Run a command that is given one file for another, by its path or by its content."""
    command = source.choice(_COMMANDS).split()
    files = sorted(os.fspath(path) for path in Path().rglob("*") if path.is_file() and "store" not in path.parts)
    places = [place for place, word in enumerate(command) if Path(word.rpartition(":")[0] or word).exists()]
    if places and source.random() < _OPTIONS:
        place = source.choice(places)
        command[place] = source.choice(files) + (":SHOPS" if ":" in command[place] else "")
    else:
        shutil.copyfile(*source.sample(files, 2))
    refuse_defect(command)


def in_a_copy(run: Callable[[random.Random], None], content: bytes) -> None:
    """Run with what follows from random bytes, in a copy of the working folder; the folder above it holds nothing else."""
    with TemporaryDirectory() as above:
        folder = Path(above, "copy")
        shutil.copytree(".", folder, ignore=shutil.ignore_patterns("seeds", "*.pyc"))
        # What a command leaves in the variables of its process would be the next one's.
        with chdir(folder), patch.dict(os.environ):
            os.environ.pop("DAGSTER_HOME", None)
            run(random.Random(content))  # noqa: S311  (nothing secret follows from it)


# ----------------------------------------------------------------------------------------------------------------------

_OPTIONS = 0.6
"""How often an option is added, and not a word replaced; how often a path is another, and not a content."""


def said(command: Sequence[str]) -> tuple[int, str]:
    """Return how a command ends, and all that it says; a server is not started."""
    text = StringIO()
    with redirect_stdout(text), redirect_stderr(text), patch("os.execv", side_effect=SystemExit(0)):
        try:
            status = main(command)
        except SystemExit as ended:
            status = int(ended.code or 0)
    return status, text.getvalue()


def refuse_defect(command: Sequence[str]) -> int:
    """Run a command and return how it ends: not as a defect, and with no part of the key in what it says."""
    status, text = said(command)
    assert status in (0, 1, 2), (command, text, *(path.read_text("utf-8") for path in Path().rglob("crash.txt")))
    parts = (KEY[start : start + 8] for start in range(0, len(KEY), 8))
    assert not any(part in text for part in parts), (command, text)
    return status


def _of(words: Sequence[str]) -> argparse.ArgumentParser:
    found: argparse.ArgumentParser = _parser(tuple(COMMANDS))
    for word in words:
        group = next(each for each in found._actions if isinstance(each, argparse._SubParsersAction))
        found = group.choices[word]
    return found


def _options(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    known = ("--help", "--open", "--raw")
    return (each for each in parser._actions if each.option_strings and each.option_strings[-1] not in known)


def _value(source: random.Random) -> str:
    return source.choice((*_VALUES, *(os.fspath(path) for path in sorted(Path().glob("*")) if path.name != "shops")))
