"""What the kinds of noise about names do, and what a reader can take back of it, against slow and obvious versions."""

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import opencc
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypinyin import lazy_pinyin
from rapidfuzz.distance import OSA
from scipy import stats

from pipeline.model import Environment, Vocabulary
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import CellKind
from pipeline.noise.kinds.names.damaged import GluedNames, TruncatedNames, WrongCategory
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.kinds.names.spelling import OtherScript, OtherWidth, StrayBlanks
from pipeline.noise.kinds.names.typos import ChineseTypos, LatinTypos, common_characters
from pipeline.noise.kinds.parts.known_names import NearNames
from pipeline.noise.kinds.parts.look_alikes import LOOK_ALIKES
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.bare import published
from tests.unit.noise.applied import KEY, refused
from tests.unit.noise.cases_names import CLASSES, NAMES, SECTORS
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

TABLE = published("table", ("id", "name", "code"))
SHORT = st.text("ab京市", min_size=1, max_size=5)
TONGZHOU = "北京市通州区人民政府办公室"


def environment_of(*names: str) -> Environment:
    """Return an environment whose vocabulary has these names."""
    vocabulary = Vocabulary(name="names", aliases=dict.fromkeys(names, ()))
    return replace(small_environment(), tables=(TABLE,), vocabularies=(vocabulary,))


def rows_of(*texts: str | None, code: str | None = "x") -> pl.DataFrame:
    """Return a row for each text."""
    rows = [{"id": str(row), "name": text, "code": code} for row, text in enumerate(texts)]
    return pl.DataFrame(rows, schema=dict.fromkeys(TABLE.columns, pl.String))


def noised(kind: CellKind, *texts: str, names: tuple[str, ...] = (), rate: float = 1.0) -> Noised:
    """Apply a kind to a column of texts."""
    rule = Rule(name="rule", kind=kind, tables=("table",), mechanism=CompletelyAtRandom(rate=rate))
    spec = NoiseSpec(environment="small", rules=(rule,))
    return apply_noise(rows_of(*texts), TABLE, spec, environment_of(*names), KEY)


def mended(kind: CellKind, *texts: str | None, names: tuple[str, ...] = ()) -> list[str | None]:
    """Return what a kind makes of noisy texts."""
    return kind.mended(rows_of(*texts), TABLE, environment_of(*names), {})["name"].to_list()


# --- all of them -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", NAMES, ids=str)
def test_columns_that_are_gone_are_no_matter(case: KindCase) -> None:
    """A noisy file may have lost or renamed columns: what is there is mended, nothing fails."""
    for gone in case.rows.columns[1:]:
        rows = case.rows.drop(gone)
        assert case.kind.mended(rows, case.published, case.environment, {}).equals(rows)


# --- other names -------------------------------------------------------------------------------------------------------


def test_blanked_codes_come_back_from_other_rows() -> None:
    """The code of a name that drifted is the most frequent one beside the name itself, if one alone is."""
    vocabulary = Vocabulary(name="names", aliases={"Bank": ("BoE",), "Mint": ("Coiner",), "City": ("Town",)})
    environment = replace(environment_of(), vocabularies=(vocabulary,))
    kind = NamingDrift(columns=("name",), vocabulary="names", blank=("code",))
    told = [("Bank", "1"), ("Bank", "1"), ("Bank", "2"), ("Mint", "3"), ("Mint", "4"), ("City", None)]
    asked = [("BoE", None), ("Coiner", None), ("Town", None), ("BoE", "7"), ("other", None), (None, None)]
    rows = pl.DataFrame(told + asked, schema={"name": pl.String, "code": pl.String}, orient="row").with_row_index("id")
    after = kind.mended(rows, TABLE, environment, {}).select("name", "code").rows()
    assert after[:6] == told
    assert after[6:] == [("Bank", "1"), ("Mint", None), ("City", None), ("Bank", "7"), ("other", None), (None, None)]


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("部委政策-科学技术部政策数量", "部委政策-科技部政策数量"),
        ("国家发展改革委", "国家发展改革委"),
        ("发展改革委", "国家发展改革委"),
        ("云南省发展改革委", "云南省发展和改革委员会"),
        ("共享", "共享"),
    ],
)
def test_the_longest_form_is_meant(text: str, truth: str) -> None:
    """An alias inside another form is not taken for itself, and one that two names share is left."""
    aliases = {"国家发展改革委": ("发展改革委",), "云南省发展和改革委员会": ("云南省发展改革委",)}
    aliases |= {"科技部": ("科学技术部", "共享"), "财政部": ("共享",)}
    environment = replace(environment_of(), vocabularies=(Vocabulary(name="names", aliases=aliases),))
    kind = NamingDrift(columns=("name",), vocabulary="names", position="contains")
    assert kind.mended(rows_of(text), TABLE, environment, {})["name"].to_list() == [truth]


