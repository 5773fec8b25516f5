"""Words of Chinese company names: characters of brands, words of each industry, legal forms.

General vocabulary of the trades, chosen by us; real companies were looked at only to refuse famous brands.
"""

from anonymize.names.vocabulary import Lexicon, trade, trades, words

SYLLABLES = {
    entry[0]: entry[1:]
    for entry in words("""
    艾ai 安an 昂ang 奥ao 柏bai 邦bang 宝bao 贝bei 本ben 碧bi 标biao 彬bin 秉bing 博bo
    步bu 采cai 灿can 沧cang 草cao 策ce 岑cen 昌chang 潮chao 辰chen 诚cheng 驰chi 崇chong 楚chu
    川chuan 创chuang 淳chun 慈ci 聪cong 翠cui 达da 岱dai 丹dan 道dao 德de 登deng 迪di 典dian
    鼎ding 栋dong 笃du 端duan 敦dun 铎duo 恩en 法fa 帆fan 舫fang 斐fei 汾fen 沣feng 孚fu
    淦gan 岗gang 皋gao 舸ge 亘gen 耕geng 巩gong 谷gu 观guan 珖guang 桂gui 果guo 海hai 瀚han
    航hang 昊hao 禾he 恒heng 鸿hong 厚hou 瑚hu 桦hua 寰huan 凰huang 惠hui 霍huo 骥ji 嘉jia
    鉴jian 疆jiang 杰jie 锦jin 景jing 炯jiong 玖jiu 炬ju 涓juan 珏jue 骏jun 凯kai 勘kan 康kang
    珂ke 垦ken 宽kuan 奎kui 坤kun 阔kuo 莱lai 澜lan 朗lang 磊lei 励li 涟lian 梁liang 辽liao
    霖lin 凌ling 柳liu 隆long 麓lu 峦luan 伦lun 洛luo 迈mai 曼man 茂mao 玫mei 萌meng 觅mi
    绵mian 苗miao 铭ming 墨mo 沐mu 纳na 楠nan 霓ni 年nian 宁ning 侬nong 诺nuo 欧ou 磐pan
    沛pei 鹏peng 品pin 坪ping 璞pu 琦qi 谦qian 强qiang 乔qiao 沁qin 青qing 丘qiu 渠qu 泉quan
    群qun 冉ran 饶rao 仁ren 融rong 儒ru 阮ruan 睿rui 润run 若ruo 赛sai 森sen 莎sha 杉shan
    尚shang 韶shao 申shen 晟sheng 实shi 首shou 舒shu 霜shuang 舜shun 硕shuo 思si 嵩song 溯su 穗sui
    索suo 太tai 檀tan 棠tang 韬tao 特te 藤teng 缇ti 田tian 霆ting 桐tong 途tu 湍tuan 拓tuo
    琬wan 望wang 玮wei 雯wen 沃wo 梧wu 曦xi 夏xia 贤xian 湘xiang 骁xiao 协xie 昕xin 星xing
    雄xiong 秀xiu 煦xu 璇xuan 学xue 勋xun 亚ya 彦yan 漾yang 瑶yao 烨ye 翊yi 音yin 颖ying
    泳yong 佑you 禹yu 沅yuan 岳yue 昀yun 赞zan 泽ze 增zeng 湛zhan 璋zhang 昭zhao 哲zhe 臻zhen
    峥zheng 芷zhi 众zhong 洲zhou 铸zhu 庄zhuang 准zhun 卓zhuo 梓zi 综zong 祖zu 尊zun
    """)
}
"""Characters of brands with their pinyin: one character a syllable, so that brands that differ do so in English too."""

LEGAL_FORMS_IN_ENGLISH = {
    "股份有限公司": "Co., Ltd.",
    "有限公司": "Co., Ltd.",
    "集团股份有限公司": "Group Co., Ltd.",
    "集团有限公司": "Group Co., Ltd.",
}
"""Every legal form, in English."""

