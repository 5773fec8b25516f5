"""What each kind does to a text, against slow and obvious versions of it and the release's own examples."""

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy import stats

from pipeline.keyed import Key
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.attributes import AttributeInProse, ColumnOf
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.parts.sentences import sentences
from pipeline.noise.kinds.prose import ClippedText, LostGlyphs, Markup, PdfResidue, ShuffledSentences
from pipeline.noise.ledger import SCHEMA
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.unit.noise.applied import problems
from tests.unit.noise.cases_prose import ENVIRONMENT, FACT, FIRMS, NARRATIVES, STABLE, TOLD_BESIDE, VARIED, told

KEYS = st.binary(min_size=32, max_size=32).map(Key)
MARKS = ("2022年年度报告全文 {page}", "{page} / {pages}")
FORMS = {"广东省": ["广东省", "广东", "粤"], "上海市": ["上海市"]}


def applied(key: Key, *kinds: Kind, rate: float = 1.0, table: str = "policies", **columns: list[str | None]) -> Noised:
    """Apply kinds to a table of the given columns; the others are constant."""
    size = len(next(iter(columns.values())))
    published = ENVIRONMENT.table(table)
    defaults = dict.fromkeys(published.columns, ["x"] * size) | {"id": [str(row) for row in range(size)]}
    return noised(pl.DataFrame(defaults | columns, schema=dict.fromkeys(defaults, pl.String)), key, *kinds, rate=rate)


def noised(
    rows: pl.DataFrame,
    key: Key,
    *kinds: Kind,
    rate: float = 1.0,
    table: str = "policies",
    beside: dict[str, pl.DataFrame] | None = None,
) -> Noised:
    """Apply kinds to rows, each by a rule that names the tables of firms and narratives, too."""
    tables, mechanism = (table, "firms", "narratives"), CompletelyAtRandom(rate=rate)
    rules = tuple(
        Rule(name=str(number), kind=kind, tables=tables, mechanism=mechanism) for number, kind in enumerate(kinds)
    )
    spec = NoiseSpec(environment="small", rules=rules)
    return apply_noise(rows, ENVIRONMENT.table(table), spec, ENVIRONMENT, key, beside=beside)


# --- sentences ---------------------------------------------------------------------------------------------------------


@given(text=st.text(st.sampled_from('ab。！？.!? \n”)"1'), max_size=30))
def test_sentences_join_to_their_text(text: str) -> None:
    """Nothing is lost where a text is cut, and only the last piece may lack a full stop."""
    cut = pl.select(sentences(pl.lit(text))).item().to_list()
    assert "".join(cut) == text
    assert all(re.search(r"[。！？.!?][”)\"\s]*$", piece) for piece in cut[:-1])


def test_sentences_are_those_of_both_languages() -> None:
    """A decimal point ends nothing; a closing quotation mark belongs to its sentence."""
    text = "补贴3.5万元。他说：“好。”再议！Up by 3.5 %. Done."
    cut = ["补贴3.5万元。", "他说：“好。”", "再议！", "Up by 3.5 %. ", "Done."]
    assert pl.select(sentences(pl.lit(text))).item().to_list() == cut


# --- told in prose, in one table -----------------------------------------------------------------------------------------


def placed(text: str, sentence: str, place: str) -> str:
    """Put a sentence into a text whose sentences end in 。: the obvious way."""
    first, stop, rest = text.partition("。")
    return {"end": text + sentence, "start": sentence + text, "after_first_sentence": first + stop + sentence + rest}[
        place
    ]


@pytest.mark.parametrize("place", ["end", "start", "after_first_sentence"])
@pytest.mark.parametrize("templates", [STABLE, VARIED])
def test_value_is_written_in_each_wording_alike(place: Any, templates: tuple[str, ...], key: Key) -> None:
    """Every cell is emptied, its narrative is one of the possible ones, and these come up alike: chi-square, alpha 1e-6."""
    size, text = 3_000, "第一句。\n第二句，无句号"
    result = applied(key, told(place, templates), province=["广东省"] * size, body=[text] * size).frame
    forms = FORMS["广东省"] if templates == VARIED else ["广东省"]
    possible = {placed(text, template.replace("{value}", form), place) for template in templates for form in forms}
    counts = Counter(result["body"])
    assert result["province"].null_count() == size
    assert set(counts) == possible
    assert len(possible) == 1 or stats.chisquare(list(counts.values())).pvalue > 1e-6


