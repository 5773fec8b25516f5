"""Verifies a release from its public files alone, and gives the verdict in words.

A check vouches for no file that another found wrong: it is not made then. Which checks there are belongs to `all_checks.py`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from pipeline.errors import InputError, Problem
from pipeline.legible import one_line
from validation.release.all_checks import BEYOND, CHECKS, NAMELESS, NEEDS, UNDISCLOSED, Check
from validation.release.checks.attested import unknown_maker, whose
from validation.release.opened import Release
from validation.release.tree import UNREADABLE

SHOWN, FEW = 10, 3
"""Differences of a check that are named, of all checks and where those that failed are named alone."""


@dataclass(frozen=True)
class Made:
    """A check that was made, and the first differences that it found."""

    check: Check
    problems: tuple[Problem, ...]


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What verifying a release came to."""

    release: Release
    made: tuple[Made, ...]
    not_made: tuple[tuple[Check, str], ...]
    """Checks with the reason why they could not be made."""
    lacking: frozenset[str] = frozenset()
    """Reasons that are files which are missing or wrong."""

    @property
    def problems(self) -> list[Problem]:
        """Return every difference that is named."""
        return [problem for made in self.made for problem in made.problems]

    @property
    def _unchecked(self) -> list[str]:
        """Return what would be needed for checks of what is there."""
        return [why for _, why in self.not_made if why.startswith(NEEDS)]

    @property
    def missing_options(self) -> list[str]:
        """Return the options of the command that would let it make further checks."""
        named = (re.search(r"\((--[a-z-]+)\)$", why) for why in self._unchecked)
        return list(dict.fromkeys(found[1] for found in named if found))

    def text(self) -> str:
        """Return what was checked, what it came to, what was not checked, and whose release it is."""
        lines = [
            *self._of_made(SHOWN, self.made),
            *self._of_rest(),
            *whose(self.release),
            *_made_under(self.release),
            "",
            self._verdict(),
        ]
        return "\n".join(map(one_line, lines))

    def failed(self) -> str:
        """Return the checks that found something, and nothing of the others."""
        return "\n".join(map(one_line, self._of_made(FEW, [made for made in self.made if made.problems])))

    def _of_made(self, most: int, every: Iterable[Made]) -> Iterator[str]:
        for made in every:
            yield f"{'FAILED' if made.problems else 'ok    '}  {made.check.says}"
            found = list(dict.fromkeys(map(str, made.problems)))
            yield from (f"        {problem}" for problem in found[:most])
            if len(made.problems) > SHOWN:
                yield "        ... and more"
            elif len(found) > most:
                yield f"        ... and {len(found) - most} more"

    def _of_rest(self) -> Iterator[str]:
        same = dict[tuple[str, str], list[str]]()
        for check, why in self.not_made:
            same.setdefault((why, "" if why in self.lacking else check.says), []).append(check.says)
        for (why, _), (says, *more) in same.items():
            of_all = f"{len(more) + 1} checks, which need {why.removeprefix(NEEDS)}: {'; '.join([says, *more])}"
            yield f"{'not made' if why.startswith(NEEDS) else 'n/a     '}  {of_all if more else f'{says}: {why}'}"
        yield "Cannot be checked from the release alone:"
        yield from (f"  - {sentence}" for sentence, is_there in BEYOND.items() if is_there(self.release))

    def _verdict(self) -> str:
        every, failed = len(self.made) + len(self.not_made), sum(bool(made.problems) for made in self.made)
        if failed:
            return f"NOT VERIFIED: {failed} of {len(self.made)} checks found differences."
        unchecked = len(self._unchecked)
        hidden = sum(why == UNDISCLOSED for _, why in self.not_made)
        empty = len(self.not_made) - unchecked - hidden
        parts = [f"{len(self.made)} of {every} checks made, no difference"]
        parts += (
            [f"{unchecked} {'lacks what it needs' if unchecked == 1 else 'lack what they need'}"] if unchecked else []
        )
        parts += [f"{empty} {'has' if empty == 1 else 'have'} nothing to look at"] if empty else []
        parts += [f"{hidden} {'needs' if hidden == 1 else 'need'} the noise, which is not disclosed"] if hidden else []
        if not unchecked and not unknown_maker(self.release):
            return f"Verified: {'; '.join(parts)}."
        words = f"pages and words were not compared with those of Silt {self.release.silt}"
        but = [unknown_maker(self.release), words if self.release.is_of_another_silt else ""]
        return f"Verified in part: {'; '.join(filter(None, [*parts, *but]))}."


def verify(
    release: Release, checks: Sequence[Check] = CHECKS, *, watch: Callable[[str], None] = lambda _check: None
) -> Verified:
    """Make every check that can be made. Nothing is written, and nothing of the release is run.

    Args:
        watch: Called with the claim of each check before it is made.
    """
    reasons = {check: _needed(check, release) for check in checks}
    found, wrong = dict[Check, tuple[Problem, ...]](), set[str]()
    for check in [check for check, why in reasons.items() if not why]:
        watch(check.says)
        problems = _found(check, release)
        found[check] = first = tuple(islice(problems, SHOWN + 1))
        if check.of_files:
            wrong.update(problem.file for problem in chain(first, problems))
    lacking = {
        check: _lacking(release, sorted(filter(check.reads_file, wrong.difference({NAMELESS} if problems else ()))))
        for check, problems in found.items()
        if all(problem.file == NAMELESS for problem in problems)
    }
    reasons |= lacking
    made = tuple(Made(check, problems) for check, problems in found.items() if not reasons[check])
    not_made = tuple((check, why) for check, why in reasons.items() if why)
    return Verified(release=release, made=made, not_made=not_made, lacking=frozenset(lacking.values()))


def _needed(check: Check, release: Release) -> str:
    """Return why a check cannot be made; nothing if content does not even let that be said, which the check then tells."""
    try:
        return next(filter(None, (need(release) for need in check.needs)), "")
    except UNREADABLE:
        return ""


def _lacking(release: Release, wrong: Sequence[str]) -> str:
    """Return that a check needs files that are not there, or not what they should be; nothing if there are no such files."""
    if not wrong:
        return ""
    first, *more = wrong
    as_is = " as it should be" if first in release.tree.files else ""
    return f"{NEEDS}{first}{as_is}{f', and {len(more):,} more' if more else ''}"


def _found(check: Check, release: Release) -> Iterator[Problem]:
    """Yield what a check finds; content on which it cannot be carried out is a finding, too, if no other check found it."""
    try:
        yield from check.find(release)
    except UNREADABLE as error:
        what = str(error).splitlines()[0] if isinstance(error, InputError) else "content that Silt does not write"
        yield Problem(NAMELESS, 0, "", what, f"the check cannot be carried out: {check.says}")


def _made_under(release: Release) -> Iterator[str]:
    """Yield under which release key the variants say that they were made."""
    keys = {
        variant.name: (variant.manifest.get("key_fingerprint"), variant.manifest.get("is_demonstration_key"))
        for variant in release.variants
    }
    for name, (fingerprint, is_demonstration) in keys.items():
        note = ", which is public and protects nothing" if is_demonstration else ""
        yield f"{name}: made under the release key of fingerprint {fingerprint}{note} (its own statement)"
    if len({fingerprint for fingerprint, _ in keys.values()}) > 1:
        yield "The variants were made under different keys."
