"""What holds in a generated corpus of any size, on a small one."""

import hashlib
import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import median

import polars as pl
import pytest

from pipeline.model import Difference, Growth, Identity, Ratio, Sum
from raw.corpus.firms.profile import HEADER
from raw.draws import CORPUS_KEY
from raw.vocabulary.indicators import IDENTITIES, INDICATORS
from raw.vocabulary.industries import INDUSTRIES
from tests.stats import ALPHA
from tests.unit.raw.generated import Corpus
from validation.attacks.noise.filters import filter_attack

WIDE = ("company_operation_status", "company_operation_history")
MACRO = ("national_macro_detail", "national_macro_yearly", "regional_macro_detail", "regional_macro_yearly")


def rounded(value: Fraction, decimals: int) -> Fraction:
    """Round half away from zero, the slow and obvious way."""
    scaled = abs(value) * 10**decimals
    whole = int(scaled)
    whole += scaled - whole >= Fraction(1, 2)
    return Fraction(whole if value >= 0 else -whole, 10**decimals)


def figures(small: Corpus) -> dict[tuple[str, int, str], Fraction]:
    return {
        (row["bmCode"], int(row["year"]), measure.name): Fraction(row[measure.name])
        for row in small.operation.iter_rows(named=True)
        for measure in INDICATORS
        if row[measure.name] is not None
    }


def stated(identity: Identity, known: dict[tuple[str, int, str], Fraction], code: str, year: int) -> Fraction | None:
    assert not isinstance(identity, Sum)
    if isinstance(identity, Ratio):
        numerator, denominator = (
            known.get((code, year, identity.numerator[0])),
            known.get((code, year, identity.denominator)),
        )
        return None if numerator is None or not denominator else rounded(100 * numerator / denominator, 2)
    now, before = known.get((code, year, identity.base)), known.get((code, year - 1, identity.base))
    if now is None or before is None:
        return None
    if isinstance(identity, Difference):
        return now - before
    return rounded(100 * (now - before) / abs(before), 2) if before else None


def test_every_identity_holds_exactly(small: Corpus) -> None:
    """Each ratio, growth and difference equals what fractions give, and is null where they give nothing."""
    known = figures(small)
    assert {type(identity) for identity in IDENTITIES} == {Ratio, Growth, Difference}
    for code, year in small.operation.select("bmCode", pl.col("year").cast(pl.Int64)).iter_rows():
        for identity in IDENTITIES:
            assert known.get((code, year, identity.output)) == stated(identity, known, code, year), identity.output


def test_figures_are_plain_decimals(small: Corpus) -> None:
    """Figures have no exponent, no padding and no more decimals than their measure has."""
    for measure in INDICATORS:
        places = rf"(\.\d{{0,{measure.decimals - 1}}}[1-9])?" if measure.decimals else ""
        column = small.operation[measure.name].drop_nulls()
        assert column.str.contains(rf"^(0|-?[1-9]\d*|-?0\.\d*[1-9]|-?[1-9]\d*{places})$").all(), measure.name


def test_everything_is_text(small: Corpus) -> None:
    """Every column of every table is text, and no cell is empty text."""
    for name, table in small.tables.items():
        assert set(table.schema.dtypes()) == {pl.String}, name
        assert not table.select(pl.any_horizontal((pl.all() == "").any())).item(), name


def test_codes_and_names_are_unique(small: Corpus) -> None:
    """No two companies share a code, a legal name or an English name; decoys that repeat are the same decoys."""
    overseas = small.tables["overseas_profile"]
    everyone = pl.concat([small.domestic, overseas])
    assert everyone["bmCode"].is_unique().all()
    assert everyone["bmCompanyName"].is_unique().all()
    assert set(small.translation) == set(everyone["bmCompanyName"])
    assert len(set(small.translation.values())) == len(small.translation)
    assert set(small.tables["company_profile"]["bmCode"]) <= set(everyone["bmCode"])