@given(key=KEYS, rate=st.sampled_from([0.4, 1.0]))
def test_attribute_is_written_exactly_where_it_vanished(key: Key, rate: float) -> None:
    """A policy either keeps its province and its body, or loses the one and has it told in the other."""
    size = 40
    result = applied(key, told("end"), rate=rate, province=["上海市"] * size, body=["正文。"] * size).frame
    for province, body in result.select("province", "body").iter_rows():
        assert (province, body) == ("上海市", "正文。") or (
            province is None and "上海市" in body.removeprefix("正文。")
        )


@pytest.mark.parametrize("gone", ["province", "body"])
def test_value_is_not_lost_with_its_narrative(gone: str, key: Key) -> None:
    """Where an earlier rule emptied the body, the province stays; where it emptied the province, the body tells it."""
    result = applied(key, MissingValues(columns=(gone,)), told("end"), province=["上海市"], body=["正文。"]).frame.row(
        0, named=True
    )
    assert (result["province"] == "上海市") == (gone == "body")
    assert (result["body"] is None) == (gone == "body")


@pytest.mark.parametrize(
    ("province", "body"), [(None, "正文。"), ("上海市", None), ("一。二", "正文。"), ("a\nb", "正文。")]
)
def test_what_cannot_be_written_stays(province: str | None, body: str | None, key: Key) -> None:
    """Empty cells, and values that are more than a part of one sentence, are left."""
    assert applied(key, told("end"), province=[province], body=[body]).ledger.is_empty()


def test_a_form_that_means_two_values_is_never_written(key: Key) -> None:
    """Aliases that two names share, and those that are names themselves, are not drawn."""
    result = applied(key, told("end"), province=["陕西省"] * 200, body=["正文。"] * 200)
    assert set(result.frame["body"].str.extract("(陕西省|陕|Shanxi|晋省)")) == {"陕西省", "陕"}
    assert result.ledger["recoverable"].all()


def test_value_that_reads_as_another_is_lost(key: Key) -> None:
    """A raw value that is another's alias is told as it is, but marked as lost: it reads back as the other."""
    ledger = applied(key, told("end"), province=["粤"] * 20, body=["正文。"] * 20).ledger
    assert ledger.height == 40
    assert not ledger["recoverable"].any()


def test_sentence_that_runs_into_the_text_is_not_recoverable(key: Key) -> None:
    """A value that begins the sentence cannot be told from a text that ends without a full stop."""
    kind = told("end", ("{value}为发文地。",))
    ledger = applied(key, kind, province=["上海市"] * 2, body=["正文。", "正文"]).ledger
    assert ledger.sort("row_key", maintain_order=True)["recoverable"].to_list() == [True, True, False, False]


def test_narrative_that_ends_like_a_wording_is_not_recoverable(key: Key) -> None:
    """Where the text's end and the sentence make another wording, the value is read but the text comes back short."""
    kind = told("end", ("位于{value}。", "公司位于{value}。"))
    ledger = applied(key, kind, province=["上海市"] * 50, body=["关于公司"] * 50).ledger.filter(
        pl.col("column") == "body"
    )
    assert set(ledger.select("after", "recoverable").rows()) == {
        ("关于公司位于上海市。", False),
        ("关于公司公司位于上海市。", True),
    }


# --- told in prose, across two tables ------------------------------------------------------------------------------------


def both_noised(key: Key, rate: float) -> tuple[Noised, Noised]:
    """Noise the firms and their narratives by one rule."""
    firms = noised(FIRMS, key, TOLD_BESIDE, rate=rate, table="firms", beside={"narratives": NARRATIVES})
    narratives = noised(NARRATIVES, key, TOLD_BESIDE, rate=rate, table="narratives", beside={"firms": FIRMS})
    return firms, narratives


