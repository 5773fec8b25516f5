"""Which findings of the escape scan are exempted: those that are declared, but none that may name a company after all.

And what answers the others: an exemption that is proposed, or another declaration.

A finding may be exempted

- if it contains punctuation that ends or separates, and the name as it is listed has none (`in China (its`);
- or if every word of the name is ordinary: it occurs in lower case in `FEWEST_TEXTS` or more other published texts, and a
  name of several words does not occur there with its capitals. Chinese has no lower case: there, the ordinary words are
  those of which names are invented.

A name that is declared as a word of the tables (`Exemption.is_word`) is exempted wherever no name is expected: not in columns
of codes, names and texts, nor in documents. It must be such a word: a header, a measure, a unit, a table; the whole of
`FEWEST_TEXTS` other cells or more; or a word of reports, which no table has.

A finding alone in a cell of a column of codes is never exempted. A declared exemption that would cover anything else is refused
as a whole.
"""

import html
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from anonymize.mentions.forms import known_by
from anonymize.mentions.ordinary import chinese_words
from pipeline.model import Environment, Exemption
from pipeline.render import path_of, published_files
from validation.escapes import BEFORE_NOISE
from validation.escapes.documents import BROKEN, TextDocument
from validation.escapes.findings import CODE_COLUMN, PLACE, SCHEMA
from validation.escapes.identifiers import LATIN, is_word

FEWEST_TEXTS = 5
"""Number of other texts in which an ordinary word must occur in lower case (our choice)."""

IN_CODES = "it stands alone in a column of codes"
WITH_CAPITALS = "it is written with its capitals, as a name"
NOT_ORDINARY = f"it has words that stand in small letters in fewer than {FEWEST_TEXTS} other published texts"
WITH_DIGITS = "it has digits, as no word has"
EXPECTS_NAMES = "it stands where codes, names or texts are expected"
NO_WORD = f"it is no header, measure, unit or table, and the whole of fewer than {FEWEST_TEXTS} cells"
UNKNOWN = "which token it is cannot be determined"

_APART = re.compile(r"[,;:!?()\[\]{}\"“”\n，；：、。！？（）《》]|\.\s")
"""Punctuation that ends or separates, between the words of a name."""


LEFT = pl.Schema([*SCHEMA.items(), ("objection", pl.String)])
"""Findings that are not exempted, with the reason why they cannot be; empty if they could."""


class Words(NamedTuple):
    """What says that a name is a word of the tables, and where it may stand."""

    declared: Collection[str] = ()
    """Headers, measures, units and tables, casefolded."""
    columns: Mapping[str, Collection[str]] = {}
    """Path of each file of data -> its headers of columns that hold neither codes nor names nor texts."""

    def expects_names(self, file: str, column: str) -> bool:
        """Say whether names are expected at a place. Outside of the data they never are."""
        return file in self.columns and column not in self.columns[file]


NO_WORDS = Words()


class Applied(NamedTuple):
    """A declared exemption, with the places in the files of a variant where it applies."""

    number: int
    """Its number in the declaration, from 1."""
    token: str
    file: str
    """Path; every file if empty, every file of a folder if it ends with a slash."""
    column: str
    """Header as in the file; every column if empty."""
    is_word: bool = False
    """Whether it is declared as a word of the tables."""


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgedFindings:
    """Findings, judged by the declared exemptions."""

    exempted: pl.DataFrame
    """Findings that are exempted."""
    places: pl.DataFrame
    """File, row, column and kind of the places where all findings are exempted."""
    left: pl.DataFrame
    """All other findings (`LEFT`)."""
    refused: Mapping[int, str]
    """Exemption -> why it is refused."""
    unused: tuple[int, ...]
    """Exemptions that cover no finding."""
    words: tuple[str, ...] = ()
    """Tokens of one word, of the other findings, that could all be exempted as words of the tables, and not in another way."""


def judge(
    found: pl.DataFrame, exemptions: Sequence[Applied], documents: Iterable[TextDocument], words: Words = NO_WORDS
) -> JudgedFindings:
    """Judge findings by declared exemptions.

    Args:
        found: Findings (`findings.SCHEMA`).
        documents: The searched documents: their texts decide which words are ordinary.
        words: What says that a name is a word of the tables.
    """
    objected = _with_objections(found, documents).with_columns(
        number=pl.lit(None, dtype=pl.Int64), against_word=_against_words(found, words)
    )
    for exemption in exemptions:
        objected = objected.with_columns(
            number=pl.coalesce("number", pl.when(_covers(exemption)).then(exemption.number))
        )
    of_words = [exemption.number for exemption in exemptions if exemption.is_word]
    against = pl.when(pl.col("number").is_in(of_words)).then("against_word").otherwise("objection")
    objected = objected.with_columns(objection=against)
    refused = {number: reason for number in _numbers(objected) if (reason := _refusal(objected.filter(number=number)))}
    is_excused = pl.col("number").is_not_null() & ~pl.col("number").is_in(list(refused))
    exempted, left = objected.filter(is_excused), objected.filter(~is_excused)
    place = [*PLACE, "kind"]
    return JudgedFindings(
        exempted=exempted.select(found.columns),
        places=exempted.select(place).unique().join(left.select(place), on=place, how="anti"),
        left=left.select(LEFT.names()),
        refused=refused,
        words=_words(left),
        unused=tuple(one.number for one in exemptions if one.number not in set(_numbers(objected))),
    )


