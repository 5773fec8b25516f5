"""Searches all variants of an ablation together: each distinct line once, and each variant only if there are findings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from pipeline.model import Environment
from pipeline.publish.ablations import StagedSet
from validation.escapes import Escape, Found, find_escapes_in_texts, search
from validation.escapes.distinct import put_together
from validation.escapes.scan import Originals, Scanned, scan

_NAMES = "the names of files"


def scan_together(staged: StagedSet, environment: Environment, originals: Originals) -> Scanned:
    """Search everything that is staged: each distinct line once, then the variants for the places of findings, if any."""
    identifiers, staging = originals.tokens(environment), staged.staging
    columns = {
        f"{name}/{path}": of_path for name, paths in staged.code_columns.items() for path, of_path in paths.items()
    }
    files = sorted(file.relative_to(staging.public).as_posix() for file in staging.public.rglob("*") if file.is_file())
    made = put_together(staging.public, _versions(files), staging.scratch)
    together = {path: tuple(frame.columns) for path, frame in staged.relaid.items()}
    for path, of_path in columns.items():
        together[made[path]] = tuple(dict.fromkeys((*together.get(made[path], ()), *of_path)))
    for path, frame in staged.relaid.items():
        (staging.scratch / path).parent.mkdir(exist_ok=True)
        frame.write_csv(staging.scratch / path)
    found = search(staging.scratch, identifiers, code_columns=together)
    names = find_escapes_in_texts({_NAMES: "\n".join(files)}, identifiers)
    if not (found or names):
        return Scanned.nothing(environment)
    scanned = Scanned.of_parts(dict(_of_variants(staged, environment, originals)))
    return _with_beside(scanned, found, names, list(staged.code_columns))


def _with_beside(scanned: Scanned, found: Found, names: Sequence[Escape], variants: Sequence[str]) -> Scanned:
    """Add findings in files of no variant; or all findings, if the variants themselves have none."""
    findings = found.findings().with_columns(objection=pl.lit(""))
    if not (scanned.escapes or scanned.exempted):
        return replace(scanned, escapes=(*found.escapes(), *names), findings=findings)
    folder = pl.col("file").str.split("/").list.first()
    beside = [escape for escape in found.escapes() if escape.file.partition("/")[0] not in variants]
    own = findings.filter(~folder.is_in(variants))
    return replace(scanned, escapes=(*scanned.escapes, *beside), findings=pl.concat([scanned.findings, own]))


def _of_variants(staged: StagedSet, environment: Environment, originals: Originals) -> Iterator[tuple[str, Scanned]]:
    """Yield the result for each variant."""
    for name in staged.code_columns:
        public = staged.staging.public / name
        yield name, scan(public, environment, originals, ledger=staged.ledger(name))


def _versions(files: Sequence[str]) -> list[list[str]]:
    """Return the files by their path within a variant."""
    by_path: dict[str, list[str]] = {}
    for file in files:
        by_path.setdefault(file.partition("/")[2], []).append(file)
    return list(by_path.values())
