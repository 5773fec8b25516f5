"""The files of every variant, each written and searched as soon as its content is there; publishing takes them as they are.

The graph shows no such steps: a file is its table. What the search finds is judged when the variant is published.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import polars as pl

from assets.making.fingerprint import fingerprint
from assets.making.inputs.code import code
from assets.making.keys import SEARCH_TERMS, Place, Stage, file_of, record_of
from assets.making.parameters import MASTER
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.originals import OF_ORIGINALS, prepare, search_terms
from assets.wiring.steps import Declared, step
from pipeline.model import Environment, PublishedDocument, PublishedTable
from pipeline.noise.ledger import as_noised, of_file
from pipeline.publish.files import FileRecord, write_blocks, write_document
from pipeline.publish.variant import NOISY, VARIANTS, Written, is_elsewhere
from pipeline.render import published_files
from validation.escapes.files import File, FileFindings, SearchFiles, SearchTerms, search_files
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
    searched_for = fingerprint((code(), run.given[SEARCH_TERMS]))

    def searched(files: Sequence[File], wanted: SearchTerms) -> list[FileFindings]:
        keys = [fingerprint((searched_for, "nothing is found", file.key())) for file in files]
        is_new = [run.is_fresh or run.store.record(key) is None for key in keys]
        new = iter(search_files([file for file, is_one in zip(files, is_new, strict=True) if is_one], wanted))
        found = [next(new) if is_one else FileFindings() for is_one in is_new]
        for key, findings in zip(keys, found, strict=True):
            if not findings:
                run.store.write_record(key, {})
        return found

    return searched


def _search_terms_step(environment: Environment) -> Declared:
    @step(environment, *SEARCH_TERMS, makes=[SEARCH_TERMS], reads=OF_ORIGINALS, uses=(MASTER,))
    def preparing(run: Run) -> Iterator[Result]:
        """Prepare what is searched for."""
        prepare(run)
        return iter(())

    return preparing


def _file_step(environment: Environment, variant: str, published: Published) -> Declared:
    noisy = {table.name: table for table in environment.noisy_tables()} if variant == NOISY else {}
    name, table = published.name, noisy.get(published.name)
    content, ledger = (Stage.NOISY if table else Stage.RENDERED, name), [(Stage.LEDGER, name)] if table else []
    makes, reads = (file_of(variant, name), record_of(variant, name)), [content, *ledger, SEARCH_TERMS]

    @step(environment, Stage.FILES, variant, name, makes=makes, reads=reads, uses=(MASTER,))
    def file(run: Run) -> Iterator[Result]:
        """Write the file, and search it."""
        if run.has(*content):
            layout = pl.concat(map(of_file, run.blocks(*ledger[0]))) if table else None
            written_as = published if table is None or layout is None else as_noised(table, layout)
            with run.store.scratch() as folder:
                record = _write(run, content, written_as, folder)
                searching(run)(searchable(folder, environment, layout), search_terms(run))
                run.keep_file(*makes[0], folder / record.path)
                run.keep(*makes[1], json.dumps(asdict(record)))
        return iter(())

    return file


def _write(run: Run, content: Place, published: Published, folder: Path) -> FileRecord:
    if isinstance(published, PublishedDocument):
        return write_document(run.read(*content), published, folder)
    return write_blocks(run.blocks(*content), published, folder)
