"""Invented brands and the company names made of them: the only place that knows the syllables of the corpus.

Brands are syllables that mean nothing together: the first from one pool, the last from another, so that no brand is part of
another one, and no two read the same in pinyin. Which business words follow is in `trades.py`; who gets which name is
decided here, subsidiaries and products in `aliases.py`.
"""

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from raw.corpus.trades import TRADES
from raw.draws import CORPUS_KEY, one_of
from raw.vocabulary.listing import HONG_KONG

_KEY = CORPUS_KEY.derive("names")

_FIRST = (
    "霁ji 湛zhan 珩heng 骞qian 昱yu 澍shu 翊yi 旻min 璟jing 煦xu 岚lan 曜yao 霖lin 朔shuo 峤qiao 颢hao 琛chen 舜shun "
    "甬yong 郢ying 邺ye 沛pei 涵han 溪xi 泓hong 洵xun 渭wei 沅yuan 滇dian 穗sui 榕rong 樾yue 梓zi 柏bai 槐huai 楠nan "
    "杉shan 桉an 桦hua 枫feng 棠tang 棣di 楷kai 栾luan 芮rui 芷zhi 茗ming 莳shi 蒲pu 芙fu 苓ling 莘shen 鹭lu 鹤he 隼sun "
    "鹏peng 麒qi 骊li 骢cong 驷si 珂ke 琅lang 瑾jin 瓒zan 珞luo 琨kun 玟wen 珺jun"
)
_MIDDLE = (
    "亘gen 奕yi 峻jun 岱dai 崧song 巍wei 庚geng 廷ting 弘hong 彦yan 征zheng 恺kai 悫que 愉yu 慕mu 憬jing 懋mao 抒shu "
    "拙zhuo 攸you 敏min 斐fei 昊hao 昀yun 晔ye 晖hui 晟sheng 暄xuan 朗lang 杭hang 栩xu 沁qin 汐xi 泊bo 洛luo 津jin 浔xun "
    "浦pu 涟lian 淇qi 淳chun 淼miao 渊yuan 湄mei 溯su 漾yang 潭tan 澈che 瀛ying 焕huan 玖jiu 珀po 皎jiao 磐pan 禄lu "
    "秉bing 策ce 简jian 籁lai 翎ling 舟zhou 舫fang 艾ai 范fan 荻di"
)
_LAST = (
    "邑yi 郁yu 钧jun 铎duo 铭ming 锋feng 镕rong 阑lan 陌mo 隆long 雍yong 霄xiao 靖jing 韬tao 韵yun 颂song 飒sa 馥fu "
    "魁kui 黎li 黛dai 鼎ding 齐qi 龄ling 佑you 佩pei 侃kan 倬zhuo 僖xi 冉ran 凯kai 凝ning 刚gang 劭shao 勉mian 勤qin "
    "卿qing 厚hou 叙xu 吟yin 呈cheng 哲zhe 唯wei 嘉jia 圣sheng 坚jian 坤kun 垒lei 妍yan 娴xian 宗zong 宸chen 宽kuan "
    "尚shang 尧yao 峥zheng 崇chong 川chuan 帆fan 幄wo 彬bin 恪ke"
)

PINYIN: dict[str, str] = {word[0]: word[1:] for pool in (_FIRST, _MIDDLE, _LAST) for word in pool.split()}
"""Every syllable of a brand and how it is read; the three pools share no character."""

FIRST, MIDDLE, LAST = (tuple(word[0] for word in pool.split()) for pool in (_FIRST, _MIDDLE, _LAST))

_TWO_SYLLABLES = 0.2
"""Share of brands without a middle syllable, as long as there are some left; our choice."""

_WITH_PLACE = 0.25
"""Share of mainland legal names that begin with their city; our choice."""

_MAINLAND_FORMS = ("股份有限公司",) * 4 + ("集团股份有限公司",)
_HONG_KONG_FORMS = ("控股有限公司", "有限公司", "集团有限公司", "国际控股有限公司")
_OVERSEAS_FORMS = ("公司", "有限公司", "股份公司", "集团公司", "控股公司", "发展公司", "科技公司")
_ENGLISH_OVERSEAS_FORMS = ("Inc.", "plc", "Limited", "Group", "Holdings", "Corporation", "Technologies")

WORDS = pl.DataFrame(
    [(industry, word.full, word.short, word.english) for industry, trade in TRADES.items() for word in trade.words],
    schema={"industry_id": pl.Int64, "word": pl.String, "word_short": pl.String, "word_english": pl.String},
    orient="row",
)
"""The business words of each industry, in order."""

_WORDS_AN_INDUSTRY = 4


