"""Replaces identities inside prose: reads all texts of the tables block by block, and says what was found in them.

What is looked for comes from the map of pseudonyms, the columns of identifiers, and the texts themselves, which tell former and
short names. How it is found is `mentions/`; the escape scan finds by the same (`validation/escapes`).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby

import polars as pl

from anonymize.keys.identity_map import ORIGIN
from anonymize.mentions.blocks import Block, Blocks, Passage
from anonymize.mentions.called import Called, called, of_few
from anonymize.mentions.codes import CodeFinder, code_finder, counted, warnings
from anonymize.mentions.contacts import contact_mentions, host_of, invented, significant
from anonymize.mentions.finding import Finder, Mention, leftmost_longest
from anonymize.mentions.forms import MISSPELT, Form, Term, forms_of, kind_of, with_strengths
from anonymize.mentions.labels import FOR_PEOPLE, labels_of
from anonymize.mentions.measuring import MeasuredForms, measured
from anonymize.mentions.ordinary import WORD
from anonymize.mentions.report import AROUND, ProseReport, merged, prose_report
from anonymize.names import PseudonymousName, pseudonymous_alias
from anonymize.names.legal_forms import without_legal_form
from anonymize.prose.public import invented_words, public_values, public_words
from anonymize.pseudonyms import Pseudonyms, direct_identifiers
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import Environment, Frames, Role
from pipeline.normal_form import letters_of, normal_form, spread

HOST, CONTACT, ORDINARY = "host", "contact", "ordinary"
"""Kinds of the map besides those of listed names: declared hosts, what else was found, and names that are ordinary words."""

ReadBack = Callable[[], pl.Series]
"""Returns what was put aside."""


@dataclass(frozen=True, repr=False)
class ReplacedProse:
    """The texts of a build with pseudonyms in them, and what was found. Its `repr` shows nothing of either."""

    known: pl.DataFrame
    """`kind, original, pseudonym` of the names learnt from texts and of what was measured: it goes into the curator's map."""
    report: ProseReport
    origins: pl.DataFrame
    """`kind, original, whose, learnt` of what is looked for, for the curator: whose it is, and where it was learnt."""
    _conformed: Frames
    _written: Mapping[tuple[str, str], Sequence[ReadBack]]

    def text(self, table: str, column: str) -> pl.Series:
        """Return the replaced texts of a column, in the order of the conformed rows."""
        return _filled(self._conformed[table][column], [read_back() for read_back in self._written[table, column]])


def read_prose(
    environment: Environment,
    conformed: Frames,
    pseudonyms: Pseudonyms,
    key: Key,
    *,
    identifiers: pl.DataFrame | None = None,
    put_aside: Callable[[pl.Series], ReadBack] = lambda texts: lambda: texts,
) -> ReplacedProse:
    """Find and replace every mention in every column of prose.

    Args:
        key: Release key.
        identifiers: What else identifies somebody (`direct_identifiers`); that of the conformed tables if None.
        put_aside: Takes a block of replaced texts out of memory, and returns what reads it back; it stays there if not given.
    """
    found = mentions_in_tables(environment, conformed, pseudonyms, key, identifiers=identifiers)
    written: dict[tuple[str, str], list[ReadBack]] = {place: [] for place in _columns(environment, conformed)}
    reports, of_codes, origins = [], Counter[str](), list[tuple[str, str, str]]()
    written_so: dict[tuple[str, str], str] = {}
    for block, mentions in found:
        origins += found.learnt(block)
        for place, of_column in _by_column(block, replaced_texts(block.texts, mentions)):
            written[place].append(put_aside(of_column))
        reports.append(prose_report(block.passages, mentions))
        written_so |= _written_so(block, mentions)
        of_codes += found.codes_in(block, mentions)
    report = found.report(reports, of_codes)
    return ReplacedProse(found.known(written_so), report, found.origins(origins), conformed, written)


def mentions_in_tables(
    environment: Environment,
    conformed: Frames,
    pseudonyms: Pseudonyms,
    key: Key,
    *,
    identifiers: pl.DataFrame | None = None,
) -> "FoundMentions":
    """Find every mention in every column of prose; as in `read_prose`."""
    known = direct_identifiers(environment, conformed) if identifiers is None else identifiers
    passages = _Passages(environment, conformed)
    has_any = next(iter(passages), None) is not None
    return mentions_in(
        Blocks(passages),
        pseudonyms.terms(),
        codes=[_coded(environment, each) for each in (pseudonyms, *pseudonyms.further.values())],
        identifiers={value.strip() for value in known["original"]} - {""},
        public=chain(public_values(environment, conformed), invented_words(pseudonyms)) if has_any else (),
        alias_pseudonyms=_alias_pseudonyms(environment, conformed, pseudonyms, key.derive("aliases")),
        key=key.derive("contacts"),
    )


