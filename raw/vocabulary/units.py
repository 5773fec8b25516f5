"""The labels of units, and other ways to write the same unit. Conversions between units do not belong here.

Which units money may be stated in is in `indicators.py`, which series has which unit in `macro.py`.
"""

UNIT_LABELS: dict[str, tuple[str, ...]] = {
    "元": ("人民币元", "圆"),
    "亿元": ("亿元人民币", "亿人民币"),
    "亿美元": ("亿USD",),
    "美元/桶": ("USD/桶",),
    "%": ("百分点", "百分比"),
    "人": ("名",),
    "万人": ("万名", "万人次"),
    "个": ("项",),
    "件": ("件数",),
    "亿千瓦时": ("亿千瓦小时", "亿kWh", "亿度"),
    "亿千瓦小时": (),
    "万千瓦": ("万kW",),
    "万吨": ("万t",),
    "亿吨": ("亿t",),
    "万辆": ("万台车",),
    "亿立方米": ("亿m³", "亿方"),
    "万平方米": ("万㎡", "万平米"),
}
"""Unit -> its other labels. The release writes 亿千瓦时 and 亿千瓦小时 beside each other; the others are ours."""
