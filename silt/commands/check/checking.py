"""What `silt check` looks at: declaration, raw tables, specification. Every problem is collected; hints refuse nothing.

Under `guarded` there are trials: records are sampled as a build would, compared with the originals, and attacked, so that what
a build would refuse at its end is said before. Noise of a build is another one: trials say what is likely, and what is refused
in some of them may be refused. What is seen of originals here is for the curator's terminal.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import polars as pl

from anonymize.policy import GUARDED, LSD, find_policy
from anonymize.synthesis.needs import thin, unmet
from anonymize.tables import original_figures
from assets.wiring.resources import budget_of
from pipeline.conform import conform
from pipeline.conform.files.fetching import local_folder
from pipeline.conform.read_back import declared_views
from pipeline.errors import ContractError, InputError, SpecError
from pipeline.guess.looking import Looked
from pipeline.guess.roles import identifying
from pipeline.model import Environment, Frames, Role
from pipeline.model.refused.contradictions import refuse_unready
from pipeline.model.treatments import Treatment, treatments
from pipeline.noise.spec import load_spec
from pipeline.places import default_specification
from pipeline.publish.formats import refuse_unwritable
from pipeline.small_files import content_of
from pipeline.wording import counted
from silt.commands.check.blank import mostly_blank
from silt.commands.check.columns import described, together
from silt.commands.check.dependencies import broken_after
from silt.commands.check.leaks import leaks, words_of_names
from silt.commands.check.prose import misspelt_words
from silt.commands.check.trials import TRIALS, Likely, likely_refused
from silt.commands.init.writing import guesses
from silt.commands.waiting import running
from silt.environments.registry import declared_environment

_SHOWN = 8

T = TypeVar("T")


@dataclass
class CheckResult:
    """What was found."""

    problems: list[InputError] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Hints of what a build would refuse at its end."""
    is_doubtful: bool = False
    """Whether trial builds were refused."""
    are_most_refused: bool = False
    """Whether most of them were."""
    better_budget: float | None = None
    """The budget of which fewer were refused, if another than that which was asked for helps."""
    change: str = ""
    """What to change where most were refused and no budget helps."""
    tried: str = ""
    """What came of them, if none was."""
    columns: list[str] = field(default_factory=list)
    """A line for each column of the raw tables."""
    summary: str = ""
    """What was looked at, if all is well."""
    misspelt: frozenset[str] = frozenset()
    """Headers of the raw tables that the declaration may misspell; a specification that names one is right."""
    has_noise: bool = False
    """Whether there is a noise specification; without one only the clean variant can be built."""
    needs_raw: bool = False
    """Whether nothing generates its raw tables, so that a build must be given some."""

    def attempt(self, look: Callable[[], T]) -> T | None:
        """Look at something; what it refuses is a problem."""
        try:
            return look()
        except SpecError as error:
            self.problems += filter(None, [error.without(self.misspelt)])
        except InputError as error:
            self.misspelt |= error.misspelt if isinstance(error, ContractError) else frozenset()
            self.problems.append(error)
        except Exception:
            # What contradicts itself can be looked at no further.
            if not self.problems:
                raise
        return None

    def refusal(self) -> InputError | None:
        """Return one error with every problem, if there is one."""
        if not self.problems:
            return None
        parts = f"not ready to build; {counted(len(self.problems), 'part')} to mend:"
        error = InputError("\n".join([parts, *map(str, self.problems)]))
        error.problems = tuple(each for of in self.problems for each in of.problems)
        return error


