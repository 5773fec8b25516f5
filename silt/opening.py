"""Opens what a build published: the tables of a variant's folder as lazy frames, with the types that their declaration gives.

Only published files are read, never the curator's. Writing them belongs to `pipeline/publish/files.py`.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

import polars as pl

from pipeline.addresses import is_address
from pipeline.conform.cells import typed
from pipeline.errors import InputError
from pipeline.model import Environment, PublishedTable
from pipeline.model.published import name_of
from pipeline.model.schema.complete import types_of
from pipeline.publish.files import read_published, read_undeclared, sha256
from pipeline.publish.formats import format_of_path
from pipeline.publish.manifest import MANIFEST
from pipeline.small_files import json_of
from silt.environments.registry import ENVIRONMENTS, find_environment


@dataclass(frozen=True, eq=False)
class Tables(Mapping[str, pl.LazyFrame]):
    """The published tables of a variant by name, in the order of the manifest; each is read when it is asked for."""

    folder: Path
    files: Mapping[str, Path]
    """Name -> file."""
    listed: Mapping[Path, tuple[int, str]]
    """Bytes and SHA-256 of each file, as the manifest has them."""
    environment: Environment | None
    """Declares the types; None if every column is to stay text."""
    delivered: "Fetched | None" = None
    """Where the files lie, if not here."""

    def __getitem__(self, name: str) -> pl.LazyFrame:
        file = self.files[name]
        if self.delivered and not file.is_file():
            self.delivered.fetch(file.relative_to(self.folder).as_posix())
        self._refuse_other(file)
        declared = _declared(self.environment, self.folder).get(file) if self.environment else None
        if self.environment is None or declared is None:
            return read_undeclared(file).lazy()
        return typed(types_of(self.environment, declared), read_published(file, declared)).lazy()

    def _refuse_other(self, file: Path) -> None:
        """Refuse what is not as it is listed: kind and size are looked at first, then the digest, before any of it is read."""
        if not file.is_file():
            raise InputError(f"{file} is not there, although {MANIFEST} lists it; build again")
        size, digest = self.listed[file]
        if file.stat().st_size != size or sha256(file) != digest:
            raise InputError(
                f"{file} is not what {MANIFEST} lists, with {size:,} bytes; build again, or fetch it again"
            )

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __repr__(self) -> str:
        return f"<tables of {self.folder}: {', '.join(self.files)}>"


def open_variant(
    folder: str | os.PathLike[str], *, environment: Environment | str | None = None, types: bool = True
) -> Tables:
    """Return the published tables of a variant's folder as lazy polars frames, by name: those of `ideal/` as `ideal_...`.

    A column has its declared type (Int64, Float64, Date, Datetime) if each of its cells can be read as that. If noise left a
    cell that cannot, the whole column stays text, so that no cell is lost. A column without a declared type is text. An empty
    cell is null.

    Args:
        folder: The variant's folder: `environments/us-listed/noisy`; or the address to which it was delivered. From there
            each table is fetched when it is first asked for.
        environment: The declaration, or what names it on the command line; not needed for an environment that Silt ships.
            Without it, every column of an environment of your own is text.
        types: Whether columns get their types. If not, every column is text, as it stands in the file.

    Raises:
        InputError: The folder holds no variant, or a variant of another environment.
    """
    delivered = Fetched(folder) if is_address(folder) else None
    variant = delivered.folder if delivered else Path(folder)
    name, paths = _listed(variant)
    listed = {variant / path: stated for path, stated in paths.items()}
    declared = find_environment(environment) if isinstance(environment, str) else environment or ENVIRONMENTS.get(name)
    if declared is not None and declared.name != name:
        raise InputError(f"{variant} is of environment {name!r}, and not of {declared.name!r}; give its declaration")
    known = _declared(declared, variant) if declared else {}
    tables = {_name(file, known, variant): file for file in listed if file in known or format_of_path(file.name)}
    return Tables(variant, tables, listed, declared if types else None, delivered)


class Fetched:
    """What was delivered to an address, of which files are fetched into a folder that goes when nobody has it any more."""

    def __init__(self, address: str) -> None:
        """Open what lies at the address, and fetch its manifest."""
        from pipeline.delivery.fetching import DeliveredFiles  # noqa: PLC0415  (it takes long to import)

        self._there, self.folder = DeliveredFiles.at(address), Path(mkdtemp(prefix="silt-delivered-"))
        finalize(self, rmtree, self.folder, ignore_errors=True)
        self.fetch(MANIFEST)

    def fetch(self, path: str) -> None:
        """Fetch a file."""
        self._there.fetch(self.folder, [path])


def _listed(variant: Path) -> tuple[str, dict[str, tuple[int, str]]]:
    """Return the environment of a variant, and bytes and SHA-256 of its files by their paths."""
    file = variant / MANIFEST
    try:
        manifest = json_of(file)
        files = {_below(str(each["path"])): (int(each["bytes"]), str(each["sha256"])) for each in manifest["files"]}
        return str(manifest["environment"]), files
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"no {MANIFEST} can be read in {variant}; give the folder of a variant, as in environments/us-listed/noisy"
        ) from error


def _below(path: str) -> str:
    """Return the path of a file below the variant; raise `ValueError` if it is any other."""
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise ValueError(path)
    return path


def _declared(environment: Environment, variant: Path) -> dict[Path, PublishedTable]:
    tables = (*environment.tables, *environment.noisy_tables())
    return {variant / table.folder / table.path: table for table in tables}


def _name(file: Path, known: Mapping[Path, PublishedTable], variant: Path) -> str:
    if file in known:
        return known[file].name
    return name_of(file.relative_to(variant).parts[0], file.name)
