"""The files of a release as they lie: a release's folder, an environment's output folder, or one variant's.

Belongs here: which files are what, and reading them as tables. No link is followed, nothing is written or run, and nothing that
a file says is believed. What may be read at all is decided in `tree.py`; what is wrong with it belongs to `checks/`.
"""

import csv
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pipeline.conform.cells import understand
from pipeline.conform.read_back import ReadBack, read_back
from pipeline.errors import InputError
from pipeline.model import Environment, Frames, PublishedTable, Role
from pipeline.publish.files import read_published
from pipeline.publish.formats import format_of
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.variant import CLEAN, NOISY, VARIANTS
from pipeline.release.layout import ARCHIVE, RELEASE, STATEMENTS, archive_of
from pipeline.small_files import content_of
from validation.consistency.domains import DomainLink, domain_links
from validation.release.tree import TEXT, UNREADABLE, Tree, entries, of_variants

SHOWN = 3
"""Cells of a column, or of a statement, that a check names."""


@dataclass(frozen=True, kw_only=True)
class ReleasedVariant:
    """One variant of a release: `database/`, manifest and reports."""

    tree: Tree
    name: str
    prefix: str
    """Path of its folder below that of the release, with its last slash; empty if it is the whole release."""
    environment: Environment | None

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """Return the manifest; nothing if it cannot be read."""
        return self.tree.json(self.prefix + MANIFEST)

    @cached_property
    def listed(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what the manifest says of each data file, by its path below the release."""
        return {self.prefix + entry["path"]: entry for entry in entries(self.manifest)}

    @cached_property
    def declared(self) -> Mapping[str, PublishedTable]:
        """Return the declared tables, and documents of which the rows are, by path below the release."""
        if self.environment is None:
            return {}
        tables = (*self.environment.tables, *self.environment.noisy_tables())
        return {f"{self.prefix}{table.folder}/{table.path}": table for table in tables}

    @property
    def files(self) -> list[str]:
        """Return the paths of all its files, below the release."""
        return [path for path in self.tree.files if path.startswith(self.prefix)]

    def path_of(self, table: str) -> str:
        """Return the path of a declared table below the release; of an unknown one, its name."""
        return next((path for path, each in self.declared.items() if each.name == table), table)

    def read(self, path: str) -> pl.DataFrame | None:
        """Return a declared table as text; None if it is not there, or cannot be read."""
        try:
            return read_published(self.tree.table(path), self.declared[path])
        except UNREADABLE:
            return None

    def frames(self) -> Frames:
        """Return every declared table that is there in the declared form, each read when it is asked for."""
        return _Frames(self)

    def report(self, name: str) -> Mapping[str, Any]:
        """Return what a report holds; nothing if it is not there, or is no JSON."""
        return self.tree.json(self.path_of_report(f"{name}.json"))

    def path_of_report(self, file: str) -> str:
        """Return the path of a report below the release."""
        return f"{self.prefix}reports/{file}"


@dataclass(frozen=True, kw_only=True)
class Release:
    """A release, or as much of one as there is."""

    tree: Tree
    variants: tuple[ReleasedVariant, ...]
    environment: Environment | None
    """The declaration, which is the verifier's own: nothing of a release is run."""
    public_key: Ed25519PublicKey | None = None
    """The key against which signatures are checked: the verifier's own, too."""
    archive: Path | None = None
    """The archive that was opened, if it was one."""
    is_release: bool = False
    """Whether it is a release, and not the output of a build or a single variant, which have no head and no statements."""

    @cached_property
    def head(self) -> Mapping[str, Any]:
        """Return what `release.json` holds; nothing if there is none, or it cannot be read."""
        return self.tree.json(RELEASE)

    @property
    def stated(self) -> Mapping[str, Any]:
        """Return the head, or the manifest of a variant where there is none: what names the environment."""
        return self.head or next((variant.manifest for variant in self.variants), {})

    @property
    def silt(self) -> str:
        """Return which version of Silt made it, as it says; nothing if it says nothing."""
        versions = next((variant.manifest.get("versions") for variant in self.variants), None)
        return str(versions.get("silt", "")) if isinstance(versions, dict) else ""

    @property
    def is_of_another_silt(self) -> bool:
        """Say whether, as it says, another version of Silt made it, which may word pages and metadata otherwise."""
        return self.silt not in ("", version("silt"))

    def statement(self, path: str) -> bytes | None:
        """Return the content of a statement: in the release, or beside its archive; None if it is not there.

        What is longer than any text, or no regular file, is empty here: it is no statement.
        """
        beside = self.archive.with_name(path) if self.archive else None
        file = self.tree.folder / path if path in self.tree.files else beside
        if file is None or not os.path.lexists(file):
            return None
        try:
            return content_of(file, most=TEXT)
        except OSError:
            return b""

    @property
    def unpacked_of(self) -> list[str]:
        """Return the names of the archives that were unpacked here, as the head has them; none of what is no such folder."""
        beside = [
            path for path in self.tree.files if path in STATEMENTS or ("/" not in path and path.endswith(ARCHIVE))
        ]
        if self.archive or beside or not self.head:
            return []
        name = re.sub(r"[^\w.-]", "_", f"{self.head.get('environment')}-{self.head.get('version')}")
        return [archive_of(name, variant.name) for variant in self.variants]

    def variant(self, name: str) -> ReleasedVariant | None:
        """Return a variant, if it is there."""
        return next((variant for variant in self.variants if variant.name == name), None)

    @property
    def clean(self) -> ReleasedVariant | None:
        """Return the variant without noise, if it is there."""
        return self.variant(CLEAN)

    @property
    def noisy(self) -> ReleasedVariant | None:
        """Return the variant with noise, if it is there."""
        return self.variant(NOISY)

    @cached_property
    def truth(self) -> Frames:
        """Return the tables without noise. Each is read anew when it is asked for: together they would take much memory."""
        return self.clean.frames() if self.clean else {}

    @cached_property
    def links(self) -> list[DomainLink]:
        """Return what the clean tables state of each other, computed again; nothing where no entities can be read."""
        environment = self.environment
        if environment is None or environment.views is None or environment.views.entities.table not in self.truth:
            return []
        return domain_links(environment, self.truth, conformed_schema(environment))

    @cached_property
    def read(self) -> ReadBack | None:
        """Return entities and figures as the clean tables state them; None where they are not there."""
        environment = self.environment
        views = environment.views if environment else None
        if environment is None or views is None or not views.figures:
            return None
        if any(view.table not in self.truth for view in (views.entities, *views.figures)):
            return None
        return read_back(environment, self.truth, {}, conformed_schema(environment))


def conformed_schema(environment: Environment) -> dict[str, pl.DataType]:
    """Return the columns of the first entity table with their types, as conforming gives them."""
    table = environment.raw_table(environment.entities.tables[0])
    kept = [column for column in (*table.columns, *table.adds) if column.role is not Role.IGNORED]
    return {column.name: understand(column, pl.Series([], dtype=pl.String)).parsed.dtype for column in kept}


def opened(folder: Path, environment: Environment | None = None, *, archive: Path | None = None) -> Release:
    """Look at a folder: a release's, an environment's output, or a variant's; raise `InputError` of any other."""
    if any(os.path.lexists(folder / name) for name in (RELEASE, *STATEMENTS)) or archive is not None:
        return _release(Tree.of(folder), environment, archive)
    if (folder / MANIFEST).is_file():
        tree = Tree.of(folder)
        name = str(tree.json(MANIFEST).get("variant", folder.name))
        variant = ReleasedVariant(tree=tree, name=name, prefix="", environment=environment)
        return Release(tree=tree, variants=(variant,), environment=environment)
    built = [name for name in VARIANTS if (folder / name / MANIFEST).is_file()]
    if not built:
        raise InputError(
            f"{folder} is no release: there is no {RELEASE}, and no {MANIFEST} of a variant; give the folder of a release, its "
            "archive, or the folder of a variant"
        )
    return replace(_release(of_variants(folder, built), environment, None), is_release=False)


def declared_as(release: Release, environment: Environment | None, key: Ed25519PublicKey | None) -> Release:
    """Return a release with what its verifier brings: the declaration of its environment, and a public key."""
    variants = tuple(replace(variant, environment=environment) for variant in release.variants)
    return replace(release, variants=variants, environment=environment, public_key=key)


def _release(tree: Tree, environment: Environment | None, archive: Path | None) -> Release:
    names = [name for name in VARIANTS if any(path.startswith(f"{name}/") for path in tree.files)]
    variants = [ReleasedVariant(tree=tree, name=name, prefix=f"{name}/", environment=environment) for name in names]
    return Release(tree=tree, variants=tuple(variants), environment=environment, archive=archive, is_release=True)


class _Frames(Mapping[str, pl.DataFrame]):
    """The tables of a variant by name."""

    def __init__(self, variant: ReleasedVariant) -> None:
        self._variant = variant
        self._paths = {each.name: path for path, each in variant.declared.items() if _has_form(variant, path)}

    def __getitem__(self, name: str) -> pl.DataFrame:
        read = self._variant.read(self._paths[name])
        if read is None:
            raise InputError(f"{self._paths[name]} cannot be read")
        return read

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _has_form(variant: ReleasedVariant, path: str) -> bool:
    """Say whether a table is there with the declared columns, without which nothing more can be said of it."""
    table = variant.declared[path]
    if table.document is not None:
        return variant.read(path) is not None
    try:
        return format_of(table).header(variant.tree.table(path)) == list(table.columns)
    except (InputError, UnicodeDecodeError, csv.Error):
        return False
