"""`python -m benchmarks.mentions`: how much of what names companies in prose is replaced, what is missed, what else is.

Companies are invented, and their descriptions write them in every form of `writing.py`, so that each mention is known; or they
are real ones (`--names`: CSV files with columns of codes, names and descriptions), of which nothing is known but the names.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from anonymize.mentions.finding import Mention
from anonymize.names.legal_forms import ENGLISH_FORMS
from anonymize.prose.replacing import FoundMentions, ReplacedProse, mentions_in_tables, read_prose
from anonymize.pseudonyms import pseudonyms
from benchmarks.mentions.companies import Company, companies
from benchmarks.mentions.writing import Text, texts
from pipeline.keyed import Key
from pipeline.model import AliasSource, Column, Entities, Environment, Panel, RawTable, Role
from validation.escapes import Identifiers, find_escapes_in_texts

KEY = Key(b"m" * 32)
GOAL, MOST_ORDINARY = 0.995, 0.001
"""Shares of mentions that shall be replaced at least, and of ordinary words at most (our goal)."""

EXAMPLES = ("600488.SH", "(SHSE : 600488)", "SEHK: 808", "SZSE:000001", "股票代码：000001", "证券代码000001")


def environment(name: str) -> Environment:
    """Declare companies with aliases and descriptions."""
    return Environment(
        name=name,
        title="Companies and their descriptions",
        raw_tables=(
            RawTable(
                name="companies",
                key=("code",),
                columns=(
                    Column(name="code", role=Role.CODE, nullable=False),
                    Column(name="name", role=Role.NAME),
                    Column(name="industry"),
                    Column(name="city"),
                    Column(name="website", role=Role.IDENTIFIER),
                ),
            ),
            RawTable(
                name="aliases",
                key=("code", "alias"),
                columns=(
                    Column(name="code", role=Role.CODE, nullable=False),
                    Column(name="alias", role=Role.ALIAS),
                    Column(name="kind"),
                ),
            ),
            RawTable(
                name="descriptions",
                key=("number",),
                columns=(
                    Column(name="number", type="integer"),
                    Column(name="code", role=Role.CODE, nullable=False),
                    Column(name="text", role=Role.TEXT),
                ),
            ),
        ),
        entities=Entities(
            tables=("companies",),
            code="code",
            name="name",
            industry="industry",
            sub_industry="industry",
            language="en",
            code_examples=EXAMPLES,
            aliases=(AliasSource(table="aliases", code="code", alias="alias", kind="kind"),),
        ),
        panel=Panel(tables=(), measures=()),
        aggregates=(),
        tables=(),
    )


def frames_of(made: Sequence[Company], written: Sequence[Text]) -> dict[str, pl.DataFrame]:
    """Return the tables of invented companies: what they list, and their descriptions."""
    aliases = [
        row
        for one in made
        for row in (
            (one.code, one.name_zh, "chinese"),
            (one.code, one.person, "person"),
            (one.code, one.person_zh, "person"),
        )
    ]
    return {
        "companies": pl.DataFrame(
            [(one.code, one.name, one.trade, one.city or None, f"http://www.{one.host}") for one in made],
            schema=["code", "name", "industry", "city", "website"],
            orient="row",
        ),
        "aliases": pl.DataFrame(aliases, schema=["code", "alias", "kind"], orient="row"),
        "descriptions": pl.DataFrame(
            [(number, text.code, text.text) for number, text in enumerate(written)],
            schema=["number", "code", "text"],
            orient="row",
        ),
    }


@dataclass(frozen=True)
class MentionCounts:
    """What became of mentions and ordinary words."""

    mentions: Mapping[str, int]
    """Mentions by form."""
    missed: Mapping[str, int]
    listed: int
    """Of those missed, the ones that are listed for the curator, or that the search finds in what was published."""
    words: int
    """Ordinary words: of Latin letters and digits, or single Chinese characters."""
    replaced: int
    examples: Sequence[str]

    @property
    def share(self) -> float:
        """Return the share of mentions that were replaced."""
        return 1 - sum(self.missed.values()) / max(sum(self.mentions.values()), 1)

    @property
    def ordinary(self) -> float:
        """Return the share of ordinary words that were replaced."""
        return self.replaced / max(self.words, 1)

    @property
    def is_met(self) -> bool:
        """Return whether the goals are met."""
        return self.share >= GOAL and self.ordinary <= MOST_ORDINARY and self.listed == sum(self.missed.values())


def measure(count: int) -> MentionCounts:
    """Write of so many companies, replace, and count."""
    made = companies(count)
    written = list(texts(made))
    conformed, declared = frames_of(made, written), environment("written")
    map_ = pseudonyms(declared, conformed, KEY)
    escaped = _escaped(declared, map_.frame(), read_prose(declared, conformed, map_, KEY))
    return judged(written, mentions_in_tables(declared, conformed, map_, KEY), escaped)


def _escaped(declared: Environment, map_: pl.DataFrame, prose: ReplacedProse) -> set[int]:
    """Return the rows of replaced descriptions in which the search for escapes finds anything."""
    known = pl.concat([map_, prose.known])
    identities = Identifiers.of_map(known, code_examples=declared.entities.code_examples)
    published = prose.text("descriptions", "text")
    escapes = find_escapes_in_texts({str(row): text for row, text in enumerate(published)}, identities)
    return {int(escape.file) for escape in escapes if escape.file.isdigit()}


def judged(written: Sequence[Text], found: FoundMentions, escaped: set[int]) -> MentionCounts:
    """Hold what was found against what was written."""
    sure, doubtful = defaultdict(list), defaultdict(list)
    for block, of_block in found:
        for mention in of_block:
            (sure if mention.is_sure and mention.says else doubtful)[block.first + mention.row].append(mention)
    mentions: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    listed = words = replaced = 0
    examples: dict[str, str] = {}
    for row, text in enumerate(written):
        for start, end, form in text.places:
            mentions[form] += 1
            if not _is_covered(start, end, sure[row]):
                missed[form] += 1
                is_listed = row in escaped or any(m.start < end and start < m.end for m in doubtful[row])
                listed += is_listed
                missed_as = f"{form}{'' if is_listed else ' (not listed)'}"
                examples.setdefault(
                    missed_as,
                    text.text[max(start - 30, 0) : start]
                    + "["
                    + text.text[start:end]
                    + "]"
                    + text.text[end : end + 30],
                )
        for word in _WORD.finditer(text.text):
            if not any(start < word.end() and word.start() < end for start, end in text.zones):
                words += 1
                if hit := next((m for m in sure[row] if m.start < word.end() and word.start() < m.end), None):
                    replaced += 1
                    examples.setdefault(
                        f"ordinary, {hit.rule}",
                        text.text[max(hit.start - 30, 0) : hit.start]
                        + "["
                        + text.text[hit.start : hit.end]
                        + "]"
                        + text.text[hit.end : hit.end + 30],
                    )
    return MentionCounts(
        mentions, missed, listed, words, replaced, [f"{form}: {text!r}" for form, text in examples.items()]
    )


_WORD = re.compile(r"[A-Za-z0-9]+|[\u3400-\u9fff]")


def _is_covered(start: int, end: int, mentions: Sequence[Mention]) -> bool:
    covered = set()
    for mention in mentions:
        covered.update(range(max(start, mention.start), min(end, mention.end)))
    return len(covered) == end - start


def real(files: Sequence[Path]) -> None:
    """Print what happens to real names and descriptions."""
    listed = pl.concat([pl.read_csv(file, infer_schema=False) for file in files], how="diagonal")
    listed = listed.filter(pl.col("summary").is_not_null() & pl.col("name").is_not_null()).unique(
        "symbol", maintain_order=True
    )
    conformed = {
        "companies": listed.select(code="symbol", name="name", industry="industry", city="city", website="website"),
        "aliases": pl.DataFrame(schema=dict.fromkeys(("code", "alias", "kind"), pl.String())),
        "descriptions": listed.with_row_index("number").select(
            pl.col("number").cast(pl.Int64), code="symbol", text="summary"
        ),
    }
    declared = environment("real")
    map_ = pseudonyms(declared, conformed, KEY)
    prose = read_prose(declared, conformed, map_, KEY)
    published = prose.text("descriptions", "text").to_list()
    print(f"{listed.height:,} companies and descriptions")
    for what, count in prose.report.counts().items():
        print(f"  {what}: {count}")
    cores = [_simple(name) for name in listed["name"]]
    own = [
        (core, _plain(before), _plain(after))
        for core, before, after in zip(cores, listed["summary"], published, strict=True)
    ]
    held = sum(len(core) >= _SHORTEST and core in before for core, before, _ in own)
    left = [
        row
        for row, (core, before, after) in enumerate(own)
        if len(core) >= _SHORTEST and core in before and core in after
    ]
    share = len(left) / max(held, 1)
    print(f"  own name, letters alone: in {held:,} originals, in {len(left):,} replaced texts ({share:.2%})")
    for row in left[:10]:
        print(f"    {listed['name'][row]!r}")


_SHORTEST = 4
"""Letters of the shortest own name that is looked for so simply."""


def _simple(name: str) -> str:
    """Return a name's letters and digits in small letters without legal form: simpler than the finder, and apart from it."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    while words and words[-1] in ENGLISH_FORMS:
        words.pop()
    return "".join(words)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
