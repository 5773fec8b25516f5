"""Prose: does a search for a clause of a published text, or for its numbers, find the company that the text is about?

Anybody can do this with the annual reports and a search box. Names, aliases and codes that were left in texts are searched for
elsewhere (`validation/escapes`); `anonymize/prose/replacing.py` and `anonymize/prose/writing.py` treat prose.
"""

from collections.abc import Callable, Iterable, Iterator

import polars as pl

from pipeline.keyed import Key
from pipeline.model import LazyFrames, PublishedTable
from validation.attacks import Attack
from validation.attacks.records.order import SAMPLE, code_among, evenly_spaced, streamed

OWNER, GROUP, TEXT = "owner", "group", "text"
"""Columns of the frames here: the original code, what is known of the company anyway (an industry), the prose."""

CLAUSE, CLAUSES, NUMBERS = "the rarest clause of a text", "all clauses of a text", "the numbers of a text"
"""Names of the attacks."""

LEAST_HAN, LEAST_LATIN = 10, 25
"""Smallest length of a clause, with and without Chinese characters: shorter ones say little. Our choice."""

LEAST_TEXT = 50
"""Median length of cells from which a column counts as prose: longer than names, shorter than any report. Our choice."""

COMMON = 100
"""A clause or a number in more originals of a group than this is too common to use (our choice, for speed)."""

_ENDS = r"[。，；：！？、,.;:!?（）()“”「」\r\n\t]+"
"""Characters that separate clauses, the decimal point among them: the parts of a number are found as well as the whole."""

_DECIMALS = 6
"""Decimals of scores, so that equal scores are equal in any order of summing."""

_TIES = Key(bytes(32)).derive("prose attack", "ties")
"""Decides ties. It is public, like everything that the attacker has."""

_RECORD, _PLACE, _PAIR = "record", "place", "record and place"
_TOKEN, _HOLDERS, _SIZE, _SCORE = "token", "holders", "size", "score"


def prose_attacks(originals: pl.DataFrame, published: pl.DataFrame) -> list[Attack]:
    """Name the owner of each published text among the originals of its group, three times.

    *Rarest clause*: one search, for the clause that the fewest originals have; if there are several, for all of these.
    *All clauses*: the original that shares most of them; rare clauses count more.
    *Numbers*: the same with the numbers alone, and with pairs of consecutive numbers.

    Ties are guessed. Guessing without reading succeeds with probability one over the size of the group; a group of one is left
    out, because the group alone names its member.

    Args:
        originals: `OWNER`, `GROUP` and `TEXT` of every original text; a company may have several.
        published: `OWNER` and `TEXT` of every published text: the owner is the truth by which successes are counted. Texts
            of companies without an original text are left out, for nobody could find one.
    """
    known = originals.drop_nulls(TEXT).with_columns(pl.col(GROUP).fill_null(""))
    known = known.with_columns(pl.col(OWNER).n_unique().over(GROUP).alias(_SIZE)).filter(pl.col(_SIZE) > 1)
    owners = known.select(OWNER, GROUP, _SIZE).unique(OWNER).with_row_index(_PLACE)
    known = known.join(owners.select(OWNER, _PLACE), on=OWNER)
    texts = published.drop_nulls(TEXT).join(owners, on=OWNER).sort(OWNER, TEXT).with_row_index(_RECORD)
    alone, named = 0, dict.fromkeys((CLAUSE, CLAUSES, NUMBERS), 0)
    # One group after the other: the clauses of all texts take several times the memory of these.
    by_group = known.partition_by(GROUP, as_dict=True)
    for group, attacked in texts.partition_by(GROUP, as_dict=True).items():
        clauses, numbers = (_shared(tokens, by_group[group], attacked) for tokens in (_clauses, _numbers))
        fewest = clauses.filter(pl.col(_HOLDERS) == pl.col(_HOLDERS).min().over(_RECORD))
        alone += clauses.filter(pl.col(_HOLDERS) == 1)[_RECORD].n_unique()
        rarest = fewest.with_columns(pl.lit(1.0).alias(_SCORE))
        for attack, shared in ((CLAUSE, rarest), (CLAUSES, clauses), (NUMBERS, numbers)):
            named[attack] += _successes(shared, attacked, owners)
    why = "" if texts.height else _NO_OTHER if published.drop_nulls(TEXT).height else _NO_TEXT
    return [
        Attack(
            attack=attack,
            knowledge="every original text, and the group of each company",
            records=texts.height,
            successes=successes,
            chance=texts.select((1 / pl.col(_SIZE)).mean()).item() or 0.0,
            detail=why or (_ALONE.format(alone) if attack == CLAUSE else ""),
        )
        for attack, successes in named.items()
    ]


