"""`silt score`: files of answers that it takes and refuses, what it counts, and what it keeps to itself."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scipy.stats

from pipeline.errors import GateError, InputError
from pipeline.publish.files import sha256
from pipeline.tasks.records import Commitments, Kept, TaskImpact, bound
from pipeline.tasks.scoring import files
from pipeline.tasks.scoring.files import read_answers, tasks_with_gold
from silt.cli import main
from silt.commands import waiting
from tests.unit.report.tasks import question, solved
from validation.report.tasks.scores import scores_page
from validation.tasks.scores import Results, accuracy_of, scores_of

DEV = {"dev-0001": 1.5, "dev-0002": ["a", "b"]}
TEST = {"test-0001": 77654.25, "test-0002": ["Zyxo", "Qwax"], "test-0003": "Vorb"}
TYPES = {"dev-0002": "list", "test-0002": "ranked list", "test-0003": "text"}
BROKEN_BY = {
    "dev-0001": ["units"],
    "dev-0002": [],
    "test-0001": ["units", "gaps"],
    "test-0002": ["gaps"],
    "test-0003": [],
}
SALT = "5a" * 32


@pytest.fixture(autouse=True)
def _nothing_on_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "FIRST", 10_000.0)
    monkeypatch.setattr(waiting, "LOG", (10_000.0, 0.5))


@pytest.fixture(autouse=True)
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside an output folder with a small set of tasks."""
    monkeypatch.chdir(tmp_path)
    tasks, curator = (tmp_path / "environments/us-listed" / part for part in ("tasks", "curator/tasks"))
    tasks.mkdir(parents=True)
    curator.mkdir(parents=True)
    asked = {
        name: question(
            name,
            answer_type=TYPES.get(name, "number"),
            level="easy" if name in DEV else "hard",
            category=f"of {len(TYPES.get(name, ''))}",
        )
        for name in (*DEV, *TEST)
    }
    answered = {name: solved(asked[name], answer=gold, clean_answer=gold) for name, gold in (DEV | TEST).items()}
    kept = [
        Kept(salt=SALT, **{field: getattr(answered[name], field) for field in Kept.model_fields if field != "salt"})
        for name in TEST
    ]
    commitments = Commitments(
        scheme="any", answers={name: bound(bytes.fromhex(SALT), gold) for name, gold in TEST.items()}
    )
    (tasks / "dev.jsonl").write_text("\n".join(answered[name].model_dump_json() for name in DEV))
    (tasks / "test.jsonl").write_text("\n".join(asked[name].model_dump_json() for name in TEST))
    (tasks / "commitments.json").write_text(commitments.model_dump_json())
    (tasks / "impact.json").write_text(impact(*DEV))
    (curator / "test_answers.jsonl").write_text("\n".join(each.model_dump_json() for each in kept))
    (curator / "test_impact.json").write_text(impact(*TEST))
    listed = [{"path": file.name, "sha256": sha256(file)} for file in sorted(tasks.iterdir())]
    (tasks / "manifest.json").write_text(json.dumps({"files": listed}))
    return tmp_path / "environments"


def impact(*names: str) -> str:
    of = {"touched": [], "naive": {}, "mended": None, "cause": "", "answerable": None}
    return json.dumps({name: TaskImpact(**of, broken_by=BROKEN_BY[name]).model_dump() for name in names})


def written(answers: object, name: str = "answers.jsonl") -> Path:
    """Write a file of answers: of a mapping a line each, or text or bytes as they are."""
    lines = (
        [json.dumps({"id": task, "answer": answer}) for task, answer in answers.items()]
        if isinstance(answers, dict)
        else []
    )
    content = (
        answers if isinstance(answers, bytes) else (answers if isinstance(answers, str) else "\n".join(lines)).encode()
    )
    Path(name).write_bytes(content)
    return Path(name)


def scored(answers: object, *options: str) -> Results:
    assert main(["score", str(written(answers)), "--environment", "us-listed", *options]) == 0
    return Results.model_validate_json(Path("results.json").read_bytes())


