"""`silt init`: look at a folder of tables, and write a declaration and a noise specification to start from."""

import argparse
from pathlib import Path

from pipeline.errors import InputError
from silt.commands.options import Commands, add_plain
from silt.commands.saying import say
from silt.environments import SHIPPED


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_plain(commands, "init", run)
    command.add_argument("folder", metavar="FOLDER", type=Path, help="folder of the raw tables")
    command.add_argument("--to", default="", help="the declaration's file; FOLDER.py in this folder if not given")


def run(options: argparse.Namespace) -> int:
    """Write both files, and say what to do next."""
    from pipeline.guess.declared import guess  # noqa: PLC0415  (polars takes a while to import)
    from silt.commands.init.noise import specification  # noqa: PLC0415
    from silt.commands.init.writing import declaration, variable  # noqa: PLC0415

    found = guess(options.folder, taken=SHIPPED)
    if found is None:
        raise InputError(
            f"no table in {options.folder} seems to be about anybody: no column names or numbers its rows and is referred to; "
            "declare them by hand (docs/tutorial.md)"
        )
    file = Path(options.to or f"{found.name.replace('-', '_')}.py")
    texts = {
        file: declaration(found, str(options.folder)),
        file.with_suffix(".yaml"): specification(found, found.environment()),
    }
    _write(texts)
    guesses = sum(text.count("# ?") for text in texts.values())
    asked = f"--environment {file}:{variable(found.name)} --raw {options.folder} --noise {file.with_suffix('.yaml')}"
    say(
        *(f"  wrote      {name}" for name in texts),
        f"  look at    {guesses} guesses, each marked '# ?' with its evidence: correct it, or take the mark away",
        f"  next       silt check {asked}",
    )
    return 0


def _write(texts: dict[Path, str]) -> None:
    """Write new files, all or none; nothing that is there is changed."""
    there = [str(file) for file in texts if file.exists()]
    if there:
        raise InputError(f"{', '.join(there)} is there already; move it away, or name another file with --to")
    for file, text in texts.items():
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