def tellable() -> set[str]:
    """Return the codes with one firm, that has a province, and one narrative: the obvious way."""
    firms, narratives = Counter(FIRMS["code"]), Counter(NARRATIVES.drop_nulls("prose")["code"])
    provinces = dict(FIRMS.drop_nulls("province").select("code", "province").iter_rows())
    return {code for code in provinces if code and firms[code] == narratives[code] == 1}


def codes(rows: pl.DataFrame, result: Noised) -> list[str]:
    """Return the codes of the rows that changed."""
    return rows.filter(pl.col("id").is_in(result.ledger["row_key"].implode()))["code"].to_list()


@given(key=KEYS, rate=st.sampled_from([0.4, 1.0]))
def test_tables_decide_alike(key: Key, rate: float) -> None:
    """The firms that lose their province are those whose narrative tells one, each once; at rate 1 all that can."""
    firms, narratives = both_noised(key, rate)
    assert sorted(codes(FIRMS, firms)) == sorted(codes(NARRATIVES, narratives))
    assert set(codes(FIRMS, firms)) <= tellable()
    assert rate < 1 or set(codes(FIRMS, firms)) == tellable()
    provinces = dict(FIRMS.select("code", "province").iter_rows())
    recorded = dict(NARRATIVES.join(narratives.ledger, left_on="id", right_on="row_key").select("code", "after").rows())
    for code, text in recorded.items():
        assert any(form in text for form in FORMS.get(provinces[code], [provinces[code][:2], "桂"]))


@given(key=KEYS)
def test_both_tables_are_mended_whichever_comes_first(key: Key) -> None:
    """From the noisy narratives the firms get their provinces back; the narratives are freed before and after that."""
    firms, narratives = both_noised(key, 1.0)
    own, prose = ENVIRONMENT.table("firms"), ENVIRONMENT.table("narratives")
    mended = TOLD_BESIDE.mended(firms.frame, own, ENVIRONMENT, {"narratives": narratives.frame})
    for beside in (firms.frame, mended):
        freed = TOLD_BESIDE.mended(narratives.frame, prose, ENVIRONMENT, {"firms": beside})
        assert_recoverable_is_back(NARRATIVES, freed, narratives, "prose")
    assert_recoverable_is_back(FIRMS, mended, firms, "province")
    assert firms.ledger["recoverable"].sum() == narratives.ledger["recoverable"].sum() > 5


def assert_recoverable_is_back(clean: pl.DataFrame, mended: pl.DataFrame, result: Noised, column: str) -> None:
    """Assert that rows are clean again but where the ledger says that they are lost."""
    lost = set(result.ledger.filter(~pl.col("recoverable"))["row_key"])
    assert result.ledger["column"].unique().to_list() == [column]
    kept = ~pl.col("id").is_in(list(lost))
    assert_frame_equal(mended.filter(kept), clean.filter(kept))


def test_rows_repeated_whole_do_not_hinder_mending(key: Key) -> None:
    """A narrative that stands twice in the noisy table still tells one province."""
    firms, narratives = both_noised(key, 1.0)
    twice = pl.concat([narratives.frame, narratives.frame])
    mended = TOLD_BESIDE.mended(firms.frame, ENVIRONMENT.table("firms"), ENVIRONMENT, {"narratives": twice})
    assert_recoverable_is_back(FIRMS, mended, firms, "province")


def test_without_the_other_table_nothing_happens(key: Key) -> None:
    """A table whose counterpart is not there keeps what it has, and cannot be mended."""
    own = ENVIRONMENT.table("firms")
    assert_frame_equal(noised(FIRMS, key, TOLD_BESIDE, table="firms").ledger, SCHEMA.to_frame())
    assert_frame_equal(TOLD_BESIDE.mended(FIRMS, own, ENVIRONMENT, {}), FIRMS)
    renamed = FIRMS.rename({"province": "Province"})
    assert_frame_equal(TOLD_BESIDE.mended(renamed, own, ENVIRONMENT, {"narratives": NARRATIVES}), renamed)


