"""Shops whose columns are called like those that the stages use inside; each name once as an attribute, once as a measure."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pipeline.model import (
    PERIOD,
    Aggregate,
    Column,
    Difference,
    Entities,
    EntityView,
    Environment,
    Growth,
    Measure,
    Panel,
    PublishedTable,
    QuasiIdentifier,
    QuasiIdentifiers,
    Ratio,
    RawTable,
    Reference,
    Role,
    Sum,
    Truth,
    Views,
    WideFigures,
)
from pipeline.numerals import decimal_text

_TAKEN = """
    value n count size rank row place total group level sample measure statistic mantissa scale kind company original
    pseudonym owner entity period records month day date index id len sum mean max min key text unit label table rule cell
    industry sub_industry english legal alias position order first share weight reason residual worst code
"""
WORDS = tuple(_TAKEN.split())
SHOPS = 24
YEARS = (2021, 2022)


def declared(name: str, attributes: tuple[str, ...], measured: tuple[str, ...]) -> Environment:
    """Declare shops with these attributes, which a register tells, and these measures, bound by identities of every form."""
    measures = tuple(Measure(name=word, unit="EUR", decimals=2) for word in measured)
    profile = ("shop", "name", "trade", *attributes)
    output, first, second, ratio, growth, difference = measured[:6]

    def render_shops(truth: Truth) -> pl.DataFrame:
        return truth.tables["shops"].sort(truth.order.mac(pl.lit("shops"), "shop")).select(profile)

    def render_accounts(truth: Truth) -> pl.DataFrame:
        accounts = truth.tables["figures"].sort(truth.order.mac(pl.lit("accounts"), "shop"), PERIOD)
        figures = [decimal_text(pl.col(measure.name), measure.decimals).alias(measure.name) for measure in measures]
        numbered = accounts.with_columns(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("number"))
        return numbered.select("number", "shop", pl.col(PERIOD).cast(pl.String), *figures)

    return Environment(
        name=name,
        title="Shops whose columns have taken names",
        raw_tables=(
            RawTable(
                name="shops",
                key=("shop",),
                columns=(
                    Column(name="shop", role=Role.CODE, nullable=False),
                    Column(name="name", role=Role.NAME, nullable=False),
                    Column(name="trade", nullable=False),
                    *(Column(name=word) for word in attributes),
                ),
            ),
            RawTable(
                name="accounts",
                key=("shop", PERIOD),
                columns=(
                    Column(name="shop", role=Role.CODE, nullable=False),
                    Column(name=PERIOD, type="integer", nullable=False),
                    *(measure.column() for measure in measures),
                ),
                references=(Reference(columns=("shop",), to_table="shops"),),
            ),
        ),
        entities=Entities(
            tables=("shops",),
            code="shop",
            name="name",
            industry="trade",
            sub_industry="trade",
            language="en",
            code_mention=r"\b(S\d\d)\b",
        ),
        panel=Panel(
            tables=("accounts",),
            measures=measures,
            identities=(
                Sum(output=output, plus=(first, second)),
                Ratio(output=ratio, numerator=(first,), denominator=output),
                Growth(output=growth, base=first),
                Difference(output=difference, base=first),
            ),
        ),
        aggregates=(Aggregate(name="by_trade", by=("trade",), counts=((),)),),
        quasi_identifiers=QuasiIdentifiers(
            kept=("trade",), dealt=tuple(QuasiIdentifier(column=word) for word in attributes)
        ),
        views=Views(
            entities=EntityView(table="shops", columns={column: column for column in profile}),
            figures=(
                WideFigures(table="accounts", code="shop", year=PERIOD, columns={word: word for word in measured}),
            ),
        ),
        tables=(
            PublishedTable(path="shops.csv", columns=profile, row_key="shop", needs=("shops",), render=render_shops),
            PublishedTable(
                path="accounts.csv",
                columns=("number", "shop", PERIOD, *measured),
                row_key="number",
                needs=("figures",),
                render=render_accounts,
            ),
        ),
    )


EVEN = declared("even", WORDS[::2], WORDS[1::2])
ODD = declared("odd", WORDS[1::2], WORDS[::2])


def write_tables(folder: Path, environment: Environment) -> None:
    """Write raw tables in which the identities hold."""
    assert environment.quasi_identifiers is not None
    attributes = [item.column for item in environment.quasi_identifiers.dealt]
    measured = [measure.name for measure in environment.panel.measures]
    shops, accounts = [["shop", "name", "trade", *attributes]], [["shop", PERIOD, *measured]]
    for number in range(SHOPS):
        code, name = f"S{number:02d}", f"The {'ABCDEF'[number % 6]} {('Loaf', 'Oak', 'Lamp', 'Till')[number // 6]} Shop"
        shops.append(
            [code, name, ("Bakery", "Bicycles")[number % 2], *("xyz"[_drawn(code, a) % 3] for a in attributes)]
        )
        accounts += [[code, *record] for record in _records(code, measured)]
    folder.mkdir()
    for file, lines in (("shops.csv", shops), ("accounts.csv", accounts)):
        (folder / file).write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")


def _records(code: str, measured: list[str]) -> Iterator[list[str]]:
    before = 0
    for year in YEARS:
        figures = [_drawn(code, year, measure) % 900_000 + 100_000 for measure in measured]
        figures[0] = figures[1] + figures[2]
        figures[3] = (20_000 * figures[1] + figures[0]) // (2 * figures[0])
        change = figures[5] = figures[1] - before
        figures[4] = (abs(change) * 20_000 + before) // (2 * before) * (1 if change > 0 else -1) if before else 0
        told = [f"{'-' * (figure < 0)}{abs(figure) // 100}.{abs(figure) % 100:02d}" for figure in figures]
        yield [str(year), *told[:4], *(told[4:6] if before else ("", "")), *told[6:]]
        before = figures[1]


def _drawn(*identity: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(identity).encode()).digest()[:6])
