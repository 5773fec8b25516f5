"""Searches all variants of an ablation together: each file once, in however many variants it is, and codes as they were."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from pipeline.model import Environment
from pipeline.publish.ablations import StagedSet
from validation.escapes import Found, merged
from validation.escapes.documents import TextDocument, documents_of
from validation.escapes.files import File, SearchFiles, SearchTerms, each_once, search_files
from validation.escapes.scan import Originals, Scanned, scan


def scan_together(
    staged: StagedSet, environment: Environment, originals: Originals, *, searched: SearchFiles = search_files
) -> Scanned:
    """Search everything that is staged; variants with findings are judged one by one."""
    once, terms = each_once(searched), originals.search_terms(environment)
    found = merged(list(_files(staged)), terms, once)
    if not found:
        return Scanned.nothing(environment)
    scanned = Scanned.of_parts(dict(_of_variants(staged, environment, terms, once)))
    return _with_beside(scanned, found, list(staged.code_columns))


def _files(staged: StagedSet) -> Iterator[File]:
    """Yield all files, and the codes of those in which noise split or merged them, as they were before."""
    columns = {f"{name}/{path}": of for name, paths in staged.code_columns.items() for path, of in paths.items()}
    for one in documents_of(staged.staging.public):
        yield File(one, columns.get(one.name, ()))
    for path, frame in staged.relaid.items():
        yield File(TextDocument(path, ""), tuple(frame.columns), frame.write_csv())


def _with_beside(scanned: Scanned, found: Found, variants: list[str]) -> Scanned:
    """Add findings in files of no variant; or all findings, if the variants themselves have none."""
    findings = found.findings().with_columns(objection=pl.lit(""))
    if not (scanned.escapes or scanned.exempted):
        return replace(scanned, escapes=found.escapes(), findings=findings)
    folder = pl.col("file").str.split("/").list.first()
    beside = [escape for escape in found.escapes() if escape.file.partition("/")[0] not in variants]
    own = findings.filter(~folder.is_in(variants))
    return replace(scanned, escapes=(*scanned.escapes, *beside), findings=pl.concat([scanned.findings, own]))


def _of_variants(
    staged: StagedSet, environment: Environment, terms: SearchTerms, searched: SearchFiles
) -> Iterator[tuple[str, Scanned]]:
    """Yield the result for each variant."""
    for name in staged.code_columns:
        public = staged.staging.public / name
        yield name, scan(public, environment, terms, ledger=staged.ledger(name), searched=searched)