def brands(
    key: Key, number: int, *pools: tuple[str, ...], optional: int | None = None, twice: int | None = None
) -> pl.DataFrame:
    """Return `number` distinct brands, one syllable of each pool.

    Args:
        number: How many; `InputError` if the pools have too few.
        optional: The place that is left out of some brands.
        twice: The place that brands have two syllables of when there are no others left: in their midst or at their end, of a
            pool that none begins with, so that none is part of another.

    Returns:
        Columns `rank` (0, 1, ...), `brand` and `roman` (pinyin in one word, with a capital), both unique.
    """
    distinct = _distinct([_drawn(key, number, pools, optional)])
    if distinct.height < number and twice is not None:
        longer = (*pools[:twice], pools[twice], *pools[twice:])
        distinct = _distinct([distinct, _drawn(key.derive("longer"), number, longer, None)])
    if distinct.height < number:
        raise InputError(f"SCALE too large: {number} brands asked for, {distinct.height} there; use a smaller SCALE")
    return distinct.head(number).select(pl.int_range(pl.len(), dtype=pl.Int64).alias("rank"), "brand", "roman")


def _drawn(key: Key, number: int, pools: tuple[tuple[str, ...], ...], optional: int | None) -> pl.DataFrame:
    """Draw brands: more than are needed, because some draws repeat a brand or its pinyin."""
    drawn = pl.DataFrame({"draw": pl.int_range(2 * number + 64, eager=True)}).with_columns(
        *(
            _syllable(key, pool, place, optional=place == optional).alias(f"at_{place}")
            for place, pool in enumerate(pools)
        )
    )
    places = [f"at_{place}" for place in range(len(pools))]
    readings = [pl.col(place).replace_strict(PINYIN | {"": ""}) for place in places]
    return drawn.select(brand=pl.concat_str(places), roman=pl.concat_str(readings).str.to_titlecase())


def _distinct(drawn: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(drawn).unique("roman", keep="first", maintain_order=True)


def name_domestic(firms: pl.DataFrame) -> pl.DataFrame:
    """Add `brand`, `legal`, `short` and `english` to domestic firms (columns `firm`, `industry_id`, `city`, ...)."""
    made = brands(_KEY.derive("domestic"), firms.height, FIRST, MIDDLE, LAST, optional=1, twice=1)
    named = firms.join(made, left_on="firm", right_on="rank")
    words = WORDS.with_columns(which=pl.int_range(pl.len(), dtype=pl.Int64).over("industry_id"))
    worded = named.with_columns(which=_KEY.derive("word").draw("firm") % _WORDS_AN_INDUSTRY).join(
        words, on=["industry_id", "which"]
    )
    return worded.with_columns(
        legal=pl.concat_str(_place(), "brand", "word", _form()),
        short=pl.concat_str("brand", "word_short"),
        english=pl.format("{} {} Co., Ltd.", "roman", "word_english"),
    ).drop("which", "word_short", "word_english", "roman")


def name_overseas(firms: pl.DataFrame) -> pl.DataFrame:
    """Add `legal` and `english` to overseas firms (column `firm`); the business word has nothing to do with the firm.

    Syllables stand in another order than in domestic brands, so that no name of one is part of a name of the other.
    """
    made = brands(_KEY.derive("overseas"), firms.height, LAST, FIRST, MIDDLE, twice=2)
    named = firms.join(made, left_on="firm", right_on="rank")
    words = WORDS.with_row_index("which").with_columns(pl.col("which").cast(pl.Int64))
    draw = _KEY.derive("overseas", "form").draw("firm")
    return (
        named.with_columns(which=_KEY.derive("overseas", "word").draw("firm") % WORDS.height)
        .join(words, on="which")
        .with_columns(
            legal=pl.concat_str("brand", "word", one_of(_OVERSEAS_FORMS, draw)),
            english=pl.format("{} {} {}", "roman", "word_english", one_of(_ENGLISH_OVERSEAS_FORMS, draw)),
        )
        .select(*firms.columns, "legal", "english")
    )


def _syllable(key: Key, pool: tuple[str, ...], place: int, *, optional: bool) -> pl.Expr:
    syllable = one_of(pool, key.derive("syllable", str(place)).draw("draw"))
    if not optional:
        return syllable
    is_left_out = key.derive("optional").uniform("draw") < _TWO_SYLLABLES
    return pl.when(is_left_out).then(pl.lit("")).otherwise(syllable)


def _place() -> pl.Expr:
    has_place = (_KEY.derive("place").uniform("firm") < _WITH_PLACE) & (pl.col("company_type") != HONG_KONG)
    return pl.when(has_place).then(pl.col("city").str.strip_suffix("市")).otherwise(pl.lit(""))


def _form() -> pl.Expr:
    draw = _KEY.derive("form").draw("firm")
    is_hong_kong = pl.col("company_type") == HONG_KONG
    return pl.when(is_hong_kong).then(one_of(_HONG_KONG_FORMS, draw)).otherwise(one_of(_MAINLAND_FORMS, draw))
