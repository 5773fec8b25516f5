"""Measures in the texts themselves which names are ordinary words, and which words of names are nobody else's.

A phrase is *ordinary* if others' texts hold it in small letters and each of its words is ordinary by itself. A word of a
name, or a name that is too short to be sure by itself, is *rare* if few texts hold it besides those of its own company,
none of them in small letters, and no public attribute (a town, an industry) is called so.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import add
from typing import NamedTuple, Self

import polars as pl

from anonymize.mentions.aligned import Aligned, Needles, code_points
from anonymize.mentions.blocks import Block
from anonymize.mentions.finding import Candidate, Finder, TextPlace
from anonymize.mentions.forms import MISSPELT, NAMES, PART, PERSON, WORDS, Form, Strength, Term, forms_of
from anonymize.mentions.near.misspelt import misspelt
from anonymize.mentions.ordinary import HAN, chinese_words, common_chinese, english_words
from pipeline.normal_form import letters_of, normal_form

FEW_TEXTS, FEW_SHARE = 3, 0.002
"""Texts of others, at least and by their share of all, in which a rare word may stand. Our choice: of 5,455 real texts, 10."""

SHORTEST_WORD, SHORTEST_CHINESE_WORD = 4, 3
"""Letters of the shortest word that may be distinctive in any text, and characters of a Chinese one (our choice)."""

SHORTEST_OWN = 2
"""Letters of the shortest word of a name that is looked for in its company's own texts (our choice)."""

SMALL_SHARE = 0.5
"""Texts that have a word in small letters, by those that have it with a capital, from which it is ordinary; our choice."""

PAIR_SHARE = 0.005
"""Share of Chinese names from which a pair of characters in them is a word of many (`科技`); our choice."""

PAIR_HOLDS = 0.3
"""Share of the names with one of its characters that have a pair, from which it is a word; of the names with one last word
that have one before it, from which both are a trade (`New Materials`). Our choice."""

MOST_OWNERS = 3
"""Companies (a group's) whose names may share a distinctive word; in others' texts it is then only proposed."""


_CANDIDATES: dict[str, pl.DataType] = dict.fromkeys(Candidate._fields, pl.Int32()) | {
    "needle": pl.String(),
    "is_torn": pl.Boolean(),
}


class Counted(NamedTuple):
    """In how many texts of others a needle stands without a legal form, and in how many of these it has small letters."""

    others: int = 0
    in_small_letters: int = 0


@dataclass(frozen=True)
class MeasuredForms:
    """What was measured in a corpus."""

    texts: int = 0
    ordinary: Mapping[str, str] = field(default_factory=dict)
    """Normal forms of cores that are ordinary words, with how the name is listed."""
    rare: frozenset[str] = frozenset()
    """Normal forms of cores that are sure by themselves although they are short."""
    public: frozenset[str] = frozenset()
    """Normal forms of parts of people's names that are public words."""
    words: tuple[Term, ...] = ()
    """Distinctive words of names."""
    named: frozenset[str] = frozenset()
    """Normal forms of words, and of names of one word, that are known in their company's own texts alone."""
    doubtful: tuple[Term, ...] = ()
    """Words of names that are known in a company's own text alone: many texts of others hold them, or one in small letters,
    or they are short. Those that many companies share, and that name no trade, are nobody's: they are proposed."""
    misspelt: tuple[Form, ...] = ()
    """Forms with a word misspelt, with their strength: a word by itself counts in its company's own texts, or is proposed."""
    candidates: tuple[pl.DataFrame, ...] = ()
    """Where anything that was measured stands, block by block."""

    def standing(self, block: int) -> Iterator[Candidate]:
        """Yield where anything stands in a block."""
        return map(Candidate._make, self.candidates[block].iter_rows())