def _covers(exemption: Applied) -> pl.Expr:
    covers = pl.col("token") == " ".join(exemption.token.strip().splitlines())
    if exemption.file.endswith("/"):
        return covers & pl.col("file").str.starts_with(exemption.file)
    for name, value in (("file", exemption.file), ("column", exemption.column)):
        covers &= pl.lit(not value) | (pl.col(name) == value)
    return covers


def _numbers(objected: pl.DataFrame) -> list[int]:
    return objected["number"].drop_nulls().unique().sort().to_list()


def _refusal(found: pl.DataFrame) -> str:
    """Return why the findings that an exemption covers cannot be exempted; an empty text if they can."""
    objected = found.filter(pl.col("objection") != "")
    counts = objected.group_by("objection").agg(pl.struct(PLACE).n_unique().alias("places")).sort("objection")
    return "; ".join(f"in {places:,} of the places {objection}" for objection, places in counts.iter_rows())


def _words(left: pl.DataFrame) -> tuple[str, ...]:
    """Return the tokens that could be declared as words, of those to which there is an objection otherwise.

    None has several words: such a name in full names somebody, whatever else it is called by.
    """
    of_token = (
        left.filter(pl.col("token") != "", ~pl.col("token").str.contains(r"\w[\W_]+\w"))
        .group_by("token")
        .agg(
            (pl.col("objection") == "").all().alias("could otherwise"),
            (pl.col("against_word") == "").all().alias("could"),
        )
    )
    return tuple(of_token.filter(pl.col("could") & ~pl.col("could otherwise"))["token"].sort())


# --- what may be excused -------------------------------------------------------------------------------------------------


def _with_objections(found: pl.DataFrame, documents: Iterable[TextDocument]) -> pl.DataFrame:
    tokens = found["token"].unique().to_list()
    words = {token: known_by(token) for token in tokens}
    small = {word for of_token in words.values() for word in of_token if is_word(word)}
    usual = _words_of_texts(documents, small, besides=found["text"].unique())
    ordinary = {token for token, of_token in words.items() if _is_ordinary(of_token, usual)}
    objections = [
        _objection(token, rule, written, is_ordinary=token in ordinary)
        for token, rule, written in found.select("token", "rule", "written").iter_rows()
    ]
    return found.with_columns(objection=pl.Series(objections, dtype=pl.String))


def _against_words(found: pl.DataFrame, words: Words) -> pl.Series:
    """Return why each finding could not be exempted as a word of the tables; empty if it could."""
    places = list(found.select("token", "file", "column", "rule", "row", "text").iter_rows())
    whole: dict[str, set[tuple[str, str, int]]] = defaultdict(set)
    in_data: set[str] = set()
    for token, file, column, _, row, text in places:
        in_data |= {token} if file in words.columns else set()
        if (
            file in words.columns
            and not words.expects_names(file, column)
            and text.strip().casefold() == token.casefold()
        ):
            whole[token].add((file, column, row))
    objections = []
    for token, file, column, rule, _, _ in places:
        is_word = token.casefold() in words.declared or len(whole[token]) >= FEWEST_TEXTS or token not in in_data
        expects = rule == CODE_COLUMN or words.expects_names(file, column)
        objections.append(UNKNOWN if not token else EXPECTS_NAMES if expects else "" if is_word else NO_WORD)
    return pl.Series(objections, dtype=pl.String)


def _objection(token: str, rule: str, written: str, *, is_ordinary: bool) -> str:
    if not token:
        return UNKNOWN
    if rule == CODE_COLUMN:
        return IN_CODES
    if set(_APART.findall(html.unescape(written))) - set(_APART.findall(token)):  # the ";" of "&amp;" ends nothing
        return ""
    if not is_ordinary:
        return WITH_DIGITS if any(map(str.isdigit, token)) else NOT_ORDINARY
    return WITH_CAPITALS if " " in token and _has_capitals(token, written) else ""


def _has_capitals(token: str, written: str) -> bool:
    """Say whether each word that is listed with a capital is written with one."""
    listed, there = (re.findall(f"[{LATIN}]+", text) for text in (token, written))
    return all(now[0].isupper() for word, now in zip(listed, there, strict=False) if word[0].isupper())


def _is_ordinary(words: Sequence[str], usual: Collection[str]) -> bool:
    """Say whether all words are ordinary; numbers count as ordinary."""
    latin = [word for word in words if is_word(word) and not word.isdigit()]
    others = "".join(word for word in words if not is_word(word))
    return bool(latin or others) and set(latin) <= set(usual) and chinese_words().fullmatch(others) is not None


