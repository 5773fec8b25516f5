"""Families that follow from a declaration alone: lookup, count, aggregate, ranking, comparison, change, share, join, texts.

Belongs here: which tables list entities, which hold their figures, and what is asked of these. What families of an environment
say better stands in its own file, which takes the place of these.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.model import EntityView, Environment, LongFigures, Role, WideFigures
from pipeline.model.schema.complete import schema_of
from pipeline.tasks.families import Answer, Drawn, Families, Family, Language, Slot, load_families
from pipeline.tasks.operators import (
    Aggregate,
    Compare,
    Compute,
    Filter,
    Join,
    Listing,
    Lookup,
    Operator,
    Rank,
    Statistic,
    Table,
    Where,
)

LEAST = 3
"""Entities of a category that is asked about."""

Wording = Mapping[Language, tuple[str, ...]]

_STATISTICS: Mapping[Statistic, tuple[str, str]] = {
    "mean": ("mean", "均值"),
    "median": ("median", "中位数"),
    "max": ("highest", "最大值"),
    "std": ("standard deviation of the", "标准差"),
}


def families_of(environment: Environment, file: Path | None) -> Families:
    """Return the families of a file, or those that follow from the declaration."""
    return load_families(file, environment) if file else generic(environment)


def generic(environment: Environment) -> Families:
    """Return the families that follow from the declaration."""
    listings = environment.views.listings if environment.views else ()
    found = [family for view in listings for family in _of_listing(environment, view)]
    for view in environment.views.figures if environment.views else ():
        found += _of_figures(environment, view)
    languages: set[Language] = {"en", "zh"} if environment.entities.language == "zh" else {"en"}
    named = {family.name: _in(languages, family) for family in found}
    return Families(environment=environment.name, families=tuple(named.values()))


def _in(languages: set[Language], family: Family) -> Family:
    return replace(family, wording={each: texts for each, texts in family.wording.items() if each in languages})


@dataclass(frozen=True)
class _Listed:
    """A published table with one row for each entity."""

    table: str
    code: str
    name: str
    """Column by which a question names an entity."""
    categories: tuple[str, ...]
    texts: tuple[str, ...]
    words: Mapping[str, str]

    def category(self) -> Slot:
        return Slot(choices=self.categories, names=_both({name: self.words[name] for name in self.categories}))

    def group(self) -> Slot:
        return Slot(values=Drawn(table=self.table, column="$category", least=LEAST))

    def rows(self, column: str, value: str) -> Table:
        return Table(table=self.table, where=(Where(column=column, is_=value),))


def _listed(environment: Environment, view: EntityView) -> _Listed:
    kind = environment.kind(view.of)
    schema = schema_of(environment, environment.table(view.table))
    raw = {column.name: column for column in environment.raw_table(kind.tables[0]).columns}
    of = {
        shown: view.columns.get(shown, dict(field.origins or ()).get(kind.tables[0], shown))
        for shown, field in schema.items()
    }
    code = next((shown for shown, name in of.items() if name == kind.code), "")
    name = next((shown for shown, source in of.items() if source == kind.name), code)
    roles = {shown: raw[source].role for shown, source in of.items() if source in raw and schema[shown].type == "text"}
    return _Listed(
        table=view.table,
        code=code,
        name=name,
        categories=tuple(shown for shown, role in roles.items() if role == Role.ATTRIBUTE),
        texts=tuple(shown for shown, role in roles.items() if role == Role.TEXT),
        words={shown: _worded(shown) for shown in schema},
    )


@dataclass(frozen=True)
class _Figures:
    """A published table of figures of entities and periods."""

    table: str
    code: str
    year: str
    value: str
    measure: Slot
    additive: Slot | None
    """Measures of which a sum makes sense; None if there are none."""
    label: str

    def rows(self, year: str = "$year", *, of: Mapping[str, str] | None = None) -> Table:
        given = {self.year: year, **({self.label: "$measure"} if self.label else {}), **(of or {})}
        return Table(table=self.table, where=tuple(Where(column=name, is_=value) for name, value in given.items()))

    def years(self, *where: Where) -> Slot:
        where += (Where(column=self.label, is_="$measure"),) if self.label else (Where(column="$measure", filled=True),)
        return Slot(values=Drawn(table=self.table, column=self.year, where=where, least=LEAST))


def _figures(environment: Environment, view: LongFigures | WideFigures) -> _Figures:
    measures = {measure.name: measure for measure in environment.panel.measures}
    if isinstance(view, LongFigures):
        shown = view.labels or {name: name for name in measures}
        place = (view.table, view.code, view.year, view.value)
    else:
        shown = view.columns or {name: name for name in environment.table(view.table).columns if name in measures}
        place = (view.table, view.code, view.year, "$measure")
    shown = {label: name for label, name in shown.items() if name in measures}
    words = _both({label: _worded(name) for label, name in shown.items()})
    additive = tuple(label for label, name in shown.items() if measures[name].additive)
    return _Figures(
        *place,
        measure=Slot(choices=tuple(shown), names=words),
        additive=Slot(choices=additive, names=words) if additive else None,
        label=view.measure if isinstance(view, LongFigures) else "",
    )


def _worded(name: str) -> str:
    """Return the name of a column as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ")