# --- the other kinds -----------------------------------------------------------------------------------------------------


def test_fact_stands_in_one_text_only(key: Key) -> None:
    """The sentence follows one of the text's own; title and province know nothing of it."""
    text = "<p>第一条。</p>\n<p>第二条！</p>\n<p>&nbsp;</p>"
    result = applied(key, FACT, body=[text] * 2_000, title=["题"] * 2_000).frame
    facts = {template.replace("{figure}", figure) for template in FACT.templates for figure in FACT.figures}
    possible = {text.replace(stop, stop + fact) for stop in "。！" for fact in facts}
    counts = Counter(result["body"])
    assert set(counts) == possible
    assert stats.chisquare(list(counts.values())).pvalue > 1e-6
    assert set(result["title"]) == {"题"}


class Page(HTMLParser):
    """Reads a page's text and the tags that stand around each line of it: the standard library's way."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", list[str]()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(" ".join([tag, *(f"{name}={value}" for name, value in attrs)]))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(lines=st.lists(st.text(st.sampled_from("工业“”‘’ a1。;#\t"), min_size=1, max_size=12), min_size=1, max_size=4))
def test_markup_reads_as_its_text(lines: list[str], key: Key) -> None:
    """A browser's text of the marked-up lines is the lines, indented; every line is a paragraph of one style."""
    text = "\n".join(lines)
    marked = applied(key, Markup(columns=("body",), forms=("paragraphs", "indents", "quotes", "blanks")), body=[text])
    page = Page(marked.frame["body"].item())
    assert page.text.replace("\u00a0", " ") == "\n".join("\u2002\u2002" + line for line in lines)
    assert len(page.tags) == len(lines)
    assert set(page.tags) <= {"p", "p style=font-weight: 400;", "p style=text-align: justify;"}
    assert len(set(page.tags)) == 1


def test_markup_has_the_releases_forms(key: Key) -> None:
    """The reference's own markup comes up (1.3, 4.25)."""
    texts = set(applied(key, Markup(columns=("body",)), body=["“三品”实施方案"] * 50).frame["body"])
    assert '<p style="font-weight: 400;">&ensp;&ensp;&ldquo;三品&rdquo;实施方案</p>' in texts
    assert len(texts) == 3


@pytest.mark.parametrize("text", ["<b>x</b>", "<p>x</p> y", "“x” &ldquo;y&rdquo;", "a & b", "&nbsp;", "1 < 2", None])
def test_text_with_markup_of_its_own_stays(text: str | None, key: Key) -> None:
    """What has markup already is no candidate, and comes through the mending as it is."""
    result = applied(key, Markup(columns=("body",)), body=[text])
    assert result.ledger.is_empty()
    assert_frame_equal(Markup(columns=("body",)).mended(result.frame, *_policies()), result.frame)


def _policies() -> tuple[Any, ...]:
    return ENVIRONMENT.table("policies"), ENVIRONMENT, {}


def test_page_marks_count_pages_up(key: Key) -> None:
    """A text has one to three marks of one form, page after page; without them it is itself."""
    text = "核心竞争力" * 40
    found = Counter[tuple[int, bool]]()
    for noisy in applied(key, PdfResidue(columns=("body",), marks=MARKS), body=[text] * 3_000).frame["body"]:
        full = [int(page) for page in re.findall(r" 2022年年度报告全文 (\d+) ", noisy)]
        short = [(int(page), int(pages)) for page, pages in re.findall(r" (\d+) / (\d+) ", noisy)]
        pages = full or [page for page, _ in short]
        assert not (full and short)
        assert len({total for _, total in short}) <= 1
        assert all(total > page for page, total in short)
        assert pages == list(range(pages[0], pages[0] + len(pages)))
        assert re.sub(r" 2022年年度报告全文 \d+ | \d+ / \d+ ", "", noisy) == text
        found[len(pages), bool(full)] += 1
    assert len(found) == 6
    assert stats.chisquare(list(found.values())).pvalue > 1e-6