def checked(
    name: str,
    *,
    raw: Path | str | None,
    noise: Path | None,
    policy: str = LSD.name,
    budget: float | None = None,
    with_cells: bool = False,
    show: Callable[[str], None] = lambda _: None,
) -> CheckResult:
    """Look at what a build would be given.

    Args:
        raw: Folder or address of the raw tables; nothing if they are not to be looked at.
        noise: The noise specification; None for the environment's own.
        with_cells: Whether lines of columns show cells of the originals.
        policy: The policy, by name; what another one would refuse is worth a look.
        budget: What that may spend; None for what is declared.
        show: What is done with each line about columns, which are known long before the rest.
    """
    found = CheckResult()
    environment = found.attempt(lambda: declared_environment(name))
    if environment is None:
        return found
    found.needs_raw = environment.corpus is None
    spent = found.attempt(lambda: budget_of(environment, find_policy(policy), budget))
    found.attempt(lambda: refuse_unready(environment))
    found.attempt(lambda: refuse_unwritable(environment))
    found.attempt(lambda: _refuse_nothing(environment))
    kinds, panel = environment.kinds, environment.panel
    running("reading the raw tables")
    folder = found.attempt(lambda: local_folder(raw, environment.raw_tables)) if raw else None
    conformed = (
        found.attempt(lambda: conform(environment.raw_tables, folder, kinds=kinds, panel=panel)) if folder else None
    )
    specification = noise or default_specification(environment.name)
    spec = found.attempt(lambda: load_spec(specification, environment)) if noise or specification.is_file() else None
    found.has_noise = spec is not None
    found.hints += _open_guesses([Path(environment.declared_in.rpartition(":")[0]), specification])
    found.hints += _without(environment, raw, has_noise=found.has_noise or bool(found.problems))
    if folder and conformed and spent and not found.problems:
        columns = list(described(environment, folder, policy=find_policy(policy), with_cells=with_cells))
        found.columns += map(str, columns)
        for line in together(columns):
            show(line)
        running("looking for codes and names in what is published as it is")
        found.hints += _identifying(environment, conformed.frames)
        refused = leaks(environment, conformed)
        found.refused += refused.values()
        are_sampled = find_policy(policy).samples_records
        found.hints += words_of_names(environment, conformed, are_sampled=are_sampled, refused=refused)
        running("looking for misspelt names in texts")
        found.hints += misspelt_words(environment, conformed, with_cells=with_cells, are_sampled=are_sampled)
        found.hints += broken_after(environment, conformed.frames)
        _look_at_policy(found, environment, conformed.frames, policy=policy, budget=spent)
    rows = sum(frame.height for frame in conformed.frames.values()) if conformed else 0
    tables = counted(len(environment.raw_tables), "raw table")
    rules = f"{counted(len(spec.rules) if spec else 0, 'rule')} of noise"
    published = sum(table.folder == "database" for table in environment.tables)
    wide = len(environment.tables) - published
    beside = f" and {counted(wide, 'wide file')} in ideal/" if wide else ""
    with_rows = f" with {rows:,} rows" if rows else ""
    found.summary = f"{tables}{with_rows}, {published} published{beside}, {rules}{found.tried}"
    return found


def _look_at_policy(
    found: CheckResult, environment: Environment, frames: Frames, *, policy: str, budget: float
) -> None:
    """Note what sampled records need and these originals lack: a problem of that policy, worth a look under another."""
    spent = budget if find_policy(policy).samples_records else budget_of(environment, GUARDED, None)
    missing = list(unmet(environment, frames, original_figures(environment, frames), budget=spent))
    if find_policy(policy).samples_records:
        found.problems += map(InputError, missing)
        likely = Likely() if missing else likely_refused(environment, frames, budget=spent)
        found.better_budget, found.are_most_refused = likely.better_budget, likely.are_most
        found.change = likely.change
        found.is_doubtful = bool(likely.said)
        # Of budgets one thing is said: where trials are refused, what came of those with others.
        found.hints += [*thin(environment, frames, budget=spent, offers_budgets=not likely.said), *likely.said]
        if not missing:
            found.hints += mostly_blank(environment, frames, budget=spent, trials=TRIALS)
        if environment.panel and not missing and not likely.said:
            found.tried = f"; of {TRIALS} trial builds none is refused, but a build tries more attacks and gates"
    else:
        found.hints += missing


def _refuse_nothing(environment: Environment) -> None:
    if not environment.tables and not environment.documents:
        raise InputError(
            f"environment {environment.name!r} publishes nothing: give it `tables`, or wrap it in `as_raw(...)`, which "
            "publishes each raw table with its rows and columns"
        )
    if environment.views:
        declared_views(environment)


def _open_guesses(files: Sequence[Path]) -> Iterator[str]:
    """Say where guesses of `silt init` still wait for a look."""
    for file in files:
        # What cannot be read is refused where it is loaded; a declaration may say that it is in another encoding.
        with suppress(OSError):
            if file.is_file() and (lines := guesses(content_of(file).decode(errors="replace"))):
                shown = ", ".join(map(str, lines[:_SHOWN])) + (", ..." if len(lines) > _SHOWN else "")
                yield f"{file}: {counted(len(lines), 'guess')} still marked '?' (line {shown})"


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
