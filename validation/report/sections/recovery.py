"""The section on the ladder: noise mended family by family, and what a reader who mends nothing can still answer.

Belongs here: the paper's three-level figure (DataClaw, figure 3) as far as it can be had without a language model, in words
that say so. The shares stand in `noise.json`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from string import Template
from typing import Any

from validation.report.charts.drawings import Line, line_chart, line_key
from validation.report.tables import Cell, Html, sortable
from validation.report.words import percent


def recovery(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return the section's HTML; `steps` is the ladder of `noise.json`, from noisy to clean."""
    levels = _asked(steps)
    lines = [Line(name=level, values=[step["answered"][level] for step in steps]) for level in levels]
    places = [str(place) for place in range(len(steps))]
    return _BODY.substitute(
        chart=line_chart(lines, places, axis="families of noise mended"),
        legend="".join(f"<div>{line_key(i)} {escape(level)}</div>" for i, level in enumerate(levels)),
        table=sortable(
            ("mended", "of which last", "entries left", *levels),
            [_step(place, step, levels) for place, step in enumerate(steps)],
            name="steps of the ladder",
        ),
        first=escape(_range(steps[0])),
    )


def easiest(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return what a reader who mends nothing answers of the noisy tables, in a few words."""
    return _range(steps[0])


def _asked(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the sizes of questions that can be put to these tables at all."""
    return [level for level in steps[0]["answered"] if all(step["answered"][level] is not None for step in steps)]


def _range(step: Mapping[str, Any]) -> str:
    return ", ".join(f"{percent(share)} on {level}" for level, share in step["answered"].items() if share is not None)


def _step(place: int, step: Mapping[str, Any], levels: Sequence[str]) -> Sequence[Cell]:
    last = step["mended"][-1] if step["mended"] else "nothing"
    return place, last, step["changes"], *(_share(step["answered"][level]) for level in levels)


def _share(share: float) -> Html:
    return Html(percent(share), float(share))


_BODY = Template("""<p>Each step mends one more family of noise, in the order of the environment's ladder. A question
asks what one record says (&ldquo;one record&rdquo;), something of all firms of an industry in a year (&ldquo;one
group&rdquo;), or for a comparison of two of these. A reader who takes what stands is right if no change that is left
touches anything that the question needs; the share of such questions is counted over all that the clean tables pose.
With all noise in place: $first.</p>
<figure>$chart<figcaption>$legend</figcaption></figure>
<p>This has the shape of figure 3 of the DataClaw paper (accuracy of a language model at three levels of difficulty in
data that are cleaned step by step), and shows how much of the difficulty is noise alone. It is <b>not</b> a
measurement of a model: none was run, no question was worded, and nothing is said of reasoning. A model that mends what
it reads does better. <code>make env-ablations</code> builds a database for each step, for running one. Entries are
those of the ledger: a cell that two rules changed has two.</p>
$table""")
