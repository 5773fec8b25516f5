"""Mutation testing: what is made of a source, what the laboratory sees, and that what is written down is whole."""

import ast
from pathlib import Path

import pytest

from tests.mutations.__main__ import EQUIVALENT, ROOT, Module, by_hand, modules, sample, survivors
from tests.mutations.laboratory import FailingTestsError, laboratory
from tests.mutations.made import mutations

SOURCE = b'''"""Nothing of this docstring, and nothing of types, is changed."""
LIMIT: int | None = 3


def told(values: list[int | str], *, is_all: bool = False) -> bool:
    """Nor of this one."""
    if is_all:
        values.append(len(values))
    return all(value < LIMIT + 1 and value != "\xc3\xa9" for value in values if value)
'''

EACH = "(value < LIMIT + 1 and value != 'é' for value in values if value)"
MADE = [
    "module: 3 -> 4 in LIMIT: int | None = 3",
    "told: False -> True in def told(values: list[int | str], *, is_all: bool = False) -> bool:",
    "told: is_all -> not is_all",
    "told: values.append(len(values)) -> pass",
    f"told: all({EACH}) -> any({EACH})",
    "told: value < LIMIT + 1 -> value <= LIMIT + 1",
    "told: value < LIMIT + 1 and value != 'é' -> value < LIMIT + 1 or value != 'é'",
    "told: LIMIT + 1 -> LIMIT - 1",
    """told: 1 -> 2 in return all(value < LIMIT + 1 and value != "é" for value in values if value)""",
    "told: value != 'é' -> value == 'é'",
    """told: 'é' -> 'é!' in return all(value < LIMIT + 1 and value != "é" for value in values if value)""",
    "told: value -> not value",
]


def test_each_expression_and_statement_becomes_another() -> None:
    """Operators, constants, conditions, twins and statements; each change stands alone, and is Python."""
    made = mutations(SOURCE)
    assert sorted(each.text for each in made) == sorted(MADE)
    changed = {each.applied(SOURCE) for each in made}
    assert len(changed) == len(made)
    assert SOURCE not in changed
    assert all(ast.parse(source) for source in changed)


def test_arguments_are_swapped_and_equal_texts_are_numbered() -> None:
    """No two mutations have one name, so that a survivor is that one."""
    made = mutations(b"f(a, b)\nf(a, a)\nf(*a, b)\nx = y + 1\nx = y + 1\n")
    texts = [each.text for each in made]
    assert "module: f(a, b) -> f(b, a)" in texts
    assert sum("->" in text and "f(" in text.split("->")[1] for text in texts) == 1
    assert {"module: y + 1 -> y - 1", "module: y + 1 -> y - 1 (2)"} <= set(texts)
    assert len(set(texts)) == len(texts)


def test_a_sample_is_as_it_was_wherever_nothing_changed() -> None:
    """Other seeds have other samples; a line more adds its own mutations alone."""
    module = Module("m.py", [], most=4)
    chosen = sample(module, SOURCE, 1)
    assert len(chosen) == 4
    assert {each.text for each in sample(module, SOURCE, 2)} != {each.text for each in chosen}
    whole = Module("m.py", [], most=100)
    texts = [each.text for each in sample(whole, b"X = 1\n" + SOURCE, 1) if each.text != "module: 1 -> 2 in X = 1"]
    assert texts == [each.text for each in sample(whole, SOURCE, 1)]


def test_the_laboratory_sees_what_tests_see(tmp_path: Path) -> None:
    """A mistake that a test meets is noticed, one that none meets is not, also right after it; the checkout stays as it is."""
    (tmp_path / "m.py").write_text("def f(x):\n    return x + 1\n")
    (tmp_path / "test_m.py").write_text("from m import f\n\ndef test_f():\n    assert f(0) > 0\n")
    with laboratory(tmp_path) as bench:
        bench.refuse_failing(["test_m.py"])
        assert bench.is_noticed("m.py", b"def f(x):\n    return x - 1\n", ["test_m.py"])
        assert not bench.is_noticed("m.py", b"def f(x):\n    return x + 2\n", ["test_m.py"])
        with pytest.raises(FailingTestsError, match=r"without any mutation other\.py ends with status 4"):
            bench.refuse_failing(["other.py"])
    assert (tmp_path / "m.py").read_text() == "def f(x):\n    return x + 1\n"


def test_what_is_made_by_hand_can_be_put_in() -> None:
    """Each stands once in its module, changes it, and leaves Python."""
    for module in modules():
        source = (ROOT / module.file).read_bytes()
        for mutation in by_hand(module):
            assert mutation.applied(source) != source
            assert ast.parse(mutation.applied(source))


def test_critical_modules_and_their_tests_are_there() -> None:
    listed = modules()
    assert [file for module in listed for file in (module.file, *module.tests) if not (ROOT / file).exists()] == []
    assert survivors().keys() == {module.file for module in listed if module.most}


def test_each_survivor_has_its_reason() -> None:
    """Of all that is tried, less than one in twenty survives that somebody could notice."""
    kept = survivors().values()
    reasons = [each["reason"] for module in kept for each in module["survivors"]]
    assert all(reasons)
    real = sum(not reason.startswith(EQUIVALENT) for reason in reasons)
    assert real < 0.05 * sum(module["tried"] for module in kept)
