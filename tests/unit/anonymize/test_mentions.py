"""The finder: written forms found, traps left alone, the text around kept, and what was put in not found again."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.mentions.aligned import Aligned, Needles
from anonymize.mentions.blocks import Blocks, Passage
from anonymize.mentions.called import Called, called, of_few
from anonymize.mentions.codes import BARE, UNDECLARED, code_finder, counted, warnings
from anonymize.mentions.contacts import contact_mentions, host_of, invented, numbers_in, significant
from anonymize.mentions.finding import LONGEST_GAP, Finder, Mention, leftmost_longest
from anonymize.mentions.forms import IN_PIECES, PERSON, SHARED, Term, forms_of, with_strengths
from anonymize.mentions.labels import labels_of
from anonymize.mentions.measuring import FEW_TEXTS, SMALL_SHARE, MeasuredForms, common_words, measured
from anonymize.mentions.report import of_published, prose_report
from anonymize.names import PseudonymousName
from anonymize.prose.replacing import AliasPseudonyms, mentions_in, replaced_texts
from benchmarks.mentions import EXAMPLES, measure
from benchmarks.mentions.by_one_word import left_in_notes
from pipeline.errors import InputError
from pipeline.keyed import SEPARATOR, Key
from pipeline.normal_form import letters_of
from validation.report.documents.privacy import ProseCounts

KEY = Key(b"p" * 32)
TERMS = (
    Term(
        "Haidilao International Holding Ltd.", "name", "6862.HK", "Brevanor Retail Inc.", "Brevanor Retail", "Brevanor"
    ),
    Term("China ITS (Holdings) Co., Ltd.", "name", "1900.HK", "Molas Systems Group", "Molas Systems", "Molas"),
    Term("Johnson & Partners plc", "name", "7.HK", "Tarvo Works plc", "Tarvo Works", "Tarvo"),
    Term("宜宾五粮液股份有限公司", "name", "000858.SZ", "泽宇恒酒业股份有限公司", "泽宇恒酒业", "泽宇恒"),
    Term("two", "name", "2.HK", "Gelo Foods Inc.", "Gelo Foods", "Gelo"),
    Term("Li Wei", PERSON, "6862.HK", "Dorma Kelis"),
)
LETTERED = (Term("F043", "code", "F043", "X981"), Term("AB12CD", "code", "AB12CD", "X982"))
NAME = PseudonymousName(
    brand="Molas", legal="Molas Systems Group", short="Molas Systems", english="Molas Systems Group"
)
CODES = {"6862.HK": "100001", "1993.HK": "100002", "600488.SH": "100003", "000001.SZ": "100004", "000001.SH": "100005"}


def about(*texts: str, own: str | None = "1") -> list[Passage]:
    return [Passage("t", "c", row, text, own) for row, text in enumerate(texts)]


def replaced(text: str, own: str | None = None, *others: str) -> str:
    passages = about(text, *others, own=own)
    codes = [code_finder(CODES, examples=EXAMPLES)]
    ((block, mentions),) = mentions_in(Blocks(passages), TERMS, codes=codes, key=KEY, alias_pseudonyms=lambda *_: ())
    return replaced_texts(block.texts, mentions)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Haidilao International Holding Ltd. sells.", "Brevanor Retail Inc. sells."),
        ("HAIDILAO INTERNATIONAL HOLDING LTD sells.", "BREVANOR RETAIL INC. sells."),
        ("at Haidilao International.", "at Brevanor Retail."),
        (f"at Haidilao{' ' * LONGEST_GAP}International.", "at Brevanor Retail."),
        ("(see Haidilao International)", "(see Brevanor Retail)"),
        ("Haidilao International's soup", "Brevanor Retail's soup"),
        ("Hai Di Lao International Co., Ltd.", "Brevanor Retail Inc."),
        ("Haidilao International Limited, a firm", "Brevanor Retail Inc., a firm"),
        ("Johnson and Partners; Johnson &amp; Partners", "Tarvo Works; Tarvo Works"),
        ("公司与宜宾五粮液合作", "公司与泽宇恒酒业合作"),
        ("宜賓五糧液股份有限公司。", "泽宇恒酒业股份有限公司。"),
        ("China ITS and China ITS Limited", "Molas Systems and Molas Systems Group"),
        ("Li Wei, LI WEI and Wei Li", "Dorma Kelis, DORMA KELIS and Kelis Dorma"),
    ],
)
def test_names_are_replaced_in_any_writing_and_keep_their_shape(text: str, expected: str) -> None:
    """Legal form, capitals, possessives and full stops stay as they were."""
    assert replaced(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It is found in China. Its products are two or three.",
        "in china its products",
        "Two factories and two plants, Two",
        "the Haidilaos",
        "founded in 1993, with 6862 stores and 600488 employees at 600488 RMB",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    """Words, years and quantities that only look like names and codes stay."""
    assert replaced(text) == text


@pytest.mark.parametrize(("own", "says"), [("1.HK", "Arvo Steel"), ("2.HK", "Belo Foods")])
def test_of_companies_with_one_name_a_text_means_its_own(own: str, says: str) -> None:
    """Without a legal form, nothing else tells them apart."""
    terms = (
        Term("Golden Crane Ltd.", "name", "1.HK", "Arvo Steel Inc.", "Arvo Steel", "Arvo"),
        Term("Golden Crane plc", "name", "2.HK", "Belo Foods Inc.", "Belo Foods", "Belo"),
    )
    ((block, mentions),) = mentions_in(
        Blocks(about("Golden Crane sells.", own=own)), terms, codes=[], key=KEY, alias_pseudonyms=lambda *_: ()
    )
    assert replaced_texts(block.texts, mentions) == [f"{says} sells."]


@pytest.mark.parametrize("number", range(10))
def test_an_invented_number_is_another_one(number: int) -> None:
    """Under any key: one digit in ten would stay as it is."""
    for secret in range(30):
        made = invented(f"mail-{number}.org", Key(bytes([secret]) * 32))
        assert str(number) not in made


def test_a_code_of_letters_is_found_as_it_is_or_in_capitals() -> None:
    """In small letters it is a word."""
    finder = Finder(tuple(forms_of([Term("Brix", "ship code", "1", "Kolo")])))
    found = [mention.says for mention in finder.find(["Brix", "BRIX", "brix", "bRIX"], [None] * 4)]
    assert len(found) == 2


def test_a_code_that_is_a_name_is_found_in_small_letters() -> None:
    """`Plan B` and `Prednisone` are written so; a ticker in capitals and a word of the language are not."""
    terms = [Term(code, "code", code, "Kolo") for code in ("Prednisone", "Plan B", "MSFTX", "Important")]
    finder = Finder(tuple(with_strengths(forms_of(terms), ordinary={"prednisone", "planb", "important"})))
    texts = ["took prednisone", "took plan b", "an msftx day", "it is important"]
    assert [mention.row for mention in finder.find(texts, [None] * 4)] == [0, 1]


def test_an_ordinary_word_is_a_name_in_its_own_text_alone() -> None:
    """With a capital within a sentence it is the company there, elsewhere it is proposed."""
    others = ["These two and two more."] * 3
    assert replaced("He met Two in two towns.", "2.HK", *others) == "He met Gelo Foods Inc. in two towns."
    assert replaced("He met Two in two towns.", "7.HK", *others) == "He met Two in two towns."
    assert replaced("Two said so.", "2.HK", *others) == "Two said so."


@pytest.mark.parametrize(
    ("text", "own", "expected"),
    [
        ("(SHSE : 600488)", None, "(SHSE : 100003)"),
        ("SEHK:6862", None, "SEHK:100001"),
        ("600488.sh and SH600488", None, "100003 and SH100003"),
        ("股票代码：000001", "000001.SZ", "股票代码：100004"),
        ("SZSE: 000001, SHSE: 000001", None, "SZSE: 100004, SHSE: 100005"),
        ("６００４８８．ＳＨ", None, "100003"),
        ("SZSE: 600488, 600488.SZ", None, "SZSE: 600488, 600488.SZ"),
        ("in 1993", "1993.HK", "in 1993"),
        ("the code 600488 again", "600488.SH", "the code 100003 again"),
        ("the code 600488 again", "6862.HK", "the code 600488 again"),
    ],
)
def test_codes_are_found_in_forms_like_the_examples(text: str, own: str | None, expected: str) -> None:
    """Exchange, suffix, width and zeros do not count; a year stays, and a bare number in another's text."""
    assert replaced(text, own) == expected


