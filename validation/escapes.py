"""The escape scan: does anything that identifies a company stand anywhere in a variant's files? It never repairs.

What is looked for, and where:

- *Anywhere*, in every byte of every file and in the files' names: codes, names, aliases and identifiers of four
  characters or more. A token that is one word in Latin letters (`NIKE`) counts only beside other characters than Latin
  letters and digits, since chance puts it inside longer words. A token with a blank in it is also found in capitals and
  in small letters. Files that are not CSV are searched again with JSON escapes, percent signs and HTML entities undone.
- *Alone in a cell* of the columns that hold codes: every token however short, codes without their suffix too, whatever
  their case, leading zeros or trailing `.0`. Shorter tokens (`A`, `3M`) and bare numbers (`600000`, `66740`) are looked
  for only there: elsewhere they are grades, states and figures, and a gate that cries wolf is switched off.

What is inside compressed files is not seen; a variant has none. An `Escape` never holds what escaped.
"""

import html
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self
from urllib.parse import unquote

import polars as pl
from polars.exceptions import ComputeError

from pipeline.errors import WITHHELD, InputError

SHORTEST = 4
"""Characters of the shortest token looked for anywhere. Our choice: three-letter tickers are ALL, KEY, LOW and NOW."""

LATIN = "0-9A-Za-zÀ-ɏ"
"""Characters that make a one-word token part of a longer word."""

PARTIAL = "\ufffd"
"""What decoding makes of each byte of a character that a cut goes through: at most three of them at a cut."""

WINDOW_BYTES = 8 * 2**20
BATCH_BYTES = 64 * 2**20
"""What is searched at a time: large, because each search builds its automaton anew (0.2 s for 40,000 tokens)."""


@dataclass(frozen=True, kw_only=True)
class Identities:
    """Everything in the originals that identifies a company."""

    codes: tuple[str, ...] = ()
    bare_codes: tuple[str, ...] = ()
    """Codes without their suffix."""
    names: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    @classmethod
    def of_map(cls, identity_map: pl.DataFrame, *, code_mention: str) -> Self:
        """Take the column `original` by `kind` (code, name, alias; any other is an identifier).

        The first group of the regular expression `code_mention` is a code without its suffix (`Entities.code_mention`).
        """
        originals: dict[str, list[str]] = defaultdict(list)
        known = {"code", "name", "alias"}
        for kind, original in identity_map.select("kind", "original").unique().sort("kind", "original").iter_rows():
            originals[kind if kind in known else "identifier"].append(original)
        bare = (mention.group(1) for code in originals["code"] if (mention := re.search(code_mention, code)))
        return cls(
            codes=tuple(originals["code"]),
            bare_codes=tuple(dict.fromkeys(bare)),
            names=tuple(originals["name"]),
            aliases=tuple(originals["alias"]),
            identifiers=tuple(originals["identifier"]),
        )

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Return the tokens of each kind, without blanks around them and without empty ones."""
        kinds = {
            "code": self.codes,
            "bare code": self.bare_codes,
            "name": self.names,
            "alias": self.aliases,
            "identifier": self.identifiers,
        }
        return {kind: tuple(filter(None, (token.strip() for token in tokens))) for kind, tokens in kinds.items()}


@dataclass(frozen=True, order=True)
class Escape:
    """One kind of identity found in one column of one file; the value itself is withheld.

    `row` is the first record in a CSV file (the header is row 1), the first line in any other file, and 0 for the
    file's name or a match that runs over lines; `rows` says in how many it stands. `column` may be unknown: empty.
    """

    file: str
    row: int
    column: str
    kind: str
    rows: int


class _Window(NamedTuple):
    file: Path
    text: str
    is_first: bool
    is_last: bool


def find_escapes(
    folder: Path, identities: Identities, *, code_columns: Mapping[str, tuple[str, ...]]
) -> tuple[Escape, ...]:
    """Search all files below `folder`, sorted by file and row; `code_columns` are by path below `folder`.

    A path that is not there is passed over, since files may be left out of a variant.

    Raises:
        InputError: A file lacks one of its code columns.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    kinds = _kinds_anywhere(identities)
    found = _search(files, kinds) if kinds else {}
    names = _Names(folder, kinds)
    return tuple(
        sorted(
            {
                *chain.from_iterable(names.escapes(file) for file in files),
                *chain.from_iterable(_located(file, names, _by_kind(found[file], kinds)) for file in found),
                *chain.from_iterable(
                    _in_code_columns(folder / path, names, columns, identities)
                    for path, columns in code_columns.items()
                    if (folder / path).is_file()
                ),
            }
        )
    )


