"""Data Docs: the pages that Great Expectations renders of its results, made to be read without a network.

The content of a page comes from Great Expectations, its look from us: their templates fetch styles, fonts and scripts from
elsewhere, and number elements at random. Our pages have the style of the other reports, mark met and failed by a sign and a
word as well as a colour, and are the same bytes for the same results.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from itertools import count
from typing import Any

from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResult
from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer
from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, DictLoader

from validation.report.frame import document

INDEX = "index.html"


def page_of(results: ExpectationSuiteValidationResult, *, variant: str, title: str) -> bytes:
    """Return the page of one table's results.

    Args:
        results: The results of its suite, which has the table's name.
        variant: The variant that was judged.
        title: The environment's title.
    """
    rendered = ValidationResultsPageRenderer(run_info_at_end=True).render(results)
    sections = _escaped(rendered.to_json_dict()["sections"][1:])  # the first has counts and links of their site
    counts = results.statistics
    body = _view().render_sections(
        sections,
        table=results.suite_name,
        variant=variant,
        about=title,
        met=f"{counts['successful_expectations']:,}",
        total=f"{counts['evaluated_expectations']:,}",
        sign=_sign(is_met=bool(results.success)),
    )
    return document(title=f"{results.suite_name}, {variant}", body=f"<style>\n{_STYLE}</style>\n{body}\n")


def index_page(tables: Sequence[Mapping[str, Any]], *, variant: str, title: str) -> bytes:
    """Return the page with links to the others.

    Args:
        tables: For each table `table`, `records`, `expectations`, `met` and the name of its `page` in the same folder.
        variant: The variant that was judged.
        title: The environment's title.
    """
    rows = "".join(
        f'<tr><td><a href="{escape(entry["page"])}">{escape(entry["table"])}</a></td>'
        f'<td class="n">{entry["records"]:,}</td><td class="n">{entry["expectations"]:,}</td>'
        f'<td class="n">{entry["met"]:,}</td><td>{_sign(is_met=entry["met"] == entry["expectations"])}</td></tr>\n'
        for entry in tables
    )
    body = _INDEX.format(
        title=escape(title),
        variant=escape(variant),
        met=f"{sum(entry['met'] for entry in tables):,}",
        total=f"{sum(entry['expectations'] for entry in tables):,}",
        rows=rows,
    )
    return document(title=f"Expectations of {variant}", body=f"<style>\n{_STYLE}</style>\n{body}")


def _escaped(node: Any) -> Any:
    """Return rendered content with the texts of its tables escaped as HTML, because their view shows values as they are.

    The view itself escapes a text with placeholders for parameters, but only if the text is styled.
    """
    if isinstance(node, list):
        return [escape(item, quote=False) if isinstance(item, str) else _escaped(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "template" in node:
        params = {name: escape(str(value), quote=False) for name, value in node.get("params", {}).items()}
        return node if "styling" in node else node | {"params": params}
    return {name: value if name == "styling" else _escaped(value) for name, value in node.items()}


def _sign(*, is_met: bool) -> str:
    return '<span class="passed">✓ met</span>' if is_met else '<span class="failed">✗ not met</span>'


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


_SECTIONS = """<p><a href="../report.html">Report</a> › <a href="index.html">Expectations</a> › {{ table | e }}</p>
<h1>{{ table | e }}, {{ variant | e }}</h1>
<p class="told">{{ about | e }}. What the table must meet, and what it met, as Great Expectations tells it.</p>
<p class="lead">{{ sign }}: {{ met }} of {{ total }} expectations.</p>
<details class="contents"><summary>Columns</summary>
{% for section in sections %}<a href="#section-{{ loop.index }}">{{ section["section_name"] | e }}</a> {% endfor %}
</details>
{% for section in sections %}
{% set section_loop = loop -%}
{% include "section.j2" %}
{% endfor %}
"""

_INDEX = """<p><a href="../report.html">Report</a> › Expectations</p>
<h1>Expectations of the {variant} variant</h1>
<p class="told">{title}</p>
<p class="lead">{met} of {total} expectations are met.</p>
<div class="wide"><table>
<thead><tr><th>table</th><th class="n">records</th><th class="n">expectations</th><th class="n">met</th><th></th></tr></thead>
<tbody>
{rows}</tbody></table></div>
"""

_STYLE = """.contents a { display: inline-block; margin: 0 .75rem .25rem 0; }
.ge-section { margin: 1.5rem 0; } .ge-section .row > div { width: 100%; }
.ge-section h5 { font-size: 1.05rem; margin: 1.25rem 0 .25rem; } .ge-section h6 { font-size: .9rem; margin: .5rem 0; }
.ge-section th:first-child { width: 5rem; } .ge-section th:nth-child(2) { width: 55%; }
.ge-section ul { margin: .25rem 0; padding-left: 1.25rem; }
.badge { background: #eee; border-radius: .2rem; padding: 0 .3rem; font-size: .85rem; overflow-wrap: anywhere; }
.text-success { color: #005a8f; } .text-danger { color: #a63a00; font-weight: bold; }
i.fas { font-style: normal; } i.fa-check-circle::before { content: "✓ met"; } i.fa-times::before { content: "✗ not met"; }
.show-scrollbars { overflow-x: auto; } [hidden] { display: none; } .alert { margin: 0; }
.cooltip > span { display: none; }
@media (max-width: 40rem) { .ge-section td { padding: .3rem .25rem; } .ge-section table { table-layout: fixed; }
  .ge-section th:first-child { width: 3.2rem; } .ge-section th { padding: .3rem .25rem; font-size: .75rem; } }
"""
