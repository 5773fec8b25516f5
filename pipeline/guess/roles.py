"""The role of each raw column: what it is to the anonymiser. In doubt it is one that is not published."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from pipeline.guess.digits import is_scale
from pipeline.guess.keys import may_be_code
from pipeline.guess.looking import Looked, Looks
from pipeline.guess.parts import part_of, shifted_part_of
from pipeline.guess.shape import Shape, is_counter, is_figure
from pipeline.guess.typing import TOKENS, share
from pipeline.guess.words import ALIAS, GROUP, ID, NAME, PART_OF_NAME, RECORD, SOMEBODY, TITLE, identifier, unit
from pipeline.model import Column, Role
from pipeline.model.periods import FREQUENCIES
from pipeline.normal_form import normal_form
from pipeline.wording import counted

_PATTERNS: Mapping[str, str] = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$",
    "web addresses": r"^(https?://|www\.)\S+$",
    "telephone numbers": r"^\+?\(?\d[\d\s()./-]{6,}\d$",
    "ISINs": r"^[A-Z]{2}[A-Z0-9]{9}\d$",
    "LEIs": r"^[A-Z0-9]{18}\d{2}$",
    "UUIDs": r"^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$",
    "IP addresses": r"^\d{1,3}(\.\d{1,3}){3}$",
}
"""What identifiers of the world look like."""

_TIES = 20
"""If one of so many rows of a panel, and five, have the same broken figure, it is no figure of theirs (our choice)."""

_NEARLY = 0.9
_FEW = 10
"""Part of the cells that have a value of their own, or look like an identifier; rows in which that tells (our choice)."""

_AS_NAMES = "If they are those of the rows' codes, the role NAME invents others (`same_name`, if several share one)"

_REGISTER = 50
"""Distinct titles, at most, that are posts rather than names (our choice)."""


@dataclass(frozen=True, eq=False)
class Ruled:
    """A raw column with its role, and what was guessed."""

    column: Column
    notes: tuple[str, ...] = ()
    is_looked_up: bool = False
    """Whether it is a number that a register of the entities holds."""


def ruled(shape: Shape, table: Looks, looked: Looked) -> Ruled:
    """Return a column with its role."""
    if shape.rows_of(table) == "records":
        return _left_out(looked, "? its rows belong to records, which no table lists")
    refers = shape.refers_of(table, looked.name)
    if refers and refers.to_table in shape.unnamed:
        return _left_out(
            looked, f"? refers to rows of {refers.to_table!r}, which are sampled: which belong together is lost"
        )
    found = _of_entity(shape, table, looked) or _of_place(shape, table, looked) or _of_content(shape, table, looked)
    return replace(found, notes=(*looked.notes, *found.notes))


def identifying(looked: Looked) -> str:
    """Say why a column looks as if it found somebody in the world; the empty text if it does not."""
    texts = looked.text.drop_nulls()
    if not len(texts) or looked.is_time:
        return ""
    if said := identifier(looked.name):
        return f"its header says {said!r}"
    for what, pattern in _PATTERNS.items():
        if looked.column.type == "text" and share(texts.str.contains(pattern)) >= _NEARLY:
            return f"{what} in {int(texts.str.contains(pattern).sum()):,} of {len(texts):,} cells"
    is_text = looked.column.type == "text" and not looked.is_prose
    if is_text and len(texts) >= _FEW and looked.distinct >= _NEARLY * len(texts):
        return f"{looked.distinct:,} distinct of {len(texts):,} cells"
    return ""


def _of_entity(shape: Shape, table: Looks, looked: Looked) -> Ruled | None:
    """Return codes, names and aliases."""
    kind = shape.kind_in(table, looked.name)
    if kind:
        of = "" if kind is shape.kinds[0] else kind.name
        known = kind.home.columns[kind.code].text
        gaps = tuple(token for token in TOKENS if token in looked.text and token not in known)
        is_nullable = looked.filled < table.height or bool(gaps)
        column = Column(name=looked.name, role=Role.CODE, of=of, nullable=is_nullable, null_tokens=gaps)
        refers = shape.refers_of(table, looked.name)
        own = f"? key: {looked.distinct:,} distinct of {table.height:,} rows" if looked.is_unique else ""
        return Ruled(column, (refers.evidence,) if refers else (own,) if own else ())
    own_kind = shape.by_home.get(table.name)
    if own_kind and own_kind.is_listed and looked.name == own_kind.title:
        note = f"? name: its header, and {looked.distinct:,} distinct of {looked.filled:,} cells"
        if not own_kind.is_somebody and shape.kinds[0].is_somebody:
            unsure = "? names, maybe of nobody: withheld. Give the role NAME, or say in `public` what they disclose"
            return _left_out(looked, unsure)
        of = "" if own_kind is shape.kinds[0] else own_kind.name
        return Ruled(Column(name=looked.name, role=Role.NAME, of=of), (note,))
    return None


def _of_place(shape: Shape, table: Looks, looked: Looked) -> Ruled | None:  # noqa: PLR0911  (a rule each)
    """Return what its table makes of a column: the period of a panel, the number and the times of a record."""
    column, is_record = looked.column, table in shape.records
    has_code = bool(shape.owners(table))
    if shape.panel and table is shape.panel.table:
        if looked.name == shape.panel.column:
            return Ruled(replace(column, nullable=False), shape.panel.notes)
        headers = list(table.columns)
        if is_figure(looked) and table.reshape and headers.index(looked.name) < headers.index(shape.panel.column):
            return _left_out(looked, "? stands once for all periods: no figure of a period")
        return None if is_figure(looked) else _left_out(looked, "? of a panel figures alone are published")
    if not looked.filled:
        return _left_out(looked, "? empty in every row")
    if looked.distinct == 1 and table.height > 1:
        return _left_out(looked, "? the same in every row")
    if is_record and (found := _of_time(table, looked)):
        return found
    if looked.is_year or column.type in FREQUENCIES:
        return _of_period(shape, table, looked, has_code=has_code)
    if looked.may_be_year or looked.says_when:
        what = looked.says_when or "year"
        return _left_out(looked, f"? its whole numbers say a {what}, and no column says of which date: withheld")
    if looked.is_time:
        role = Role.TIME if is_record else Role.DATE if has_code and column.type == "date" else Role.IGNORED
        return Ruled(replace(column, role=role, nullable=True))
    return None


def _of_time(table: Looks, looked: Looked) -> Ruled | None:
    """Return what says a part of a time beside it: it follows the published time, or it would contradict it."""
    time, form = part_of(looked, table)
    if time:
        return Ruled(
            Column(name=looked.name, follows=time, date_format=form), (f"? says {form} of {time!r}, and follows it",)
        )
    if shifted := shifted_part_of(looked, table):
        return _left_out(looked, f"? says a part of {shifted!r} in another zone: it would give its move away")
    return None


def _of_period(shape: Shape, table: Looks, looked: Looked, *, has_code: bool) -> Ruled:
    kind = shape.by_home.get(table.name)
    if kind and kind.is_listed and looked.is_year:
        return Ruled(looked.column, ("? a year that a register holds",), is_looked_up=True)
    if has_code:
        return Ruled(
            replace(looked.column, public="the period of the record"), ("? says when, of nobody in particular",)
        )
    return _left_out(looked)


def _of_content(shape: Shape, table: Looks, looked: Looked) -> Ruled:  # noqa: PLR0911  (a rule each)
    """Return what a column's header and cells say."""
    if not (owners := shape.owners(table)):
        return _left_out(looked, "? about nobody that is declared: to publish it, say in `public` what it discloses")
    if shape.refers_of(table, looked.name) and not _is_fine(looked):
        return Ruled(Column(name=looked.name), ("? refers to a lookup table, and is kept as it is",))
    if table in shape.records and _counts_on(shape, table, looked):
        return _number(looked, "? numbers the records of each owner")
    is_whole = looked.column.type == "integer" and looked.filled == table.height
    if table in shape.records and looked.words & RECORD and is_whole:
        return _number(looked, "? numbers records: its header says so")
    if table in shape.records and is_whole and _is_assigned(looked):
        return _identifies(looked, "? identifies: each row has a number of its own, all of one length")
    if is_figure(looked):
        return _of_figure(shape, table, looked)
    if looked.is_prose:
        return Ruled(
            Column(name=looked.name, role=Role.TEXT), ("? prose: codes, names and aliases in it are replaced",)
        )
    named = [kind for kind in shape.kinds if kind.title and kind in owners.values()]
    if looked.words & ALIAS and named and looked.column.type == "text":
        of = "" if named[0] is shape.kinds[0] else named[0].name
        return Ruled(Column(name=looked.name, role=Role.ALIAS, of=of), ("? another name: its header says so",))
    return _of_attribute(shape, table, looked)


