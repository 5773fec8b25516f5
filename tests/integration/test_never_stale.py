"""Nothing is made twice, and nothing is ever stale: whatever is changed, the outcome is that of a build from nothing.

Each kind of input is changed in turn. With the store of the build before, the build ends as one that takes nothing from the
store. And each kind counts: where it is left out of fingerprints, what comes out is stale.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import silt
from assets.every_step import declared_steps, ordered
from assets.making.inputs import code, observed
from assets.making.keys import SEARCH_TERMS, Place, Stage
from assets.making.parameters import StepParameter
from assets.making.scheduler import Scheduler
from assets.making.step import Step
from assets.making.store import Name, Store
from assets.wiring.resources import Workspace
from pipeline.conform import Conformed, conform
from pipeline.errors import InputError
from pipeline.places import CURATOR, STORE
from pipeline.private import replace_file
from silt.cli import main
from silt.environments.registry import find_environment
from tests.integration.checks import published_bytes
from tests.integration.readme import ROOT
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from validation.escapes.files import File, FileFindings, SearchTerms, search_files

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)

SETTINGS = {"raw": "shops", "noise": "shops.yaml", "key_file": "own.key", "policy": "lsd"}

_FINGERPRINT_OF, _KEY = Scheduler._fingerprint_of, Scheduler._key


def edit(file: str, old: str, new: str) -> None:
    """Change a text that stands in a file of the example."""
    text = Path(file).read_text(encoding="utf-8")
    assert old in text
    Path(file).write_text(text.replace(old, new), encoding="utf-8")


def write_key(secret: str) -> None:
    """Write the key file of the build."""
    Path("own.key").write_text(secret * 16 + "\n")
    Path("own.key").chmod(0o600)


def without_aspects(*names: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Leave parameters of the request out of fingerprints."""

    def fingerprint_of(scheduler: Scheduler, parameter: StepParameter[Any]) -> str:
        return "" if parameter.name.startswith(names) else _FINGERPRINT_OF(scheduler, parameter)

    return lambda patch: patch.setattr(Scheduler, "_fingerprint_of", fingerprint_of)


@dataclass(frozen=True)
class Change:
    """One kind of input that is changed."""

    change: Callable[[], None]
    leave_out: Callable[[pytest.MonkeyPatch], None]
    """Leaves it out of fingerprints."""
    settings: dict[str, str]
    """Settings that change with it."""


def changed(change: Callable[[], None], leave_out: Callable[[pytest.MonkeyPatch], None], **settings: str) -> Change:
    """Return a kind of input that is changed."""
    return Change(change, leave_out, settings)


