"""The finder: where in prose somebody is named, by which rule, and who.

Candidates come from one automaton over normal forms (`aligned.py`); each is then looked at where it stands: whether it cuts
through words, what stands between its words, its capitals, the legal form behind it, whose text it is.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from anonymize.mentions.aligned import Aligned, Needles
from anonymize.mentions.fitting import closed, fitted, with_full_stop
from anonymize.mentions.forms import FEWEST_LETTERS, MISSPELT, PART, TITLED, TORN, Form, Strength, is_small
from anonymize.mentions.near.apart import is_hyphenated, may_stand
from anonymize.mentions.ordinary import HAN, begins_sentence, is_month, syllables
from anonymize.names.legal_forms import ENGLISH_FORMS
from pipeline.keyed import SEPARATOR
from pipeline.normal_form import cased_letters, letters_of

LONGEST_GAP = 12
"""Characters that may stand between two words of a name (a line break and an indent); our choice."""

LONGEST_LEGAL = 40
"""Letters of the longest run of legal forms that is read behind a name."""


class Mention(NamedTuple):
    """One place in a text at which somebody is named."""

    row: int
    start: int
    end: int
    """Place in the text, the end exclusive."""
    rule: str
    kind: str
    whose: str
    says: str
    """What takes its place."""
    is_sure: bool = True
    """Whether it is replaced; what is not is proposed to the curator."""


class Candidate(NamedTuple):
    """Where the core of forms stands, and what of it counts."""

    row: int
    start: int
    end: int
    """Place in the normal forms."""
    legal_end: int
    """Where a legal form behind it ends; `end` if there is none."""
    needle: str
    is_torn: bool = False
    """Whether it stands there with a gap within a word."""


@dataclass(frozen=True)
class Finder:
    """Finds forms in texts."""

    forms: tuple[Form, ...]

    @cached_property
    def by_needle(self) -> Mapping[str, list[Form]]:
        """Return forms by their needles."""
        forms: dict[str, list[Form]] = defaultdict(list)
        for form in self.forms:
            forms[form.needle].append(form)
        return dict(forms)

    @cached_property
    def needles(self) -> Needles:
        """Return what is looked for first."""
        return Needles(list(self.by_needle))

    def find(self, texts: Sequence[str], own: Sequence[str | None]) -> list[Mention]:
        """Return every mention, sorted, none within another that is as sure.

        Args:
            own: Code of the company that each text is about, if it is about one.
        """
        aligned = Aligned.of(texts)
        return leftmost_longest(self.mentions(aligned, own, self.candidates(aligned)))

    def mentions(
        self, aligned: Aligned, own: Sequence[str | None], candidates: Iterable[Candidate]
    ) -> Iterator[Mention]:
        """Yield the mentions among candidates, which may be those of more forms than these."""
        for candidate in candidates:
            if candidate.needle in self.by_needle:
                mention = self._mention(aligned, candidate, own[candidate.row])
                if mention is not None:
                    yield mention

    def candidates(self, aligned: Aligned) -> Iterator[Candidate]:
        """Yield where needles stand that cut through no word and through no sentence."""
        hits = aligned.found(self.needles)
        starts, ends = hits["start"].to_numpy(), hits["end"].to_numpy()
        is_whole = aligned.whole[ends].tolist()
        is_apart = (aligned.gaps[ends] > aligned.gaps[np.minimum(starts + 1, ends)]).tolist()
        behind = aligned.normal[np.minimum(ends, len(aligned.normal) - 1)]
        is_legal = np.isin(behind, list(map(ord, _FIRST_LETTERS))).tolist()
        for (row, needle, start, end), whole, apart, legal in zip(
            hits.iter_rows(), is_whole, is_apart, is_legal, strict=True
        ):
            legal_end = end
            if legal:
                legal_end = max(_legal_end(aligned, row, end), self._own_legal_end(aligned, row, needle, end))
            forms = self.by_needle[needle] if apart and (whole or legal_end > end) else ()
            is_in_order = not apart or any(stands(aligned, form, start, end) for form in forms)
            is_torn = not is_in_order and any(stands(aligned, form, start, end, is_torn=True) for form in forms)
            if (whole or legal_end > end) and (is_in_order or is_torn):
                yield Candidate(row, start, end, legal_end, needle, is_torn)

    def _own_legal_end(self, aligned: Aligned, row: int, needle: str, end: int) -> int:
        """Return where the legal form ends that a name itself has, however it is set apart."""
        normal, first, reached = aligned.normals[row], end - aligned.first[row], end
        for legal in self._legal_forms.get(needle, ()):
            place = end + len(legal)
            if place > reached and normal.startswith(legal, first) and aligned.whole[place]:
                reached = place
        return reached

    @cached_property
    def _legal_forms(self) -> Mapping[str, frozenset[str]]:
        """Return the legal forms of the names that have a core: many names have one core, and few forms."""
        found: dict[str, frozenset[str]] = {}
        same: dict[frozenset[str], frozenset[str]] = {}
        for needle, forms in self.by_needle.items():
            if legal := frozenset(form.legal for form in forms) - {""}:
                found[needle] = same.setdefault(legal, legal)
        return found

    def _mention(self, aligned: Aligned, candidate: Candidate, own: str | None) -> Mention | None:
        """Return what the first form says that accepts a candidate; one of the text's own company goes first."""
        forms = self.by_needle[candidate.needle]
        if own is not None and len(forms) > 1:
            forms = sorted(forms, key=lambda form: form.term.whose != own)
        proposed = None
        for form in forms:
            place = TextPlace(aligned, form, candidate, own)
            if place.is_mention:
                return place.mention(is_sure=True)
            proposed = proposed or (place.mention(is_sure=False) if place.is_doubtful else None)
        return proposed


