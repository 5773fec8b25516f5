"""English forms of the names of the trade: provinces, industries, owners, exchanges.

Facts of translation only, the most usual form first; English industry names stand in `industries.py`, those of metrics in
`metrics.py`. Forms of provinces: ISO 3166-2:CN and common usage; the others are our translations.
"""

from raw.vocabulary.industries import INDUSTRIES, TOTAL_INDUSTRY

PROVINCES_IN_ENGLISH: dict[str, tuple[str, ...]] = {
    "北京市": ("Beijing", "Beijing Municipality"),
    "天津市": ("Tianjin", "Tianjin Municipality"),
    "河北省": ("Hebei", "Hebei Province"),
    "山西省": ("Shanxi", "Shanxi Province"),
    "内蒙古自治区": ("Inner Mongolia", "Inner Mongolia Autonomous Region"),
    "辽宁省": ("Liaoning", "Liaoning Province"),
    "吉林省": ("Jilin", "Jilin Province"),
    "黑龙江省": ("Heilongjiang", "Heilongjiang Province"),
    "上海市": ("Shanghai", "Shanghai Municipality"),
    "江苏省": ("Jiangsu", "Jiangsu Province"),
    "浙江省": ("Zhejiang", "Zhejiang Province"),
    "安徽省": ("Anhui", "Anhui Province"),
    "福建省": ("Fujian", "Fujian Province"),
    "江西省": ("Jiangxi", "Jiangxi Province"),
    "山东省": ("Shandong", "Shandong Province"),
    "河南省": ("Henan", "Henan Province"),
    "湖北省": ("Hubei", "Hubei Province"),
    "湖南省": ("Hunan", "Hunan Province"),
    "广东省": ("Guangdong", "Guangdong Province"),
    "广西壮族自治区": ("Guangxi", "Guangxi Zhuang Autonomous Region"),
    "海南省": ("Hainan", "Hainan Province"),
    "重庆市": ("Chongqing", "Chongqing Municipality"),
    "四川省": ("Sichuan", "Sichuan Province"),
    "贵州省": ("Guizhou", "Guizhou Province"),
    "云南省": ("Yunnan", "Yunnan Province"),
    "西藏自治区": ("Tibet", "Tibet Autonomous Region"),
    "陕西省": ("Shaanxi", "Shaanxi Province"),
    "甘肃省": ("Gansu", "Gansu Province"),
    "青海省": ("Qinghai", "Qinghai Province"),
    "宁夏回族自治区": ("Ningxia", "Ningxia Hui Autonomous Region"),
    "新疆维吾尔自治区": ("Xinjiang", "Xinjiang Uygur Autonomous Region"),
    "香港特别行政区": ("Hong Kong", "Hong Kong SAR"),
    "澳门特别行政区": ("Macao", "Macao SAR"),
    "台湾省": ("Taiwan", "Taiwan Province"),
}
"""In the order of `geography.py`. The release's questions have such forms side by side."""

INDUSTRIES_IN_ENGLISH: dict[str, tuple[str, ...]] = {
    TOTAL_INDUSTRY[1]: ("All Industries",),
    **{industry.name: (industry.english,) for industry in INDUSTRIES},
}

OWNERSHIPS_IN_ENGLISH: dict[str, tuple[str, ...]] = {
    "民营企业": ("Private Enterprise",),
    "中央国有企业": ("Central State-Owned Enterprise",),
    "地方国有企业": ("Local State-Owned Enterprise",),
    "国有企业（其他）": ("State-Owned Enterprise (Other)",),
    "国有企业（院所）": ("State-Owned Enterprise (Institute)",),
    "外资企业": ("Foreign-Funded Enterprise",),
    "中外合资经营企业": ("Sino-Foreign Joint Venture",),
    "集体企业": ("Collective Enterprise",),
}

EXCHANGES_IN_ENGLISH: dict[str, tuple[str, ...]] = {
    "深交所": ("SZSE", "Shenzhen Stock Exchange"),
    "上交所": ("SSE", "Shanghai Stock Exchange"),
    "港交所": ("HKEX", "Hong Kong Stock Exchange"),
    "北交所": ("BSE", "Beijing Stock Exchange"),
}
