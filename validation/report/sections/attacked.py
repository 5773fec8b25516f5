"""The section on privacy: what an outsider finds, what is promised of it, what escaped, and where the mechanism stands.

Belongs here: words and order. What is found and judged stands in `privacy.json`, and the section says nothing that it does not;
so it names a company as little as that does.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from validation.attacks.limits import LINKAGE, NOTHING_TO_TRY, TOLD_ONLY, in_words, is_over
from validation.attacks.records.linkage import AMONG_FIVE
from validation.report.charts.drawings import bar
from validation.report.documents.privacy import Attack, Privacy, Prose
from validation.report.html import Cell, Table, Value, render, share, with_note
from validation.report.sections.promises import FAMILIES, PROMISES
from validation.wording import number, percent, verdict

SHOWN_ESCAPES = 50
"""Rows of the table of escapes; all stand in `privacy.json`."""


def attacked(of: Privacy, *, has_frontier: bool = False) -> Markup:
    """Return the section's HTML of what `privacy.json` holds; `has_frontier` shows the picture of all mechanisms, too."""
    promised, not_promised = PROMISES[of.policy]
    given_up = [(with_note(each.column), each.filled, each.given_up, share(each.share_left)) for each in of.given_up]
    escapes = [(e.file, e.row, e.column, e.kind, e.rows) for e in (of.escapes or ())[:SHOWN_ESCAPES]]
    return render(
        "attacked.html",
        of=of,
        outcome=verdict(of.passed),
        sentence=_sentence(of),
        figures=_facts(of),
        promised=promised,
        not_promised=not_promised,
        families=list(_families(of.attacks)),
        given_up=Table(name="columns of a register", headings=_GIVEN_UP, rows=given_up, kind="cards"),
        prose=_prose(of.prose) if of.prose else None,
        escapes=Table(name="escapes", headings=_ESCAPES, rows=escapes),
        worst=highest_linkage(of),
        frontier=_frontier() if has_frontier else None,
    )


def exceeded(of: Privacy) -> int:
    """Return how many attacks found more than the policy allows."""
    return sum(is_over(vars(attack)) for attack in of.attacks)


def limited(of: Privacy) -> int:
    """Return to how many of the attacks that were tried the policy sets a limit."""
    return sum(attack.limit != TOLD_ONLY and attack.records > 0 for attack in of.attacks)


def highest_linkage(of: Privacy) -> Attack | None:
    """Return the most successful attack that names the nearest company, if one was tried."""
    tried = [each for each in of.attacks if each.family == LINKAGE and each.attack != AMONG_FIVE and each.records]
    return max(tried, key=lambda attack: attack.rate, default=None)


def _sentence(of: Privacy) -> str:
    total, over, escapes = len(of.attacks), exceeded(of), len(of.escapes or ())
    if over or escapes:
        return (
            f"{over} of {total} attacks found more than the policy allows, and {escapes} places hold something that "
            "identifies a company. Such a build is not published."
        )
    tried = sum(attack.records > 0 for attack in of.attacks)
    untried = f", {total - tried} had nothing to try" if tried < total else ""
    searched = "" if of.escapes is None else " Nothing that identifies a company was found in any file."
    return (
        f"{tried} attacks were tried{untried}. The policy sets a limit to {limited(of)} of them, and each stayed within "
        f"it; the others are told.{searched}"
    )


def _facts(of: Privacy) -> list[tuple[str, str]]:
    classes = of.quasi_identifiers
    return [
        ("policy", of.policy),
        ("attacks", number(len(of.attacks))),
        ("with a limit", number(limited(of))),
        ("over their limit", number(exceeded(of))),
        ("escapes", "not searched" if of.escapes is None else number(len(of.escapes))),
        *([("smallest class of a register", number(classes.smallest))] if classes else []),
    ]


def _families(attacks: Sequence[Attack]) -> Iterator[tuple[str, str, Table]]:
    for name, found in groupby(attacks, lambda attack: attack.family):
        heading, counted = FAMILIES[name]
        rows = [_row(attack) for attack in found]
        yield heading, counted, Table(name=heading, headings=_ATTACKS, rows=rows, kind="cards attacks")


def _row(attack: Attack) -> Sequence[Value]:
    is_told = attack.limit == TOLD_ONLY or not attack.records
    kind = "exceeded" if is_over(vars(attack)) else "told" if is_told else "kept"
    limit = "none" if attack.limit == TOLD_ONLY else attack.limit
    found = (attack.records, attack.successes, _rate(attack), limit, Cell(in_words(vars(attack)), kind=kind))
    return with_note(attack.attack, attack.detail), attack.knowledge, *found


def _rate(attack: Attack) -> Cell:
    if not attack.records:
        return Cell(NOTHING_TO_TRY, -1.0)
    text = f"{percent(attack.rate)} (bound {percent(attack.upper_95)}, guessing {percent(attack.chance)})"
    drawn = bar(attack.rate, label=text, upper=attack.upper_95, chance=attack.chance)
    return Cell(Markup("{}{}").format(text, drawn), attack.rate, kind="rate")


def _prose(prose: Prose) -> Table:
    """Return how companies are written in the originals' prose, by rule, and what was left."""
    rules = sorted({*prose.replaced, *prose.left_as_doubtful})
    rows = [(rule, prose.replaced.get(rule, 0), prose.left_as_doubtful.get(rule, 0)) for rule in rules]
    return Table(name="how companies are written", headings=_PROSE, rows=rows)


class Frontier(NamedTuple):
    """The picture of what each mechanism protects and costs."""

    picture: str
    subject: str
    """What it was made of, as its own title says."""


@cache
def _frontier() -> Frontier:
    picture = (files("validation") / "frontier.svg").read_text(encoding="utf-8")
    subject = picture.partition("<title>")[2].partition("</title>")[0]
    return Frontier(b64encode(picture.encode()).decode(), Markup(subject))


_ATTACKS = ("attack", "who knows", "tried", "found", "rate", "limit", "kept?")
_GIVEN_UP = ("column", "filled before", "left blank", "left")
_PROSE = ("written as", "replaced", "left as doubtful")
_ESCAPES = ("file", "row", "column", "kind", "rows")