def _both(words: Mapping[str, str]) -> dict[Language, Mapping[str, str]]:
    return {"en": words, "zh": words}


def _family(  # noqa: PLR0913  (the parts of a family)
    name: str,
    category: str,
    slots: Mapping[str, Slot],
    steps: Mapping[str, Operator],
    wording: Wording,
    *of: str,
    decimals: int = 2,
) -> Family:
    answer = Answer(of=of, decimals=decimals)
    return Family(name=name, category=category, slots=slots, steps=steps, answer=answer, wording=wording)


# --- entities ----------------------------------------------------------------------------------------------------------


def _of_listing(environment: Environment, view: EntityView) -> Iterator[Family]:
    listed = _listed(environment, view)
    if not listed.categories:
        return
    plain = {"category": listed.category()}
    grouped = plain | {"group": listed.group()}
    firms: dict[str, Operator] = {"members": listed.rows("$category", "$group")}
    if listed.name:
        yield _family(
            f"lookup_{view.table}",
            "lookup",
            plain | {"entity": Slot(values=Drawn(table=view.table, column=listed.name))},
            {"row": listed.rows(listed.name, "$entity"), "found": Lookup(of="row", column="$category")},
            _LOOKUP,
            "found",
        )
    yield _family(
        f"count_{view.table}",
        "count",
        grouped,
        firms | {"number": Aggregate(of="members", statistic="count")},
        _COUNT,
        "number",
    )
    yield _family(
        f"largest_group_{view.table}",
        "ranking",
        plain | {"top": Slot(choices=(2, 3))},
        {
            "sizes": Aggregate(of="all", statistic="count", by=("$category",), into="size"),
            "all": Table(table=view.table),
            "first": Rank(of="sizes", column="size", order="highest", top="$top"),
            "names": Listing(of="first", column="$category"),
        },
        _LARGEST,
        "names",
    )
    if listed.texts:
        words = Slot(choices=listed.texts, names=_both({name: listed.words[name] for name in listed.texts}))
        mention: dict[str, Operator] = {
            "texts": Table(table=view.table, where=(Where(column="$text", contains="$group"),)),
            "number": Aggregate(of="texts", statistic="count"),
        }
        yield _family(f"texts_{view.table}", "text count", grouped | {"text": words}, mention, _TEXTS, "number")


# --- figures -----------------------------------------------------------------------------------------------------------


