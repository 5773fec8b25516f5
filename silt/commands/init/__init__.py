"""`silt init`: look at a folder of tables, and write a declaration and noise specifications to start from."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from assets.settings import BuildSettings
from pipeline.addresses import is_address
from pipeline.errors import InputError
from pipeline.wording import counted
from silt.commands.options import Commands, add_plain, add_settings
from silt.commands.saying import say
from silt.commands.waiting import running
from silt.environments import SHIPPED

if TYPE_CHECKING:
    from pipeline.model import Environment, RawTable


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_plain(commands, "init", run)
    command.add_argument("folder", metavar="FOLDER", help="folder of the raw tables, or their address")
    command.add_argument("--to", default="", help="the declaration's file; FOLDER.py in this folder if not given")
    policy = "policy to declare for: what 'guarded' cannot sample is left out (default: %(default)s)"
    add_settings(command, BuildSettings, only=("policy",), policy=policy)


def run(options: argparse.Namespace) -> int:
    """Write the files, and say what to do next."""
    from anonymize.policy import find_policy  # noqa: PLC0415
    from pipeline.conform.files.fetching import local_folder  # noqa: PLC0415
    from pipeline.conform.first_look.sniffing import not_read  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.guess.declared import guess  # noqa: PLC0415
    from pipeline.guess.looking import look  # noqa: PLC0415
    from silt.commands.init.alone import with_what_may_stay  # noqa: PLC0415
    from silt.commands.init.noise import LEVELS, specification  # noqa: PLC0415
    from silt.commands.init.writing import declaration, guesses, variable  # noqa: PLC0415

    folder = local_folder(options.folder)
    running(f"looking at {options.folder}")
    raw = options.folder if is_address(options.folder) else str(folder)
    found = guess(folder, taken=SHIPPED, is_sampled=find_policy(options.policy).samples_records)
    others = [f"  not read   {line}" for line in not_read(folder)]
    if found is None:
        seen = (f"\n  {each.file}: {note.removeprefix('? ')}" for each in look(folder) for note in each.notes)
        raise InputError(
            f"no table in {raw} seems to be about anybody: no column names or numbers its rows and is referred to; "
            f"declare them by hand (docs/tutorial.md){''.join(seen)}"
        )
    file = Path(options.to or f"{found.name.replace('-', '_')}.py")
    if not file.name:
        raise InputError(
            f"--to {options.to}: the declaration is a file, not a folder; give its name, as in declared.py"
        )
    found = with_what_may_stay(found)
    environment = found.environment()
    texts = {file: declaration(found, raw)} | {
        file.with_name(f"{'-'.join(filter(None, (file.stem, level)))}.yaml"): specification(found, environment, level)
        for level in LEVELS
    }
    _write(texts)
    looked_at = list(texts)[:2]  # those of other levels have the same guesses
    given = {
        "--environment": f"{file}:{variable(found.name)}",
        "--raw": raw,
        "--noise": file.with_suffix(".yaml"),
    }
    asked = shlex.join(str(part) for option in given.items() for part in option)
    say(
        *others,
        *(f"  wrote      {name}" for name in texts),
        *(f"  left out   {line}" for line in (*_left_out(found.raw_tables), *found.left_out)),
        *(f"  apart      {line}" for line in _apart(found.raw_tables)),
        *(f"  called     {line}" for line in _called(found.raw_tables)),
        *(f"  look at    {line}" for line in (*filter(None, [found.doubt]), *_leaks(environment, folder))),
        *(f"  look at    {name}: {counted(len(guesses(texts[name])), 'guess')}, {_MARKED}" for name in looked_at),
        f"  next       silt check {asked}{'' if options.policy == 'lsd' else f' --policy {options.policy}'}",
    )
    return 0


_MARKED = "each marked '?' with its evidence: correct it, or take the mark away"


def _leaks(environment: "Environment", raw: Path) -> Iterator[str]:
    """Name columns that quote somebody and were guessed to be published as they are; other problems are found by the check."""
    from pipeline.conform import conform  # noqa: PLC0415
    from silt.commands.check.leaks import leaks  # noqa: PLC0415

    with suppress(InputError):
        conformed = conform(environment.raw_tables, raw, kinds=environment.kinds, panel=environment.panel)
        yield from leaks(environment, conformed).values()


def _left_out(tables: "Sequence[RawTable]") -> Iterator[str]:
    """Name the columns of each file that no table over it declares."""
    for file in dict.fromkeys(table.file for table in tables):
        here = [table for table in tables if table.file == file]
        known = {column.name for table in here for column in table.columns}
        if names := [name for name in here[0].ignored if name and name not in known]:
            yield f"{file}: {', '.join(names)} (the declaration says why)"


def _apart(tables: "Sequence[RawTable]") -> Iterator[str]:
    """Name the columns of a file that are published as a table of their own, beside the table of that file."""
    for table in tables:
        for home in tables:
            if (home.file, home.name) == (table.file, table.file) and table is not home:
                known = {column.name for column in home.columns}
                names = [each.name for each in table.columns if each.name not in known] or table.key
                yield f"{', '.join(names)} of {table.file}: published in a table of its own, {table.name}"


def _called(tables: "Sequence[RawTable]") -> Iterator[str]:
    """Name the tables that are not called as their file, since Silt itself has that name, or a name may not be such."""
    for table in tables:
        if table.name == f"raw_{table.file}":
            yield f"{table.file}: the table is called {table.name}, also where it is published"


def _write(texts: dict[Path, str]) -> None:
    """Write new files, all or none; nothing that is there is changed."""
    there = [str(file) for file in texts if file.exists()]
    if there:
        raise InputError(f"already there: {', '.join(there)}; move these away, or name another file with --to")
    for file, text in texts.items():
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
