"""What lies between the stages of a finished build, found by what the curator's folder says of it."""

import json
from pathlib import Path

import polars as pl

from assets.making.store import Name, Store, Value
from pipeline.keyed import Key
from pipeline.places import CURATOR, STAGES, STORE


def kept(folder: Path, stage: str, name: str) -> Value:
    """Return what a stage of the build in an environment's folder keeps under a name; None if it has nothing there."""
    return _store(folder).value(named(folder).get(f"{stage}/{name}"))


def table(folder: Path, stage: str, name: str) -> pl.DataFrame:
    """Return a table that a stage keeps."""
    found = kept(folder, stage, name)
    assert isinstance(found, pl.DataFrame), f"{stage}/{name} is no table"
    return found


def sealed(folder: Path, stage: str, name: str, key: Key) -> pl.DataFrame:
    """Return a table that a stage keeps sealed."""
    return _store(folder).unsealed(named(folder)[f"{stage}/{name}"], key, what=f"table {folder.name}/{stage}/{name}")


def named(folder: Path) -> dict[str, Name]:
    """Return stage/name -> object of the store."""
    found: dict[str, Name] = json.loads((folder / CURATOR / STAGES).read_text(encoding="utf-8"))
    return found


def _store(folder: Path) -> Store:
    return Store(folder / CURATOR / STORE)
