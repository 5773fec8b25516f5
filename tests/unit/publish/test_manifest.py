"""The manifest: the same bytes for the same inputs, the contract's fields; files that differ from it are noticed."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.errors import GateError
from pipeline.publish.files import record_file
from pipeline.publish.manifest import MANIFEST, Manifest, software_versions, verify_files, write_manifest


def write_variant(folder: Path) -> Manifest:
    for name in ("database/b.csv", "database/a/c.csv", "ideal/d.csv", "reports/ks.json"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"id\n{name}\n")
    manifest = Manifest(
        environment="dataclaw-18",
        variant="clean",
        source="generated corpus 1",
        scale=0.5,
        policy="lsd",
        key_fingerprint="0" * 16,
        is_demonstration_key=True,
        specs={"noise": "1" * 64, "declaration": "2" * 64},
        versions=software_versions("0.1.0"),
        files=tuple(
            record_file(folder / name, folder, records=1, columns=1)
            for name in ("database/b.csv", "database/a/c.csv", "ideal/d.csv")
        ),
        left_out={"database/z.csv": "needs policy_resource", "database/y.csv": "needs macro"},
    )
    write_manifest(manifest, folder)
    return manifest


def test_order_and_folder_do_not_change_the_bytes(tmp_path: Path) -> None:
    """Files and mappings in another order, in another folder, give the same bytes."""
    first, second = write_variant(tmp_path / "first"), write_variant(tmp_path / "second/deeper")
    turned = replace(
        second,
        files=second.files[::-1],
        specs=dict(sorted(second.specs.items())),
        left_out=dict(sorted(second.left_out.items())),
    )
    assert turned.to_bytes() == first.to_bytes()


def test_content(tmp_path: Path) -> None:
    """All that the contract names is there: files and their figures, specs, fingerprint, versions, what is left out."""
    write_variant(tmp_path)
    content = json.loads((tmp_path / MANIFEST).read_text())
    assert [file["path"] for file in content["files"]] == ["database/a/c.csv", "database/b.csv", "ideal/d.csv"]
    assert list(content["files"][0]) == ["path", "bytes", "records", "columns", "sha256"]
    assert content["specs"] == {"declaration": "2" * 64, "noise": "1" * 64}
    assert content["key_fingerprint"] == "0" * 16
    assert list(content["versions"]) == sorted(content["versions"])
    assert content["left_out"] == {"database/y.csv": "needs macro", "database/z.csv": "needs policy_resource"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda folder: (folder / "database/b.csv").unlink(),
            r"missing \['database/b.csv'\], changed \[\], not listed \[\]",
        ),
        (
            lambda folder: (folder / "ideal/d.csv").write_text("id\n"),
            r"missing \[\], changed \['ideal/d.csv'\], not listed \[\]",
        ),
        (
            lambda folder: (folder / "database/e.csv").touch(),
            r"missing \[\], changed \[\], not listed \['database/e.csv'\]",
        ),
    ],
)
def test_files_other_than_listed_are_noticed(tmp_path: Path, change: Callable[[Path], object], said: str) -> None:
    """A missing, a changed and an unlisted data file are each named."""
    write_variant(tmp_path)
    change(tmp_path)
    with pytest.raises(GateError, match=said):
        verify_files(tmp_path)
