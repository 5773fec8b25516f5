"""Every table of the corpus, by name, and how it is written: Parquet of text, as a CSV would give it; JSON for translations.

Assembles what the other modules make; the order of the tables is the order in which they need each other.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from raw.corpus.figures import aggregates, macro, panel
from raw.corpus.firms import drawn, narratives, profile
from raw.corpus.firms.aliases import make_aliases
from raw.corpus.firms.overseas import make_overseas
from raw.corpus.policies import texts
from raw.corpus.policies.drawn import PolicyText, make_policies
from raw.vocabulary.metrics import INTERNAL_METRICS


def generate(directory: Path, scale: float) -> None:
    """Write the raw tables into a directory: one Parquet file a table, and the translation lists as JSON.

    Args:
        directory: Made if it is not there; files of the same names are replaced.
        scale: Firms and records relative to the release; 1.0 gives its numbers exactly.

    Raises:
        InputError: The scale is larger than names, codes or series last for.
    """
    firms, policies = drawn.make_firms(scale), make_policies(scale)
    overseas = make_overseas(scale, firms)
    directory.mkdir(parents=True, exist_ok=True)
    for name, table in make_tables(firms, overseas, policies, scale).items():
        table.write_parquet(directory / f"{name}.parquet")
    for name, pairs in make_translations(firms, overseas, policies, scale).items():
        text = json.dumps(pairs, ensure_ascii=False, indent=4)
        (directory / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def make_tables(
    firms: pl.DataFrame, overseas: pl.DataFrame, policies: Sequence[PolicyText], scale: float
) -> dict[str, pl.DataFrame]:
    """Return every table of the corpus but the translations, all columns text (null for empty)."""
    cells = panel.make_panel(firms, scale)
    aliases = make_aliases(firms, narratives.narrated(firms, scale))
    return {
        "company_profile": profile.company_profile(firms, overseas),
        **panel.operation_tables(cells, firms),
        "company_core": narratives.company_core(firms, aliases),
        "national_industry_status": aggregates.national_table(cells, firms),
        "regional_industry_status": aggregates.regional_table(cells, firms),
        "policy_resource": texts.policy_resource(policies, firms),
        "company_alias": aliases.select("bmCode", "alias", "kind"),
        "overseas_profile": profile.overseas_profile(overseas),
        **macro.macro_tables(scale),
        "internal_metrics": _internal_metrics(),
    }


def make_translations(
    firms: pl.DataFrame, overseas: pl.DataFrame, policies: Sequence[PolicyText], scale: float
) -> dict[str, dict[str, str]]:
    """Return the English names of every company, domestic by code, then overseas by code, and of some policies."""
    companies = pl.concat([frame.select("legal", "english") for frame in (firms, overseas)])
    return {
        "company_translation_english_chinese": dict(companies.rows()),
        "policy_translation_english_chinese": texts.translated_titles(policies, scale),
    }


def _internal_metrics() -> pl.DataFrame:
    """Return the definitions; the header is the release's, errors included."""
    ids = [str(number) for number in range(1, len(INTERNAL_METRICS) + 1)]
    return pl.DataFrame({"id": ids, "interal_knowladge": INTERNAL_METRICS})
