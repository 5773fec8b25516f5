"""The 48 company indicators of dataclaw-18: names, units, codes, identities and other names; each fact once.

Only what is true of the indicators themselves belongs here. How figures are drawn is in `raw/corpus/figures/drawn.py`,
how they are perturbed in `anonymize/figures/`, how the noise picks a unit or an alias in `pipeline/noise/`.
Source of names, units and order: the clean release's `company_operation_status` (51 columns, the first three are keys).
"""

from pipeline.model import Difference, Growth, Identity, Measure, Ratio

MONEY = "元"

MONEY_UNITS = {"元": 1, "万元": 10_000, "十万元": 100_000, "百万元": 1_000_000, "千万元": 10_000_000}
"""Units that may stand for 元, with the number of 元 in one."""

_DECIMALS = {"元": 2, "亿元": 2, "%": 2}

_TABLE = """
总资产:元 净利润金额:元 雇员总数:人 营业收入金额:元 资产负债率:% 研发投入金额:元 营业收入同比增减幅:% 营业利润金额:元
营业利润同比增减幅:% 净利润同比增减幅:% 研发投入同比增减幅:% 研发投入占比:% 研发投入占比增减幅:% 资本化研发投入:元
资本化研发投入同比增减幅:% 研发人员数量:人 研发人员同比增减幅:% 雇员同比增减幅:% 政府奖励资金、补贴:元 公司市值:亿元
累计中国专利申请数:件 累计PCT专利申请数:件 累计中国发明专利授权数:件 累计中国发明专利失效数:件
累计PCT发明专利失效数:件 年度中国专利申请数:件 年度PCT专利申请数:件 年度中国发明专利申请数:件 年度PCT发明专利申请数:件
年度中国专利授权数:件 年度中国发明专利授权数:件 研发人员占比:% 国家科技进步奖:个 国家技术发明奖:个
省/部级科技进步奖:个 省/部级技术发明奖:个 国际行业奖项:个 国家自然科学奖:个 省/部级自然科学奖:个 省/部级科学技术奖:个
省级企业科技创新奖:个 总负债:元 累计所有专利被引用数:次 累计核心专利被引次数:次 累计中国发明专利申请数:件
累计PCT发明专利申请数:件 参与起草国家标准:个 参与起草行业标准:个
"""
"""Names and units."""

INDICATORS: tuple[Measure, ...] = tuple(
    Measure(name=name, unit=unit, decimals=_DECIMALS.get(unit, 0), additive=unit != "%")
    for name, unit in (entry.split(":") for entry in _TABLE.split())
)
"""In the order of the clean release; a ratio or rate (%) has no sum."""

COUNT_INDICATORS: tuple[str, ...] = tuple(m.name for m in INDICATORS if m.unit in {"件", "个", "次"})
"""Patents, citations, awards and standards: whole numbers that no identity touches."""

TARGET_CODES: dict[str, str] = {
    measure.name: f"Y_EC_{(5 * position + 29) % len(INDICATORS) + 1:02d}" for position, measure in enumerate(INDICATORS)
}
"""Indicator -> code. `Y_EC_44` is given (paper, A.7 case 4); the others are our arrangement, off the column order."""

IDENTITIES: tuple[Identity, ...] = (
    Ratio(output="资产负债率", numerator=("总负债",), denominator="总资产"),
    Ratio(output="研发投入占比", numerator=("研发投入金额",), denominator="营业收入金额"),
    Ratio(output="研发人员占比", numerator=("研发人员数量",), denominator="雇员总数"),
    Growth(output="营业收入同比增减幅", base="营业收入金额"),
    Growth(output="营业利润同比增减幅", base="营业利润金额"),
    Growth(output="净利润同比增减幅", base="净利润金额"),
    Growth(output="研发投入同比增减幅", base="研发投入金额"),
    Growth(output="资本化研发投入同比增减幅", base="资本化研发投入"),
    Growth(output="研发人员同比增减幅", base="研发人员数量"),
    Growth(output="雇员同比增减幅", base="雇员总数"),
    Difference(output="研发投入占比增减幅", base="研发投入占比"),
)

KNOWN_FIGURES: tuple[tuple[str, ...], ...] = (
    ("营业收入金额",),
    ("营业收入金额", "总资产", "净利润金额"),
    ("营业收入金额", "总资产", "净利润金额", "营业利润金额", "研发投入金额", "总负债", "雇员总数"),
)
"""Figures that stand in every annual report: one, three, seven."""

INDICATOR_ALIASES: dict[str, tuple[str, ...]] = {
    "总资产": ("资产总额", "资产合计", "总资产金额", "资产总额度"),
    "净利润金额": ("净利润", "净利润额", "净利金额", "净利润总额"),
    "营业利润金额": ("营业利润", "营业利润总额", "经营利润金额"),
    "营业收入金额": ("营业收入", "营业总收入", "营收金额", "营业收入总额"),
    "研发投入金额": ("研发投入", "研发投入总额", "研发支出金额", "研发费用投入"),
    "资本化研发投入": ("资本化研发投入金额", "研发投入资本化金额", "资本化研发支出"),
    "政府奖励资金、补贴": ("政府补助", "政府补贴金额", "政府奖励及补贴"),
    "总负债": ("负债总额", "负债合计", "总负债金额"),
}
"""The first three sets were read in the release; the others are ours, for the indicators that were not sampled."""

INDICATOR_NAMES: dict[str, tuple[str, ...]] = {
    indicator.name: INDICATOR_ALIASES.get(indicator.name, ()) for indicator in INDICATORS
}
"""Every indicator -> its other names: so the name of one (研发投入占比) is not taken for an alias (研发投入) and a rest."""
