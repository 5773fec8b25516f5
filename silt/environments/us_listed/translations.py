"""What `us-listed` names in English, in other languages: sectors, countries, definitions of measures. Data only.

Sectors after the public translations of GICS (MSCI and S&P); the rest is our wording.
"""

SECTORS_IN_CHINESE = {
    "Consumer Discretionary": ("可选消费", "非必需消费品"),
    "Consumer Staples": ("日常消费", "必需消费品"),
    "Energy": ("能源",),
    "Financials": ("金融",),
    "Health Care": ("医疗保健",),
    "Industrials": ("工业",),
    "Information Technology": ("信息技术",),
    "Materials": ("原材料",),
    "Real Estate": ("房地产",),
    "Telecommunications Services": ("电信业务", "电信服务"),
    "Utilities": ("公用事业",),
}

SECTORS_IN_SPANISH = {
    "Consumer Discretionary": ("Consumo discrecional",),
    "Consumer Staples": ("Productos básicos de consumo",),
    "Energy": ("Energía",),
    "Financials": ("Finanzas",),
    "Health Care": ("Salud", "Cuidado de la salud"),
    "Industrials": ("Industria",),
    "Information Technology": ("Tecnología de la información",),
    "Materials": ("Materiales",),
    "Real Estate": ("Bienes raíces", "Bienes inmobiliarios"),
    "Telecommunications Services": ("Servicios de telecomunicaciones",),
    "Utilities": ("Servicios públicos",),
}

COUNTRIES_IN_CHINESE = {
    "Bermuda": ("百慕大",),
    "Ireland": ("爱尔兰",),
    "Netherlands": ("荷兰",),
    "Switzerland": ("瑞士",),
    "United Kingdom": ("英国",),
    "United States": ("美国",),
}

DEFINITIONS_IN_CHINESE = {
    "Total Revenue": "营业总收入：扣除任何成本之前的全部销售收入，等于营业成本与毛利之和。",
    "Gross Profit": "毛利：营业总收入减去营业成本后的余额。",
    "Gross Margin": "毛利率：100 × 毛利 / 营业总收入，取整数百分点。",
    "Operating Margin": "营业利润率：100 × 营业利润 / 营业总收入，不计正负号，取整数百分点。",
    "Pre-Tax Margin": "税前利润率：100 × 税前利润 / 营业总收入，不计正负号，取整数百分点。",
    "Profit Margin": "净利率：100 × 净利润 / 营业总收入，不计正负号，取整数百分点。",
    "After Tax ROE": "税后净资产收益率：100 × 净利润 / 股东权益，不计正负号，取整数百分点。",
    "Pre-Tax ROE": "税前净资产收益率：100 × 税前利润 / 股东权益，不计正负号，取整数百分点。",
    "Current Ratio": "流动比率：100 × 流动资产 / 流动负债，取整数百分点。",
    "Cash Ratio": "现金比率：100 ×（现金及现金等价物 + 短期投资）/ 流动负债，取整数百分点。",
    "Quick Ratio": "速动比率：速动资产与流动负债之比，取整数百分点。",
    "Earnings Before Interest and Tax": "息税前利润：税前利润加回利息支出。",
    "Total Assets": "总资产：公司拥有的一切；除少数股东权益介于其间外，等于总负债加股东权益。",
    "Total Liabilities & Equity": "负债和股东权益总计：资产负债表的另一方，等于总资产。",
    "Estimated Shares Outstanding": "估计流通股数：净利润 / 每股收益，是估计而非实数。",
    "Earnings Per Share": "每股收益：一股所得的净利润，以美元计。",
    "Price": "股价：期末前后的每股价格，以美元计。",
    "Research and Development": "研发费用：研究与开发支出；公司未披露时为 0。",
    "sum, mean, max, min, median": "合计、均值、最大值、最小值、中位数：汇总表中的统计量，以披露该指标的公司计算。",
}
"""By measure, as `DEFINITIONS` of the declaration."""
