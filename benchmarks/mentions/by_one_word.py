"""`python -m benchmarks.mentions --words`: companies called by one word of their names, in notes about them.

Names are those that Faker invents in nine languages, which nobody made for this finder. Each note is a company's own and has
one word of its name that no other name of the list has. It is left if it still stands there, in whatever case; and
unlisted if nothing proposes it to the curator, either. Every third company is also met in another one's note, in
small letters.
"""

import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from faker import Faker

from anonymize.mentions.blocks import Blocks, Passage
from anonymize.mentions.forms import Term
from anonymize.mentions.ordinary import english_words
from anonymize.prose.replacing import mentions_in, replaced_texts
from pipeline.keyed import Key

LANGUAGES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "nl_NL", "sv_SE")

NOTES = (
    "Asked {word} about the invoice.",
    "{word} pays late.",
    "Delivery for {word}, as agreed with {word}.",
    "{name} called; {word} confirmed.",
    "need to call {small} again",
    "Spoke with the owner. {word} will send it.",
)

_JOINED = """
    inc ltd llc plc group and sons gmbh ag kg ohg co kgaa sa sarl sl slp sll srl spa sp ev et und gbr mbh cie de la del los
    las di da von van der den le du des the stiftung hijos hermanos fils frères asociados coop com cbvnv associates partners
    holding holdings
"""
_NO_WORDS = frozenset(_JOINED.split())
"""Legal forms, and words between those of names."""


class Left(NamedTuple):
    """What became of the words of one language's names."""

    names: int
    words: int
    left: int
    unlisted: int
    """Of the words that are left, those that nothing proposes to the curator."""
    met: int
    """Words in small letters in another company's note."""
    met_left: int
    met_unlisted: int
    ordinary: int
    """Words in any note that are ordinary English ones (`Day`), which count as a name only if they are all of it."""
    ordinary_left: int


def left_in_notes(language: str, names: int = 300) -> Left:
    """Write each company's notes, replace what names companies in them, and count the words that are left."""
    fake, random = Faker(language), Random(language)  # noqa: S311  (no secret)
    fake.seed_instance(4)
    known = sorted({fake.company() for _ in range(names)})
    borne = Counter(word.lower() for name in known for word in set(words_of_name(name)))
    brands = [f"Qvo{at}xa" for at in range(len(known))]
    terms = [
        Term(name, "name", name, f"{brand} Foods Inc", f"{brand} Foods", brand)
        for name, brand in zip(known, brands, strict=True)
    ]
    own = {name: [word for word in words_of_name(name) if borne[word.lower()] == 1] for name in known}
    noted = [
        (name, word, note.format(name=name, word=word, small=word.lower()))
        for name, words in own.items()
        for note in NOTES
        for word in random.choices(words, k=min(1, len(words)))
    ]
    met = [
        (other, word.lower(), f"met {word.lower()} today")
        for other, (_, word, _) in zip(reversed(known), noted[:: 3 * len(NOTES)], strict=False)
    ]
    passages = [Passage("notes", "note", row, text, name) for row, (name, _, text) in enumerate([*noted, *met])]
    counts = Counter[str]()
    key = Key(b"m" * 32)
    for block, mentions in mentions_in(Blocks(passages), terms, codes=[], key=key, alias_pseudonyms=lambda *_: ()):
        found = list(mentions)
        listed = {mention.row for mention in found if not mention.is_sure}
        for row, (passage, text) in enumerate(zip(block.passages, replaced_texts(block.texts, found), strict=True)):
            word = [*noted, *met][passage.row][1]
            is_left = re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", text) is not None
            kind = "ordinary" if word.lower() in english_words() else "own" if passage.row < len(noted) else "met"
            counts.update(
                [kind, *([f"{kind} left", f"{kind} unlisted" if row not in listed else ""] if is_left else [])]
            )
    return Left(len(known), *(counts[name] for name in _COUNTS))


_COUNTS = ("own", "own left", "own unlisted", "met", "met left", "met unlisted", "ordinary", "ordinary left")


def words_of_name(name: str) -> Iterator[str]:
    """Yield the words of a name that are no legal form and join no others."""
    return (word for word in re.findall(r"[\w'’]+", name) if len(word) > 1 and word.lower() not in _NO_WORDS)
