"""The words around a question: the guideline, which follows from type and program of its answer, and steps in plain English.

Everything that the answer depends on and the question does not say stands in the guideline: rounding, unit, order, empty cells,
population or sample, limits. No more, so that it gives no step away.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pipeline.tasks.drawing import UNANSWERABLE, Draw
from pipeline.tasks.families import Language
from pipeline.tasks.program import operators
from pipeline.tasks.program.checking import DAYS, POINTS
from pipeline.tasks.program.shapes import Kind, Value, ValuesShape

_SENTENCES: Mapping[str, Mapping[Language, str]] = {
    "number": {"en": "a number{unit} rounded to {decimals} decimal{s}", "zh": "数值{unit}，四舍五入到{decimals}位小数"},
    "whole": {"en": "a whole number{unit}", "zh": "整数{unit}"},
    "text": {"en": "a text as it stands in the tables", "zh": "与数据表写法一致的文本"},
    "date": {"en": "a day as YYYY-MM-DD", "zh": "日期（YYYY-MM-DD）"},
    "yes or no": {"en": "true or false", "zh": "true或false"},
    "one": {"en": "Give {part}.", "zh": "给出{part}。"},
    "digits": {"en": "Numbers are rounded half away from zero.", "zh": "数值四舍五入。"},
    "bare": {"en": "Write numbers without unit and thousands separator.", "zh": "不写单位和千位分隔符。"},
    "ranked list": {
        "en": "Give a list, in the order of the ranking, written as in the tables.",
        "zh": "按名次顺序给出列表，写法与数据表一致。",
    },
    "list": {
        "en": "Give a list without repetitions, in any order, written as in the tables.",
        "zh": "给出不重复的列表，顺序不限，写法与数据表一致。",
    },
    "parts": {
        "en": "Give a list of {count} entries in this order: {parts}.",
        "zh": "按以下顺序给出含{count}项的列表：{parts}。",
    },
    "nulls": {"en": "Empty cells do not count.", "zh": "空值不计。"},
    "median": {
        "en": "The median of an even number of values is the mean of the two in the middle.",
        "zh": "数值个数为偶数时，中位数取中间两数的均值。",
    },
    "std": {
        "en": "The standard deviation is that of the population (divide by n).",
        "zh": "标准差为总体标准差（除以n）。",
    },
    "sample_std": {
        "en": "The standard deviation is that of a sample (divide by n - 1).",
        "zh": "标准差为样本标准差（除以n-1）。",
    },
    "growth": {"en": "Growth is 100 x (new - old) / old, in %.", "zh": "增长率=100×（新值-旧值）/旧值，单位为%。"},
    "extract": {
        "en": "A text that does not say what is asked for does not count; if it says so several times, the first counts.",
        "zh": "未写明所问内容的文本不计；同一文本多次写明时取首次。",
    },
    "score": {
        "en": "Leave out candidates that lack a criterion. Scale each criterion linearly from 0 (worst) to 1 (best) among "
        "the rest; the score is the weighted mean.",
        "zh": "缺任一指标的候选对象不计；各指标在其余对象中按最差0、最好1线性归一，得分为加权平均。",
    },
    "lacking": {
        "en": "If the tables do not hold what is asked, answer: {answer}.",
        "zh": "如数据表中没有题目所问的内容，回答：{answer}。",
    },
    "above": {"en": "A value on a limit is not above or below it.", "zh": "“高于”“低于”不含临界值本身。"},
    "at_least": {"en": "'At least' and 'at most' include the limit.", "zh": "“不低于”“不超过”含临界值。"},
}


_UNITS = {POINTS: "百分点", DAYS.unit: "天"}
"""Units that have another name in Chinese."""

AnswerType = Literal["number", "text", "date", "yes or no", "list", "ranked list", "record"]


def guideline(draw: Draw, *, may_lack_answers: bool = False) -> str:
    """Return the guideline of a task in the language of its question.

    Args:
        may_lack_answers: Whether tasks of its set may have no answer; then all of them say what to answer if there is none.
    """
    own = draw.family.conventions.get(draw.language)
    sentences = [*_form(draw), *dict.fromkeys(_conventions(draw)), *([own] if own else [])]
    if may_lack_answers:
        sentences.append(_SENTENCES["lacking"][draw.language].format(answer=UNANSWERABLE))
    return ("" if draw.language == "zh" else " ").join(sentences)


def answer_type(draw: Draw) -> AnswerType:
    """Return what an answer is: number, text, date, yes or no, list, or record (several parts in order)."""
    if len(draw.family.answer.of) > 1:
        return "record"
    shape = draw.shapes[draw.family.answer.of[0]]
    return ("ranked list" if shape.is_ranked else "list") if isinstance(shape, ValuesShape) else _value(shape).kind


def unit(draw: Draw) -> str:
    """Return the unit of the answer; that of a record's last part that has one."""
    return next((value.unit for value, _ in reversed(draw.exact) if value.unit), "")


def values_stated(guideline: str) -> list[tuple[Kind, str]]:
    """Return kind and unit of each value for which a guideline asks, in order; of a list nothing, for it states no kinds."""
    found = {
        match.start(): (kind, match.groupdict().get("unit") or "")
        for kind, pattern in _STATED
        for match in pattern.finditer(guideline)
    }
    return [found[start] for start in sorted(found)]