def test_gold_is_right_and_what_differs_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """A task without an answer is wrong, and counted as missing."""
    found = scored(DEV | TEST | {"test-0003": None, "test-0001": -77654.25})
    assert {each.id: each.verdict for each in found.verdicts} == {
        "dev-0001": "right",
        "dev-0002": "right",
        "test-0001": "wrong",
        "test-0002": "right",
        "test-0003": "missing",
    }
    assert (found.accuracy.tasks, found.accuracy.right, found.accuracy.missing, found.left_out) == (5, 3, 1, {})
    assert [(each.name, each.right, each.tasks) for each in found.by_part] == [("dev", 2, 2), ("test", 1, 3)]
    assert [(each.name, each.right, each.tasks) for each in found.by_level] == [("easy", 2, 2), ("hard", 1, 3)]
    assert [(each.name, each.tasks) for each in found.by_category] == [("of 0", 2), ("of 11", 1), ("of 4", 2)]
    assert [(each.name, each.right, each.tasks) for each in found.by_rule] == [
        ("", 1, 2),
        ("gaps", 1, 2),
        ("units", 1, 2),
    ]
    printed = capsys.readouterr().out
    assert "right      3, which is 60.0% (95% interval 14.7% to 94.7%)" in printed
    assert "missing    1 task without an answer" in printed


def test_an_interval_is_the_exact_one() -> None:
    """Clopper and Pearson's, as scipy has it."""
    for right, of in ((0, 7), (3, 7), (7, 7), (300, 492)):
        verdicts = [{"verdict": "right" if i < right else "wrong"} for i in range(of)]
        found = accuracy_of("any", [an_outcome(**each) for each in verdicts])
        expected = scipy.stats.binomtest(right, of).proportion_ci(0.95, method="exact")
        assert (found.low_95, found.high_95) == pytest.approx((expected.low, expected.high))


def an_outcome(**fields: Any) -> Any:
    from validation.tasks.scores import ScoredTask  # noqa: PLC0415

    return ScoredTask(**{"id": "a", "part": "dev", "category": "b", "level": "easy", "reason": "c"} | fields)


