"""The 34 province-level units with some of their cities and districts, and the 16 that carry regional statistics.

Public geography only; how many firms sit where is in `raw/corpus/firms/places.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class City:
    """A city with some of its districts."""

    name: str
    areas: tuple[str, ...]


@dataclass(frozen=True)
class Province:
    """A province-level unit: full official name, the country its firms are booked under, some cities."""

    name: str
    country: str
    cities: tuple[City, ...]

    @property
    def short_name(self) -> str:
        """Return the name without its administrative suffix."""
        return self.name[: 3 if self.name.startswith(("内蒙古", "黑龙江")) else 2]


NO_AREA = "无"
"""What the source writes for the area of a firm in Hong Kong or Taiwan, when it writes anything."""

_GAZETTEER = """
北京市 中国
  北京市 海淀区 朝阳区 西城区 东城区 丰台区 大兴区 昌平区 顺义区 通州区
天津市 中国
  天津市 滨海新区 和平区 南开区 西青区 北辰区 武清区
河北省 中国
  石家庄市 长安区 裕华区 桥西区
  唐山市 路北区 丰南区
  保定市 竞秀区 莲池区
  廊坊市 广阳区 安次区
  邯郸市 丛台区 复兴区
山西省 中国
  太原市 小店区 迎泽区 万柏林区
  大同市 平城区 云冈区
  晋中市 榆次区 太谷区
  长治市 潞州区 上党区
内蒙古自治区 中国
  呼和浩特市 赛罕区 新城区
  包头市 昆都仑区 青山区
  鄂尔多斯市 东胜区 康巴什区
  赤峰市 红山区 松山区
辽宁省 中国
  沈阳市 和平区 沈河区 铁西区 浑南区
  大连市 中山区 沙河口区 甘井子区
  鞍山市 铁东区 立山区
  营口市 站前区 鲅鱼圈区
吉林省 中国
  长春市 朝阳区 南关区 宽城区
  吉林市 昌邑区 船营区
  通化市 东昌区 二道江区
  延边朝鲜族自治州 延吉市 敦化市
黑龙江省 中国
  哈尔滨市 南岗区 香坊区 道里区
  大庆市 萨尔图区 让胡路区
  齐齐哈尔市 龙沙区 富拉尔基区
  牡丹江市 东安区 西安区
上海市 中国
  上海市 浦东新区 闵行区 徐汇区 静安区 嘉定区 松江区 青浦区 奉贤区 长宁区
江苏省 中国
  南京市 玄武区 江宁区 鼓楼区 雨花台区
  苏州市 姑苏区 吴中区 昆山市 张家港市
  无锡市 滨湖区 新吴区 江阴市
  常州市 武进区 新北区
  南通市 崇川区 通州区 海门区
  扬州市 邗江区 广陵区
  徐州市 云龙区 鼓楼区
浙江省 中国
  杭州市 西湖区 滨江区 余杭区 萧山区
  宁波市 鄞州区 北仑区 慈溪市
  温州市 鹿城区 瓯海区 乐清市
  绍兴市 越城区 柯桥区 诸暨市
  台州市 椒江区 路桥区
  嘉兴市 南湖区 海宁市
  金华市 婺城区 义乌市
安徽省 中国
  合肥市 蜀山区 包河区 庐阳区
  芜湖市 鸠江区 弋江区
  马鞍山市 雨山区 花山区
  滁州市 琅琊区 天长市
  蚌埠市 蚌山区 禹会区
福建省 中国
  福州市 鼓楼区 马尾区 长乐区
  厦门市 思明区 湖里区 海沧区
  泉州市 丰泽区 晋江市 石狮市
  漳州市 龙文区 芗城区
江西省 中国
  南昌市 红谷滩区 青山湖区
  赣州市 章贡区 南康区
  九江市 浔阳区 濂溪区
  宜春市 袁州区 樟树市
山东省 中国
  济南市 历下区 历城区 章丘区
  青岛市 崂山区 黄岛区 市南区
  烟台市 芝罘区 福山区 莱山区
  潍坊市 奎文区 寿光市
  淄博市 张店区 临淄区
  威海市 环翠区 文登区
河南省 中国
  郑州市 金水区 中原区 管城回族区
  洛阳市 涧西区 洛龙区
  新乡市 红旗区 牧野区
  许昌市 魏都区 长葛市
  南阳市 宛城区 卧龙区
湖北省 中国
  武汉市 洪山区 东西湖区 江汉区 江夏区
  宜昌市 西陵区 伍家岗区
  襄阳市 樊城区 襄州区
  黄石市 下陆区 大冶市