def test_a_pattern_too_wide_or_too_narrow_is_told() -> None:
    """Matches that are no codes, and codes that are matched by nothing, each give a warning with counts."""
    years = [f"founded in {year}" for year in range(1950, 1990)]
    wide = code_finder(CODES, pattern=r"\b(\d{4})\b")
    assert "too wide: it matches 40" in " ".join(
        warnings(counted(wide.find(years, [None] * 40), texts=40), matches=wide.matches(years), texts=40)
    )
    texts = ["SEHK: 6862"]
    narrow = code_finder(CODES, pattern=r"nothing(\d)")
    assert "too narrow: 1 mention has no declared form; it was replaced" in " ".join(
        warnings(counted(narrow.find(texts, [None]), texts=1), matches=0, texts=1)
    )


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([BARE], ["1 bare number is a known code, but may be a year or a quantity; it was left as it is"]),
        (
            [BARE, UNDECLARED],
            ["2 bare numbers are known codes, but may be years or quantities; they were left as they are"],
        ),
        ([IN_PIECES], ["1 writing is that of a known code in pieces, but may be something else; it was left as it is"]),
        (["name"], ["1 word is a known code, but may be something else; it was left as it is"]),
        (
            [IN_PIECES, IN_PIECES, BARE],
            [
                "1 bare number is a known code, but may be a year or a quantity; it was left as it is",
                "2 writings are those of known codes in pieces, but may be something else; they were left as they are",
            ],
        ),
    ],
)
def test_a_warning_says_which_writings_of_codes_were_left(rules: Sequence[str], expected: Sequence[str]) -> None:
    """A code in pieces is no bare number, and one is not several; what is surely a code is in no warning of what was left."""
    left = [Mention(0, 0, 4, rule, "code", "F043", "G001", is_sure=False) for rule in rules]
    found = counted([*left, Mention(0, 9, 13, BARE, "code", "F043", "G001")], texts=1)
    assert [*warnings(found, matches=0, texts=1)] == expected


