"""Every command that Silt prints runs as it is printed: in reports and cards, as `next` in the terminal, in the documentation.

What a page may not name, since pages are published, stands in it in capitals, as `DIR`; it says what that is.
"""

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path

import pytest

from silt.cli import _parser
from tests.architecture.test_documentation import PAGES
from tests.integration.conftest import PRINTED, run_silt

MEANT = {"DIR": "shops", "SPEC": "shops.yaml"}
MEANT |= {"FILE": "environments/shops/curator/noise_ledger.parquet", "NAME": "accounts"}


def on_pages(folder: Path) -> Iterator[str]:
    """Yield the commands of all pages below a folder, without marks of HTML; one without options is named, not given."""
    for page in sorted(folder.rglob("*.html")):
        found = re.findall(r"<code>(.*?)</code>", page.read_text(encoding="utf-8"), re.DOTALL)
        yield from (command for one in found if re.match("silt .* --", command := plain(one)))


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


def hints(printed: str) -> list[str]:
    """Return what is printed as the next command, or as that of a release."""
    return re.findall(r"^ *(?:next|release) +(silt .*)$", printed, re.MULTILINE)


def run_as_printed(command: str, folder: Path, meant: Mapping[str, str]) -> str:
    """Run a command in a folder; return what it printed. What a check has to say may be what is not ready."""
    words = [meant.get(word, word) for word in shlex.split(command)[1:]]
    done = run_silt(*words, cwd=folder)
    is_answered = done.returncode == 0 or (words[0] == "check" and " to mend:" in done.stderr)
    assert is_answered, f"{command}: {done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def work(built_example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tutorial's folder, in which commands are run."""
    folder = tmp_path_factory.mktemp("printed")
    return Path(shutil.copytree(built_example, folder, dirs_exist_ok=True))


@pytest.fixture(autouse=True)
def dated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give releases a date: the checkout may have changes."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")


def test_commands_of_reports_and_terminal_run(work: Path) -> None:
    """What a build prints: to check, to audit, to build again; then what a release prints, and its card.

    Nothing says how to release this build, since it is not safe to publish without any but.
    """
    reports = sorted({*on_pages(work / "environments")})
    printed = (work / PRINTED).read_text(encoding="utf-8")
    commands = [*reports, *hints(printed)]
    assert {command.split()[1] for command in commands} == {"audit", "build", "check", "noise"}
    for command in (*dict.fromkeys(commands), f"silt release --version 1.0.0 {INPUTS}"):
        shutil.rmtree(work / "releases", ignore_errors=True)
        for verify in hints(run_as_printed(command, work, MEANT))[-1:] if " release " in command else ():
            assert verify.startswith("silt verify ")
            run_as_printed(verify, work, {})
            (release,) = (work / "releases").glob("*-1.0.0")
            for one in re.findall("`(silt [^`]*)`", (release / "README.md").read_text(encoding="utf-8")):
                run_as_printed(one, release, {})


def test_a_rebuild_points_to_nothing_that_goes_away(work: Path) -> None:
    """It prints no `next` of the build inside of it, nor any path below its temporary folder.

    It runs as the release prints it: the specification is that beside the release.
    """
    released = run_as_printed(f"silt release --version 2.0.0 {INPUTS}", work, {})
    (command,) = re.findall("^  rebuild    (silt .*)$", released, re.MULTILINE)
    assert command == "silt rebuild releases/shops-2.0.0 --environment shops.py:SHOPS --raw shops"
    printed = run_as_printed(command, work, {})
    assert hints(printed) == []
    assert "silt-rebuild-" not in printed


def test_a_release_says_before_its_work_what_it_will_lack(work: Path) -> None:
    """Printed commands run without a licence and an author, which only the makers know; nobody should learn at the end."""
    both, sign = "no --license and no --author", "no --sign"
    for given, lacks in {"": f"{both} and {sign}", "--license CC0-1.0": f"no --author and {sign}"}.items():
        printed = run_as_printed(f"silt release --version 3.0.0 --replace {given} {INPUTS}", work, {})
        said = f"  look at    this release will have {lacks}; Ctrl-C ends it, to add what is missing"
        assert said in printed.partition("  releasing ")[0]
        assert re.findall("look at +(no .*): give it", printed) == lacks.split(" and ")


INPUTS = "--environment shops.py:SHOPS --raw shops --noise shops.yaml"


def in_documents() -> Iterator[tuple[str, str]]:
    """Yield the commands of blocks in the documentation, each with its page."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            lines = block.replace("\\\n", " ").splitlines()
            yield from (
                (page.name, found[1])
                for line in lines
                if (found := re.match(r"(?:\$ )?(?:\.venv/bin/)?(silt .*)", line))
            )


@pytest.mark.parametrize(("page", "command"), sorted(in_documents()))
def test_commands_of_the_documentation_are_understood(page: str, command: str) -> None:
    """Their commands, options and values are known; examples of one's own tables are run by the tests of these."""
    del page
    words = shlex.split(command.partition(" > ")[0], comments=True)[1:]
    assert _parser(words[:1]).parse_args(words).run
