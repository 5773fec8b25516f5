"""An attribute in prose: it leaves its column and stands in a narrative instead, of the same row or of another table.

After the "unstructured text transformation" of the Data Agent Benchmark (section 2.2.1): with one template a fixed program
finds every value; with several, and with paraphrases, one has to read. Facts that no column ever held are another kind.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import KnownName, Some, Text
from pipeline.documents.problems import Refusal
from pipeline.model import Environment, Frames, Vocabulary
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, Lookup, NoisyRows, clean, drawn
from pipeline.noise.kinds.parts.sentences import first_sentence, picked
from pipeline.noise.kinds.parts.slips import option

Place = Literal["end", "start", "after_first_sentence"]

_SLOT = "{value}"
_VALUE = r"([^。！？!?\r\n]+?)"
_NO_PHRASE = r"[。！？!?\r\n]"
"""A value ends with its sentence, so a value with such a character stays in its column."""

_ATTRIBUTE, _NARRATIVE, _READING, _IS_THERE = "\x1fattribute", "\x1fnarrative", "\x1freading", "\x1fis_there"


class ColumnOf(YamlDocument):
    """A column of one table, for rules whose tables do not share it."""

    table: Annotated[str, KnownName("table")]
    """The published table."""
    column: Text
    """One of its columns, but not the row key."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse a column that the table does not have, and its row key."""
        table = environment.table(self.table)
        writable = [column for column in table.columns if column != table.row_key]
        if self.column not in writable:
            yield Refusal("column", self.column, f"one of {', '.join(sorted(writable))}")


