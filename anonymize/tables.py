"""Anonymises whole tables: each column by the role that its declaration gives it.

Takes conformed tables, returns tables of the same names and columns without the direct identifiers, and one table `FIGURES`
with the panel. The single mechanisms are in `codes.py`, `names/`, `prose.py`, `dates.py` and `figures/`.
"""

import polars as pl

from anonymize.dates import redraw_dates
from anonymize.figures import perturb_figures
from anonymize.policy import LSD, Policy
from anonymize.prose import replace_codes, replace_identities
from anonymize.pseudonyms import Pseudonyms
from anonymize.quasi_identifiers import generalise
from pipeline.environment.model import PERIOD, Column, Environment, Frames, RawTable, Role
from pipeline.keyed import Key

FIGURES = "figures"
"""Name of the anonymised panel, and of the originals' panel."""

NAMES = "names"
"""Name of the table of invented names: code, legal, short, english."""


def anonymise_tables(
    environment: Environment,
    conformed: Frames,
    pseudonyms: Pseudonyms,
    key: Key,
    *,
    figures: pl.DataFrame,
    policy: Policy = LSD,
) -> dict[str, pl.DataFrame]:
    """Return every conformed table anonymised, the panel's tables as one under `FIGURES`.

    Args:
        environment: Declares the role of each column.
        conformed: Conformed tables by name; optional ones may be absent.
        pseudonyms: The map of this release.
        key: Release key.
        figures: The panel with its figures protected (`anonymised_figures`), still under the original codes.
        policy: What is done about quasi-identifiers.
    """
    panel = environment.panel
    told = {**conformed, **told_entities(environment, conformed, policy, key)}
    anonymised = {
        table.name: _anonymise(environment, table, told[table.name], pseudonyms, key)
        for table in environment.raw_tables
        if table.name in told and table.name not in panel.tables
    }
    coded = figures.with_columns(pl.col(_code(environment)).replace_strict(pseudonyms.codes))
    return anonymised | {FIGURES: coded, NAMES: pseudonyms.published_names()}


def anonymised_figures(
    environment: Environment, conformed: Frames, key: Key, *, rebuilt: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return the panel with perturbed figures and restored identities, under the original codes.

    Args:
        environment: Declares the panel.
        conformed: Conformed tables by name.
        key: Release key.
        rebuilt: The panel as a stronger mechanism rebuilt it from the originals, for a policy that asks for it.
    """
    originals, code = original_figures(environment, conformed), _code(environment)
    return perturb_figures(originals, environment.panel, code=code, key=key.derive("perturb"), rebuilt=rebuilt)


def told_entities(environment: Environment, conformed: Frames, policy: Policy, key: Key) -> dict[str, pl.DataFrame]:
    """Return the entity tables with what the policy tells of quasi-identifiers, everything else as it is."""
    declared = environment.quasi_identifiers
    tables = {name: conformed[name] for name in environment.entities.tables if name in conformed}
    if declared is None or policy.k == 1:
        return tables
    purpose = key.derive("quasi-identifiers")
    return {
        name: generalise(frame, declared, k=policy.k, entity=_code(environment), key=purpose)
        for name, frame in tables.items()
    }


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
    trading_days = [column.name for column in table.of_role(Role.DATE) if column.is_trading_day]
    texts = [column.name for column in table.of_role(Role.TEXT)]
    if dates and codes:
        frame = redraw_dates(frame, columns=dates, entity=codes[0], key=key.derive("dates"), trading_days=trading_days)
    frame = frame.with_columns(
        *(_named(column, codes, pseudonyms) for column in table.of_role(Role.NAME, Role.ALIAS)),
        *_prose(environment, frame, texts, codes, pseudonyms),
        *(pl.col(column).replace_strict(pseudonyms.codes, return_dtype=pl.String) for column in codes),
    )
    return frame.drop(column.name for column in table.of_role(Role.IDENTIFIER))


def _named(column: Column, codes: list[str], pseudonyms: Pseudonyms) -> pl.Expr:
    """Name by the row's code (two firms may share a name), an alias or a row without a code by what stands there."""
    by_text = pl.col(column.name).replace_strict(pseudonyms.mentions, default=None, return_dtype=pl.String)
    if not codes or column.role is Role.ALIAS:
        return by_text.alias(column.name)
    legal = {code: name.legal for code, name in pseudonyms.names.items()}
    by_code = pl.col(codes[0]).replace_strict(legal, default=None, return_dtype=pl.String)
    return pl.when(pl.col(column.name).is_not_null()).then(pl.coalesce(by_code, by_text)).alias(column.name)


def _prose(
    environment: Environment, frame: pl.DataFrame, columns: list[str], codes: list[str], pseudonyms: Pseudonyms
) -> list[pl.Series]:
    """Replace identities in all text columns at once: what costs is building the automaton, not running it."""
    if not columns:
        return []
    texts = pl.concat([frame[column] for column in columns])
    own = pl.concat([frame[codes[0]]] * len(columns)) if codes else None
    named = replace_identities(texts, pseudonyms.mentions)
    coded = replace_codes(named, pseudonyms.codes, pattern=environment.entities.code_mention, own_codes=own)
    return [coded.slice(i * frame.height, frame.height).alias(column) for i, column in enumerate(columns)]