@dataclass(frozen=True)
class _Names:
    """Names of files and columns as they may be shown."""

    folder: Path
    kinds: Mapping[str, str]

    def shown(self, name: str) -> str:
        return WITHHELD if any(token in name for token in self.kinds) else name

    def shown_path(self, file: Path) -> str:
        return "/".join(self.shown(part) for part in file.relative_to(self.folder).parts)

    def escapes(self, file: Path) -> Iterator[Escape]:
        path = file.relative_to(self.folder).as_posix()
        for kind in sorted({kind for token, kind in self.kinds.items() if token in path}):
            yield Escape(self.shown_path(file), 0, "", kind, 1)


def _kinds_anywhere(identities: Identities) -> dict[str, str]:
    """Return the forms that are looked for anywhere, with their kinds; a form of several kinds has the first."""
    kinds: dict[str, str] = {}
    for kind, tokens in identities.by_kind().items():
        for token in tokens:
            if len(token) >= SHORTEST and not token.isdigit() and kind != "bare code":
                for form in _forms(token):
                    kinds.setdefault(form, kind)
    return kinds


def _forms(token: str) -> Iterator[str]:
    cases = (token, token.upper(), token.lower()) if " " in token else (token,)
    for case in cases:
        yield case
        yield case.replace('"', '""')


def _search(files: Iterable[Path], kinds: Mapping[str, str]) -> dict[Path, set[str]]:
    overlap = max(len(token.encode()) for token in kinds) + 16  # and the characters on both sides
    found: dict[Path, set[str]] = defaultdict(set)
    for batch in _batches(chain.from_iterable(_windows(file, overlap) for file in files)):
        for window in _holding_any(batch, list(kinds)):
            if tokens := _tokens(window, list(kinds)):
                found[window.file] |= tokens
    return found


def _windows(file: Path, overlap: int) -> Iterator[_Window]:
    """Cut a file into windows that overlap, so that each token stands whole, with its surroundings, in one of them."""
    with file.open("rb") as content:
        yield from _cut(file, content, overlap)
        if not _is_csv(file):
            content.seek(0)
            decoded = "\n".join(_decoded(line) for line in _text(content.read()).split("\n"))
            yield from _cut(file, io.BytesIO(decoded.encode()), overlap)


def _cut(file: Path, content: BinaryIO, overlap: int) -> Iterator[_Window]:
    size = content.seek(0, io.SEEK_END)
    for start in range(0, size, WINDOW_BYTES):
        content.seek(start)
        text = _text(content.read(WINDOW_BYTES + overlap))
        is_first, is_last = start == 0, start + WINDOW_BYTES + overlap >= size
        text = text if is_first else text[:3].lstrip(PARTIAL) + text[3:]
        text = text if is_last else text[:-3] + text[-3:].rstrip(PARTIAL)
        yield _Window(file, text, is_first, is_last)


def _batches(windows: Iterable[_Window]) -> Iterator[list[_Window]]:
    batch: list[_Window] = []
    for window in windows:
        batch.append(window)
        if sum(len(each.text) for each in batch) >= BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def _holding_any(batch: list[_Window], tokens: list[str]) -> Iterator[_Window]:
    """Return the windows in which a token stands; two halves at a time, since one search has one thread."""
    halves = [half for half in (batch[::2], batch[1::2]) if half]
    frames = pl.collect_all([_holding(half, tokens) for half in halves])
    for half, frame in zip(halves, frames, strict=True):
        yield from (half[index] for index in frame.to_series().arg_true())


def _holding(windows: list[_Window], tokens: list[str]) -> pl.LazyFrame:
    texts = pl.LazyFrame({"text": [window.text for window in windows]})
    return texts.select(pl.col("text").str.contains_any(tokens))


def _tokens(window: _Window, tokens: list[str]) -> set[str]:
    """Return the tokens that stand in a window, one-word ones by themselves."""
    text = pl.DataFrame({"text": [window.text]})
    found = text.select(
        token=pl.col("text").str.extract_many(tokens, overlapping=True),
        start=pl.col("text").str.find_many(tokens, overlapping=True),
    ).explode("token", "start")
    is_word = pl.col("token").str.contains(f"^[{LATIN}]+$")
    raw = window.text.encode()
    words = {token for token, start in found.filter(is_word).iter_rows() if _is_alone(window, raw, start, token)}
    return words | set(found.filter(~is_word)["token"])


