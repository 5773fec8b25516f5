"""What was found in prose: counts that may be published, and for the curator what was proposed, with its place.

What is done with it belongs elsewhere. The list holds originals and belongs to the curator.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from anonymize.mentions.blocks import Passage
from anonymize.mentions.called import Called
from anonymize.mentions.finding import Mention

AROUND = 40
"""Characters on both sides of what is listed for the curator."""

_LISTED: dict[str, Any] = {
    "list": pl.Enum(["left as doubtful", "not replaceable", "names stated", "not named", "ordinary names"]),
    **dict.fromkeys(("table", "column"), pl.String()),
    **dict.fromkeys(("row", "start"), pl.Int64()),
    **dict.fromkeys(("rule", "code", "written", "around"), pl.String()),
}

_LEFT, _ABOUT_NOBODY = "left_as_doubtful", "left_about_nobody"
"""Doubtful places of all texts, and of those that are about no company, which alone stay where records are sampled."""

_TEXTS, _BY_RULE = ("texts", "about_a_company", "naming_it"), ("replaced", _LEFT, _ABOUT_NOBODY, "names_stated")
"""What is counted of texts (all; about a company; of these, in which it is named), and by rule or kind of name."""


@dataclass(frozen=True)
class ProseReport:
    """What was found in texts; `repr` is not for a log."""

    counted: Counter[tuple[str, str]]
    """By what is counted and the rule, which texts do not have."""
    listed: pl.DataFrame
    """`list, table, column, row, start, rule, code, written, around`: all that a curator should look at."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the declaration, without anything that identifies."""

    def counts(self) -> dict[str, Any]:
        """Return what may be published: counts, and no name."""
        by_rule = sorted(self.counted.items())
        return {
            **{what: self.counted[what, ""] for what in _TEXTS},
            **{what: {rule: count for (of, rule), count in by_rule if of == what} for what in _BY_RULE},
            "ordinary_names": int((self.listed["list"] == "ordinary names").sum()),
            "not_replaceable": int((self.listed["list"] == "not replaceable").sum()),
            "warnings": list(self.warnings),
        }


def of_published(counts: Mapping[str, Any], *, are_sampled: bool) -> dict[str, Any]:
    """Return counts of which the doubtful places are in texts that are published: sampled records have no text of their own."""
    left = counts[_ABOUT_NOBODY if are_sampled else _LEFT]
    return {name: count for name, count in counts.items() if name != _ABOUT_NOBODY} | {_LEFT: left}


def prose_report(passages: Sequence[Passage], mentions: Sequence[Mention]) -> ProseReport:
    """Return the report on mentions in passages, by the place of their passage."""
    named = {mention.row for mention in mentions if mention.is_sure and mention.whose == passages[mention.row].own}
    about = {place for place, passage in enumerate(passages) if passage.own is not None}
    counted = Counter(
        {("texts", ""): len(passages), ("about_a_company", ""): len(about), ("naming_it", ""): len(named)}
    )
    counted.update(
        ("replaced" if mention.is_sure else _LEFT, mention.rule)
        for mention in mentions
        if mention.says or not mention.is_sure
    )
    counted.update((_ABOUT_NOBODY, each.rule) for each in mentions if not each.is_sure and each.row not in about)
    without = (passages[place] for place in sorted(about - named))
    rows = [("not named", one.table, one.column, one.row, None, None, one.own, None, None) for one in without]
    return ProseReport(counted, pl.DataFrame([*_places(passages, mentions), *rows], schema=_LISTED, orient="row"))


def merged(
    reports: Iterable[ProseReport], *, ordinary: Iterable[str], learnt: Sequence[Called], warnings: Iterable[str]
) -> ProseReport:
    """Return the report on all passages of those on parts of them, one after the other.

    Args:
        ordinary: Names that are ordinary words in the corpus.
        learnt: Former and short names that texts tell.
    """
    each = [prose_report([], []), *reports]
    names = [
        ("names stated", one.table, one.column, one.row, None, one.kind, one.code, one.name, None) for one in learnt
    ]
    words = [("ordinary names", *[None] * 6, name, None) for name in sorted(set(ordinary))]
    further = pl.DataFrame([*names, *words], schema=_LISTED, orient="row")
    once = further.unique(["list", "rule", "code", "written"], keep="first", maintain_order=True)
    counted = sum((one.counted for one in each), Counter(("names_stated", one.kind) for one in learnt))
    listed = pl.concat([*(one.listed for one in each), once]).sort("list", maintain_order=True)
    return ProseReport(counted, listed, tuple(warnings))


# ----------------------------------------------------------------------------------------------------------------------


def _places(passages: Sequence[Passage], mentions: Iterable[Mention]) -> Iterator[tuple[Any, ...]]:
    """Yield what is listed of mentions that were left, and of those that have nothing to take their place."""
    for mention in mentions:
        if mention.is_sure and mention.says:
            continue
        table, column, row, text, _ = passages[mention.row]
        around = text[max(mention.start - AROUND, 0) : mention.end + AROUND]
        what = "not replaceable" if mention.is_sure else "left as doubtful"
        written = text[mention.start : mention.end]
        yield what, table, column, row, mention.start, mention.rule, mention.whose, written, around
