"""Derives and renders the policy tables of `dataclaw-18`: texts, and how many were released, in seven layers.

The layers and their names are the release's (reference, section 3.3): first for the nation, then for each province. A joint
policy counts once for each agency, so agencies add up to more than policies.
"""

from dataclasses import replace

import polars as pl

from pipeline.model import PERIOD, Derivation, Dialect, Field, Frames, PublishedTable, Truth
from raw.corpus.stamps import numbered
from raw.vocabulary.industries import INDUSTRIES
from silt.environments.dataclaw_18 import fields
from silt.environments.dataclaw_18.raw_tables import POLICY_RESOURCE
from silt.environments.dataclaw_18.stamps import day_text, load_stamps

_RESOURCE = fields.followed(POLICY_RESOURCE.columns)
_COUNTED = (
    fields.ID,
    *fields.nullable(replace(fields.INDUSTRY_ID, origins=(("policy_counts", "industry"),)), fields.INDUSTRY),
    fields.LABEL,
    Field("value", type="integer", minimum=1, meaning="the figure", origins=(("policy_counts", "count"),)),
    *fields.STAMPS,
    fields.OF_LATEST,
    Field("province", nullable=True, meaning="province"),
)

AGENCY_SEPARATOR = "，"
INDUSTRY_SEPARATOR = "；"

_CLASS, _AGENCY, _INDUSTRY = "policyClassification", "agency", "industry"
_LAYERS = (
    ((), "发布政策数量"),
    ((_CLASS,), "{policyClassification}政策数量"),
    ((_AGENCY,), "{agency}发布政策数量"),
    ((_INDUSTRY,), "政策数量"),
    ((_CLASS, _AGENCY), "{policyClassification}-{agency}政策数量"),
    ((_INDUSTRY, _CLASS), "{policyClassification}政策数量"),
    ((_INDUSTRY, _CLASS, _AGENCY), "{policyClassification}-{agency}政策数量"),
)
"""What each layer counts by, and how its rows are named; the industry has columns of its own."""

_INDUSTRY_IDS = {industry.name: str(industry.id) for industry in INDUSTRIES}


def policy_counts(tables: Frames) -> pl.DataFrame:
    """Count the policies published in the last year.

    Returns:
        Columns `province` (null for the nation), `layer` (0-6), `industry` (null unless the layer counts by it), `targetName`
        and `count`; within a scope by layer, then falling count, then names.
    """
    policies = (
        tables["policy_resource"].with_row_index("policy").filter(pl.col("publishDate").dt.year() == fields.LATEST_YEAR)
    )
    national = policies.with_columns(province=pl.lit(None, pl.String))
    scoped = pl.concat([national, policies.drop_nulls("province")]).with_columns(
        pl.col("issueAuthor").str.split(AGENCY_SEPARATOR).alias(_AGENCY),
        pl.col("industry").str.split(INDUSTRY_SEPARATOR).alias(_INDUSTRY),
    )
    layers = [_layer(scoped, rank, by, name) for rank, (by, name) in enumerate(_LAYERS)]
    order = ["province", "layer", "count", "targetName", _INDUSTRY]
    return pl.concat(layers).sort(order, descending=[False, False, True, False, False], nulls_last=False)


def render_release(truth: Truth) -> pl.DataFrame:
    """Render the counts, the nation first; every field but an empty one is quoted."""
    counts = numbered(truth.tables["policy_counts"])
    return counts.with_columns(
        pl.col(_INDUSTRY).replace_strict(_INDUSTRY_IDS, default=None).alias("industryId"),
        pl.col("count").alias("value"),
        pl.lit(fields.LATEST_YEAR).alias(PERIOD),
        *load_stamps(),
    ).select(pl.col(fields.names(_COUNTED)).cast(pl.String))


def render_resource(truth: Truth) -> pl.DataFrame:
    """Render the policy texts, in keyed order."""
    policies = truth.tables["policy_resource"]
    ordered = numbered(policies.sort(truth.order.mac(pl.lit("policy"), "title", pl.col("issueAuthor").fill_null(""))))
    dated = ordered.with_columns(day_text("writtenDate"), day_text("publishDate"), *load_stamps())
    return dated.select(pl.col(fields.names(_RESOURCE)).cast(pl.String))


def _layer(scoped: pl.DataFrame, rank: int, by: tuple[str, ...], name: str) -> pl.DataFrame:
    expanded = scoped
    for column in {_AGENCY, _INDUSTRY} & set(by):
        expanded = expanded.explode(column)
    counted = (
        expanded.drop_nulls(list(by)).group_by("province", *by).agg(count=pl.col("policy").n_unique().cast(pl.Int64))
    )
    industry = pl.col(_INDUSTRY) if _INDUSTRY in by else pl.lit(None, pl.String)
    parts = [column for column in by if column != _INDUSTRY]
    target = pl.format(_positional(name, parts), *parts) if parts else pl.lit(name)
    return counted.select(
        "province", pl.lit(rank).alias("layer"), industry.alias(_INDUSTRY), target.alias("targetName"), "count"
    )


def _positional(name: str, parts: list[str]) -> str:
    for part in parts:
        name = name.replace("{" + part + "}", "{}")
    return name


POLICY_COUNTS = Derivation(name="policy_counts", needs=("policy_resource",), derive=policy_counts)

_RELEASE = PublishedTable(
    path="policy/policy_release_status.csv",
    fields=_COUNTED,
    source="policy_counts",
    render=render_release,
    dialect=Dialect(quote="non_empty"),
    description="How many policies were released, by classification, agency and industry, for the nation and each province.",
)
_TEXTS = PublishedTable(
    path="policy/policy_resource.csv",
    fields=_RESOURCE,
    source="policy_resource",
    render=render_resource,
    description="Policy texts.",
)

POLICY_TABLES = (_TEXTS, _RELEASE)
IDEAL_POLICY_TABLES = (fields.ideal(_TEXTS, _TEXTS.description),)