# --- damaged names -----------------------------------------------------------------------------------------------------


def test_first_character_is_lost_and_found() -> None:
    """京市通州区人民政府办公室 is what is left of one name only."""
    kind = TruncatedNames(columns=("name",), most=1, vocabulary="names")
    result = noised(kind, TONGZHOU, names=(TONGZHOU,))
    assert result.ledger.select("after", "recoverable").rows() == [("京市通州区人民政府办公室", True)]
    assert mended(kind, "京市通州区人民政府办公室", names=(TONGZHOU,)) == [TONGZHOU]
    assert mended(kind, "京市通州区人民政府办公室", names=(TONGZHOU, "东京市通州区人民政府办公室")) == [
        "京市通州区人民政府办公室"
    ]


@given(texts=st.lists(SHORT, min_size=1, max_size=12), names=st.lists(SHORT, max_size=8), most=st.integers(1, 3))
@pytest.mark.parametrize("end", ["first", "last", "both"])
def test_truncation_against_brute_force(end: str, texts: list[str], names: list[str], most: int) -> None:
    """One to `most` characters go at an allowed end, one stays; a reader finds the only name that could have been cut so."""
    kind = TruncatedNames(columns=("name",), end=end, most=most, vocabulary="names")  # type: ignore[arg-type]
    after = noised(kind, *texts, names=tuple(names)).frame["name"].to_list()

    def remains(text: str) -> set[str]:
        lost = range(1, min(most, len(text) - 1) + 1)
        return {text[n:] for n in lost if end != "last"} | {text[:-n] for n in lost if end != "first"}

    assert all(new in (remains(old) or {old}) for old, new in zip(texts, after, strict=True))
    for text, found in zip(texts, mended(kind, *texts, names=tuple(names)), strict=True):
        meant = {name for name in names if text in remains(name)}
        assert found == (meant.pop() if len(meant) == 1 and text not in names else text)


def test_names_of_a_list_are_cut_at_its_ends() -> None:
    """In a list the first name loses first characters and the last name last ones, and no separator goes."""
    for end, expected in (("first", {"b，cd，ef"}), ("last", {"ab，cd，e"}), ("both", {"b，cd，ef", "ab，cd，e"})):
        kind = TruncatedNames(columns=("name",), end=end, most=5, separator="，")  # type: ignore[arg-type]
        assert set(noised(kind, *["ab，cd，ef"] * 30).frame["name"]) == expected
    assert noised(TruncatedNames(columns=("name",), separator="，"), "a，bcd").ledger.is_empty()


def test_glued_bodies_are_separated() -> None:
    """中国证券监督管理委员会国家保密局 is two bodies, as is what stands with another sign between."""
    names = ("中国证券监督管理委员会", "国家保密局", "中国证监会办公厅", "工业和信息化部办公厅")
    kind = GluedNames(columns=("name",), separator="，", forms=("lost", "other_sign"), vocabulary="names")
    glued = ("中国证券监督管理委员会国家保密局", "中国证监会办公厅、工业和信息化部办公厅", "国家保密局等", *names)
    expected = ["中国证券监督管理委员会，国家保密局", "中国证监会办公厅，工业和信息化部办公厅", "国家保密局等", *names]
    assert mended(kind, *glued, names=names) == expected


