"""Replaces identities inside prose: reads all texts of the tables at once, and says what was found in them.

What is looked for comes from the map of pseudonyms, the columns of identifiers, and the texts themselves, which tell former and
short names. How it is found is `mentions/`; the escape scan finds by the same (`validation/escapes`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

from anonymize.mentions.aligned import Aligned
from anonymize.mentions.called import Called, called
from anonymize.mentions.codes import CodeFinder, code_finder, warnings
from anonymize.mentions.contacts import contact_mentions, host_of, invented
from anonymize.mentions.finding import Finder, Mention, leftmost_longest
from anonymize.mentions.forms import Form, Term, forms_of, with_strengths
from anonymize.mentions.measuring import Measured, measured
from anonymize.mentions.report import Passage, ProseReport, prose_report
from anonymize.names import PseudonymousName, pseudonymous_alias
from anonymize.names.legal_forms import without_legal_form
from anonymize.pseudonyms import Pseudonyms, direct_identifiers
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import Environment, Frames, Role
from pipeline.normal_form import letters_of

HOST, CONTACT, ORDINARY = "host", "contact", "ordinary"
"""Kinds of the map besides those of listed names: declared hosts, what else was found, and names that are ordinary words."""


@dataclass(frozen=True, repr=False)
class Prose:
    """The texts of a build with pseudonyms in them, and what was found. Its `repr` shows nothing of either."""

    texts: Mapping[tuple[str, str], pl.Series]
    """Replaced texts by table and column, in the order of the conformed rows."""
    known: pl.DataFrame
    """`kind, original, pseudonym` of what texts told and what was measured: it goes into the curator's map."""
    report: ProseReport
    mentions: tuple[Mention, ...]
    """Every mention, by the number of its text among all that are not null."""


def read_prose(environment: Environment, conformed: Frames, pseudonyms: Pseudonyms, key: Key) -> Prose:
    """Find and replace every mention in every column of prose.

    Args:
        environment: Declares columns of prose and how codes are written.
        conformed: Conformed tables by name.
        pseudonyms: The map of this release.
        key: Release key.
    """
    passages = list(_passages(environment, conformed))
    found = mentions_in(
        passages,
        pseudonyms.terms(),
        codes=[_coded(each) for each in (pseudonyms, *pseudonyms.further.values())],
        identifiers=_identifiers(environment, conformed),
        public=chain(_public(environment, conformed), _invented(pseudonyms)) if passages else (),
        name_told=_name_told(environment, conformed, pseudonyms, key.derive("aliases")),
        key=key.derive("contacts"),
    )
    replaced = iter(replaced_texts([passage.text for passage in passages], found.mentions))
    texts = {
        (table, column): _filled(conformed[table][column], replaced)
        for table, column in _columns(environment, conformed)
    }
    return Prose(texts, found.known(), found.report(), tuple(found.mentions))


@dataclass(frozen=True)
class Found:
    """Mentions in passages, and what was learnt on the way."""

    passages: Sequence[Passage]
    mentions: Sequence[Mention]
    measured: Measured
    told: Sequence[Called]
    terms: Sequence[Term]
    """Terms for what texts told."""
    hosts: Mapping[str, str]
    """Declared hosts, and invented ones."""
    warnings: Sequence[str]

    def known(self) -> pl.DataFrame:
        """Return `kind, original, pseudonym` of what was learnt, without repetitions."""
        contacts = {
            self.passages[m.row].text[m.start : m.end]: m.says for m in self.mentions if m.kind == CONTACT and m.is_sure
        }
        rows = [
            *((term.kind, term.surface, term.pseudonym) for term in (*self.terms, *self.measured.words)),
            *((HOST, host, says) for host, says in self.hosts.items()),
            *((CONTACT, original, says) for original, says in contacts.items()),
            *((ORDINARY, name, name) for name in self.measured.ordinary.values()),
        ]
        schema = dict.fromkeys(("kind", "original", "pseudonym"), pl.String())
        return pl.DataFrame(rows, schema=schema, orient="row").unique(maintain_order=True)

    def report(self) -> ProseReport:
        """Return what was found."""
        ordinary = self.measured.ordinary.values()
        return prose_report(self.passages, self.mentions, ordinary=ordinary, told=self.told, warnings=self.warnings)


