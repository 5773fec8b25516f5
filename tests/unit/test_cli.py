"""The command line: what it takes, how each way to end is told, and `silt noise` and `silt reveal` on small folders."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from anonymize.keys.identity_map import seal
from anonymize.keys.release_key import DEMONSTRATION_KEY
from pipeline.errors import GateError, InputError
from pipeline.keyed import Key
from pipeline.noise.kinds import KINDS
from pipeline.noise.ledger import SCHEMA
from pipeline.places import default_specification
from pipeline.release.provenance.source import ROOT, commit_of
from silt.cli import main
from silt.commands import COMMANDS, reveal, waiting
from silt.commands.build.outcome import Outcome

INTERRUPTED = "silt: interrupted; no published file is half written; run the same command again to resume\n"

RAW_VALUE = "Miller & Daughter"


@pytest.fixture(autouse=True)
def _nothing_on_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no line that a command is at work, however slow the machine."""
    monkeypatch.setattr(waiting, "LOG", (hours := 10_000.0, 0.5))
    monkeypatch.setattr(waiting, "FIRST", hours)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` ends well and says what the command does."""
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    assert f"usage: silt {command}" in capsys.readouterr().out


def test_a_bare_command_is_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody who types `silt` sees what there is."""
    with pytest.raises(SystemExit, match="0"):
        main([])
    shown = capsys.readouterr().out
    assert all(f"    {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize(("command", "actions"), [("noise", ["explain", "undo"]), ("tasks", ["make", "explain"])])
def test_a_bare_command_with_actions_lists_them(
    command: str, actions: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody knows the words before."""
    assert main([command]) == 0
    shown = capsys.readouterr().out
    assert all(f"    {action} " in shown for action in actions)


def test_the_version_names_the_commit_of_a_checkout(tmp_path: Path) -> None:
    """Whoever reports a defect can say of which state; a folder that is no checkout has none."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    assert commit_of(ROOT) == head.stdout.strip()
    assert commit_of(tmp_path) == ""


def test_a_shell_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed for bash completes in bash: a command by its first letters, and an option of it."""
    with pytest.raises(SystemExit, match="0"):
        main(["--print-completion", "bash"])
    script = capsys.readouterr().out
    for words, found in (("silt rebu", "rebuild"), ("silt build --env", "--environment")):
        script += (
            f'COMP_WORDS=({words}); COMP_CWORD={words.count(" ")}; _shtab_silt; [ "$COMPREPLY" = {found} ] || exit 1\n'
        )
    assert subprocess.run(["bash", "-c", script], check=False).returncode == 0  # noqa: S607


def test_help_does_not_wait_for_dagster() -> None:
    """Dagster takes seconds to import; only what builds pays for it."""
    script = "import sys, silt.cli; silt.cli._parser().format_help(); print('dagster' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["build", "--help"]])
def test_what_is_said_at_once_loads_no_table_library(arguments: list[str]) -> None:
    """The version, help and the first line of a build wait for nothing that takes long to import."""
    script = (
        "import sys, silt.cli\n"
        f"try: silt.cli.main({arguments})\n"
        "except SystemExit: pass\n"
        "print([name for name in ('polars', 'dagster', 'pydantic', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["check"], "checking nobody, policy lsd\n"), (["tasks", "make"], "making tasks of nobody\n")],
)
def test_the_first_line_comes_before_what_takes_long_to_import(arguments: list[str], says: str) -> None:
    """In a log, too, which has no other line for a second."""
    script = (
        "import sys, silt.cli\n"
        "told = lambda event, of: event == 'import' and of[0] == 'polars' and print('polars', file=sys.stderr)\n"
        "sys.addaudithook(told)\n"
        f"silt.cli.main({[*arguments, '--environment', 'nobody']})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.startswith(says)
    assert "polars\n" in done.stderr


def test_a_build_that_cannot_be_is_refused_before_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    """The error is the first line; a program gets one document."""
    refused = {
        (): "unknown environment",
        ("--policy", "foo"): "unknown policy",
        ("--scale", "-1"): "found -1 for --scale",
        ("--raw", ".", "--scale", "2"): "--scale (SCALE) is the size of generated tables",
    }
    for wrong, says in refused.items():
        assert main(["build", "clean", "--environment", "nobody", *wrong]) == 2
        assert capsys.readouterr().err.startswith(f"silt: {says}")
    assert main(["build", "clean", "--environment", "nobody", "--quiet", "--json"]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("silt: unknown environment")
    outcome = Outcome.model_validate_json(told.out)
    assert (outcome.outcome, outcome.environment, outcome.variants) == ("bad input", "nobody", [])
    assert outcome.message in told.err


def test_a_build_that_makes_nothing_waits_for_no_library_that_it_does_not_need() -> None:
    """What takes long to import is imported when a step runs that needs it, not where steps are declared."""
    heavy = ("scipy.stats", "scipy.special", "scipy.optimize", "scipy.spatial", "scipy.sparse")
    script = (
        "import sys, silt.commands.build.running; "
        f"print([name for name in {(*heavy, 'pypinyin', 'pandas', 'great_expectations', 'dagster')} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bild"], "; did you mean 'build'?"),
        (["build", "nosy"], "unknown variant 'nosy'; known: clean, noisy; did you mean 'noisy'?"),
        (["audit", "ideal"], "unknown variant 'ideal'; known: clean, noisy"),
        (["audit", "noisy", "clean"], "unrecognized arguments: clean"),
        (["build", "--scale", "half"], "found 'half' for --scale; give a number"),
        (["build", "--polcy=lsd"], "unrecognized arguments: --polcy; did you mean '--policy'?"),
        (
            ["audit", "noisy", "--policy", "lsd"],
            "--policy; it is an option of `silt build`; this command takes the build as it is: leave it out",
        ),
        (
            ["tasks", "make", "--scale", "0.2"],
            "--scale; it is an option of `silt build`; this command takes the build as it is: leave it out",
        ),
        (["check", "--scale", "0.2"], "--scale; it is an option of `silt build`"),
        (["build", "--polcy", "lsd"], "unrecognized arguments: --polcy; did you mean '--policy'?"),
        (["build", "--pol", "lsd"], "unrecognized arguments: --pol"),
        (["noise", "explan", "a.yaml"], "did you mean 'explain'?"),
        (["noise", "redo", "--variant", "a", "--ledger", "b", "--to", "c"], "invalid choice: 'redo'"),
        (["noise", "explain", "a.yaml", "--rows", "-1"], "argument --rows: not a number of rows: '-1'; give 0 or more"),
    ],
)
def test_bad_usage_is_reported_with_what_is_known(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arguments that are none end with status 2."""
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert says in " ".join(capsys.readouterr().err.split())


def ending_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    def run(_options: object) -> int:
        raise error

    monkeypatch.setattr(reveal, "run", run)
    return main(["reveal"])


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (GateError("refused by a gate"), 1, "silt: refused by a gate\n"),
        (InputError("mend the file"), 2, "silt: mend the file\n"),
        (
            GateError("refused by a gate", {"a_gate": "worst 3, limit 2"}),
            1,
            "silt: refused by a gate\n  a_gate: worst 3, limit 2\n",
        ),
        (
            MemoryError(),
            2,
            "silt: this process may not have the memory or the addresses that it needs; lift its limit\n",
        ),
        (KeyboardInterrupt(), 130, INTERRUPTED),
    ],
)
def test_each_way_to_end_has_its_status(
    error: BaseException, status: int, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate gives 1, bad input 2, an interruption 130: one sentence on standard error, and what failed by how much."""
    assert ending_with(error, monkeypatch) == status
    assert capsys.readouterr() == ("", says)


def test_errors_are_legible() -> None:
    """What a terminal would obey is shown instead; lines stay lines."""
    assert str(InputError("a\x1b[2J\n\u202eb\ud800")) == "a\\x1b[2J\n\\u202eb\\ud800"


def test_defect_gives_three_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exception that nobody expected shows its type and its place, not its message; nothing is left on the disk."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert ending_with(KeyError(RAW_VALUE), monkeypatch) == 3
    head, *places = capsys.readouterr().err.splitlines()
    assert head == "silt: a defect in Silt (KeyError), please report it:"
    assert all(re.fullmatch(r"  \S+\.py:\d+ \S+", place) for place in places)
    assert "silt/cli.py" in places[0]
    assert RAW_VALUE not in "".join(places)
    assert list(tmp_path.iterdir()) == []


def test_a_command_leaves_no_core() -> None:
    """A process that crashes writes nothing of its memory to the disk, nor do those that it starts."""
    script = "import os, subprocess, sys; from silt import cli; cli.main(); subprocess.run(['sh', '-c', 'ulimit -c'])"
    done = subprocess.run(
        ["sh", "-c", f'ulimit -Sc unlimited; exec "{sys.executable}" -c "{script}" reveal --environment none'],  # noqa: S607
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "0\n"


ENDLESS = """
import sys
from silt import cli
from silt.commands import COMMANDS, reveal, waiting

def run(_):
    while True:
        print("x" * 1000)

reveal.run = run
sys.exit(cli.main(["reveal"]))
"""


def test_reader_who_has_enough_is_no_error(tmp_path: Path) -> None:
    """`silt reveal | head` ends without a word."""
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=_with_checkout(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def _with_checkout() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}


# silt noise -----------------------------------------------------------------------------------------------------------

CLEAN = "id,definition\n1,one\n2,two\n"
NOISY = "id,definition\n1,one\n2,\n"
CHANGE = {"table": "metric_definitions", "row_key": "2", "column": "definition", "before": "two", "after": ""}


@pytest.fixture
def variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the two variants of one table of `us-listed`, and their ledger."""
    monkeypatch.chdir(tmp_path)
    for variant, text in (("clean", CLEAN), ("noisy", NOISY)):
        Path(variant, "database").mkdir(parents=True)
        Path(variant, "database/metric_definitions.csv").write_text(text, encoding="utf-8")
    columns = {**CHANGE, "kind": "missing_values", "rule": "gaps", "recoverable": False}
    pl.DataFrame([{name: columns[name] for name in SCHEMA}], schema=SCHEMA).write_parquet("ledger.parquet")
    return tmp_path


def noise(direction: str, variant: str, *, ledger: str = "ledger.parquet", to: str = "made") -> int:
    paths = ("--variant", variant, "--ledger", ledger, "--to", to)
    return main(["noise", direction, "--environment", "us-listed", *paths])


@pytest.mark.usefixtures("variants")
@pytest.mark.parametrize(("direction", "start", "goal"), [("replay", "clean", NOISY), ("undo", "noisy", CLEAN)])
def test_noise_goes_both_ways(direction: str, start: str, goal: str) -> None:
    """Replay gives the noisy bytes and undo the clean ones, in folders that may have to be made."""
    assert noise(direction, start, to="some/where") == 0
    assert Path("some/where/database/metric_definitions.csv").read_text(encoding="utf-8") == goal
    assert [path.name for path in Path("some").iterdir()] == ["where"]


SPECIFICATION = """
environment: us-listed
rules:
  - name: gaps
    kind: missing_values
    tables: [metric_definitions]
    mechanism: {type: completely_at_random, rate: 1}
    parameters: {columns: [definition]}
    reason: A test.
"""


@pytest.fixture
def specification(variants: Path) -> str:
    """Put a specification beside the variants."""
    Path("spec.yaml").write_text(SPECIFICATION, encoding="utf-8")
    return str(variants / "spec.yaml")


def explain(specification: str, *options: str) -> int:
    return main(["noise", "explain", specification, *options])


def test_noise_is_explained(specification: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Words and examples stand on standard output; `--rows` says how many examples."""
    assert explain(specification, "--data", "clean/database") == 0
    printed = capsys.readouterr()
    first, *others = printed.err.splitlines()
    assert first == f"explaining {specification}"
    assert all(": at work, " in line for line in others)
    assert "Rule 1: gaps (missing_values, family missing)" in printed.out
    assert "definition  'one' -> (empty)" in printed.out
    assert "definition  'two' -> (empty)" in printed.out
    assert explain(specification, "--data", "clean/database", "--rows", "1") == 0
    assert "'two'" not in capsys.readouterr().out


def test_a_specification_names_its_environment(specification: str, capsys: pytest.CaptureFixture[str]) -> None:
    """So do those of a folder; another one that is given does not fit, which is no fault of the file. Some are shipped."""
    assert main(["noise", "explain"]) == 2
    assert f"or one that Silt ships: {default_specification('dataclaw-18')} or" in " ".join(
        capsys.readouterr().err.split()
    )
    Path("kinds").mkdir()
    Path("kinds/missing_values.yaml").write_text(SPECIFICATION, encoding="utf-8")
    assert explain("kinds", "--data", "clean/database") == 0
    assert "| `missing_values` |" in capsys.readouterr().out
    assert explain(specification, "--environment", "dataclaw-18") == 2
    refused = capsys.readouterr().err
    assert "allowed: one of dataclaw-18;" in refused
    assert "Mend the file" not in refused
    for text in (SPECIFICATION.replace("us-listed", "[a]"), "- 1", "{"):
        Path(specification).write_text(text, encoding="utf-8")
        assert explain(specification) == 2


def test_noise_of_own_tables_needs_their_declaration(specification: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The one that is declared beside is named, whatever it is called; of a misspelt shipped one, that is."""
    one, other = "SHOPS = Environment(\n", "BOOKS = as_raw(  # each\n"
    for named, beside, asked in (
        ("shops", None, "name its declaration: --environment FILE.py:NAME"),
        ("shops", "", "name its declaration: --environment FILE.py:NAME"),
        ("shops", one, "name its declaration: --environment shops.py:SHOPS"),
        ("shops", f"# SHOPS\n{other}", "name its declaration: --environment shops.py:BOOKS"),
        ("shops", one + other, "name its declaration: --environment FILE.py:NAME"),
        ("us-listd", None, "did you mean 'us-listed'?"),
    ):
        Path(specification).write_text(SPECIFICATION.replace("us-listed", named), encoding="utf-8")
        if beside is not None:
            Path(specification).with_name("shops.py").write_text(beside, encoding="utf-8")
        assert explain(Path(specification).name) == 2
        said = f"silt: spec.yaml is about '{named}', an environment that Silt does not ship; {asked}"
        assert " ".join(capsys.readouterr().err.split()).endswith(said)


def test_noise_is_explained_on_the_clean_build(specification: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without `--data` the clean variant below `--out` is taken; if it is not there, the command that builds it is told."""
    Path("environments/us-listed").mkdir(parents=True)
    Path("clean").rename("environments/us-listed/clean")
    assert explain(specification) == 0
    assert "definition  'one' -> (empty)" in capsys.readouterr().out
    assert explain(specification, "--out", "elsewhere") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert (
        "no clean database at elsewhere/us-listed/clean/database; build it with `silt build clean --environment us-listed`"
        in (" ".join(printed.err.split()))
    )


def test_kinds_and_schema_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """`silt noise kinds --markdown` prints tables, `silt noise schema` JSON, both of every kind."""
    assert main(["noise", "kinds", "--markdown"]) == 0
    page = capsys.readouterr().out
    assert main(["noise", "schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert set(KINDS) == {name for name in schema["$defs"] if name.islower()} - {"rule"}
    assert [kind for kind in KINDS if f"| `{kind}` |" not in page] == []


@pytest.mark.parametrize("is_terminal", [True, False])
def test_kinds_are_listed_for_people(
    *, is_terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with what it does, on a terminal and into a file, and no line is wider than a page."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    assert main(["noise", "kinds"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert set(KINDS) <= {line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "}
    assert max(map(len, lines)) <= 100
    assert [line for line in lines if "|" in line or "<br>" in line] == []


@pytest.mark.parametrize("action", ["replay", "undo", "explain", "kinds", "schema"])
def test_every_action_on_noise_has_help(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` ends well and says what the action does."""
    with pytest.raises(SystemExit, match="0"):
        main(["noise", action, "--help"])
    assert f"usage: silt noise {action}" in capsys.readouterr().out


Spoil = Callable[[], object]

UNUSABLE: dict[str, tuple[Spoil, dict[str, str], str]] = {
    "another Parquet": (
        lambda: pl.DataFrame({"x": [1]}).write_parquet("ledger.parquet"),
        {},
        "no noise ledger can be read from ledger.parquet",
    ),
    "place taken": (lambda: Path("made").mkdir(), {}, "made is there already; name a folder that is not"),
    "place below a file": (lambda: Path("file").touch(), {"to": "file/made"}, "cannot write under file/made: .* --to"),
    "other data": (
        lambda: Path("clean/database/metric_definitions.csv").write_text("id,definition\n1,one\n2,three\n"),
        {},
        "the noise ledger is not of this table 'metric_definitions'",
    ),
}


@pytest.mark.parametrize(("spoil", "options", "says"), UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_input_of_noise_is_reported_and_nothing_made(
    variants: Path, capsys: pytest.CaptureFixture[str], spoil: Spoil, options: dict[str, str], says: str
) -> None:
    """Each is told with what to do, and leaves no folder, not even an unfinished one."""
    spoil()
    before = sorted(variants.rglob("*"))
    assert noise("replay", **({"variant": "clean"} | options)) == 2
    printed = capsys.readouterr().err
    assert re.search(says, printed), printed
    assert sorted(variants.rglob("*")) == before


# silt reveal ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside a sealed identity map of `us-listed` and two key files, the right one and another."""
    monkeypatch.chdir(tmp_path)
    for name, digit in (("right.key", "1"), ("other.key", "2")):
        Path(name).write_text(digit * 64)
        Path(name).chmod(0o600)
    pairs = pl.DataFrame({"kind": ["code"], "original": ["MLR"], "pseudonym": ["123456"]})
    Path("environments/us-listed/curator").mkdir(parents=True)
    file = Path("environments/us-listed/curator/identity_map.enc")
    file.write_bytes(seal(pairs, Key(bytes.fromhex("1" * 64))))
    return file