def test_an_example_without_a_code_is_refused() -> None:
    """The error shows the example."""
    with pytest.raises(InputError, match="holds nothing like a code; found 'stock'"):
        code_finder(CODES, examples=("stock",))


@pytest.mark.parametrize(
    "text",
    ["ir@trip.com", "www.trip.com", "https://trip.com/about/us.html", "trip.com", "+86 10 8888 7777", "010-88887777"],
)
def test_addresses_keep_their_form(text: str) -> None:
    """Whatever is no ending changes, and each character stays of its kind."""
    (mention,) = leftmost_longest(contact_mentions([f"see {text}."], KEY, is_anybodys=[True]))
    assert (mention.start, mention.end) == (4, 4 + len(text))
    assert mention.says != text
    assert [one.isdigit() for one in mention.says] == [one.isdigit() for one in text]
    assert [one.isalpha() for one in mention.says] == [one.isalpha() for one in text]


NOTATIONS = (
    "+44 20 7946 0958",
    "020 7946 0958",
    "(020) 7946-0958",
    "020-79460958",
    "+44 (0)20 7946 0958",
    "0044 2079460958",
)


@pytest.mark.parametrize("listed", [*NOTATIONS, "2079460958"])
def test_a_listed_number_is_the_same_other_number_in_any_notation(listed: str) -> None:
    """National or international, in whatever groups: each is found, and the digits from the right are another one's."""
    texts = [f"called {number}, twice" for number in NOTATIONS]
    found = contact_mentions(texts, KEY, is_anybodys=[False] * len(texts), numbers=significant(listed))
    says = {mention.row: mention.says for mention in leftmost_longest(found)}
    assert len(says) == len(texts)
    assert {re.sub(r"\D", "", one)[-9:] for one in says.values()} == {re.sub(r"\D", "", invented(listed, KEY))[-9:]}
    assert not any("0958" in one for one in says.values())


def test_the_digits_of_a_country_are_those_before_a_long_number() -> None:
    """Ten digits without a sign have none; of a run of digits all that is the number counts."""
    assert significant("2079460958") == significant("2079460958 ext. 12") == {"2079460958"}
    assert significant("442079460958") == {"442079460958", "2079460958"}
    assert list(numbers_in("call +44 20 7946 0958 now", {"2079460958"})) == [(5, 21)]
    assert list(numbers_in("number is00442079460958or so, no 1002079460958", {"2079460958"})) == [(9, 23)]


@pytest.mark.parametrize(
    "text",
    [
        "call (415) 555-2671",
        "or 415-555-2671.",
        "Tel: 5552671",
        "on 13912345678",
        "ring 0171/5551234 now",
        "089 5551234",
    ],
)
def test_numbers_that_nobody_listed_are_found_in_national_notations(text: str) -> None:
    """In texts about nobody, too."""
    (mention,) = leftmost_longest(contact_mentions([text], KEY, is_anybodys=[False]))
    assert re.sub(r"\D", "", text) == re.sub(r"\D", "", text[mention.start : mention.end])


@pytest.mark.parametrize(
    "text",
    [
        "on 01.02.2021 or 2021-10-11",
        "12.345.678,90 or 1 234 567",
        "000001 000002",
        "2019-2020, 100-200",
        "ISBN 978-3-16-148410-0",
    ],
)
def test_dates_figures_and_codes_are_no_telephone_numbers(text: str) -> None:
    """Nor are years."""
    assert list(contact_mentions([text], KEY, is_anybodys=[True])) == []