def _of_figures(environment: Environment, view: LongFigures | WideFigures) -> Iterator[Family]:
    figures = _figures(environment, view)
    listings = [_listed(environment, each) for each in (environment.views.listings if environment.views else ())]
    listed = next((each for each in listings if each.name and each.code), None)
    if listed is None:
        return
    dated = {"measure": figures.measure, "year": figures.years()}
    entity = {"entity": Slot(values=Drawn(table=listed.table, column=listed.name))}
    two = entity | {"other": Slot(values=Drawn(table=listed.table, column=listed.name), differs_from=("entity",))}
    yield _family(
        f"figure_{view.table}",
        "lookup",
        dated | entity,
        _figure_of(listed, figures, "entity", "$year"),
        _FIGURE,
        "entity_figure",
    )
    yield _family(
        f"comparison_{view.table}",
        "comparison",
        dated | two,
        {
            **_figure_of(listed, figures, "entity", "$year"),
            **_figure_of(listed, figures, "other", "$year"),
            "larger": Compare(first="@entity_figure", second="@other_figure", labels=("$entity", "$other")),
            "difference": Compute(how="difference", first="@entity_figure", second="@other_figure"),
        },
        _COMPARISON,
        "larger",
        "difference",
    )
    yield _family(
        f"change_{view.table}",
        "change",
        {
            "measure": figures.measure,
            "before": figures.years(),
            "year": figures.years(Where(column=figures.year, above="$before")),
        }
        | entity,
        {
            **_figure_of(listed, figures, "entity", "$year"),
            "entity_before": figures.rows("$before"),
            "its_earlier": Join(left="entity_before", right="entity", keys={figures.code: listed.code}, take={}),
            "earlier_figure": Lookup(of="its_earlier", column=figures.value),
            "growth": Compute(how="growth", first="@entity_figure", second="@earlier_figure"),
        },
        _CHANGE,
        "growth",
    )
    yield _family(
        f"ranking_{view.table}",
        "ranking",
        dated | {"top": Slot(choices=(3, 4, 5))},
        {
            "figures": figures.rows(),
            "first": Rank(of="figures", column=figures.value, order="highest", top="$top"),
            "entities": Table(table=listed.table),
            "named": Join(
                left="first", right="entities", keys={figures.code: listed.code}, take={"its_name": listed.name}
            ),
            "names": Listing(of="named", column="its_name"),
        },
        _RANKING,
        "names",
    )
    if listed.categories:
        yield from _of_groups(listed, figures, dated | {"category": listed.category(), "group": listed.group()})


def _figure_of(listed: _Listed, figures: _Figures, slot: str, year: str) -> dict[str, Operator]:
    """Return steps that look up the figure of an entity that a slot names."""
    return {
        slot: listed.rows(listed.name, f"${slot}"),
        f"{slot}_rows": Join(left=f"{slot}_year", right=slot, keys={figures.code: listed.code}, take={}),
        f"{slot}_year": figures.rows(year),
        f"{slot}_figure": Lookup(of=f"{slot}_rows", column=figures.value),
    }


def _of_groups(listed: _Listed, figures: _Figures, slots: Mapping[str, Slot]) -> Iterator[Family]:
    joined: dict[str, Operator] = {
        "members": listed.rows("$category", "$group"),
        "figures": figures.rows(),
        "both": Join(left="figures", right="members", keys={figures.code: listed.code}, take={}),
    }
    for statistic, (english, chinese) in _STATISTICS.items():
        found = Aggregate(of="both", statistic=statistic, column=figures.value)
        words: Wording = {
            "en": tuple(text.replace("[statistic]", english) for text in _AGGREGATE["en"]),
            "zh": tuple(text.replace("[statistic]", chinese) for text in _AGGREGATE["zh"]),
        }
        yield _family(f"{statistic}_{figures.table}", "aggregate", slots, joined | {"found": found}, words, "found")
    totals: dict[str, Operator] = {
        "total": Aggregate(of="both", statistic="sum", column=figures.value),
        "everybody": Aggregate(of="figures", statistic="sum", column=figures.value),
        "share": Compute(how="percent", first="@total", second="@everybody"),
    }
    if figures.additive:
        of = slots | {"measure": figures.additive}
        yield _family(f"share_{figures.table}", "share", of, joined | totals, _SHARE, "share")
    above: dict[str, Operator] = {
        "median": Aggregate(of="figures", statistic="median", column=figures.value),
        "large": Filter(of="both", where=(Where(column=figures.value, above="@median"),)),
        "number": Aggregate(of="large", statistic="count"),
    }
    yield _family(f"above_{figures.table}", "join", slots, joined | above, _ABOVE, "number")


