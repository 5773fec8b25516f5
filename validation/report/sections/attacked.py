"""The section on privacy: what an outsider finds, what is promised of it, what escaped, and where the mechanism stands.

Belongs here: words and order. What is found and judged stands in `privacy.json`, and the section says nothing that it does not;
so it names a company as little as that does.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, groupby

from markupsafe import Markup

from anonymize.mentions.forms import IN_PIECES
from anonymize.policy import POLICIES
from pipeline.wording import FOUND_AGAIN, counted, percent
from validation.attacks import limits
from validation.attacks.records.unchanged import UNCHANGED, OfMeasure
from validation.escapes import Escape
from validation.report.charts.drawings import bar
from validation.report.charts.frontier import subject
from validation.report.charts.plot import BAD, BLUE, INK, LINE, NARROW, PAPER, Axis, Plot, broken, shares
from validation.report.documents.privacy import AttackCounts, AttackOutcome, Privacy, ProseCounts
from validation.report.html import Cell, Column, Table, fields, folded_text, render, share, table, with_note
from validation.report.sections.promises import FAMILIES, promises_of
from validation.report.sections.unpromised import found_again, found_beyond, points, rate_in_words
from validation.wording import briefly, verdict

ON_THE_FRONTIER = (limits.LINKAGE, limits.REGISTER)
"""Families whose worst attack places a release among mechanisms for figures."""

SHOWN_ESCAPES = 50
"""Rows of the table of escapes; all stand in `privacy.json`."""


def attacked(
    of: Privacy, treated: Mapping[str, Mapping[str, Sequence[str]]], *, frontier: Markup | None = None
) -> Markup:
    """Return the section's HTML of what `privacy.json` holds, and of the picture of all mechanisms if that is given.

    Args:
        treated: What became of published columns, as a manifest says it.
    """
    promised, not_promised = promises_of(of.policy, treated)
    again = found_again(of) if of.passed else None
    return render(
        "attacked.html",
        of=of,
        outcome="Policy kept." if again else verdict(of.passed),
        kind="doubtful" if again else verdict(of.passed),
        sentence=_sentence(of),
        promised=promised,
        not_promised=[each for each in not_promised if each not in of.summary],  # which stands above them
        beyond=list(found_beyond(of)),
        dots=attack_dots(of.counted),
        chance=limits.CHANCE_IN_WORDS,
        nearest=nearest_its_limit(of),
        families=list(_families(of.attacks)),
        as_they_were=table("measures", _measures_as_they_were(of), _AS_THEY_WERE),
        is_counted=bool(of.counted) or not of.attacks,
        given_up=table("columns of a register", of.given_up, _DRAWN_ANEW, kind="cards"),
        is_sampled=POLICIES[of.policy].samples_records,
        prose=_prose(of.prose) if of.prose else None,
        searched=f"{searched_in_words(of)}{files_in_words(of)}",
        elsewhere=_elsewhere(of),
        left=left_in_prose(of),
        escapes=table("escapes", (of.escapes or ())[:SHOWN_ESCAPES], fields("file", "row", "column", "kind", "rows")),
        worst=most_named(of, ON_THE_FRONTIER),
        frontier=frontier,
        subject=subject(),
    )


def exceeded(of: Privacy) -> int:
    """Return how many attacks found more than the policy allows."""
    return sum(limits.is_over(vars(attack)) for attack in of.attacks)


def unkept_in_words(over: int, attacks: int) -> str:
    """Return how many attacks may find more than the policy allows: some by their bound alone, on few records."""
    verb, whose = ("is", "its") if over == 1 else ("are", "their")
    return f"{over:,} of {counted(attacks, 'attack')} {verb} not shown to keep {whose} limit"


def limited(of: Privacy) -> int:
    """Return to how many of the attacks that were tried the policy sets a limit that they could have exceeded."""
    return sum(
        attack.limit != limits.REPORTED_ONLY and attack.passed is not None and not limits.is_powerless(vars(attack))
        for attack in of.attacks
    )


def powerless(of: Privacy) -> int:
    """Return how many attacks were tried on so few records that none of them could have exceeded its limit."""
    return sum(limits.is_powerless(vars(attack)) for attack in of.attacks)


def places_in_words(escapes: Sequence[Escape]) -> str:
    """Return in how many columns something identifies a company; files that are no tables are counted as places."""
    places = {(escape.published, escape.column) for escape in escapes}
    return counted(len(places), "column" if all(column for _, column in places) else "place")


def tried_in_words(of: Privacy) -> str:
    """Return how many attacks there are, and what became of each: wherever they are counted, they are counted like this."""
    with_limit, untried = limited(of), sum(attack.passed is None for attack in of.attacks)
    few = powerless(of)
    reported = len(of.attacks) - with_limit - untried - few
    unproven = sum(limits.is_over_by_bound(vars(attack)) for attack in of.attacks)
    unshown = f", {unproven:,} not shown to keep it" if unproven else ""
    parts = [f"{with_limit:,} with a limit, {exceeded(of) - unproven:,} over it{unshown}"]
    parts += [f"{reported:,} reported only"] if reported else []
    parts += [f"{few:,} on too few records to exceed theirs"] if few else []
    parts += [f"{untried:,} had nothing to try"] if untried else []
    return f"{counted(len(of.attacks), 'attack')}: {'; '.join(parts)}"


def most_named(of: Privacy, families: Sequence[str] = limits.FAMILIES) -> AttackCounts | None:
    """Return the most successful attack of some families that names the owner of a record; None if none is counted."""
    known = {id(vars(each)): each for each in of.counted if each.family in families}
    worst = limits.worst_on_owners(map(vars, known.values()))
    return None if worst is None else known[id(worst)]


def _nearest(attacks: Sequence[AttackCounts]) -> AttackCounts | None:
    """Return the attack that used most of what its limit allows above guessing; None if none is counted, or one is over."""
    if any(limits.is_over(vars(each)) for each in attacks):
        return None
    tried = [
        each for each in attacks if (each.highest_kept or 0) > each.unaided and not limits.is_powerless(vars(each))
    ]
    used = [((each.rate - each.unaided) / ((each.highest_kept or 0) - each.unaided), each) for each in tried]
    return max(used, key=lambda each: each[0], default=(0, None))[1]


def nearest_its_limit(of: Privacy) -> str:
    """Return which attack that is, and what it found."""
    if (best := _nearest(of.counted)) is None:
        return ""
    if best.rate <= best.unaided:
        return "No attack with a limit found more than guessing."
    highest = best.highest_kept or 0
    most = f"{points(highest)} or less" if best.is_gain else f"{int(highest * best.records + 1e-9):,} or fewer"
    named = f"{best.attack}, which knows {briefly(best.knowledge)}"
    found = f"It found {rate_in_words(best)}; of as many, {most} would pass."
    return f"Nearest its limit, counted from guessing: {named}. {found}"


def as_they_were(of: Privacy) -> str:
    """Return how many measures are the originals, for the first screen; nothing where none is."""
    found = next((each for each in of.counted if each.attack == UNCHANGED and each.successes), None)
    many = "many figures are the originals to the last digit"
    return f"In {found.successes} of {found.records} measures {many}." if found else ""


def _measures_as_they_were(of: Privacy) -> tuple[OfMeasure, ...]:
    return next((each.measures for each in of.counted if each.attack == UNCHANGED), ())


def _sentence(of: Privacy) -> str:
    over, escapes = exceeded(of), of.escapes or ()
    if over or escapes:
        said = unkept_in_words(over, len(of.attacks))
        stands = f"; what identifies a company stands in {places_in_words(escapes)}" if escapes else ""
        return f"{said}{stands}. Such a build is not published."
    again = f"Yet {FOUND_AGAIN}. " if found_again(of) else ""
    searched = "" if of.escapes is None else f" {searched_in_words(of)}{files_in_words(of)}."
    return f"{again}{tried_in_words(of)}.{searched}"


def searched_in_words(of: Privacy) -> str:
    """Return for how much a search that found nothing looked, if that may be said."""
    terms = f" {of.searched.terms:,}" if of.searched and of.searched.terms else ""
    return f"None of the{terms} names, codes and other identifiers that are searched for stands in any file"


def elsewhere_in_words(of: Privacy) -> str:
    """Return how many names and codes texts were not searched for, after a sentence; nothing where none or not counted."""
    left = of.not_searched
    if not (left and (count := left.short + left.numbers + left.ordinary)):
        return ""
    are = "is" if count == 1 else "are"
    return f"; {count:,} more, too short or ordinary to be recognised in texts, {are} searched for in columns of codes only"


def _elsewhere(of: Privacy) -> str:
    """Return of which kinds these are, and how many of each."""
    if not (left := of.not_searched):
        return ""
    kinds = {"short": "short", "numbers": "of digits alone, as years and quantities are", "ordinary": "ordinary words"}
    return ", ".join(f"{count:,} {words}" for name, words in kinds.items() if (count := getattr(left, name)))


def files_in_words(of: Privacy) -> str:
    """Return how much was searched, after a sentence; nothing where no files are counted."""
    found = of.searched
    if not (found and found.files and found.bytes):
        return ""
    return f" ({counted(found.files, 'file')} of data, {counted(found.bytes, 'byte')}, and all reports beside them)"


def left_in_prose(of: Privacy) -> str:
    """Return what may name a company and stays in texts, since it may say something else; nothing if nothing does."""
    left = of.prose.left_as_doubtful if of.prose and not of.doors else {}
    places, pieces = sum(left.values()), left.get(IN_PIECES, 0)
    among = f", {pieces:,} of them codes in pieces" if pieces else ""
    return f"{counted(places, 'doubtful place')} in texts left as they are{among}" if places else ""


def _families(attacks: Sequence[AttackCounts | AttackOutcome]) -> Iterator[tuple[str, str, Table, str]]:
    """Yield each family: its heading, what it counts, its attacks, and what is said instead of them if none found anything."""
    for name, family in groupby(attacks, lambda attack: attack.family):
        (heading, explained), every = FAMILIES[name], [*family]
        found = [attack for attack in every if isinstance(attack, AttackCounts)]
        if not found:
            yield heading, explained, table(heading, every, _OUTCOMES, kind="cards attacks"), ""
            continue
        tried = sum(attack.records for attack in found)
        nothing = (
            ""
            if any(attack.successes for attack in found)
            else f"{counted(len(found), 'attack')}, {f'0 of {tried:,} found' if tried else 'nothing to try'}"
        )
        yield heading, explained, table(heading, found, _ATTACKS, kind="cards attacks"), nothing


def _kept(attack: AttackCounts | AttackOutcome) -> Cell:
    is_unjudged = attack.limit == limits.REPORTED_ONLY or attack.passed is None or limits.is_powerless(vars(attack))
    kind = "exceeded" if limits.is_over(vars(attack)) else "note" if is_unjudged else "kept"
    return Cell(limits.in_words(vars(attack)), kind=kind)


def _rate(attack: AttackCounts) -> Cell:
    if not attack.records:
        return Cell(limits.NOTHING_TO_TRY, -1.0)
    drawn = bar(attack.rate, upper=attack.upper_95, chance=attack.unaided)
    if attack.is_gain:
        text = f"{points(attack.rate)} (bound {points(attack.upper_95)}, without the company {percent(attack.chance)})"
    elif attack.area is not None:
        text = f"{percent(attack.rate)} of pairs, the area under the curve (bound {percent(attack.upper_95)}, guessing 50%)"
    else:
        text = f"{percent(attack.rate)} (bound {percent(attack.upper_95)}, guessing {percent(attack.chance)})"
    return Cell(Markup("{}{}").format(text, drawn), attack.rate, kind="rate")


def _prose(prose: ProseCounts) -> Table:
    """Return how companies are written in the originals' prose, by rule, and what was left."""
    columns: dict[str, Column] = {
        "written as": str,
        "replaced": lambda rule: prose.replaced.get(rule, 0),
        "left as doubtful": lambda rule: prose.left_as_doubtful.get(rule, 0),
    }
    return table("how companies are written", sorted({*prose.replaced, *prose.left_as_doubtful}), columns)