class TextPlace(NamedTuple):
    """One form at one place."""

    aligned: Aligned
    form: Form
    candidate: Candidate
    own: str | None

    @property
    def is_mention(self) -> bool:
        """Say whether the form stands there."""
        form, candidate = self.form, self.candidate
        if not self._stands:
            return False
        if form.is_strict or self._is_month:
            word = "".join(form.words)
            return form.is_strict and "".join(map(cased_letters, self._letters)) in {word, word.upper()}
        is_formed = candidate.legal_end > candidate.end
        is_own_word = self._is_own and form.means_its_company and self._is_as_a_word
        is_code = is_hyphenated(self.aligned, form, candidate.start, candidate.end)
        is_named = is_own_word or is_code or (is_formed and self._has_own_legal_form)
        if is_named or self._is_torn_word:
            return is_named
        if form.strength in (Strength.ANYHOW, Strength.FULL) or not self.is_cased:
            return form.strength is Strength.ANYHOW
        if is_formed or form.strength is Strength.CASED:
            return True
        return form.strength is Strength.OWN and self._is_own_or_somebody and not self._only_begins_sentence

    @property
    def _is_as_a_word(self) -> bool:
        """Say whether a word of a name is written as one: however it is; a short one needs its capitals."""
        return len(self.form.needle) >= FEWEST_LETTERS or self.is_cased

    @property
    def is_doubtful(self) -> bool:
        """Say whether the form may stand there: an ordinary word that is written as a name, or a word of a name."""
        form = self.form
        if not self._stands:
            return False
        if self._is_torn_word:
            return form.means_its_company and self.is_cased
        if form.strength is Strength.NAMED:
            return self._is_as_a_word
        return form.strength is Strength.OWN and self.is_cased and not self._only_begins_sentence

    @property
    def is_cased(self) -> bool:
        """Say whether each word that has a capital in the name has one; one that never has must have one or be as it is."""
        written = self._letters
        words, at = self.form.words, 0
        capitals = [word for word in words if word[0].isupper() and not is_small(word)]
        for word in words:
            end = at + len(letters_of(word))
            if word in capitals and written[at:end].islower():
                return False
            at = end
        return (
            bool(capitals) or not written[0].islower() or (len(words) == 1 and self.form.strength is not Strength.OWN)
        )

    def mention(self, *, is_sure: bool) -> Mention:
        """Return what is replaced there and by what: with a legal form behind it all, else the core."""
        form, candidate, term = self.form, self.candidate, self.form.term
        base = int(self.aligned.starts[candidate.row])
        text = self.aligned.texts[candidate.row]
        start, end = self.aligned.span(candidate.start, candidate.end)
        start, end = start - base, closed(text, start - base, end - base)
        says, rule = form.says, form.rule
        if form.legal and candidate.legal_end > candidate.end:
            end = closed(text, start, self.aligned.span(candidate.start, candidate.legal_end)[1] - base)
            says, rule = term.pseudonym, "name" if self._has_own_legal_form else "other legal form"
            end = with_full_stop(text, start, end)
        elif form.legal:
            rule = "without legal form"
        elif self._is_own and form.strength in {Strength.OWN, Strength.NAMED}:
            rule = f"{rule} in its own text"
        if text.startswith(term.surface, start) and start + len(term.surface) >= end:
            end, says, rule = start + len(term.surface), term.pseudonym, "as listed" if form.rule == "name" else rule
        elif says:
            end, says = fitted(text, start, end, says)
        rule = TORN if candidate.is_torn else MISSPELT if form.rule == MISSPELT else rule
        return Mention(candidate.row, start, end, rule, term.kind, term.whose, says, is_sure)

    @property
    def _stands(self) -> bool:
        candidate = self.candidate
        return stands(self.aligned, self.form, candidate.start, candidate.end, is_torn=candidate.is_torn)

    @property
    def _is_torn_word(self) -> bool:
        """Say whether all that is known by the form is one word with a gap within: in others' texts it may be two words."""
        return self.candidate.is_torn and len(self.form.words) == 1

    @property
    def _letters(self) -> str:
        """Return the characters of the text that the core's letters come from."""
        origin = self.aligned.origin[self.candidate.start : self.candidate.end]
        return "".join(map(chr, self.aligned.points[origin].tolist()))

    @property
    def _has_own_legal_form(self) -> bool:
        first = self.aligned.first[self.candidate.row]
        normal = self.aligned.normals[self.candidate.row]
        return normal[self.candidate.end - first : self.candidate.legal_end - first] == self.form.legal

    @property
    def _is_own(self) -> bool:
        return self.own is not None and self.form.term.whose == self.own

    @property
    def _is_own_or_somebody(self) -> bool:
        """Say whether the text is its company's, or the word is of a person, an identifier, or a name of a further kind."""
        form = self.form
        if form.rule == TITLED:
            return self._is_own or not (HAN.search(form.needle) or letters_of(form.words[-1]) in syllables())
        return self._is_own or form.rule == PART or form.term.kind == "identifier" or SEPARATOR in form.term.whose

    @property
    def _only_begins_sentence(self) -> bool:
        """Say whether one word has its capital for standing first, so that nothing tells it from the ordinary word."""
        is_one = len(self.form.words) == 1 and not HAN.match(self.form.needle) and not self._letters[1:].isupper()
        return is_one and begins_sentence(*self._around, is_person=self.form.rule == PART)

    @property
    def _is_month(self) -> bool:
        """Say whether a part of a person's name stands as a month does."""
        return self.form.rule == PART and self._letters[1:].islower() and is_month(self.form.needle, *self._around)

    @property
    def _around(self) -> tuple[str, str]:
        """Return what stands before and behind the core in its text."""
        row, (start, end) = self.candidate.row, self.aligned.span(self.candidate.start, self.candidate.end)
        base, text = int(self.aligned.starts[row]), self.aligned.texts[row]
        return text[max(start - base - LONGEST_GAP, 0) : start - base], text[end - base : end - base + LONGEST_GAP]


