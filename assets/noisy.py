"""Group `noisy`: the published tables with noise, and beside each the ledger of every change."""

from collections.abc import Iterator

import dagster as dg
import polars as pl

from assets.making.aspects import KEY, MASTER, rules_on
from assets.making.keys import Stage, about, eligible
from assets.making.step import Run
from assets.making.told import Result
from assets.wiring.gates import verdict
from assets.wiring.lineage import of_noisy, said
from assets.wiring.originals import OF_ORIGINALS, reserved
from assets.wiring.steps import Declared, asset
from pipeline.model import DocumentRows, Environment, PublishedTable
from pipeline.noise.described.examples import examples
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.ledger import explains
from pipeline.render import rows_of
from validation.report.charts.drawings import bars

_EXACT = "ledger_is_exact"


def noisy_assets(environment: Environment) -> list[Declared]:
    """Return, for each table and the rows of each document, the noisy table; ledger and counts of cells lie beside it."""
    return [_noisy_asset(environment, table) for table in environment.noisy_tables()]


def _noisy_asset(environment: Environment, published: PublishedTable) -> Declared:
    name = published.name
    reads = [*((Stage.RENDERED, table) for table in (name, *published.beside)), *OF_ORIGINALS]

    rules = rules_on(name)
    uses, described = (KEY, MASTER, rules), published.description

    @asset(environment, Stage.NOISY, name, reads=reads, uses=uses, description=described, checks=[_EXACT])
    def noisy(run: Run) -> Iterator[Result]:
        """Apply the noise specification to the table."""
        spec, content = run.use(rules), run.read(Stage.RENDERED, name)
        rendered = rows_of(published, content)
        if rendered is None:
            yield run.made(Stage.NOISY, name, None, about(None))
            yield verdict(_EXACT, is_passed=True, facts={"absent": True})
            return
        beside, taken = run.frames(Stage.RENDERED, published.beside), reserved(run, spec, published)
        noised = apply_noise(rendered, published, spec, environment, run.use(KEY), beside=beside, reserved=taken)
        run.keep(Stage.LEDGER, name, noised.ledger)
        run.keep(Stage.LEDGER, eligible(name), noised.opportunities)
        lineage = of_noisy(environment, published, noised.ledger)
        metadata = about(noised.frame, said(lineage)) | lineage | {"changes": noised.ledger.height}
        yield run.made(Stage.NOISY, name, noised.frame, metadata)
        is_exact = explains(noised.ledger, rendered, noised.frame, published) and (
            published.document is None or _is_lossless(published.document, content, noised)
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
    told = [
        {name: example[name] for name in ("rule", "column", "before", "after")}
        for example in examples(noised.ledger, rules)
    ]
    return verdict(
        _EXACT,
        is_passed=is_exact,
        facts=counts.row(0, named=True),
        samples=told,
        picture=bars({rule: changed.get(rule, 0) / of for rule, of in eligible.iter_rows() if of}) if rules else "",
    )


def _is_lossless(document: DocumentRows, text: str, noised: Noised) -> bool:
    """Say whether the clean text is that of its rows, byte for byte, and the noisy rows those of their text."""
    is_clean_kept = document.text(document.rows(text)) == text
    return is_clean_kept and document.rows(document.text(noised.frame)).equals(noised.frame)
