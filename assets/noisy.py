"""Group `noisy`: the published tables with noise, and the ledger of every change."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from assets.anonymised import IDENTIFIERS, IDENTITY_MAP
from assets.wiring.boundary import guarded
from assets.wiring.gates import verdict
from assets.wiring.keys import Stage, about, key, op_name, stored
from assets.wiring.lineage import of_noisy, said
from assets.wiring.originals import reserved
from assets.wiring.resources import Workspace
from pipeline.model import DocumentRows, Environment, PublishedTable
from pipeline.noise.described.examples import examples
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.ledger import explains
from pipeline.render import rows_of
from validation.report.charts.drawings import bars

LEDGER, ELIGIBLE = "ledger", "eligible"
"""What is kept beside a noisy table: its changes, and how many cells each rule could have changed."""

_EXACT = "ledger_is_exact"
_INPUT = "rendered_"


def noisy_assets(environment: Environment) -> list[dg.AssetsDefinition]:
    """Return, for each table and the rows of each document, the noisy table, its ledger and its counts of eligible cells."""
    return [_noisy_asset(environment, table) for table in environment.noisy_tables()]


def _noisy_asset(environment: Environment, published: PublishedTable) -> dg.AssetsDefinition:
    name, change, cells = (
        published.name,
        "Every change that noise made to the table.",
        "Cells that each rule could change.",
    )
    outs = {
        "noisy": stored(environment, Stage.NOISY, name, description=published.description),
        LEDGER: stored(environment, Stage.LEDGER, name, group=Stage.NOISY, description=change),
        ELIGIBLE: stored(environment, Stage.LEDGER, f"{name}_{ELIGIBLE}", group=Stage.NOISY, description=cells),
    }

    @dg.multi_asset(
        outs=outs,
        ins={
            _INPUT + table: dg.AssetIn(key(environment, Stage.RENDERED, table))
            for table in (published.name, *published.beside)
        },
        deps=[key(environment, Stage.IDENTITY, name) for name in (IDENTITY_MAP, IDENTIFIERS)],
        name=op_name(environment, Stage.NOISY, published.name),
        check_specs=[dg.AssetCheckSpec(_EXACT, asset=key(environment, Stage.NOISY, published.name), blocking=True)],
    )
    def noisy(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """Apply the noise specification to the table."""
        with guarded(workspace, environment):
            spec = workspace.noise_spec(environment)
            rendered = rows_of(published, tables[_INPUT + published.name])
            if rendered is None:
                yield from (dg.Output(None, output_name=name, metadata=about(None)) for name in outs)
                yield verdict(_EXACT, is_passed=True, facts={"absent": True})
                return
            beside = {name: tables[_INPUT + name] for name in published.beside if tables[_INPUT + name] is not None}
            release, taken = workspace.release_key(environment).key, reserved(environment, workspace, spec, published)
            noised = apply_noise(rendered, published, spec, environment, release, beside=beside, reserved=taken)
            told = of_noisy(environment, published, noised.ledger)
            yield dg.Output(noised.frame, output_name="noisy", metadata=about(noised.frame, said(told)) | told)
            yield dg.Output(noised.ledger, output_name=LEDGER, metadata=about(noised.ledger))
            yield dg.Output(noised.opportunities, output_name=ELIGIBLE, metadata=about(noised.opportunities))
            is_exact = explains(noised.ledger, rendered, noised.frame, published) and (
                published.document is None or _is_lossless(published.document, tables[_INPUT + published.name], noised)
            )
            yield _exactness(noised, is_exact=is_exact)

    return noisy


def _exactness(noised: Noised, *, is_exact: bool) -> dg.AssetCheckResult:
    """Tell how much the ledger holds, a change of each rule, and the share of eligible cells that each rule changed."""
    is_of_file, is_of_row = pl.col("row_key") == "", pl.col("column") == ""
    counts = noised.ledger.select(
        changes=pl.len(), cells=(~is_of_file & ~is_of_row).sum(), rows=(~is_of_file & is_of_row).sum()
    )
    rules = noised.opportunities["rule"].unique(maintain_order=True).to_list()
    eligible = noised.opportunities.group_by("rule", maintain_order=True).agg(pl.col("eligible").sum())
    changed = dict(noised.ledger.group_by("rule").len().iter_rows())
    shown = [
        {name: " ".join(example[name].split()).replace("|", "/") for name in ("rule", "column", "before", "after")}
        for example in examples(noised.ledger, rules)
    ]
    return verdict(
        _EXACT,
        is_passed=is_exact,
        facts=counts.row(0, named=True),
        samples=shown,
        picture=bars({rule: changed.get(rule, 0) / of for rule, of in eligible.iter_rows() if of}) if rules else "",
    )


def _is_lossless(document: DocumentRows, text: str, noised: Noised) -> bool:
    """Say whether the clean text is that of its rows, byte for byte, and the noisy rows those of their text."""
    is_clean_kept = document.text(document.rows(text)) == text
    return is_clean_kept and document.rows(document.text(noised.frame)).equals(noised.frame)