def _is_assigned(looked: Looked) -> bool:
    """Say whether whole numbers were assigned: four digits or more, as many in each, and no unit (our choice)."""
    is_long = looked.text.str.contains(rf"^[1-9]\d{{{max(len(looked.text[0] or '') - 1, 3)}}}$").all()
    return is_long and looked.is_unique and len(looked.text) >= _FEW and not unit(looked.name)


def _of_figure(shape: Shape, table: Looks, looked: Looked) -> Ruled:
    is_of_panel = shape.panel is not None and table is shape.panel.table
    most = max(looked.values.filter(looked.values != 0).value_counts()["count"].to_list(), default=0)
    if is_of_panel and looked.column.type == "decimal" and most >= max(5, looked.filled / _TIES):
        note = f"? {most:,} of {looked.filled:,} rows have the same: not theirs but a group's, which would differ after"
        return _left_out(looked, note)
    if table in shape.records and is_scale(looked):
        note = "? marks of a scale, of which each stands in many rows: an attribute, since figures get marks beside it"
        return Ruled(replace(looked.column, type="text"), (note,))
    if table in shape.records or is_of_panel:
        return Ruled(replace(looked.column, role=Role.MEASURE))
    return Ruled(looked.column, (f"? {looked.distinct:,} values that a register may hold",), is_looked_up=True)