# --- phrasings ---------------------------------------------------------------------------------------------------------

_LOOKUP: Wording = {
    "en": (
        "What is the {category} of {entity}?",
        "Find the {category} that is recorded for {entity}.",
        "{entity}: which {category} does it have?",
        "Which {category} does {entity} belong to?",
    ),
    "zh": (
        "{entity}的{category}是什么？",
        "请查出{entity}对应的{category}。",
        "{entity}属于哪个{category}？",
        "{category}一项，{entity}记录为何？",
    ),
}
_COUNT: Wording = {
    "en": (
        "How many entries have the {category} {group}?",
        "Count the entries whose {category} is {group}.",
        "With {group} as {category}, how many entries are there?",
        "What is the number of entries of the {category} {group}?",
    ),
    "zh": (
        "{category}为{group}的记录有多少条？",
        "统计{category}是{group}的记录数。",
        "{category}中，{group}共有几条记录？",
        "有多少条记录的{category}为{group}？",
    ),
}
_LARGEST: Wording = {
    "en": (
        "Which {top} values of {category} have the most entries?",
        "Name the {top} most frequent values of {category}.",
        "By number of entries, which are the first {top} values of {category}?",
        "List the {top} values of {category} that occur most often, the most frequent first.",
    ),
    "zh": (
        "记录数最多的{top}个{category}是哪些？",
        "列出出现次数最多的{top}个{category}。",
        "按记录数排序，前{top}个{category}是什么？",
        "哪{top}个{category}的记录最多？",
    ),
}
_TEXTS: Wording = {
    "en": (
        "In how many entries does the {text} mention {group} (a {category})?",
        "Count the entries whose {text} contains the {category} {group}.",
        "How often is {group}, a {category}, named in the {text} of an entry? Count entries.",
        "How many entries have {group} (a {category}) in their {text}?",
    ),
    "zh": (
        "有多少条记录的{text}提到{group}（{category}）？",
        "统计{text}中包含{group}（{category}）的记录数。",
        "{text}里出现{group}（{category}）的记录有几条？",
        "多少条记录在{text}中写有{group}（{category}）？",
    ),
}
_FIGURE: Wording = {
    "en": (
        "What was the {measure} of {entity} in {year}?",
        "For {year}, report the {measure} of {entity}.",
        "Which {measure} did {entity} have in {year}?",
        "{entity}, {year}: what is the {measure}?",
    ),
    "zh": (
        "{year}年{entity}的{measure}是多少？",
        "请给出{entity}在{year}年的{measure}。",
        "{entity}{year}年的{measure}为多少？",
        "查询{year}年{entity}的{measure}。",
    ),
}
_COMPARISON: Wording = {
    "en": (
        "Which had the larger {measure} in {year}, {entity} or {other}, and what is the first's minus the second's?",
        "Compare the {measure} of {entity} and {other} in {year}: who has more, and what is the former less the latter?",
        "In {year}, whose {measure} was higher, that of {entity} or {other}? Give also the first figure minus the second.",
        "{entity} and {other}, {year}: name the one with more {measure}, and the difference (first minus second).",
    ),
    "zh": (
        "{year}年{entity}与{other}谁的{measure}更高？前者减后者的差是多少？",
        "比较{entity}和{other}在{year}年的{measure}：哪个更高，前者减后者为多少？",
        "在{year}年，{entity}、{other}之中{measure}较高的是哪个？并给出前者减后者的差。",
        "{entity}与{other}相比，{year}年的{measure}哪个大？差额（前者减后者）是多少？",
    ),
}
_CHANGE: Wording = {
    "en": (
        "By how much did the {measure} of {entity} change from {before} to {year}, in % of the value of {before}?",
        "How did {entity}'s {measure} grow between {before} and {year}, in %, compared with {before}?",
        "Compute the change of the {measure} of {entity} in {year} against {before}, in %.",
        "In %, what is the growth of {entity}'s {measure} in {year} over {before}?",
    ),
    "zh": (
        "{entity}{year}年的{measure}相对{before}年变化了百分之几？",
        "计算{entity}的{measure}从{before}年到{year}年的变化率（%）。",
        "以{before}年为基期，{entity}在{year}年的{measure}增长率是多少？",
        "{entity}的{measure}在{year}年比{before}年增长了多少（%）？",
    ),
}
_RANKING: Wording = {
    "en": (
        "Which {top} had the highest {measure} in {year}? Give their names, the highest first.",
        "Name the {top} with the highest {measure} in {year}, in order.",
        "By {measure} in {year}, who are the first {top}?",
        "List the {top} leaders in {measure} for {year}.",
    ),
    "zh": (
        "{year}年{measure}最高的{top}家是哪些？请由高到低列出名称。",
        "列出{year}年{measure}排名前{top}的名称。",
        "按{year}年的{measure}排序，前{top}名是谁？",
        "{year}年，{measure}居前{top}位的有哪些？",
    ),
}
_AGGREGATE: Wording = {
    "en": (
        "What was the [statistic] {measure} in {year} where the {category} is {group}?",
        "For the {category} {group}, compute the [statistic] {measure} in {year}.",
        "Among those of the {category} {group}, what is the [statistic] {measure} in {year}?",
        "In {year}, how large was the [statistic] {measure} of the {category} {group}?",
    ),
    "zh": (
        "{year}年{category}为{group}者，{measure}的[statistic]是多少？",
        "计算{category}是{group}的{year}年{measure}[statistic]。",
        "在{category}“{group}”中，{year}年{measure}的[statistic]为多少？",
        "{category}属{group}的，其{year}年{measure}[statistic]是多少？",
    ),
}
_SHARE: Wording = {
    "en": (
        "What share of the total {measure} in {year} comes from the {category} {group}, in %?",
        "In %, how much of all {measure} in {year} belongs to the {category} {group}?",
        "Which part of the sum of {measure} in {year} do those of the {category} {group} have, in %?",
        "Compute the share of the {category} {group} in the overall {measure} of {year}, in %.",
    ),
    "zh": (
        "{year}年{measure}总和中，{category}为{group}的占百分之几？",
        "计算{category}是{group}的在{year}年全部{measure}中的占比（%）。",
        "{category}“{group}”的{measure}占{year}年总量的比例是多少（%）？",
        "{year}年，{group}（{category}）的{measure}占全体的百分比是多少？",
    ),
}
_ABOVE: Wording = {
    "en": (
        "How many of the {category} {group} had a {measure} above the overall median in {year}?",
        "Count those of the {category} {group} whose {measure} in {year} exceeds the median of all.",
        "In {year}, for how many of the {category} {group} was the {measure} higher than the median over everybody?",
        "What number of the {category} {group} lie above the median {measure} of all in {year}?",
    ),
    "zh": (
        "{year}年{category}为{group}者中，有多少家的{measure}高于全体中位数？",
        "统计{category}是{group}且{year}年{measure}超过全体中位数的数量。",
        "{category}“{group}”里，{year}年{measure}大于整体中位数的有几家？",
        "{year}年，{group}（{category}）中{measure}高于所有对象中位数的有多少？",
    ),
}
