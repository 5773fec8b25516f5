"""The page that lies beside the database of a variant as it is built: `README.md`. A release has a card instead.

Belongs here: what of a build it tells. It is for whoever makes the environment: it says what each table holds.
"""

from pathlib import Path

from pipeline.model import Environment
from pipeline.publish.draft import DRAFT, TERMS
from pipeline.publish.manifest import Manifest
from pipeline.publish.variant import CLEAN
from pipeline.release.metadata.described import Known, describe_files, means
from pipeline.release.metadata.pages import first_csv, page
from pipeline.render import path_of


def draft_page(environment: Environment, folder: Path, manifest: Manifest, *, release: str) -> bytes:
    """Return the page of a variant.

    Args:
        folder: The folder in which the variant's folder lies, with its files.
        release: The command that makes a release of the build.
    """
    is_sampled, has_keys = manifest.budget is not None, manifest.variant == CLEAN
    known = Known(environment=environment, types={}, treatments={}, has_keys=has_keys)
    files = list(describe_files(environment, folder, manifest.variant, manifest.files, known=known))
    return page(
        "draft.md",
        draft=DRAFT,
        title=environment.title,
        variant=manifest.variant,
        means=means(manifest.policy, is_sampled=is_sampled, is_demonstration=manifest.is_demonstration_key),
        release=release,
        terms=TERMS,
        files=files,
        keys={path_of(table): table.row_key for table in environment.tables},
        example=first_csv(file.record.path for file in files if file.columns),
        opened=repr("."),
        declared=repr(Path(environment.declared_in).name) if environment.declared_in else "",
    )
