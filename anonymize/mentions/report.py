"""What was found in prose: counts that may be published, and for the curator what was proposed, with its place.

What is done with it belongs elsewhere. The frames hold originals and belong to the curator.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from anonymize.mentions.blocks import Passage
from anonymize.mentions.called import Called
from anonymize.mentions.finding import Mention

AROUND = 40
"""Characters on both sides of what is listed for the curator."""


@dataclass(frozen=True, kw_only=True)
class ProseReport:
    """What was found in all texts of a build; `repr` is not for a log."""

    texts: int = 0
    about: int = 0
    """Texts about a company."""
    named: int = 0
    """Of these, those in which their own company is named, by whatever rule."""
    replaced: Mapping[str, int]
    """Mentions that were replaced, by rule."""
    proposed: Mapping[str, int]
    """Mentions that were left, since they may be ordinary words or numbers, by rule."""
    told: Mapping[str, int] = field(default_factory=dict)
    """Former and short names that texts tell, by kind."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the declaration, without anything that identifies."""
    ordinary: pl.DataFrame = field(default_factory=pl.DataFrame)
    """`name`: names that are ordinary words in the corpus."""
    unnamed: pl.DataFrame
    """`table, column, row, code`: texts about a company in which it is not named."""
    proposals: pl.DataFrame
    """`table, column, row, start, rule, code, written, around`: what was left, and whose it might be."""
    names_told: pl.DataFrame = field(default_factory=pl.DataFrame)
    """`table, column, row, code, kind, name`: former and short names that texts tell."""
    unreplaced: pl.DataFrame
    """As `proposals`: what identifies somebody and has nothing to take its place."""

    def counts(self) -> dict[str, Any]:
        """Return what may be published: counts, and no name."""
        return {
            "texts": self.texts,
            "about_a_company": self.about,
            "naming_it": self.named,
            "replaced": dict(self.replaced),
            "left_as_doubtful": dict(self.proposed),
            "names_told": dict(self.told),
            "ordinary_names": self.ordinary.height,
            "not_replaceable": self.unreplaced.height,
            "warnings": list(self.warnings),
        }

    def listed(self) -> pl.DataFrame:
        """Return `list, table, column, row, start, rule, code, written, around` of all that a curator should look at."""
        lists = {
            "left as doubtful": self.proposals,
            "not replaceable": self.unreplaced,
            "names told": self.names_told.rename({"kind": "rule", "name": "written"}),
            "not named": self.unnamed,
            "ordinary names": self.ordinary.rename({"name": "written"}),
        }
        schema: dict[str, Any] = {"list": pl.String()} | _LISTED
        named = [frame.with_columns(pl.lit(name).alias("list")) for name, frame in lists.items()]
        return pl.concat([pl.DataFrame(schema=schema), *named], how="diagonal")


def prose_report(passages: Sequence[Passage], mentions: Sequence[Mention]) -> ProseReport:
    """Return the report on mentions in passages, by the place of their passage."""
    named = {mention.row for mention in mentions if mention.is_sure and mention.whose == passages[mention.row].own}
    about = {place for place, passage in enumerate(passages) if passage.own is not None}
    without = [(p.table, p.column, p.row, p.own) for p in (passages[place] for place in sorted(about - named))]
    return ProseReport(
        texts=len(passages),
        about=len(about),
        named=len(named),
        replaced=_by_rule(mention for mention in mentions if mention.is_sure and mention.says),
        proposed=_by_rule(mention for mention in mentions if not mention.is_sure),
        unnamed=pl.DataFrame(without, schema=_PLACE | {"code": pl.String}, orient="row"),
        proposals=_listed(passages, [mention for mention in mentions if not mention.is_sure]),
        unreplaced=_listed(passages, [mention for mention in mentions if mention.is_sure and not mention.says]),
    )


def merged(
    reports: Iterable[ProseReport], *, ordinary: Iterable[str], told: Sequence[Called], warnings: Iterable[str]
) -> ProseReport:
    """Return the report on all passages of those on parts of them, one after the other.

    Args:
        reports: What was found in each part.
        ordinary: Names that are ordinary words in the corpus.
        told: Former and short names that texts tell.
        warnings: What is wrong with the declaration.
    """
    each = [prose_report([], []), *reports]
    return ProseReport(
        texts=sum(one.texts for one in each),
        about=sum(one.about for one in each),
        named=sum(one.named for one in each),
        replaced=_summed(one.replaced for one in each),
        proposed=_summed(one.proposed for one in each),
        told=_summed([Counter(one.kind for one in told)]),
        warnings=tuple(warnings),
        ordinary=pl.DataFrame({"name": sorted(set(ordinary))}, schema={"name": pl.String}),
        unnamed=pl.concat(one.unnamed for one in each),
        proposals=pl.concat(one.proposals for one in each),
        names_told=pl.DataFrame(told, schema=_NAMED, orient="row").unique(
            ["code", "kind", "name"], keep="first", maintain_order=True
        ),
        unreplaced=pl.concat(one.unreplaced for one in each),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return dict(sorted(sum(map(Counter, counts), Counter[str]()).items()))


def _by_rule(mentions: Iterable[Mention]) -> dict[str, int]:
    return dict(sorted(Counter(mention.rule for mention in mentions).items()))


def _listed(passages: Sequence[Passage], mentions: Iterable[Mention]) -> pl.DataFrame:
    rows = []
    for mention in mentions:
        table, column, row, text, _ = passages[mention.row]
        around = text[max(mention.start - AROUND, 0) : mention.end + AROUND]
        written = text[mention.start : mention.end]
        rows.append((table, column, row, mention.start, mention.rule, mention.whose, written, around))
    return pl.DataFrame(rows, schema=_LISTED, orient="row")


_PLACE: dict[str, Any] = {"table": pl.String(), "column": pl.String(), "row": pl.Int64()}
_NAMED: dict[str, Any] = _PLACE | dict.fromkeys(("code", "kind", "name"), pl.String())
_LISTED: dict[str, Any] = (
    _PLACE | {"start": pl.Int64()} | dict.fromkeys(("rule", "code", "written", "around"), pl.String())
)