def _stated(name: str, language: Language) -> re.Pattern[str]:
    unit = {"en": r"(?: in (?P<unit>.+?))?", "zh": r"(?:（单位：(?P<unit>.+?)）)?"}[language]
    part = _SENTENCES[name][language].format(unit=unit, decimals="[0-9]+", s="s?")
    return re.compile(rf"(?:^Give |^给出|\([0-9]+\) ){part}(?=, \([0-9]|[.。])")


_KINDS: Mapping[str, Kind] = {
    "number": "number",
    "whole": "number",
    "text": "text",
    "date": "date",
    "yes or no": "yes or no",
}
"""Sentence -> the kind of value for which it asks."""

_LANGUAGES: tuple[Language, ...] = ("en", "zh")

_STATED = [(kind, _stated(name, language)) for name, kind in _KINDS.items() for language in _LANGUAGES]
"""What `_part` writes of each kind, as patterns."""


def _form(draw: Draw) -> Iterator[str]:
    language, digits = draw.language, draw.family.answer.decimals
    parts = [_part(value, digits, language) for value, _ in draw.exact]
    if answer_type(draw) == "record":
        numbered = (f"({index}) {part}" for index, part in enumerate(parts, 1))
        yield _SENTENCES["parts"][language].format(count=len(parts), parts=", ".join(numbered))
    elif answer_type(draw).endswith("list"):
        yield _SENTENCES[answer_type(draw)][language]
    else:
        yield _SENTENCES["one"][language].format(part=parts[0])
    if any(value.kind == "number" and value.scale != 0 for value, _ in draw.exact):
        yield _SENTENCES["digits"][language]
    if any(value.kind == "number" for value, _ in draw.exact):
        yield _SENTENCES["bare"][language]


def _part(value: Value, digits: int, language: Language) -> str:
    name = "whole" if value.kind == "number" and (digits == 0 or value.scale == 0) else value.kind
    unit = f"（单位：{_UNITS.get(value.unit, value.unit)}）" if language == "zh" else f" in {value.unit}"
    return _SENTENCES[name][language].format(unit=unit if value.unit else "", decimals=digits, s="s" * (digits != 1))


def _conventions(draw: Draw) -> Iterator[str]:
    """Yield what the program does that a reader could do otherwise."""
    for step in draw.steps.values():
        for name in _named(step):
            if name in _SENTENCES:
                yield _SENTENCES[name][draw.language]


def _named(step: operators.Operator) -> Iterator[str]:
    match step:
        case operators.AggregateRows():
            yield step.statistic
            if step.column:
                yield "nulls"
        case operators.Rank():
            yield "nulls"
        case operators.Derive() | operators.Compute():
            yield step.how
        case operators.Extract() if not step.pattern.startswith("^") and not step.pattern.endswith("$"):
            yield step.type
        case operators.Decide():
            yield "score"
        case operators.TableRows() | operators.FilterRows():
            tests = {where.test[0] for where in step.where}
            yield from (["above"] if tests & {"above", "below"} else [])
            yield from (["at_least"] if tests & {"at_least", "at_most"} else [])


def _value(shape: object) -> Value:
    assert isinstance(shape, Value)  # noqa: S101  (answers were checked)
    return shape


# --- steps in words ----------------------------------------------------------------------------------------------------


def in_words(name: str, step: operators.Operator) -> str:
    """Return a step as a sentence that begins with its name."""
    return f"{name}: {_said(step)}"


def _said(step: operators.Operator) -> str:  # noqa: C901, PLR0911, PLR0912  (one an operator)
    match step:
        case operators.TableRows():
            return f"rows of {step.table}{_conditions(step.where)}"
        case operators.FilterRows():
            return f"rows of {step.of}{_conditions(step.where)}"
        case operators.Join():
            on = ", ".join(f"{mine} = {other}" for mine, other in step.keys.items())
            return f"{step.left} joined with {step.right} by {on}, taking {', '.join(step.take.values()) or 'nothing'}"
        case operators.Derive():
            return f"{step.of} with {step.into} = {step.how} of {step.first} and {step.second}"
        case operators.Extract():
            return f"{step.of} with {step.into} = the {step.gives} that {step.pattern} takes from {step.column}"
        case operators.DatePart():
            return f"{step.of} with {step.into} = the {step.part} of {step.column}"
        case operators.Compute():
            return f"{step.how} of {step.first} and {step.second}"
        case operators.AggregateRows():
            by = f" for each {', '.join(step.by)}" if step.by else ""
            return f"{step.statistic} of {step.column or 'rows'} in {step.of}{by}"
        case operators.Rank():
            return f"the {step.top} rows of {step.of} with the {step.order} {step.column}"
        case operators.LookupCell() | operators.Listing():
            return f"{step.column} of {step.of}"
        case operators.Compare():
            return f"whether {step.first} is larger than {step.second}{' (names the larger)' if step.labels else ''}"
        case operators.Decide():
            criteria = ", ".join(
                f"{each.column} ({each.better} is better, weight {each.weight})" for each in step.criteria
            )
            return f"{step.of} with {step.into} by {criteria}"
        case operators.Constant():
            return f"{step.value} {step.unit}".rstrip()


def _conditions(conditions: tuple[operators.Where, ...]) -> str:
    said = (
        f"{where.column} {where.test[0].replace('_', ' ')} {', '.join(map(str, where.test[1]))}" for where in conditions
    )
    return f" where {' and '.join(said)}" if conditions else ""