def test_in_texts_about_nobody_only_declared_hosts_count() -> None:
    """A policy may name its agency's site."""
    found = contact_mentions(["www.gov.cn and http://m.trip.com:81/a"], KEY, is_anybodys=[False], hosts={"trip.com"})
    assert [mention.start for mention in leftmost_longest(found)] == [15]
    assert host_of("http://www.trip.com/") == "trip.com"
    assert invented("www.trip.com", KEY).partition(".")[2] == invented("trip.com", KEY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It was formerly known as Prime Success Co., Ltd. and changed its name to Daphne Holdings Limited in June 2008. It",
            ["Prime Success Co., Ltd.", "Daphne Holdings Limited"],
        ),
        ("Acme Ltd. (formerly Old Acme Inc.) sells", ["Old Acme Inc."]),
        ("It was formerly known as Old Acme and sold tea.", ["Old Acme"]),
        ("Brightfold Foods (the “Brightfold”) and (the “Company”)", ["Brightfold"]),
        ("公司原名昭霁榕食品有限公司，", ["昭霁榕食品有限公司"]),
        ("前身为昭霁榕食品厂，于1999年", ["昭霁榕食品厂"]),
        ("（以下简称“公司”或“昭霁榕”）", ["昭霁榕"]),
        ("It was formerly a subsidiary of nobody.", []),
    ],
)
def test_texts_tell_former_and_short_names(text: str, expected: list[str]) -> None:
    """Patterns of both languages give the name and nothing around it; generic words are no names."""
    assert [one.name for one in called(about(text))] == expected


def test_short_names_of_many_say_nothing_and_former_ones_do() -> None:
    """`the Group` is anybody; what a company was called is its own, whoever else was called so."""
    names = (("former", "Old Crane", 3), ("called", "Crane", 2), ("called", "Group", 3))
    told = [Called("t", "c", 0, str(code), kind, name) for kind, name, users in names for code in range(users)]
    assert of_few(told) == [one for one in told if one.name != "Group"]


def test_a_text_without_its_company_begins_with_its_name() -> None:
    """Where no listed name stands, the name with which a text begins is its company's."""
    text = "Kingland Group Holdings Limited, together with its subsidiaries, builds."
    assert [one.name for one in called(about(text), unnamed={0})] == ["Kingland Group Holdings Limited"]
    assert list(called(about(text))) == []


def test_a_rare_word_of_a_name_is_found_alone_and_a_town_is_not() -> None:
    """A word that nobody else has is distinctive; one in small letters elsewhere, or a public one, is not."""
    texts = ["Haidilao sells soup in Jianyang.", "It is known as Haidilao."] + ["The partners of many."] * 5
    terms = (*TERMS, Term("Jianyang Soup Co., Ltd.", "name", "9.HK", "Sopa Inc.", "Sopa", "Sopa"))
    found = of_corpus(terms, texts, public=["Jianyang"])
    assert {term.surface for term in found.words} >= {"Haidilao"}
    assert "jianyang" not in {letters_of(term.surface) for term in found.words}
    assert "partners" not in {letters_of(term.surface) for term in found.words}


@pytest.mark.parametrize("word", ["3M", "HP", "Tuq", "Zyxo", "Dune", "Zyxob"])
def test_a_short_word_of_a_name_does_not_stay_beside_its_pseudonym(word: str) -> None:
    """In a text of its own company; one of four letters is found in others' texts, too, a shorter one is proposed there."""
    terms = [Term(f"{word} Foods Inc.", "name", "1.HK", "Gelo Works Inc.", "Gelo Works", "Gelo")]
    text = f"{word} Foods pays late and {word} is slow. {word} pays. {word.lower() if len(word) > 3 else word} again"
    passages = [*about(text, own="1.HK"), *about(f"ask {word}.", own="7.HK")]
    ((block, mentions),) = mentions_in(Blocks(passages), terms, codes=[], key=KEY, alias_pseudonyms=lambda *_: ())
    mentions = list(mentions)
    own, other = replaced_texts(block.texts, mentions)
    assert own == f"Gelo Works pays late and Gelo is slow. Gelo pays. {'gelo' if len(word) > 3 else 'Gelo'} again"
    assert other == ("ask Gelo." if len(word) > 3 else f"ask {word}.")
    assert [mention.row for mention in mentions if not mention.is_sure] == [1] * (len(word) < 4)


def test_small_letters_in_one_text_do_not_unmake_a_word_of_a_name() -> None:
    """In its company's own text it is one, wherever it stands; in others' it is proposed, in small letters, too."""
    terms = [Term("Zyxo Foods Inc.", "name", "1.HK", "Gelo Works Inc.", "Gelo Works", "Gelo")]
    passages = [*about("We owe Zyxo. Zyxo owes us.", own="1.HK"), *about("zyxo is late", "and Zyxo", own="7.HK")]
    ((block, mentions),) = mentions_in(Blocks(passages), terms, codes=[], key=KEY, alias_pseudonyms=lambda *_: ())
    mentions = list(mentions)
    assert replaced_texts(block.texts, mentions) == ["We owe Gelo. Gelo owes us.", "zyxo is late", "and Zyxo"]
    assert [mention.row for mention in mentions if not mention.is_sure] == [1, 2]