def mentions_in(
    passages: Sequence[Passage],
    terms: Sequence[Term],
    *,
    codes: Sequence[CodeFinder],
    key: Key,
    name_told: "NameTold",
    identifiers: Iterable[str] = (),
    public: Iterable[str] = (),
) -> Found:
    """Find every mention in passages, sorted, none overlapping another.

    Args:
        passages: The whole corpus: what is ordinary and what is rare is measured in it.
        terms: What is listed, with what takes its place.
        codes: What finds the codes of each kind of entity.
        key: Key of invented addresses and numbers.
        name_told: Invents what takes the place of a name that a text tells.
        identifiers: Values that identify and are never published.
        public: Values of public attributes: they are no distinctive words.
    """
    texts, own = [passage.text for passage in passages], [passage.own for passage in passages]
    coded = [mention for finder in codes for mention in finder.find(texts, own)]
    listed = [*terms, *(Term(one, "identifier", "", invented(one, key)) for one in identifiers if not host_of(one))]
    aligned, forms = Aligned.of(texts), forms_of(listed, invented=_says(listed))
    told = called(texts, own, unnamed=_unnamed(aligned, own, forms))
    further = tuple(name_told(told, {letters_of(term.surface) for term in listed}, own))
    forms += forms_of(further)
    of_measure = measured(forms, aligned, own, public=chain(public, public_words(term.pseudonym for term in terms)))
    words = forms_of((*of_measure.words, *of_measure.doubtful))
    doubtful = {letters_of(term.surface) for term in of_measure.doubtful}
    standing = {candidate.needle for candidate in of_measure.candidates}
    found = (form for form in (*forms, *words) if form.needle in standing)
    sized = with_strengths(found, ordinary=of_measure.ordinary.keys() | doubtful, rare=of_measure.rare)
    named = Finder(tuple(sized)).mentions(aligned, own, of_measure.candidates)
    hosts = {host: invented(host, key) for host in sorted({host_of(one) for one in identifiers} - {""})}
    about = [one is not None for one in own]
    contacts = contact_mentions(texts, key, is_anybodys=about, hosts=hosts)
    mentions = leftmost_longest((*named, *coded, *contacts))
    matches = sum(finder.matches(texts[:LOOKED_AT]) for finder in codes)
    told_of_codes = tuple(warnings(mentions, matches=matches, texts=min(len(texts), LOOKED_AT)))
    return Found(passages, mentions, of_measure, told, further, hosts, told_of_codes)


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


def _says(terms: Iterable[Term]) -> list[str]:
    return [term.pseudonym for term in terms if term.kind == "name"]


def _unnamed(aligned: Aligned, own: Sequence[str | None], forms: Iterable[Form]) -> set[int]:
    """Return the rows of texts in which no listed name of their own company stands."""
    needles: dict[str, list[str]] = {}
    for form in forms:
        if form.term.kind in {"name", "english", "short"}:
            needles.setdefault(form.term.whose, []).append(form.needle)
    return {
        row
        for row, (normal, code) in enumerate(zip(aligned.normals, own, strict=True))
        if code is not None and not any(needle in normal for needle in needles.get(code, ()))
    }


class NameTold:
    """Invents what takes the place of names that texts tell."""

    def __init__(self, names: Mapping[str, PseudonymousName], industries: Mapping[str, str], key: Key) -> None:
        self._names, self._industries, self._key = names, industries, key

    def __call__(self, told: Sequence[Called], known: set[str], own: Sequence[str | None]) -> Iterator[Term]:
        """Yield a term for each name that is not known already, a company's in the order of their letters."""
        fresh = sorted({(own[one.row] or "", one.kind, one.surface) for one in told})
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