def test_profile_header_and_order(small: Corpus) -> None:
    """The profile has the release's 29 headers; domestic firms come by code, then decoys by code."""
    profile = small.tables["company_profile"]
    assert tuple(profile.columns) == HEADER
    assert len(HEADER) == 29
    decoys = profile.filter(pl.col("companyType") == "国外")["bmCode"].to_list()
    assert profile["bmCode"].to_list() == sorted(small.domestic["bmCode"]) + sorted(decoys)


def test_decoys_are_told_by_their_venue_and_country_alone(small: Corpus) -> None:
    """Of dates, trades, classes and flags no single filter tells the decoys from the domestic firms; codes and names may."""
    decoys = small.tables["overseas_profile"]
    declared = ["companyType", "industryId", "province", "city", "area", "exchange", "plate", "ownership", "country"]
    raw = ["id", "bmCode", "bmCompanyName", "createTime", "updateTime"]
    told = filter_attack(
        decoys.drop(raw), small.domestic.drop(raw), kinds="decoys against firms", key=CORPUS_KEY, inherent=declared
    )
    assert not told.beats_chance(ALPHA), told


@pytest.mark.parametrize(
    ("exchange", "pattern"),
    [
        ("深交所", r"^[03]\d{5}\.SZ$"),
        ("上交所", r"^6\d{5}\.SH$"),
        ("港交所", r"^\d{5}\.HK$"),
        ("北交所", r"^8\d{5}\.BJ$"),
    ],
)
def test_codes_look_like_their_exchange(small: Corpus, exchange: str, pattern: str) -> None:
    """A code has the digits and the suffix of its exchange."""
    codes = small.domestic.filter(pl.col("exchange") == exchange)["bmCode"]
    assert codes.len() > 0
    assert codes.str.contains(pattern).all()


def test_domestic_firms_are_complete(small: Corpus) -> None:
    """A domestic firm has industry, second industry, province, city, owner and listing date."""
    needed = ["industry", "secondIndustry", "province", "city", "ownership", "exchange", "listingDate", "country"]
    assert sum(small.domestic.select(needed).null_count().row(0)) == 0


def test_founding_precedes_listing(small: Corpus) -> None:
    """A firm is founded before it is listed; Hong Kong says nothing of founding."""
    days = small.domestic.select(
        pl.col("completedDate", "listingDate").str.to_date("%d/%m/%Y"), at_home=pl.col("companyType") == "沪深"
    )
    assert (days["completedDate"].is_not_null() == days["at_home"]).all()
    assert days.drop_nulls().select((pl.col("completedDate") < pl.col("listingDate")).all()).item()


def test_no_figures_from_before_listing(small: Corpus) -> None:
    """A firm has rows from the year before its listing on, and for every year since."""
    first = {row["bmCode"]: int(row["listingDate"][-4:]) - 1 for row in small.domestic.iter_rows(named=True)}
    years = small.operation.group_by("bmCode").agg(pl.col("year").cast(pl.Int64).sort())
    assert years.height == len(first)
    for code, reported in years.iter_rows():
        assert reported == [year for year in (2020, 2021, 2022) if year >= first[code]]


def test_research_is_rare_in_finance(small: Corpus) -> None:
    """Financial and real-estate firms report research much more rarely than the rest."""
    status = small.tables["company_operation_status"].join(small.domestic.select("bmCode", "industry"), on="bmCode")
    is_shy = pl.col("industry").is_in(["金融业", "房地产业"])
    shares = status.group_by(is_shy.alias("shy")).agg(pl.col("研发投入金额").is_not_null().mean()).sort("shy")
    assert shares["研发投入金额"][1] < 0.5 * shares["研发投入金额"][0]


def test_aliases_are_unique_and_long(small: Corpus) -> None:
    """No alias occurs twice or is a legal name; none is so short that prose could hold it by chance."""
    alias = small.tables["company_alias"]
    assert alias["alias"].is_unique().all()
    assert not set(alias["alias"]) & set(small.translation)
    assert (alias["alias"].str.len_chars() >= 4).all()
    assert set(alias["kind"]) == {"short", "english", "subsidiary", "product"}


