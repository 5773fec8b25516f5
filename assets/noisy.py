"""Group `noisy`: the published tables with noise, and beside each the ledger of every change."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import polars as pl

from assets.making.keys import Stage, about, eligible
from assets.making.parameters import KEY, MASTER, rules_on
from assets.making.results import CheckOutcome, Result
from assets.making.step import Run
from assets.wiring.gates import verdict
from assets.wiring.lineage import of_noisy, said
from assets.wiring.originals import OF_ORIGINALS, reserved
from assets.wiring.steps import Declared, asset
from pipeline.model import DocumentRows, Environment, PublishedTable
from pipeline.model.schema.complete import meanings
from pipeline.noise.changes import NoiseChanges, merged
from pipeline.noise.described.examples import examples
from pipeline.noise.engine import NoisedBlock, noised_blocks
from pipeline.noise.ledger import explains, renamed_columns
from pipeline.noise.steps import Source
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
        if not run.has(Stage.RENDERED, name):
            yield run.made(Stage.NOISY, name, None, about(None))
            yield verdict(_EXACT, is_passed=True, facts={"absent": True})
            return
        spec, (rendered, text) = run.use(rules), _rendered(run, published)
        there = [other for other in published.beside if run.has(Stage.RENDERED, other)]
        beside = {other: run.blocks(Stage.RENDERED, other) for other in there}
        taken = reserved(run, spec, published)
        blocks = noised_blocks(rendered, published, spec, environment, run.use(KEY), beside=beside, reserved=taken)
        checked = _Checked(published, text)
        kept = run.keep_blocks(Stage.NOISY, name, checked.walk(blocks))
        ledger, opportunities = checked.changes.ledger, checked.changes.opportunities
        run.keep(Stage.LEDGER, name, ledger)
        run.keep(Stage.LEDGER, eligible(name), opportunities)
        lineage = of_noisy(environment, published, ledger)
        metadata = (
            about(kept, said(lineage, _meanings(environment, published, ledger))) | lineage | {"changes": ledger.height}
        )
        yield run.shown(Stage.NOISY, name, metadata)
        yield _exactness(ledger, opportunities, is_exact=checked.is_exact)

    return noisy


def _meanings(environment: Environment, published: PublishedTable, ledger: pl.DataFrame) -> dict[str, str]:
    """Return what the columns that live on hold, by the names that they have with noise."""
    known = meanings(environment, published)
    return {now: known[column] for column, now in renamed_columns(published, ledger).items()}


def _rendered(run: Run, published: PublishedTable) -> tuple[Source, str]:
    """Return the blocks that noise changes; of a document all rows together, and its text."""
    if published.document is None:
        return run.blocks(Stage.RENDERED, published.name), ""
    text = run.read(Stage.RENDERED, published.name)
    return [published.document.rows(text)], text


@dataclass
class _Checked:
    """What is found of blocks as they go by: what was changed, and whether the ledger explains it."""

    published: PublishedTable
    text: str
    """Of a document, as it was rendered."""
    is_exact: bool = True
    _changes: list[NoiseChanges] = field(default_factory=list)

    def walk(self, blocks: Iterable[NoisedBlock]) -> Iterator[pl.DataFrame]:
        """Yield blocks with noise, and look at each."""
        for block in blocks:
            self._changes.append(block.changes)
            self.is_exact &= explains(block.changes.ledger, block.clean, block.frame, self.published)
            if document := self.published.document:
                self.is_exact &= _is_lossless(document, self.text, block)
            yield block.frame

    @property
    def changes(self) -> NoiseChanges:
        """Return all changes."""
        return merged(self._changes)


def _exactness(ledger: pl.DataFrame, opportunities: pl.DataFrame, *, is_exact: bool) -> CheckOutcome:
    """Report how much the ledger holds, a change of each rule, and the share of eligible cells that each rule changed."""
    is_of_file, is_of_row = pl.col("row_key") == "", pl.col("column") == ""
    counts = ledger.select(
        changes=pl.len(), cells=(~is_of_file & ~is_of_row).sum(), rows=(~is_of_file & is_of_row).sum()
    )
    rules = opportunities["rule"].unique(maintain_order=True).to_list()
    eligible = opportunities.group_by("rule", maintain_order=True).agg(pl.col("eligible").sum())
    changed = dict(ledger.group_by("rule").len().iter_rows())
    samples = [
        {name: example[name] for name in ("rule", "column", "before", "after")} for example in examples(ledger, rules)
    ]
    return verdict(
        _EXACT,
        is_passed=is_exact,
        facts=counts.row(0, named=True),
        samples=samples,
        picture=bars({rule: changed.get(rule, 0) / of for rule, of in eligible.iter_rows() if of}) if rules else "",
    )


def _is_lossless(document: DocumentRows, text: str, whole: NoisedBlock) -> bool:
    """Say whether the clean text is that of its rows, byte for byte, and the noisy rows those of their text."""
    return document.text(whole.clean) == text and document.rows(document.text(whole.frame)).equals(whole.frame)