def revealed(*options: str) -> int:
    return main(["reveal", "--environment", "us-listed", *options])


@pytest.mark.usefixtures("sealed")
def test_reveal_prints_the_map(capsys: pytest.CaptureFixture[str]) -> None:
    """With the key, the map stands on standard output as CSV."""
    assert revealed("--key-file", "right.key") == 0
    assert capsys.readouterr() == ("kind,original,pseudonym\ncode,MLR,123456\n", "")


@pytest.mark.parametrize("file", [f".silt/us-listed{policy}.key" for policy in ("", ".lsd", ".guarded")])
@pytest.mark.parametrize("key", [DEMONSTRATION_KEY.secret.hex(), "3" * 64], ids=["of generated tables", "of a user's"])
def test_reveal_finds_the_key_of_the_build(
    sealed: Path, key: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a key file the map opens with the public key, or with one of the environment's: whichever it was built with."""
    own = Path(file)
    own.parent.mkdir()
    Path("right.key").rename(own)
    own.write_text("3" * 64)
    sealed.write_bytes(
        seal(pl.DataFrame({"kind": ["code"], "original": ["MLR"], "pseudonym": ["123456"]}), Key(bytes.fromhex(key)))
    )
    assert (revealed(), capsys.readouterr().out) == (0, "kind,original,pseudonym\ncode,MLR,123456\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--key-file", "other.key"], "the identity map was sealed under the key with fingerprint"),
        ([], "cannot read the key file .silt/us-listed.lsd.key: No such file"),
        (
            ["--out", "elsewhere"],
            "no identity map at elsewhere/us-listed/curator/identity_map.enc; build the environment",
        ),
    ],
)
@pytest.mark.usefixtures("sealed")
def test_reveal_without_the_key_or_the_map_shows_nothing(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another key, no key and no map are told, and nothing of the map is printed."""
    assert revealed(*options) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err


# silt audit -----------------------------------------------------------------------------------------------------------


def test_audit_without_a_build_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No variant, no key, no raw tables: told with what to do, a program, too; no folder, corpus or key is made."""
    monkeypatch.chdir(tmp_path)
    says = "no noisy variant at environments/dataclaw-18/noisy; build it first, or say where it is with"
    assert main(["audit"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert main(["audit", "--json"]) == 2
    outcome = Outcome.model_validate_json(capsys.readouterr().out)
    assert (outcome.outcome, outcome.environment) == ("bad input", "dataclaw-18")
    assert says in outcome.message
    assert list(tmp_path.iterdir()) == []


def test_changes_of_a_ledger_are_printed_as_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of all tables or of one, rows that are gone among them; an unknown table is named beside those with noise."""
    ledger, rule = tmp_path / "noise_ledger.parquet", {"kind": "dropped_rows", "rule": "r", "recoverable": False}
    rows = [
        {"table": "shops", "row_key": "1", "column": "", "before": "1,Corner", "after": "", **rule},
        {"table": "sales", "row_key": "2", "column": "value", "before": "3", "after": "4", **rule},
    ]
    pl.DataFrame(rows, schema=SCHEMA).write_parquet(ledger)
    assert main(["noise", "changes", "--ledger", str(ledger), "--table", "shops"]) == 0
    header, *changes = capsys.readouterr().out.splitlines()
    assert header == "table,row_key,column,kind,rule,before,after,recoverable"
    assert changes == ['shops,1,"",dropped_rows,r,"1,Corner","",false']
    assert main(["noise", "changes", "--ledger", str(ledger)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert main(["noise", "changes", "--ledger", str(ledger), "--table", "towns"]) == 2
    assert "known: sales, shops" in capsys.readouterr().err
