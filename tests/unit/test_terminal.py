"""Tables and lists on a terminal: no line is too wide for it, nothing is lost, and a command stays in one line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from anonymize.policy import LSD
from pipeline.legible import WIDTH, folded, text_table
from silt.commands.saying import say
from validation.attacks import Attack
from validation.attacks.limits import CODES, LINKAGE, judged
from validation.attacks.privacy import attack_table

words = st.lists(
    st.sampled_from(["a", "revenue", "营业收入金额", "/a/long/path/of/a/file", "x" * 120]), max_size=30
).map(" ".join)
counts = st.integers(0, 10**9)


def letters(text: str) -> str:
    """Return what a text says, however it is folded."""
    return "".join(sorted(re.sub(r"\s", "", text)))


@given(st.lists(st.tuples(words, counts, words), max_size=8))
def test_no_line_of_a_table_is_too_wide(rows: list[tuple[str, int, str]]) -> None:
    """Whatever its cells hold, each character stands in it; numbers are whole, and end in one column."""
    table = text_table(("what", "count", "why"), [(a, f"{n:,}", b) for a, n, b in rows], numbers={"count"})
    assert all(cell_len(line) <= WIDTH for line in table.split("\n"))
    assert letters(table) == letters("whatcountwhy" + "".join(f"{a}{n:,}{b}" for a, n, b in rows))
    found = [(line, match) for line in table.split("\n") if (match := re.search(r"\bcount\b|\d[\d,]*", line))]
    assert [match[0] for _, match in found[1:]] == [f"{n:,}" for _, n, _ in rows]
    assert len({cell_len(line[: match.end()]) for line, match in found}) == 1


@given(st.lists(st.builds(Attack, attack=words, knowledge=words, records=counts, successes=st.just(0)), max_size=5))
def test_no_line_of_the_attacks_is_too_wide(attacks: list[Attack]) -> None:
    """Whatever they are called, and whatever they know."""
    table = attack_table(judged({CODES: attacks, LINKAGE: attacks}, LSD))
    assert all(cell_len(line) <= WIDTH for line in table.split("\n"))


@given(st.lists(st.text("abc:,营业", min_size=1, max_size=13), min_size=1, max_size=40), st.integers(40, WIDTH))
def test_lines_of_a_list_are_folded_under_their_text(parts: list[str], width: int) -> None:
    """Words are whole and in order, and the name of the line stands alone on its left."""
    line = f"  column     {' '.join(parts)}"
    found = folded(line, width).split("\n")
    assert all(cell_len(each) <= width for each in found)
    assert " ".join(found).split() == line.split()
    assert all(each.startswith(" " * 13) for each in found[1:])


def test_a_command_in_a_sentence_is_not_broken() -> None:
    """The line ends before it."""
    command = "`silt release --make-signing-key FILE --passphrase-file FILE`"
    found = folded(f"silt: {'word ' * 12}{command}, and go on").split("\n")
    assert [command in line for line in found] == [False, True]
    assert found[1].startswith(" " * len("silt: "))


@pytest.mark.parametrize(
    "line", [f"  next       silt build {'--option ' * 20}", f"| `name` | {'word ' * 30}|", "x" * 300, "short"]
)
def test_what_is_copied_stays_in_one_line(line: str) -> None:
    """A command, a row of a table in Markdown, a path, and whatever fits."""
    assert folded(line) == line


@pytest.mark.parametrize("begin", ["silt: error: ", "silt build: error: ", "silt tasks make: error: "])
def test_a_usage_error_is_folded_and_a_command_is_not(begin: str) -> None:
    """Both begin with the name of the program."""
    assert all(len(line) <= WIDTH for line in folded(begin + "word " * 30).split("\n"))
    command = f"  next       silt build noisy --raw {'a' * WIDTH} --out b"
    assert folded(command) == command


def test_of_nothing_no_line_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """No line is no empty line; a line without words is one."""
    say()
    say("", "made")
    assert capsys.readouterr().out == "\nmade\n"
