"""Group `noisy`: the published tables with noise, block by block, and beside each the ledger of every change."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate

import polars as pl

from assets.making.keys import Place, Stage, about, eligible
from assets.making.parameters import KEY, MASTER, rules_on
from assets.making.results import CheckOutcome, Result
from assets.making.step import Run, StepDivision, StepPart
from assets.making.store import Value
from assets.wiring.gates import TRIED, verdict
from assets.wiring.lineage import of_noisy, said
from assets.wiring.originals import OF_ORIGINALS, reserved
from assets.wiring.steps import Declared, asset, step
from pipeline.model import DocumentRows, Environment, PublishedTable
from pipeline.model.schema.complete import meanings
from pipeline.noise.changes import CHANGES, NoiseChanges, merged
from pipeline.noise.described.examples import examples
from pipeline.noise.engine import NoisedBlock, answers_of, needs_whole_table, noised_blocks
from pipeline.noise.ledger import explains, renamed_columns
from pipeline.noise.spec import NoiseSpec
from pipeline.noise.steps import Source, Surroundings, packed, unpacked
from validation.report.charts.drawings import bars
from validation.report.head.gates import LEDGER_IS_EXACT


def noisy_assets(environment: Environment) -> list[Declared]:
    """Return, for each table and the rows of each document, the noisy table; ledger and counts of cells lie beside it.

    Before each, a step that the graph does not show looks up what its rules ask of other rows.
    """
    return [make(environment, table) for table in environment.noisy_tables() for make in (_answers_step, _noisy_asset)]


def _answers_step(environment: Environment, published: PublishedTable) -> Declared:
    makes, rules = _answers_on(published.name), rules_on(published.name)
    reads = [(Stage.RENDERED, table) for table in (published.name, *published.beside)]

    @step(environment, *makes, makes=[makes], reads=reads, uses=(KEY, rules))
    def looking_up(run: Run) -> Iterator[Result]:
        """Look up what the rules ask of other rows, of this table and of those beside it."""
        spec, rendered = run.use(rules), run.has(Stage.RENDERED, published.name)
        if rendered and not _is_whole(published, spec):
            beside = {name: run.blocks(Stage.RENDERED, name) for name in _beside(run, published)}
            own = run.blocks(Stage.RENDERED, published.name)
            run.keep(*makes, value=packed(answers_of(own, published, spec, environment, run.use(KEY), beside)))
        return iter(())

    return looking_up


def _noisy_asset(environment: Environment, published: PublishedTable) -> Declared:
    name, rendered = published.name, [(Stage.RENDERED, table) for table in (published.name, *published.beside)]

    @asset(
        *(environment, Stage.NOISY, name),
        reads=[*rendered, _answers_on(name), *OF_ORIGINALS],
        uses=(KEY, MASTER, rules_on(name)),
        description=published.description,
        checks=[LEDGER_IS_EXACT],
        division=StepDivision(parts=partial(_parts, published), do=partial(_noised, published)),
    )
    def noisy(run: Run) -> Iterator[Result]:
        """Apply the noise specification to the table."""
        if not run.has(Stage.RENDERED, name):
            yield run.made(Stage.NOISY, name, None, about(None))
            yield verdict(LEDGER_IS_EXACT, is_passed=True, facts={TRIED: "nothing to try: the table is not there"})
            return
        kept = run.store.blocks(run.keep_parts(Stage.NOISY, name, "rows"))
        changes = merged([NoiseChanges(*of_block) for of_block in zip(*map(run.of_parts, CHANGES), strict=True)])
        ledger, opportunities = changes.ledger, changes.opportunities
        run.keep(Stage.LEDGER, name, ledger)
        run.keep(Stage.LEDGER, eligible(name), opportunities)
        lineage = of_noisy(environment, published, ledger)
        metadata = (
            about(kept, said(lineage, _meanings(environment, published, ledger)))
            | lineage
            | {"entries of the ledger": ledger.height}
        )
        yield run.shown(Stage.NOISY, name, metadata)
        yield _exactness(ledger, opportunities, is_exact=all(run.of_parts("is exact")))

    return noisy


def _parts(published: PublishedTable, run: Run) -> list[StepPart]:
    """Return a part for each block, or one for the whole table where rules need that."""
    own, rules = (Stage.RENDERED, published.name), rules_on(published.name)
    if not run.has(*own):
        return []
    spec, uses = run.use(rules), frozenset({KEY.name, MASTER.name, rules.name})
    is_whole, beside = _is_whole(published, spec), [(Stage.RENDERED, other) for other in published.beside]
    reads = [*(beside if is_whole else [_answers_on(published.name)]), *(OF_ORIGINALS if _invents_codes(spec) else ())]
    others = {place: run.given[place] for place in reads}
    if is_whole:
        return [StepPart(name="all", reads=others | {own: run.given[own]}, uses=uses)]
    ends, names = accumulate(run.blocks(*own).sizes, initial=0), _beside(run, published)
    return [
        StepPart(name=f"below {above}", reads=others | {own: block}, uses=uses, given=(above, names))
        for above, block in zip(ends, run.blocks_named(*own), strict=False)
    ]


def _noised(published: PublishedTable, run: Run, part: StepPart) -> Iterator[tuple[str, Value]]:
    """Apply the rules to a block, or to the whole table where that is one."""
    name, environment = published.name, run.environment
    spec, (rendered, text) = run.use(rules_on(name)), _rendered(run, published)
    if part.given:
        above, names = part.given
        around = Surroundings(above, unpacked(run.read(*_answers_on(name))))
        beside: dict[str, Source] = dict.fromkeys(names, ())
    else:
        around, beside = None, {other: run.blocks(Stage.RENDERED, other) for other in _beside(run, published)}
    taken = reserved(run, spec, published) if _invents_codes(spec) else None
    (block,) = noised_blocks(
        rendered, published, spec, environment, run.use(KEY), beside=beside, reserved=taken, around=around
    )
    yield "rows", block.frame
    yield from vars(block.changes).items()
    yield "is exact", "yes" if _is_exact(published, text, block) else ""


def _answers_on(name: str) -> Place:
    """Return where it is kept what the rules on a table look up."""
    return (Stage.ANSWERS, name)


def _beside(run: Run, published: PublishedTable) -> list[str]:
    """Return the tables beside one that this build has."""
    return [other for other in published.beside if run.given.get((Stage.RENDERED, other))]


def _is_whole(published: PublishedTable, spec: NoiseSpec) -> bool:
    return published.document is not None or needs_whole_table(published, spec)


def _invents_codes(spec: NoiseSpec) -> bool:
    return any(rule.kind.invents_codes for rule in spec.rules)


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


def _is_exact(published: PublishedTable, text: str, block: NoisedBlock) -> bool:
    """Say whether the ledger of a block explains it; of a document, whether it loses nothing between text and rows, too."""
    is_explained = explains(block.changes.ledger, block.clean, block.frame, published)
    return is_explained and (published.document is None or _is_lossless(published.document, text, block))


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
        LEDGER_IS_EXACT,
        is_passed=is_exact,
        facts=counts.row(0, named=True),
        samples=samples,
        picture=bars({rule: changed.get(rule, 0) / of for rule, of in eligible.iter_rows() if of}) if rules else "",
    )


def _is_lossless(document: DocumentRows, text: str, whole: NoisedBlock) -> bool:
    """Say whether the clean text is that of its rows, byte for byte, and the noisy rows those of their text."""
    return document.text(whole.clean) == text and document.rows(document.text(whole.frame)).equals(whole.frame)