def stands(aligned: Aligned, form: Form, start: int, end: int, *, is_torn: bool = False) -> bool:
    """Say whether nothing but gaps between words stands between a form's letters, or each piece is written by itself.

    Args:
        is_torn: Whether gaps may stand within words.
    """
    gaps = aligned.gaps
    if gaps[end] == gaps[start + 1]:
        return True
    apart = [place - start for place in range(start + 1, end) if gaps[place + 1] > gaps[place]]
    if not may_stand(aligned, form, start, end, apart, is_torn=is_torn):
        return False
    low, high = aligned.span(start, end)
    row, base = aligned.text_at(low)
    written = aligned.texts[row][low - base : high - base]
    if any(len(gap) > LONGEST_GAP for gap in _GAPS.findall(written)):
        return False
    return not _runs_on(written) or SENTENCE_END.search(form.term.surface) is not None


def _runs_on(written: str) -> bool:
    """Say whether a sentence ends within a text; the stop of an initial or an abbreviation ends none (`J. C. Penney`)."""
    ends = (written[: match.start()] for match in SENTENCE_END.finditer(written))
    return any(_ABBREVIATED.search(before) is None for before in ends)


def leftmost_longest(mentions: Iterable[Mention]) -> list[Mention]:
    """Return mentions without those that others overlap: what is sure goes first, then what begins first, then the longest."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (not m.is_sure, m.row, m.start, -m.end)):
        place = bisect_left(kept, mention)
        beside = (other for other in kept[max(place - 1, 0) : place + 1] if other.row == mention.row)
        if all(other.end <= mention.start or mention.end <= other.start for other in beside):
            kept.insert(place, mention)
    return kept


def _legal_end(aligned: Aligned, row: int, end: int) -> int:
    """Return where the legal forms end that stand behind a place."""
    normal, first = aligned.normals[row], end - aligned.first[row]
    if normal[first : first + 1] not in _FIRST_LETTERS:
        return end
    behind = normal[first : first + LONGEST_LEGAL]
    if HAN.match(behind):
        match = _CHINESE_BEHIND.match(behind)
        return end + match.end() if match and not _is_torn(aligned, end, end + match.end()) else end
    reached = _reached(aligned, behind, end, 0)
    return end + reached if reached and not _breaks_before(aligned, end) else end


def _reached(aligned: Aligned, behind: str, end: int, start: int) -> int:
    """Return how many letters behind a place, from `start` on, are legal forms and end where a word does; 0 if none."""
    for form in _ENGLISH:
        if behind.startswith(form, start) and _is_compact(aligned, end + start, len(form)):
            reached = start + len(form)
            further = _reached(aligned, behind, end, reached)
            if further or aligned.whole[end + reached]:
                return further or reached
    return 0


def _is_compact(aligned: Aligned, start: int, letters: int) -> bool:
    """Say whether a legal form's letters are beside each other, or with one character between them (`S.A.`)."""
    if aligned.gaps[start + letters] == aligned.gaps[start + 1]:
        return True
    low, high = aligned.span(start, start + letters)
    return bool(aligned.whole[start]) and high - low < 2 * letters


