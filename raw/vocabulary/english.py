"""English forms of the names of the trade: provinces, industries, indicators, owners, exchanges.

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

_INDICATORS = """
总资产: Total assets
净利润金额: Net profit
雇员总数: Employees
营业收入金额: Operating revenue
资产负债率: Debt ratio
研发投入金额: R&D investment
营业收入同比增减幅: Operating revenue, change over the year
营业利润金额: Operating profit
营业利润同比增减幅: Operating profit, change over the year
净利润同比增减幅: Net profit, change over the year
研发投入同比增减幅: R&D investment, change over the year
研发投入占比: R&D share of revenue
研发投入占比增减幅: R&D share of revenue, change
资本化研发投入: Capitalised R&D
资本化研发投入同比增减幅: Capitalised R&D, change over the year
研发人员数量: R&D staff
研发人员同比增减幅: R&D staff, change over the year
雇员同比增减幅: Employees, change over the year
政府奖励资金、补贴: Government awards and subsidies
公司市值: Market value
累计中国专利申请数: Chinese patent applications, cumulative
累计PCT专利申请数: PCT patent applications, cumulative
累计中国发明专利授权数: Chinese invention patents granted, cumulative
累计中国发明专利失效数: Chinese invention patents lapsed, cumulative
累计PCT发明专利失效数: PCT invention patents lapsed, cumulative
年度中国专利申请数: Chinese patent applications of the year
年度PCT专利申请数: PCT patent applications of the year
年度中国发明专利申请数: Chinese invention patent applications of the year
年度PCT发明专利申请数: PCT invention patent applications of the year
年度中国专利授权数: Chinese patents granted in the year
年度中国发明专利授权数: Chinese invention patents granted in the year
研发人员占比: R&D share of staff
国家科技进步奖: National Science and Technology Progress Awards
国家技术发明奖: National Technological Invention Awards
省/部级科技进步奖: Provincial science and technology progress awards
省/部级技术发明奖: Provincial technological invention awards
国际行业奖项: International industry awards
国家自然科学奖: National Natural Science Awards
省/部级自然科学奖: Provincial natural science awards
省/部级科学技术奖: Provincial science and technology awards
省级企业科技创新奖: Provincial enterprise innovation awards
总负债: Total liabilities
累计所有专利被引用数: Citations of all patents, cumulative
累计核心专利被引次数: Citations of core patents, cumulative
累计中国发明专利申请数: Chinese invention patent applications, cumulative
累计PCT发明专利申请数: PCT invention patent applications, cumulative
参与起草国家标准: National standards drafted
参与起草行业标准: Industry standards drafted
"""

INDICATORS_IN_ENGLISH: dict[str, str] = dict(line.split(": ") for line in _INDICATORS.strip().splitlines())

_SUB_INDUSTRIES = """
制药: Pharmaceuticals
生物科技: Biotechnology
化学制剂: Chemical preparations
中药: Traditional Chinese medicine
化工原料: Chemical raw materials
化肥: Fertilisers
日化产品: Household chemicals
精细化工: Fine chemicals
软件和信息技术服务: Software and IT services
互联网和相关服务: Internet and related services
电信、广播电视和卫星传输服务: Telecommunications, broadcasting and satellites
住宅: Residential property
商业地产: Commercial property
物业管理: Property management
房地产中介: Estate agents
其他专用设备制造业: Other special-purpose equipment
医疗专用设备制造业: Medical equipment
电子元件及设备: Electronic components
家用电器: Household appliances
智能消费设备: Smart consumer devices
多元金融: Diversified finance
证券: Securities
银行: Banking
保险: Insurance
电机制造业: Electric motors
电池制造业: Batteries
光伏制造业: Photovoltaics
光纤电缆制造业: Optical fibre and cable
非家用照明设备制造业: Commercial lighting
零售业: Retail
批发业: Wholesale
食品业: Food
酒业: Wine and spirits
饮料业: Soft drinks
汽车零部件制造业: Motor vehicle parts
整车制造业: Motor vehicles
电力热力生产和供应业: Electricity and heat
燃气生产和供应业: Gas
水生产和供应业: Water
有色金属开采业: Non-ferrous metal mining
石油天然气开采业: Oil and gas extraction
煤炭开采和洗选业: Coal mining and washing
纺织鞋服业: Textiles, footwear and clothing
土木工程: Civil engineering
房屋建筑: Building construction
建筑装饰: Building decoration
陆路交通运输业: Land transport
水路交通运输业: Water transport
航空交通运输业: Air transport
邮政业: Post
仓储业: Storage
通用设备制造业: General-purpose equipment
半导体业: Semiconductors
半导体专用设备制造业: Semiconductor equipment
商务服务业: Business services
租赁业: Leasing
通信传输设备业: Communication equipment
水泥制品业: Cement products
玻璃制品业: Glass products
其他非金属制品业: Other non-metallic products
塑料制品: Plastic products
橡胶制品: Rubber products
综合: Conglomerates
其他制造业: Other manufacturing
金属制品业: Metal products
航空航天: Aerospace
铁路: Railway equipment
船舶及海洋工程装备: Ships and marine equipment
水利、环境和公共设施管理业: Water conservancy, environment and public facilities
有色金属冶炼和压延加工业: Non-ferrous smelting and rolling
黑色金属冶炼和压延加工业: Ferrous smelting and rolling
医药研发服务: Pharmaceutical research services
其他科研技术服务: Other research services
教育: Education
仪器仪表制造业: Instruments and meters
文化、体育和娱乐业: Culture, sports and entertainment
农业: Agriculture
林业: Forestry
畜牧业: Animal husbandry
渔业: Fishery
医疗保健: Health care
造纸和纸制品业: Paper and paper products
住宿业: Accommodation
餐饮业: Catering
家具制造业: Furniture
印刷和记录媒介复制业: Printing and recorded media
文教、工美、体育和娱乐用品制造业: Articles for education, arts, sports and leisure
化学纤维制造业: Chemical fibres
石油加工、炼焦和核燃料加工业: Petroleum, coking and nuclear fuel
废弃资源综合利用业: Waste utilisation
木材加工和木、竹、藤、棕、草制品业: Timber and wood products
居民服务、修理和其他服务业: Resident services and repair
"""

SUB_INDUSTRIES_IN_ENGLISH: dict[str, str] = dict(line.split(": ") for line in _SUB_INDUSTRIES.strip().splitlines())

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

NAMES_IN_ENGLISH: dict[str, str] = {
    **SUB_INDUSTRIES_IN_ENGLISH,
    **{industry: forms[0] for industry, forms in INDUSTRIES_IN_ENGLISH.items()},
    **INDICATORS_IN_ENGLISH,
}
"""Measures and their groups, as pages call them. Where both levels have an industry of one name, it has the level-1 form."""
