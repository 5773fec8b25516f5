"""What the curator's half beside a release is asked for: the declaration, by name, and the specification of the noise."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from pipeline.publish.files import sha256
from pipeline.release.layout import OPTIONS, SPECIFICATION
from silt.commands.rebuild import _specification
from silt.commands.released import curators_half, declared_beside
from tests.bare import bare, published
from validation.release.opened import opened

SHOPS = bare("shops", published("shops", ("id", "name")))


@pytest.fixture
def half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a release, an archive in it and its curator's half, and return the half."""
    monkeypatch.chdir(tmp_path)
    half = Path("releases/shops-1.0.0.curator")
    for folder in (half, Path("releases/shops-1.0.0/noisy/database")):
        folder.mkdir(parents=True)
    Path("releases/shops-1.0.0/release.json").write_text("{}")
    Path("releases/shops-1.0.0/shops-1.0.0-noisy.tar.zst").touch()
    Path("shops.py").touch()
    return half


@pytest.mark.parametrize("given", ["releases/shops-1.0.0", "releases/shops-1.0.0/shops-1.0.0-noisy.tar.zst"])
def test_the_declaration_is_named_as_it_was_given(half: Path, given: str) -> None:
    """Of a folder and of an archive in it, also from within."""
    (half / OPTIONS).write_text(json.dumps({"environment": "shops.py:SHOPS"}))
    assert curators_half(given) == half.resolve()
    assert declared_beside(given) == "shops.py:SHOPS"


@pytest.mark.parametrize(
    "content",
    ['{"environment": "others.py:SHOPS"}', '{"environment": "us-listed"}', '{"environment": 1}', "[]", "", None],
)
def test_nothing_is_named_that_is_not_there(half: Path, content: str | None) -> None:
    """No such file, a shipped environment, or a half that says nothing."""
    if content is not None:
        (half / OPTIONS).write_text(content)
    assert declared_beside("releases/shops-1.0.0") == ""


def test_the_specification_is_that_of_the_release(half: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the environment or that beside the release, whichever it states; the given one before both."""
    own, beside = Path("own.yaml").resolve(), half.resolve() / SPECIFICATION
    monkeypatch.setattr("silt.commands.rebuild.default_specification", lambda _: own)

    def found(noise: str = "") -> Path:
        release = opened(Path("releases/shops-1.0.0"), SHOPS)
        return _specification(Namespace(noise=noise, release="releases/shops-1.0.0"), release, SHOPS)

    assert found() == own, "neither is there, and the missing one is asked for by what the environment lacks"
    beside.write_text("beside")
    assert found() == beside
    Path("releases/shops-1.0.0/noisy/manifest.json").write_text(json.dumps({"specs": {"noise": sha256(beside)}}))
    assert found() == beside
    own.write_text("own")
    assert found() == beside
    Path("releases/shops-1.0.0/noisy/manifest.json").write_text(json.dumps({"specs": {"noise": sha256(own)}}))
    assert found() == own
    assert found("given.yaml") == Path("given.yaml")
