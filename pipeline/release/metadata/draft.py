"""The page that lies beside the database of a variant as it is built: `README.md`. A release has a card instead.

Belongs here: what of a build it tells. It is for whoever makes the environment: it explains every column.
"""

from collections.abc import Iterator
from pathlib import Path

from pipeline.model import Environment, PublishedTable
from pipeline.model.schema.complete import schema_of
from pipeline.model.schema.types import PUBLISHED, PublishedType
from pipeline.publish.draft import DRAFT
from pipeline.publish.formats.csv import Csv
from pipeline.publish.manifest import Manifest
from pipeline.publish.variant import CLEAN
from pipeline.release.metadata.described import DescribedFile, Known, describe_files, means
from pipeline.release.metadata.pages import page
from pipeline.render import path_of


def draft_page(environment: Environment, folder: Path, manifest: Manifest, *, release: str) -> bytes:
    """Return the page of a variant.

    Args:
        environment: The declaration.
        folder: The folder in which the variant's folder lies, with its files.
        manifest: That of the variant.
        release: The command that makes a release of the build.
    """
    is_sampled, has_keys = manifest.budget is not None, manifest.variant == CLEAN
    known = Known(
        environment=environment,
        types=dict(_types(environment, manifest.variant)),
        treatments=manifest.column_treatments,
        has_keys=has_keys,
    )
    files = list(describe_files(environment, folder, manifest.variant, manifest.files, known=known))
    return page(
        "draft.md",
        draft=DRAFT,
        title=environment.title,
        variant=manifest.variant,
        means=means(manifest.policy, is_sampled=is_sampled, is_demonstration=manifest.is_demonstration_key),
        release=release,
        files=files,
        measures=environment.panel.measures if environment.panel else (),
        keys={path_of(table): table.row_key for table in environment.tables},
        example=_example(files),
    )


def _types(environment: Environment, variant: str) -> Iterator[tuple[str, dict[str, PublishedType]]]:
    """Yield for each table the declared types of its columns, by the table's path."""
    for table in environment.tables:
        yield f"{variant}/{path_of(table)}", dict(_types_in(environment, table))


def _types_in(environment: Environment, table: PublishedTable) -> Iterator[tuple[str, PublishedType]]:
    for name, field in schema_of(environment, table).items():
        if field.type in PUBLISHED:
            yield name, PUBLISHED[field.type]


def _example(files: list[DescribedFile]) -> str:
    """Return the path of a table that any library reads, as Python writes it; empty if there is none."""
    return next((repr(file.record.path) for file in files if file.columns and file.path.endswith(Csv.suffix)), "")
