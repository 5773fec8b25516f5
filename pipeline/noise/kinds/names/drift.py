"""Drift: a canonical name gives way to one of its aliases, another label of its unit, or its form in another language.

Typos and lost characters are other kinds, and so are other units and wrong translations.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.fields import KnownName, Some, Text
from pipeline.documents.problems import Refusal
from pipeline.keyed import Key
from pipeline.model import Environment, Vocabulary
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, NoisyRows, WrittenColumn, clean, drawn
from pipeline.noise.kinds.parts.distinct import by_distinct, rewritten
from pipeline.noise.kinds.parts.known_names import any_of, known_names, only_meanings
from pipeline.noise.mechanisms import ColumnName

_NAME, _DRIFTED, _FOUND, _COUNT = "\x1fname", "\x1fdrifted", "\x1ffound", "\x1fcount"
"""Columns that stand beside the table's own while blanked cells are filled."""


class NamingDrift(CellKind):
    """Writes a name in another way that means the same.

    Aliases are those of a vocabulary; of canonical names, the longest that fits counts.
    """

    name = "naming_drift"
    family = Family.NAMES
    recovery = (
        "Yes, from the other spellings in the column, unless two names share the alias; a blanked id only where other rows "
        "of the name have it, which no row tells by itself."
    )

    columns: Some[WrittenColumn]
    """Columns of names, each with its own draw."""
    vocabulary: Annotated[str, KnownName("vocabulary")]
    """The canonical names and their aliases."""
    position: Literal["whole", "prefix", "contains", "list"] = "whole"
    """Where in the cell the name stands: all of it, its beginning, its first occurrence, every item of a list."""
    separator: Text | None = None
    """What stands between the items of a list."""
    choice: Literal["uniform", "ranked"] = "uniform"
    """Each alias alike, or the n-th of the vocabulary's order with weight 1/n (our choice: few forms make up most)."""
    consistent_by: ColumnName | None = None
    """An entity's column: whether its cells drift, and to which alias, is then decided once for each entity."""
    blank: Some[WrittenColumn] | None = None
    """Columns that are emptied where the name drifts (an id, since the alias is in no dictionary)."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse a list without separator (and the reverse), a name that blanks itself, and unusable aliases."""
        if (self.position == "list") != (self.separator is not None):
            yield Refusal("separator", self.separator, "a text if position is list, nothing otherwise")
        if set(self.columns) & set(self.blank or ()):
            yield Refusal("blank", self.blank, "other columns than `columns`")
        aliases = [alias for row in environment.vocabulary(self.vocabulary).aliases.values() for alias in row]
        if not aliases or "" in aliases:
            yield Refusal("vocabulary", self.vocabulary, "a vocabulary that has aliases, none of them empty")

    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column, of the name and the cells to blank."""
        names = _Names(environment.vocabulary(self.vocabulary), self.choice)
        return tuple(self._edit(column, names, draws) for column in self.columns)

    def mends_apart(self, table: str, by: Mapping[str, str]) -> bool:
        """Each row is mended by itself, unless others hold what it blanked."""
        return not self.blank

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return rows with the name in place of each alias of one name alone, and what was blanked where other rows hold it."""
        rows, names = noisy.rows, _Names(noisy.environment.vocabulary(self.vocabulary), self.choice)
        mended = rewritten(rows, self.columns, lambda cell: self._canonical(cell, names))
        for column in self.columns:
            if column in rows.columns:
                mended = self._with_blanks_filled(mended, rows, column, names)
        return mended

    def _edit(self, column: str, names: "_Names", draws: Draws) -> Edit:
        owner = self.consistent_by or draws.row_key
        cell, blanks = pl.col(column), self.blank or ()
        drift = self._list_drift if self.position == "list" else self._drift
        return Edit(
            column=column,
            owner=owner,
            is_eligible=self._has_name(cell, names),
            draws=drift(cell, clean(owner), names, draws.of(column, "what")),
            after={column: drawn("drifted"), **{blank: pl.lit(None, pl.String) for blank in blanks}},
            is_recoverable={
                column: self._canonical(drawn("drifted"), names) == cell,
                **{blank: pl.lit(value=False) for blank in blanks},
            },
        )

    def _canonical(self, text: pl.Expr, names: "_Names") -> pl.Expr:
        """Return texts with canonical names in place of aliases, worked out once for each that is distinct."""
        how = partial(names.canonical, position=self.position, separator=self.separator)
        return by_distinct(text, lambda texts: texts.to_frame("text").select(how(pl.col("text"))).to_series())

    def _with_blanks_filled(
        self, rows: pl.DataFrame, before: pl.DataFrame, column: str, names: "_Names"
    ) -> pl.DataFrame:
        """Return rows whose name drifted with the blanked cells filled from the rows that hold the name itself."""
        if self.position == "list":
            return rows
        name = names.found(pl.col(column), self.position).alias(_NAME)
        named = rows.with_columns(name, (before[column].ne_missing(rows[column])).alias(_DRIFTED))
        for blank in self.blank or ():
            if blank in rows.columns:
                found = _most_frequent(named.filter(~pl.col(_DRIFTED)), blank)
                named = named.join(found, on=_NAME, how="left", maintain_order="left").with_columns(
                    pl.when(_DRIFTED).then(pl.coalesce(blank, _FOUND)).otherwise(blank).alias(blank)
                )
                named = named.drop(_FOUND)
        return named.select(rows.columns)

    def _has_name(self, text: pl.Expr, names: "_Names") -> pl.Expr:
        if self.separator is not None:
            return text.str.split(self.separator).list.eval(pl.element().is_in(names.drifting)).list.any()
        return names.found(text, self.position).is_not_null()

    def _drift(self, text: pl.Expr, owner: pl.Expr, names: "_Names", key: Key) -> dict[str, pl.Expr]:
        name = drawn("name")
        return {
            "name": names.found(text, self.position),
            "uniform": key.uniform(owner, name),
            "alias": names.alias(name, drawn("uniform")),
            "drifted": _first_replaced(text, name, drawn("alias")),
        }

    def _list_drift(self, text: pl.Expr, owner: pl.Expr, names: "_Names", key: Key) -> dict[str, pl.Expr]:
        drifted = partial(_drifted_lists, separator=self.separator or "", names=names, key=key)
        return {"drifted": pl.map_batches([text, owner], drifted, return_dtype=pl.String)}