def splits(text: str, names: set[str], signs: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return every way to make up a text of names: the obvious way."""
    ways = {(text,)} if text in names else set()
    for name, sign in product(names, signs):
        if text.startswith(name + sign) and len(text) > len(name + sign):
            ways |= {(name, *rest) for rest in splits(text[len(name + sign) :], names, signs)}
    return ways


@given(
    texts=st.lists(st.text("ab、", min_size=1, max_size=7), min_size=1, max_size=8),
    names=st.sets(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5),
)
@pytest.mark.parametrize(
    ("forms", "signs"), [(("lost",), ("",)), (("lost", "other_sign"), ("", "、")), (("other_sign",), ("、",))]
)
def test_splitting_against_brute_force(
    forms: tuple[str, ...], signs: tuple[str, ...], texts: list[str], names: set[str]
) -> None:
    """A text is split where it is no name and its ways of being made up are one."""
    kind = GluedNames(columns=("name",), separator="，", forms=forms, vocabulary="names")  # type: ignore[arg-type]
    for text, found in zip(texts, mended(kind, *texts, names=tuple(names)), strict=True):
        ways = splits(text, names, signs)
        assert found == ("，".join(ways.pop()) if len(ways) == 1 and text not in names else text)


def test_every_boundary_and_form_comes_up() -> None:
    """Each boundary of a list can go in each form; the rest after 等 is gone."""
    kind = GluedNames(columns=("name",), separator="，", forms=("lost", "other_sign", "and_others"))
    after = set(noised(kind, *["a，b，c"] * 200).frame["name"])
    assert after == {"ab，c", "a，bc", "a、b，c", "a，b、c", "a等", "a，b等"}
    assert noised(kind, "abc").ledger.is_empty()


# --- other signs -------------------------------------------------------------------------------------------------------

EVERYWHERE = StrayBlanks(
    columns=("name",), where=("leading", "trailing", "inner"), signs=("space", "full_width"), most=3
)


@pytest.mark.parametrize(
    ("noisy", "clean"),
    [
        ("宁夏回族自治区人民政府  政策数量", "宁夏回族自治区人民政府政策数量"),
        ("湖南省工业和信息化厅   政策数量", "湖南省工业和信息化厅政策数量"),
        ("中共北京市委、北京市人民政府　　　", "中共北京市委、北京市人民政府"),
        ("国 务 院 办 公 厅", "国务院办公厅"),
        ("  Real  　Estate ", "Real Estate"),
        ("Real Estate", "Real Estate"),
        ("政策 2022", "政策 2022"),
        ("　", "　"),
        (None, None),
    ],
)
def test_blanks_that_say_nothing_are_taken_out(noisy: str | None, clean: str | None) -> None:
    """The blanks of the release go, single ones between words stay, nothing is emptied."""
    assert mended(EVERYWHERE, noisy) == [clean]


@given(texts=st.lists(st.text("中国、a b", min_size=1, max_size=8), min_size=1, max_size=12))
def test_blanks_are_all_that_is_put_in(texts: list[str]) -> None:
    """One run of 1 to 3 equal blanks is put into texts in normal form, and others are left."""
    after = noised(EVERYWHERE, *texts).frame["name"].to_list()
    for old, new, normal in zip(texts, after, mended(EVERYWHERE, *texts), strict=True):
        runs = [sign * count for sign in " 　" for count in (1, 2, 3)]
        possible = {old[:at] + run + old[at:] for at in range(len(old) + 1) for run in runs}
        assert new in possible if normal == old and old.strip() else new == old
        assert mended(EVERYWHERE, new) == [normal]


def test_blanks_stand_where_they_should() -> None:
    """Each place, sign and length alone comes up if it alone is allowed."""
    expected = {"leading": "\u00a0中国 x", "trailing": "中国 x\u00a0"}
    for where, text in expected.items():
        kind = StrayBlanks(columns=("name",), where=(where,), signs=("no_break",))  # type: ignore[arg-type]
        assert noised(kind, "中国 x").frame["name"].to_list() == [text]
    inner = StrayBlanks(columns=("name",), where=("inner",))
    assert set(noised(inner, *["中国 x"] * 50).frame["name"]) == {"中 国 x", "中国  x"}
    assert noised(inner, "word", "x中").ledger.is_empty()


def test_another_class_stands_before_the_body() -> None:
    """部委政策-浙江省人民政府 comes of 地方政策-浙江省人民政府, and each other class comes up alike."""
    kind = WrongCategory(columns=("name",), values=CLASSES, at="prefix")
    after = noised(kind, *["地方政策-浙江省人民政府政策数量"] * 2000, "发布政策数量").frame["name"].to_list()
    assert after.pop() == "发布政策数量"
    counts = [after.count(f"{other}-浙江省人民政府政策数量") for other in ("国务院政策", "部委政策")]
    assert sum(counts) == 2000
    assert stats.binomtest(counts[0], 2000, 0.5).pvalue > 1e-6


def test_only_categories_of_the_set_are_changed() -> None:
    """At `whole` a longer text is left; with `prefix` the longest value that fits counts."""
    kind = WrongCategory(columns=("name",), values=("A", "AB", "C"))
    assert noised(kind, "A-x", "D").ledger.is_empty()
    prefix = WrongCategory(columns=("name",), values=("A", "AB"), at="prefix")
    assert noised(prefix, "ABx").frame["name"].to_list() == ["Ax"]
    assert refused(WrongCategory(columns=("name",), values=("A",)), environment_of()) == {"values"}


@pytest.mark.parametrize(("standard", "there"), [("traditional", "s2t"), ("taiwan", "s2tw"), ("hong_kong", "s2hk")])
def test_script_is_that_of_the_standard(standard: str, there: str) -> None:
    """Texts are as OpenCC writes them; what has no other form is left."""
    kind = OtherScript(columns=("name",), standard=standard)  # type: ignore[arg-type]
    texts = ["国家发展改革委", "头发", "皇后大道", "三里台", "中央"]
    assert noised(kind, *texts).frame["name"].to_list() == [opencc.OpenCC(there).convert(text) for text in texts]


def test_script_that_does_not_come_back_is_lost() -> None:
    """Where the way back gives another text the ledger says so, and a reader leaves mixed scripts alone."""
    kind = OtherScript(columns=("name",))
    ledger = noised(kind, "国家", "發国").ledger
    assert dict(ledger.select("before", "recoverable").iter_rows()) == {"国家": True, "發国": False}
    assert mended(kind, "國家", "国家", "國家国") == ["国家", "国家", "國家国"]


@given(texts=st.lists(st.text("19aZ-年（１Ａ－", min_size=1, max_size=6), min_size=1, max_size=12))
@pytest.mark.parametrize("characters", [("digits",), ("letters", "digits"), ("digits", "letters", "signs")])
def test_width_is_unicode_compatibility(characters: tuple[str, ...], texts: list[str]) -> None:
    """What changes is the same under NFKC, is eligible where no wide form stands, and comes back."""
    sets = {"digits": "19", "letters": "aZA", "signs": "-("}
    narrow = "".join(sets[name] for name in characters)
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in narrow)
    kind = OtherWidth(columns=("name",), characters=characters)  # type: ignore[arg-type]
    after = noised(kind, *texts).frame["name"].to_list()
    for old, new in zip(texts, after, strict=True):
        is_eligible = bool(set(old) & set(narrow)) and not set(old) & set(wide)
        assert (new != old) == is_eligible
        assert unicodedata.normalize("NFKC", new) == unicodedata.normalize("NFKC", old)
        assert not (is_eligible and set(new) & set(narrow))
        assert mended(kind, new) == [old] if is_eligible else True


# --- typos -------------------------------------------------------------------------------------------------------------


def differing(one: str, other: str) -> list[tuple[int, str, str]]:
    """Return place and characters wherever two texts of one length differ."""
    return [(at, a, b) for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]


def sounds_alike(one: str, other: str) -> bool:
    """Return whether two characters have one sound, tones and a retroflex initial set aside."""
    first, second = (
        lazy_pinyin(character)[0].replace("zh", "z").replace("ch", "c").replace("sh", "s") for character in one + other
    )
    return first == second


def looks_alike(one: str, other: str) -> bool:
    """Return whether a group of the table has both characters."""
    return any(one in group and other in group for group in LOOK_ALIKES)


@pytest.mark.parametrize(("means", "is_alike"), [("pinyin", sounds_alike), ("shape", looks_alike)])
def test_one_common_character_is_mixed_up(means: str, is_alike: Callable[[str, str], bool]) -> None:
    """One character gives way to one of its sound or shape, from the common ones; each place that can be comes up."""
    kind = ChineseTypos(columns=("name",), means=(means,))  # type: ignore[arg-type]
    common = set(common_characters())
    places = set()
    for after in noised(kind, *[TONGZHOU] * 400).frame["name"]:
        ((at, old, new),) = differing(TONGZHOU, after)
        assert new in common
        assert is_alike(old, new)
        places.add(at)
    expected = {at for at, old in enumerate(TONGZHOU) if any(is_alike(old, new) for new in common - {old})}
    assert places == expected


def test_sound_and_shape_come_up_alike() -> None:
    """With both means half of the slips are of sound, whatever the numbers of candidates: binomial, alpha 1e-6."""
    after = noised(ChineseTypos(columns=("name",)), *["人"] * 4000).frame["name"].to_list()
    by_sound = sum(sounds_alike("人", new) for new in after)
    assert not any(sounds_alike("人", new) and looks_alike("人", new) for new in common_characters() if new != "人")
    assert stats.binomtest(by_sound, 4000, 0.5).pvalue > 1e-6


def test_misspelt_office_is_found() -> None:
    """合肥市人民政府办公司 is one that typing by sound makes of 办公室, and near to one name only."""
    name = "合肥市人民政府办公室"
    kind = ChineseTypos(columns=("name",), means=("pinyin",), vocabulary="names")
    assert "合肥市人民政府办公司" in set(noised(kind, *[name] * 4000, names=(name,)).frame["name"])
    assert mended(kind, "合肥市人民政府办公司", names=(name,)) == [name]
    other = "合肥市人民政府办公楼"
    assert mended(kind, "合肥市人民政府办公司", other, names=(name, other)) == ["合肥市人民政府办公司", other]


def test_texts_without_chinese_characters_are_left() -> None:
    """Nothing sounds or looks like Latin letters, so such a cell is not eligible."""
    result = noised(ChineseTypos(columns=("name",)), "Health Care", "2022")
    assert result.ledger.is_empty()
    assert result.opportunities["eligible"].to_list() == [0]


def test_table_of_look_alikes_is_of_common_characters() -> None:
    """Every group has two or more of the 3755 common characters, each once, and no pair stands in it twice."""
    common = set(common_characters())
    assert len(common) == 3755
    assert all(len(group) > 1 and set(group) <= common and len(set(group)) == len(group) for group in LOOK_ALIKES)
    assert len({frozenset(group) for group in LOOK_ALIKES}) == len(LOOK_ALIKES)
    assert len(LOOK_ALIKES) > 300


AROUND = {"q": "1 2 w a", "a": "q w s z", "g": "f h t y v b", "0": "9 o p", "m": "n j k"}
SCANS = {"0": "O", "O": "0", "rn": "m", "m": "rn", "1": "l I", "5": "S", "cl": "d", "d": "cl"}


@pytest.mark.parametrize(("key", "around"), AROUND.items())
def test_neighbouring_keys_are_those_of_a_keyboard(key: str, around: str) -> None:
    """All keys around the own one come up, in its case if it is a letter, and no other."""
    kind = LatinTypos(columns=("name",), means=("keyboard",))
    assert set(noised(kind, *[key] * 300).frame["name"]) == set(around.split())
    if key.isalpha():
        assert set(noised(kind, *[key.upper()] * 300).frame["name"]) == set(around.upper().split())


@pytest.mark.parametrize(("sign", "read"), SCANS.items())
def test_scans_are_misread_both_ways(sign: str, read: str) -> None:
    """A sign or pair of signs is read as another and back."""
    kind = LatinTypos(columns=("name",), means=("scan",))
    assert set(noised(kind, *[f"x{sign}x"] * 100).frame["name"]) >= {f"x{other}x" for other in read.split()}


@given(texts=st.lists(st.text("aab1-中 ", min_size=1, max_size=6), min_size=1, max_size=12))
@pytest.mark.parametrize("means", ["transposition", "omission", "doubling"])
def test_slips_of_fingers_against_brute_force(means: str, texts: list[str]) -> None:
    """What is written is one of all texts that the slip can make; a text of which it makes none is not eligible."""
    slips: dict[str, Callable[[str], set[str]]] = {
        "transposition": lambda t: {
            t[:i] + t[i + 1] + t[i] + t[i + 2 :]
            for i in range(len(t) - 1)
            if t[i] != t[i + 1] and {t[i], t[i + 1]} <= set("ab1")
        },
        "omission": lambda t: {t[:i] + t[i + 1 :] for i in range(len(t)) if t[i] in "ab1" and len(t) > 1},
        "doubling": lambda t: {t[:i] + t[i] + t[i:] for i in range(len(t)) if t[i] in "ab1"},
    }
    result = noised(LatinTypos(columns=("name",), means=(means,)), *texts)  # type: ignore[arg-type]
    possible = [slips[means](text) for text in texts]
    assert result.opportunities["eligible"].to_list() == [sum(map(bool, possible))]
    for old, new, of in zip(texts, result.frame["name"], possible, strict=True):
        assert new in of if of else new == old


def test_every_place_comes_up_alike() -> None:
    """Over 10,000 rows the place of a slip is uniform among the letters: chi-square, alpha 1e-6."""
    kind = LatinTypos(columns=("name",), means=("doubling",))
    after = noised(kind, *["ab c-d"] * 10_000).frame["name"].to_list()
    counts = [after.count(text) for text in ("aab c-d", "abb c-d", "ab cc-d", "ab c-dd")]
    assert sum(counts) == 10_000
    assert stats.chisquare(counts).pvalue > 1e-6


@given(
    names=st.frozensets(st.text("abc", max_size=5), max_size=12),
    texts=st.lists(st.text("abc", max_size=6), max_size=12),
)
@pytest.mark.parametrize(
    "kind", [LatinTypos(columns=("name",)), ChineseTypos(columns=("name",))], ids=lambda kind: kind.name
)
def test_near_names_against_brute_force(
    kind: LatinTypos | ChineseTypos, names: frozenset[str], texts: list[str]
) -> None:
    """A text is taken for a name where it is none and exactly one is one slip away."""
    near = NearNames(names, kind.is_near)
    for text in texts:
        if isinstance(kind, LatinTypos):
            around = {name for name in names if OSA.distance(text, name) == 1}
        else:
            around = {name for name in names if len(name) == len(text) and len(differing(name, text)) == 1}
        assert near.mended(text) == (around.pop() if len(around) == 1 and text not in names else text)


def test_misspelt_items_of_a_list_are_found() -> None:
    """With a separator each item is looked up by itself."""
    kind = LatinTypos(columns=("name",), separator=";", vocabulary="names")
    assert mended(kind, "Helath Care;Materails", "Healht Care", "x;y", names=tuple(SECTORS)) == [
        "Health Care;Materials",
        "Health Care",
        "x;y",
    ]


def test_least_numbers_are_one() -> None:
    """To cut or to put in nothing is refused, and a sign that is the separator."""
    environment = environment_of()
    for kind, field in (
        (TruncatedNames(columns=("name",), most=0), "most"),
        (StrayBlanks(columns=("name",), most=0), "most"),
        (GluedNames(columns=("name",), separator="、"), "sign"),
    ):
        assert refused(kind, environment) == {field}