def _without_environment(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("assets.making.scheduler.runs", lambda _environment: code.code())


def _without_libraries(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(code, "libraries", cache(lambda: ()))
    code.code.cache_clear()


def _upgrade() -> None:
    """Install another version of a library that the declaration uses, as far as Python sees."""
    sys.modules.pop("townlib", None)
    for installed in Path("site").glob("*.dist-info"):
        installed.rename("site/townlib-2.0.dist-info")
    Path("site/townlib.py").write_text("SUFFIX = ' (D)'\n")
    shutil.rmtree("site/__pycache__", ignore_errors=True)
    forget_libraries()


def forget_libraries() -> None:
    """Let nothing be known of what is installed."""
    code.libraries.cache_clear()
    code.code.cache_clear()


CHANGES = {
    "a raw cell": changed(lambda: edit("shops/shops.csv", "Bonn", "Kiel"), without_aspects("raw")),
    "a column's declaration": changed(
        lambda: edit("shops.py", 'Column(name="town")', 'Column(name="town", null_tokens=("Bonn",))'),
        _without_environment,
    ),
    "a rate": changed(lambda: edit("shops.yaml", "rate: 0.5", "rate: 0.9"), without_aspects("noise", "rules on")),
    "the key": changed(lambda: write_key("0dd5"), without_aspects("key", "master")),
    "the policy": changed(lambda: None, without_aspects("key", "policy", "budget"), policy="guarded"),
    "a library's version": changed(_upgrade, _without_libraries),
}


@contextmanager
def library() -> Iterator[None]:
    """Have the library that stands in the working folder installed, as far as Python sees."""
    site = Path("site").resolve()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setattr(observed, "_LIBRARIES", (*observed._LIBRARIES, str(site)))
        forget_libraries()
        try:
            yield
        finally:
            sys.modules.pop("townlib", None)
    forget_libraries()


@pytest.fixture(scope="module")
def built_before(built_example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example with a key, and with a library that its declaration uses, built into `kept`."""
    folder = tmp_path_factory.mktemp("before") / "work"
    shutil.copytree(built_example, folder)
    shutil.copy(ROOT / "dagster.yaml", folder)
    with chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(folder))
        write_key("5eed")
        Path("site/townlib-1.0.dist-info").mkdir(parents=True)
        Path("site/townlib.py").write_text("SUFFIX = ''\n")
        edit("shops.py", "import polars as pl\n", "import polars as pl\nimport townlib\n")
        edit(
            "shops.py",
            "    return shops.select(",
            '    shops = shops.with_columns(pl.col("town") + townlib.SUFFIX)\n    return shops.select(',
        )
        with library():
            assert build("kept") == 0
    return folder


@contextmanager
def copied(folder: Path, to: Path) -> Iterator[None]:
    """Work in a copy of a folder, with its library."""
    shutil.copytree(folder, to)
    with chdir(to), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(to))
        with library():
            yield


@pytest.fixture
def before(built_before: Path, tmp_path: Path) -> Iterator[None]:
    """Work in a copy of what was built."""
    with copied(built_before, tmp_path / "work"):
        yield


@pytest.fixture
def importable(before: None) -> Iterator[None]:  # noqa: ARG001  (in its folder)
    """Have the modules of the working folder found by all of this process, until what was before comes back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path.cwd()))
        yield
        sys.modules.pop("words", None)


def build(out: str, *more: str, **settings: str) -> int:
    """Build both variants; return the exit status."""
    options = [f"--{name.replace('_', '-')}={value}" for name, value in (SETTINGS | settings).items()]
    return main(["build", "--environment", "shops.py:SHOPS", f"--out={out}", *options, *more])


def outcome(out: str, status: int) -> dict[str, bytes]:
    """Return all that a build leaves behind: how it ended, and every published byte with what belongs to it."""
    folder = Path(out, "shops")
    curator = {name: (folder / CURATOR / name) for name in ("noise_ledger.parquet", "identity_map.enc")}
    files = {
        f"{variant}/{path}": data
        for variant in ("noisy", "clean")
        for path, data in published_bytes(folder / variant).items()
    }
    return files | {name: file.read_bytes() for name, file in curator.items()} | {"status": str(status).encode()}


@pytest.mark.usefixtures("before")
def test_what_was_built_before_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    """In a copy of it, too: otherwise what follows would compare what was made anew with what was made anew."""
    capsys.readouterr()
    assert build("kept") == 0
    assert re.findall(r"^\[\d+/\d+\]", capsys.readouterr().err, re.MULTILINE) == []


@pytest.mark.usefixtures("before")
def test_what_another_folder_builds_is_taken_but_for_pages(capsys: pytest.CaptureFixture[str]) -> None:
    """Their commands name the declaration from the working folder; nothing else depends on where that is."""
    here = Path.cwd().name
    settings = {name: value if name == "policy" else f"{here}/{value}" for name, value in SETTINGS.items()}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    capsys.readouterr()
    with chdir(".."):
        assert main(["build", "--environment", f"{here}/shops.py:SHOPS", f"--out={here}/kept", *options]) == 0
    made = set(re.findall(r"^\[\d+/\d+\] ([a-z_]+)/", capsys.readouterr().err, re.MULTILINE))
    assert made == {"pages", "published"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["the key", "the policy"])
@pytest.mark.usefixtures("before")
def test_whatever_changed_the_outcome_is_that_of_a_fresh_build(kind: str) -> None:
    """Byte for byte, with what the store holds of the build before and with nothing; of tables, each kind is tried below."""
    change = CHANGES[kind]
    before = outcome("kept", 0)
    shutil.copytree("kept", "fresh")
    change.change()
    kept, fresh = (build("kept", **change.settings), build("fresh", "--fresh", **change.settings))
    assert outcome("kept", kept) == outcome("fresh", fresh)
    assert outcome("kept", kept) != before


def tables(settings: dict[str, str], *, is_fresh: bool = False) -> dict[str, str]:
    """Return what stands in every place up to the tables with noise."""
    workspace = Workspace(**SETTINGS | settings | {"out": "made", "fresh": is_fresh})
    request = workspace.request(find_environment("shops.py:SHOPS"))
    store = Store(request.store)
    with store.held():
        scheduler = Scheduler(request, ordered(declared_steps(request.environment)), store)
        places = [
            place for step in scheduler.steps for place in step.makes if place[0] in (Stage.RENDERED, Stage.NOISY)
        ]
        return {"/".join(place): _text(scheduler.value(place)) for place in sorted(places)}


def _text(value: object) -> str:
    return value.write_csv() if isinstance(value, pl.DataFrame) else str(value)


@contextmanager
def left_out(change: Change) -> Iterator[None]:
    """Leave the kind of input out of fingerprints."""
    with pytest.MonkeyPatch.context() as patch:
        change.leave_out(patch)
        yield
    forget_libraries()


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.usefixtures("before")
def test_what_is_left_out_would_be_stale(kind: str) -> None:
    """Without the kind of input, tables are those of the build before, and not those that a fresh build makes."""
    change = CHANGES[kind]
    with left_out(change):
        before = tables({})
        change.change()
        assert tables(change.settings) == before
    if kind == "the policy":  # three shops are too few to be sampled
        return
    assert tables(change.settings) == tables(change.settings, is_fresh=True) != before


MEANWHILE = {
    "a raw file": ("shops/shops.csv", "Bonn", "Kiel"),
    "the declaration": ("shops.py", 'Column(name="town")', 'Column(name="town", null_tokens=("Bonn",))'),
    "a module of the declaration": ("words.py", "'w'", "'v'"),
    "a table beside the declaration": ("suffix.csv", "s", "t"),
    "the specification": ("shops.yaml", "rate: 0.5", "rate: 0.9"),
}
"""File that changes while a build is at work -> what stands there, and what does then."""


@pytest.mark.parametrize("kind", MEANWHILE)
@pytest.mark.usefixtures("importable")
def test_what_changes_while_a_build_is_at_work_is_kept_for_nothing_else(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed before the raw tables are read, and put back later: both times tables are those of a fresh build."""
    file, *texts = MEANWHILE[kind]
    is_read_before = kind not in ("the specification", "a table beside the declaration")
    read_beside()
    left = [Path(file).read_text(encoding="utf-8").replace(texts[0], texts[1]).encode()]

    def meanwhile(*args: Any, **settings: Any) -> Conformed:
        replace_file(Path(file), left.pop())  # Silt's own: what code of a test does counts as the declaration's
        return conform(*args, **settings)

    with monkeypatch.context() as patch, refused(file) if is_read_before else nullcontext():
        patch.setattr("assets.conformed.conform", meanwhile)
        tables({})
    assert left == []
    changed = tables({})
    assert changed == tables({}, is_fresh=True)
    edit(file, *reversed(texts))
    assert tables({}) == tables({}, is_fresh=True) != changed


def refused(file: str) -> AbstractContextManager[object]:
    """Expect the sentence about a file that is written meanwhile."""
    return pytest.raises(InputError, match=f"{file} was written while .* run again")


def read_beside() -> None:
    """Let the declaration add a word of a module to a town, and one of a table that it reads when it renders."""
    Path("words.py").write_text("WORD = 'w'\n")
    Path("suffix.csv").write_text("suffix\ns\n")
    edit("shops.py", "import polars as pl\n", "import polars as pl\nimport words\n")
    edit("shops.py", "+ townlib.SUFFIX)", '+ townlib.SUFFIX + words.WORD + pl.read_csv("suffix.csv").item())')


@pytest.mark.slow
@pytest.mark.usefixtures("importable")
def test_a_module_that_is_edited_between_two_builds_of_a_process_counts() -> None:
    """As a notebook does it, which has loaded the module itself; its own stays as it loaded it."""
    read_beside()
    own = import_module("words")
    for word in ("w", "v"):
        Path("words.py").write_text(f"WORD = '{word}'\n")
        folder = silt.build("shops.py:SHOPS", ["clean"], raw="shops", key_file="own.key", policy="lsd", out="twice")
        assert f"Bonn{word}s" in (folder / "clean/database/shops.csv").read_text(encoding="utf-8")
    assert own.WORD == "w"


@pytest.mark.slow
@pytest.mark.usefixtures("before")
def test_of_a_declaration_in_memory_nothing_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor of one that says it is volatile, in two builds of it: what their code depends on, nobody observes."""
    declared = find_environment("shops.py:SHOPS")
    edit("shops.py", "SHOPS = Environment(", "SHOPS = Environment(volatile=True, ")
    for environment in (replace(declared, title=declared.title), *["shops.py:SHOPS"] * 2):
        capsys.readouterr()
        silt.build(environment, ["clean"], raw="shops", key_file="own.key", policy="lsd", out="kept")
        assert re.search(r"^\[\d+/\d+\] published/clean", capsys.readouterr().err, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.usefixtures("before")
def test_what_is_searched_for_is_never_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """An alias that is new and stands in a file is found there; searched for what was kept before, the file is published."""
    shutil.copytree("kept", "stale")
    with monkeypatch.context() as patch:
        patch.setattr(Scheduler, "_key", without_originals)
        assert build("stale") == 0
        edit("shops/aliases.csv", "A2,Loafers", "A2,Loafers\nA2,Bakery")
        assert build("stale") == 0
    assert build("kept") == 1


def without_originals(scheduler: Scheduler, step: Step, reads: Mapping[Place, Name | None]) -> str:
    """Return what a step is known by, but for the originals of which it is made what is searched for."""
    return _KEY(scheduler, step, {} if SEARCH_TERMS in step.makes else reads)


@pytest.mark.slow
def test_a_line_of_code_counts(shops: Path, tmp_path: Path) -> None:
    """One of a stage of Silt itself, in a copy of it: without the code in the key, what comes out is stale."""
    source = tmp_path / "source"
    for package in ("anonymize", "assets", "noise_specs", "pipeline", "raw", "silt", "validation"):
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("dataclaw-18"))
    first = printed_tables(source)
    stage = source / "assets" / "noisy.py"
    text = stage.read_text(encoding="utf-8")
    assert text.count('yield "rows", block.frame') == 1
    stage.write_text(text.replace("block.frame\n    yield", "block.frame.head(1)\n    yield"))
    second = printed_tables(source)
    assert first["with its code"] == first["without"]
    assert second["with its code"] != first["with its code"]
    assert second["without"] == first["without"]
    assert shops.is_dir()


def printed_tables(source: Path) -> dict[str, dict[str, str]]:
    """Return the tables that a process makes with the source of Silt in a folder: known by its code, and without, apart."""
    lines = [
        "import json",
        "from assets.making.scheduler import Scheduler",
        "from tests.integration.test_never_stale import tables",
        "found = {'with its code': tables({'key_file': ''})}",
        "Scheduler._runs = ''",
        "print(json.dumps(found | {'without': tables({'key_file': '', 'store': 'without'})}))",
    ]
    found = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (source, ROOT)))},
        check=True,
        capture_output=True,
        text=True,
    )
    printed: dict[str, dict[str, str]] = json.loads(found.stdout)
    return printed


