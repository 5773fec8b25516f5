"""What a declaration reads is noticed, whichever way it reads it: each way is tried while it is loaded, and in a function."""

import json
import os
import shutil
import sys
import time
import weakref
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import polars as pl
import pytest

from assets.making.inputs import observed, reads
from assets.making.inputs.code import silts_files
from assets.making.inputs.observed import apart, loading, performing
from assets.making.inputs.reads import Seen, forget, is_as_seen, seen
from pipeline.errors import InputError
from pipeline.private import replace_file
from silt.environments.registry import declared_environment, find_environment, in_memory
from tests.integration.readme import example_files

TICK = 5 * 10**7

WAYS = {
    "a module beside it": ("import words\nFOUND = words.WORD", "words.py"),
    "in a module's function": ("import asking\nFOUND = asking.word()", "words.py"),
    "by Python's own function": ("FOUND = __import__('words').WORD", "words.py"),
    "of a folder without a module": ("from loose import words\nFOUND = words.WORD", "loose/words.py"),
    "in a function, relative to a parent": ("from package.inner import late\nFOUND = late.word()", "package/words.py"),
    "by its name": ("import importlib\nFOUND = importlib.import_module('words').WORD", "words.py"),
    "relative to a parent": ("from package.inner.deep import FOUND", "package/words.py"),
    "on another path": ("import sys\nsys.path.insert(0, 'other')\nimport apart\nFOUND = apart.WORD", "other/apart.py"),
    "out of a zip": ("import sys\nsys.path.insert(0, 'zipped.zip')\nimport zipped\nFOUND = zipped.WORD", "zipped.zip"),
    "a text that is executed": (
        "with open('words.py') as file: exec(file.read(), globals())\nFOUND = WORD",
        "words.py",
    ),
    "JSON": ("import json\nwith open('word.json') as file: FOUND = json.load(file)", "word.json"),
    "a path's text": ("from pathlib import Path\nFOUND = Path('word.json').read_text()", "word.json"),
    "a table of polars'": ("import polars as pl\nFOUND = pl.read_csv('words.csv').item()", "words.csv"),
    "polars' own name": (
        "from polars import scan_csv\nFOUND = scan_csv(source='words.csv').collect().item()",
        "words.csv",
    ),
    "polars' own module": ("from polars.io.csv import read_csv\nFOUND = read_csv('words.csv').item()", "words.csv"),
    "tables of a pattern": ("import polars as pl\nFOUND = pl.scan_csv('words*.csv').collect().item()", "words.csv"),
    "a table of pandas'": ("import pandas as pd\nFOUND = pd.read_csv('words.csv').word[0]", "words.csv"),
    "pandas' Parquet": ("import pandas as pd\nFOUND = pd.read_parquet('words.parquet').word[0]", "words.parquet"),
    "NumPy's text": ("import numpy as np\nFOUND = np.genfromtxt('words.csv', dtype=str)[1]", "words.csv"),
    "a descriptor": ("import os\nFOUND = os.read(os.open('words.csv', os.O_RDONLY), 9)", "words.csv"),
    "the size of a file": ("import os\nFOUND = os.path.getsize('word.json')", "word.json"),
    "Parquet": ("import polars as pl\nFOUND = pl.read_parquet('words.parquet').item()", "words.parquet"),
    "a folder's names": ("import os\nFOUND = len(os.listdir('listed'))", "listed/a"),
    "whether a file is there": ("import os\nFOUND = os.path.exists('listed/a')", "listed/a"),
    "a database": (
        "import sqlite3\nFOUND = sqlite3.connect('words.db').execute('select word from words').fetchone()",
        "words.db",
    ),
}
"""Statements of a declaration that find something -> the file on which it depends."""

UNSEEN = {
    "a clock": "from datetime import datetime, UTC\nFOUND = datetime.now(UTC)",
    "another clock": "import time\nFOUND = time.time()",
    "a clock in a text": "exec('import time; FOUND = time.time()', globals())",
    "chance": "import uuid\nFOUND = uuid.uuid4()",
    "another process": "import subprocess\nFOUND = subprocess.run(['true'], check=True)",
    "another thread": "from concurrent.futures import ThreadPoolExecutor as E\nFOUND = list(E().map(len, ['']))",
    "a library that opens files natively": "from pyarrow.csv import read_csv\nFOUND = read_csv('words.csv')",
    "a database with options": "import sqlite3\nFOUND = sqlite3.connect('file:words.db?mode=ro', uri=True).close()",
    "polars' SQL": "import polars as pl\nFOUND = pl.sql(\"select * from read_csv('words.csv')\").collect()",
    "polars' tables elsewhere": "import polars as pl\nFOUND = pl.scan_parquet('s3://shops/words.parquet')",
    "the system": "from pathlib import Path\nFOUND = Path('/proc/uptime').read_text()",
    "the network": "import socket\nFOUND = socket.getaddrinfo('127.0.0.1', 80)",
}


