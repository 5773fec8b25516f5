"""The files of every variant, each written and searched as soon as its content is there; publishing takes them as they are.

The graph shows no such steps: a file is its table. What the search finds is judged when the variant is published.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path

import polars as pl

from assets.making.fingerprint import fingerprint
from assets.making.inputs.code import code
from assets.making.keys import SEARCH_TERMS, Place, Stage, file_of, record_of
from assets.making.parameters import MASTER
from assets.making.results import Result
from assets.making.step import Run, StepDivision, StepPart
from assets.making.store import Value
from assets.wiring.originals import OF_ORIGINALS, prepare, search_terms
from assets.wiring.steps import Declared, step
from pipeline.model import Environment, PublishedDocument, PublishedTable
from pipeline.noise.ledger import as_noised, of_file
from pipeline.publish.files import FileRecord, concatenated, drop_header, write_blocks, write_document
from pipeline.publish.formats import format_of
from pipeline.publish.variant import NOISY, VARIANTS, Written, is_elsewhere
from pipeline.render import published_files
from validation.escapes.files import File, FileFindings, SearchFiles, SearchTerms, search_files, stands_across
from validation.escapes.scan import searchable

Published = PublishedTable | PublishedDocument


def file_steps(environment: Environment) -> list[Declared]:
    """Return a step for each file of each variant, after one that prepares what they are searched for."""
    return [_search_terms_step(environment)] + [
        _file_step(environment, variant, published)
        for variant in VARIANTS
        for published in published_files(environment)
        if not is_elsewhere(published, variant)
    ]


def of_files(environment: Environment, variant: str) -> list[Place]:
    """Return where the files of a variant are kept, and what the manifest says of them."""
    names = [each.name for each in published_files(environment) if not is_elsewhere(each, variant)]
    return [place(variant, name) for name in names for place in (file_of, record_of)]


def written(run: Run, variant: str, published: Published) -> Written | None:
    """Return a file of a variant; None if this build does not have it."""
    if is_elsewhere(published, variant):
        return None
    file, record = run.file(*file_of(variant, published.name)), run.read(*record_of(variant, published.name))
    return None if file is None else Written(file=file, record=FileRecord(**json.loads(record)))


def searching(run: Run) -> SearchFiles:
    """Return a search that leaves out files in which nothing was found before.

    What is found is kept nowhere: it names companies.
    """

    def searched(files: Sequence[File], wanted: SearchTerms) -> list[FileFindings]:
        keys = [_nothing_in(run, file) for file in files]
        is_new = [run.is_fresh or run.store.record(key) is None for key in keys]
        new = iter(search_files([file for file, is_one in zip(files, is_new, strict=True) if is_one], wanted))
        found = [next(new) if is_one else FileFindings() for is_one in is_new]
        for key, findings in zip(keys, found, strict=True):
            if not findings:
                run.store.write_record(key, {})
        return found

    return searched


def _nothing_in(run: Run, file: File) -> str:
    """Return the key of the record that says that nothing was found in a file."""
    return fingerprint((code(), run.given[SEARCH_TERMS], "nothing is found", file.key()))


def _search_terms_step(environment: Environment) -> Declared:
    @step(environment, *SEARCH_TERMS, makes=[SEARCH_TERMS], reads=OF_ORIGINALS, uses=(MASTER,))
    def preparing(run: Run) -> Iterator[Result]:
        """Prepare what is searched for."""
        prepare(run)
        return iter(())

    return preparing


def _file_step(environment: Environment, variant: str, published: Published) -> Declared:
    noisy = {table.name: table for table in environment.noisy_tables()} if variant == NOISY else {}
    made = _File(
        published, noisy.get(published.name), file_of(variant, published.name), record_of(variant, published.name)
    )
    makes, division = (made.file, made.record), StepDivision(parts=made.parts, do=made.do)

    @step(
        *(environment, Stage.FILES, variant, published.name),
        makes=makes,
        reads=made.reads,
        uses=(MASTER,),
        division=division,
    )
    def file(run: Run) -> Iterator[Result]:
        """Write the file, and search it: block by block, where it is lines of text."""
        made.put_together(run)
        return iter(())

    return file


@dataclass(frozen=True)
class _File:
    """A file of a variant, whole or in parts that follow each other in it."""

    published: Published
    noisy: PublishedTable | None
    """The table that has noise, if the file has."""
    file: Place
    record: Place
    """Where it is kept what the manifest says of the file."""

    @property
    def content(self) -> Place:
        """Return where it is kept what is written."""
        return (Stage.NOISY if self.noisy else Stage.RENDERED, self.published.name)

    @property
    def reads(self) -> list[Place]:
        """Return all that is read for it."""
        return [self.content, *([(Stage.LEDGER, self.published.name)] if self.noisy else []), SEARCH_TERMS]

    def parts(self, run: Run) -> list[StepPart]:
        """Return a part for each block, if the file is these one after the other; one for all of it if not."""
        if not run.has(*self.content):
            return []
        layout, terms = self._layout(run), {SEARCH_TERMS: run.given[SEARCH_TERMS]}
        if not self._is_of_parts(layout):
            return [StepPart(name="all", reads=run.given, uses=_USES, given=(0, layout))]
        ends = accumulate(run.blocks(*self.content).sizes, initial=0)
        return [
            StepPart(name=f"below {above}", reads={self.content: block, **terms}, uses=_USES, given=(above, layout))
            for above, block in zip(ends, run.blocks_named(*self.content), strict=False)
        ]

    def do(self, run: Run, part: StepPart) -> Iterator[tuple[str, Value | Path]]:
        """Write a part of the file as a file of its own, and search it."""
        above, layout = part.given
        published = as_noised(self.noisy, layout) if self.noisy and layout is not None else self.published
        with run.store.scratch() as folder:
            record = self._written(run, published, folder, above=above)
            found = searching(run)(searchable(folder, run.environment, layout), search_terms(run))
            yield "record", json.dumps(asdict(record))
            yield "is suspect", "yes" if any(found) else ""
            if above and isinstance(published, PublishedTable):
                drop_header(folder / record.path, published)
            yield "file", folder / record.path

    def put_together(self, run: Run) -> None:
        """Keep the file. Where its parts hold nothing, and nothing stands where they meet, it is not searched again."""
        records = [FileRecord(**json.loads(record)) for record in run.of_parts("record")]
        if len(records) == 1:
            run.keep_parts(*self.file, "file")
            run.keep_parts(*self.record, "record")
        if len(records) <= 1:
            return
        files = [run.store.file(name) for name in run.names_of_parts("file") if name]
        with run.store.scratch() as folder:
            record = concatenated(files, records, folder)
            whole, terms = searchable(folder, run.environment, self._layout(run)), search_terms(run)
            ends = accumulate(file.stat().st_size for file in files)
            is_across = (stands_across(folder / record.path, end, terms) for end in ends)
            if not any(run.of_parts("is suspect")) and not any(is_across):
                for one in whole:
                    run.store.write_record(_nothing_in(run, one), {})
            searching(run)(whole, terms)
            run.keep(*self.record, json.dumps(asdict(record)))
            run.keep_file(*self.file, folder / record.path)

    def _layout(self, run: Run) -> pl.DataFrame | None:
        """Return what noise made of the file's columns and dialect; None where there is no noise."""
        return of_file(run.read(Stage.LEDGER, self.published.name)) if self.noisy else None

    def _is_of_parts(self, layout: pl.DataFrame | None) -> bool:
        is_one = isinstance(self.published, PublishedDocument) or not format_of(self.published).is_of_parts
        return not is_one and (layout is None or layout.filter(pl.col("column") != "").is_empty())

    def _written(self, run: Run, published: Published, folder: Path, *, above: int) -> FileRecord:
        if isinstance(published, PublishedDocument):
            return write_document(run.read(*self.content), published, folder)
        return write_blocks(run.blocks(*self.content), published, folder, above=above)


_USES = frozenset({MASTER.name})