def measured(forms: Sequence[Form], corpus: Iterable[Block], *, public: Iterable[str] = ()) -> MeasuredForms:
    """Measure which names and words of names are ordinary in texts, and which are rare.

    Args:
        corpus: All texts, which are walked through more than once.
        public: Values of public attributes (towns, industries), and invented names.
    """
    public_forms = normal_form(pl.Series(tuple(set(public)), dtype=pl.String))
    known_public = frozenset(public_forms)
    usual = english_words() | common_words(block.texts for block in corpus)
    ends = _ends(form for form in forms if form.term.kind in NAMES and not HAN.search(form.needle))
    words = list(_nobodys_else(_distinctive_candidates(forms, known_public, usual, ends), public_forms))
    needles = [letters_of(word.surface) for word in words]
    near = tuple(misspelt((*forms, *forms_of(_of_few(words, needles))), corpus, known=usual | known_public))
    finder = Finder((*forms, *forms_of(words), *near))
    known_public &= finder.by_needle.keys()
    texts, candidates, counted = _walked(finder, corpus)
    few = max(FEW_TEXTS, int(FEW_SHARE * texts))
    ordinary: dict[str, str] = {}
    rare: set[str] = set()
    doubtful: set[str] = set()
    shared: set[str] = set()
    for needle, of_needle in finder.by_needle.items():
        form, count = of_needle[0], counted.get(needle, Counted())
        if form.rule == MISSPELT:
            continue
        if (form.term.kind not in {WORDS, PERSON} or form.rule == PART) and _is_ordinary(
            form, count, few, usual, known_public
        ):
            ordinary[needle] = form.words[0] if form.rule == PART else form.term.surface
        elif needle not in known_public and (form.is_one_word or not count.in_small_letters):
            # A word that is all that a company is called by may stand in many texts of others: capitals tell it.
            is_whole = form.term.kind in NAMES and len(form.words) == 1
            is_own = is_whole and len(needle) >= SHORTEST_WORD and not HAN.search(needle)
            is_proper = not count.in_small_letters and _is_peculiar(form, usual)
            is_rare = is_proper and (count.others <= few or is_own)
            if len({one.term.whose for one in of_needle}) > MOST_OWNERS:
                # Where many texts hold it, capitals tell a name, which Chinese has not; what names end with is a trade.
                is_telling = is_rare or (is_proper and len(needle) >= SHORTEST_WORD and not HAN.search(needle))
                shared.update({needle} if is_telling and form.term.kind == WORDS and needle not in ends else ())
            elif is_rare and not _is_short_word(form):
                rare.add(needle)
            elif _is_peculiar(form, usual if count.in_small_letters else english_words()):
                doubtful.add(needle)
    standing = [(term, needle) for term, needle in zip(words, needles, strict=True) if needle in counted]
    kept, doubted = (tuple(term for term, needle in standing if needle in which) for which in (rare, doubtful))
    nobodys = tuple({needle: term._replace(whose="") for term, needle in standing if needle in shared}.values())
    public_parts = frozenset(form.needle for form in forms if form.rule == PART and form.needle in known_public)
    named = frozenset(doubtful)
    wrong = tuple(sized for form in near for sized in _misspelt_sized(form, finder, counted, few, usual))
    return MeasuredForms(
        texts, ordinary, frozenset(rare), public_parts, kept, named, (*doubted, *nobodys), wrong, candidates
    )


def _walked(finder: Finder, corpus: Iterable[Block]) -> tuple[int, tuple[pl.DataFrame, ...], dict[str, Counted]]:
    """Return how many texts there are, and where needles stand in each block; and for each needle in how many texts."""
    texts, candidates, counted, known = 0, [], dict[str, Counted](), dict[str, _Borne]()
    for block in corpus:
        found = tuple(finder.candidates(block.aligned))
        for needle in {candidate.needle for candidate in found} - known.keys():
            known[needle] = _Borne.of(finder.by_needle[needle])
        for needle, count in _counted(known, block.aligned, found, block.own).items():
            counted[needle] = Counted(*map(add, count, counted.get(needle, Counted())))
        texts += len(block.texts)
        candidates.append(pl.DataFrame(found, schema=_CANDIDATES, orient="row"))
    return texts, tuple(candidates), counted


class _Borne(NamedTuple):
    """Who bears the names of a needle, and how these are written: of many companies' names few are written differently."""

    owners: frozenset[str]
    written: tuple[Form, ...]
    is_word: bool

    @classmethod
    def of(cls, forms: Sequence[Form]) -> Self:
        """Return what is known of the forms of a needle."""
        written = {(form.words, form.strength): form for form in forms}
        owners = frozenset(form.term.whose for form in forms)
        return cls(owners, tuple(written.values()), forms[0].term.kind == WORDS)


def common_words(blocks: Iterable[Sequence[str]]) -> frozenset[str]:
    """Return the words that several texts have in small letters, and not much more have with a capital."""
    texts, each = 0, [_word_counts([])]
    for block in blocks:
        texts += len(block)
        each.append(_word_counts(block))
    counts = pl.concat(each).group_by("word").sum()
    is_common = (pl.col("small") >= max(FEW_TEXTS, FEW_SHARE * texts)) & (
        pl.col("small") >= SMALL_SHARE * pl.col("capital")
    )
    return frozenset(counts.filter(is_common)["word"])


