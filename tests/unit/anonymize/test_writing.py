"""Prose written anew: from the release alone, each text by its own row, left out where nobody writes."""

from dataclasses import replace
from functools import cache

import polars as pl
import pytest

from anonymize.names import PseudonymousName, pseudonymous_names
from anonymize.prose.writing import is_about_entities, write_anew
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD, Column, Environment, Prose, RawTable, Role, Subjects
from raw.corpus.firms.aliases import make_aliases
from raw.corpus.firms.drawn import make_firms
from raw.corpus.firms.narratives import company_core, narrated
from raw.corpus.trades import TRADES
from raw.vocabulary.geography import PROVINCES
from raw.vocabulary.industries import INDUSTRIES
from silt.environments.dataclaw_18 import DATACLAW_18

KEY = Key(b"k" * 32)
SCALE = 0.02
CODE, TEXT = "bmCode", "bmCoreVieContent"
FIRMS = 80


@cache
def names() -> dict[str, PseudonymousName]:
    industries = {f"{200_000 + 17 * i}": INDUSTRIES[i % len(INDUSTRIES)].name for i in range(FIRMS)}
    return pseudonymous_names(industries, KEY.derive("names"), language="zh", avoid=[])


def entities() -> pl.DataFrame:
    """Return the published firms, some without city, province or industry."""
    codes = list(names())
    places = [PROVINCES[i % len(PROVINCES)] for i in range(FIRMS)]
    return pl.DataFrame(
        {
            CODE: codes,
            PERIOD: 1999,
            "industry": [None if i == 7 else INDUSTRIES[i % len(INDUSTRIES)].name for i in range(FIRMS)],
            "province": [None if i % 6 == 0 else places[i].name for i in range(FIRMS)],
            "city": [None if i % 3 == 0 else places[i].cities[0].name for i in range(FIRMS)],
        },
        schema_overrides={PERIOD: pl.Int64},
    )


def rows() -> pl.DataFrame:
    flags = {PERIOD: pl.lit(2022, pl.Int64), "hasRun": pl.lit("1"), "isDelete": pl.lit("0")}
    return entities().select(CODE, **flags)


def figures() -> pl.DataFrame:
    """Return figures of two years of every second firm."""
    some = entities().select(CODE).gather_every(2)
    return pl.concat([some.with_columns(**{PERIOD: pl.lit(year, pl.Int64), "sales": year}) for year in (2022, 2021)])


def written(
    *,
    environment: Environment = DATACLAW_18,
    table: str = "company_core",
    of: pl.DataFrame | None = None,
    key: Key = KEY,
) -> pl.DataFrame:
    about = rows() if of is None else of
    return write_anew(environment, table, about, entities=entities(), names=names(), figures=figures(), key=key)


def with_notes(*writers: Prose, nullable: bool = True) -> Environment:
    """Return the environment with a further table of prose about firms, and these writers alone."""
    notes = RawTable(
        name="notes",
        key=("firm",),
        columns=(
            Column(name="firm", role=Role.CODE, nullable=False),
            Column(name="note", role=Role.TEXT, nullable=nullable),
            Column(name="kind"),
        ),
    )
    return replace(DATACLAW_18, raw_tables=(*DATACLAW_18.raw_tables, notes), prose=writers)


def a_note(write: str = "") -> Prose:
    """Return a writer that tells of the figures, and of nobody whose figures it does not have."""

    def notes(subjects: Subjects, _key: Key) -> pl.Series:
        return subjects.figures.select(pl.concat_str(pl.lit(write), pl.col("sales").cast(pl.String))).to_series()

    return Prose(table="notes", column="note", write=notes)


def note_rows() -> pl.DataFrame:
    return entities().select(pl.lit("a").alias("kind"), firm=CODE)


def test_every_row_has_a_text_of_its_own() -> None:
    """Rows come back in their order with the columns of the declaration, and no two texts are equal."""
    found = written()
    assert found.columns == [CODE, PERIOD, "hasRun", TEXT, "isDelete"]
    assert found.drop(TEXT).equals(rows())
    assert found[TEXT].n_unique() == FIRMS


def test_a_text_follows_from_key_and_firm_alone() -> None:
    """Rows in another order, or fewer of them, have the same texts; under another key all texts are others."""
    some = rows().sample(30, shuffle=True, seed=1)
    assert written(of=some).equals(
        some.join(written(), on=some.columns, maintain_order="left").select(written().columns)
    )
    assert not set(written(key=Key(b"x" * 32))[TEXT]) & set(written()[TEXT])


def test_an_old_text_is_not_read() -> None:
    """What stands in the text column of the rows is of no consequence."""
    assert written(of=rows().with_columns(pl.lit("the original's sentence").alias(TEXT))).equals(written())


def test_texts_name_their_firm_and_nobody_else() -> None:
    """Each holds the firm's legal and short name and its code, and no brand of another."""
    by_code = dict(written().select(CODE, TEXT).iter_rows())
    for code, name in names().items():
        assert all(mention in by_code[code] for mention in (name.legal, name.short, f"股票代码：{code}，"))
        assert all(name.brand not in text for other, text in by_code.items() if other != code)


