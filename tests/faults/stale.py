"""Attempts to make a build stale: what a traced build opened is changed, one file at a time, in a copy.

    python -m tests.faults.stale [--most 100] [--code 400] [--seed 1] [--shipped]

The first build is traced by Python itself (an audit hook of its own, not the one that Silt has). What it opened in
Silt's packages is the list, with all that lies in the working folder and the variables that the declaration reads. Each
is changed in a copy, in which the next build must end as one that takes nothing from the store, byte for byte. A
comment in a module or template of Silt's own changes no byte that is published: there the digest by which steps are
known has to change.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.integration.killed_example import digest_of
from tests.integration.readme import ROOT, example_command, write_example

CODE = ("anonymize", "assets", "pipeline", "raw", "silt", "validation")
PACKAGES = (*CODE, "noise_specs")

FRESH, ANOTHER = "as a fresh build", "another digest of code"

LANDED = ("dataclaw-18", "us-listed")
"""Folders of `raw` in which tables land."""

SHIPPED = ["build", "--environment", "us-listed", "--scale", "0.2"]

_TRACED = """
import json, os, sys
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # no worker, in which nothing is traced
opened, asked = set(), set()
lookup, observers = type(os.environ).__getitem__, os.path.abspath("../silt/assets/making/inputs")
def looked_up(variables, name):
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(("<frozen", observers)):
        frame = frame.f_back
    if frame and frame.f_code.co_filename.startswith(os.getcwd()):
        asked.add(name)
    return lookup(variables, name)
type(os.environ).__getitem__ = looked_up
def heard(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[2] & 3 == 0:
        opened.add(os.path.abspath(arguments[0]))
sys.addaudithook(heard)
from silt.cli import main
status = main(sys.argv[2:])
open(sys.argv[1], "w").write(json.dumps([sorted(opened), sorted(asked)]))
sys.exit(status)
"""

_BESIDE = {
    "words.py": "WORDS = 'qqq'\n",
    "later.py": "LATER = 'qqq'\n",
    "suffix.json": '"qqq"',
    "more.csv": "word\nqqq\n",
    "also.csv": "word\nqqq\n",
    "run.txt": "RUN = 'qqq'\n",
}
"""Files beside the declaration that it reads."""

_WITH_LOOKUPS = '''import json
import os
from pathlib import Path

from words import WORDS

SUFFIX = json.loads(Path("suffix.json").read_text())
exec(Path("run.txt").read_text())


def looked_up(rows):
    """Add what is read beside the declaration, when the table is rendered."""
    import pandas as pd
    from later import LATER

    words = pl.read_csv("more.csv").item() + pd.read_csv("also.csv").word[0]
    tail = SUFFIX + RUN + WORDS + LATER + words + os.environ.get("SHOPS_TAIL", "")
    return rows.with_columns(pl.col("town") + pl.lit(tail))


'''

SWAPS = ((b"Ulm", b"Neu"), (b"qqq", b"QQQ"))
COMMENTS = {".css": b"/* */\n", ".js": b"/* */\n", ".py": b"# another\n", ".yaml": b"# another\n"}


def main() -> int:
    """Print what each attempt left; return 1 if any was stale or a crash."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.stale", description=__doc__)
    parser.add_argument("--most", type=int, default=100, help="attempts with two builds each")
    parser.add_argument("--code", type=int, default=400, help="attempts with a file of Silt's code")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shipped", action="store_true", help="us-listed, and not the tutorial's")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="silt-stale-") as folder:
        wrong = 0
        for what, left in attempts(Path(folder), asked):
            wrong += left not in (FRESH, ANOTHER)
            print(what, left, sep="\t", flush=True)  # noqa: T201
    return int(wrong > 0)