def _is_torn(aligned: Aligned, start: int, end: int) -> bool:
    """Say whether anything but blanks and brackets stands before or within a Chinese legal form."""
    low, high = int(aligned.origin[start - 1]), int(aligned.origin[end - 1])
    return (
        high - low > end - start
        and _TEARS.search("".join(map(chr, aligned.points[low + 1 : high].tolist()))) is not None
    )


def _breaks_before(aligned: Aligned, place: int) -> bool:
    """Say whether a sentence ends before a place, or what follows has no capital though what comes before has one."""
    low, high = int(aligned.origin[place - 1]), int(aligned.origin[place])
    between = "".join(map(chr, aligned.points[low + 1 : high].tolist()))
    if len(between) > LONGEST_GAP or SENTENCE_END.search(between):
        return True
    row, base = aligned.text_at(low)
    before = aligned.texts[row][max(low - 40 - base, 0) : low - base + 1]
    return chr(aligned.points[high]).islower() and any(map(str.isupper, before.split()[-1] if before.split() else ""))


SENTENCE_END = re.compile(
    r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!&amp)[.!?;:][)\"'”’]*\s|[。！？；：]|,\s*\n|\n\s*\n"
)
_TEARS = re.compile(r"[^\w\s()（）·\u200b-\u200d\u00ad\u2060]|\s{3}")
_GAPS = re.compile(r"[\W_]+")
_ENGLISH = sorted(ENGLISH_FORMS, key=len, reverse=True)
_CHINESE_BEHIND = re.compile(r"(?:集团|控股|股份|有限责任|有限|责任)*(?:总?公司)|集团")
_FIRST_LETTERS = frozenset(form[0] for form in ENGLISH_FORMS) | set("集控股有责总公")
_ABBREVIATED = re.compile(
    rf"(?:^|[^\W_]*[\W_])(?:[A-Za-z]{{1,2}}|{'|'.join(ENGLISH_FORMS)}|bros|dept|est|messrs|mrs)$", re.IGNORECASE
)