def test_texts_have_what_noise_works_on() -> None:
    """Numbered sections, several sentences, one line, about as long as the corpus' own."""
    for text in written()[TEXT]:
        assert "一、" in text
        assert "二、" in text
        assert 400 <= len(text) <= 1_300
        assert "\n" not in text
        assert "None" not in text
        assert "{" not in text


def test_only_what_is_told_is_written() -> None:
    """A firm is in its city, in its province where no city is told, and nowhere if neither is; the industry likewise."""
    told = entities().join(written().select(CODE, TEXT), on=CODE)
    cities = {city.name for province in PROVINCES for city in province.cities}
    nowhere = told.filter(pl.col("province").is_null(), pl.col("city").is_null())
    in_province = told.filter(pl.col("province").is_not_null(), pl.col("city").is_null())
    assert nowhere.height
    assert not any(place in text for text in nowhere[TEXT] for place in ("总部位于", "注册地为", "生产基地位于"))
    assert any(province in text for province, text in in_province.select("province", TEXT).iter_rows())
    for place, text in told.select(pl.coalesce("city", "province"), TEXT).iter_rows():
        assert not [other for other in cities - {place} if f"总部位于{other}" in text]
    (without,) = told.filter(pl.col("industry").is_null())[TEXT]
    assert not any(industry.name in without for industry in INDUSTRIES if industry.name != "综合")  # a plain word, too


def test_texts_keep_to_the_facts() -> None:
    """What is declared of the published column is true: no null, and columns with closed sets have values of them."""
    facts = {field.name: field for field in DATACLAW_18.table("company_core").fields}
    for column in ("hasRun", TEXT, "isDelete"):
        cells = written()[column]
        assert facts[column].nullable or not cells.null_count()
        assert facts[column].allowed is None or set(cells) <= set(facts[column].allowed or ())


def _clauses(text: str, words: dict[str, str]) -> set[str]:
    """Return the clauses of ten characters and more, with the same word for every place, skill, industry and number."""
    alike = pl.Series([text]).str.replace_many(words).str.replace_all(r"\d+", "9").str.split("。")
    parts = alike.explode().str.replace_all("[，、：；（）“”]", "。").str.split("。").explode()
    return {clause for clause in parts if len(clause) >= 10}


def test_no_clause_is_that_of_one_original_alone() -> None:
    """What a text shares with an original is grammar and vocabulary: no clause beyond them stands in one original only."""
    firms = make_firms(SCALE)
    originals = company_core(firms, make_aliases(firms, narrated(firms, SCALE)))[TEXT]
    vocabulary = [industry.name for industry in INDUSTRIES] + [
        skill for trade in TRADES.values() for skill in trade.skills
    ]
    places = [place.name for province in PROVINCES for place in (province, *province.cities)]
    words = dict.fromkeys(sorted({*vocabulary, *places}), "某")
    of_originals = [_clauses(text, words) for text in originals]
    assert len(of_originals) == round(4_907 * SCALE)
    for text in written()[TEXT]:
        for clause in _clauses(text, words):
            assert sum(clause in of_original for of_original in of_originals) != 1, clause


def test_without_a_writer_texts_are_left_out() -> None:
    """A text that may be null is null; where it may not be, its row is gone."""
    assert written(environment=with_notes(), table="notes", of=note_rows())["note"].null_count() == FIRMS
    gone = written(environment=with_notes(nullable=False), table="notes", of=note_rows())
    assert (gone.height, gone.columns) == (0, ["firm", "note", "kind"])
    assert written(environment=with_notes()).height == 0


def test_a_writer_may_leave_texts_out() -> None:
    """Null texts drop the rows whose text may not be null, and figures told are those of the latest year."""
    kept = written(environment=with_notes(a_note()), table="notes", of=note_rows())
    fewer = written(environment=with_notes(a_note(), nullable=False), table="notes", of=note_rows())
    assert kept["note"].null_count() == FIRMS // 2
    assert fewer.equals(kept.drop_nulls())
    assert set(fewer["note"]) == {"2022"}


def test_writers_of_columns_that_are_no_prose_are_refused() -> None:
    """A writer whose column holds no texts would leave out what it was to write."""
    with pytest.raises(InputError, match=r"unknown text column of 'notes' 'kind'; known: note"):
        with_notes(Prose(table="notes", column="kind", write=a_note().write))


def test_tables_about_nobody_are_refused() -> None:
    """Policies have texts and no codes, profiles codes and no texts: nothing is written there."""
    about = [table.name for table in DATACLAW_18.raw_tables if is_about_entities(table)]
    assert about == ["company_core"]
    with pytest.raises(InputError, match="'policy_resource' has no code or no text"):
        written(table="policy_resource")


def test_firms_of_whom_nothing_is_told_are_refused() -> None:
    """A row whose firm has no attributes, or no name, is a mistake of the caller."""
    stranger = rows().with_columns(pl.lit("999999").alias(CODE)).head(1)
    with pytest.raises(InputError, match="1 of 1 entities to write about have not got attributes"):
        written(of=stranger)
    with pytest.raises(InputError, match=f"{FIRMS} of {FIRMS} entities to write about have not got an invented name"):
        write_anew(DATACLAW_18, "company_core", rows(), entities=entities(), names={}, figures=figures(), key=KEY)