@dataclass(frozen=True, kw_only=True, repr=False)
class FoundMentions:
    """Mentions in passages: walked through, it finds them block by block. And what was learnt of all passages before."""

    blocks: Blocks
    finder: Finder
    codes: Sequence[CodeFinder]
    key: Key
    measured: MeasuredForms
    learnt_names: Sequence[Called]
    listed: Sequence[Term]
    """What is listed."""
    terms: Sequence[Term]
    """Terms for the names learnt from texts."""
    hosts: Mapping[str, str]
    """Declared hosts, and invented ones."""
    numbers: frozenset[str]
    """Digits of declared numbers."""

    def __iter__(self) -> Iterator[tuple[Block, list[Mention]]]:
        """Yield each block with its mentions, by the place of their passage in it: sorted, none overlapping another."""
        for number, block in enumerate(self.blocks):
            named = self.finder.mentions(block.aligned, block.own, self.measured.standing(number))
            coded = (mention for finder in self.codes for mention in finder.find(block.texts, block.own))
            about = [one is not None for one in block.own]
            contacts = contact_mentions(
                block.texts, self.key, is_anybodys=about, hosts=self.hosts, numbers=self.numbers
            )
            yield block, leftmost_longest((*named, *coded, *contacts))

    def learnt(self, block: Block) -> Iterator[tuple[str, str, str]]:
        """Yield the names learnt from the texts of a block, whose they are, and the words around them."""
        for passage in block.passages:
            if one := self._learnt_from.get((passage.table, passage.column, passage.row)):
                at = max(passage.text.find(one.name), 0)
                around = " ".join(passage.text[max(at - AROUND, 0) : at + len(one.name) + AROUND].split())
                yield one.name, one.code, f"{one.kind}, learnt from {one.table}.{one.column}: “{around}”"

    @cached_property
    def _learnt_from(self) -> Mapping[tuple[str, str, int], Called]:
        return {(one.table, one.column, one.row): one for one in self.learnt_names}

    def origins(self, learnt: Iterable[tuple[str, str, str]]) -> pl.DataFrame:
        """Return `kind, original, whose, learnt` of what is looked for, given what texts tell; each original once."""
        each = [
            pl.DataFrame([*learnt], dict.fromkeys(("original", "whose", "learnt"), pl.String()), orient="row"),
            _columns_of(self.listed).with_columns(learnt="listed: " + pl.col("kind")),
            _columns_of(self.measured.words).with_columns(learnt=pl.lit("a word of a name")),
        ]
        every = pl.concat([one.select(pl.lit(ORIGIN).alias("kind"), "original", "whose", "learnt") for one in each])
        return every.unique("original", keep="first", maintain_order=True)

    def codes_in(self, block: Block, mentions: Iterable[Mention]) -> Counter[str]:
        """Count what the mentions of a block say of how codes are declared to be written."""
        texts = max(LOOKED_AT - block.first, 0)
        matches = sum(finder.matches(block.texts[:texts]) for finder in self.codes)
        return counted(mentions, texts=texts) + Counter(matches=matches)

    def known(self, written_so: Mapping[tuple[str, str], str]) -> pl.DataFrame:
        """Return `kind, original, pseudonym` of what was learnt, and of what texts write so, without repetitions."""
        rows = [
            *((term.kind, term.surface, term.pseudonym) for term in (*self.terms, *self.measured.words)),
            *((HOST, host, says) for host, says in self.hosts.items()),
            *((kind, original, says) for (kind, original), says in written_so.items()),
            *((ORDINARY, name, name) for name in self.measured.ordinary.values()),
        ]
        schema = dict.fromkeys(("kind", "original", "pseudonym"), pl.String())
        return pl.DataFrame(rows, schema=schema, orient="row").unique(maintain_order=True)

    def report(self, reports: Iterable[ProseReport], of_codes: Counter[str]) -> ProseReport:
        """Return the report on all passages, of those on each block and of what was counted of codes."""
        texts = min(self.measured.texts, LOOKED_AT)
        return merged(
            reports,
            ordinary=self.measured.ordinary.values(),
            learnt=self.learnt_names,
            warnings=warnings(of_codes, matches=of_codes["matches"], texts=texts),
        )


