"""The page of the curator's folder lists what is there."""

import re
from pathlib import Path

from pipeline.publish.curator import HOLDS, README, describe


def test_the_page_lists_what_is_there_and_nothing_else(tmp_path: Path) -> None:
    """Files by their names, a folder with a slash, and any variant's file by its pattern."""
    curator = tmp_path / "curator"
    (curator / "tasks").mkdir(parents=True)
    (curator / "audit-noisy.json").touch()
    (curator / "reports").touch()
    describe(curator)
    listed = (curator / README).read_text(encoding="utf-8").split("\n\n")[1]
    assert [line.partition("  ")[0] for line in listed.splitlines()] == ["audit-<variant>.json", "tasks/"]
    (curator / "audit-noisy.json").unlink()
    (curator / "tasks").rmdir()
    describe(curator)
    assert not any(what in (curator / README).read_text(encoding="utf-8") for what in HOLDS.values())


def test_every_file_that_steps_write_there_has_a_line() -> None:
    """The names stand in the steps that write them."""
    sources = (file.read_text(encoding="utf-8") for file in (Path(__file__).parents[3] / "assets").rglob("*.py"))
    names = {name for source in sources for name in re.findall(r'run\.note\("(.*?)"', source)}
    assert names
    assert names <= set(HOLDS)
