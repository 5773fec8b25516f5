"""Documented facts on policy counts and policy texts: industries outside the dictionary, totals, facts in text alone."""

import polars as pl

from raw.vocabulary.industries import INDUSTRIES
from tests.realism.agencies import RELEASE, RESOURCE, TOTAL, counted
from tests.realism.comparing import Documented, Tables, of_examples, of_number
from tests.realism.counting import number, texts

_INDUSTRIES = [industry.name for industry in INDUSTRIES]
_OF_CLASS = "政策数量"


def _national(tables: Tables) -> pl.DataFrame:
    return tables[RELEASE].filter(pl.col("province").is_null())


def _without_id(tables: Tables) -> list[str]:
    """Return the industries that stand without an id, each with its largest count of policies."""
    rows = tables[RELEASE].filter(pl.col("industryId").is_null()).drop_nulls("industry")
    largest = rows.group_by("industry").agg(number().max().cast(pl.Int64)).sort("value", "industry", descending=True)
    return texts(largest.select(shown=pl.format("{} {}", "industry", "value")), "shown")


def _without_total(tables: Tables) -> list[str]:
    """Return the industries that have policies of some class and no total."""
    rows = _national(tables).filter(pl.col("industry").is_in(_INDUSTRIES))
    totals = rows.filter(targetName=_OF_CLASS)["industry"]
    return texts(rows.filter(~pl.col("industry").is_in(totals.implode())), "industry")


def _sum_over_agencies(tables: Tables) -> int:
    """Return the sum of the national counts by agency alone, in which a joint policy counts for each."""
    of_agency = counted(tables).filter(
        pl.col("province").is_null(), pl.col("industry").is_null(), pl.col("targetName").str.ends_with(TOTAL)
    )
    return int(of_agency.select(number().sum()).item())


_AMOUNT = r"(\d[\d,.]*)\s*[万亿]?元"
_NOT_WORDS = r"<[^>]*>|&\w+;|[^\p{Han}\d]"


def _facts_in_text_only(tables: Tables) -> int:
    """Return the policies whose text tells an amount that its plain copy does not, while this has the next sentence."""
    rows = tables[RESOURCE].select("id", "content", plain=pl.col("clearContent").str.replace_all(_NOT_WORDS, ""))
    # NOTE: tags go before sentences are cut, for a tag may stand between a sentence and its full stop.
    sentences = rows.with_columns(pl.col("content").str.replace_all(r"<[^>]*>", "").str.split("。")).explode("content")
    words = sentences.with_columns(words=pl.col("content").str.replace_all(_NOT_WORDS, ""))
    then = pl.col("words").shift(-1).over("id")
    amount = pl.col("content").str.extract(_AMOUNT).str.replace_all(_NOT_WORDS, "")
    told, continued = (pl.col("plain").str.contains(part, literal=True) for part in (amount, then))
    return words.filter(~told, continued, then != "")["id"].n_unique()


def _lost_glyphs(tables: Tables) -> list[str]:
    found = pl.concat([tables[RESOURCE][column] for column in ("clearContent", "machineSummary")])
    shown = found.str.extract(r"(\p{Han}{0,2}\s?\?\s?\p{Han}{1,2})").alias("shown")
    return texts(shown.drop_nulls().to_frame(), "shown")


def _entities(tables: Tables) -> list[str]:
    found = tables[RESOURCE]["content"].str.extract_all(r"&\w+;").explode().drop_nulls()
    return texts(found.alias("shown").to_frame(), "shown")


def _incomplete(tables: Tables) -> list[str]:
    rows = tables[RESOURCE].filter(pl.col("industry").is_null() | pl.col("summary").is_null())
    return texts(rows.select(shown=pl.format("id {}", "id")), "shown")


POLICIES: tuple[Documented, ...] = (
    of_examples("industries without an id, and their policies", "4.8", (RELEASE,),
        ("互联网和相关服务 116", "电信、广播电视和卫星传输服务 51", "制造业", "工业制造业"), _without_id),
    of_examples("industries whose national total is missing", "4.9", (RELEASE,),
        ("信息传输、软件和信息技术服务业",), _without_total),
    of_number("sum of counts by agency: joint policies count for each", "4.19", (RELEASE,),
        "above the 602 policies", 603, None, _sum_over_agencies),
    of_examples("policies without industry or summary", "4.10", (RESOURCE,), ("id 1144",), _incomplete),
    of_number("policies with an amount in the text that the plain copy leaves out", "4.24", (RESOURCE,),
        "1", 1, 1, _facts_in_text_only),
    of_examples("lost glyphs in texts", "4.17", (RESOURCE,), ("法?化", "?总"), _lost_glyphs),
    of_examples("HTML entities in texts", "4.25", (RESOURCE,), ("&ldquo;", "&nbsp;", "&ensp;"), _entities),
)  # fmt: skip