_FAMOUS_BRANDS = words(
    """
    hua-wei teng-xun bai-du jing-dong xiao-mi mei-tuan mao-tai wu-liang ge-li hai-er mei-di lian-xiang wan-ke
    heng-da bi-ya ji-li chang-cheng qi-rui meng-niu yi-li zhao-shang zhong-xin pu-fa xing-ye min-sheng ping-an
    wang-yi sou-hu xin-lang di-di shun-feng zhong-tong yuan-tong hai-tian ge-lan kang-shi wa-ha nong-fu hai-kang
    da-hua ke-da san-yi zhong-lian xu-gong ning-de long-ji tong-wei heng-rui fu-xing tong-ren bi-gui long-hu
    rong-chuang bao-li lv-di su-ning guo-mei yong-hui bao-gang an-gang zhong-guo zhong-shi shi-hua shi-you
    guo-tai hai-tong hua-tai hua-run guang-da jiao-tong nong-ye gong-shang jian-she you-chu tai-kang ren-bao
    ren-shou shang-qi yi-qi chang-an dong-feng jiang-huai bei-da qing-hua fang-zheng zi-guang zhong-xing
    kang-jia chuang-wei hai-xin ou-pai an-ta li-ning te-bu bo-si sen-ma ya-ge qing-dao lu-zhou fen-jiu yang-he
    gu-jing shuang-hui guang-ming san-yuan wan-da xin-hua le-shi bo-na hua-yi fu-li long-fu xie-cheng qu-na
    ke-lan ao-di ben-chi bao-ma feng-tian ri-chan te-si-la xi-men nuo-ji an-li bao-jie ke-li xing-ba mai-dang
    ken-de ai-li a-li si-ke xi-ao bei-jing shang-hai tian-jin chong-qing guang-dong guang-xi guang-zhou
    shen-zhen zhe-jiang jiang-su jiang-xi fu-jian an-hui shan-dong shan-xi he-bei he-nan hu-bei hu-nan hai-nan
    si-chuan gui-zhou yun-nan xi-zang gan-su qing-hai ning-xia xin-jiang liao-ning ji-lin hei-long nei-meng
    xiang-gang ao-men tai-wan nan-jing cheng-du wu-han xi-an
    """
)
"""Well-known brands and places, by pinyin. No invented brand contains one or sounds like one."""


_ANY_TRADE = trade(
    "实业=Industry, 产业=Enterprise, 发展=Development, 企业管理=Enterprise Management, 产业投资=Industrial Investment",
    "套装, 系列产品, 服务平台, 标准件, 解决方案",
)