@pytest.mark.parametrize("text", ["见第 17 / 200 页", "上文 2022年年度报告全文 12 下文"])
def test_text_with_page_marks_of_its_own_stays(text: str, key: Key) -> None:
    """A text that has the very marks is no candidate, since they could not be told apart."""
    assert applied(key, PdfResidue(columns=("body",), marks=MARKS), body=[text]).ledger.is_empty()


def test_blanks_fall_inside_words_and_are_lost(key: Key) -> None:
    """Each blank has a letter on either side; without blanks the text is itself; nothing says where they were."""
    text = "研发投入,专利12项。New drugs"
    result = applied(key, PdfResidue(columns=("body",), most_blanks=2), body=[text] * 300)
    for noisy in result.frame["body"]:
        put_in = len(noisy) - len(text)
        inner = len(re.findall(r"(?<=[^\W\d]) (?=[^\W\d])", noisy)) - 1
        assert (noisy.replace(" ", ""), inner) == (text.replace(" ", ""), put_in)
        assert 1 <= put_in <= 2
    assert not result.ledger["recoverable"].any()


def test_lost_glyphs_are_question_marks_in_their_places(key: Key) -> None:
    """One to three Chinese characters become `?`, anywhere, and nothing else changes (`法?化`, reference 4.17)."""
    text = "法治化 rule of law 12"
    noisy = applied(key, LostGlyphs(columns=("body",)), body=[text] * 2_000).frame["body"].to_list()
    places = [[place for place, (a, b) in enumerate(zip(text, new, strict=True)) if a != b] for new in noisy]
    assert "法?化" + text[3:] in noisy
    assert {len(found) for found in places} == {1, 2, 3}
    assert {place for found in places for place in found} == {0, 1, 2}
    assert all(new[place] == "?" for new, found in zip(noisy, places, strict=True) for place in found)


def test_clipped_text_ends_inside_a_word(key: Key) -> None:
    """The text is a beginning of the whole, of about so many characters, and stops between two letters of one word."""
    text = "Everything the company owns; total liabilities plus total equity unless minority interests stand between."
    noisy = applied(key, ClippedText(columns=("body",), characters=50), body=[text] * 500).frame["body"]
    lengths = set(noisy.str.len_chars())
    assert lengths >= {48, 49, 50}
    assert all(45 <= length <= 58 for length in lengths)
    assert all(text.startswith(new) for new in noisy)
    assert all(text[length - 1].isalpha() and text[length].isalpha() for length in lengths)


def test_text_that_is_no_longer_than_the_cut_stays(key: Key) -> None:
    """A text of the longest clipped length is whole; one character more, and it is clipped."""
    kind = ClippedText(columns=("body",), characters=50)
    assert applied(key, kind, body=["文" * 55] * 40).ledger.is_empty()
    assert applied(key, kind, body=["文" * 56] * 40).ledger.height == 40


def test_short_title_is_not_taken_for_a_clipped_one(key: Key) -> None:
    """A title that is shorter than any cut leaves is whole, though the text begins with it; a clipped one is mended."""
    kind = ClippedText(columns=("title",), characters=10, whole_in="body")
    titles = ["通知", "关于印发行动方案的通知，第二批"]
    result = applied(key, kind, title=[*titles], body=["通知书\n正文。", f"{titles[1]}\n正文。"])
    assert result.ledger.select("before", "recoverable").rows() == [(titles[1], True)]
    assert kind.mended(result.frame, *_policies())["title"].to_list() == titles


def test_digits_are_clipped_where_the_length_says(key: Key) -> None:
    """Without a word to break, the text ends after just so many characters."""
    noisy = applied(key, ClippedText(columns=("body",), characters=20), body=["1" * 99] * 500).frame["body"]
    assert set(noisy.str.len_chars()) == set(range(18, 23))


