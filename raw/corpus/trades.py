"""What firms of an industry are called, make and are good at: words for names and prose, and the kind of business.

Words only, by level-1 industry id. Invented brand syllables are in `firms/names.py`, sentences in `sentences.py`, the size of
each kind of business in `figures/drawn.py`.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A business word of a company name: in full, as the short name has it (two characters), in English."""

    full: str
    short: str
    english: str


@dataclass(frozen=True)
class TradeWords:
    """The words of one industry; `kind` is the kind of business by which figures and owners are drawn."""

    kind: str
    words: tuple[Word, ...]
    products: tuple[str, ...]
    skills: tuple[str, ...]


_TABLE = """
1 biotech
  制药:制药:Pharmaceutical 生物医药:生物:Biopharma 药业:药业:Pharma 医疗科技:医疗:Medical
  缓释片 单抗注射液 中药颗粒 疫苗制剂 诊断试剂盒
  缓控释制剂 抗体工程 连续流合成 杂质谱分析
2 manufacture
  化工:化工:Chemical 化学:化学:Chemistry 精细化工:精化:FineChem 化工材料:化材:ChemMaterials
  分散染料 高分子助剂 电子级溶剂 复合肥料 特种树脂
  微通道反应 催化剂设计 精馏节能 聚合控制
3 hightech
  软件:软件:Software 信息技术:信息:Information 网络科技:网络:Network 数据服务:数据:Data
  政务云平台 低代码引擎 数据治理套件 安全网关 智能客服系统
  分布式架构 隐私计算 图计算 容器调度
4 property
  置业:置业:Properties 房地产开发:地产:RealEstate 城市建设:城建:UrbanBuild 物业服务:物业:PropertyServices
  滨江住宅项目 城市综合体 产业园区 租赁公寓 物业管家服务
  绿色建筑 装配式施工 资产运营 全周期成本管控
5 manufacture
  专用设备:专设:Equipment 智能装备:装备:IntelliEquip 医疗器械:器械:Devices 机械科技:机科:Machinery
  真空镀膜机 超声诊断仪 盾构刀盘 自动包装线 激光焊接机
  精密运动控制 机器视觉 有限元仿真 模块化设计
6 hightech
  电子:电子:Electronics 电器:电器:Appliances 智能科技:智能:Smart 光电:光电:Optoelectronics
  变频空调 连接器组件 摄像模组 智能门锁 柔性电路板
  热管理仿真 微型化封装 声学降噪 射频调谐
7 finance
  证券:证券:Securities 金融控股:金控:FinancialHoldings 资产管理:资管:AssetManagement 村镇银行:银行:Bank
  普惠信贷产品 财富管理平台 固收增强组合 供应链票据服务 养老年金计划
  风险定价 反欺诈建模 久期管理 客户分层经营
8 manufacture
  电气:电气:Electric 电机:电机:Motors 新能源科技:新能:NewEnergy 电缆:电缆:Cable
  储能变流器 永磁电机 环网柜 光伏组件 特种电缆
  功率变换 绝缘设计 电磁仿真 电芯化成
9 consumer
  商贸:商贸:Trading 百货:百货:Stores 供应链管理:供应:SupplyChain 连锁商业:连锁:Chain
  社区生鲜店 会员商城 跨境集货仓 药品配送网络 家居卖场
  需求预测 门店选址 库存周转优化 全渠道履约
10 consumer
  食品:食品:Foods 酒业:酒业:Distillery 饮料:饮料:Beverages 乳业:乳业:Dairy
  酱香白酒 低温酸奶 复合调味料 植物蛋白饮料 速冻面点
  菌种选育 风味分析 冷链锁鲜 非热杀菌
12 manufacture
  汽车零部件:汽配:AutoParts 汽车制造:汽车:Automobile 车业:车业:Vehicles 汽车电子:汽电:AutoElectronics
  线控制动器 热泵空调总成 轻量化副车架 车载控制器 混动变速箱
  整车集成 轻量化成形 功能安全设计 台架验证
13 heavy
  电力:电力:Power 燃气:燃气:Gas 水务:水务:Water 热力:热力:Heating
  热电联产机组 城镇燃气管网 自来水厂 抽水蓄能电站 综合能源站
  源网荷储协同 管网漏损控制 超低排放 负荷预测
14 heavy
  矿业:矿业:Mining 煤业:煤业:Coal 石油技术:石油:Petroleum 资源开发:资源:Resources
  铜精矿 动力煤 钻井服务 钼铁合金 页岩气压裂液
  深井开采 充填采矿 选矿药剂优化 地质建模
15 consumer
  纺织:纺织:Textile 服饰:服饰:Apparel 鞋业:鞋业:Footwear 家纺:家纺:HomeTextile
  功能面料 运动鞋 羊绒纱线 婴童服装 产业用无纺布
  无水染色 柔性快反 纤维改性 三维版型
16 property
  建设工程:建设:Construction 建工:建工:Builders 装饰工程:装饰:Decoration 路桥:路桥:RoadBridge
  跨江大桥工程 地铁区间工程 幕墙工程 市政管廊 医院净化工程
  建筑信息模型 大跨度施工 预制拼装 施工监测
17 heavy
  物流:物流:Logistics 港务:港务:Port 航运:航运:Shipping 高速公路:高速:Expressway
  集装箱班列 冷链干线 散货码头 同城急送 航空货站
  路径优化 多式联运 自动分拣 船舶能效管理
18 manufacture
  机械:机械:Machine 泵业:泵业:Pumps 机床:机床:MachineTools 传动科技:传动:Drives
  数控机床 螺杆压缩机 谐波减速器 高压阀门 工业机器人
  精密磨削 流体仿真 误差补偿 可靠性试验
19 hightech
  半导体:半导:Semiconductor 微电子:微电:Microelectronics 集成电路:集成:IC 芯片技术:芯片:Chips
  功率器件 存储控制芯片 刻蚀设备 硅外延片 射频前端芯片
  先进封装 良率提升 版图设计 薄膜沉积
20 service
  商务服务:商务:Business 人力资源:人力:HumanResources 融资租赁:租赁:Leasing 会展:会展:Exhibition
  灵活用工平台 设备租赁方案 品牌营销服务 展会运营 企业咨询服务
  资源匹配 信用评估 品牌策划 项目管理
21 hightech
  通信:通信:Communications 通讯技术:通讯:Telecom 光网科技:光网:OptiNet 卫星技术:卫星:Satellite
  光模块 基站天线 交换机 卫星终端 应急通信车
  高速信号完整性 波束赋形 光电耦合 协议栈开发
22 manufacture
  水泥:水泥:Cement 玻璃:玻璃:Glass 新型建材:建材:BuildingMaterials 陶瓷:陶瓷:Ceramics
  低碳水泥 光伏玻璃 玻璃纤维纱 电子陶瓷基片 防水卷材
  熟料煅烧 微晶化 浮法成形 固废掺配
23 manufacture
  塑业:塑业:Plastics 橡胶:橡胶:Rubber 高分子材料:高分:Polymer 轮胎:轮胎:Tyre
  改性塑料 全钢子午胎 医用导管 可降解薄膜 密封件
  配方设计 共挤成型 硫化控制 模流分析
24 service
  实业:实业:Industries 综合发展:综发:Development 产业投资:产投:Ventures 集团控股:集控:Holdings
  园区运营服务 贸易流通业务 农产品加工线 文旅地块 供热服务
  多元协同 投后管理 资源整合 资本运作
25 manufacture
  制造:制造:Manufacturing 工业制品:工品:IndustrialGoods 日用制品:日用:HouseholdGoods 工艺科技:工艺:Crafts
  雨具 保温容器 打火器具 节庆饰品 宠物用品
  工业设计 自动组装 表面装饰 模具开发
26 manufacture
  金属制品:金制:MetalWorks 五金:五金:Hardware 钢构:钢构:SteelStructure 容器装备:容器:Vessels
  铝合金门窗 金属包装罐 钢结构塔筒 高强紧固件 压力容器
  冷镦成形 激光切割 防腐涂装 焊接工艺评定
27 manufacture
  轨道交通:轨交:Rail 船舶工业:船舶:Shipbuilding 航空科技:航空:Aviation 航天装备:航天:Aerospace
  转向架 散货船 航空紧固件 无人机 轨道扣件
  结构健康监测 复合材料铺放 总装集成 疲劳寿命评估
28 service
  环境:环境:Environment 水利:水利:Hydraulic 环保科技:环保:EcoTech 园林:园林:Landscape
  污水处理厂 垃圾焚烧项目 河道治理工程 土壤修复服务 景区运营
  膜法水处理 烟气净化 生态修复 渗滤液处理
29 heavy
  铜业:铜业:Copper 铝业:铝业:Aluminium 特钢:特钢:SpecialSteel 金属材料:金材:Metals
  高纯铝箔 无缝钢管 铜合金带 钛合金板 稀土磁材
  真空熔炼 连铸连轧 晶粒细化 余热利用
30 service
  检测技术:检测:Testing 医药研发:医研:PharmaResearch 设计研究:设计:Design 技术服务:技服:TechServices
  临床试验服务 计量校准服务 工程勘察设计 环境监测服务 材料评价服务
  方法学开发 标准物质研制 试验设计 质量体系建设
31 service
  教育科技:教科:EduTech 教育:教育:Education 文化教育:文教:Academy 职业培训:培训:Training
  职业院校运营 素质教育课程 智慧课堂 留学服务 企业内训
  课程研发 学情分析 师资培养 题库建设
32 manufacture
  仪器:仪器:Instruments 仪表:仪表:Meters 测控技术:测控:Measurement 传感科技:传感:Sensing
  智能水表 质谱仪 压力变送器 三坐标测量机 气体检测仪
  微弱信号检测 计量溯源 传感封装 自动校准
33 service
  文化传媒:传媒:Media 影视:影视:Pictures 出版:出版:Publishing 体育文化:体育:Sports
  网络剧 数字出版平台 主题乐园 赛事运营 动漫形象
  内容制作 版权运营 虚拟制作 用户社区运营
34 consumer
  农业:农业:Agriculture 牧业:牧业:Husbandry 种业:种业:Seeds 渔业:渔业:Fishery
  杂交水稻种子 生猪养殖 食用菌 深远海养殖 白羽肉鸡
  分子育种 疫病净化 水肥一体化 饲料配方
35 service
  医院管理:医管:Hospitals 健康服务:健康:Health 眼科医疗:眼科:EyeCare 口腔医疗:口腔:Dental
  专科连锁医院 体检中心 血液透析中心 口腔正畸服务 康复护理服务
  专科诊疗 多学科会诊 互联网医疗 医疗质量管理
36 manufacture
  纸业:纸业:Paper 纸制品:纸品:PaperGoods 包装纸:包纸:PackPaper 浆纸:浆纸:PulpPaper
  文化用纸 生活用纸 特种装饰原纸 瓦楞纸板 食品卡纸
  废纸脱墨 湿部化学 白水回用 纤维改良
37 consumer
  酒店管理:酒店:Hotels 餐饮管理:餐饮:Catering 旅业:旅业:Hospitality 餐饮文化:餐文:Dining
  中端连锁酒店 团餐服务 休闲餐厅 预制菜 度假酒店
  中央厨房 会员运营 标准化出品 收益管理
38 consumer
  家居:家居:Home 家具:家具:Furniture 橱柜:橱柜:Cabinets 智能家居:智居:SmartHome
  定制衣柜 功能沙发 办公座椅 实木门 智能床垫
  板材套裁 人体工学 柔性生产 水性涂装
39 manufacture
  印刷:印刷:Printing 包装印务:印务:Packaging 印业:印业:Press 标签科技:标签:Labels
  烟标 防伪标签 精品包装盒 票证印刷 数字样张
  色彩管理 冷烫转移 防伪设计 柔版制版
41 consumer
  文具:文具:Stationery 玩具:玩具:Toys 珠宝工艺:珠宝:Jewelry 乐器:乐器:MusicalInstruments
  中性笔 益智积木 黄金饰品 钢琴 健身器材
  精密注塑 造型设计 镶嵌工艺 声学调校
43 manufacture
  化纤:化纤:ChemFibre 纤维:纤维:Fibre 新纤科技:新纤:NeoFibre 氨纶:氨纶:Spandex
  差别化涤纶 氨纶丝 锦纶切片 碳纤维 再生纤维
  熔体直纺 原液着色 纺丝组件设计 高速卷绕
45 heavy
  石化:石化:Petrochemical 炼化:炼化:Refining 焦化:焦化:Coking 油品:油品:OilProducts
  国标汽油 针状焦 润滑油基础油 冶金焦 沥青
  加氢裂化 延迟焦化 装置大型化 硫回收
46 manufacture
  再生资源:再生:Renewables 循环科技:循环:Circular 环保资源:环资:EcoResources 再生金属:再金:RecycledMetals
  再生铅锭 废旧电池回收 再生塑料粒 拆解服务 再生铝锭
  湿法冶金 智能分选 梯次利用 贵金属提取
47 manufacture
  木业:木业:Timber 竹业:竹业:Bamboo 林产:林产:ForestProducts 板业:板业:Panels
  强化地板 竹纤维板 无醛胶合板 木皮 藤编制品
  无醛胶黏 炭化改性 连续平压 竹材展平
48 service
  家政服务:家政:Housekeeping 生活服务:生活:Living 维修服务:维修:Repair 殡葬服务:礼仪:Memorial
  社区家政平台 汽车快修店 洗涤服务 生命礼仪服务 家电维修网络
  服务标准化 人员培训 调度派单 网点运营
"""


def _trades() -> dict[int, TradeWords]:
    """Read blocks of four lines: id and kind; names `full:short:English`; products; skills."""
    lines = [line.split() for line in _TABLE.strip().splitlines()]
    blocks = zip(lines[0::4], lines[1::4], lines[2::4], lines[3::4], strict=True)
    return {
        int(identifier): TradeWords(kind, tuple(_word(word) for word in words), tuple(products), tuple(skills))
        for (identifier, kind), words, products, skills in blocks
    }


def _word(text: str) -> Word:
    """Read `full:short:English`, the English words joined with capitals."""
    full, short, english = text.split(":")
    return Word(full, short, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", english))


TRADES: dict[int, TradeWords] = _trades()
"""Level-1 industry id -> its words."""
