"""Mutants of the rendered tables: what must not stand in a published file, and what must."""

from collections.abc import Callable

import polars as pl

from assets.making.keys import Stage
from assets.making.store import Value
from tests.mutants.mutant import Change, Made, Mutant, Place

PROFILE, CORE, DECOYS = "company_profile", "company_core", "company_profile_oc"
OVERSEAS = ("company_profile_as", "company_profile_eu", "company_profile_na", DECOYS)
_IN_NOISY = "the noisy table has it from the clean one, and no rule put it there"

CODE, NARRATIVE, NAMES = "bmCode", "bmCoreVieContent", "bilingual_translation_english_chinese"

NOBODYS_CODE = "000000"
"""A code that neither an original nor a pseudonym has."""


def _rendered(table: str, change: Callable[[Made, pl.DataFrame], pl.DataFrame]) -> Change:
    return lambda made: {(Stage.RENDERED, table): change(made, made.table(Stage.RENDERED, table))}


def _first(column: str, value: pl.Expr) -> Change:
    return lambda made: _in_first(made, PROFILE, column, value)


def _in_first(made: Made, table: str, column: str, value: pl.Expr) -> dict[Place, Value]:
    """Write a value into the first row of a table."""
    is_first = pl.int_range(pl.len()) == 0
    frame = made.table(Stage.RENDERED, table)
    return {(Stage.RENDERED, table): frame.with_columns(pl.when(is_first).then(value).otherwise(column).alias(column))}


def _identity(made: Made, kind: str) -> pl.DataFrame:
    return made.sealed(Stage.IDENTITY, "identity_map").filter(pl.col("kind") == kind)


def _in_raw_order(made: Made, profile: pl.DataFrame) -> pl.DataFrame:
    codes = _identity(made, "code")
    original = pl.col(CODE).replace_strict(codes["pseudonym"], codes["original"])
    ids = profile["id"]
    return profile.sort(original).with_columns(ids)


def _marked_decoys(made: Made) -> dict[Place, Value]:
    stamp = pl.lit("10/9/2025 14:24:34").alias("updateTime")
    return {(Stage.RENDERED, name): made.table(Stage.RENDERED, name).with_columns(stamp) for name in OVERSEAS}


def _original_code(made: Made) -> dict[Place, Value]:
    is_listed = pl.col("original").str.ends_with(".SZ")
    digits = _identity(made, "code").filter(is_listed)["original"].str.strip_suffix(".SZ")
    return _in_first(made, DECOYS, CODE, pl.lit(digits.min()))


def _escaped_name(made: Made) -> dict[Place, Value]:
    return _in_first(made, CORE, NARRATIVE, pl.col(NARRATIVE) + pl.lit(_identity(made, "name")["original"].min()))


def _retyped_document(made: Made) -> dict[Place, Value]:
    return {(Stage.RENDERED, NAMES): made.text(Stage.RENDERED, NAMES).replace(": ", " : ", 1)}


TABLE_MUTANTS = (
    Mutant(
        name="raw order",
        does="The profile's rows stand in the order of the original codes.",
        change=_rendered(PROFILE, _in_raw_order),
        meant="attacks_stay_within_limits",
    ),
    Mutant(
        name="marked decoys",
        does="All overseas firms have one and the same time of loading.",
        change=_marked_decoys,
        meant="attacks_stay_within_limits",
    ),
    Mutant(
        name="original code",
        does="An overseas firm has the digits of the code of a company in the originals.",
        change=_original_code,
        meant="nothing_identifies_a_company",
    ),
    Mutant(
        name="escaped name",
        does="A narrative ends with the name of a company in the originals.",
        change=_escaped_name,
        meant="nothing_identifies_a_company",
    ),
    Mutant(
        name="firm left out",
        does="A firm is missing from the profile.",
        change=_rendered(PROFILE, lambda _, profile: profile.slice(1)),
        meant="domains_agree",
        also={
            "clean_meets_its_suite": "rows are counted, and figures refer to the firm",
            "noisy_meets_its_suite": "the noisy figures refer to the firm, too",
        },
    ),
    Mutant(
        name="null in a key",
        does="A narrative has no code.",
        change=lambda made: _in_first(made, CORE, CODE, pl.lit(None, pl.String)),
        meant="clean_meets_its_suite",
        also={"noisy_meets_its_suite": _IN_NOISY},
    ),
    Mutant(
        name="unknown category",
        does="A firm has an ownership that there is not.",
        change=_first("ownership", pl.lit("个体")),
        meant="clean_meets_its_suite",
        also={
            "noisy_meets_its_suite": _IN_NOISY,
            "domains_agree": "firms are counted again by ownership in the published profile",
        },
    ),
    Mutant(
        name="dangling reference",
        does="A narrative has a code that no firm has.",
        change=lambda made: _in_first(made, CORE, CODE, pl.lit(NOBODYS_CODE)),
        meant="clean_meets_its_suite",
        also={"noisy_meets_its_suite": _IN_NOISY},
    ),
    Mutant(
        name="repeated id",
        does="Two overseas firms have one id.",
        change=_rendered(
            DECOYS,
            lambda _, firms: firms.with_columns(
                pl.when(pl.int_range(pl.len()) == 1).then(pl.col("id").first()).otherwise("id").alias("id")
            ),
        ),
        meant="clean_meets_its_suite",
        also={"noisy_meets_its_suite": _IN_NOISY},
    ),
    Mutant(
        name="retyped document",
        does="The bilingual names are laid out as their rows would not be written.",
        change=_retyped_document,
        meant="ledger_is_exact",
    ),
)
