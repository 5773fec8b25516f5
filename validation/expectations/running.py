"""Judges suites with Great Expectations: expectations as data and what a table shows of them in, results and pages out.

No data context is made: nothing is written to the home folder, and nothing is sent anywhere. Its engine is not used, because
`observing.py` has looked at the rows: each expectation judges by the metrics that it is handed.

The content of a page comes from Great Expectations, its look from us: their templates fetch styles, fonts and scripts from
elsewhere, and number elements at random. Our pages have the style of the other reports, mark met and failed by a sign and a
word as well as a colour, and are the same bytes for the same results.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from itertools import count
from typing import Any

from great_expectations.core.expectation_validation_result import (
    ExpectationSuiteValidationResult,
    ExpectationValidationResult,
)
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer
from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, DictLoader

from validation.expectations import custom as _registered  # noqa: F401  (registers our expectations)
from validation.expectations.expected import Expected, JudgedSuite, Observed, SuiteVerdict


def judged(suite: JudgedSuite) -> SuiteVerdict:
    """Judge a table by its suite, and make its page."""
    found = run(suite.table, suite.expected, suite.seen)
    return SuiteVerdict(
        results=[(bool(each.success), dict(each.result)) for each in found.results],
        page=page_of(found, variant=suite.variant, title=suite.title),
    )


def run(name: str, suite: Sequence[Expected], seen: Iterable[Observed]) -> ExpectationSuiteValidationResult:
    """Return the results of a suite, in its order; `seen` is what the published table shows of each."""
    results = [_judged(expected, metrics) for expected, metrics in zip(suite, seen, strict=True)]
    met = sum(bool(result.success) for result in results)
    return ExpectationSuiteValidationResult(
        success=met == len(results),
        results=results,
        suite_name=name,
        statistics={
            "evaluated_expectations": len(results),
            "successful_expectations": met,
            "unsuccessful_expectations": len(results) - met,
            "success_percent": 100 * met / len(results) if results else 100.0,
        },
    )


class _Metrics(dict[Any, Any]):
    """Metrics by name. Great Expectations asks for them by name, domain and arguments, which are those of one expectation."""

    def __contains__(self, asked: object) -> bool:
        return super().__contains__(_name(asked))

    def __getitem__(self, asked: object) -> Any:
        return super().__getitem__(_name(asked))


def _name(asked: object) -> object:
    return asked[0] if isinstance(asked, tuple) else asked


def _judged(expected: Expected, metrics: Observed) -> ExpectationValidationResult:
    column = {"column": expected.column} if expected.column else {}
    configuration = ExpectationConfiguration(type=expected.name, kwargs=column | dict(expected.arguments))
    settings = {"result_format": "BASIC"}
    return configuration.to_domain_obj().metrics_validate(_Metrics(metrics), runtime_configuration=settings)


def page_of(results: ExpectationSuiteValidationResult, *, variant: str, title: str) -> str:
    """Return the page of one table's results as HTML; `results` are those of its suite, which has the table's name."""
    for each in results.results:
        if each.success and isinstance(each.result.get("observed_value"), list):
            each.result["observed_value"] = "these, in this order"  # and not all of their names again
    rendered = ValidationResultsPageRenderer(run_info_at_end=True).render(results)
    sections = _escaped(rendered.to_json_dict()["sections"][1:])  # the first has counts and links of their site
    counts = results.statistics
    return _view().render_sections(
        sections,
        table=results.suite_name,
        variant=variant,
        about=title,
        met=f"{counts['successful_expectations']:,}",
        total=f"{counts['evaluated_expectations']:,}",
        sign=_sign(is_met=bool(results.success)),
    )


def _escaped(node: Any) -> Any:
    """Return rendered content with its texts escaped as HTML, because their view shows them as they are.

    The view itself escapes what is put in place of parameters. A template has a dollar twice where a name has it once.
    """
    if isinstance(node, str):
        return escape(node, quote=False)
    if isinstance(node, list):
        return [_escaped(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "template" in node:
        return node | {"template": escape(node["template"], quote=False).replace("$$", "&#36;")}
    return {name: value if name == "styling" else _escaped(value) for name, value in node.items()}


def _sign(*, is_met: bool) -> str:
    return '<span class="passed">✓ passed</span>' if is_met else '<span class="failed">✗ FAILED</span>'


@cache
def _view() -> "_View":
    """Return the one view, which is kept because its templates take longer to compile than to fill."""
    return _View()


class _View(DefaultJinjaPageView):
    """Great Expectations' view with our frame, and with elements numbered in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.env.loader = ChoiceLoader([DictLoader({"sections.j2": _SECTIONS}), self.env.loader or DictLoader({})])
        self.env.filters["generate_html_element_uuid"] = self._numbered
        self._numbers = count(1)

    def render_sections(self, sections: Sequence[Any], **names: str) -> str:
        """Return the HTML of a page's sections."""
        self._numbers = count(1)
        return str(self.env.get_template("sections.j2").render(sections=sections, **names))

    def _numbered(self, prefix: str | None = None) -> str:
        return f"{prefix or 'element-'}{next(self._numbers)}"


_SECTIONS = """<h1>{{ table | e }}, {{ variant | e }}</h1>
<p class="note">{{ about | e }}. What the table must meet, and what it met, as Great Expectations reports it.</p>
<p class="lead">{{ sign }}: {{ met }} of {{ total }} expectations.</p>
<details class="contents"><summary>Columns</summary>
{% for section in sections %}<a href="#section-{{ loop.index }}">{{ section["section_name"] }}</a> {% endfor %}
</details>
{% for section in sections %}
{% set section_loop = loop -%}
{% include "section.j2" %}
{% endfor %}
"""
