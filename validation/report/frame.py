"""How every report's page is made: one frame, one style, and the few shapes that pages share.

Belongs here: form alone, for a screen, a phone and paper. What a page says stands in its own module. A page is complete
in itself: nothing is fetched; no meaning hangs on colour alone; the same findings give the same bytes. A page that needs
more than this frame brings its own style and script (`report/`).
"""

from collections.abc import Iterable
from html import escape
from string import Template


def document(*, title: str, body: str, head: str = "") -> bytes:
    """Return a whole page; `title` is text, `body` is HTML, and so is what the head holds besides."""
    return _PAGE.substitute(title=escape(title), style=_STYLE, body=body, head=head).encode()


def fact_boxes(facts: Iterable[tuple[str, str]]) -> str:
    """Return short facts side by side: name and value, both text."""
    boxes = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>\n" for name, value in facts)
    return f"<dl>\n{boxes}</dl>"


def number(value: float | None) -> str:
    """Return a number as a reader wants it: integers in full, others with four digits."""
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


# NOTE: blue and vermilion are from Okabe and Ito (2008), darkened to a contrast above 4.5 on white.
_STYLE = """body { font: 16px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; max-width: 64rem; margin: 0 auto; padding: 1rem;
  color: #1a1a1a; background: #fff; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
.lead { font-size: 1.3rem; line-height: 1.45; }
.verdict { border-left: .5rem solid; padding: .5rem 1rem; background: #f4f4f4; }
.verdict b { text-transform: uppercase; }
.passed, .alike, .kept { color: #005a8f; } .failed, .differs, .exceeded { color: #a63a00; font-weight: bold; }
.verdict span { color: #1a1a1a; font-weight: normal; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .5rem; }
dl div { border: 1px solid #ccc; padding: .5rem .75rem; }
dt, small, .told { font-size: .85rem; color: #555; } dd { margin: 0; font-size: 1.3rem; } small { display: block; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top; }
th { border-bottom: 2px solid #555; vertical-align: bottom; } thead { display: table-header-group; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.n { white-space: normal; }
.attacks { table-layout: fixed; } .attacks th:nth-child(n+3) { width: 4.2rem; } .attacks th:nth-child(5) { width: 11rem; }
.attacks th:nth-child(6) { width: 6rem; }
.rate { font-variant-numeric: tabular-nums; }
.rate svg { display: block; width: 100%; height: 12px; }
figure { margin: 1rem 0; max-width: 36rem; } figure svg { width: 100%; height: auto; } svg text { font-size: 14px; }
code { background: #f4f4f4; padding: .1rem .3rem; }
@media (max-width: 40rem) {
  svg text { font-size: 18px; }
  .cards thead { display: none; }
  .cards, .cards tbody, .cards tr, .cards td { display: block; }
  .cards tr { border: 1px solid #ccc; padding: .4rem .75rem; margin: .5rem 0; }
  .cards td { border: 0; padding: .1rem 0; text-align: left; white-space: normal; }
  .cards td.n { display: inline-block; margin-right: 1rem; }
  .cards td[data-label]::before { content: attr(data-label) ": "; color: #555; }
}
@media print { body { font-size: 10pt; max-width: none; padding: 0; } .wide { overflow: visible; }
  h2, h3 { break-after: avoid; } tr, dl div, figure { break-inside: avoid; } svg { print-color-adjust: exact; } }
"""

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$style</style>
$head</head>
<body>
$body</body>
</html>
""")