def test_a_brand_with_the_letters_of_a_person_keeps_its_capitals() -> None:
    """`Lijunbao` is not `Li Junbao` in small letters: in pieces and in capitals it is a name, and no ordinary word."""
    person = Term("Junbao Li", PERSON, "y", "Dorma Kelis")
    brand = Term("Ningbo Lijunbao Textile Co., Ltd.", "name", "z", "Molas Group", "Molas", "Molas")
    texts = ["It is a subsidiary of Liju Nbao.", "It is one of LIJUNBAO, too."]
    assert "Lijunbao" in {term.surface for term in of_corpus((person, brand), texts, ["Ningbo"]).words}
    in_small_letters = of_corpus((person, brand), [*texts, "It is one of lijunbao, too."], ["Ningbo"])
    assert "Lijunbao" not in {term.surface for term in in_small_letters.words}


def companies_called(*cores: str) -> tuple[Term, ...]:
    return tuple(
        Term(f"{core} Co., Ltd.", "name", str(number), "Molas Group", "Molas", "Molas")
        for number, core in enumerate(cores)
    )


def test_small_letters_within_a_longer_name_say_nothing_of_its_words() -> None:
    """`ming li junbao energy` is another company's name in small letters; by itself `li junbao` is a word in them."""
    terms = companies_called("Lijunbao Textile", "Li Junbao Foods", "Ming Li Junbao Energy")
    texts = ["It is one of Lijunbao, too.", "Its customer is ming li junbao energy co., ltd."]
    assert "Lijunbao" in {term.surface for term in of_corpus(terms, texts, []).words}
    by_itself = [*texts, "It is one of li junbao, too."]
    assert "Lijunbao" not in {term.surface for term in of_corpus(terms, by_itself, []).words}


def test_a_trade_of_two_words_is_one_that_holds_together() -> None:
    """Before `Technology` stands anything, so `Yang` is the brand's; before `Devices` stands `Medical`."""
    many = [f"{brand} {trade}" for brand in ("Peng", "Kang", "Ting", "Gang") for trade in ("Yang Technology", "Foods")]
    others = [
        f"{first}{second} Technology" for first in ("Rui", "Bei", "Dai") for second in ("fan", "shi", "lan", "kun")
    ]
    devices = [f"{brand} Medical Devices" for brand in ("Cheng Long", "Shun", "Quan", "Ling")]
    terms = companies_called("Cheng Long Yang Technology", *many, *others, *devices)
    texts = ["It is known as Cheng Long Yang, and not as Cheng Long."]
    told = {term.surface for term in of_corpus(terms, texts, []).words}
    assert {"Cheng Long Yang", "Cheng Long"} <= told


def test_a_word_that_many_companies_share_is_proposed_and_never_replaced() -> None:
    """Nothing tells whose it is, in a company's own text no more than in another's."""
    passages = [Passage("t", "c", 0, "It is a part of Lijunbao, which bakes.", "0")]
    trades = ("Textile", "Foods", "Logistics", "Energy")
    terms = companies_called(*(f"Lijunbao {trade}" for trade in trades))
    ((_, found),) = mentions_in(Blocks(passages), terms, codes=(), key=KEY, alias_pseudonyms=lambda *_: ())
    assert [(mention.rule, mention.is_sure) for mention in found] == [(SHARED, False)]
    listed = prose_report(passages, found).listed.filter(list="left as doubtful")
    assert listed["around"].to_list() == [passages[0].text]
    ((_, fewer),) = mentions_in(Blocks(passages), terms[:3], codes=(), key=KEY, alias_pseudonyms=lambda *_: ())
    assert [mention.is_sure for mention in fewer] == [True]


def test_a_word_that_many_companies_share_is_proposed_however_many_texts_hold_it() -> None:
    """A trade with which their names end is not, nor what a text has in small letters."""
    names = ("Lijunbao Textile", "Lijunbao Foods", "Lijunbao Logistics", "Lijunbao Energy")
    trades = tuple(f"{brand} Gadgetry" for brand in ("Vexholm", "Zolbakim", "Haverstock", "Quarrow"))
    texts = ["They met those of Lijunbao, and of Gadgetry."] * 20

    def proposed(*more: str) -> set[str]:
        return {term.surface for term in of_corpus(companies_called(*names, *trades), [*texts, *more], []).doubtful}

    assert proposed() == {"Lijunbao"}
    assert proposed("A lijunbao is a kind of bread.") == set()