def _word_counts(texts: Sequence[str]) -> pl.DataFrame:
    """Return `word, small, capital`: in how many texts each word stands in small letters, and with a capital."""
    frame = pl.DataFrame({"text": pl.Series(list(texts), dtype=pl.String)}).with_row_index("row")
    # Runs of whatever words are made of are found several times faster than the boundaries of those in Latin letters.
    runs = frame.filter(pl.col("text").str.contains("[A-Za-z][a-z]")).select(
        "row", word=pl.col("text").str.extract_all(r"\w+").list.unique()
    )
    words = runs.explode("word").filter(pl.col("word").str.contains("^[A-Za-z][a-z]+$"))
    is_small = pl.col("word").str.contains("^[a-z]")
    return words.group_by(pl.col("word").str.to_lowercase()).agg(small=is_small.sum(), capital=(~is_small).sum())


def _is_ordinary(form: Form, counted: Counted, few: int, usual: Collection[str], public: Collection[str]) -> bool:
    needle = form.needle
    if HAN.search(needle):
        return (
            needle in public
            or needle in common_chinese()
            or (not form.legal and bool(chinese_words().fullmatch(needle)))
        )
    if form.term.is_numbered_code:
        return needle in public  # however often it is in small letters, it is no word
    words = [letters_of(word) for word in form.words]
    if len(words) == 1:
        most = SMALL_SHARE * counted.others if form.rule == PART else 0
        return needle in public or counted.in_small_letters > max(most, 1) or needle in english_words()
    return (counted.in_small_letters > 1 or counted.others > few) and all(word in usual for word in words)


def _misspelt_sized(
    form: Form, finder: Finder, counted: Mapping[str, Counted], few: int, usual: Collection[str]
) -> Iterator[Form]:
    """Yield a misspelt form with its strength: one of several words has that of the name, a word by itself is known to few."""
    count = counted.get(form.needle, Counted())
    if form.term.kind != WORDS and len(form.words) > 1:
        yield form
    elif count.in_small_letters or not _is_peculiar(form, usual):
        yield from (form,) if form.legal else ()
    elif count.others > few or _is_of_many(finder.by_needle[form.needle]):
        yield form._replace(term=form.term._replace(whose=""), strength=Strength.OWN)
    else:
        yield form if len(form.words) > 1 else form._replace(strength=Strength.NAMED)


def _is_of_many(forms: Sequence[Form]) -> bool:
    owners = {form.term.whose for form in forms}
    return len(owners) > MOST_OWNERS or "" in owners


def _is_short_word(form: Form) -> bool:
    return form.term.kind == WORDS and len(form.needle) < SHORTEST_WORD and not HAN.search(form.needle)


def _is_peculiar(form: Form, usual: Collection[str]) -> bool:
    if HAN.search(form.needle):
        return not chinese_words().fullmatch(form.needle) and form.needle not in common_chinese()
    return not all(letters_of(word) in usual for word in form.words)


def _counted(
    known: Mapping[str, _Borne], aligned: Aligned, candidates: Sequence[Candidate], own: Sequence[str | None]
) -> dict[str, Counted]:
    """Count the texts of others in which each needle stands by itself, and those in which it has small letters.

    What stands by itself in texts of its own company alone has a count of 0, what does so nowhere has none.
    Of several names with the same letters (`Lijunbao` the brand, `Li Junbao` the person) either's capitals count;
    within a longer name (`ming lijunbao foods`) small letters say nothing.
    """
    others: dict[str, set[int]] = defaultdict(set)
    small: dict[str, set[int]] = defaultdict(set)
    for _, standing_there in groupby(candidates, key=lambda candidate: candidate.row):
        of_row = list(standing_there)
        for candidate in of_row:
            needle, row = candidate.needle, candidate.row
            owners, written, is_word = known[needle]
            is_own = own[row] in owners or candidate.is_torn
            if not is_word and (is_own or candidate.legal_end > candidate.end):
                continue
            # A candidate may be a word of a name that stands there.
            around = (one for one in of_row if one.start <= candidate.start and candidate.end <= one.end)
            wider = [one.needle for one in around if len(one.needle) > len(candidate.needle)]
            if not all(owners.isdisjoint(known[other].owners) for other in wider):
                continue
            others[needle].update(() if is_own else (row,))
            if is_own or not all(known[other].is_word for other in wider):
                continue
            places = (TextPlace(aligned, form, candidate, None) for form in written)
            if not HAN.match(needle) and not any(place.is_cased for place in places):
                small[needle].add(row)
    return {needle: Counted(len(rows), len(small[needle])) for needle, rows in others.items()}


