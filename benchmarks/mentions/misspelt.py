"""`python -m benchmarks.mentions --misspelt`: names with one mistake in notes, and ordinary words that are near names.

Names are those that Faker invents in nine languages. Each company is written with each mistake, in its own notes and in another
company's: its whole name, of which one word has the mistake, and by that word alone, which no other name of the list has. It
is left if the wrong word still stands there, in whatever case; and unlisted if nothing proposes it to the curator, either.

Ordinary words are those of the manual that comes with Python, whose paragraphs are texts of the companies, one after the other.
Besides, each of them that is one edit from a word of a name stands in a note of that company: once beside those paragraphs, and
once where no other text has it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pydoc_data.topics import topics
from random import Random
from typing import NamedTuple

from faker import Faker

from anonymize.mentions.blocks import Blocks, Passage
from anonymize.mentions.finding import Mention
from anonymize.mentions.forms import MISSPELT, TORN, Term
from anonymize.mentions.near.edits import is_one_edit
from anonymize.prose.replacing import mentions_in, replaced_texts
from benchmarks.mentions.by_one_word import words_of_name
from pipeline.keyed import Key

EDITS = ("left out", "doubled", "swapped", "replaced")
"""Mistakes that are one edit each."""

PLACES: Mapping[str, str] = {
    "name in own note": "Saw the owner of {name} today.",
    "name in another's": "Saw the owner of {name} today.",
    "word in own note": "Asked {word} about the invoice.",
    "in small letters": "need to call {small} again",
    "word in another's": "Asked {word} about the invoice.",
}

ORDINARY, NEAR, NEAR_ALONE = "ordinary words", "ordinary words near a name", "the same where no other text has them"

FEWEST = 5
"""Letters of the shortest word in which a mistake is made."""


class Note(NamedTuple):
    """A text, whose it is, and what should not stay in it."""

    kind: str
    own: str
    text: str
    wrong: str = ""


class Outcome(NamedTuple):
    """What became of notes, by their kind."""

    notes: Counter[str]
    """Of paragraphs, their words."""
    left: Counter[str]
    """In which what is wrong still stands."""
    unlisted: Counter[str]
    """Of these, the ones that nothing proposes to the curator."""
    replaced: Counter[str]
    """What was replaced in them as misspelt, or with a blank within a word."""


def in_notes(language: str, names: int = 300) -> Outcome:
    """Write companies with every mistake, and ordinary words; replace, and count."""
    fake, random = Faker(language), Random(language)  # noqa: S311  (no secret)
    fake.seed_instance(4)
    known = sorted({fake.company() for _ in range(names)})
    near = list(_near(known))
    found = _outcome(known, [*_misspelt(known, random), *_paragraphs(known), *near])
    alone = _outcome(known, [note._replace(kind=NEAR_ALONE) for note in near])
    return Outcome(*map(Counter.__add__, found, alone))


def _misspelt(known: Sequence[str], random: Random) -> Iterator[Note]:
    borne = Counter(word.lower() for name in known for word in set(words_of_name(name)))
    for name, other in zip(known, (*known[1:], known[0]), strict=True):
        words = [word for word in words_of_name(name) if borne[word.lower()] == 1 and len(word) >= FEWEST]
        for mistake, make in MISTAKES.items() if words else ():
            word = random.choice(words)
            wrong = make(word, random)
            stem = wrong.removesuffix("'s")
            whole = name.replace(word, stem) + wrong.removeprefix(stem)
            for place, note in PLACES.items() if wrong != word else ():
                text = note.format(name=whole, word=wrong, small=wrong.lower())
                yield Note(f"{mistake}, {place}", other if "another" in place else name, text, stem)


def _paragraphs(known: Sequence[str]) -> Iterator[Note]:
    paragraphs = {" ".join(one.split()) for text in topics.values() for one in text.split("\n\n")}
    for number, paragraph in enumerate(sorted(one for one in paragraphs if one[:1].isalpha())):
        yield Note(ORDINARY, known[number % len(known)], paragraph)


def _near(known: Sequence[str]) -> Iterator[Note]:
    ordinary = sorted(set(re.findall(r"(?<![\w.'])[a-z]{4,}(?![\w.(])", " ".join(topics.values()))))
    for name in known:
        long = sorted({word.lower() for word in words_of_name(name) if len(word) >= FEWEST})
        for one in (one for one in ordinary if any(is_one_edit(one, word) for word in long)):
            yield Note(NEAR, name, f"they asked for {one} again", one)


def _outcome(known: Sequence[str], notes: Sequence[Note]) -> Outcome:
    brands = [f"Qvo{at}xa" for at in range(len(known))]
    terms = [
        Term(name, "name", name, f"{brand} Foods Inc", f"{brand} Foods", brand)
        for name, brand in zip(known, brands, strict=True)
    ]
    passages = [Passage("notes", "note", row, note.text, note.own) for row, note in enumerate(notes)]
    found, key = Outcome(Counter(), Counter(), Counter(), Counter()), Key(b"m" * 32)
    for block, mentions in mentions_in(Blocks(passages), terms, codes=[], key=key, alias_pseudonyms=lambda *_: ()):
        of_block, by_row = list(mentions), defaultdict[int, list[Mention]](list)
        for mention in of_block:
            by_row[mention.row].append(mention)
        for row, (passage, text) in enumerate(zip(block.passages, replaced_texts(block.texts, of_block), strict=True)):
            note, of_row = notes[passage.row], by_row[row]
            is_left = note.wrong != "" and re.search(rf"(?i)(?<!\w){re.escape(note.wrong)}(?!\w)", text) is not None
            found.notes[note.kind] += 1 if note.wrong else len(note.text.split())
            found.left[note.kind] += is_left
            found.unlisted[note.kind] += is_left and all(mention.is_sure for mention in of_row)
            found.replaced[note.kind] += sum(mention.is_sure and mention.rule in {MISSPELT, TORN} for mention in of_row)
    return found


def _left_out(word: str, random: Random) -> str:
    return _put(word, at := random.randrange(1, len(word)), at + 1)


def _put(word: str, start: int, end: int, other: str = "") -> str:
    return word[:start] + other + word[end:]


def _swapped(word: str, at: int) -> str:
    return _put(word, at, at + 2, word[at + 1] + word[at])


def _once(word: str, *pairs: Sequence[str]) -> str:
    """Return a word with the first letters replaced that stand in it."""
    return next((word.replace(old, new, 1) for old, new in pairs if old in word), word)


MISTAKES: Mapping[str, Callable[[str, Random], str]] = {
    "left out": _left_out,
    "doubled": lambda word, random: _put(word, at := random.randrange(len(word)), at, word[at].lower()),
    "swapped": lambda word, random: _swapped(word, random.randrange(1, len(word) - 1)),
    "replaced": lambda word, random: _put(
        word, at := random.randrange(1, len(word)), at + 1, random.choice("bdgkmpstu")
    ),
    "swapped at the start": lambda word, _: _swapped(word, 0).capitalize(),
    "replaced at the start": lambda word, random: random.choice("BDGKMPST") + word[1:],
    "a digit for a letter": lambda word, _: _once(word, "o0", "l1", "i1", "s5"),
    "looks alike (rn, m)": lambda word, _: _once(word, ("m", "rn"), ("rn", "m"), ("w", "vv"), ("d", "cl")),
    "no accent (ue, u)": lambda word, random: _once(
        word, ("ü", random.choice(["ue", "u"])), ("ö", "oe"), ("ä", "ae"), "ée", "ñn"
    ),
    "left out, possessive": lambda word, random: f"{_left_out(word, random)}'s",
    "a blank within": lambda word, _: f"{word[: len(word) // 2]} {word[len(word) // 2 :]}",
    "two letters left out": lambda word, _: word[:2] + word[3:-2] + word[-1],
}
"""What is made of a word, which may be the same word."""