def mentions_in(
    blocks: Blocks,
    terms: Sequence[Term],
    *,
    codes: Sequence[CodeFinder],
    key: Key,
    alias_pseudonyms: "AliasPseudonyms",
    identifiers: Iterable[str] = (),
    public: Iterable[str] = (),
) -> FoundMentions:
    """Find every mention in passages.

    Args:
        blocks: The whole corpus: what is ordinary and what is rare is measured in it.
        terms: What is listed, with what takes its place.
        codes: What finds the codes of each kind of entity.
        key: Key of invented addresses and numbers.
        alias_pseudonyms: Draws pseudonyms for names learnt from texts.
        identifiers: Values that identify and are never published.
        public: Values of public attributes: they are no distinctive words.
    """
    identifiers = sorted({*identifiers})
    hosts = {host: invented(host, key) for host in sorted({host_of(one) for one in identifiers} - {""})}
    numbers = frozenset(digits for one in identifiers for digits in significant(one))
    others = (one for one in identifiers if not host_of(one) and not significant(one))
    listed = [*terms, *(Term(one, kind_of(one), "", invented(one, key)) for one in others)]
    forms = forms_of(listed, invented=[term.pseudonym for term in listed if term.kind == "name"])
    names = _listed_names(forms)
    known_public = frozenset(normal_form(pl.Series(tuple({*public}), dtype=pl.String)))
    learnt = (one for block in blocks for one in called(block.passages, unnamed=_unnamed(block, names)))
    learnt_names = of_few([one for one in learnt if letters_of(one.name) not in known_public])
    further = tuple(alias_pseudonyms(learnt_names, {letters_of(term.surface) for term in listed}))
    forms += forms_of(further)
    of_measure = measured(forms, blocks, public=chain(known_public, public_words(term.pseudonym for term in terms)))
    shared = {letters_of(term.surface) for term in of_measure.doubtful if not term.whose}
    standing = {needle for candidates in of_measure.candidates for needle in candidates["needle"].unique()}
    every = (*forms, *forms_of((*of_measure.words, *of_measure.doubtful)))
    found = (form for form in every if form.needle in standing)
    ordinary = of_measure.ordinary.keys() | shared
    sized = with_strengths(
        found, ordinary=ordinary, rare=of_measure.rare, named=of_measure.named, public=of_measure.public
    )
    return FoundMentions(
        blocks=blocks,
        finder=Finder((*sized, *(form for form in of_measure.misspelt if form.needle in standing))),
        codes=codes,
        key=key,
        measured=of_measure,
        learnt_names=learnt_names,
        listed=terms,
        terms=further,
        hosts=hosts,
        numbers=numbers,
    )


def _columns_of(terms: Sequence[Term]) -> pl.DataFrame:
    """Return `kind, original, whose` of terms; as rows they would take several times the memory."""
    columns = {"kind": "kind", "original": "surface", "whose": "whose"}
    series = (pl.Series(name, [getattr(one, of) for one in terms], dtype=pl.String) for name, of in columns.items())
    return pl.DataFrame(list(series))


def replaced_texts(texts: Sequence[str], mentions: Iterable[Mention]) -> list[str]:
    """Return texts with what mentions say in their places; what is not sure, and what has nothing to say, stays."""
    replaced = list(texts)
    by_row: dict[int, list[Mention]] = {}
    for mention in mentions:
        if mention.is_sure and mention.says:
            by_row.setdefault(mention.row, []).append(mention)
    for row, of_row in by_row.items():
        text, parts, reached = texts[row], [], 0
        for mention in of_row:
            parts += [text[reached : mention.start], mention.says]
            reached = mention.end
        replaced[row] = "".join((*parts, text[reached:]))
    return replaced


def _written_so(block: Block, mentions: Iterable[Mention]) -> dict[tuple[str, str], str]:
    """Return what takes the place of contacts and of misspelt names of several words, by kind, and as texts write them."""
    written = ((m, block.texts[m.row][m.start : m.end]) for m in mentions if m.is_sure)
    return {
        (CONTACT if m.kind == CONTACT else MISSPELT, text): m.says
        for m, text in written
        if m.kind == CONTACT or (m.rule == MISSPELT and len(WORD.findall(spread(text))) > 1)
    }


def _listed_names(forms: Iterable[Form]) -> dict[str, list[str]]:
    """Return the normal forms of each company's listed names, by its code."""
    needles: dict[str, list[str]] = defaultdict(list)
    for form in forms:
        if form.term.kind in {"name", "english", "short"}:
            needles[form.term.whose].append(form.needle)
    return needles