def test_nothing_that_is_written_or_said_holds_an_answer_of_the_test(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Neither what is right nor what was answered; the owner alone can read it, since it names the rules of noise."""
    scored(DEV | TEST)
    said = "".join([Path("results.json").read_text(), Path("results.html").read_text(), capsys.readouterr().out])
    assert not [word for word in ("77654", "Zyxo", "Qwax", "Vorb", SALT) if word in said]
    assert {Path(name).stat().st_mode & 0o077 for name in ("results.json", "results.html")} == {0}


def test_the_same_answers_give_the_same_bytes() -> None:
    """Elsewhere, too; and a second run replaces the first."""
    scored(TEST)
    first = [Path(name).read_bytes() for name in ("results.json", "results.html")]
    scored(TEST, "--to", "else/where")
    assert [(Path("else/where") / name).read_bytes() for name in ("results.json", "results.html")] == first


def test_dev_is_scored_alone_where_the_answers_of_the_test_are_not(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers to the test are known tasks then, and not counted; with nothing else, there is nothing to score."""
    (out / "us-listed/curator/tasks/test_answers.jsonl").unlink()
    found = scored(DEV | TEST)
    assert (found.accuracy.tasks, list(found.left_out)) == (2, ["test"])
    assert "its answers are the curator's" in found.left_out["test"]
    assert "left out   test: its answers are the curator's" in capsys.readouterr().out
    assert b"Nothing of test: its answers are the curator" in Path("results.html").read_bytes()
    assert main(["score", str(written(TEST)), "--environment", "us-listed"]) == 2
    assert (
        "nothing can be scored; dev: the file answers none of its tasks; test: its answers" in capsys.readouterr().err
    )


def test_a_part_of_which_nothing_was_answered_is_left_out() -> None:
    """Who was asked the test alone is not wrong on dev; but one answer is enough to count all; an empty file answers both."""
    assert scored(TEST).left_out == {"dev": "the file answers none of its tasks"}
    one = scored({"test-0001": TEST["test-0001"]})
    assert (one.accuracy.right, one.accuracy.tasks, one.accuracy.missing) == (1, 3, 2)
    assert (scored("").accuracy.tasks, scored("\n").left_out) == (5, {})


def test_without_impact_nothing_is_said_of_rules(out: Path) -> None:
    for part in ("tasks/impact.json", "curator/tasks/test_impact.json"):
        (out / "us-listed" / part).unlink()
    manifest = out / "us-listed/tasks/manifest.json"
    listed = [each for each in json.loads(manifest.read_bytes())["files"] if each["path"] != "impact.json"]
    manifest.write_text(json.dumps({"files": listed}))
    assert scored(TEST).by_rule == []
    assert "rule" not in re.sub(r"(?s)<(style|script).*?</\1>", "", Path("results.html").read_text())


OTHERS: dict[str, tuple[Callable[[Path], object], type[Exception], str]] = {
    "no tasks": (
        lambda folder: (folder / "tasks/manifest.json").unlink(),
        InputError,
        r"holds no tasks; make them \(silt tasks make\)",
    ),
    "a manifest that is none": (
        lambda folder: (folder / "tasks/manifest.json").write_text("[]"),
        InputError,
        r"manifest\.json is no manifest of tasks; make the tasks again",
    ),
    "a changed dev": (
        lambda folder: (folder / "tasks/dev.jsonl").write_text(""),
        GateError,
        r"changed \['dev\.jsonl'\]",
    ),
    "a changed answer": (
        lambda folder: (file := folder / "curator/tasks/test_answers.jsonl").write_text(
            file.read_text().replace("Vorb", "Vorc")
        ),
        GateError,
        "answers of tasks are not what binds them",
    ),
    "impact that is none": (
        lambda folder: (folder / "curator/tasks/test_impact.json").write_text("[]"),
        InputError,
        r"test_impact\.json is not as it was made",
    ),
}


@pytest.mark.parametrize(("spoil", "error", "says"), OTHERS.values(), ids=OTHERS)
def test_tasks_that_are_not_as_they_were_made_are_refused(
    out: Path, spoil: Callable[[Path], object], error: type[Exception], says: str
) -> None:
    """Nobody scores against answers that were changed since."""
    spoil(out / "us-listed")
    with pytest.raises(error, match=says):
        tasks_with_gold(out / "us-listed")


def test_a_guideline_of_another_version_is_refused(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or each record of the set would be wrong."""
    asked = question("dev-0001", answer_type="record", guideline="Give both.")
    monkeypatch.setattr(files, "records_of", lambda *_: [solved(asked, answer=[1, 2], clean_answer=[1, 2])])
    with pytest.raises(InputError, match=r"task dev-0001 in .* has a guideline of another version"):
        tasks_with_gold(out / "us-listed")


GOOD = '{"id": "dev-0001", "answer": 1}\n'
KEY = "0123456789abcdef" * 4

REFUSED: dict[str, tuple[str | bytes, str]] = {
    "an unknown task": (
        GOOD + '{"id": "dev-0003", "answer": 1}',
        "found 'dev-0003'; give the id of a task of this set: dev-0001 to dev-0002 (2), test-0001 to test-0003 (3)\n",
    ),
    "a task twice": (
        GOOD + "\n" + GOOD,
        "line 3, field 'id': found 'dev-0001' a second time; give one answer to each task",
    ),
    "no JSON": (
        GOOD + "dev-0002: 5",
        'line 2: no JSON at character 1 (Expecting value); give one JSON object, as {"id": "dev',
    ),
    "not a number": ('{"id": "dev-0001", "answer": NaN}', "line 1: a number that JSON does not have, or lists"),
    "a list": ("[1]", "line 1: no JSON object; give one JSON object"),
    "a CSV": ("code,name\n600001,0123456789", "line 2: no JSON at character 7 (Extra data)"),
    "no answer": (
        '{"id": "dev-0001", "anwser": 5}',
        "line 1, field 'answer': it is missing, found 'id, anwser'; give id and answer",
    ),
    "no id": ('{"answer": 5}', "line 1, field 'id': it is missing"),
    "an id that is a number": ('{"id": 1, "answer": 5}', "line 1, field 'id': found 1; give the id"),
    "an id that is a list": ('{"id": [], "answer": 5}', "line 1, field 'id': found a list or an object; give the id"),
    "bytes": (
        GOOD.encode() + b'{"id": "dev-0002", "answer": "\xff"}',
        "line 2: found the byte 0xff; write the file in UTF-8",
    ),
    "nested deep": ('{"id": "dev-0001", "answer": ' + "[" * 200_000, "line 1: "),
    "a number too long": (
        '{"id": "dev-0001", "answer": ' + "9" * 5_000 + "}",
        "line 1: a number that JSON does not have",
    ),
    "a key": (KEY, "answers.jsonl holds what may be a key"),
    "a key for an id": (f'{{"id": "{KEY}", "answer": 1}}', "found '(withheld)'; give the id"),
    "a key among answers": (GOOD + KEY, "line 2: no JSON at character"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED)
def test_a_line_that_cannot_be_used_refuses_the_file(
    capsys: pytest.CaptureFixture[str], content: str | bytes, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names file, line, field and value; nothing is written, and no key is shown."""
    monkeypatch.setenv("COLUMNS", "1000")
    assert main(["score", str(written(content)), "--environment", "us-listed"]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "0123456789" not in said
    assert sorted(os.listdir()) == ["answers.jsonl", "environments"]  # noqa: PTH208


def test_all_lines_that_cannot_be_used_are_listed_ten_at_most() -> None:
    """So they are mended at once."""
    with pytest.raises(InputError) as refused:
        read_answers(written("\n".join(["x"] * 30)), [])
    assert re.findall(r"line (\d+)", str(refused.value)) == [str(line) for line in range(1, 11)]
    assert "Further lines were not read." in str(refused.value)
    with pytest.raises(InputError) as refused:
        read_answers(written('y\n{"id": "a", "answer": 1}\nz'), ["a"])
    assert re.findall(r"line (\d+)", str(refused.value)) == ["1", "3"]


def test_other_fields_blank_lines_and_a_mark_of_the_encoding_are_nothing() -> None:
    content = b'\xef\xbb\xbf\r\n{"id": "a", "answer": [1, "x"], "model": "m"}\r\n\r\n'
    assert read_answers(written(content), ["a"]) == {"a": [1, "x"]}


@pytest.mark.parametrize("name", ["results.json", "results.html"])
def test_answers_are_never_written_over(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Whoever calls them so has to name another folder."""
    file = written(DEV, name)
    assert main(["score", name, "--environment", "us-listed"]) == 2
    assert "would be written over the answers in" in capsys.readouterr().err
    assert file.read_bytes() == written(DEV, "as-before.jsonl").read_bytes()
    assert main(["score", name, "--environment", "us-listed", "--to", "made"]) == 0


@pytest.mark.parametrize(("name", "says"), [("nowhere.jsonl", "No such file"), (".", "Is a directory")])
def test_answers_that_cannot_be_read_are_named(capsys: pytest.CaptureFixture[str], name: str, says: str) -> None:
    assert main(["score", name, "--environment", "us-listed"]) == 2
    assert f"cannot read the answers in {name}: {says}" in capsys.readouterr().err


def test_the_page_shows_each_verdict_with_its_question(out: Path) -> None:
    """What is wrong stands first; a question cannot be markup."""
    asked = {name: question(name, question=f"<b>{name}?") for name in (*DEV, *TEST)}
    found = scores_of(
        tasks_with_gold(out / "us-listed"),
        TEST | {"test-0003": "other"},
        environment="a",
        tasks_sha256="b",
        answers_sha256="c",
    )
    shown = scores_page(found, asked, "Any").decode()
    assert re.findall(r'<span lang="en">&lt;b&gt;(test-\d+)\?</span>', shown) == ["test-0003", "test-0001", "test-0002"]
    assert "<b>test-" not in shown
    assert "66.7%: 2 of 3 tasks" in shown
    assert "it is another text" in shown
