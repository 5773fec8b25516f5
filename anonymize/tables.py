"""Anonymises whole tables: each column by the role that its declaration gives it.

Takes conformed tables, returns tables of the same names and columns without the direct identifiers, and one table `FIGURES`
with the panel. The single mechanisms are in `codes.py`, `names/`, `prose.py`, `dates.py` and `figures/`.
"""

import polars as pl

from anonymize.dates import redraw_dates
from anonymize.figures import perturb_figures
from anonymize.prose import replace_codes, replace_identities
from anonymize.pseudonyms import Pseudonyms
from pipeline.environment.model import PERIOD, Environment, Frames, RawTable, Role
from pipeline.keyed import Key

FIGURES = "figures"
"""Name of the anonymised panel, and of the originals' panel."""

NAMES = "names"
"""Name of the table of invented names: code, legal, short, english."""


def anonymise_tables(
    environment: Environment, conformed: Frames, pseudonyms: Pseudonyms, key: Key
) -> dict[str, pl.DataFrame]:
    """Return every conformed table anonymised, the panel's tables as one under `FIGURES`.

    Args:
        environment: Declares the role of each column.
        conformed: Conformed tables by name; optional ones may be absent.
        pseudonyms: The map of this release.
        key: Release key.
    """
    panel = environment.panel
    figures = perturb_figures(
        original_figures(environment, conformed), panel, code=_code(environment), key=key.derive("perturb")
    )
    anonymised = {
        table.name: _anonymise(environment, table, conformed[table.name], pseudonyms, key)
        for table in environment.raw_tables
        if table.name in conformed and table.name not in panel.tables
    }
    coded = figures.with_columns(pl.col(_code(environment)).replace_strict(pseudonyms.codes))
    return anonymised | {FIGURES: coded, NAMES: pseudonyms.published_names()}


def original_figures(environment: Environment, conformed: Frames) -> pl.DataFrame:
    """Return the conformed panel: code, year and measures, the rows of all its tables, sorted by code and year."""
    panel = environment.panel
    columns = (_code(environment), PERIOD, *(measure.name for measure in panel.measures))
    tables = [conformed[table].select(columns) for table in panel.tables if table in conformed]
    return pl.concat(tables).sort(_code(environment), PERIOD)


def _code(environment: Environment) -> str:
    return environment.entities.code


def _anonymise(
    environment: Environment, table: RawTable, frame: pl.DataFrame, pseudonyms: Pseudonyms, key: Key
) -> pl.DataFrame:
    codes = [column.name for column in table.of_role(Role.CODE)]
    dates = [column.name for column in table.of_role(Role.DATE)]
    names = [column.name for column in table.of_role(Role.NAME, Role.ALIAS)]
    if dates and codes:
        frame = redraw_dates(frame, columns=dates, entity=codes[0], key=key.derive("dates"))
    frame = frame.with_columns(
        *(_name(column, codes, pseudonyms) for column in names),
        *(_prose(environment, frame, column.name, codes, pseudonyms) for column in table.of_role(Role.TEXT)),
        *(pl.col(column).replace_strict(pseudonyms.codes, return_dtype=pl.String) for column in codes),
    )
    return frame.drop(column.name for column in table.of_role(Role.IDENTIFIER))


def _name(column: str, codes: list[str], pseudonyms: Pseudonyms) -> pl.Expr:
    """Name by the row's code where it has one (two firms may share a name), else by the name itself."""
    by_name = pl.col(column).replace_strict(pseudonyms.mentions, default=None, return_dtype=pl.String)
    if not codes:
        return by_name.alias(column)
    legal = {code: name.legal for code, name in pseudonyms.names.items()}
    by_code = pl.col(codes[0]).replace_strict(legal, default=None, return_dtype=pl.String)
    return pl.when(pl.col(column).is_not_null()).then(pl.coalesce(by_code, by_name)).alias(column)


def _prose(
    environment: Environment, frame: pl.DataFrame, column: str, codes: list[str], pseudonyms: Pseudonyms
) -> pl.Series:
    named = replace_identities(frame[column], pseudonyms.mentions)
    own = frame[codes[0]] if codes else None
    return replace_codes(named, pseudonyms.codes, pattern=environment.entities.code_mention, own_codes=own).alias(
        column
    )