def _is_alone(window: _Window, raw: bytes, start: int, token: str) -> bool:
    """Return whether no Latin letter or digit is beside a token; false at a cut: another window shows both sides."""
    end = start + len(token.encode())
    if (start == 0 and not window.is_first) or (end == len(raw) and not window.is_last):
        return False
    before = raw[max(start - 4, 0) : start].decode(errors="ignore")[-1:]
    after = raw[end : end + 4].decode(errors="ignore")[:1]
    return re.search(f"[{LATIN}]", before + after) is None


def _located(file: Path, names: _Names, tokens_by_kind: Mapping[str, list[str]]) -> Iterator[Escape]:
    """Return where the tokens found in a file stand: in cells, or else in lines, or else somewhere."""
    path = names.shown_path(file)
    for kind, tokens in tokens_by_kind.items():
        cells = _cells(file)
        header = cells.row(0) if cells.height else ()
        places = _places(cells, header, tokens) or _places(_lines(file), ("",), tokens) or [(0, "", 1)]
        yield from (Escape(path, row, names.shown(column), kind, rows) for row, column, rows in places)


def _places(cells: pl.DataFrame, header: tuple[str | None, ...], tokens: list[str]) -> list[tuple[int, str, int]]:
    """Return first row, name and number of rows of each column in which one of the tokens stands."""
    hits = cells.select(_holds(pl.all(), tokens).fill_null(value=False))
    rows = [hits[column].arg_true() for column in hits.columns]
    return [(int(at[0]) + 1, name or "", len(at)) for at, name in zip(rows, header, strict=True) if len(at)]


def _holds(text: pl.Expr, tokens: list[str]) -> pl.Expr:
    words = [token for token in tokens if _is_word(token)]
    others = [token for token in tokens if not _is_word(token)]
    alone = f"(?:^|[^{LATIN}])(?:{'|'.join(map(re.escape, words))})(?:$|[^{LATIN}])"
    has_other = text.str.contains_any(others or [WITHHELD])
    return has_other | text.str.contains(alone) if words else has_other


def _cells(file: Path) -> pl.DataFrame:
    """Return the cells of a CSV file, its header as the first row; nothing for any other file or a broken one."""
    try:
        return pl.read_csv(file, has_header=False, infer_schema=False) if _is_csv(file) else pl.DataFrame()
    except ComputeError:
        return pl.DataFrame()


def _lines(file: Path) -> pl.DataFrame:
    """Return a file's lines in one column without a name, each as it is and decoded."""
    lines = _text(file.read_bytes()).split("\n")
    return pl.DataFrame({"": [line if _is_csv(file) else f"{line}\n{_decoded(line)}" for line in lines]})


def _in_code_columns(file: Path, names: _Names, columns: tuple[str, ...], identities: Identities) -> Iterator[Escape]:
    table = pl.scan_csv(file, infer_schema=False)
    for column in columns:
        if column not in table.collect_schema():
            raise InputError.unknown(f"code column of {names.shown_path(file)}", column, table.collect_schema())
    cells = table.select(_plain(pl.col(columns))).collect()
    for kind, tokens in identities.by_kind().items():
        known = (
            pl.Series(tokens, dtype=pl.String).to_frame("token").select(_plain(pl.col("token"))).to_series().unique()
        )
        for column in columns:
            rows = cells[column].is_in(known.implode()).arg_true()
            if len(rows):
                yield Escape(names.shown_path(file), int(rows[0]) + 2, names.shown(column), kind, len(rows))


def _plain(cell: pl.Expr) -> pl.Expr:
    """Take from a code what spreadsheets and casts add or drop: blanks, case, a trailing `.0`, leading zeros."""
    return cell.str.strip_chars().str.to_uppercase().str.replace(r"^(\d+)\.0+$", "$1").str.replace(r"^0+(\d)", "$1")


def _by_kind(tokens: set[str], kinds: Mapping[str, str]) -> dict[str, list[str]]:
    by_kind: dict[str, list[str]] = defaultdict(list)
    for token in sorted(tokens):
        by_kind[kinds[token]] += [token, token.replace('""', '"')]
    return by_kind


def _is_word(token: str) -> bool:
    return re.fullmatch(f"[{LATIN}]+", token) is not None


def _is_csv(file: Path) -> bool:
    return file.suffix == ".csv"


def _text(content: bytes) -> str:
    return content.decode(errors="replace")


def _decoded(text: str) -> str:
    """Undo JSON's escapes, percent signs and HTML entities."""
    unescaped = (
        re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match.group(1), 16)), text)
        .replace('\\"', '"')
        .replace("\\/", "/")
    )
    return html.unescape(unquote(unescaped))