def _of_attribute(shape: Shape, table: Looks, looked: Looked) -> Ruled:  # noqa: PLR0911  (a rule each)
    text, distinct = Column(name=looked.name, allowed=looked.column.allowed), f"{looked.distinct:,} distinct"
    if is_counter(looked) and table not in shape.records:
        return _left_out(looked, "? numbers the rows")
    if table in shape.records and looked.is_unique and (looked.words & ID or is_counter(looked)):
        if any(kind.code == looked.name for kind in shape.kinds):
            return _left_out(looked, "? numbers the records under a header of codes: published rows are numbered")
        return _number(looked, f"? numbers the records: {distinct}")
    if looked.words & PART_OF_NAME:
        parts = "All parts in one column of the raw file, with the role NAME, get an invented name"
        return _identifies(looked, f"? part of a name: withheld. {parts}")
    why = identifying(looked)
    if why or (looked.is_unique and table.height > 1 and looked.words & ID):
        return _identifies(looked, f"? identifies: {why or 'each row has a number of its own'}")
    if looked.legal_forms or (code := _named_by(shape, table, looked)):
        said = f"{looked.legal_forms:,} legal forms" if looked.legal_forms else f"one for each {code!r}"
        return _identifies(looked, f"? names somebody: {said}; withheld. {_AS_NAMES}")
    if looked.column.type == "integer":
        return _left_out(looked, "? a number of something that is not declared")
    if looked.words & (SOMEBODY | NAME - TITLE) or (looked.words & TITLE and looked.distinct > _REGISTER):
        return _identifies(looked, f"? names somebody: withheld, {distinct}. {_AS_NAMES}")
    if _is_fine(looked) and not looked.words & GROUP:
        return _left_out(
            looked, f"? not understood: {distinct} texts; withheld. To publish them, give the role ATTRIBUTE"
        )
    return Ruled(text, ("? an attribute to look somebody up by: kept, and attacked",) if _is_fine(looked) else ())


def _named_by(shape: Shape, table: Looks, looked: Looked) -> str:
    """Return the code of which each has a text of its own in this column; the empty text if there is none."""
    codes = [table.columns[name] for name in shape.owners(table)]
    alike = [code.name for code in codes if looked.column.type == "text" and looked.distinct == code.distinct >= _FEW]
    return next((name for name in alike if table.texts.select(name, looked.name).n_unique() == looked.distinct), "")


def _counts_on(shape: Shape, table: Looks, looked: Looked) -> bool:
    """Say whether a column numbers the records of each owner: numbers that go on by one, or texts with digits, none twice."""
    owner = next(iter(shape.owners(table)), "")
    if not owner or looked.filled < table.height:
        return False
    is_text = looked.column.type == "text" and may_be_code(looked) and not looked.words & SOMEBODY
    if is_text and looked.text.str.contains(r"\d").all():
        return (
            bool(looked.words & (ID | RECORD))
            and table.texts.select(owner, looked.name).n_unique() == table.texts.height
        )
    if looked.column.type != "integer":
        return False
    both = pl.DataFrame([table.columns[owner].text.alias("owner"), looked.values.alias("number")])
    steps = both.select(pl.col("number").diff().over("owner")).to_series().drop_nulls()
    return len(steps) > 1 and int((steps == 1).sum()) == len(steps)


def _is_fine(looked: Looked) -> bool:
    """Say whether an attribute has so many values that it needs a thought."""
    return looked.distinct > max(_FEW, min(looked.filled / 4, _REGISTER))


def _left_out(looked: Looked, *notes: str) -> Ruled:
    return Ruled(Column(name=looked.name, role=Role.IGNORED), notes)


def _number(looked: Looked, note: str) -> Ruled:
    return Ruled(Column(name=looked.name, role=Role.NUMBER, nullable=False), (note,))


def _identifies(looked: Looked, note: str) -> Ruled:
    # NOTE: coordinates are not searched for, since numbers like 61.1 are figures elsewhere.
    role = Role.IGNORED if looked.column.type == "decimal" else Role.IDENTIFIER
    return Ruled(Column(name=looked.name, role=role), (note,))


def language(names: pl.Series) -> Literal["zh", "en"]:
    """Return the language of names: `zh` if most are written in Chinese characters."""
    return "zh" if share(names.str.contains(r"\p{Han}")) > 1 / 2 else "en"


def of_dropped(dropped: Sequence[tuple[str, Ruled]]) -> Iterator[str]:
    """Say why columns are ignored, once for each reason."""
    reasons = dict.fromkeys(note for _, each in dropped for note in each.notes[-1:])
    for reason in reasons:
        names = ", ".join(repr(name) for name, each in dropped if reason in each.notes[-1:])
        yield f"{reason} (ignored: {names})"


def same_names(title: pl.Series | None) -> str:
    """Say whether names are alike, and what has to be decided then; the empty text if none are."""
    names = normal_form(pl.Series(dtype=pl.String) if title is None else title.drop_nulls())
    again = len(names) - names.n_unique()
    said = f"? {counted(again, 'code')} with a name that others have, too: are these 'one company', or 'several companies'?"
    return said if again else ""