_ALONE = "{:,} texts have a clause that one original text of the group has, and no other."
_NO_TEXT = f"No texts about companies of {LEAST_TEXT} characters in the median are published."
_NO_OTHER = "No published text is about a company that has an original text, and others in its group that have one."
"""Of what was tried, and why nothing could be."""


def published_texts(tables: Iterable[PublishedTable], published: LazyFrames, codes: pl.Series) -> pl.DataFrame:
    """Return every published text about an entity, as `code` and `TEXT`, whichever tables and columns hold prose.

    Args:
        tables: Declarations of the published tables; those outside of the database repeat it and are skipped.
        published: Their text by name.
        codes: Every published code.
    """
    database = (published[table.name] for table in tables if table.name in published and table.folder == "database")
    found = [texts for rows in database for texts in _texts_of(rows, codes)]
    return pl.concat([pl.DataFrame(schema={"code": pl.String, TEXT: pl.String}), *found])


def _texts_of(rows: pl.LazyFrame, codes: pl.Series) -> Iterator[pl.DataFrame]:
    some = evenly_spaced(rows, SAMPLE)
    code = code_among(some, codes)
    if code is None:
        return
    lengths = some.select(pl.exclude(code).str.len_chars().median())
    yield from (
        streamed(rows.select(code=code, text=column))
        for column in lengths.columns
        if (lengths[column][0] or 0) >= LEAST_TEXT
    )


def _shared(
    tokens: Callable[[pl.DataFrame, str], pl.DataFrame], originals: pl.DataFrame, published: pl.DataFrame
) -> pl.DataFrame:
    """Return what each record shares with originals of its group: their places, how many, and a score for each of them.

    The score is the log of group size over holders.
    """
    held = tokens(originals, _PLACE).group_by(GROUP, _TOKEN).agg(_PLACE, pl.len().alias(_HOLDERS))
    sizes = originals.select(GROUP, _SIZE).unique()
    rare = held.filter(pl.col(_HOLDERS) <= COMMON).join(sizes, on=GROUP)
    score = ((pl.col(_SIZE) + 1) / pl.col(_HOLDERS)).log().alias(_SCORE)
    shared = tokens(published, _RECORD).join(rare.with_columns(score), on=[GROUP, _TOKEN])
    return shared.select(_RECORD, _PLACE, _HOLDERS, _SCORE)


def _clauses(texts: pl.DataFrame, of: str) -> pl.DataFrame:
    """Return `of`, `GROUP` and each clause that is long enough, once."""
    parted = pl.col(TEXT).str.replace_all(_ENDS, "\n").str.split("\n").alias(_TOKEN)
    clauses = texts.select(of, GROUP, parted).explode(_TOKEN).with_columns(pl.col(_TOKEN).str.strip_chars())
    least = pl.when(pl.col(_TOKEN).str.contains(r"[\x{4e00}-\x{9fff}]")).then(LEAST_HAN).otherwise(LEAST_LATIN)
    return clauses.filter(pl.col(_TOKEN).str.len_chars() >= least).unique()


def _numbers(texts: pl.DataFrame, of: str) -> pl.DataFrame:
    """Return `of`, `GROUP` and, once each, the numbers of a text and the pairs of consecutive numbers."""
    numbers = texts.with_row_index("text number").select(
        "text number", of, GROUP, pl.col(TEXT).str.extract_all(r"\d+(?:[.,]\d+)*").alias(_TOKEN)
    )
    single = numbers.explode(_TOKEN).drop_nulls(_TOKEN)
    pairs = single.with_columns(pl.concat_str(_TOKEN, pl.col(_TOKEN).shift(-1).over("text number"), separator=" "))
    return pl.concat([single, pairs]).drop("text number").drop_nulls(_TOKEN).unique()


def _successes(shared: pl.DataFrame, published: pl.DataFrame, owners: pl.DataFrame) -> int:
    """Count the records whose owner has the highest score; ties are drawn."""
    # Millions of pairs are grouped several times as fast by one number as by two.
    pair = pl.col(_RECORD).cast(pl.UInt64) * _MOST + pl.col(_PLACE)
    scores = shared.lazy().explode(_PLACE).group_by(pair.alias(_PAIR)).agg(pl.col(_SCORE).sum().round(_DECIMALS))
    record, place = (pl.col(_PAIR) // _MOST).cast(pl.UInt32), (pl.col(_PAIR) % _MOST).cast(pl.UInt32)
    best = scores.filter(pl.col(_SCORE) == pl.col(_SCORE).max().over(record))
    owned = best.select(record.alias(_RECORD), place.alias(_PLACE)).collect().join(owners, on=_PLACE)
    named = owned.sort(_TIES.mac(_RECORD, OWNER)).unique(_RECORD, keep="first", maintain_order=True)
    return named.join(published, on=[_RECORD, OWNER], how="semi").height


_MOST = 2**32
"""More records, and more places, than there can be."""