def write(folder: Path) -> None:
    """Write everything that one of the ways reads."""
    texts = {
        "words.py": "WORD = 'old'\n",
        "asking.py": "def word():\n    import words\n    return words.WORD\n",
        "package/__init__.py": "",
        "package/words.py": "WORD = 'old'\n",
        "package/inner/__init__.py": "",
        "package/inner/late.py": "def word():\n    from ..words import WORD\n    return WORD\n",
        "loose/words.py": "WORD = 'old'\n",
        "taken/taken.py": "WORD = 'old'\n",
        "package/inner/deep.py": "from ..words import WORD as FOUND\n",
        "other/apart.py": "WORD = 'old'\n",
        "word.json": '"old"',
        "words.csv": "word\nold\n",
        "listed/a": "",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    pl.DataFrame({"word": ["old"]}).write_parquet(folder / "words.parquet")
    with zipfile.ZipFile(folder / "zipped.zip", "w") as archive:
        archive.writestr("zipped.py", "WORD = 'old'\n")
    import sqlite3  # noqa: PLC0415

    with sqlite3.connect(folder / "words.db") as database:
        database.execute("create table words as select 'old' as word")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with all that may be read, and forget its modules afterwards."""
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    written = {file.stem for file in tmp_path.rglob("*.py")} | {"package", "zipped"}
    for name in [name for name in sys.modules if name.partition(".")[0] in written]:
        monkeypatch.delitem(sys.modules, name)  # another test's
    before = {*sys.modules}
    forget()
    yield tmp_path
    forget()
    for name in {*sys.modules} - before:
        if Path(getattr(sys.modules[name], "__file__", "") or "").absolute().is_relative_to(tmp_path):
            del sys.modules[name]


def load(text: str) -> ModuleType:
    """Load a declaration of this text as the registry does."""
    from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415

    file = Path("declared.py")
    file.write_text(text)
    spec = spec_from_file_location("declared", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with loading(file):
        spec.loader.exec_module(module)
    return module


def of_loading(text: str) -> dict[str, str]:
    """Return what a declaration is known by that does this beside the tutorial's, with what it read."""
    Path("declared.py").write_text(f"{text}\n{example_files()['shops.py']}")
    return {"fingerprint": declared_environment("declared.py:SHOPS").read, **reads._loaded}


def of_a_step(text: str) -> Seen:
    """Return what is seen when a function of the declaration's is called."""
    module = load(indented(text))
    with performing():
        module.render()
    return seen()


def indented(text: str) -> str:
    """Return statements as those of a function."""
    lines = "\n".join(f"    {line}" for line in text.split("\n"))
    return f"def render():\n{lines}\n    return locals()\n"


def change(file: Path) -> None:
    """Change what is found in a file."""
    if file.suffix == ".parquet":
        pl.DataFrame({"word": ["new"]}).write_parquet(file)
    elif file.suffix == ".zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("zipped.py", "WORD = 'new'\n")
    elif file.suffix == ".db":
        import sqlite3  # noqa: PLC0415

        with sqlite3.connect(file) as database:
            database.execute("update words set word = 'new'")
    elif content := file.read_text():
        file.write_text(content.replace("old", "new"))
    else:
        file.unlink()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("way", WAYS)
def test_what_is_read_while_it_is_loaded_counts(way: str) -> None:
    """And is the same as long as nothing changes, whether or not Silt's own files have been listed before."""
    text, file = WAYS[way]
    before = of_loading(text)
    silts_files.cache_clear()
    assert of_loading(text) == before
    assert load(text).FOUND is not None
    change(Path(file))
    assert of_loading(text) != before


@pytest.mark.usefixtures("folder")
def test_what_garbage_reads_while_a_declaration_is_loaded_does_not_count() -> None:
    """Collecting may begin at any statement, and closes what others have left."""
    collects = "import gc\ngc.collect()"
    before = of_loading(collects)
    left = ModuleType("left")
    vars(left)["itself"] = left
    weakref.finalize(left, lambda: [file.unlink() for file in Path.cwd().glob("words.csv")])
    del left
    assert of_loading(collects) == before
    assert not Path("words.csv").exists()
    assert not reads._own


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("way", [way for way in WAYS if "*" not in WAYS[way][0]])
def test_what_is_read_in_a_function_counts(way: str) -> None:
    """It is noted with the result, and compared before that is used again."""
    text, file = WAYS[way]
    before = of_a_step(text)
    assert before
    assert is_as_seen(before)
    change(Path(file))
    assert not is_as_seen(before)


@pytest.mark.usefixtures("folder")
def test_a_module_that_is_another_is_loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the same second and with the same length, in one process: what Python compiled before is not taken."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    text = "import words\nFOUND = words.WORD"
    for word in ("old", "new", "own"):
        Path("words.py").write_text(f"WORD = '{word}'\n")
        os.utime("words.py", (10**9, 10**9))
        assert word == load(text).FOUND


@pytest.mark.usefixtures("folder")
def test_a_module_from_elsewhere_that_somebody_else_has_loaded_is_loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a function, too, as long as a build goes on; afterwards he finds those of his that it did not load."""
    monkeypatch.syspath_prepend("taken")
    taken, asking = __import__("taken"), __import__("asking")
    Path("taken/taken.py").write_text("WORD = 'new'\n")
    with apart():
        module = load(indented("import taken\nFOUND = taken.WORD"))
        with performing():
            assert module.render()["FOUND"] == "new"
        assert "path taken/taken.py" in seen()
    assert taken.WORD == "old"
    assert sys.modules["asking"] is asking


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("finds", "file"),
    [
        ("from later import FOUND", "later.py"),
        ("from later import FOUND", "later/__init__.py"),
        ("from pathlib import Path\n    FOUND = Path('later.py').read_text()", "later.py"),
    ],
)
def test_what_is_not_there_yet_counts(finds: str, file: str) -> None:
    """A declaration that goes on without a module or a file would go on with it."""
    text = f"try:\n    {finds}\nexcept (ImportError, OSError):\n    FOUND = None"
    before, in_a_step = of_loading(text), of_a_step(text)
    assert is_as_seen(in_a_step)
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text("FOUND = 1\n")
    assert not is_as_seen(in_a_step)
    assert of_loading(text) != before


@pytest.mark.usefixtures("folder")
def test_variables_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read by any way, while it is loaded and in a function; those that it does not read do not."""
    text = "import os\nFOUND = os.environ.get('SHOP'), os.getenv('TOWN'), 'ALSO' in os.environ"
    loaded_before, seen_before = of_loading(text), of_a_step(text)
    assert {"variable SHOP", "variable TOWN", "variable ALSO"} <= {*seen_before}
    monkeypatch.setenv("OTHER", "1")
    assert is_as_seen(seen_before)
    for name in ("SHOP", "TOWN", "ALSO"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "")
            assert not is_as_seen(seen_before)
            assert of_loading(text) != loaded_before


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("way", UNSEEN)
def test_what_cannot_be_observed_is_never_the_same(way: str) -> None:
    """Neither what is loaded so, nor what is made so."""
    assert of_loading(UNSEEN[way]) != of_loading(UNSEEN[way])
    in_a_step = of_a_step(UNSEEN[way])
    assert not is_as_seen(in_a_step) or of_loading(indented(UNSEEN[way])) != of_loading(indented(UNSEEN[way]))


@pytest.mark.usefixtures("folder")
def test_what_is_written_and_put_back_is_refused() -> None:
    """What was read in between is not what is there."""
    time.sleep(0.02)  # a tick of the file system's clock
    of_a_step("from pathlib import Path\nFOUND = Path('word.json').read_text()")
    time.sleep(0.02)
    for word in (b'"new"', b'"old"'):
        replace_file(Path("word.json"), word)
    with pytest.raises(InputError, match=r"word\.json was written while the declaration's code read it"):
        seen()


@pytest.mark.usefixtures("folder")
def test_what_is_written_within_a_tick_of_the_clock_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its state is what it was, its content is not: file systems count time in ticks, here of 50 ms."""

    def coarse(path: str) -> SimpleNamespace:
        status = os.stat(path)  # noqa: PTH116
        times = {name: getattr(status, name) // TICK * TICK for name in ("st_mtime_ns", "st_ctime_ns")}
        return SimpleNamespace(st_mode=status.st_mode, st_ino=status.st_ino, st_size=status.st_size, **times)

    monkeypatch.setattr(reads, "stat", coarse)
    for _ in range(20):
        Path("word.json").write_text('"old"')
        forget()
        reads.note(reads.PATH, str(Path("word.json").absolute()))
        Path("word.json").write_text('"new"')
        with pytest.raises(InputError, match=r"word\.json was written while"):
            seen()


@pytest.mark.usefixtures("folder")
def test_what_python_and_editors_leave_in_a_folder_does_not_count() -> None:
    """Nobody's declaration means it where it lists names."""
    before = of_a_step("import os\nFOUND = os.listdir('listed')")
    for name in ("__pycache__", ".a.swp"):
        Path("listed", name).mkdir()
    assert is_as_seen(before)


@pytest.mark.usefixtures("folder")
def test_what_it_reads_and_then_writes_is_never_the_same() -> None:
    """What is there afterwards is not what it began with."""
    text = "from pathlib import Path\nown = Path('word.json')\nFOUND = own.read_text()\nown.write_text(FOUND + ' ')"
    assert not is_as_seen(of_a_step(text))


@pytest.mark.usefixtures("folder")
def test_a_declaration_that_reads_nothing_has_read_its_own_file_alone() -> None:
    """Whatever the libraries that it imports read meanwhile."""
    of_loading("import polars as pl\nimport numpy\nimport scipy.stats\nfrom silt import Column\nimport pipeline.model")
    assert {what.split(" ", 1)[1] for what in reads._loaded} == {"declared.py"}
    in_a_step = of_a_step("import polars as pl\nFOUND = pl.DataFrame({'a': [1]}).lazy().collect()")
    assert [what for what in in_a_step if not what.startswith("variable POLARS_")] == []


@pytest.mark.usefixtures("folder")
def test_what_a_function_keeps_in_memory_that_is_asked_before_any_step_counts() -> None:
    """Whether a declaration is ready, its functions are asked, too: steps find what they read then in memory."""
    text = (
        "from dataclasses import replace\nfrom functools import cache\nfrom pathlib import Path\n"
        "word = cache(lambda: Path('word.json').read_text())\n"
        "def complete(frame):\n    word()\n    return frame\n"
        "SHOPS = replace(SHOPS, raw_tables=tuple(replace(each, complete=complete) for each in SHOPS.raw_tables))\n"
    )
    Path("declared.py").write_text(f"{example_files()['shops.py']}\n{text}")
    find_environment("declared.py:SHOPS")
    assert "path word.json" in seen()


@pytest.mark.usefixtures("folder")
def test_a_shipped_environment_has_read_nothing() -> None:
    """Whatever one's own read before in this process; and what that reads further is not known of it any more."""
    Path("declared.py").write_text(example_files()["shops.py"])
    own = declared_environment("declared.py:SHOPS")
    of_a_step("from pathlib import Path\nFOUND = Path('word.json').read_text()")
    replace_file(Path("word.json"), b'"new"')
    declared_environment("us-listed")
    assert seen() == {}
    assert in_memory(own).volatile


def raising() -> None:
    """Fail at noting what is read."""
    raise ValueError


@pytest.mark.usefixtures("folder")
def test_what_is_observed_works_as_before() -> None:
    """And fails as before: code that is observed meets no error of the observer's."""
    load("FOUND = 1")
    with performing():
        observed._unharmed("what is not understood", raising)
        assert "unseen what is not understood" in seen()
    load("FOUND = 1")
    with performing():
        assert os.stat in os.supports_follow_symlinks
        assert Path(os.devnull).read_text() == ""
        Path("link").symlink_to("word.json")
        shutil.copystat("link", "words.py", follow_symlinks=False)
        with pytest.raises(ValueError, match="null"):
            Path("nul\0").read_text()
        with pytest.raises(TypeError):
            open(1.5)  # type: ignore[call-overload]  # noqa: PTH123, SIM115
        with pytest.raises(TypeError):
            os.stat(None)  # type: ignore[arg-type]  # noqa: PTH116
        with pytest.raises(KeyError):
            os.environ["NO_SUCH_VARIABLE"]
        with pytest.raises(TypeError):
            pl.read_csv()  # type: ignore[call-arg]
    assert [what for what in seen() if what.startswith("unseen ")] == []


@pytest.mark.usefixtures("folder")
def test_what_it_writes_itself_does_not_count() -> None:
    """A file that it makes and reads again says nothing of what was there before."""
    text = "from pathlib import Path\nown = Path('own.txt')\nown.write_text('1')\nFOUND = own.read_text()\nown.unlink()"
    assert [what for what in of_a_step(text) if "own.txt" in what] == []


@pytest.mark.usefixtures("folder")
def test_what_others_read_does_not_count() -> None:
    """Whoever works in the same process reads what he likes."""
    load("FOUND = 1")
    before = seen()
    json.loads(Path("word.json").read_text())  # between steps
    with performing():
        json.loads(silts_own_reading(Path("word.json")))
    assert seen() == before


def silts_own_reading(file: Path) -> str:
    """Read as Silt does: with its own code nearest to what is opened."""
    from pipeline.small_files import content_of  # noqa: PLC0415

    return content_of(file).decode()
