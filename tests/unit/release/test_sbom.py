"""The bill of materials: everything that is pinned, as CycloneDX's own validator accepts it, the same bytes each time."""

import json
import os
import time
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from pipeline.errors import InputError
from pipeline.release.provenance.requirements import Requirement, at_run_time, pinned, read_requirements
from pipeline.release.provenance.sbom import sbom
from pipeline.release.provenance.source import ROOT

A, B, C = ("a" * 64, "b" * 64, "c" * 64)

TEXT = f"""\
big.Lib[extra]==1.0 ; sys_platform == 'win32' \\
    --hash=sha256:{A} \\
    --hash=sha256:{B}
    # via
    #   silt (pyproject.toml)
    #   small
small==2.0rc1 \\
    --hash=sha256:{C}
    # via tests
tests==3 \\
    --hash=sha256:{A}
    # via silt (pyproject.toml)
"""

PROJECT = b"[project]\ndependencies = [\"big_lib==1.0 ; python_version > '3'\"]\n"


def made(date: int = 1_700_000_000) -> bytes:
    requirements = pinned(read_requirements(ROOT))
    needed = at_run_time(requirements, (ROOT / "pyproject.toml").read_bytes())
    return sbom(requirements, needed, silt="0.1.0", date=date)


def test_pinned_libraries_are_read() -> None:
    """Name in its one form, version, marker, digests and who needs it."""
    big, small, tests = pinned(TEXT.encode())
    assert big == Requirement(
        name="big-lib", version="1.0", marker="sys_platform == 'win32'", sha256=(A, B), wanted_by=("silt", "small")
    )
    assert (small.version, small.marker, small.sha256, small.wanted_by) == ("2.0rc1", "", (C,), ("tests",))
    assert tests.wanted_by == ("silt",)


def test_what_runs_is_what_the_project_needs() -> None:
    """What only tests need, directly or not, is left out."""
    assert at_run_time(pinned(TEXT.encode()), PROJECT) == {"big-lib"}
    assert at_run_time(pinned(TEXT.encode()), b'[project]\ndependencies = ["tests"]\n') == {"tests", "small", "big-lib"}


def test_everything_pinned_is_read() -> None:
    """Of the requirements of this project, no library and no digest is missed."""
    content = read_requirements(ROOT).decode()
    found = pinned(content.encode())
    assert len(found) == sum("==" in line and not line.startswith((" ", "#")) for line in content.splitlines())
    assert sum(len(each.sha256) for each in found) == content.count("--hash=sha256:")
    assert all(each.sha256 and each.wanted_by for each in found)
    needed = at_run_time(found, (ROOT / "pyproject.toml").read_bytes())
    assert {"polars", "numpy", "dagster", "pydantic", "sqlalchemy"} <= needed
    assert needed.isdisjoint({"pytest", "ruff", "hypothesis", "mypy"})


def test_the_validator_accepts_it() -> None:
    """CycloneDX's own validator, in strict mode, has nothing to say."""
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(made().decode()) is None


def test_it_lists_all_and_what_each_is_for() -> None:
    """Each pinned library is there with all of its digests and a scope."""
    listed = {each["purl"]: each for each in json.loads(made())["components"]}
    requirements = pinned(read_requirements(ROOT))
    assert listed.keys() == {each.url for each in requirements}
    for each in requirements:
        assert sorted(told["content"] for told in listed[each.url]["hashes"]) == sorted(each.sha256)
    scopes = {each["name"]: each["scope"] for each in listed.values()}
    assert (scopes["polars"], scopes["pywin32"], scopes["hatchling"]) == ("required", "optional", "excluded")


def test_it_says_who_needs_what() -> None:
    """Dependencies are those that the requirements tell."""
    needs = {each["ref"].partition("@")[0]: each.get("dependsOn", []) for each in json.loads(made())["dependencies"]}
    assert any(each.startswith("pkg:pypi/polars@") for each in needs["silt"])
    assert any(each.startswith("pkg:pypi/polars-runtime-32@") for each in needs["pkg:pypi/polars"])


def test_the_same_requirements_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of clock, zone or chance is in it; another date is."""
    before = made()
    monkeypatch.setitem(os.environ, "TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert made() == before
    finally:
        monkeypatch.undo()
        time.tzset()
    assert made(date=0) != before


def test_missing_requirements_are_refused(tmp_path: Path) -> None:
    """The message says that releases are made from a checkout."""
    with pytest.raises(InputError, match=r"cannot read .*requirements.txt: No such file.*from a checkout"):
        read_requirements(tmp_path)