BUYERS = (
    Term("Mary Turpin", PERSON, "buyer\x1f1954", "Anna Kessler"),
    Term("Tom Brown", PERSON, "buyer\x1f22", "Otto Vasil"),
)


def of_buyers(text: str, *others: str, **given: Any) -> str:
    codes = [code_finder({"1954": "88201", "22": "31"}, labels=labels_of(["buyers", "BuyerNo"]), prefix="buyer\x1f")]
    passages = Blocks(about(text, *others, own=None))
    ((block, mentions),) = mentions_in(passages, BUYERS, codes=codes, key=KEY, alias_pseudonyms=lambda *_: (), **given)
    return replaced_texts(block.texts, mentions)[0]


def test_words_of_any_header_say_nothing_of_whose_number_it_is() -> None:
    """`Row 7` is no buyer's."""
    assert labels_of(["buyers", "BuyerNo", "row_id", "order_detail"]) == {"buyer", "order"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Turpin complained; TURPIN shouted, turpin wrote.", "Kessler complained; KESSLER shouted, kessler wrote."),
        ("Asked Mary and Mr Brown.", "Asked Anna and Mr. Vasil."),
        ("Buyer 1954, buyer no. 22 and Buyer-ID: 01954", "Buyer 88201, buyer no. 31 and Buyer-ID: 88201"),
        (
            "1954 pieces in 22 boxes; buyers 19540, the buyer of 22",
            "1954 pieces in 22 boxes; buyers 19540, the buyer of 22",
        ),
    ],
)
def test_people_are_found_by_one_name_and_by_their_number(text: str, expected: str) -> None:
    """A surname, a given name, a title, and digits behind the word that says whose they are."""
    assert of_buyers(text) == expected


def test_a_surname_that_is_an_ordinary_word_of_the_texts_stays_one() -> None:
    """Where texts write it in small letters more often than not, it is no name in them."""
    assert of_buyers("Brown is fine.", "a brown box", "in brown", "brown, too") == "Brown is fine."


def test_identifiers_of_people_are_replaced_word_by_word_and_alike() -> None:
    """A column of full names and one of surnames lead to the same other surname."""
    whole, alone = (of_buyers("Vandervoort left.", identifiers=[one]) for one in ("Ida Vandervoort", "Vandervoort"))
    assert whole == alone != "Vandervoort left."


def test_a_public_value_is_no_former_name() -> None:
    """`formerly Tokyo Holdings` may be a company; where it is a value of an attribute, nobody is called so."""
    text = "Haidilao International (formerly Kyotosoup Inc.) sells soup."
    found = [
        mentions_in(
            Blocks(about(text)), TERMS, codes=(), key=KEY, alias_pseudonyms=lambda *_: (), public=public
        ).learnt_names
        for public in ([], ["Kyotosoup Inc."])
    ]
    assert [len(names) for names in found] == [1, 0]


def test_a_word_of_a_name_is_found_in_the_name_of_a_parent() -> None:
    """A legal form behind it makes another company's name of it; a capital within tells a brand; many others may say it."""
    terms = (
        Term("Yankuang Energy Group Company Limited", "name", "1", "Delta Works Limited", "Delta Works", "Delta"),
        Term("IREADER TECHNOLOGY CO LTD", "name", "2", "Pilu Works Ltd", "Pilu Works", "Pilu"),
        Term("Tencent Holdings Limited", "name", "3", "Morita Holdings Limited", "Morita", "Morita"),
    )
    texts = ["It is a subsidiary of Yankuang Group Corporation Limited.", "It has the iReader app."]
    passages = about(*texts, own="1") + about(*["It runs on Tencent Cloud."] * 20, own="4")
    ((block, mentions),) = mentions_in(Blocks(passages), terms, codes=(), key=KEY, alias_pseudonyms=lambda *_: ())
    assert replaced_texts(block.texts, mentions)[:3] == [
        "It is a subsidiary of Delta Group Corporation Limited.",
        "It has the Pilu app.",
        "It runs on Morita Cloud.",
    ]


def of_corpus(terms: tuple[Term, ...], texts: list[str], public: list[str]) -> MeasuredForms:
    return measured(forms_of(terms), Blocks(about(*texts, own="x")), public=public)


def test_what_stays_of_texts_that_are_written_anew_is_not_counted() -> None:
    """Where records are sampled, a doubtful place stays in a text about nobody; elsewhere it stays in each."""
    passages = [Passage("t", "c", row, "a Birchfeld mill", own) for row, own in enumerate(["1.HK", None])]
    doubtful = [Mention(row, 2, 11, "misspelt", "name", "2.HK", "", is_sure=False) for row in (0, 1)]
    counts = prose_report(passages, doubtful).counts()
    left = [of_published(counts, are_sampled=each)["left_as_doubtful"] for each in (False, True)]
    assert left == [{"misspelt": 2}, {"misspelt": 1}]
    assert of_published(counts, are_sampled=True).keys() == ProseCounts.model_fields.keys()