_ATTACKS: Mapping[str, Column] = {
    "attack": lambda attack: with_note(attack.attack, attack.detail),
    "who knows": lambda attack: Cell(folded_text(attack.knowledge), attack.knowledge),
    "tried": "records",
    "found": lambda attack: attack.successes if attack.area is None else Cell("", -1.0),
    "rate": _rate,
    "limit": lambda attack: "none" if attack.limit == limits.REPORTED_ONLY else attack.limit,
    "kept?": _kept,
}
_AS_THEY_WERE: Mapping[str, Column] = {
    "measure": lambda of: with_note(of.measure),
    **fields("figures", "unchanged"),
    "share": lambda of: share(of.unchanged / of.figures),
    "equal by chance": lambda of: share(of.chance),
}
_OUTCOMES: Mapping[str, Column] = {
    "attack": lambda attack: with_note(attack.attack),
    "who knows": "knowledge",
    "limit": _ATTACKS["limit"],
    "kept?": _kept,
}
_DRAWN_ANEW: Mapping[str, Column] = {
    "column": lambda entry: with_note(entry.column),
    "filled in the originals": "filled",
    "filled here": lambda entry: entry.filled - entry.given_up,
}
"""Of categories that are drawn anew more may be filled than were."""


# --- attacks as dots ---------------------------------------------------------------------------------------------------