def _drifted_lists(columns: Sequence[pl.Series], *, separator: str, names: "_Names", key: Key) -> pl.Series:
    """Return lists whose items drifted, each drawn for by its owner and its name; null for null."""
    lists = pl.DataFrame({"item": columns[0].str.split(separator), "owner": columns[1]}).with_row_index("row")
    alias = names.alias(pl.col("item"), key.uniform("owner", "item"))
    items = lists.explode("item").select("row", pl.coalesce(alias, "item").alias("item"))
    joined = items.group_by("row", maintain_order=True).agg(pl.col("item").str.join(separator, ignore_nulls=False))
    return joined["item"]


class _Names:
    """A vocabulary as expressions: which name stands in a text, and which alias is drawn for it."""

    def __init__(self, vocabulary: Vocabulary, choice: Literal["uniform", "ranked"]) -> None:
        self._aliases = {name: aliases for name, aliases in vocabulary.aliases.items() if aliases}
        self._choice = choice
        # names without aliases take part as well, so that no shorter name is found inside them
        self._any_name = any_of(vocabulary.aliases)
        self._any_form = any_of(known_names(vocabulary))
        self.drifting = list(self._aliases)
        meant = [(alias, name) for name, aliases in self._aliases.items() for alias in aliases]
        self._meanings = only_meanings(meant, frozenset(vocabulary.aliases))

    def found(self, text: pl.Expr, position: str) -> pl.Expr:
        """Return the drifting name that stands in a text, null if there is none."""
        name = _found(text, self._any_name, position)
        return pl.when(name.is_in(self.drifting)).then(name)

    def canonical(self, text: pl.Expr, position: str, separator: str | None) -> pl.Expr:
        """Return texts with the alias that stands in them, the longest form that fits, given back to the name it means."""
        if position == "list":
            return text.str.split(separator or "").list.eval(self._meant(pl.element())).list.join(separator or "")
        form = _found(text, self._any_form, position)
        return _first_replaced(text, form, self._meant(form))

    def _meant(self, form: pl.Expr) -> pl.Expr:
        """Return the canonical name where one alone can be meant, else the form itself."""
        return form.replace(self._meanings)

    def alias(self, name: pl.Expr, uniform: pl.Expr) -> pl.Expr:
        """Return the alias that a uniform draw on [0, 1) picks, null for what is no drifting name."""
        bounds = {name: _bounds(len(aliases), self._choice) for name, aliases in self._aliases.items()}
        rank = pl.lit(0)
        for index in range(max(len(row) for row in bounds.values()) - 1):
            bound = {name: row[index] for name, row in bounds.items() if index < len(row)}
            rank += (uniform >= name.replace_strict(bound, default=1.0, return_dtype=pl.Float64)).cast(pl.Int32)
        by_rank = {f"{name}/{n}": alias for name, row in self._aliases.items() for n, alias in enumerate(row)}
        ranked = pl.concat_str(name, rank, separator="/")
        return ranked.replace_strict(by_rank, default=None, return_dtype=pl.String)


def _bounds(count: int, choice: str) -> list[float]:
    """Return the upper bounds of `count` adjoining intervals that fill [0, 1); the last is 1."""
    weights = [1 / rank if choice == "ranked" else 1.0 for rank in range(1, count + 1)]
    return [sum(weights[: index + 1]) / sum(weights) for index in range(count)]


def _found(text: pl.Expr, pattern: str, position: str) -> pl.Expr:
    """Return what stands at a position of a text: the first that a pattern finds, or the whole text."""
    anchored = {"prefix": "^" + pattern, "contains": pattern}.get(position)
    return text if anchored is None else text.str.extract(anchored, 1)


def _first_replaced(text: pl.Expr, old: pl.Expr, new: pl.Expr) -> pl.Expr:
    """Return texts with the first `old` in them replaced; as they are where there is none."""
    around = text.str.splitn(old, 2)
    return pl.concat_str(around.struct.field("field_0"), new, around.struct.field("field_1")).fill_null(text)


def _most_frequent(rows: pl.DataFrame, blank: str) -> pl.DataFrame:
    """Return for each name the most frequent value beside it, where one alone is most frequent."""
    counts = rows.drop_nulls([_NAME, blank]).group_by(_NAME, pl.col(blank).alias(_FOUND)).len(_COUNT)
    most = counts.filter(pl.col(_COUNT) == pl.col(_COUNT).max().over(_NAME))
    return most.filter(pl.len().over(_NAME) == 1).select(_NAME, _FOUND)


class OtherLanguage(NamingDrift):
    """Replaces names by their form in another language, so that a column mixes languages; the vocabulary translates."""

    name = "other_language"
    family = Family.LANGUAGE
    recovery = "Yes, by translating the name back, unless two names have one translation."


class UnitSynonyms(NamingDrift):
    """Writes a unit's label in another way that means the same unit, so that figures stay as they are."""

    name = "unit_synonyms"
    family = Family.UNITS
    recovery = "Yes, from the other labels of the same series, unless two units share the synonym."