def _distinctive_candidates(
    forms: Sequence[Form], public: Collection[str], usual: Collection[str], ends: Collection[str]
) -> Iterator[Term]:
    """Yield the words of names that may be distinctive, each company's once: runs of them, and long ones by themselves."""
    named = [form for form in forms if form.term.kind in NAMES]
    pairs = _frequent_pairs(form for form in named if HAN.search(form.needle))
    longest = max(map(len, public), default=0)
    seen: set[tuple[str, str]] = set()
    for form in named:
        term = form.term
        is_chinese = HAN.search(form.needle)
        runs = _chinese_runs(form, public, longest, pairs) if is_chinese else _runs(form.words, public, usual, ends)
        for run in runs:
            key = letters_of(run), term.whose
            if key[0] != form.needle and key not in seen:
                seen.add(key)
                yield Term(run, WORDS, term.whose, term.brand or term.bare or term.pseudonym)


def _ends(forms: Iterable[Form]) -> frozenset[str]:
    """Return the last words of the names of several companies, their trades, and the last pairs that hold together."""
    held: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for form in forms:
        for last in {form.words[-1:], form.words[-2:]}:
            held[tuple(map(letters_of, last))].add(form.term.whose)
    return frozenset(
        "".join(last)
        for last, owners in held.items()
        if len(owners) > MOST_OWNERS and len(owners) >= PAIR_HOLDS * len(held[last[-1:]])
    )


def _nobodys_else(words: Iterable[Term], public: pl.Series) -> Iterator[Term]:
    """Yield the words that stand in no public value: as a word of its own in Latin letters, anywhere in Chinese."""
    by_form = [(letters_of(word.surface), word) for word in words]
    chinese = sorted({form for form, _ in by_form if HAN.search(form)})
    likely = Needles(chinese).likely_in(code_points(public.to_list()))
    held = public.str.extract_many(likely, overlapping=True).explode(empty_as_null=False) if likely else public.head(0)
    taken = {*held.drop_nulls(), *public}
    yield from (word for form, word in by_form if form not in taken)


def _of_few(words: Sequence[Term], needles: Sequence[str]) -> Iterator[Term]:
    """Yield words with their company, those of many companies once, as nobody's."""
    owners = Counter(needles)
    yield from (term for term, needle in zip(words, needles, strict=True) if owners[needle] <= MOST_OWNERS)
    many = {needle: term for term, needle in zip(words, needles, strict=True) if owners[needle] > MOST_OWNERS}
    yield from (term._replace(whose="") for term in many.values())


def _runs(
    words: tuple[str, ...], public: Collection[str], usual: Collection[str], ends: Collection[str]
) -> Iterator[str]:
    """Yield runs of words that are neither ordinary nor public, the long ones among them, and what stands before the trade."""
    places = [at for at in range(1, len(words)) if letters_of("".join(words[:at])) in public]
    bare = words[max(places, default=0) :]
    for ordinary in (usual, english_words(), ends):
        lead = list(bare)
        while lead and (letters_of(lead[-1]) in ordinary or letters_of("".join(lead[-2:])) in ends):
            lead = lead[:-2] if letters_of("".join(lead[-2:])) in ends else lead[:-1]
        if len(lead) > 1 and not all(letters_of(word) in english_words() for word in lead):
            yield " ".join(lead)
    run: list[str] = []
    for word in (*words, ""):
        lower = letters_of(word)
        if word and lower not in usual and lower not in public and not lower.isdigit():
            run.append(word)
            continue
        if len(run) > 1 and sum(map(len, run)) >= SHORTEST_WORD:
            yield " ".join(run)
        yield from (one for one in run if len(one) >= SHORTEST_OWN)
        run = []


def _chinese_runs(form: Form, public: Collection[str], longest: int, pairs: Collection[str]) -> Iterator[str]:
    """Yield what is left of a Chinese name between the words that many names have, without the place that it begins with."""
    text = form.needle
    place = next((end for end in range(min(longest, len(text)), 0, -1) if text[:end] in public), 0)
    if place and HAN.match(text):
        text = text[place:].lstrip("省市县区")
    common = {at + one for at in range(len(text) - 1) if text[at : at + 2] in pairs for one in (0, 1)}
    rest = "".join(" " if at in common or not HAN.match(one) else one for at, one in enumerate(text))
    yield from (run for run in rest.split() if len(run) >= SHORTEST_CHINESE_WORD)


def _frequent_pairs(forms: Iterable[Form]) -> frozenset[str]:
    """Return the pairs of characters that names of several companies hold, and that hold together."""
    pairs: dict[str, set[str]] = defaultdict(set)
    for form in forms:
        pairs[form.term.whose].update(form.needle[at : at + 2] for at in range(len(form.needle) - 1))
    counts = Counter(chain.from_iterable(pairs.values()))
    alone = Counter(chain.from_iterable(set("".join(of_one)) for of_one in pairs.values()))
    fewest = max(MOST_OWNERS, PAIR_SHARE * len(pairs))
    return frozenset(
        pair
        for pair, count in counts.items()
        if count > fewest and count >= PAIR_HOLDS * min(map(alone.__getitem__, pair))
    )