def test_sentences_are_shuffled_and_kept(key: Key) -> None:
    """All orders but the text's own come up; of two sentences the other one."""
    text = "“一”。二！三？"
    orders = set(applied(key, ShuffledSentences(columns=("body",)), body=[text] * 500).frame["body"])
    assert orders == {a + b + c for a, b, c in _orders("“一”。", "二！", "三？")} - {text}
    both = applied(key, ShuffledSentences(columns=("body",), quotes_as=";"), body=["“三品”实施方案。二。"] * 20)
    assert set(both.frame["body"]) == {"二。;三品;实施方案。"}


def _orders(*pieces: str) -> list[tuple[str, ...]]:
    return [(a, b, c) for a in pieces for b in pieces for c in pieces if len({a, b, c}) == len(pieces)]


@pytest.mark.parametrize("text", ["一句。", "没有句号", "同。同。", None])
def test_what_has_no_order_stays(text: str | None, key: Key) -> None:
    """One sentence, or the same one twice, cannot be shuffled."""
    result = applied(key, ShuffledSentences(columns=("body",)), body=[text])
    assert result.ledger.is_empty()
    assert result.opportunities["eligible"].item() == 0


# --- parameters ----------------------------------------------------------------------------------------------------------

PROVINCE, BODY = ColumnOf(table="policies", column="province"), ColumnOf(table="policies", column="body")
PROSE = ColumnOf(table="narratives", column="prose")


def told_with(**parameters: Any) -> AttributeInProse:
    """Return a good kind with some parameters changed."""
    return AttributeInProse(**({"attribute": PROVINCE, "narrative": BODY, "templates": STABLE} | parameters))


BAD = {
    "no value": (told_with(templates=("在上海。",)), "templates", "a text around one {value}"),
    "two values": (told_with(templates=("{value}和{value}。",)), "templates", "a text around one {value}"),
    "value alone": (told_with(templates=(" {value} ",)), "templates", "a text around one {value}"),
    "told in itself": (told_with(narrative=PROVINCE), "narrative", "another column than the attribute"),
    "joined to itself": (told_with(joined_by="id"), "joined_by", "nothing: attribute and narrative stand in one table"),
    "no aliases": (told_with(paraphrases="nothing"), "paraphrases", "a vocabulary that has aliases"),
    "not joined": (
        told_with(attribute=ColumnOf(table="firms", column="province"), narrative=PROSE),
        "joined_by",
        "a column of both tables: code, id",
    ),
    "not beside": (
        told_with(narrative=PROSE, joined_by="id"),
        "narrative",
        "a table that policies declares beside it, and the reverse",
    ),
    "unknown column": (ColumnOf(table="firms", column="city"), "column", "one of code, province"),
    "row key": (ColumnOf(table="firms", column="id"), "column", "one of code, province"),
    "no residue": (PdfResidue(columns=("body",)), "marks", "at least one, or most_blanks above 0"),
    "no page": (
        PdfResidue(columns=("body",), marks=("页",)),
        "marks",
        "a text around one {page}, and at most one {pages}",
    ),
    "no marks": (PdfResidue(columns=("body",), marks=MARKS, most_marks=0), "most_marks", "a whole number from 1 on"),
    "fewer blanks": (
        PdfResidue(columns=("body",), marks=MARKS, most_blanks=-1),
        "most_blanks",
        "a whole number from 0 on",
    ),
    "nothing lost": (LostGlyphs(columns=("body",), most=0), "most", "a whole number from 1 on"),
    "nothing left": (ClippedText(columns=("body",), characters=1), "characters", "a whole number from 2 on"),
    "whole in itself": (
        ClippedText(columns=("body",), characters=9, whole_in="body"),
        "whole_in",
        "another column than `columns`",
    ),
    "no figure": (
        type(FACT)(column="body", templates=("补贴。",), figures=("5",)),
        "templates",
        "a text with one {figure}",
    ),
}


@pytest.mark.parametrize(("kind", "field", "allowed"), BAD.values(), ids=BAD)
def test_parameters_that_do_not_go_together_are_refused(kind: Any, field: str, allowed: str) -> None:
    """Each contradiction is refused once, at its field, with what is allowed."""
    assert problems(kind, ENVIRONMENT) == [(field, allowed)]