_WORST = 3
"""Attacks of a family that are drawn: those with a limit first, then those that found the largest shares, each by those whose
knowledge helped most."""

_LINE, _TRACK, _LABEL = 15, 34, 66
"""Height of a line of a label, and of what is below it; and characters of a line."""


_NEAREST = "nearest its limit: "


def attack_dots(attacks: Sequence[AttackCounts]) -> Markup:
    """Return the worst attacks of each family as dots, that nearest its limit first; nothing if none found anything."""
    nearest = _nearest(attacks)
    first = [nearest] if nearest and nearest.rate > nearest.unaided else []
    shown = [*first, *(attack for attack in _worst(attacks) if attack.successes and attack not in first)]
    if not shown:
        return Markup()
    marks = [*(_NEAREST for _ in first), *("" for _ in shown)]
    labels = [
        broken(f"{mark}{attack.family}: {attack.attack}", _LABEL) for mark, attack in zip(marks, shown, strict=False)
    ]
    bottoms = [*accumulate(_LINE * (1 + label.count("\n")) + _TRACK for label in labels)]
    plot = Plot(
        across=replace(shares("share found, on a scale of square roots", scale=math.sqrt), is_repeated=True),
        down=Axis(ends=(0, bottoms[-1]), ticks={}),
        height=bottoms[-1],
        width=NARROW,
        left=14,
        top=24,
    )
    for top, bottom, label, attack in zip([0, *bottoms], bottoms, labels, shown, strict=False):
        plot.label(top, label)
        _draw(plot, bottom - _TRACK // 3, attack)
    further = ", and first that nearest its limit" if first else ""
    said = "; ".join(f"{attack.attack} found {rate_in_words(attack)}" for attack in shown)
    return plot.drawn(
        "What attacks found",
        f"{len(shown)} attacks, at most {_WORST} of each family that found anything{further}: {said}.",
    )


def _worst(attacks: Sequence[AttackCounts]) -> Iterator[AttackCounts]:
    for _, family in groupby(attacks, lambda attack: attack.family):
        tried = sorted((attack for attack in family if attack.records), key=lambda attack: attack.rate)
        best = {attack.attack: attack for attack in tried}.values()
        yield from sorted(best, key=lambda attack: (attack.limit == limits.REPORTED_ONLY, -attack.rate))[:_WORST]


def _draw(plot: Plot, row: int, attack: AttackCounts) -> None:
    """Draw an attack: within its limit, over it (a cross), or without one (empty)."""
    is_bad = limits.is_over(vars(attack))
    plot.line((0, row), (1, row), ink=LINE, width=1)
    plot.line((attack.rate, row), (attack.upper_95, row), ink=BLUE, width=3)
    plot.point(attack.unaided, row, "tick", ink=INK)
    if attack.highest_kept is not None:
        plot.point(max(attack.highest_kept, 0.0), row, "below", ink=INK)
    is_empty = attack.limit == limits.REPORTED_ONLY and not is_bad
    plot.point(
        attack.rate, row, "cross" if is_bad else "circle", ink=BAD if is_bad else BLUE, fill=PAPER if is_empty else ""
    )
