"""Forms of names in which one word is misspelt, as texts write it.

A word of texts is a misspelt one if it is near a word of a name (`edits.py`) and nothing that is known: no word of a name,
none of the language, no public one. Which of these forms count is measured like that of others (`measuring.py`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

import polars as pl

from anonymize.mentions.blocks import Block
from anonymize.mentions.forms import MISSPELT, NAMES, PART, PERSON, TITLED, WORDS, Form, Strength
from anonymize.mentions.near.edits import near_pairs
from anonymize.mentions.ordinary import HAN, english_words
from pipeline.normal_form import letters_of, normal_form

FEWEST = 5
"""Letters of the shortest word of a name that may be misspelt: of shorter ones too many are near other words (our choice;
`python -m benchmarks.mentions --misspelt` counts)."""

_WORDS = r"[\w--[\p{Han}_]]+"
"""Words of scripts that set them apart."""


def misspelt(forms: Sequence[Form], corpus: Iterable[Block], *, known: Collection[str]) -> Iterator[Form]:
    """Yield the forms of names, and of words of names, with a word of texts in place of one that it is near.

    Args:
        corpus: All texts, which are walked through more than once.
        known: Words in normal form that are none of a name's.
    """
    latin = [form for form in forms if not HAN.search(form.needle)]
    of_names = [form for form in latin if form.term.kind in {*NAMES, WORDS, PERSON} and form.rule not in {PART, TITLED}]
    listed = {letters_of(word) for form in of_names for word in form.words}
    others = {letters_of(word) for form in latin for word in form.words}
    long = pl.Series(sorted(word for word in listed if len(word) >= FEWEST and word.isalpha()), dtype=pl.String)
    words = _words_of(corpus) if len(long) else long
    near: dict[str, list[str]] = defaultdict(list)
    for written, word in near_pairs(words.filter(~words.is_in([*others, *known])), long):
        near[word].append(written)
    beside = _beside(corpus, sorted({written for of_word in near.values() for written in of_word}))
    for form in of_names:
        in_order = [letters_of(word) for word in form.words]
        for place, word in enumerate(in_order):
            for written in near.get(word, ()):
                around = [*in_order[max(place - 1, 0) : place], written, *in_order[place + 1 : place + 2]]
                if beside.issuperset(pairwise(around)):
                    yield _with(form, place, written)


def _words_of(corpus: Iterable[Block]) -> pl.Series:
    """Return the distinct words of texts in normal form, without short ones and numbers."""
    each = [pl.Series("word", [], dtype=pl.String), *(_words(block)["word"].unique() for block in corpus)]
    words = normal_form(pl.concat(each).unique()).unique()
    return words.filter((words.str.len_chars() >= FEWEST - 1) & words.str.contains(r"\p{L}"))


def _beside(corpus: Iterable[Block], words: Sequence[str]) -> set[tuple[str, str]]:
    """Return the pairs of words beside each other in texts, in normal form, of which one is among these."""
    pairs: set[tuple[str, str]] = set()
    for block in corpus if words else ():
        of_block = _words(block)
        of_block = of_block.with_columns(normal_form(of_block["word"]))
        both = of_block.with_columns(of_block.shift(-1).select(pl.all().name.prefix("next_")))
        is_any = pl.any_horizontal(pl.col("word", "next_word").is_in(words))
        found = both.filter(pl.col("row") == pl.col("next_row"), is_any).select("word", "next_word")
        pairs.update(found.unique().iter_rows())
    return pairs


def _words(block: Block) -> pl.DataFrame:
    """Return `row, word`: the words of the texts of a block in their order."""
    frame = pl.DataFrame({"word": pl.Series(block.texts, dtype=pl.String)}).with_row_index("row")
    return frame.with_columns(pl.col("word").str.extract_all(_WORDS)).explode("word").drop_nulls()


def _with(form: Form, place: int, written: str) -> Form:
    """Return a form with another word in a place, which is written as the name has it: with a capital or without one."""
    word = written.capitalize() if form.words[place][0].isupper() else written
    words = (*form.words[:place], word, *form.words[place + 1 :])
    is_ordinary = english_words().issuperset(map(letters_of, form.words))
    strength = Strength.ANYHOW if form.term.kind == PERSON and not is_ordinary else form.strength
    return form._replace(
        rule=MISSPELT,
        words=words,
        needle=letters_of("".join(words)),
        strength=Strength.FORMED if is_ordinary and form.legal else strength,
    )