WRITTEN = (
    "Haidilao International sells soup; Haidilao (the “Tarvosol”) was formerly known as Old Soup Inc. and grew.",
    "Li Wei of China ITS met two partners, and Two met Johnson & Partners (the “Tarvosol”).",
    "Two is known as Two; two more of two, and haidilao in small letters. Write to ir@haidilao.com of 1993 or 600488.SH.",
    "公司与宜宾五粮液合作，简称“昭霁榕”，股票代码：000001。",
    "partners of Johnson sell soup in 6862, and sell Soup (the “Tarvosol”).",
)
"""What counts in few and in many texts, in small letters and with capitals, and names that texts tell."""


@given(
    st.lists(st.tuples(st.sampled_from(WRITTEN), st.sampled_from([None, *CODES, "2.HK"])), min_size=2, max_size=12),
    st.integers(1, 300),
)
def test_what_is_found_does_not_depend_on_where_blocks_end(written: list[tuple[str, str | None]], size: int) -> None:
    """All that is measured and told in blocks is merged; places, counts and lists are those of one block."""
    passages = [Passage("t", "c", row, text, own) for row, (text, own) in enumerate(written)]

    def found(characters: int) -> tuple[int, list[object]]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("anonymize.mentions.blocks.CHARACTERS", characters)
            patched.setattr("anonymize.mentions.measuring.FEW_TEXTS", 2)
            names = AliasPseudonyms(dict.fromkeys(CODES, NAME), {}, KEY)
            codes = [code_finder(CODES, examples=EXAMPLES)]
            whole = mentions_in(Blocks(passages), TERMS, codes=codes, key=KEY, alias_pseudonyms=names)
            blocks = list(whole)
            mentions = [m._replace(row=block.first + m.row) for block, of_block in blocks for m in of_block]
            of_codes = sum((whole.codes_in(*each) for each in blocks), Counter[str]())
            report = whole.report([prose_report(block.passages, of_block) for block, of_block in blocks], of_codes)
        measured_in_all = [getattr(whole.measured, name) for name in ("texts", "ordinary", "rare", "words", "doubtful")]
        return len(blocks), [mentions, *measured_in_all, whole.terms, report.counts(), report.listed.rows()]

    (one, expected), (several, parts) = found(1 << 20), found(size)
    assert one == 1 < several or sum(len(text) for text, _ in written[:-1]) < size
    assert parts == expected


@given(
    st.lists(
        st.sampled_from(["Haidilao International", "two", "Li Wei", "，", "五粮液", "Two", "x", "1993"]), max_size=12
    )
)
def test_what_was_put_in_is_not_found_again(parts: list[str]) -> None:
    """Replacing what was replaced changes nothing."""
    once = replaced(" ".join(parts), "6862.HK")
    assert replaced(once, "6862.HK") == once


@given(st.lists(st.text(max_size=20), max_size=5))
def test_aligned_texts_have_their_normal_forms_in_place(texts: list[str]) -> None:
    """Each text's normal form is that of its characters in a row, each from its own place."""
    aligned = Aligned.of(texts)
    assert aligned.normals == [letters_of(text) for text in texts]
    joined = "".join(texts)
    assert all(chr(point) in letters_of(joined[at]) for point, at in zip(aligned.normal, aligned.origin, strict=True))


@given(
    st.lists(st.text(alphabet="ab甲乙 ", max_size=12), max_size=4),
    st.lists(st.text(alphabet="ab甲乙", min_size=1, max_size=4), max_size=8, unique=True),
)
def test_needles_are_found_as_by_a_slow_search(texts: list[str], needles: list[str]) -> None:
    """All places at which a needle begins a word are found, overlapping ones and those within another too."""
    aligned = Aligned.of(texts)
    needles = [*{*needles, *(normal[:9] for normal in aligned.normals if normal)}]
    slow = [
        (row, needle, first + at, first + at + len(needle))
        for row, (normal, first) in enumerate(zip(aligned.normals, aligned.first, strict=False))
        for at in range(len(normal))
        for needle in needles
        if normal.startswith(needle, at) and aligned.whole[first + at]
    ]
    found = list(aligned.found(Needles(needles)).iter_rows())
    assert sorted(found) == sorted(slow)
    assert [(row, start, end) for row, _, start, end in found] == sorted((row, a, b) for row, _, a, b in slow)


