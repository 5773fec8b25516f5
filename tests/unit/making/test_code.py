"""The fingerprint of code: every file of Silt's packages is in it, and the versions of libraries; none changes meanwhile."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets.making.inputs import code
from assets.making.inputs.code import refuse_changed_code, silts_files
from assets.making.inputs.libraries import counting
from pipeline.errors import InputError

ROOT = Path(__file__).parents[3]


def test_every_file_of_the_packages_is_silts() -> None:
    """What git has of them: modules, templates at any depth, style sheets, scripts."""
    listed = subprocess.run(
        ["git", "ls-files", "anonymize", "assets", "pipeline", "raw", "silt", "validation"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    if not listed:  # a copy without its history
        listed = [str(path.relative_to(ROOT)) for path in (ROOT / "validation").rglob("*.css")]
    assert {ROOT / path for path in listed if (ROOT / path).is_file()} <= set(map(Path, silts_files()))


def forget(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    """Let Silt's packages lie in a folder, and nothing be known of them."""
    monkeypatch.setattr(code, "ROOT", root)
    for known in (code.silts_files, code.own_code, code.code):
        known.cache_clear()
    monkeypatch.setattr(code, "_BEGAN", time.time_ns() + 10**9)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Let nothing be known of other packages afterwards."""
    yield
    for known in (code.silts_files, code.own_code, code.code, code.libraries):
        known.cache_clear()


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with packages of Silt's names, and with what lies beside them."""
    for name in ("assets/stage.py", "validation/report/templates/style/page.css", "raw/corpus/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    for name in (
        "raw/us-listed/v1/firms.csv",
        "raw/us-listed/v1/read.py",
        "assets/.stage.py.swp",
        "noise_specs/a.yaml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    forget(monkeypatch, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("assets/stage.py", True),
        ("validation/report/templates/style/page.css", True),
        ("raw/corpus/__init__.py", True),
        ("raw/us-listed/v1/firms.csv", False),
        ("raw/us-listed/v1/read.py", False),
        ("assets/.stage.py.swp", False),
        ("noise_specs/a.yaml", False),
    ],
)
def test_whatever_silt_is_made_of_counts(
    packages: Path, monkeypatch: pytest.MonkeyPatch, file: str, *, counts: bool
) -> None:
    """Tables that land beside its modules do not, nor do specifications, which a request holds."""
    before = code.code()
    (packages / file).write_text("another")
    forget(monkeypatch, packages)
    assert (code.code() != before) == counts


def test_another_version_of_a_library_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any that is installed, though not for what the graph shows."""
    monkeypatch.syspath_prepend(str(tmp_path))
    forget(monkeypatch, ROOT)
    found = []
    for version in ("1.0", "1.1"):
        (tmp_path / f"figures-{version}.dist-info").mkdir()
        code.libraries.cache_clear()
        code.code.cache_clear()
        found.append((code.own_code(), code.code()))
    (own, whole), (own_after, whole_after) = found
    assert own == own_after
    assert whole != whole_after
    assert sys.version in code.libraries()


def test_what_only_an_extra_brings_that_no_step_imports_does_not_count(tmp_path: Path) -> None:
    """What that needs does not, either; what Silt, another extra or nobody needs does, however its name is spelt."""
    needs = {
        "silt-1.0": [
            "frames[fast]>=2",
            "Serving==1; extra == 'web' or extra == 'site'",
            "shared; extra == 'web'",
            'cluster; extra == "dask"',
        ],
        "frames-2.1": ["shared", "speed; python_version >= '3' and extra == 'fast'", "slow; extra == 'slow'"],
        "serving-1.0": ["http_parser (>=1)"],
        **{f"{name}-1.0": [] for name in ("Http.Parser", "shared", "speed", "slow", "cluster", "nobodys")},
    }
    for name, every in needs.items():
        (folder := tmp_path / f"{name}.dist-info").mkdir()
        head = "".join(f"Requires-Dist: {each}\n" for each in every)
        (folder / "METADATA").write_text(f"Name: {name}\n{head}\nRequires-Dist: nothing\n")
    left = {"serving-1.0.dist-info", "Http.Parser-1.0.dist-info"}
    assert counting([tmp_path]) == {f"{name}.dist-info" for name in needs} - left
    (tmp_path / "silt-1.0.dist-info/METADATA").unlink()
    assert counting([tmp_path]) == {f"{name}.dist-info" for name in needs}


def test_code_that_changes_while_it_runs_is_refused(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written anew with an old time of change, too; or gone."""
    monkeypatch.setattr(code, "_BEGAN", time.time_ns() + 10**7)
    silts_files()
    time.sleep(0.03)
    refuse_changed_code()
    (packages / "assets/stage.py").write_text("another")
    os.utime(packages / "assets/stage.py", (0, 0))
    with pytest.raises(InputError, match=r"stage\.py is a part of Silt and was changed after this process began"):
        refuse_changed_code()


def test_this_process_began_before_now(tmp_path: Path) -> None:
    """Not long before it ran its first line, and never before what was written right before it began."""
    program = (
        "import time; now = time.time_ns(); from assets.making.inputs.code import _BEGAN; print(now - _BEGAN, _BEGAN)"
    )
    for name in "abcdefgh":
        (file := tmp_path / name).write_text("")
        found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
        since, began = map(int, found.stdout.split())
        assert -3 * 10**7 < since < 10**10
        assert file.stat().st_ctime_ns < began
