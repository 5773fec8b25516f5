"""Leaks of columns: what a declaration or an environment's own code could let through."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from anonymize.policy import GUARDED
from anonymize.tables import FIGURES, original_figures
from pipeline.model import (
    Column,
    Derivation,
    Environment,
    Frames,
    Measure,
    Panel,
    PublishedTable,
    QuasiIdentifier,
    QuasiIdentifiers,
    RawTable,
    Role,
    Truth,
)
from tests.leaks.bakers import (
    BAKERS,
    CODE,
    MEASURES,
    SHOPS,
    and_publishing,
    joined,
    latest,
    published,
    with_columns,
    with_table,
)
from tests.leaks.leak import Check, Declare, Leak, Raw, Spoil


def _column(table: str, *columns: Column, **settings: object) -> Declare:
    return lambda environment: with_columns(environment, table, *columns, **settings)


def _table(*columns: Column, public: str = "") -> Declare:
    """Add a raw table `diary` with the columns, and publish it."""
    table = RawTable(name="diary", key=(columns[0].name,), columns=columns, public=public)
    return lambda environment: and_publishing(
        with_table(environment, table), "diary", *(column.name for column in columns)
    )


def _completed(name: str, of: str, *, is_declared: bool = True) -> Declare:
    """Let `complete` copy a column of shops into one of another name."""

    def declare(environment: Environment) -> Environment:
        table = replace(
            SHOPS,
            complete=lambda shops: shops.with_columns(pl.col(of).alias(name)),
            adds=(Column(name=name),) if is_declared else (),
        )
        return and_publishing(with_table(environment, table), "shops", name)

    return declare


def _split(environment: Environment) -> Environment:
    """Publish what stands after a colon in an attribute, by a rendering of the environment's own."""

    def render(truth: Truth) -> pl.DataFrame:
        after = pl.col("memo").str.split(": ").list.last()
        return truth.tables["shops"].sort(truth.order.mac("shop")).select("shop", amount=after)

    told = PublishedTable(path="amounts.csv", columns=("shop", "amount"), needs=("shops",), render=render, row_key="")
    changed = with_columns(environment, "shops", _MEMO)
    return replace(changed, tables=(*environment.tables, told))


def _derived(environment: Environment) -> Environment:
    """Publish the same by a derivation."""
    derivation = Derivation(
        name="sums",
        needs=("shops",),
        derive=lambda tables: tables["shops"].select("town", amount=pl.col("memo").str.split(": ").list.last()),
    )
    table = published("sums", ("town", "amount"))
    changed = with_columns(environment, "shops", _MEMO)
    return replace(changed, tables=(*environment.tables, table), derivations=(derivation,))


def _in_words(tables: Frames) -> dict[str, pl.DataFrame]:
    """Give the shops a remark in which their last figure stands."""
    return joined(tables, "shops", "memo", pl.lit("sold last year: ") + latest(tables, "sales"))


def _short_figures(environment: Environment) -> Environment:
    """Let the panel have a measure of two digits beside its others."""
    measures = (*MEASURES, Measure(name="staff", unit="heads"))
    changed = replace(environment, panel=Panel(tables=("accounts",), measures=measures))
    return with_columns(changed, "accounts", measures[-1].column())


def _staff(tables: Frames) -> dict[str, pl.DataFrame]:
    return joined(tables, "accounts", "staff", (pl.int_range(pl.len()) * 7 % 89 + 10).cast(pl.String))


def _unions(tables: Frames) -> dict[str, pl.DataFrame]:
    return joined(tables, "shops", "union", (pl.int_range(pl.len()) * 11 % 40).cast(pl.String) + " members")


def _diary(**columns: pl.Expr) -> Raw:
    """Give the diary the shops' columns so changed."""
    return lambda tables: dict(tables) | {"diary": tables["shops"].select(**columns)}


def _originals_back(anonymised: Mapping[str, pl.DataFrame], conformed: Frames, codes: Mapping[str, str]) -> Frames:
    """Publish the original figures under published codes."""
    figures = original_figures(BAKERS, conformed).with_columns(pl.col("shop").replace_strict(codes))
    return dict(anonymised) | {FIGURES: figures}


def _of_others(anonymised: Mapping[str, pl.DataFrame], conformed: Frames, codes: Mapping[str, str]) -> Frames:
    """Publish the original figures, each shop's under another's code."""
    shops = list(codes)
    others = {shop: codes[shops[(place + 7) % len(shops)]] for place, shop in enumerate(shops)}
    figures = original_figures(BAKERS, conformed).with_columns(pl.col("shop").replace_strict(others))
    return dict(anonymised) | {FIGURES: figures}


def _kept(table: str, column: str) -> Spoil:
    """Publish a column of a table about shops as it is in the originals."""

    def spoil(anonymised: Mapping[str, pl.DataFrame], conformed: Frames, codes: Mapping[str, str]) -> Frames:
        own = conformed[table].select(pl.col("shop").replace_strict(codes), column)
        rows = anonymised[table]
        return dict(anonymised) | {table: rows.drop(column).join(own, on="shop", how="left").select(rows.columns)}

    return spoil