def test_each_firm_has_one_short_and_one_english_name(small: Corpus) -> None:
    """Short and English names are given once to each domestic firm; the English one is the translation."""
    given = small.tables["company_alias"].filter(pl.col("kind").is_in(["short", "english"]))
    counted = given.group_by("bmCode", "kind").len()
    assert counted.height == 2 * small.domestic.height
    assert (counted["len"] == 1).all()
    english = dict(given.filter(pl.col("kind") == "english").select("bmCode", "alias").rows())
    names = dict(small.domestic.select("bmCode", "bmCompanyName").rows())
    assert english == {code: small.translation[name] for code, name in names.items()}


def test_narratives_differ_and_name_their_firm(small: Corpus) -> None:
    """No two narratives are equal; each holds its firm's legal and short name, bare code, subsidiaries and products."""
    core = small.tables["company_core"]
    assert core["bmCoreVieContent"].is_unique().all()
    names = dict(small.domestic.select("bmCode", "bmCompanyName").rows())
    owned = small.tables["company_alias"].filter(pl.col("kind") != "english").group_by("bmCode").agg("alias")
    aliases = dict(owned.rows())
    for code, text in core.select("bmCode", "bmCoreVieContent").iter_rows():
        mentions = [names[code], f"（股票代码：{code.partition('.')[0]}", *aliases[code]]
        assert all(mention in text for mention in mentions)
        assert 500 <= len(text) <= 1200


def test_subsidiaries_belong_to_firms_with_narratives(small: Corpus) -> None:
    """Firms with a narrative have subsidiaries and products, the others have none."""
    told = set(small.tables["company_core"]["bmCode"])
    for kind in ("subsidiary", "product"):
        assert set(small.tables["company_alias"].filter(pl.col("kind") == kind)["bmCode"]) == told


def test_policies_have_unique_keys_and_full_texts(small: Corpus) -> None:
    """Policies differ in title; texts are 800 to 2,500 characters; the summary is the beginning."""
    policies = small.tables["policy_resource"]
    assert policies["title"].is_unique().all()
    assert policies["clearContent"].str.len_chars().is_between(800, 2500).all()
    plain = policies["clearContent"].str.replace_all("\n", "")
    assert (plain.str.head(150) == policies["summary"]).all()
    assert policies["content"].str.contains("</p>").all()


def test_translated_titles_are_titles_of_policies(small: Corpus) -> None:
    """At least one title is translated; each is, to the letter, the title of a policy, and its English form English."""
    assert small.titles
    assert set(small.titles) <= set(small.tables["policy_resource"]["title"])
    assert all(english.isascii() for english in small.titles.values())


def test_no_policy_title_mentions_a_company(full: Corpus) -> None:
    """No title holds a name, an alias or a code, so that anonymising leaves every title and its English form alone."""
    names = [*full.translation, *full.tables["company_alias"]["alias"]]
    codes = full.domestic["bmCode"].str.head(5).to_list()
    policies = full.tables["policy_resource"].select(
        title=pl.col("title").str.contains_any([*names, *codes]), body=pl.col("clearContent").str.contains_any(names)
    )
    assert not policies["title"].any()
    assert policies["body"].any()


def test_policies_are_written_before_they_are_published(small: Corpus) -> None:
    """No policy is published before it is written."""
    days = small.tables["policy_resource"].select(pl.col("writtenDate", "publishDate").str.to_date("%d/%m/%Y"))
    assert (days["writtenDate"] <= days["publishDate"]).all()


def test_only_local_policies_have_a_place(small: Corpus) -> None:
    """Local policies and no others have a province; a city only stands with its province."""
    policies = small.tables["policy_resource"]
    assert ((policies["policyClassification"] == "地方政策") == policies["province"].is_not_null()).all()
    assert policies.filter(pl.col("city").is_not_null() & pl.col("province").is_null()).is_empty()