@given(st.lists(st.text(alphabet="aBc甲１_ -é"), max_size=8), st.integers(1, 8))
def test_common_words_are_runs_of_latin_letters_alone(texts: list[str], size: int) -> None:
    """A word stands between borders of words; of the texts that have it most have it in small letters."""
    written = [set(re.findall(r"\b[A-Za-z][a-z]+\b", text)) for text in texts]
    lower = {word.lower() for words in written for word in words}
    small = {word: sum(word in words for words in written) for word in lower}
    capital = {word: sum(word.capitalize() in words for words in written) for word in lower}
    expected = {word for word in lower if small[word] >= FEW_TEXTS and small[word] >= SMALL_SHARE * capital[word]}
    assert common_words(texts[cut : cut + size] for cut in range(0, len(texts), size)) == expected


def test_of_companies_written_in_all_forms_hardly_any_is_missed() -> None:
    """At a tenth of the size of `python -m benchmarks.mentions`: 99 %, no more than 1 in 1,000 ordinary words."""
    found = measure(200)
    assert sum(found.mentions.values()) > 2_000
    assert found.share >= 0.985
    assert found.ordinary <= 0.001


@pytest.mark.parametrize("language", ["en_US", "de_DE"])
def test_one_word_of_a_name_hardly_ever_stays_in_its_company_s_text(language: str) -> None:
    """Of names that nobody made for this finder: at most 2 in 100, short words in small letters above all."""
    found = left_in_notes(language, 100)
    assert found.words > 200
    assert found.left <= 0.02 * found.words


def test_the_finder_without_forms_finds_nothing() -> None:
    """No name, no mention."""
    assert Finder(()).find(["anything", ""], [None, None]) == []


def test_codes_shorter_than_numbers_in_prose_stand_for_no_number() -> None:
    """`9E` is no year; the forms that numbers have are looked for all the same."""
    finder = code_finder({"9E": "QZ", "AA": "XK"})
    assert list(finder.find(["in 1990 it flew 12 routes, SHSE: 1990"], [None])) == []


@pytest.mark.parametrize("text", ["品牌Na Shen Tao Ovens Co., Ltd.成立", "You Shen Tao Ovens Co., Ltd."])
def test_a_name_is_no_part_of_another_that_is_spelt_in_syllables(text: str) -> None:
    """A syllable before it makes it somebody else's, also behind Chinese and if the syllable is an English word."""
    finder = Finder(forms_of([Term("Shentao Ovens Co., Ltd.", "name", whose="A")]))
    assert finder.find([text], [None]) == []
    assert len(finder.find([text.replace("Na ", "").replace("You ", "The ")], [None])) == 1


@pytest.mark.parametrize(("whose", "rows"), [(f"artists{SEPARATOR}7", [0]), ("7", [])])
def test_names_of_further_kinds_that_are_words_are_known_by_their_capital(whose: str, rows: list[int]) -> None:
    """In texts of others, too, where the escape scan would refuse them; of companies they are proposed, as measured."""
    forms = with_strengths(forms_of([Term("Accept", "name", whose, "Zemik")]), ordinary={"accept"})
    texts = ["The album by Accept skips.", "Accept it.", "they accept it"]
    found = Finder(tuple(forms)).find(texts, [None, None, None])
    assert [mention.row for mention in found if mention.is_sure] == rows


@given(st.sampled_from(["-", " ", "_", ".", "/", "\N{EN DASH}", " - "]), st.booleans(), st.booleans())
def test_a_code_in_pieces_is_replaced_in_its_companys_texts(gap: str, is_own: bool, is_small: bool) -> None:  # noqa: FBT001
    """Whatever stands between its letters and digits; in others' it is proposed, and replaced as `F-043` is written for `F043`.

    Cut elsewhere it is no code.
    """
    written = f"AB{gap}12{gap}CD".lower() if is_small else f"AB{gap}12{gap}CD"
    texts = [f"met {written} in room 12", "F04 3 is nobody's", "fig. 043 shows it"]
    own = ["AB12CD" if is_own else "F043", "F043", "F043"]
    (mention,) = Finder(tuple(forms_of(LETTERED))).find(texts, own)
    assert (mention.row, texts[0][mention.start : mention.end], mention.is_sure) == (
        *(0, written),
        is_own or (not is_small and gap in {"-", "/", "\N{EN DASH}"}),
    )
    assert mention.whose == "AB12CD"


def test_a_code_in_small_letters_is_no_ordinary_word() -> None:
    """However often it is written so: it has a digit. A value that is public stays one."""
    blocks = Blocks([Passage("t", "c", row, "met f043 again", None) for row in range(4)])
    ways: list[tuple[str, ...]] = [(), ("f043",)]
    found = [measured(forms_of(LETTERED), blocks, public=public).ordinary for public in ways]
    assert found == [{}, {"f043": "F043"}]