@pytest.mark.slow
@pytest.mark.usefixtures("before")
def test_a_damaged_store_changes_nothing() -> None:
    """One file of it damaged, one cut off, one gone, and so on: after a change of the noise all is as in a fresh build."""
    shutil.copytree("kept", "fresh")
    files = (file for part in ("objects", "records") for file in Path("kept/shops", CURATOR, STORE, part).iterdir())
    for number, file in enumerate(sorted(files)):
        content = file.read_bytes()
        if number % 3 == 0:
            file.write_bytes(bytes(byte ^ 1 for byte in content))
        elif number % 3 == 1:
            file.write_bytes(content[: len(content) // 2])
        else:
            file.unlink()
    edit("shops.yaml", "rate: 0.5", "rate: 0.9")
    assert outcome("kept", build("kept")) == outcome("fresh", build("fresh", "--fresh"))


def test_what_is_damaged_would_be_taken(shops: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody looked at the bytes of a table of the store, another one could stand in its place."""
    write_key("5eed")
    first = tables({})
    objects = Path("made", "shops", CURATOR, STORE, "objects")
    held = {path: path.read_bytes() for path in objects.glob("*.parquet")}
    for path in held:
        frame = pl.read_parquet(path)
        frame.head(0).write_parquet(path)
    assert tables({}) == first
    for path in held:
        pl.read_parquet(path).head(0).write_parquet(path)
    monkeypatch.setattr(Store, "is_whole", lambda store, name: name is None or store.file(name).exists())
    assert tables({}) != first
    assert shops.is_dir()


@pytest.mark.slow
@pytest.mark.usefixtures("before")
def test_a_published_file_that_is_another_is_published_again() -> None:
    """Changed, added or removed by hand: the variant is published as it was, and nothing else is made."""
    before = outcome("kept", 0)
    noisy = Path("kept", "shops", "noisy")
    for spoil in (
        lambda: (noisy / "database" / "shops.csv").write_bytes(b"other"),
        lambda: (noisy / "database" / "more.csv").write_bytes(b"more"),
        lambda: shutil.rmtree(noisy),
    ):
        spoil()
        assert build("kept") == 0
        assert outcome("kept", 0) == before


def test_a_variant_alone_is_all_that_is_made(shops: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the other one no file is written, and none of its reports; afterwards only these are made.

    A word of a name in a kept column is something to look at after each of both builds, and is not printed.
    """
    write_key("5eed")
    edit("shops/aliases.csv", "Loafers", "Loafers Ltd")
    edit("shops/shops.csv", "Ulm,12", "Ulm near LOAFERS,12")
    settings = [f"--{name.replace('_', '-')}={value}" for name, value in SETTINGS.items()]
    command = ["--environment", "shops.py:SHOPS", "--out", "alone", *settings]
    assert main(["build", "noisy", "noisy", *command]) == 0
    alone = capsys.readouterr().err
    assert "/clean" not in alone
    assert main(["build", "clean", "noisy", *command]) == 0
    both = capsys.readouterr().err
    for said in (alone, both):
        assert "listed name without its legal form: shops.town (1). No gate" in said
        assert "loafers" not in said.lower()
    done = re.findall(r"^\[\d+/\d+\] ([^\s:,]+)", both, re.MULTILINE)
    files = {f"files/clean/{name}" for name in ("shops", "accounts", "deliveries")}
    assert set(done) == {*files, "pages/clean", "published/clean"} | {
        "reports/expectations_clean",
        "reports/profile_clean",
    }
    assert shops.is_dir()


def test_a_file_is_searched_when_it_is_written_and_not_again(shops: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it is written, which both variants may do at once; publishing finds that it was searched."""
    write_key("5eed")
    names: list[str] = []

    def noting(files: Sequence[File], terms: SearchTerms) -> list[FileFindings]:
        names.extend(file.document.name for file in files)
        return search_files(files, terms)

    monkeypatch.setattr("assets.files.search_files", noting)
    assert build("kept") == 0
    assert {"database/shops.csv", "manifest.json", "reports/report.html"} < set(names)
    assert set(Counter(names).values()) <= {1, 2}
    assert shops.is_dir()