def test_policy_industries_are_in_the_dictionary(small: Corpus) -> None:
    """Every industry of a policy is a level-1 industry."""
    named = small.tables["policy_resource"]["industry"].drop_nulls().str.split("；").explode()
    assert set(named) <= {industry.name for industry in INDUSTRIES}


@pytest.mark.parametrize("name", MACRO)
def test_macro_rows_are_unique(small: Corpus, name: str) -> None:
    """A macro row is unique in name and year, and its value has at most six decimals."""
    table = small.tables[name]
    assert table.select("targetName", "year").is_unique().all()
    assert table["value"].str.contains(r"^-?\d+(\.\d{1,6})?$").all()


def test_regional_yearly_repeats_the_detail_rows(small: Corpus) -> None:
    """The regional yearly table is the detail table with the year 2022, and annual rows."""
    detail, yearly = small.tables["regional_macro_detail"], small.tables["regional_macro_yearly"]
    repeated = yearly.filter(~pl.col("targetName").str.ends_with("（年度）"))
    assert repeated.drop("year").equals(detail.drop("year"))
    assert set(yearly["year"]) == {"2022"}


def test_national_statistics_are_those_of_the_firms(small: Corpus) -> None:
    """Counts and statistics of an industry equal what a list of its firms gives."""
    status = small.tables["company_operation_status"].join(small.domestic.select("bmCode", "industry"), on="bmCode")
    for row in small.tables["national_industry_status"].iter_rows(named=True):
        members = status.filter(pl.col("industry") == row["行业"])
        assert int(row["企业总数"]) == members.height
        for measure in ("总资产", "雇员总数", "资产负债率"):
            values = sorted(Decimal(value) for value in members[measure].drop_nulls())
            assert Decimal(row[f"{measure}中位数"]) == median(values)
            assert (Decimal(row[f"{measure}最小值"]), Decimal(row[f"{measure}最大值"])) == (values[0], values[-1])
            assert float(row[f"{measure}均值"]) == pytest.approx(float(sum(values) / len(values)), rel=1e-14)


def test_regional_counts_add_up_to_national_ones(small: Corpus) -> None:
    """Over all provinces, every count of an industry is the national one."""
    regional, national = small.tables["regional_industry_status"], small.tables["national_industry_status"]
    counts = [column for column in national.columns if column.endswith(("企业数量", "企业总数"))]
    assert len(counts) == 42
    of = pl.col(counts).cast(pl.Int64).sum()
    assert regional.group_by("行业").agg(of).sort("行业").equals(national.group_by("行业").agg(of).sort("行业"))


def test_statistics_stand_for_sixteen_provinces(small: Corpus) -> None:
    """Regional statistics stand for the sixteen provinces and no others; of counts always, zero where nobody reports."""
    regional = small.tables["regional_industry_status"].select("省份", "累计中国专利申请数均值")
    known = regional.filter(pl.col("累计中国专利申请数均值").is_not_null())
    assert known["省份"].n_unique() == 16
    assert known.height == 16 * 44


def digests(folder: Path) -> dict[str, str]:
    contents = {path.stem: pl.read_parquet(path).write_csv().encode() for path in sorted(folder.glob("*.parquet"))}
    contents |= {path.stem: path.read_bytes() for path in folder.glob("*.json")}
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def test_same_corpus_whatever_threads_and_hash_seed(tmp_path: Path) -> None:
    """One thread and two, and other hash seeds, give the same corpus."""
    found = []
    for threads, seed in (("1", "1"), ("2", "77")):
        folder = tmp_path / threads
        code = f"from pathlib import Path; from raw.corpus import generate; generate(Path({str(folder)!r}), 0.01)"
        environment = os.environ | {"POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=Path(__file__).parents[3])
        found.append(digests(folder))
    assert len(found[0]) == 16
    assert found[0] == found[1]