class AttributeInProse(CellKind):
    """Empties an attribute and tells it in a sentence of a narrative: the same row's, or the entity's in another table.

    Across two tables an entity counts only if it has one row with the attribute and one narrative. Both tables then decide
    alike, provided that the rule names both, has no conditions and acts completely at random.
    """

    name = "moved_to_prose"
    family = Family.PROSE
    recovery = "Yes: the narrative tells the value, at one place and in the wording of one of the templates."

    attribute: ColumnOf
    """What vanishes."""
    narrative: ColumnOf
    """The text that tells it."""
    templates: Some[Text]
    """Sentences with `{value}`, blanks and full stops included; one is drawn, each alike."""
    place: Place = "end"
    """Where in the narrative the sentence stands."""
    joined_by: Text | None = None
    """The entity's column in both tables, where attribute and narrative stand in two."""
    paraphrases: Annotated[str, KnownName("vocabulary")] | None = None
    """A vocabulary: the value or one of its aliases is written, each alike; never an alias that means two values."""

    @property
    def is_joined(self) -> bool:
        """Return whether attribute and narrative stand in two tables."""
        return self.attribute.table != self.narrative.table

    @property
    def spans(self) -> tuple[str, ...]:
        """Return the tables that a rule must name: one, or two that decide alike."""
        return tuple(dict.fromkeys((self.attribute.table, self.narrative.table)))

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse templates without value, tables that do not see each other, and a vocabulary without aliases."""
        for template in self.templates:
            if template.count(_SLOT) != 1 or not template.replace(_SLOT, "").strip():
                yield Refusal("templates", template, f"a text around one {_SLOT}")
        if self.paraphrases and not any(environment.vocabulary(self.paraphrases).aliases.values()):
            yield Refusal("paraphrases", self.paraphrases, "a vocabulary that has aliases")
        yield from self._refusals_of_join(environment) if self.is_joined else self._refusals_of_row()

    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return the one edit: of the attribute, of the narrative, or of both where the table has both."""
        sides = (self.attribute, self.narrative)
        own = [side for side in sides if side.table == draws.table.name]
        if not own:
            return ()
        other = next((side for side in sides if side not in own), None)
        owner = draws.row_key if other is None else str(self.joined_by)
        value = clean(self.attribute.column) if self.attribute in own else drawn("other")
        text = pl.col(self.narrative.column) if self.narrative in own else drawn("other")
        after = {
            self.attribute: pl.when(text.is_null()).then(pl.col(self.attribute.column)),
            self.narrative: drawn("narrated"),
        }
        wordings = _Wordings(self, environment)
        clean_value = pl.col(self.attribute.column) if self.attribute in own else value
        is_only = pl.lit(value=True) if other is None else drawn("rows") == 1
        template, form = (draws.shared(purpose).uniform(clean(owner)) for purpose in ("template", "form"))
        is_read_back = (_value(drawn("reading")) == value) & (_rest(drawn("reading")) == text)
        return (
            Edit(
                column=own[0].column,
                owner=owner,
                whether=draws.shared("whether"),
                lookups={} if other is None else {"other": self._only(other), "rows": self._rows(own[0])},
                is_eligible=is_only & text.is_not_null() & ~clean_value.str.contains(_NO_PHRASE),
                draws={
                    "narrated": wordings.placed(text, wordings.phrase(value, template, form)),
                    "reading": wordings.reading(drawn("narrated")),
                },
                after={side.column: after[side] for side in own},
                is_recoverable=is_read_back.fill_null(value=False),
            ),
        )

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Read empty attributes back out of the narratives, and take the sentences that hold them out again."""
        both = self._brought_together(noisy) if noisy.table.name in self.spans else None
        if both is None:
            return noisy.rows
        value, rest = _value(pl.col(_READING)), _rest(pl.col(_READING))
        read = both.with_columns(_Wordings(self, noisy.environment).reading(pl.col(_NARRATIVE)).alias(_READING))
        is_missing = pl.col(_ATTRIBUTE).is_null()
        if self.is_joined:  # the other table's attribute may have been read back already
            is_missing |= pl.col(_ATTRIBUTE) == value
        is_found = pl.col(_IS_THERE) & is_missing & value.is_not_null() & (rest != "")
        back = {self.attribute: value, self.narrative: rest}
        return read.with_columns(
            pl.when(is_found).then(text).otherwise(side.column).alias(side.column)
            for side, text in back.items()
            if side.table == noisy.table.name
        ).select(noisy.rows.columns)

    def _refusals_of_row(self) -> Iterator[Refusal]:
        if self.joined_by is not None:
            yield Refusal("joined_by", self.joined_by, "nothing: attribute and narrative stand in one table")
        if self.attribute == self.narrative:
            yield Refusal("narrative", self.narrative.column, "another column than the attribute")

    def _refusals_of_join(self, environment: Environment) -> Iterator[Refusal]:
        here, there = environment.table(self.attribute.table), environment.table(self.narrative.table)
        shared = sorted(set(here.columns) & set(there.columns) - {self.attribute.column, self.narrative.column})
        if self.joined_by not in shared:
            yield Refusal("joined_by", self.joined_by, f"a column of both tables: {', '.join(shared)}")
        if there.name not in here.beside or here.name not in there.beside:
            yield Refusal("narrative", there.name, f"a table that {here.name} declares beside it, and the reverse")

    def _only(self, side: ColumnOf) -> Lookup:
        """Look up the text of an entity's only row in the other table."""
        value = pl.when(pl.len() == 1).then(pl.col(side.column).first())
        return Lookup(table=side.table, on=self._pairs(), where=self._is_counted(side), value=value)

    def _rows(self, side: ColumnOf) -> Lookup:
        """Look up how many rows of the table itself an entity has."""
        return Lookup(on=self._pairs(), where=self._is_counted(side), value=pl.len())

    def _pairs(self) -> tuple[tuple[pl.Expr, pl.Expr], ...]:
        return ((pl.col(str(self.joined_by)), pl.col(str(self.joined_by))),)

    def _is_counted(self, side: ColumnOf) -> pl.Expr:
        """Return whether a row makes an entity's row one of several: any with the attribute, even empty; a narrative."""
        return pl.col(side.column).is_not_null() if side == self.narrative else pl.lit(value=True)

    def _brought_together(self, noisy: NoisyRows) -> pl.DataFrame | None:
        """Return the rows with attribute and narrative and whether both are there; None if they cannot be had."""
        sides = {_ATTRIBUTE: self.attribute, _NARRATIVE: self.narrative}
        tables = {**noisy.beside, noisy.table.name: noisy.rows}
        entity = {self.joined_by} if self.joined_by else set()
        if not all(entity | {side.column} <= set(_columns(tables, side)) for side in sides.values()):
            return None
        both = noisy.rows.with_columns(pl.lit(value=True).alias(_IS_THERE))
        for name, side in sides.items():
            if side.table == noisy.table.name:
                both = both.with_columns(pl.col(side.column).alias(name))
            else:
                both = self._joined(both.drop(_IS_THERE), tables[side.table].filter(self._is_counted(side)), side, name)
        return both

    def _joined(self, rows: pl.DataFrame, frame: pl.DataFrame, side: ColumnOf, name: str) -> pl.DataFrame:
        """Add the text of an entity's only row in the other table; rows repeated whole count once."""
        entity = str(self.joined_by)
        found = frame.select(entity, pl.col(side.column).alias(name), pl.lit(value=True).alias(_IS_THERE)).unique()
        only = found.filter(pl.len().over(entity) == 1)
        return rows.join(only, on=entity, how="left", maintain_order="left")