_MEMO = Column(name="memo")
_FOR_NUMBERS = Column(name="heads", type="integer")
_DAY = Column(name="renewed", type="date")

COLUMN_LEAKS = (
    Leak(
        name="measure outside the panel",
        does="A table of deliveries has a figure, and `Panel.tables` does not name it.",
        declare=_table(CODE, Column(name="loaves", role=Role.MEASURE, type="decimal")),
        meant=Check.LOAD,
        says="'diary', column 'loaves'",
    ),
    Leak(
        name="measure of an entity",
        does="The table of shops itself has a figure.",
        declare=_column("shops", Column(name="debt", role=Role.MEASURE, type="decimal", decimals=2)),
        meant=Check.LOAD,
        says="'shops', column 'debt'",
    ),
    Leak(
        name="numeric attribute",
        does="How many work in a shop is declared as an attribute.",
        declare=_column("shops", _FOR_NUMBERS),
        meant=Check.LOAD,
        says="'shops', column 'heads'",
    ),
    Leak(
        name="decimal attribute",
        does="An amount is declared as an attribute.",
        declare=_column("shops", Column(name="rent", type="decimal", decimals=2)),
        meant=Check.LOAD,
        says="'shops', column 'rent'",
    ),
    Leak(
        name="float attribute of a further table",
        does="A rating, with many decimals, is declared as an attribute beside a text.",
        declare=_column("stories", Column(name="rating", type="float")),
        meant=Check.LOAD,
        says="'stories', column 'rating'",
    ),
    Leak(
        name="date as an attribute",
        does="A day of the shop is declared as an attribute, so that nothing redraws it.",
        declare=_column("shops", _DAY),
        meant=Check.LOAD,
        says="'shops', column 'renewed'",
    ),
    Leak(
        name="date without a code",
        does="A table has dates and no code by which they could be redrawn.",
        declare=_table(Column(name="visitor", role=Role.NAME), replace(_DAY, role=Role.DATE)),
        meant=Check.LOAD,
        says="'diary', column 'renewed'",
    ),
    Leak(
        name="text without a code",
        does="A table of letters has no code, and says of no text why it is about nobody.",
        declare=_table(Column(name="letter", role=Role.TEXT)),
        meant=Check.LOAD,
        says="'diary', column 'letter'",
    ),
    Leak(
        name="text with a name alone",
        does="A table of letters has names and no code, so that nothing writes its texts anew.",
        declare=_table(Column(name="writer", role=Role.NAME), Column(name="letter", role=Role.TEXT)),
        meant=Check.LOAD,
        says="'diary', column 'letter'",
    ),
    Leak(
        name="public text about shops",
        does="A text about shops is declared to be public.",
        declare=_column("stories", Column(name="story", role=Role.TEXT, public="everybody knows it")),
        meant=Check.LOAD,
        says="'stories', column 'story'",
    ),
    Leak(
        name="alias that no source names",
        does="A second list of names is not among the aliases of the entities.",
        declare=_column("stories", Column(name="called", role=Role.ALIAS)),
        meant=Check.LOAD,
        says="'stories', column 'called'",
    ),
    Leak(
        name="attribute of nobody without a reason",
        does="A table without codes and names has an attribute, and nobody says why it may be published.",
        declare=_table(Column(name="remark")),
        meant=Check.LOAD,
        says="'diary', column 'remark'",
    ),
    Leak(
        name="number of nobody without a reason",
        does="Figures of single shops stand in a table without codes.",
        declare=_table(Column(name="remark", public="invented"), _FOR_NUMBERS),
        meant=Check.LOAD,
        says="'diary', column 'heads'",
    ),
    Leak(
        name="table of shops declared public",
        does="One reason is to do for all columns of a table that has codes.",
        declare=lambda environment: with_table(environment, replace(SHOPS, public="they are in the register")),
        meant=Check.LOAD,
        says="raw table 'shops'",
    ),
    Leak(
        name="public figure",
        does="A figure of the panel is declared to be public.",
        declare=_column("accounts", replace(MEASURES[0].column(), public="they publish it")),
        meant=Check.LOAD,
        says="'accounts', column 'sales'",
    ),
    Leak(
        name="public quasi-identifier",
        does="The town is declared to be public, and what a register says of a shop.",
        declare=lambda environment: replace(
            with_columns(environment, "shops", Column(name="town", public="towns are no secret")),
            quasi_identifiers=QuasiIdentifiers(kept=("trade",), dealt=(QuasiIdentifier(column="town"),)),
        ),
        meant=Check.LOAD,
        says="'shops', column 'town'",
    ),
    Leak(
        name="column completed and not declared",
        does="`complete` copies an identifier into a column that nobody declares.",
        declare=_completed("ref", "licence", is_declared=False),
        meant=Check.LOAD,
        says="'shops', column 'ref'",
    ),
    Leak(
        name="identifier completed into an attribute",
        does="`complete` copies an identifier into a column that is declared as an attribute.",
        declare=_completed("ref", "licence"),
        meant=Check.ESCAPES,
        says="ref",
    ),
    Leak(
        name="identifier completed into an attribute, believed by nobody",
        does="The same, found without knowing which columns identify.",
        declare=_completed("ref", "licence"),
        meant=Check.VALUES,
        says="shops.ref has 150 of 150 in common with the raw shops.licence",
    ),
    Leak(
        name="name completed into an attribute",
        does="`complete` copies the name into a column that is declared as an attribute.",
        declare=_completed("sign", "name"),
        meant=Check.ESCAPES,
        says="sign",
    ),
    Leak(
        name="ignored column under another name",
        does="A raw table has a number twice: once ignored, once as an attribute of text.",
        declare=_column("shops", _MEMO),
        raw=lambda tables: joined(tables, "shops", "memo", pl.col("loaded")),
        meant=Check.CELLS,
        says="shops.memo has 150 of 150 in common with the raw shops.loaded",
    ),
    Leak(
        name="figure as text",
        does="The table of shops has last year's sales as text, declared as an attribute.",
        declare=_column("shops", _MEMO),
        raw=lambda tables: joined(tables, "shops", "memo", latest(tables, "sales")),
        meant=Check.CELLS,
        says="shops.memo has 150 of 150 in common with the raw accounts.sales",
    ),
    Leak(
        name="figure split from a text by a rendering",
        does="An attribute holds last year's sales in words; a rendering publishes the number.",
        declare=_split,
        raw=_in_words,
        meant=Check.CELLS,
        says="amounts.amount has 150 of 150 in common with the raw accounts.sales",
    ),
    Leak(
        name="figure split from a text by a derivation",
        does="The same in a derived table without codes.",
        declare=_derived,
        raw=_in_words,
        meant=Check.VALUES,
        says="sums.amount has 150 of 150 in common with the raw accounts.sales",
    ),
    Leak(
        name="date as text",
        does="The table of shops has the day of opening as text too, declared as an attribute.",
        declare=_column("shops", _MEMO),
        raw=lambda tables: joined(tables, "shops", "memo", pl.col("opened")),
        meant=Check.CELLS,
        says="shops.memo has 150 of 150 in common with the raw shops.opened",
    ),
    Leak(
        name="figure in a table of nobody",
        does="Sales stand in a table without codes, declared public.",
        declare=_table(Column(name="page"), Column(name="amount", type="decimal", decimals=2), public="of nobody"),
        raw=lambda tables: (
            dict(tables)
            | {"diary": tables["accounts"].select(page=pl.int_range(pl.len()).cast(pl.String), amount="sales")}
        ),
        meant=Check.VALUES,
        says="diary.amount has",
    ),
    Leak(
        name="identifier in a table of nobody",
        does="Licences stand in a table without codes, declared public.",
        declare=_table(Column(name="mark"), public="of nobody"),
        raw=_diary(mark=pl.col("licence")),
        meant=Check.VALUES,
        says="diary.mark has 150 of 150 in common with the raw shops.licence",
    ),
    Leak(
        name="measure of few digits",
        does="A measure of two digits comes out as it was, since three are kept.",
        declare=_short_figures,
        raw=_staff,
        meant=Check.SUMMARY,
        says="In 1 of 3 measures many figures are the originals to the last digit: staff (100%)",
    ),
    Leak(
        name="undeclared attribute",
        does="An attribute that nobody declares as a quasi-identifier tells most shops apart.",
        declare=_column("shops", Column(name="union")),
        raw=_unions,
        meant=Check.REGISTER,
        says="union",
    ),
    Leak(
        name="figures alone in their period",
        does="No figure is moved, though the declaration lets none stay by which a shop is alone.",
        declare=lambda environment: replace(environment, panel=replace(environment.panel, may_stay=frozenset())),
        spoil=_originals_back,
        meant=Check.ALONE,
        says="Found by sales;",
    ),
    Leak(
        name="figures not sampled",
        does="Under `guarded`, the original figures stand under the published codes.",
        spoil=_originals_back,
        policy=GUARDED,
        meant=Check.UNCHANGED,
        says="sales 450 of 450",
    ),
    Leak(
        name="figures dealt out",
        does="Under `guarded`, each shop has the original figures of another.",
        spoil=_of_others,
        policy=GUARDED,
        meant=Check.VALUES,
        says="accounts.sales has 450 of 450 in common with the raw accounts.sales",
    ),
    Leak(
        name="attribute not dealt out",
        does="Under `guarded`, a shop's town is its own.",
        spoil=_kept("shops", "town"),
        policy=GUARDED,
        meant=Check.CELLS,
        says="shops.town has",
    ),
    Leak(
        name="prose not written anew",
        does="Under `guarded`, the stories are the originals'.",
        spoil=_kept("stories", "story"),
        policy=GUARDED,
        meant=Check.VALUES,
        says="stories.story has",
    ),
)