def _unnamed(block: Block, names: Mapping[str, Sequence[str]]) -> set[int]:
    """Return the places of passages in which no listed name of their own company stands."""
    return {
        place
        for place, (normal, code) in enumerate(zip(block.aligned.normals, block.own, strict=True))
        if code is not None and not any(needle in normal for needle in names.get(code, ()))
    }


class AliasPseudonyms:
    """Draws pseudonyms for names learnt from texts."""

    def __init__(self, names: Mapping[str, PseudonymousName], industries: Mapping[str, str], key: Key) -> None:
        self._names, self._industries, self._key = names, industries, key

    def __call__(self, learnt: Sequence[Called], known: set[str]) -> Iterator[Term]:
        """Yield a term for each name that is not known already, a company's in the order of their letters."""
        fresh = sorted({(one.code, one.kind, one.name) for one in learnt})
        counts: dict[tuple[str, str], int] = {}
        seen = set(known)
        for code, kind, surface in fresh:
            if letters_of(surface) in seen or code not in self._names:
                continue
            seen.add(letters_of(surface))
            ordinal = counts[code, kind] = counts.get((code, kind), -1) + 1
            name = self._names[code]
            says = pseudonymous_alias(kind, name, self._industries.get(code, ""), ordinal, self._key)
            yield Term(surface, kind, code, says, without_legal_form(says) or says, name.brand)


def _alias_pseudonyms(environment: Environment, conformed: Frames, pseudonyms: Pseudonyms, key: Key) -> AliasPseudonyms:
    keys = environment.entities
    industries: dict[str, str] = {}
    for table in keys.tables:
        if table in conformed and pseudonyms.names:
            industries |= dict(conformed[table].select(keys.code, pl.col(keys.industry).fill_null("")).iter_rows())
    return AliasPseudonyms(pseudonyms.names, industries, key)


def _columns(environment: Environment, conformed: Frames) -> Iterator[tuple[str, str]]:
    for table in environment.raw_tables:
        if table.name in conformed:
            yield from ((table.name, column.name) for column in table.of_role(Role.TEXT))


@dataclass(frozen=True)
class _Passages:
    """Every text that is not null, column by column, read anew each time."""

    environment: Environment
    conformed: Frames

    def __iter__(self) -> Iterator[Passage]:
        for table, column in _columns(self.environment, self.conformed):
            owner = self.environment.owner(table)
            prefix = pl.lit(f"{owner.of}{SEPARATOR}" if owner and owner.of else "")
            own = prefix + pl.col(owner.name).cast(pl.String) if owner else pl.lit(None, pl.String)
            rows = self.conformed[table].select(text=column, own=own).iter_rows()
            yield from (
                Passage(table, column, row, text, code) for row, (text, code) in enumerate(rows) if text is not None
            )


def _by_column(block: Block, texts: Sequence[str]) -> Iterator[tuple[tuple[str, str], pl.Series]]:
    """Yield the texts of each column of a block."""
    pairs = zip(block.passages, texts, strict=True)
    for place, of_column in groupby(pairs, key=lambda pair: (pair[0].table, pair[0].column)):
        yield place, pl.Series([text for _, text in of_column], dtype=pl.String)


def _filled(texts: pl.Series, replaced: Sequence[pl.Series]) -> pl.Series:
    """Return a column with others in place of all texts that are not null, in their order."""
    is_there = texts.is_not_null()
    place = pl.select(pl.when(is_there).then(is_there.cum_sum() - 1)).to_series()
    return pl.concat([pl.Series(dtype=pl.String), *replaced]).gather(place).rename(texts.name)


def _coded(environment: Environment, pseudonyms: Pseudonyms) -> CodeFinder:
    """Return what finds the codes of a kind of entity: as is declared, or those of digits beside a word that says so."""
    kind = pseudonyms.kind
    if kind is None:
        return code_finder({})
    prefix = f"{kind.kind}{SEPARATOR}" if kind.kind else ""
    if kind.code_mention or kind.code_examples:
        return code_finder(pseudonyms.codes, examples=kind.code_examples, pattern=kind.code_mention, prefix=prefix)
    columns = (column.name for table in environment.raw_tables for column in table.of_role(Role.CODE, of=kind.kind))
    labels = labels_of((kind.kind, *kind.tables, kind.code, *columns)) | (
        FOR_PEOPLE if kind.named == "person" else set()
    )
    return code_finder(
        {code: to for code, to in pseudonyms.codes.items() if code.isdigit()}, labels=labels, prefix=prefix
    )


LOOKED_AT = 2_000
"""Texts in which it is counted how wide the declared form of codes is."""
