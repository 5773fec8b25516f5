"""Decoy rows: records of what does not exist, among those of what does. Copies of records are another kind."""

from collections.abc import Iterator
from typing import Annotated

import polars as pl

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import KnownName, Many, Some, Text, Within
from pipeline.documents.problems import Refusal
from pipeline.keyed import Key
from pipeline.model import Environment, Frames, PublishedTable
from pipeline.model.plain_codes import plain_code
from pipeline.noise.kinds.interface import CHOSEN, ELIGIBLE, ORIGIN, Draws, Family, NoisyRows, RowKind, WrittenColumn
from pipeline.noise.kinds.parts.added_rows import Place, fitting, offset_key, with_added
from pipeline.noise.kinds.parts.refusals import refuse_any

_ATTEMPTS = 8
"""How often a code is drawn until it is free (our choice); with half of all codes taken, 1 in 256 finds none."""

_LONGEST = 64
"""Longer texts are no codes (our choice)."""

_DRAW, _MAC = 8, 64
"""Hexadecimal digits of one draw, and of a MAC: 2**32 values, so that no code is drawn noticeably more often than another."""


class KnownIn(YamlDocument):
    """Another table that has the code of every real row."""

    key: WrittenColumn
    """One of `keys`."""
    table: Annotated[str, KnownName("table"), KnownName("table beside")]
    """A table that the rule's tables may look into (`PublishedTable.beside`)."""
    column: Text
    """Its column of codes."""


class DecoyRows(RowKind):
    """Adds rows of what does not exist: made-up codes, every other cell from another row that the rule could choose.

    The whole table is needed: another table gives other cells, whichever rows it has. A made-up code has at each place the
    character of some code that looks like it (digits where it has digits; its letters if it has digits, as in `00700.HK`,
    or letters of the same case), so that none has more vowels or ones. It is drawn for the code of the chosen row, so that
    rows of one entity give rows of one decoy. It equals no code of the table or of `known_in`; where none is free after some
    tries, there is no decoy. The row key is the only cell that shows it.
    """

    name = "decoy_rows"
    family = Family.ROWS
    recovery = "Yes, if `known_in` is given: no row there has its code. No, otherwise."
    invents_codes = True

    keys: Some[WrittenColumn]
    """Columns of codes: each gets one that looks like it; rows without are left alone."""
    id_offset: Annotated[int, Within(1)]
    """What is added to the row key of the chosen row, which must be a number, for the decoy's own. It gets zeros more until
    no two rows of the table are so far apart."""
    together: Many[Some[WrittenColumn]] = ()
    """Groups of columns whose cells come from the same row; each other column has a row of its own."""
    place: Place = "anywhere"
    """Where the decoy stands: right after the chosen row, after all rows, or behind a row drawn from that one on."""
    known_in: KnownIn | None = None
    """Where the codes of all real rows stand, so that decoys can be recognised; refused where one does not."""

    @property
    def is_recoverable(self) -> bool:
        """Return whether another table shows which rows are decoys."""
        return self.known_in is not None

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse columns named twice, and a column that the other table does not have."""
        grouped = [column for group in self.together for column in group]
        if len({*grouped, *self.keys}) < len(grouped) + len(self.keys):
            yield Refusal("together", grouped, "each column once, and none of `keys`")
        if self.known_in is None:
            return
        if self.known_in.key not in self.keys:
            yield Refusal("known_in", self.known_in.key, f"one of {', '.join(self.keys)}")
        columns = environment.table(self.known_in.table).columns
        if self.known_in.column not in columns:
            yield Refusal("known_in", self.known_in.column, f"one of {', '.join(columns)}")

    def is_eligible(self) -> pl.Expr:
        """Return whether a row has all its codes."""
        return pl.all_horizontal(pl.col(key).str.len_chars() <= _LONGEST for key in self.keys)

    def looks_into(self) -> tuple[str, ...]:
        """Return the table that knows the real codes."""
        return () if self.known_in is None else (self.known_in.table,)

    def rearranged(self, rows: pl.DataFrame, draws: Draws, beside: Frames) -> pl.DataFrame:
        """Return the rows with decoys among them; see `parts/added_rows.py` for where, and for row keys."""
        offset = fitting(rows, draws.table, self.id_offset)
        self._refuse_unknown(rows, draws.table, beside)
        pool = rows.filter(ELIGIBLE).sort(draws.row_key)
        chosen = pool.with_row_index("\x1frank").filter(CHOSEN)
        decoys = chosen.select(
            ORIGIN,
            offset_key(draws.row_key, offset).alias(draws.row_key),
            *(self._invented(pool, key, rows, draws, beside) for key in self.keys),
        )
        for group in self._groups(draws.table):
            decoys = decoys.with_columns(
                _from_others(pool.select(group), chosen, draws.of(group[0], "row"), draws.row_key)
            )
        return with_added(rows, decoys.drop_nulls(self.keys), self.place, draws.of("", "place"), draws.row_key)

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return the rows whose code the other table knows, or that have none."""
        codes = self._known_codes(noisy.beside)
        if self.known_in is None or codes is None or not noisy.has(self.known_in.key):
            return noisy.rows
        return noisy.rows.filter(pl.col(self.known_in.key).is_in(codes.implode()).fill_null(value=True))

    def _known_codes(self, beside: Frames) -> pl.Series | None:
        known = self.known_in
        if known is None or known.table not in beside or known.column not in beside[known.table].columns:
            return None
        return beside[known.table][known.column].drop_nulls().unique()

    def _refuse_unknown(self, rows: pl.DataFrame, table: PublishedTable, beside: Frames) -> None:
        codes = self._known_codes(beside)
        if self.known_in is not None and codes is not None:
            is_unknown = ~pl.col(self.known_in.key).is_in(codes.implode())
            expected = (
                f"a code that {self.known_in.table} has in {self.known_in.column!r}, as known_in says; leave it out"
            )
            refuse_any(rows, table, self.known_in.key, is_unknown, expected)

    def _groups(self, table: PublishedTable) -> list[tuple[str, ...]]:
        """Return the columns whose cells come from other rows: those that go together, then each other one."""
        named = {table.row_key, *self.keys, *(column for group in self.together for column in group)}
        return [*self.together, *((column,) for column in table.columns if column not in named)]

    def _invented(self, pool: pl.DataFrame, key: str, rows: pl.DataFrame, draws: Draws, beside: Frames) -> pl.Expr:
        """Return the made-up code of each code of a column."""
        taken = [rows[key]]
        if self.known_in is not None and self.known_in.key == key:
            taken.append(beside[self.known_in.table][self.known_in.column])
        plain = (
            pl.concat([codes.alias("code") for codes in taken]).unique().to_frame().select(plain_code(pl.col("code")))
        )
        reserved = [] if draws.reserved is None else [draws.reserved.alias("code")]
        codes = _made_up(
            pool[key].drop_nulls().unique().sort(), pl.concat([plain["code"], *reserved]), draws.of(key, "code")
        )
        return pl.col(key).replace_strict(codes["code"], codes["made_up"], default=None, return_dtype=pl.String)