湖南省 中国
  长沙市 岳麓区 雨花区 望城区
  株洲市 天元区 荷塘区
  湘潭市 岳塘区 雨湖区
  岳阳市 岳阳楼区 云溪区
  常德市 武陵区 鼎城区
广东省 中国
  深圳市 南山区 福田区 宝安区 龙岗区 龙华区
  广州市 天河区 黄埔区 番禺区 越秀区
  东莞市 松山湖 长安镇
  佛山市 顺德区 南海区 禅城区
  珠海市 香洲区 金湾区
  惠州市 惠城区 惠阳区
  中山市 火炬开发区 小榄镇
  汕头市 龙湖区 金平区
广西壮族自治区 中国
  南宁市 青秀区 西乡塘区
  柳州市 鱼峰区 柳南区
  桂林市 七星区 象山区
  北海市 海城区 银海区
海南省 中国
  海口市 龙华区 美兰区 秀英区
  三亚市 吉阳区 天涯区
  洋浦经济开发区 新英湾区
重庆市 中国
  重庆市 渝中区 渝北区 江北区 南岸区 九龙坡区 涪陵区 长寿区
四川省 中国
  成都市 武侯区 高新区 双流区 青羊区
  绵阳市 涪城区 游仙区
  德阳市 旌阳区 广汉市
  宜宾市 翠屏区 叙州区
  泸州市 江阳区 龙马潭区
贵州省 中国
  贵阳市 观山湖区 云岩区 南明区
  遵义市 红花岗区 仁怀市
  安顺市 西秀区 平坝区
云南省 中国
  昆明市 五华区 官渡区 西山区
  曲靖市 麒麟区 沾益区
  玉溪市 红塔区 江川区
  大理白族自治州 大理市 祥云县
西藏自治区 中国
  拉萨市 城关区 堆龙德庆区
  日喀则市 桑珠孜区 江孜县
  山南市 乃东区 扎囊县
陕西省 中国
  西安市 雁塔区 未央区 高新区
  宝鸡市 渭滨区 金台区
  咸阳市 秦都区 渭城区
  榆林市 榆阳区 横山区
甘肃省 中国
  兰州市 城关区 七里河区
  天水市 秦州区 麦积区
  酒泉市 肃州区 玉门市
  金昌市 金川区 永昌县
青海省 中国
  西宁市 城西区 城北区
  海西蒙古族藏族自治州 格尔木市 德令哈市
  海东市 乐都区 平安区
宁夏回族自治区 中国
  银川市 兴庆区 金凤区
  石嘴山市 大武口区 惠农区
  吴忠市 利通区 青铜峡市
新疆维吾尔自治区 中国
  乌鲁木齐市 天山区 新市区 沙依巴克区
  克拉玛依市 克拉玛依区 独山子区
  昌吉回族自治州 昌吉市 阜康市
  伊犁哈萨克自治州 伊宁市 奎屯市
香港特别行政区 中国香港
  香港 无
澳门特别行政区 中国
  澳门 无
台湾省 中国台湾
  台北市 无
  新竹市 无
  台中市 无
  高雄市 无
"""


def _provinces(gazetteer: str) -> Iterator[Province]:
    """Read blocks of one line `province country` and indented lines `city area area ...`."""
    block: list[list[str]] = []
    for line in gazetteer.strip().splitlines():
        if not line.startswith(" ") and block:
            yield _province(block)
            block = []
        block.append(line.split())
    yield _province(block)


def _province(block: list[list[str]]) -> Province:
    (name, country), *cities = block
    return Province(name, country, tuple(City(city, tuple(areas)) for city, *areas in cities))


PROVINCES: tuple[Province, ...] = tuple(_provinces(_GAZETTEER))
"""In the order of the administrative division codes (GB/T 2260)."""

_ABBREVIATIONS = "京津冀晋蒙辽吉黑沪苏浙皖闽赣鲁豫鄂湘粤桂琼渝川贵云藏陕甘青宁新港澳台"
"""One character for each province, in the same order; of two the one that is part of the name (川, not 蜀)."""

PROVINCE_ALIASES: dict[str, tuple[str, ...]] = {
    province.name: (province.short_name, abbreviation)
    for province, abbreviation in zip(PROVINCES, _ABBREVIATIONS, strict=True)
}
"""Other forms of a province's name: 广东省 is 广东, and 粤."""

_WITH_STATISTICS = """
北京市 河北省 山西省 辽宁省 吉林省 上海市 江苏省 浙江省 安徽省 山东省 河南省 湖南省 广东省 四川省 新疆维吾尔自治区
香港特别行政区
"""
STATISTICS_PROVINCES: tuple[str, ...] = tuple(_WITH_STATISTICS.split())
"""The provinces with regional statistics: fifteen named in the release's tasks, 河南省 is our sixteenth."""