def attempts(folder: Path, asked: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Change one thing after the other, and yield what it was and what the next build left."""
    before, command = folder / "before", SHIPPED if asked.shipped else example_command()
    prepare(before, has_declaration=not asked.shipped)
    status, said = run(before, command, traced=True)
    if status:
        sys.exit(said)
    paths, variables = json.loads((before / "work/opened.json").read_text())
    # NOTE: polars opens files without a word to Python.
    opened = [*(Path(path) for path in paths if before in Path(path).parents), *(before / "work").rglob("*")]
    files = sorted({path for path in map(source_of, opened) if path.is_file() and counts(path.relative_to(before))})
    random.Random(asked.seed).shuffle(files)  # noqa: S311
    code = [file for file in files if file.relative_to(before).parts[:2] in {("silt", package) for package in CODE}]
    digest = digest_of_code(before)
    for file in code[: asked.code]:
        yield str(file.relative_to(before)), ANOTHER if known_by(before, file) != digest else "STALE"
    for name in variables:
        yield name, left_by(folder, command, None, {name: "!"})
    for file in [file for file in files if file not in code][: asked.most]:
        yield str(file.relative_to(before)), left_by(folder, command, file.relative_to(before), {})


def prepare(before: Path, *, has_declaration: bool) -> None:
    """Write a copy of Silt, and beside it the example with everything that a declaration may read."""
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", *(LANDED if package == "raw" else ()))
        shutil.copytree(ROOT / package, before / "silt" / package, ignore=ignored)
    work = before / "work"
    work.mkdir()
    if not has_declaration:
        return
    write_example(work)
    for name, text in _BESIDE.items():
        (work / name).write_text(text)
    declared = (work / "shops.py").read_text(encoding="utf-8")
    declared = declared.replace("import polars as pl\n", "import polars as pl\n" + _WITH_LOOKUPS, 1)
    last = '"opened", "about").cast(pl.String))'
    assert declared.count(last) == 1
    (work / "shops.py").write_text(
        declared.replace("return shops.select(", "return looked_up(shops.select(").replace(last, f"{last})")
    )


def known_by(before: Path, file: Path) -> str:
    """Change a file of Silt's code for a moment, and return the digest by which steps are known then."""
    content = file.read_bytes()
    try:
        changed(file)
        return digest_of_code(before)
    finally:
        file.write_bytes(content)


def digest_of_code(before: Path) -> str:
    """Return the digest of Silt's code, as a new process has it."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", "from assets.making.inputs.code import code; print(code())"],
        env={**os.environ, "PYTHONPATH": str(before / "silt"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def source_of(path: Path) -> Path:
    """Return the module of which a file is the compiled one."""
    is_compiled = path.parent.name == "__pycache__"
    return path.parents[1] / f"{path.name.split('.')[0]}.py" if is_compiled else path


def counts(path: Path) -> bool:
    """Say whether a file that was opened is no output of the build itself."""
    made = {"environments", ".silt", ".dagster", "opened.json", ".generated.json"}
    return not made & {*path.parts}


def left_by(folder: Path, command: list[str], file: Path | None, variables: dict[str, str]) -> str:
    """Change something in a copy, build with the store and without, and say how they compare."""
    copy = folder / "copy"
    shutil.copytree(folder / "before", copy)
    try:
        if file:
            changed(copy / file)
        shutil.copytree(copy / "work", copy / "fresh")
        ends = [run(copy, command, **variables), run(copy, [*command, "--fresh"], "fresh", **variables)]
        crashes = [said for status, said in ends if status not in (0, 1, 2)]
        if crashes:
            return f"CRASH: {crashes[0][-300:]!r}"
        states = [(end[0], state(copy / work)) for end, work in zip(ends, ("work", "fresh"), strict=True)]
        return FRESH if states[0] == states[1] else "STALE"
    finally:
        shutil.rmtree(copy)


def changed(file: Path) -> None:
    """Change a file so that it can still be read, as far as that is known of its kind."""
    content = file.read_bytes()
    swapped = (content.replace(old, new, 1) for old, new in SWAPS if old in content)
    file.write_bytes(next(swapped, content + b"\n" + COMMENTS.get(file.suffix, b"")))


def state(work: Path) -> dict[str, str]:
    """Return a digest of each published variant and of the curator's ledger."""
    (folder,) = (work / "environments").iterdir()
    return {name: digest_of(folder / name) for name in ("noisy", "clean", "curator/noise_ledger.parquet")}


def run(
    folder: Path, command: list[str], work: str = "work", *, traced: bool = False, **variables: str
) -> tuple[int, str]:
    """Run a command of the copy of Silt; return its exit status and what it said."""
    plain = "import sys; from silt.cli import main; sys.exit(main(sys.argv[2:]))"
    path = os.pathsep.join((str(folder / "silt"), str(folder / work)))
    done = subprocess.run(
        [sys.executable, "-P", "-c", _TRACED if traced else plain, "opened.json", *command],
        cwd=folder / work,
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


if __name__ == "__main__":
    sys.exit(main())
