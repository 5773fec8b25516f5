"""Five rows of one table on their way: as they came, anonymised, with noise; what noise changed is marked."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from jinja2 import Environment, StrictUndefined

_ROWS = 5

_TABLE = "enterprise/company_operation_status.csv"

_SHOWN = {"targetName": "measure", "targetUnit": "unit", "value": "value"}
"""Columns of the published table that have noise, and their headings."""

_PAGE = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; width: max-content; padding: 12px 16px; background: white; color: #1b1f24;
  font: 15px "Inter", "Noto Sans", "Noto Sans CJK SC", sans-serif }
main { display: flex; gap: 14px; align-items: center }
h2 { font-size: 16px; margin: 0 0 6px } h2 small { font-weight: normal; color: #57606a }
table { border-collapse: collapse } th, td { padding: 5px 9px; border-bottom: 1px solid #d0d7de; text-align: left;
  white-space: nowrap }
th { color: #57606a; font-weight: 600 } td:last-child, th:last-child { text-align: right; font-variant-numeric: tabular-nums }
mark { background: #ffd33d; padding: 1px 4px; border-radius: 3px } .arrow { font-size: 26px; color: #57606a }
</style><main>
{%- for stage in stages %}
{%- if not loop.first %}<span class="arrow">→</span>{% endif %}
<section><h2>{{ stage.title }} <small>{{ stage.about }}</small></h2>
<table><tr>{% for name in stage.columns %}<th>{{ name }}</th>{% endfor %}</tr>
{%- for row in stage.rows %}
<tr>{% for cell, is_changed in row -%}
<td>{% if is_changed %}<mark>{{ cell or "(empty)" }}</mark>{% else %}{{ cell }}{% endif %}</td>
{%- endfor %}</tr>
{%- endfor %}</table></section>
{%- endfor %}</main>
"""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A table of the picture: its rows have cells with whether noise changed them."""

    title: str
    about: str
    columns: Sequence[str]
    rows: Sequence[Sequence[tuple[str, bool]]]


def five_rows(build: Path, raw: Path, revealed: str) -> str:
    """Return the page of the picture.

    Args:
        build: The folder of a built `dataclaw-18`.
        raw: The folder of its originals.
        revealed: What `silt reveal` prints.
    """
    clean, noisy = (
        pl.read_csv(build / variant / "database" / _TABLE, infer_schema=False) for variant in ("clean", "noisy")
    )
    both = clean.join(noisy, on="id", suffix="_noisy", maintain_order="left").head(_ROWS).fill_null("")
    originals = {
        entry["pseudonym"]: entry["original"]
        for entry in csv.DictReader(io.StringIO(revealed))
        if entry["kind"] == "code"
    }
    figures = pl.read_parquet(raw / "company_operation_status.parquet")
    rows = both.to_dicts()
    return (
        Environment(autoescape=True, undefined=StrictUndefined)
        .from_string(_PAGE)
        .render(
            stages=[
                Stage(
                    title="Original",
                    about="",
                    columns=["company", "value"],
                    rows=[_original(row, originals, figures) for row in rows],
                ),
                Stage(
                    title="Anonymised",
                    about="the clean variant",
                    columns=["company", *_SHOWN.values()],
                    rows=[[(row[name], False) for name in ("bmCode", *_SHOWN)] for row in rows],
                ),
                Stage(
                    title="Noisy",
                    about="changes marked",
                    columns=list(_SHOWN.values()),
                    rows=[
                        [(row[f"{name}_noisy"], row[f"{name}_noisy"] != row[name]) for name in _SHOWN] for row in rows
                    ],
                ),
            ]
        )
    )


def _original(row: dict[str, str], originals: dict[str, str], figures: pl.DataFrame) -> list[tuple[str, bool]]:
    measure = row["targetName"]
    name, value = figures.filter(bmCode=originals[row["bmCode"]], year="2022").select("企业名称", measure).row(0)
    return [(name, False), (value, False)]
