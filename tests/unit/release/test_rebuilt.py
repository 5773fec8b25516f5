"""What a release made again is compared with: every file of either, and what is attested, whoever signed it."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.release.layout import DEIDENTIFICATION, SBOM
from pipeline.release.provenance.envelope import pack, unpack
from tests.unit.release.test_checks_of_releases import OTHER, anew, made_in, of
from validation.release.checks.described import date_of
from validation.release.rebuilt import differing_files, first_difference

TABLE = "clean/database/shops.csv"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Return a signed release, and the same made again, which nobody signs."""
    first = made_in(tmp_path)
    again = Path(shutil.copytree(first, tmp_path / "again" / first.name))
    anew(again, signer=None)
    return first, again


def test_signatures_are_not_compared(sides: tuple[Path, Path]) -> None:
    """Whoever rebuilds has no key of the makers."""
    first, again = map(of, sides)
    assert differing_files(first, again) == []
    assert first_difference(first, again) is None


CHANGES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "other bytes": (lambda release: (release / TABLE).write_text("code,name\n"), TABLE, "other bytes"),
    "a file more": (lambda release: (release / "more.txt").write_text("x"), "more.txt", "no such file"),
    "a file less": (lambda release: (release / TABLE).unlink(), TABLE, "a file"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_differs_is_named(sides: tuple[Path, Path], change: str) -> None:
    """Also one that the release should have, and has not."""
    do, path, found = CHANGES[change]
    do(sides[0])
    first, again = map(of, sides)
    assert differing_files(first, again) == [path]
    problem = first_difference(first, again)
    assert problem is not None
    assert (problem.file, problem.value) == (path, found)


def test_what_is_made_first_is_named_first(sides: tuple[Path, Path]) -> None:
    """A clean table before a noisy one, whose noise may be the same."""
    tables = [TABLE, TABLE.replace("clean", "noisy")]
    for path in tables:
        (sides[0] / path).write_text("code,name\n")
    assert differing_files(*map(of, sides)) == tables


def test_an_archive_has_the_files_of_one_variant(sides: tuple[Path, Path]) -> None:
    """The others are nowhere to be compared."""
    first, again = sides
    shutil.rmtree(first / "noisy")
    archive = first / f"{first.name}-clean.tar.zst"
    assert differing_files(of(first, archive=archive), of(again)) == []


def test_pages_of_a_release_are_not_compared_with_those_of_a_build(sides: tuple[Path, Path]) -> None:
    """A release has others, which are compared where one is made again."""
    page = sides[0] / "clean/reports/report.html"
    page.parent.mkdir(exist_ok=True)
    page.write_text("<p>Part of a release.</p>")
    first, again = map(of, sides)
    assert "clean/reports/report.html" in differing_files(first, again)
    assert differing_files(first, replace(again, is_release=False)) == []


def test_what_is_attested_is_compared(sides: tuple[Path, Path]) -> None:
    """Another key's signature of something else."""
    file = sides[0] / DEIDENTIFICATION
    own = unpack(file.read_bytes())
    file.write_bytes(pack(own.payload.replace(b"lsd", b"LSD"), own.type, OTHER))
    assert differing_files(*map(of, sides)) == [DEIDENTIFICATION]


@pytest.mark.parametrize(
    ("told", "is_of_day"),
    [
        ({"timestamp": "2026-01-31T23:59:59Z"}, True),
        ({"timestamp": "2026-02-01T00:30:00+01:00"}, True),
        ({"timestamp": "2026-02-01T00:00:00Z"}, False),
        ({"timestamp": "never"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_bill_of_materials_is_of_the_day_of_its_release(tmp_path: Path, told: object, *, is_of_day: bool) -> None:
    """Its time is that of the release, which is made again at the same one."""
    release = made_in(tmp_path)
    (release / SBOM).write_text(json.dumps({"metadata": told}))
    assert (date_of(of(release)) is not None) == is_of_day
