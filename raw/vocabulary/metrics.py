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
