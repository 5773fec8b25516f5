"""Findings for the curator: which token stands where, with the words around it, so that the result can be judged.

Unlike an `Escape`, a finding holds the text that escaped. Only places where the search has found something are examined.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import polars as pl

from pipeline.model.plain_codes import plain_code
from validation.escapes.documents import Hit, TextDocument, readings
from validation.escapes.identifiers import Identifiers
from validation.escapes.literal import beside, written_forms
from validation.escapes.loose import Finders, mentions_in

LITERAL, NORMAL_FORM, CODE_COLUMN = "literal", "normal form", "code column"
"""Rules: the searches, by the way in which they read."""

AROUND = 40
"""Characters shown before and after."""

PLACE = ("file", "row", "column")
_SHOWN = ("before", "written", "after")
SCHEMA = pl.Schema(
    {"file": pl.String, "row": pl.Int64}
    | dict.fromkeys(("column", "kind", "token", "rule", *_SHOWN, "text"), pl.String)
)
"""A finding: its place, as an `Escape` counts it; the token as it is listed; its written form, and the text around it."""


def findings(
    hits: Iterable[Hit], in_code_columns: Iterable[Hit], identifiers: Identifiers, finders: Finders
) -> pl.DataFrame:
    """Return all findings with the columns of `SCHEMA`, sorted; the token is null if a hit's token cannot be determined."""
    hits, in_code_columns = list(hits), list(in_code_columns)
    found = [_in_texts(hits, identifiers, finders), *(_in_cells(hit, identifiers) for hit in in_code_columns)]
    with_token = pl.concat(frame.select(SCHEMA.names()) for frame in found)
    known = pl.concat([SCHEMA.to_frame(), *(_rows(hit) for hit in (*hits, *in_code_columns))])
    without_token = known.unique().join(with_token, on=[*PLACE, "kind"], how="anti", nulls_equal=True)
    return pl.concat([with_token, without_token]).unique().sort(*SCHEMA.names())


def _rows(hit: Hit) -> pl.DataFrame:
    """Return a finding without a token for each row of a hit."""
    rows = pl.Series([0], dtype=pl.Int64) if hit.document.is_name else hit.rows
    place = pl.DataFrame({"row": rows}).with_columns(file=pl.lit(hit.document.name), column=pl.lit(hit.column))
    nothing = [pl.lit("").alias(name) for name in ("token", "rule", *_SHOWN, "text")]
    return place.with_columns(pl.lit(hit.kind).alias("kind"), *nothing).select(SCHEMA.names())


# --- codes ---------------------------------------------------------------------------------------------------------------


def _in_cells(hit: Hit, identifiers: Identifiers) -> pl.DataFrame:
    """Return the findings of one hit in a column of codes."""
    listed = pl.DataFrame({"token": identifiers.by_kind()[hit.kind]}, schema={"token": pl.String})
    tokens = listed.select("token", plain=plain_code(pl.col("token"))).unique(
        "plain", keep="first", maintain_order=True
    )
    cells = _numbered(hit.document.records().select(text=pl.col(hit.column)).collect(), first=2)
    of_hit = cells.filter(pl.col("row").is_in(hit.rows.implode()))
    found = of_hit.with_columns(plain=plain_code(pl.col("text"))).join(tokens, on="plain")
    constant = {"file": hit.document.name, "column": hit.column, "kind": hit.kind, "rule": CODE_COLUMN}
    return found.with_columns(
        *(pl.lit(value).alias(name) for name, value in constant.items()),
        before=pl.lit(""),
        written="text",
        after=pl.lit(""),
    )


# --- texts ---------------------------------------------------------------------------------------------------------------


class _Standing(NamedTuple):
    """One token in one reading of a text."""

    token: str
    rule: str
    start: int
    end: int


def _in_texts(hits: list[Hit], identifiers: Identifiers, finders: Finders) -> pl.DataFrame:
    texts = pl.concat([_TEXTS.to_frame(), *(_texts(hit) for hit in hits)]).unique()
    distinct = texts["text"].unique()
    rows = list(_standing(distinct, identifiers, finders))
    schema = {"text": pl.String, "line": pl.Int64} | {name: SCHEMA[name] for name in ("kind", "token", "rule", *_SHOWN)}
    standing = pl.DataFrame(rows, schema=schema, orient="row")
    found = texts.join(standing, on=["text", "kind"]).with_columns(row=pl.coalesce("row", "line"))
    return found.join(
        pl.concat([SCHEMA.to_frame(), *map(_rows, hits)]).select(*PLACE, "kind").unique(), on=[*PLACE, "kind"]
    )


_TEXTS = pl.Schema({"file": pl.String, "row": pl.Int64, "column": pl.String, "kind": pl.String, "text": pl.String})


