"""The 25 definitions of internal metrics that an analyst is given: half English, half Chinese, in our own wording.

Formulas are common usage in industrial economics; CRn and HHI are defined in both languages, as in the release.
How a table of them looks belongs to the environment.
"""

INTERNAL_METRICS: tuple[str, ...] = (
    "R&D intensity = R&D investment / operating revenue * 100 (%). Leave out firms with no revenue.",
    "Net margin = net profit amount / operating revenue amount * 100 (%). A loss gives a negative margin.",
    "Debt ratio = total liabilities / total assets * 100 (%). Above 100 means negative equity.",
    "Return on assets (ROA) = net profit amount / total assets * 100 (%), both of the same year.",
    "CRn (concentration ratio) = revenue of the n largest firms / revenue of all firms of the market.",
    "HHI (Herfindahl-Hirschman index) = sum over firms of (100 * own revenue / market revenue) squared.",
    "Revenue per employee = operating revenue amount / total number of employees; the unit is yuan per person.",
    "Patent productivity = annual Chinese patent applications / R&D investment amount in 100 million yuan.",
    "Invention share = cumulative Chinese invention patents granted / all applications * 100 (%).",
    "Industry leader = a firm whose revenue lies in the top 10 % of its industry, ties at the border included.",
    "Policy density of a province = policies released for an industry / firms of that industry there.",
    "Min-max score = (value - minimum) / (maximum - minimum) over valid provinces; equal values all score 0.",
    "Abnormal R&D ratio: a firm whose R&D intensity is above 100 % is an outlier: leave it out of means.",
    "行业集中度（CRn）：取营业收入最大的 n 家企业，其营业收入之和除以行业营业收入合计；n 常取 3、4 或 8。",
    "赫芬达尔指数（HHI）：各企业市场份额（百分数）的平方和；高于 2500 视为高度集中，低于 1500 视为分散。",
    "市值营收比 = 公司市值合计 / 营业收入金额合计；计算前应把公司市值（亿元）与营业收入（元）换算为同一单位。",
    "补贴利润比 = 政府奖励资金、补贴 / 净利润金额 × 100%；净利润为负或为零的企业不参与计算。",
    "研发资本化率 = 资本化研发投入 / 研发投入金额 × 100%，反映企业研发支出的会计处理倾向。",
    "人均研发投入 = 研发投入金额 / 研发人员数量，单位为元/人；研发人员数量为空的企业不计入。",
    "专利活跃度 = 年度中国专利申请数 / 累计中国专利申请数 × 100%；累计数为零时记为空。",
    "有效省份：某一指标在该省至少有一家企业取值非空；跨省排名只在有效省份之间进行。",
    "同比增减幅 = （本年值 − 上年值）/ 上年值的绝对值 × 100%；上年值为零或缺失时不计算。",
    "标准影响力 = 参与起草国家标准数 × 2 + 参与起草行业标准数；用于比较企业在标准制定中的话语权。",
    "抗风险得分 = 资产负债率（逆向）、净利率（正向）与研发投入占比（正向）三项极差标准化后的简单平均。",
    "政策支持强度：以某一行业某一年发布的国务院、部委、地方三类政策数量加权求和，权重依次为 3、2、1。",
)

_IN_THE_OTHER_LANGUAGE = (
    "研发强度 = 研发投入 / 营业收入 × 100（%）；没有营业收入的企业不计入。",
    "净利率 = 净利润金额 / 营业收入金额 × 100（%）；亏损时净利率为负。",
    "资产负债率 = 总负债 / 总资产 × 100（%）；高于 100 表示净资产为负。",
    "总资产收益率（ROA）= 净利润金额 / 总资产 × 100（%），两者取同一年度。",
    "集中度比率（CRn）= 市场中最大 n 家企业的营业收入 / 全部企业的营业收入。",
    "赫芬达尔—赫希曼指数（HHI）= 各企业（100 × 自身营业收入 / 市场营业收入）的平方之和。",
    "人均营业收入 = 营业收入金额 / 雇员总数，单位为元/人。",
    "专利产出率 = 年度中国专利申请数 / 研发投入金额（亿元）。",
    "发明占比 = 累计中国发明专利授权数 / 全部专利申请数 × 100（%）。",
    "行业龙头 = 营业收入位于本行业前 10% 的企业，边界处并列者计入。",
    "省份政策密度 = 针对某行业发布的政策数量 / 该省该行业的企业数量。",
    "极差标准化得分 =（数值 − 最小值）/（最大值 − 最小值），在有效省份之间计算；各省取值相同时均记 0。",
    "研发占比异常：研发强度高于 100% 的企业视为离群值，计算均值时应剔除。",
    "Market concentration (CRn): revenue of the n largest firms / revenue of the whole industry; usually n is 3, 4 or 8.",
    "Herfindahl index (HHI): sum of squared market shares in percent; above 2500 concentrated, below 1500 dispersed.",
    "Market value to revenue = total market value (100 million yuan) / total revenue (yuan), brought to one unit first.",
    "Subsidy to profit = government awards and subsidies / net profit amount * 100 (%), for firms with a net profit only.",
    "R&D capitalisation rate = capitalised R&D investment / R&D investment amount * 100 (%): a firm's accounting for it.",
    "R&D investment per researcher = R&D investment amount / number of R&D staff (yuan per person), where staff is known.",
    "Patent activity = annual / cumulative Chinese patent applications * 100 (%); empty where the cumulative number is 0.",
    "Valid province: a firm there has a value of the indicator; provinces are ranked among valid ones only.",
    "Year-over-year change = (value - last year's) / absolute value of last year's * 100 (%); none if that is 0 or missing.",
    "Influence on standards = 2 * national standards drafted + industry standards drafted: a firm's say in setting them.",
    "Resilience score = plain mean of min-max scores of debt ratio (reversed), net margin and R&D intensity.",
    "Strength of policy support: State Council, ministry and local policies of an industry and year, weighted 3, 2 and 1.",
)

METRICS_IN_OTHER_LANGUAGE: dict[str, tuple[str, ...]] = {
    definition: (other,) for definition, other in zip(INTERNAL_METRICS, _IN_THE_OTHER_LANGUAGE, strict=True)
}
"""Each definition in the language that it is not in: our translations, none of them a definition of the list itself."""