def _from_others(pool: pl.DataFrame, chosen: pl.DataFrame, draw: Key, row_key: str) -> pl.DataFrame:
    """Return cells of rows drawn uniformly from the others of the pool; of a single row, its own."""
    others = pool.height - 1
    rank = pl.col("\x1frank").cast(pl.Int64)
    drawn = (rank + 1 + (draw.uniform(row_key) * others).cast(pl.Int64)) % pool.height
    return pool[chosen.select(drawn).to_series()]


def _made_up(codes: pl.Series, taken: pl.Series, draw: Key) -> pl.DataFrame:
    """Return `code` and `made_up`: for each code in turn the first of its candidates that is free, if any."""
    found = [pl.DataFrame(schema={"code": pl.String, "made_up": pl.String})]
    every = wanting = _by_shape(codes)
    for attempt in range(_ATTEMPTS):
        if wanting.is_empty():
            break
        candidates = _candidates(wanting, every["code"], draw, attempt)
        plain = candidates.select(plain_code(pl.col("made_up"))).to_series()
        is_free = ~plain.is_in(taken.implode()) & plain.is_first_distinct()
        found.append(candidates.filter(is_free))
        wanting, taken = wanting.filter(~is_free), pl.concat([taken, plain.filter(is_free).alias(taken.name)])
    return pl.concat(found)


def _by_shape(codes: pl.Series) -> pl.DataFrame:
    """Return `code`, those that look alike together, and where these begin (`first`) and how many they are (`alike`)."""
    code = pl.col("code")
    letters = code.str.replace_all("[A-Z]", "A").str.replace_all("[a-z]", "a")
    shape = pl.when(code.str.contains("[0-9]")).then(code.str.replace_all("[0-9]", "9")).otherwise(letters)
    shaped = codes.alias("code").to_frame().sort(shape, code)
    return shaped.select(
        code, first=pl.int_range(pl.len()).min().over(shape), alike=pl.len().cast(pl.Int64).over(shape)
    )


def _candidates(wanting: pl.DataFrame, codes: pl.Series, draw: Key, attempt: int) -> pl.DataFrame:
    """Return `code` and `made_up`: at each place the character that a code drawn from those alike has there."""
    longest = max(wanting["code"].str.len_chars(), default=0)
    blocks = range(-(-longest * _DRAW // _MAC))
    macs = wanting.with_columns(
        draw.mac(pl.col("code"), pl.lit(f"{attempt}/{block}")).alias(f"{block}") for block in blocks
    )
    donors = macs.select(_donor(place).alias(f"{place}") for place in range(longest))
    characters = [codes.gather(donors[f"{place}"]).str.slice(place, 1).alias(f"{place}") for place in range(longest)]
    return wanting.select("code", made_up=pl.concat_str(characters))


def _donor(place: int) -> pl.Expr:
    """Return the number of the code that gives the character at a place."""
    block, start = divmod(place * _DRAW, _MAC)
    drawn = pl.col(f"{block}").str.slice(start, _DRAW).str.to_integer(base=16, dtype=pl.Int64)
    return pl.col("first") + drawn % pl.col("alike")