def _texts(hit: Hit) -> pl.DataFrame:
    """Return the texts of a hit: its cells, or the document as a whole, of which lines give the rows."""
    cells = _cells(hit.document, hit.column) if hit.column else None
    if cells is None:
        row = 0 if hit.document.is_name or hit.rows[0] == 0 else None
        cells = pl.DataFrame({"row": [row], "text": [hit.document.text()]}, schema={"row": pl.Int64, "text": pl.String})
    else:
        cells = cells.filter(pl.col("row").is_in(hit.rows.implode()))
    place = {"file": hit.document.name, "column": hit.column, "kind": hit.kind}
    return cells.with_columns(pl.lit(value).alias(name) for name, value in place.items()).select(_TEXTS.names())


def _cells(document: TextDocument, column: str) -> pl.DataFrame | None:
    """Return `row` and `text` of the columns of that name; None if the document has none."""
    cells = document.table()
    header = cells.row(0) if cells.height else ()
    named = [cells.to_series(place).to_frame("text") for place, name in enumerate(header) if name == column]
    return pl.concat(_numbered(texts, first=1) for texts in named).drop_nulls() if named else None


def _numbered(texts: pl.DataFrame, *, first: int) -> pl.DataFrame:
    return texts.with_row_index("row", offset=first).cast({"row": pl.Int64})


def _standing(texts: pl.Series, identifiers: Identifiers, finders: Finders) -> Iterator[tuple[str | int, ...]]:
    """Yield the findings in distinct texts: the text, the line, kind, token, rule, and what is shown."""
    kinds = dict.fromkeys(identifiers.numbers().values(), "identifier")
    kinds |= {_in_one_line(token): kind for token, kind in reversed(identifiers.anywhere().items())}
    read = [(text, reading) for text in texts for reading in readings(text)]
    literal, loose = _literally(read, identifiers), _loosely([reading for _, reading in read], finders)
    seen: set[tuple[str, str, int]] = set()
    for place, (text, reading) in enumerate(read):
        found = reversed(list(_first(_as_written(reading, literal.get(text, {})), loose.get(place, []))))
        fresh = {(text, one.token, 1 + reading.count("\n", 0, one.start)): one for one in found}
        for key in fresh.keys() - seen:
            _, token, line = key
            yield (text, line, kinds[token], token, fresh[key].rule, *_shown(reading, fresh[key]))
        seen |= fresh.keys()


def _in_one_line(token: str) -> str:
    return " ".join(token.splitlines())


def _literally(read: list[tuple[str, str]], identifiers: Identifiers) -> dict[str, dict[str, str]]:
    """Return, for each text, the written forms of tokens that may occur in one of its readings, with the tokens."""
    tokens: dict[str, str] = {}
    for token in identifiers.anywhere():
        for form in written_forms(token):
            tokens.setdefault(form, _in_one_line(token))
    if not tokens:
        return {}
    frame = pl.DataFrame(read, schema={"text": pl.String, "reading": pl.String}, orient="row")
    held = frame.select("text", form=pl.col("reading").str.extract_many(list(tokens), overlapping=True)).explode("form")
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for text, form in held.drop_nulls().unique().sort("text", "form").iter_rows():
        found[text][form] = tokens[form]
    return found


def _loosely(read: list[str], finders: Finders) -> dict[int, list[_Standing]]:
    """Return what the finder of prose finds in readings, by their positions."""
    found: dict[int, list[_Standing]] = defaultdict(list)
    for mention in mentions_in(read, finders) if finders.has_any else ():
        found[mention.row].append(_Standing(mention.whose, NORMAL_FORM, mention.start, mention.end))
    return found


def _first(as_written: Iterable[_Standing], loose: Iterable[_Standing]) -> Iterator[_Standing]:
    """Yield tokens that stand as they are written first, then those that only the finder finds."""
    written = list(as_written)
    yield from written
    for one in loose:
        if not any(one.token == other.token and other.start <= one.start < other.end for other in written):
            yield one


def _as_written(reading: str, tokens: Mapping[str, str]) -> Iterator[_Standing]:
    for form, token in tokens.items():
        before, after = beside(form)
        pattern = (f"(?<![{before}])" if before else "") + re.escape(form) + (f"(?![{after}])" if after else "")
        for match in re.finditer(pattern, reading):
            yield _Standing(token, LITERAL, match.start(), match.end())


def _shown(reading: str, one: _Standing) -> tuple[str, str, str]:
    """Return the text before, at and after a finding, in one line each."""
    parts = reading[max(one.start - AROUND, 0) : one.start], reading[one.start : one.end], reading[one.end :][:AROUND]
    before, written, after = (re.sub(r"\s+", " ", part) for part in parts)
    return before, written, after