def _name_told(environment: Environment, conformed: Frames, pseudonyms: Pseudonyms, key: Key) -> NameTold:
    keys = environment.entities
    industries: dict[str, str] = {}
    for table in keys.tables:
        if table in conformed and pseudonyms.names:
            industries |= dict(conformed[table].select(keys.code, pl.col(keys.industry).fill_null("")).iter_rows())
    return NameTold(pseudonyms.names, industries, key)


def _columns(environment: Environment, conformed: Frames) -> Iterator[tuple[str, str]]:
    for table in environment.raw_tables:
        if table.name in conformed:
            yield from ((table.name, column.name) for column in table.of_role(Role.TEXT))


def _passages(environment: Environment, conformed: Frames) -> Iterator[Passage]:
    """Yield every text that is not null, column by column."""
    for table, column in _columns(environment, conformed):
        frame = conformed[table]
        owner = environment.owner(table)
        prefix = pl.lit(f"{owner.of}{SEPARATOR}" if owner and owner.of else "")
        codes = frame.select(prefix + pl.col(owner.name).cast(pl.String)).to_series().to_list() if owner else []
        own = codes or [None] * frame.height
        for row, (text, code) in enumerate(zip(frame[column].to_list(), own, strict=True)):
            if text is not None:
                yield Passage(table, column, row, text, code)


def _filled(texts: pl.Series, replaced: Iterator[str]) -> pl.Series:
    """Return a column with the next texts in place of all that are not null."""
    return pl.Series(
        texts.name, [None if text is None else next(replaced) for text in texts.to_list()], dtype=pl.String
    )


def _identifiers(environment: Environment, conformed: Frames) -> list[str]:
    """Return every value of the columns that identify and are never published."""
    values = direct_identifiers(environment, conformed)["original"]
    return sorted({value.strip() for value in values} - {""})


def _coded(pseudonyms: Pseudonyms) -> CodeFinder:
    """Return what finds the codes of a kind of entity; it finds none where codes are words of their own."""
    kind = pseudonyms.kind
    if kind is None or not (kind.code_mention or kind.code_examples):
        return code_finder({})
    prefix = f"{kind.kind}{SEPARATOR}" if kind.kind else ""
    return code_finder(pseudonyms.codes, examples=kind.code_examples, pattern=kind.code_mention, prefix=prefix)


def _invented(pseudonyms: Pseudonyms) -> Iterator[str]:
    """Yield every invented name and its words."""
    for each in (pseudonyms, *pseudonyms.further.values()):
        for name in each.names.values():
            yield from public_words((name.legal, name.short, name.english))


def _public(environment: Environment, conformed: Frames) -> Iterator[str]:
    """Yield the values of attributes that several rows have, or by which rows are grouped, and their words."""
    keys = environment.entities
    grouped = {keys.industry, keys.sub_industry, *(column for of in environment.aggregates for column in of.by)}
    for table in environment.raw_tables:
        if table.name not in conformed or table.name in environment.panel.tables:
            continue
        for column in table.of_role(Role.ATTRIBUTE):
            values = conformed[table.name][column.name].drop_nulls()
            is_shared = column.name in grouped or 2 * values.n_unique() <= len(values)
            if values.dtype == pl.String and is_shared:
                yield from public_words(values.unique().to_list())


def public_words(values: Iterable[str]) -> Iterator[str]:
    """Yield values and the words of those that have few."""
    for value in values:
        yield value
        words = value.split()
        if len(words) <= MOST_WORDS:
            yield from words


LOOKED_AT = 2_000
"""Texts in which it is counted how wide the declared form of codes is."""

MOST_WORDS = 4
"""Words of an attribute's value that are public one by one."""
