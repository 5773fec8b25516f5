"""The source of a release: its commit, the digest of its files, whether it was changed, and the release's date."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.release.provenance import source
from pipeline.release.provenance.source import ROOT, SourceCode, commit_of, release_date, source_of

COMMITTED = 1_700_000_000


def git(folder: Path, *arguments: str) -> str:
    known = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    who = {f"GIT_{role}_{what}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{COMMITTED} +0900")
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=known | who | when).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    (root / "pipeline").mkdir(parents=True)
    (root / "pipeline/__init__.py").touch()
    (root / "pipeline/a.py").write_text("a = 1\n")
    (root / "名 b.txt").write_text("b\n")
    (root / ".gitignore").write_text("/environments/\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "first")
    return root


def test_a_checkout_is_told(checkout: Path) -> None:
    """Commit and time are git's; the digest is that of `sha256sum` over the tracked files in the order of their names."""
    source = source_of(checkout)
    assert (source.commit, source.committed) == (git(checkout, "rev-parse", "HEAD"), COMMITTED)
    assert not source.is_dirty
    command = "git ls-files -z | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"
    digest = subprocess.run(["/bin/sh", "-c", command], cwd=checkout, check=True, capture_output=True, text=True).stdout
    assert source.tree == digest.split()[0]


def test_what_was_packed_names_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel knows commit and time, and that it is no checkout, whatever folder of others' it lies in."""
    (packed := tmp_path / "commit.txt").write_text(f"{'c' * 40} {COMMITTED}")
    monkeypatch.setattr(source, "COMMIT", packed)
    assert source_of() == SourceCode(commit="c" * 40, committed=COMMITTED)
    assert commit_of() == "c" * 40
    assert source_of(tmp_path) == SourceCode()
    assert release_date({}, source_of()) == COMMITTED


def test_two_clones_are_equal(checkout: Path, tmp_path: Path) -> None:
    """A fresh clone has the same source, wherever it lies."""
    git(tmp_path, "clone", "--quiet", str(checkout), "elsewhere")
    assert source_of(tmp_path / "elsewhere") == source_of(checkout)


@pytest.mark.parametrize(
    ("name", "is_dirty"),
    [
        ("pipeline/a.py", True),
        ("名 b.txt", True),
        ("pipeline/new.py", True),
        ("new.csv", False),
        ("cafes.py", False),
        ("cafes/cafes.py", False),
        ("environments/out.py", False),
    ],
)
def test_changes_are_told(checkout: Path, name: str, is_dirty: bool) -> None:  # noqa: FBT001
    """A changed file, or a new module of a package, makes a checkout dirty; what else lies beside the source does not."""
    before = source_of(checkout)
    (checkout / name).parent.mkdir(exist_ok=True)
    (checkout / name).write_text("changed\n")
    after = source_of(checkout)
    assert after.is_dirty == is_dirty
    is_tracked = name in {"pipeline/a.py", "名 b.txt"}
    assert (after.tree != before.tree) == is_tracked


def test_a_deleted_file_is_told(checkout: Path) -> None:
    """It is a change, and the digest another."""
    before = source_of(checkout)
    (checkout / "pipeline/a.py").unlink()
    after = source_of(checkout)
    assert after.is_dirty
    assert after.tree != before.tree


def test_what_is_no_checkout_is_empty(checkout: Path, tmp_path: Path) -> None:
    """Neither a folder without git, nor one within somebody else's checkout, nor one without a commit has a source."""
    assert source_of(tmp_path) == SourceCode()
    assert source_of(checkout / "pipeline") == SourceCode()
    git(tmp_path, "init", "--quiet", "empty")
    assert source_of(tmp_path / "empty") == SourceCode()


def test_without_git_the_source_is_empty(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no git, nothing is known."""
    monkeypatch.setenv("PATH", "")
    assert source_of(checkout) == SourceCode()


def test_no_other_checkout_is_asked(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's own variables, as hooks have them, do not decide which source it is."""
    before = source_of(checkout)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "another"))
    assert source_of(checkout) == before


def test_the_root_holds_the_project() -> None:
    """It is the checkout from which this code runs."""
    assert (ROOT / "pyproject.toml").is_file()


@given(st.integers(0, 253_402_300_799))
def test_a_given_date_is_taken(seconds: int) -> None:
    """It goes before the commit's."""
    assert release_date({"SOURCE_DATE_EPOCH": str(seconds)}, SourceCode(committed=1)) == seconds


@pytest.mark.parametrize("given", [{}, {"SOURCE_DATE_EPOCH": ""}])
def test_else_the_commits_date_is(given: dict[str, str]) -> None:
    """An empty variable is none."""
    assert release_date(given, SourceCode(committed=7)) == 7


@pytest.mark.parametrize("text", ["-1", "1.5", "2026-01-01", "٣", "253402300800", "1e9", " 1"])
def test_what_is_no_date_is_refused(text: str) -> None:
    """The message has what was found, and what is expected."""
    with pytest.raises(InputError, match=r"SOURCE_DATE_EPOCH: found '.*'; expected seconds since 1970"):
        release_date({"SOURCE_DATE_EPOCH": text}, SourceCode(committed=1))


def test_without_any_date_it_is_refused() -> None:
    """The message says how to give one."""
    with pytest.raises(InputError, match=r"no date for the release.*SOURCE_DATE_EPOCH=\$\(date"):
        release_date({}, SourceCode())