_TRADES = trades(
    """
医药制造业
  制药=Pharmaceutical, 药业=Medicine, 生物医药=Biomedicine, 生物制品=Biological Products, 医疗器械=Medical Devices,
  医疗科技=Medical Technology
  注射液, 胶囊, 缓释片, 颗粒, 疫苗, 诊断试剂盒
化学原料和化学制品制造业
  化工=Chemical, 精细化工=Fine Chemical, 新材料=New Materials, 石化材料=Petrochemical Materials, 农化=Agrochemical,
  涂料=Coatings
  催化剂, 树脂, 复合肥, 钛白粉, 环保漆, 表面活性剂
信息传输、软件和信息技术服务业
  软件=Software, 网络=Network, 信息技术=Information Technology, 数据服务=Data Services, 云计算=Cloud Computing,
  智能科技=Intelligent Technology
  云平台, 数据中台, 操作系统, 安全网关, 协同办公系统, 大模型
房地产业
  置业=Real Estate, 房地产开发=Real Estate Development, 地产=Property, 城市发展=Urban Development, 不动产=Realty,
  物业发展=Property Development
  花园, 国际公寓, 商务中心, 广场, 智慧社区, 商业街
专用设备制造业
  专用设备=Special Equipment, 装备=Equipment, 智能装备=Intelligent Equipment, 重型机械=Heavy Machinery,
  医疗设备=Medical Equipment, 自动化=Automation
  盾构机, 注塑机, 涂布机, 包装生产线, 激光切割机, 收割机
消费电子及电气业
  电器=Electric Appliances, 电子=Electronics, 家电=Home Appliances, 光电=Optoelectronics, 智能终端=Smart Terminals,
  电子科技=Electronic Technology
  空调, 扫地机器人, 智能音箱, 电热水器, 显示屏, 蓝牙耳机
金融业
  证券=Securities, 金融控股=Financial Holdings, 资产管理=Asset Management, 财富管理=Wealth Management,
  融资担保=Financing Guarantee, 期货=Futures
  稳健理财, 货币基金, 信用卡, 普惠贷, 养老保险计划, 交易终端
商业电气机械和器材制造业
  电气=Electric, 电机=Motor, 输变电=Power Transmission, 电力设备=Power Equipment, 电缆=Cable, 电气自动化=Electrical Automation
  变压器, 高压开关柜, 储能柜, 逆变器, 特种电缆, 伺服电机
批发和零售业
  商贸=Commerce, 贸易=Trading, 百货=Department Store, 连锁=Chain Stores, 商业=Commercial, 医药商业=Pharmaceutical Commerce
  便利店, 会员店, 购物广场, 线上商城, 集采平台, 生鲜超市
食品饮料业
  食品=Food, 酒业=Liquor, 饮料=Beverage, 乳品=Dairy, 调味品=Condiment, 粮油=Grain and Oil
  酱油, 纯牛奶, 坚果礼盒, 气泡水, 陈酿, 火锅底料
汽车制造业
  汽车=Automobile, 汽车零部件=Auto Parts, 新能源汽车=New Energy Vehicle, 车身=Auto Body, 汽车电子=Automotive Electronics,
  传动系统=Drivetrain Systems
  纯电轿车, 变速箱, 电驱总成, 空气悬架, 车载域控制器, 轻型卡车
电力、热力、燃气及水生产和供应业
  电力=Electric Power, 能源=Energy, 燃气=Gas, 热力=Heating, 水务=Water, 新能源=New Energy
  光伏电站, 风电场, 抽水蓄能电站, 供热管网, 充电站, 智慧水厂
采矿业
  矿业=Mining, 煤业=Coal, 矿产资源=Mineral Resources, 油气=Oil and Gas, 能源开发=Energy Development, 稀土=Rare Earth
  精煤, 铜精矿, 铁精粉, 锂辉石, 页岩气, 焦煤
纺织鞋服业
  纺织=Textile, 服饰=Apparel, 服装=Garment, 家纺=Home Textile, 鞋业=Footwear, 针织=Knitting
  衬衫, 运动鞋, 羊绒衫, 四件套, 功能面料, 童装
建筑业
  建设=Construction, 建工=Building Engineering, 路桥=Road and Bridge, 建筑装饰=Building Decoration, 工程=Engineering,
  市政建设=Municipal Construction
  装配式住宅, 幕墙, 钢结构厂房, 综合管廊, 悬索桥, 装修套餐
交通运输、仓储和邮政业
  物流=Logistics, 航运=Shipping, 港口=Port, 运输=Transport, 供应链=Supply Chain, 高速公路=Expressway
  冷链专线, 次日达, 云仓, 货运班列, 集装箱航线, 智慧停车
通用设备制造业
  机械=Machinery, 机床=Machine Tool, 泵业=Pump, 阀门=Valve, 轴承=Bearing, 精密机械=Precision Machinery
  离心泵, 数控车床, 减速机, 压缩机, 工业机器人, 电梯
半导体业
  半导体=Semiconductor, 微电子=Microelectronics, 集成电路=Integrated Circuit, 芯片=Chip, 电子材料=Electronic Materials,
  封测=Packaging and Testing
  存储颗粒, 功率器件, 图像传感器, 光刻胶, 电源管理芯组, 抛光垫
租赁和商务服务业
  商务=Business Services, 传媒广告=Media and Advertising, 人力资源=Human Resources, 旅游=Tourism, 租赁=Leasing,
  会展=Exhibition
  灵活用工平台, 商旅卡, 户外大屏, 差旅管家, 共享办公, 展位
通信传输设备业
  通信=Communication, 通讯设备=Communication Equipment, 光通信=Optical Communication, 通信技术=Communication Technology,
  卫星通信=Satellite Communication, 天线=Antenna
  基站天线, 光模块, 路由器, 核心网关, 对讲机, 卫星终端
非金属矿物制品业
  建材=Building Materials, 水泥=Cement, 玻璃=Glass, 陶瓷=Ceramics, 石英=Quartz, 耐火材料=Refractory
  浮法玻璃, 瓷砖, 石膏板, 玻璃纤维, 硅酸盐砖, 保温板
橡胶和塑料制品业
  橡塑=Rubber and Plastics, 塑业=Plastics, 轮胎=Tyre, 橡胶=Rubber, 高分子材料=Polymer Materials, 管业=Piping
  子午线胎, 改性塑料, 输送带, 密封圈, 薄膜, 排水管
综合
  综合发展=Integrated Development, 产业控股=Industrial Holdings, 实业=Industry, 多元产业=Diversified Industries,
  企业发展=Enterprise Development
  产业园, 综合服务平台, 孵化器, 示范基地, 创业中心
其他制造业
  制造=Manufacturing, 工业=Industries, 工艺制品=Craft Products, 日用制品=Household Products, 精工=Precision Works
  雨伞, 拉链, 打火机, 工艺灯, 保温杯
金属制品业
  金属制品=Metal Products, 五金=Hardware, 钢构=Steel Structure, 紧固件=Fasteners, 金属科技=Metal Technology,
  线缆钢绳=Wire Rope
  不锈钢管, 货架, 防盗门, 螺栓, 压力容器, 铝模板
铁路、船舶、航空航天和其他运输设备制造业
  轨道交通装备=Rail Transit Equipment, 船舶=Shipbuilding, 航空=Aviation, 航天科技=Aerospace Technology, 车辆=Vehicles,
  动力=Power Systems
  动车组, 散货船, 无人机, 航空发动机叶片, 电动自行车, 制动系统
水利、环境和公共设施管理业
  环境=Environment, 环保=Environmental Protection, 水利=Water Conservancy, 生态=Ecology, 园林=Landscape,
  环境服务=Environmental Services
  污水处理站, 河道治理方案, 景区, 湿地公园, 膜组件, 垃圾转运站
金属冶炼和压延加工业
  钢铁=Steel, 有色金属=Nonferrous Metals, 铝业=Aluminium, 铜业=Copper, 特钢=Special Steel, 冶金=Metallurgy
  冷轧板, 铝箔, 电解铜, 硅钢片, 钛合金, 无缝管
科学研究和技术服务业
  检测技术=Testing Technology, 设计咨询=Design Consulting, 科技服务=Technology Services, 医药研发=Pharmaceutical Research,
  工程咨询=Engineering Consulting, 技术开发=Technology Development
  检测报告平台, 临床试验服务, 勘察车, 认证套餐, 设计云, 基因测序服务
教育
  教育=Education, 教育科技=Education Technology, 职业教育=Vocational Education, 文化教育=Culture and Education,
  在线教育=Online Education
  公考课程, 双师课堂, 研学营, 英语课, 实训基地
仪器仪表制造业
  仪器=Instruments, 仪表=Meters, 测控=Measurement and Control, 光学=Optics, 传感=Sensing, 智能仪表=Smart Meters
  流量计, 光谱仪, 智能电表, 示波器, 压力变送器, 显微镜
文化、体育和娱乐业
  文化传媒=Culture and Media, 影视=Film and Television, 出版=Publishing, 体育=Sports, 文旅=Culture and Tourism, 动漫=Animation
  影城, 主题乐园, 数字阅读, 剧集, 马拉松赛, 手游
农、林、牧、渔业
  农业=Agriculture, 牧业=Animal Husbandry, 种业=Seed, 渔业=Fishery, 林业=Forestry, 生态农业=Ecological Agriculture
  杂交稻种, 生猪, 肉鸡, 对虾, 苗木, 有机蔬菜
卫生和社会工作
  医疗=Medical Care, 健康=Health, 医院管理=Hospital Management, 康复=Rehabilitation, 健康管理=Health Management
  眼科医院, 体检套餐, 养老社区, 口腔诊所, 护理站
造纸和纸制品业
  纸业=Paper, 造纸=Papermaking, 包装纸业=Packaging Paper, 浆纸=Pulp and Paper, 生活用纸=Tissue Paper
  文化纸, 抽纸, 白卡纸, 瓦楞箱板, 特种纸
住宿和餐饮业
  酒店=Hotel, 餐饮=Catering, 酒店管理=Hotel Management, 餐饮管理=Catering Management, 饭店=Restaurants
  度假村, 快捷客房, 火锅, 早茶, 团餐
家具制造业
  家居=Home Furnishing, 家具=Furniture, 智能家居=Smart Home, 定制家居=Custom Home, 办公家具=Office Furniture
  沙发, 床垫, 衣柜, 升降桌, 橱柜
印刷和记录媒介复制业
  印刷=Printing, 印务=Printing Services, 包装印刷=Packaging and Printing, 数码印刷=Digital Printing, 票证=Security Printing
  精品盒, 防伪标签, 烟标, 按需出书, 彩印袋
文教、工美、体育和娱乐用品制造业
  文具=Stationery, 珠宝=Jewelry, 体育用品=Sporting Goods, 玩具=Toys, 文创=Creative Products, 乐器=Musical Instruments
  中性笔, 黄金饰品, 跑步机, 积木, 钢琴, 羽毛球拍
化学纤维制造业
  化纤=Chemical Fiber, 纤维=Fiber, 新纤维材料=New Fiber Materials, 氨纶=Spandex, 聚酯=Polyester
  涤纶长丝, 锦纶切片, 碳纤维布, 莱赛尔丝, 再生短纤
石油加工、炼焦和核燃料加工业
  石化=Petrochemical, 炼化=Refining, 焦化=Coking, 能源化工=Energy Chemical, 油品=Oil Products
  润滑油, 石油焦, 航空煤油, 冶金焦, 沥青
废弃资源综合利用业
  再生资源=Renewable Resources, 循环科技=Recycling Technology, 资源循环=Resource Recycling, 环保再生=Environmental Recycling,
  绿色循环=Green Recycling
  再生铝锭, 电池回收站, 再生塑粒, 拆解线, 再生铅
木材加工和木、竹、藤、棕、草制品业
  木业=Wood, 人造板=Wood-based Panel, 竹业=Bamboo, 林产=Forest Products, 地板=Flooring
  实木门, 胶合板, 竹席, 生态板, 藤椅
居民服务、修理和其他服务业
  生活服务=Life Services, 家政=Housekeeping, 便民服务=Convenience Services, 养护=Maintenance, 社区服务=Community Services
  到家清洁, 家电维修卡, 洗衣, 月嫂, 汽车美容
"""
)
"""Words of each of the 44 industries of the DataClaw environment (its paper's first-level industries)."""

LEXICON = Lexicon(
    gap="",
    trades=_TRADES,
    any_trade=_ANY_TRADE,
    # Our choice of weights: most listed firms are plain joint-stock companies.
    legal_forms=(*("股份有限公司",) * 6, *("集团股份有限公司",) * 2, *LEGAL_FORMS_IN_ENGLISH),
    subsidiary_roles=words(
        """
        销售 进出口 物资供应 技术服务 检验检测 工程服务 设备租赁 营销服务 产业发展 商务服务 后勤服务
        信息咨询 人力资源服务 培训服务 售后服务 仓储服务 采购服务 设备维修
        """
    ),
    subsidiary_form="有限公司",
    famous_brands=_FAMOUS_BRANDS,
)
