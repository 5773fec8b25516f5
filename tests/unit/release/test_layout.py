"""What a release may be called, what its head lists, and what none replaces."""

import argparse
import json
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import InputError
from pipeline.publish.manifest import MANIFEST
from pipeline.release.assembling import _refuse_other, refuse_other_tables
from pipeline.release.describing import Asked
from pipeline.release.layout import RELEASE, Listed, ReleaseHead, is_listed, license_of
from pipeline.release.settings import ReleaseSettings
from pipeline.settings import settings_from
from silt.commands.options import add_settings
from tests.bare import bare

HEAD = ReleaseHead(
    environment="shops",
    version="1.0.0",
    released="2026-01-31",
    mode="underexplored",
    discloses_noise=False,
    policy="lsd",
    variants=("clean",),
    files=(),
)


@pytest.mark.parametrize("license", ["nope; <b>", "", "nope", "MIT\n", "mit or"])
def test_what_names_no_licence_is_refused(license: str) -> None:  # noqa: A002
    """SPDX's list says which there are, as identifiers and expressions."""
    for given, spelled in {
        "OTHER": "other",
        "cc-by-4.0": "CC-BY-4.0",
        "mit or apache-2.0": "MIT OR Apache-2.0",
    }.items():
        assert license_of(given) == spelled
    with pytest.raises(InputError, match="for a licence; give --license as an SPDX identifier"):
        license_of(license)


@pytest.mark.parametrize("author", ["", " ", "A\nB", " A. Name", "\u202eA"])
def test_who_is_nobody_is_no_author(author: str) -> None:
    """A name is one line that can be seen."""
    with pytest.raises(InputError, match="for an author; give --author"):
        Asked(version="1.0.0", date=0, authors=("周, A. Name", author))


def test_settings_are_read_of_options() -> None:
    """Several values are a tuple, a licence is in small letters, and what has no option is not among them."""
    add_settings(parser := argparse.ArgumentParser(), ReleaseSettings)
    options = vars(parser.parse_args(["--version", "1.0.0", "--format", "parquet", "--license", "CC-BY-4.0"]))
    assert "variants" not in options
    asked = ReleaseSettings(version="1.0.0", formats=("parquet",), license="cc-by-4.0")
    assert settings_from(ReleaseSettings, options | {"quiet": True}) == asked


def test_a_release_has_the_same_day_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the clock of the machine says."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "America/Los_Angeles")
        time.tzset()
        assert Asked(version="1.0.0", date=0).released == "1970-01-01"
    time.tzset()


def test_an_archive_is_beside_the_head_and_a_file_elsewhere() -> None:
    """Statements are about the head and the archives, so it lists neither."""
    assert [is_listed(path) for path in ("a.tar.zst", RELEASE, "clean/a.tar.zst", "README.md")] == [
        False,
        False,
        True,
        True,
    ]


def test_a_release_of_a_version_is_replaced_by_itself_alone(tmp_path: Path) -> None:
    """Another one is refused, unless it is asked for."""
    asked = Asked(version="1.0.0", date=0)
    _refuse_other(tmp_path / "absent", HEAD, asked)
    (tmp_path / RELEASE).write_bytes(HEAD.to_bytes())
    _refuse_other(tmp_path, HEAD, asked)
    other = HEAD.model_copy(update={"policy": "guarded"})
    _refuse_other(tmp_path, other, Asked(version="1.0.0", date=0, replace=True))
    with pytest.raises(InputError, match="is there already and differs from what would be released"):
        _refuse_other(tmp_path, other, asked)


@pytest.mark.parametrize(
    ("digest", "further", "is_other"),
    [
        ("a", {}, False),
        ("b", {}, True),
        ("a", {"documented": True}, True),
        ("b", {"replace": True}, False),
        ("b", {"version": "1.0.1"}, False),
    ],
    ids=["same", "other table", "documented", "replaced", "other version"],
)
def test_a_release_that_must_differ_is_refused_before_it_is_made(
    tmp_path: Path, digest: str, further: dict[str, Any], *, is_other: bool
) -> None:
    """By its tables and by what it was asked for: what only describes it is compared at the end."""
    table = Listed(path="clean/database/shops.csv", bytes=1, sha256="a")
    described = Listed(path="README.md", bytes=1, sha256="c")
    released, build = tmp_path / "releases/shops-1.0.0", tmp_path / "shops/clean"
    for folder in (released, build):
        folder.mkdir(parents=True)
    (released / RELEASE).write_bytes(HEAD.model_copy(update={"files": (described, table)}).to_bytes())
    files = [{"path": "database/shops.csv", "sha256": digest}, {"path": "reports/ks.json", "sha256": "d"}]
    (build / MANIFEST).write_text(json.dumps({"files": files}), encoding="utf-8")
    settings = {"version": "1.0.0", "date": 1_769_817_600, "variants": ("clean",)} | further
    refused = pytest.raises(InputError, match="is there already and differs") if is_other else nullcontext()
    with refused:
        refuse_other_tables(bare("shops"), build.parent, released.parent, Asked(**settings))
