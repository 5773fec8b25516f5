"""Writes prose about entities anew, from what a release says of them: for a policy that quotes no original.

Nothing of an original goes in, so none can come out. How a text is composed stands in the declaration
(`Environment.prose`); which entities have one, and the other columns of its row, is decided before. Keeping an original's
prose under other names is `replacing.py`.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from anonymize.names import PseudonymousName, pseudonymous_alias
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD, Column, Environment, RawTable, Role, Subjects

_LEAST, _MOST = 2, 3
"""Subsidiaries and products that a firm is said to have, as firms of the generated corpus have; our choice."""

_NAMES: dict[str, pl.DataType] = {
    **dict.fromkeys(("legal", "short", "english"), pl.String()),
    **dict.fromkeys(("subsidiaries", "products"), pl.List(pl.String)),
}

_NAMELESS: tuple[object, ...] = (None, None, None, [], [])
"""What a writer knows of the names of an entity that has a code alone."""


def is_about_entities(table: RawTable) -> bool:
    """Say whether a raw table holds prose about entities: it has a code and a text."""
    return bool(table.of_role(Role.CODE) and table.of_role(Role.TEXT))


def write_anew(
    environment: Environment,
    table: str,
    rows: pl.DataFrame,
    *,
    entities: pl.DataFrame,
    names: Mapping[str, PseudonymousName],
    figures: pl.DataFrame,
    key: Key,
) -> pl.DataFrame:
    """Return the rows of a raw table with its texts written anew, in their order.

    A text without a writer is null, and so is one about an entity that is not of the main kind. Where a text may not be null,
    its row is left out instead, so that a table may end without rows.

    Args:
        table: Name of a raw table that has a code and texts.
        rows: Its rows as they will be published, all columns but the texts; a text column that is there is not read.
        entities: What the release says of each entity: the published code and attributes, one row an entity. A column that
            the rows have, too, is the rows'.
        names: Invented names by published code.
        figures: The published panel, any rows and years.
        key: Release key.

    Raises:
        InputError: The table holds no prose about entities, or a row's entity has no attributes or no name.
    """
    declared, purpose = environment.raw_table(table), key.derive("prose")
    if not is_about_entities(declared):
        raise InputError(f"the raw table {table!r} has no code or no text, so nothing is written about anybody")
    texts = declared.of_role(Role.TEXT)
    plain = rows.drop((column.name for column in texts), strict=False)
    if environment.owner(table) in declared.of_role(Role.CODE, of=""):
        subjects = _subjects(environment, declared, plain, entities, names, figures, purpose.derive("names"))
        written = plain.with_columns(_written(environment, table, column, subjects, purpose) for column in texts)
    else:
        written = plain.with_columns(pl.lit(None, pl.String).alias(column.name) for column in texts)
    needed = [column.name for column in texts if not column.nullable]
    return (written.drop_nulls(needed) if needed else written).select(_in_declared_order(declared, written))


def _written(environment: Environment, table: str, column: Column, subjects: Subjects, key: Key) -> pl.Series:
    write = next(
        (prose.write for prose in environment.prose if (prose.table, prose.column) == (table, column.name)), None
    )
    if write is None:
        return pl.Series(column.name, [None] * subjects.entities.height, dtype=pl.String)
    return write(subjects, key.derive("texts", table, column.name)).alias(column.name)


def _subjects(
    environment: Environment,
    table: RawTable,
    rows: pl.DataFrame,
    entities: pl.DataFrame,
    names: Mapping[str, PseudonymousName],
    figures: pl.DataFrame,
    key: Key,
) -> Subjects:
    """Bring together what the release says of each row's entity."""
    keys = environment.entities
    rows = rows.rename({table.of_role(Role.CODE, of="")[0].name: keys.code})
    codes = rows[keys.code]
    _refuse_unknown(
        codes, {"attributes": set(entities[keys.code])} | ({"an invented name": set(names)} if keys.name else {})
    )
    further = entities.select(keys.code, pl.exclude(rows.columns))
    known = rows.join(further, on=keys.code, how="left", maintain_order="left", validate="m:1")
    industries = dict(entities.select(keys.code, keys.industry).iter_rows())
    named = [_names(names[code], industries[code] or "", key) if keys.name else _NAMELESS for code in codes]
    latest = figures.sort(PERIOD).unique(keys.code, keep="last", maintain_order=True)
    return Subjects(
        entities=known,
        names=pl.DataFrame(named, schema=_NAMES, orient="row"),
        figures=codes.to_frame().join(latest, on=keys.code, how="left", maintain_order="left"),
    )


def _refuse_unknown(codes: pl.Series, known: Mapping[str, set[str]]) -> None:
    for what, having in known.items():
        if missing := set(codes) - having:
            raise InputError(f"{len(missing)} of {codes.n_unique()} entities to write about have not got {what}")


def _names(name: PseudonymousName, industry: str, key: Key) -> tuple[object, ...]:
    owned = (list(_aliases(kind, name, industry, key)) for kind in ("subsidiary", "product"))
    return name.legal, name.short, name.english, *owned


def _aliases(kind: str, name: PseudonymousName, industry: str, key: Key) -> Iterator[str]:
    """Invent the subsidiaries or products of a firm: as many of them as its brand decides."""
    count = _LEAST + int.from_bytes(key.digest("number", kind, name.brand), "big") % (_MOST - _LEAST + 1)
    return (pseudonymous_alias(kind, name, industry, ordinal, key) for ordinal in range(count))


def _in_declared_order(table: RawTable, frame: pl.DataFrame) -> list[str]:
    """Return the frame's columns: those of the declaration in its order, then those that were added since."""
    declared = [column.name for column in table.columns if column.name in frame.columns]
    return [*declared, *(name for name in frame.columns if name not in declared)]
