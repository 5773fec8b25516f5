"""The page of questions: each has an answer, and each place that it names is there in a build of the tutorial's example."""

import re
from itertools import takewhile
from pathlib import Path

from silt.cli import _parser
from tests.integration.readme import ROOT

PAGE = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+\?) \| (.+) \|$", PAGE, re.MULTILINE)
PLACES = sorted({place for _, answer in ROWS for place in re.findall("`([^`]+)`", answer)})


def test_every_question_has_a_place() -> None:
    """There are thirty and more; a place is a link, which is tested where links are, a file of a build, or a command."""
    assert len(ROWS) >= 30
    assert [question for question, answer in ROWS if not re.search(r"`|\]\(", answer)] == []


def test_files_and_their_anchors_are_there(tasked_example: Path) -> None:
    """Each file stands in a build with tasks, and a page has the section that is named."""
    named = [place.partition("#") for place in PLACES if "/" in place and " " not in place]
    folder = tasked_example / "environments" / "shops"
    assert [path for path, _, _ in named if not (folder / path).exists()] == []
    pages = {path: (folder / path).read_text(encoding="utf-8") for path, _, anchor in named if anchor}
    assert [(path, anchor) for path, _, anchor in named if anchor and f'id="{anchor}"' not in pages[path]] == []


def test_commands_are_there() -> None:
    """Each command has help."""
    for command in (place.split()[1:] for place in PLACES if place.startswith("silt ")):
        words = [*takewhile(lambda word: not word.startswith("--"), command)]
        help_, found = _parser(words[:1]), words
        while found and (choices := next((a.choices for a in help_._actions if isinstance(a.choices, dict)), None)):
            help_, found = choices[found[0]], found[1:]
        options = {option for action in help_._actions for option in action.option_strings}
        assert found == []
        assert {word for word in command if word.startswith("--")} <= options
