"""Name overlap: which originals of its industry does a published name look or sound most alike?

The attack finds homophones of real brands, translations, and words that were kept. It needs only the public register of
companies. Inventing names belongs to `anonymize/names/`, original names left in published bytes to `validation/escapes/`.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
import numpy.typing as npt
import polars as pl
from rapidfuzz import fuzz, process

from anonymize.names.providers import Language
from anonymize.names.vocabulary import chinese, english
from pipeline.keyed import Key
from pipeline.wording import percent
from validation.attacks import Attack
from validation.attacks.records.linkage import members

FORMS = ("legal", "short", "english")
"""The forms in which a pseudonym may be published, named as in `Pseudonyms.published_names`."""

FIRST_FEW = 5
"""Number of originals that a patient attacker looks at; our choice."""

PAIRS = 8_000_000
"""Most pairs of names that one look-up compares, about a second (our choice); beyond it, a sample of records is attacked."""

STANDING_PAIRS = 1_000_000
"""The same for the rank of the right original among all originals, which is reported beside the count and not judged."""

_BATCH = 500_000
"""Pairs compared at a time: a few megabytes."""

_TIES = Key(bytes(32)).derive("name attack", "ties")
"""Decides ties. It is public, like everything that the attacker has."""

_OTHER_FORMS = [
    "公司",
    "集团",
    "控股",
    "国际",
    "科技",
    "Co.",
    "Ltd.",
    "Limited",
    "LLC",
    "Incorporated",
    "International",
]
"""Words at the end of real names besides those that invented names have."""

_SOUNDEX = {
    letter: digit
    for digit, letters in {"": "hw", "1": "bfpv", "2": "cgjkqsxz", "3": "dt", "4": "l", "5": "mn", "6": "r"}.items()
    for letter in letters
}
"""Digits of letters that sound alike in English; vowels separate equal digits, `h` and `w` do not (Russell 1918, US patent
1,261,167)."""

Rows = npt.NDArray[np.int64]

Text = Sequence[Hashable]
"""A name in the form that is compared: letters or syllables."""


def name_attacks(originals: pl.DataFrame, published: pl.DataFrame, *, language: Language) -> list[Attack]:
    """Look every published name up among the original names of its group, in each form and reading.

    Each form and reading is two attacks: the right original comes first, or it is among the first five. Ties are in an order
    that does not depend on who is right. Guessing succeeds with probability one over the size of the group; a group of one is
    left out, because the group alone names its member. Similarity is rapidfuzz's `ratio` (twice the longest common subsequence
    over both lengths) of:

    - *characters*: the names as they are;
    - *core*: the names without legal forms and words of the trade at their end;
    - *pinyin* (Chinese): the letters of the core's pinyin without tones;
    - *homophones* (Chinese): the core's syllables without tones, each as a whole;
    - *sound* (English): the core in Soundex digits, not cut off.

    Args:
        originals: Columns `code`, `name` and `group` (an industry, published as it is); rows without a name are left out.
        published: Rows aligned with those of `originals`: row i's pseudonym belongs to row i's original. One column or more of
            `FORMS`.
        language: Language of the names. The English name of a Chinese firm is compared by sound; that of an English firm is its
            legal name and is not compared again.
    """
    forms = [form for form in FORMS if form in published.columns]
    pairs = pl.concat([originals.select("code", "name", "group"), published.select(forms)], how="horizontal")
    pairs = pairs.filter(pl.col("name").is_not_null()).filter(pl.len().over("group") > 1)
    return [attack for reading in _readings(language) for attack in _attacks(pairs, reading)]


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """A way to compare names: which part of a name counts, and in which forms of the pseudonym."""

    name: str
    read: Callable[[pl.Series], list[Text]]
    forms: tuple[str, ...] = ("legal", "short")


@dataclass(frozen=True, kw_only=True)
class _Side:
    """The names of one side as they are compared, each with a number that decides ties."""

    texts: list[Text]
    ties: npt.NDArray[np.int64]

    def take(self, rows: Rows) -> "_Side":
        return _Side(texts=[self.texts[row] for row in rows], ties=self.ties[rows])


def _readings(language: Language) -> tuple[_Reading, ...]:
    as_written = (
        _Reading(name="characters", read=lambda names: _plain(names).to_list()),
        _Reading(name="core", read=lambda names: _cores(names).to_list()),
    )
    if language == "en":
        return (*as_written, _Reading(name="sound", read=_sound))
    return (
        *as_written,
        _Reading(name="pinyin", read=lambda names: _spelled(names).str.replace_all(" ", "").to_list(), forms=FORMS),
        # The syllables of each core; Latin words stay as they are.
        _Reading(name="homophones", read=lambda names: _spelled(names).str.extract_all("[^ ]+").to_list(), forms=FORMS),
    )


def _attacks(pairs: pl.DataFrame, reading: _Reading) -> Iterator[Attack]:
    originals = _Side(texts=reading.read(pairs["name"]), ties=_drawn(pairs, "name", "code"))
    for form in reading.forms:
        if form in pairs.columns:
            looked_up = _Side(texts=reading.read(pairs[form]), ties=_drawn(pairs, form))
            what = f"name overlap, {reading.name} of the {form} name"
            yield from _attacks_on_form(what, looked_up, originals, members(pairs["group"]))


def _attacks_on_form(what: str, published: _Side, originals: _Side, groups: Sequence[Rows]) -> Iterator[Attack]:
    everybody = np.arange(len(originals.ties))
    is_attacked = _sampled(published, sum(len(rows) ** 2 for rows in groups), PAIRS)
    is_shown = _sampled(published, len(everybody) ** 2, STANDING_PAIRS)
    places = [_places(published, originals, rows[is_attacked[rows]], rows) for rows in groups]
    sizes = [np.full(len(found), len(rows)) for found, rows in zip(places, groups, strict=True)]
    # This only describes how far off names are among all originals: it needs fewer records than the attack.
    overall = _places(published, originals, everybody[is_shown], everybody)
    place, size = (np.concatenate([np.empty(0, np.int64), *parts]) for parts in (places, sizes))
    for few, aim, detail in (
        (1, "first of its group", _standing(overall, len(everybody))),
        (FIRST_FEW, f"among the first {FIRST_FEW} of its group", ""),
    ):
        yield Attack(
            attack=f"{what}: the right one is {aim}",
            knowledge="the name and the group of every original",
            records=len(place),
            successes=int((place < few).sum()),
            chance=float(np.minimum(few / size, 1).mean()) if len(size) else 0.0,
            detail=detail,
        )


def _standing(places: Rows, originals: int) -> str:
    """State the rank of the right originals among the originals of all groups."""
    if not len(places):
        return ""
    share = 1 - places.mean() / (originals - 1)
    return (
        f"Among all {originals} originals the right one stands before {percent(share)} of the others on average "
        f"({len(places)} looked up); guessing puts it before 50%, a published word of the trade before more."
    )


def _drawn(pairs: pl.DataFrame, *identity: str) -> Rows:
    return pairs.select(_TIES.draw(*identity)).to_series().to_numpy()


def _sampled(published: _Side, pairs: int, most: int) -> npt.NDArray[np.bool_]:
    """Return which records are looked up: all, or as many as give the most of these pairs, chosen by their ties."""
    ties = published.ties
    if pairs <= most:
        return np.ones(len(ties), dtype=np.bool_)
    return ties <= np.quantile(ties, most / pairs)


def _places(published: _Side, originals: _Side, attacked: Rows, candidates: Rows) -> Rows:
    """Return for each attacked row how many candidates rank before its own original; both are ascending."""
    among = originals.take(candidates)
    step = max(1, _BATCH // max(1, len(candidates)))
    batches = [attacked[start : start + step] for start in range(0, len(attacked), step)]
    found = [_before_own(published.take(rows), among, np.searchsorted(candidates, rows)) for rows in batches]
    return np.concatenate([np.empty(0, np.int64), *found])


def _before_own(published: _Side, originals: _Side, own: Rows) -> Rows:
    """Count the originals that are more like each published name than its own, and ties that precede it."""
    likeness = process.cdist(published.texts, originals.texts, scorer=fuzz.ratio, dtype=np.float32, workers=-1)
    ties = published.ties[:, None] ^ originals.ties[None, :]
    at = np.arange(len(own))
    most, tie = likeness[at, own][:, None], ties[at, own][:, None]
    before: Rows = ((likeness > most) | ((likeness == most) & (ties < tie))).sum(axis=1)
    return before


def _sound(names: pl.Series) -> list[Text]:
    """Return the Soundex digits of each core, equal neighbours once."""
    digits = _cores(names).str.replace_many(_SOUNDEX)
    for digit in "123456":
        digits = digits.str.replace_all(f"{digit}+", digit)
    return digits.str.replace_all("[^0-9]", "").to_list()


def _spelled(names: pl.Series) -> pl.Series:
    """Return each core with toneless pinyin between blanks in place of characters, each by its commonest reading."""
    cores = _cores(names)
    characters = cores.str.split("").explode().drop_nulls().unique()
    return cores.str.replace_many({c: f" {reading} " for c in characters if (reading := _reading(c)) != c})


@cache
def _reading(character: str) -> str:
    """Return the toneless pinyin of one character, or the character itself if it has none."""
    from pypinyin import lazy_pinyin  # noqa: PLC0415  (its tables take 0.4 s to load)

    return lazy_pinyin(character)[0] if character.strip() else character


def _plain(names: pl.Series) -> pl.Series:
    """Return names in lower case with one blank for whatever is neither letter nor digit."""
    lower = names.str.normalize("NFKC").str.to_lowercase()
    return lower.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()


def _cores(names: pl.Series) -> pl.Series:
    """Remove known words from the end of each name, as long as something is left before them."""
    return _plain(names).str.replace(_known_words(), "${1}")


@cache
def _known_words() -> str:
    """Return the pattern of a name that ends in known words; its first group is the part before them."""
    trades = [
        t for lexicon in (chinese.LEXICON, english.LEXICON) for t in (*lexicon.trades.values(), lexicon.any_trade)
    ]
    business = chain.from_iterable((*trade.business, *trade.business.values()) for trade in trades)
    forms = (*chinese.LEGAL_FORMS_IN_ENGLISH, *chinese.LEGAL_FORMS_IN_ENGLISH.values(), *english.LEXICON.legal_forms)
    known = _plain(pl.Series([*business, *forms, *_OTHER_FORMS])).unique().sort()
    is_latin = known.str.contains("^[a-z ]+$")
    latin, han = ("|".join(known.filter(which)) for which in (is_latin, ~is_latin))
    return f"^(.+?)(?:(?:{han})+|(?: (?:{latin}))+)$"
