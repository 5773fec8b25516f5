"""What a user can name is documented: commands, options, targets, variables, files, checks, public names, words."""

import ast
import re
import subprocess
from pathlib import Path

import dagster as dg
import pytest

import silt
from anonymize.policy import LSD
from assets.wiring.gates import GATES
from silt.cli import _parser
from silt.definitions import build_defs
from silt.environments.registry import ENVIRONMENTS
from tests.unit.report import findings
from validation.report.head.gates import gates_of
from validation.report.sections.release import ReportedVariant

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "noise_specs" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
REFERENCE = TEXTS["docs/reference.md"]
EVIDENCE = TEXTS["docs/evidence.md"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z0-9-]+):.*## ", MAKEFILE, re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)

MOST_BYTES = 6 * 1024
"""Of the README: what somebody reads before they decide (our choice)."""


def test_the_readme_is_short() -> None:
    """It says what Silt is and how to begin; everything else stands in `docs/`."""
    assert len(TEXTS["README.md"].encode()) <= MOST_BYTES


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"help", "requirements"}))
def test_targets_are_in_the_reference(target: str) -> None:
    """Each documented target of the Makefile stands in the reference."""
    assert f"make {target}" in REFERENCE


def test_commands_and_options_are_in_the_reference() -> None:
    """Each command of `silt`, each setting of `silt.build` and each option of `silt build` stands in the reference."""
    commands = next(action.choices for action in _parser()._actions if isinstance(action.choices, dict))
    assert [name for name in commands if f"silt {name}" not in REFERENCE] == []
    options = [option for action in commands["build"]._actions for option in action.option_strings]
    assert [option for option in options if option.startswith("--") and f"`{option}`" not in REFERENCE] == ["--help"]
    settings = [option.removeprefix("--").replace("-", "_") for option in options if option.startswith("--")]
    said = set(re.findall(r"`(\w+)`", REFERENCE.split("## In Python")[1]))
    assert [name for name in settings if name not in said] == ["help", "environment", "quiet", "json", "open"]


def test_variables_reach_their_options() -> None:
    """Each variable of the reference's table is handed on by the Makefile to the option beside it."""
    pairs = re.findall(r"^\| `([A-Z_]+)` \| `(--[a-z-]+)` \|", REFERENCE, re.MULTILINE)
    assert len(pairs) == 16
    for variable, option in pairs:
        handed_on = rf"{option} '\$\({variable}\)'|\$\(filter 1,\$\({variable}\)\),{option}\)"
        assert re.search(handed_on, MAKEFILE), variable


def test_help_is_the_default_target() -> None:
    """`make` alone prints the list of targets."""
    listed = subprocess.run(["make", "-s"], cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S607
    assert all(f"make {target}" in listed for target in TARGETS)


@pytest.mark.parametrize("is_found", [False, True])
def test_make_says_how_the_commands_that_it_prints_are_typed(tmp_path: Path, *, is_found: bool) -> None:
    """Where `silt` is not found, whatever became of the command, whose end stays what it was."""
    (program := tmp_path / "silt").write_text("#!/bin/sh\necho next silt $1\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / ".ready").touch()
    path = ":".join([*([str(tmp_path)] if is_found else []), "/usr/bin", "/bin"])
    done = subprocess.run(
        ["make", "-s", "audit", f"BIN={tmp_path}", f"READY={tmp_path / '.ready'}"],  # noqa: S607
        cwd=ROOT, check=False, capture_output=True, text=True, env={"PATH": path},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "next silt audit\n")
    assert ("to type    silt: export PATH=" in done.stderr) is not is_found


def test_the_test_command_is_where_it_is_looked_for() -> None:
    """What runs everything takes the command from a line of its own."""
    found = re.findall(r"^test command: `(.*)`.*", TEXTS["README.md"], re.MULTILINE)
    assert found == ["make test"]


def test_each_published_file_is_described() -> None:
    """Each published table and document says what it holds, and dataclaw's stand in the reference with their names."""
    for environment in ENVIRONMENTS.values():
        assert all(published.description for published in (*environment.tables, *environment.documents))
    names = [table.path for table in ENVIRONMENTS["dataclaw-18"].tables if table.folder == "database"]
    short = [path for path in names if "company_profile_" not in path]
    assert [path for path in short if path not in REFERENCE] == []


def test_each_gate_is_explained() -> None:
    """Each check that can stop publishing has its row on the page on evidence, in the graph's and the report's words."""
    graphs = [build_defs(environment).resolve_asset_graph() for environment in ENVIRONMENTS.values()]
    checks = {key.name: graph.get_check_spec(key).description for graph in graphs for key in graph.asset_check_keys}
    release = ReportedVariant(environment="", title="", variant="", manifest={"policy": LSD.name})
    claims = {gate.name: gate.claims for gate in gates_of(findings.typed(findings.reports()), release)}
    expected = {check: (words, claims[GATES[check]] if check in GATES else "") for check, words in checks.items()}
    table = EVIDENCE.split("## The gates")[1].split("##")[0]
    assert {
        row[0]: row[1:] for row in re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) ?\|$", table, re.MULTILINE)
    } == expected


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    """Each link and picture of a page is a file, and an anchor is one of its headings."""
    text = FENCED.sub("", TEXTS[page])
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.is_file(), link
        headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
        assert not anchor or anchor in [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings]


@pytest.mark.parametrize("page", [page for page in TEXTS if page.startswith("docs/")])
def test_pages_can_be_found(page: str) -> None:
    """Each page of `docs/` is linked from another page."""
    name = page.rsplit("/", maxsplit=1)[-1]
    linked = [other for other, text in TEXTS.items() if other != page and re.search(rf"\]\([^)]*{name}[)#]", text)]
    assert linked


def declarations() -> list[tuple[str, str]]:
    """Return the Python of every page and example, with where it stands."""
    fenced = re.compile(r"```python\n(.*?)```", re.DOTALL)
    blocks = [(name, block) for name, text in TEXTS.items() for block in fenced.findall(text)]
    files = sorted((ROOT / "docs").rglob("*.py"))
    return blocks + [(file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")) for file in files]


OURS = {"anonymize", "assets", "pipeline", "raw", "silt", "validation"}


@pytest.mark.parametrize(("where", "code"), declarations(), ids=[where for where, _ in declarations()])
def test_declarations_import_from_one_place(where: str, code: str) -> None:
    """Of Silt's own modules, whoever declares tables imports `silt`, and names that are public there."""
    for node in ast.walk(ast.parse(code)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        assert [module for module in modules if module.split(".")[0] in OURS and module != "silt"] == [], where
        if isinstance(node, ast.ImportFrom) and node.module == "silt":
            assert [alias.name for alias in node.names if alias.name not in silt.__all__] == [], where


def test_words_of_the_glossary_stand_once_and_in_order() -> None:
    """A word has one meaning and one place."""
    table = TEXTS["docs/glossary.md"].split("\n## ")[0]
    words = re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)[1:]
    terms = [word for word in words if not word.startswith("-")]
    assert terms == sorted(set(terms), key=str.lower)
    assert len(terms) > 50


def test_the_graph_that_dagster_dev_loads_is_there() -> None:
    """`dagster dev` in the checkout, and `silt dev`, load the definitions that `pyproject.toml` names."""
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.findall(r'^(?:code_location_target_module|module_name) = "(.*)"$', pyproject, re.MULTILINE) == [
        "silt.definitions",
        "silt.definitions",
    ]
    dg.Definitions.validate_loadable(build_defs())