class _Wordings:
    """Templates, place and paraphrases as expressions: from a value to the text that states it, and back."""

    def __init__(self, kind: AttributeInProse, environment: Environment) -> None:
        self._place = kind.place
        self._around = [template.split(_SLOT) for template in kind.templates]
        self._aliases = _meant_once(environment.vocabulary(kind.paraphrases)) if kind.paraphrases else {}

    def phrase(self, value: pl.Expr, template: pl.Expr, form: pl.Expr) -> pl.Expr:
        """Return the sentence that states a value, given two uniform draws on [0, 1)."""
        before, after = (picked(template, texts) for texts in zip(*self._around, strict=True))
        return pl.concat_str(before, self._form(value, form), after)

    def placed(self, text: pl.Expr, phrase: pl.Expr) -> pl.Expr:
        """Return the narrative with the sentence in its place."""
        if self._place == "end":
            return text + phrase
        if self._place == "start":
            return phrase + text
        head = first_sentence(text)
        return head + phrase + text.str.strip_prefix(head)

    def reading(self, text: pl.Expr) -> pl.Expr:
        """Return the value that a narrative states at the place, null if none, and the rest of it: see `_value`, `_rest`."""
        head = first_sentence(text) if self._place == "after_first_sentence" else pl.lit("")
        body = text.str.strip_prefix(head)
        wordings = "|".join(pl.escape_regex(before) + _VALUE + pl.escape_regex(after) for before, after in self._around)
        is_last = self._place == "end"
        groups = body.str.extract_groups(f"({wordings})$" if is_last else f"^({wordings})")
        phrase, *values = (groups.struct.field(str(number)) for number in range(1, len(self._around) + 2))
        rest = body.str.strip_suffix(phrase) if is_last else head + body.str.strip_prefix(phrase)
        names = {alias: name for name, aliases in self._aliases.items() for alias in aliases}
        return pl.struct(value=pl.coalesce(values).replace(names), rest=rest)

    def _form(self, value: pl.Expr, form: pl.Expr) -> pl.Expr:
        return pl.coalesce(option(value, {name: (name, *row) for name, row in self._aliases.items()}, form), value)


def _value(reading: pl.Expr) -> pl.Expr:
    return reading.struct.field("value")


def _rest(reading: pl.Expr) -> pl.Expr:
    return reading.struct.field("rest")


def _meant_once(vocabulary: Vocabulary) -> Mapping[str, tuple[str, ...]]:
    """Return the aliases by name, without those that are another's, or a name themselves."""
    meant = Counter(form for name, aliases in vocabulary.aliases.items() for form in {name, *aliases})
    return {name: tuple(a for a in aliases if meant[a] == 1) for name, aliases in vocabulary.aliases.items()}


def _columns(tables: Frames, side: ColumnOf) -> list[str]:
    return tables[side.table].columns if side.table in tables else []
