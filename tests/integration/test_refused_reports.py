"""A build that a check refuses leaves its evidence with the curator, and the next build takes it away."""

import json
import re
import shlex
import stat
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.wiring.boundary import keep
from assets.wiring.gates import IN_THE_REPORT
from pipeline.publish.refusal import CRASH, PROBLEMS_IN_WORDS
from silt.cli import main
from tests.integration.refusals import DAGSTERS_OWN_WARNING, ended, last_build
from tests.pages import dead_links, text_of
from tests.unit.report.contradictions import gates_of
from validation.attacks.limits import ADAPTIVE
from validation.attacks.suite import verdict_on
from validation.report.head.gates import NO_IDENTIFIERS

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)


def failing(*arguments: Any, **options: Any) -> dict[str, Any]:
    return {**verdict_on(*arguments, **options), "passed": False}


def unpaged(*arguments: Any, **options: Any) -> dict[str, Any]:
    made = failing(*arguments, **options) | {"policy": "a policy that promises nothing"}
    over = made["attacks"][0] | {"family": ADAPTIVE, "passed": False}
    return made | {"attacks": [*made["attacks"], over]}


def unproven(*arguments: Any, **options: Any) -> dict[str, Any]:
    made = failing(*arguments, **options)
    found = {"records": 720, "successes": 35, "chance": 0.03, "rate": 0.02, "upper_95": 0.05, "standard_error": 0.018}
    over = {"family": ADAPTIVE, "limit": "at most 3%, upper bound at most 4%", "passed": False}
    return made | {"attacks": [*made["attacks"], made["attacks"][0] | found | over]}


def words_of_checks() -> set[str]:
    """Return what the checks of the last run that have words of the report say, as the web graph shows them."""
    with dg.DagsterInstance.get() as instance:
        (run,) = instance.get_run_records(limit=1)
        events = instance.all_logs(run.dagster_run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
        found = [event.get_dagster_event().asset_check_evaluation_data.metadata for event in events]
    return {str(metadata[IN_THE_REPORT].value) for metadata in found if IN_THE_REPORT in metadata}


@pytest.mark.usefixtures("shops")
def test_a_page_that_fails_hides_no_refusal(
    example: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is told with its reports; the defect's trace is the curator's, and nothing is left for others to see."""
    monkeypatch.setattr("assets.evidence.attacks.verdict_on", unpaged)
    monkeypatch.setenv("TMPDIR", str(Path("elsewhere").absolute()))
    Path("elsewhere").mkdir()
    said = ended([*example, "--fresh"], capsys, status=1)
    assert "refused by attacks_stay_within_limits, so nothing is published; the reports are in " in said.printed
    assert (
        "without their page: a defect in Silt, whose traceback is in environments/shops/curator/crash.txt"
        in said.printed
    )
    settings = "--environment shops.py:SHOPS --raw shops --noise shops.yaml"
    assert f"`silt check {settings}` tries whether another `--budget` helps" in said.printed
    kept = Path("environments/shops/curator")
    assert "KeyError" in (kept / "crash.txt").read_text(encoding="utf-8")
    assert {path.name for path in (kept / "refused/reports").iterdir()} >= {"attacks.json", "ks.json"}
    assert not (kept / "refused/reports/report.html").exists()
    assert not list(Path("elsewhere").glob("silt-*"))


@pytest.mark.usefixtures("shops")
def test_of_a_bound_alone_all_say_what_would_show_it(
    example: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page, the terminal and the document name the same number, and the same build after it."""
    monkeypatch.setattr("assets.evidence.attacks.verdict_on", unproven)
    said = ended([*example, "--fresh", "--json"], capsys, status=1)
    outcome = json.loads(re.search(r"(?ms)^{$.*^}$", said.printed).group())  # type: ignore[union-attr]
    mended = (
        "give more companies (about 2.3 times as many would show that the limit is kept, at this rate), declare larger"
    )
    assert outcome["first"].startswith(mended)
    assert outcome["next"].startswith("silt build")
    assert mended[1:] in outcome["failing"]["attacks_stay_within_limits"]
    assert f"\n  first      {outcome['first']}, then:\n  next       {outcome['next']}\n" in said.printed
    assert f"G{outcome['first'][1:]}, then build again" in text_of(Path(outcome["report"]).read_bytes())


def test_refused_build_leaves_its_reports(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each report of the build is a file in a folder that the error names; the last build stands; a good build clears it."""
    before = last_build(shops)
    with monkeypatch.context() as changed:
        changed.setattr("assets.evidence.attacks.verdict_on", failing)
        said = ended([*example, "--fresh", "--json"], capsys, status=1)
    outcome = json.loads(re.search(r"(?ms)^{$.*^}$", said.printed).group())  # type: ignore[union-attr]
    assert "No report says more" in outcome["failing"]["attacks_stay_within_limits"]
    assert outcome["verdicts"].keys() == {"faithful", "safe", "hard"}
    assert outcome["escapes"] is None  # nothing was found in tables, and reports were not searched
    assert outcome["steps"] > 10
    assert f"  report     {outcome['report']}\n  first      mend" in said.printed
    assert f"\n  next       {outcome['next']}\n" in said.printed
    kept = shops / "curator/refused/reports"
    assert "silt: refused by attacks_stay_within_limits, so nothing is published\n" in said.printed
    assert said.names_nobody()
    assert json.loads((kept / "attacks.json").read_text(encoding="utf-8"))["passed"] is False
    assert json.loads((kept / "ks.json").read_text(encoding="utf-8"))["passed"] is True
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    page = (kept / "report.html").read_bytes()
    gates = [": ".join((claim, "; ".join(found))) for claim, *found in gates_of(page.decode())]
    unsearched = f"{NO_IDENTIFIERS}: not tried; another gate had refused the build before the search"
    exact = [
        gate for gate in gates if gate.startswith("Clean plus ledger is noisy, and noisy plus ledger is clean: passed")
    ]
    assert {*gates} - words_of_checks() == {unsearched, *exact}  # each table has its own check of its ledger
    noise = json.loads((kept / "noise.json").read_text(encoding="utf-8"))
    assert bool(exact) == bool(noise["ladder"][0]["changes"])  # under one key of many the few rows stay as they were
    assert outcome["verdicts"]["safe"] == "No: companies can be found again"
    assert "1 was not tried." in text_of(page)
    assert "Refused, nothing published" in text_of(page)
    assert f"{outcome['next']} " in text_of(page).partition("Next.")[2]
    assert not re.search(r"\b(?:DIR|SPEC)\b", text_of(page))
    assert (
        f"{kept.relative_to(Path.cwd())}/report.html" in said.printed or "refused/reports/report.html" in said.printed
    )
    assert dead_links(kept) == []
    assert last_build(shops) == before
    further = [keep(shops, name, "of an earlier build") for name in (PROBLEMS_IN_WORDS, CRASH)]
    assert main(shlex.split(outcome["next"])[1:]) == 0
    assert not any(left.exists() for left in (kept, *further))
