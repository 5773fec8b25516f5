"""What `silt check` looks at: declaration, raw tables, specification. Every problem is collected; hints refuse nothing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import polars as pl

from anonymize.policy import LSD, find_policy
from anonymize.synthesis.needs import thin, unmet
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.conform.files.fetching import local_folder
from pipeline.conform.read_back import declared_views
from pipeline.errors import InputError
from pipeline.guess.looking import Looked
from pipeline.guess.roles import identifying
from pipeline.model import Budget, Environment, Frames, Role
from pipeline.model.refused.contradictions import refuse_unready
from pipeline.model.treatments import Treatment, treatments
from pipeline.noise.spec import load_spec
from pipeline.places import default_specification
from pipeline.publish.formats import refuse_unwritable
from pipeline.small_files import content_of
from silt.commands.check.columns import described
from silt.commands.check.dependencies import broken_after
from silt.commands.check.leaks import leaks
from silt.commands.check.trial import likely_refused
from silt.environments.registry import declared_environment
from validation.wording import counted

_GUESS = "# ?"

_SHOWN = 8

T = TypeVar("T")


@dataclass
class CheckResult:
    """What was found."""

    problems: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Hints of what a build would refuse at its end."""
    columns: list[str] = field(default_factory=list)
    """A line for each column of the raw tables."""
    summary: str = ""
    """What was looked at, if all is well."""

    def attempt(self, look: Callable[[], T]) -> T | None:
        """Look at something; what it refuses is a problem."""
        try:
            return look()
        except InputError as error:
            self.problems.append(str(error))
        except Exception:
            # What contradicts itself can be looked at no further.
            if not self.problems:
                raise
        return None

    def refuse(self) -> None:
        """Raise `InputError` with every problem, if there is one."""
        if self.problems:
            raise InputError(
                "\n".join([f"not ready to build; {counted(len(self.problems), 'part')} to mend:", *self.problems])
            )


def checked(
    name: str,
    *,
    raw: Path | str | None,
    noise: Path | None,
    policy: str = LSD.name,
    budget: float | None = None,
    with_cells: bool = False,
) -> CheckResult:
    """Look at what a build would be given.

    Args:
        name: The environment, as the command line names it.
        raw: Folder or address of the raw tables; nothing if they are not to be looked at.
        noise: The noise specification; None for the environment's own.
        with_cells: Whether lines of columns show cells of the originals.
        policy: The policy, by name; what another one would refuse is worth a look.
        budget: What that may spend; None for what is declared.
    """
    found = CheckResult()
    environment = found.attempt(lambda: declared_environment(name))
    if environment is None:
        return found
    found.attempt(lambda: refuse_unready(environment))
    found.attempt(lambda: refuse_unwritable(environment))
    found.attempt(lambda: _refuse_nothing(environment))
    kinds, panel = environment.kinds, environment.panel
    folder = found.attempt(lambda: local_folder(raw, environment.raw_tables)) if raw else None
    conformed = (
        found.attempt(lambda: conform(environment.raw_tables, folder, kinds=kinds, panel=panel)) if folder else None
    )
    specification = noise or default_specification(environment.name)
    spec = found.attempt(lambda: load_spec(specification, environment)) if noise or specification.is_file() else None
    found.hints += _open_guesses([Path(environment.declared_in.rpartition(":")[0]), specification])
    found.hints += _without(environment, raw, has_noise=spec is not None or bool(found.problems))
    if folder and conformed and not found.problems:
        found.columns += described(environment, folder, with_cells=with_cells)
        found.hints += _identifying(environment, conformed.frames)
        found.refused += leaks(environment, conformed)
        found.hints += broken_after(environment, conformed.frames)
        _look_at_policy(found, environment, conformed.frames, policy=policy, budget=budget)
    rows = sum(frame.height for frame in conformed.frames.values()) if conformed else 0
    tables, rules = f"{len(environment.raw_tables)} raw tables", f"{len(spec.rules) if spec else 0} rules of noise"
    found.summary = f"{tables}{f' with {rows:,} rows' if rows else ''}, {len(environment.tables)} published, {rules}"
    return found


# ----------------------------------------------------------------------------------------------------------------------


def _look_at_policy(
    found: CheckResult, environment: Environment, frames: Frames, *, policy: str, budget: float | None
) -> None:
    """Note what sampled records need and these originals lack: a problem of that policy, worth a look under another."""
    spent = budget or (environment.budget or Budget()).of_a_release
    missing = list(unmet(environment, frames, original_figures(environment, frames), budget=spent))
    if find_policy(policy).samples_records:
        found.problems += missing
        found.hints += thin(environment, frames, budget=spent)
        found.hints += likely_refused(environment, frames, budget=spent) if not missing else ()
    else:
        found.hints += missing


def _refuse_nothing(environment: Environment) -> None:
    if not environment.tables and not environment.documents:
        raise InputError(
            f"environment {environment.name!r} publishes nothing: give it `tables`, or wrap it in `as_raw(...)`, which "
            "publishes each raw table in the shape in which it came"
        )
    if environment.views:
        declared_views(environment)


def _open_guesses(files: Sequence[Path]) -> Iterator[str]:
    """Say where guesses of `silt init` still wait for a look."""
    for file in files:
        if file.is_file() and (lines := _lines(file)):
            shown = ", ".join(map(str, lines[:_SHOWN])) + (", ..." if len(lines) > _SHOWN else "")
            yield f"{file}: {len(lines)} guess(es) still marked '?' (line {shown})"


def _lines(file: Path) -> list[int]:
    mark = _GUESS if file.suffix == ".py" else '"? '
    # What cannot be read is refused where it is loaded; a declaration may say that it is in another encoding.
    with suppress(OSError):
        lines = content_of(file).decode(errors="replace").splitlines()
        return [number for number, line in enumerate(lines, 1) if mark in line]
    return []


def _without(environment: Environment, raw: Path | str | None, *, has_noise: bool) -> Iterator[str]:
    """Say what is not there and need not be."""
    if not raw and environment.corpus is None:
        yield "the raw tables were not looked at: give their folder with --raw"
    if environment.views is None:
        yield "there are no `views`, so that `silt audit` cannot read the published files"
    if not has_noise:
        yield "there is no noise specification: only `silt build clean` can be built (`silt init` writes one)"


def _identifying(environment: Environment, frames: Frames) -> Iterator[str]:
    """Name attributes that are published as they are and look as if they identified somebody."""
    for table in environment.raw_tables:
        decided = treatments(environment, table)
        for column in table.of_role(Role.ATTRIBUTE) if table.name in frames else ():
            text = frames[table.name][column.name].cast(pl.String) if column.name in frames[table.name] else pl.Series()
            kept = decided.get(column.name) in (Treatment.QUASI_IDENTIFIER, Treatment.PUBLIC)
            why = identifying(Looked(text, column)) if kept and column.type == "text" else ""
            if why:
                yield f"{table.name!r}, column {column.name!r} is published as it is, and looks like an identifier: {why}"