def _words_of_texts(documents: Iterable[TextDocument], words: Collection[str], *, besides: pl.Series) -> set[str]:
    """Return which of the words occur in lower case in enough distinct cells of tables; some cells do not count."""
    if not words:
        return set()
    found = (_cells_with(document, sorted(words)) for document in documents)
    texts = pl.concat([pl.Series("text", [], dtype=pl.String), *found]).unique()
    holding = texts.filter(~texts.is_in(besides.implode()))
    said = holding.to_frame().select(word=pl.col("text").str.extract_all(f"[{LATIN}]+").list.unique()).explode("word")
    counts = said.filter(pl.col("word").is_in(sorted(words))).group_by("word").len()
    return set(counts.filter(pl.col("len") >= FEWEST_TEXTS)["word"])


def _cells_with(document: TextDocument, words: list[str]) -> pl.Series:
    """Return the distinct cells of a table that hold one of the words; none of what is no table."""
    try:
        cells = document.cells() if document.is_table else pl.LazyFrame()
        every = map(pl.col, cells.collect_schema().names())
        holding = [each.filter(each.str.contains_any(words)).unique().implode() for each in every]
        lists = cells.select(holding).collect().iter_columns()
        return pl.concat([pl.Series("text", [], dtype=pl.String), *(each.explode().rename("text") for each in lists)])
    except BROKEN:
        return pl.Series("text", [], dtype=pl.String)


# --- what answers a finding ----------------------------------------------------------------------------------------------

_OTHERWISE = (
    "mend the raw cell, or declare {}: role=Role.IDENTIFIER if every cell identifies somebody, role=Role.IGNORED if nobody "
    "needs it (both are left out; take them out of the rules of noise), role=Role.TEXT if it is prose (names are replaced)"
)


def declared_otherwise(columns: Collection[str], grouping: Mapping[str, str]) -> str:
    """Return what to do where columns that are published as they are identify somebody; `grouping` is what groups by them."""
    taken = [f"{column} out of {grouping[column]}" for column in columns if column in grouping]
    besides = f"; for any of these roles take {' and '.join(taken)}" if taken else ""
    return _OTHERWISE.format(" and ".join(columns)) + besides


def grouping_by(environment: Environment) -> dict[str, str]:
    """Return the columns by which a declaration groups, which only attributes can do, with the fields that name each."""
    named = [
        (column, f"`{field}` of {kind.called}") for kind in environment.kinds for column, field in kind.groups.items()
    ]
    named += [(column, "`aggregates`") for each in environment.aggregates for column in each.by]
    fields = {column: dict.fromkeys(field for of, field in named if of == column) for column, _ in named}
    return {column: " and ".join(of_column) for column, of_column in fields.items()}


_CAN_BE_EXEMPTED = (pl.col("objection") == "").all().over("token")
"""Whether a finding's token can be exempted: an objection to one finding of it is one to all."""

ANSWER = (
    pl.when(pl.col("column") == "", pl.col("cause").is_not_null())
    .then(pl.format("follows from {}; mend that", "cause"))
    .when(_CAN_BE_EXEMPTED)
    .then(pl.lit("add its line of exemptions.py to the declaration"))
    .when(pl.col("column") != "", pl.col("is_word"))
    .then(pl.format("if it names nobody there, add its line of exemptions.py to the declaration; else {}", "otherwise"))
    .when(pl.col("column") != "")
    .then("otherwise")
    .otherwise(pl.format("if it names nobody there: Exemption(token='{}', is_word=True, reason='...')", "token"))
)
"""The one line that answers a finding; a report or page that repeats a cell is answered by the cell's."""


def proposed_word(token: str) -> Exemption:
    """Return the exemption of a word of the tables."""
    return Exemption(token=token, reason="a word of tables or reports", is_word=True)


def proposed(
    environment: Environment, headers: Mapping[str, Mapping[str, str]], left: pl.DataFrame
) -> Iterator[Exemption]:
    """Yield an exemption for each token and column, if there is nowhere an objection to the token.

    None is for reports and pages that repeat a cell.
    """
    names = {path_of(published): published.name for published in published_files(environment)}
    names |= {path + BEFORE_NOISE: name for path, name in names.items()}
    columns = {path: {now: column for column, now in of_path.items()} for path, of_path in headers.items()}
    is_alone = (pl.col("column") == "").all().over("token")
    could = left.filter(_CAN_BE_EXEMPTED, (pl.col("column") != "") | is_alone)
    of_place = could.group_by("file", "column", "token", maintain_order=True).agg(
        pl.concat_str("before", "written", "after").first().alias("as in")
    )
    for file, column, token, text in of_place.iter_rows():
        table = names.get(file, "")
        reason = f"ordinary words, as in: {text}"
        yield Exemption(token=token, reason=reason, table=table, column=columns.get(file, {}).get(column, ""))
