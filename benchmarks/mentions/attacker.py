"""`python -m benchmarks.mentions --attack`: who has the register reads published texts for names that resemble listed ones.

The attacker uses nothing of the finder: words of a text are joined, as many as a name has, one more or fewer, and compared with
each listed name by the longest matching blocks (`difflib`). So names show that neither the finder replaces nor the search for
identifiers refuses. Invented companies and people of nine languages stand in prose of these, each written with every mistake.
Decoys, which stand in no text, say how often the attacker finds somebody by chance.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from random import Random
from typing import NamedTuple
from unicodedata import combining, normalize

import polars as pl
from faker import Faker

from anonymize.mentions.blocks import Blocks, Passage
from anonymize.mentions.forms import PERSON, Term
from anonymize.prose.replacing import mentions_in, replaced_texts
from benchmarks.mentions.by_one_word import words_of_name
from benchmarks.mentions.misspelt import FEWEST, MISTAKES
from pipeline.keyed import Key
from validation.escapes import Identifiers, find_escapes_in_texts

ALIKE = 0.85
"""Ratio of matching letters from which a text names somebody to the attacker: decoys are found hardly ever (our choice)."""

SHORTEST = 6
"""Letters of the shortest name that the attacker looks for."""


class Register:
    """Names, and the last words of people's, by their letters, with the runs of three letters that they have."""

    def __init__(self, names: Sequence[str], people: Sequence[str]) -> None:
        """Take names; short ones are left out."""
        joined = {name: letters(" ".join(words_of_name(name))) for name in (*names, *people)}
        joined |= {words[-1]: letters(words[-1]) for words in ([*words_of_name(name)] for name in people) if words}
        self.names = {name: one for name, one in joined.items() if len(one) >= SHORTEST}
        self._runs: dict[str, set[str]] = defaultdict(set)
        for name, one in self.names.items():
            for run in _runs(one):
                self._runs[run].add(name)

    @cached_property
    def _most(self) -> int:
        return 1 + max(len(list(words_of_name(name))) for name in self.names)

    def named_in(self, text: str) -> set[str]:
        """Return the names that words of a text resemble."""
        words, found = [letters(word) for word in re.findall(r"[^\W_]+", text)], set[str]()
        for start in range(len(words)):
            for end in range(start + 1, min(start + self._most, len(words)) + 1):
                found |= self._like("".join(words[start:end]))
        return found

    def _like(self, written: str) -> set[str]:
        shared = Counter(name for run in _runs(written) for name in self._runs.get(run, ()))
        near = (name for name, count in shared.items() if 4 * count >= len(self.names[name]))
        return {name for name in near if SequenceMatcher(None, written, self.names[name]).ratio() >= ALIKE}


def letters(text: str) -> str:
    """Return small letters and digits without accents: simpler than the finder's normal form, and apart from it."""
    return "".join(one for one in normalize("NFKD", text.lower()) if one.isalnum() and not combining(one))


def _runs(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(len(text) - 2)}


def _in_long(mistake: Callable[[str, Random], str], most: int = 1) -> Callable[[str, Random], str]:
    """Return what makes a mistake in the longest words of a name."""

    def write(name: str, random: Random) -> str:
        for word in sorted(words_of_name(name), key=len)[-most:]:
            name = name.replace(word, mistake(word, random)) if len(word) >= FEWEST else name
        return name

    return write


def _bare(name: str) -> str:
    return " ".join(words_of_name(name))


WRITINGS: Mapping[str, Callable[[str, Random], str]] = {
    "as it is": lambda name, _: name,
    **{name: _in_long(make) for name, make in MISTAKES.items()},
    "a letter left out of two words": _in_long(MISTAKES["left out"], 2),
    "two blanks within": _in_long(lambda word, _: f"{word[:2]} {word[2:-2]} {word[-2:]}"),
    "a blank within, a letter left out": _in_long(
        lambda word, random: MISTAKES["a blank within"](MISTAKES["left out"](word, random), random)
    ),
    "words joined, a letter left out": lambda name, random: MISTAKES["left out"](_bare(name).replace(" ", ""), random),
    "words in another order": lambda name, _: " ".join([*words_of_name(name)][::-1]),
    "in small letters": lambda name, _: name.lower(),
}
"""What is made of a name, which may be the name."""


class Read(NamedTuple):
    """What the attacker reads in texts, by kind and writing."""

    written: Counter[str]
    named: Counter[str]
    """Published texts in which the attacker finds who stood there."""
    missed: Counter[str]
    """Of these, the ones that nothing proposes to the curator and the search does not find."""
    decoys: int
    """Names of nobody that the attacker finds in all these texts."""


def attacked(language: str, count: int = 60) -> Read:
    """Write companies and people of a language with every mistake in prose, publish it, and read it as the attacker does."""
    fake, random = Faker(language), Random(language)  # noqa: S311  (no secret)
    fake.seed_instance(4)
    made = {
        kind: sorted({make() for _ in range(2 * count)}) for kind, make in (("name", fake.company), (PERSON, fake.name))
    }
    listed = {kind: names[::2][:count] for kind, names in made.items()}
    terms = [
        Term(name, kind, f"{kind} {at}", f"Qvo{at}xa Zemik", f"Qvo{at}xa", f"Qvo{at}xa")
        for kind, names in listed.items()
        for at, name in enumerate(names)
    ]
    decoys = Register(*([name for name in names[1::2] if name not in listed[kind]] for kind, names in made.items()))
    register = Register(*listed.values())
    written = [
        (f"{term.kind}, {how}", term.surface, f"{fake.sentence(4)} {as_written} {fake.sentence(4).lower()}")
        for term in terms
        if term.surface in register.names
        for how, write in WRITINGS.items()
        if (as_written := write(term.surface, random)) != term.surface or how == "as it is"
    ]
    passages = [Passage("notes", "note", row, text, None) for row, (_, _, text) in enumerate(written)]
    read = Read(Counter(kind for kind, _, _ in written), Counter(), Counter(), 0)
    for text, is_listed, is_refused, row in _published(passages, terms):
        kind, name, _ = written[row]
        is_named = not register.named_in(text).isdisjoint([name, *[*words_of_name(name)][-1:]])
        read.named[kind] += is_named
        read.missed[kind] += is_named and not is_listed and not is_refused
        read = read._replace(decoys=read.decoys + len(decoys.named_in(text)))
    return read


def _published(passages: Sequence[Passage], terms: Sequence[Term]) -> Iterator[tuple[str, bool, bool, int]]:
    """Yield each published text, whether anything in it is proposed, whether the search finds anything, and its row."""
    found = mentions_in(Blocks(passages), terms, codes=[], key=Key(b"m" * 32), alias_pseudonyms=lambda *_: ())  # type: ignore[arg-type]
    listed = pl.DataFrame(
        [(t.kind if t.kind == "name" else "alias", t.surface) for t in terms], ["kind", "original"], orient="row"
    )
    for block, mentions in found:
        texts = replaced_texts(block.texts, mentions)
        known = found.known({}).select("kind", "original")
        search = Identifiers.of_map(pl.concat([listed, known]).unique())
        refused = {
            one.file for one in find_escapes_in_texts({f"row {at}": text for at, text in enumerate(texts)}, search)
        }
        proposed = {mention.row for mention in mentions if not mention.is_sure}
        for at, text in enumerate(texts):
            yield text, at in proposed, f"row {at}" in refused, block.first + at
