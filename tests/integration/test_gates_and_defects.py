"""Builds that a gate refuses, and those that a defect ends: their exit status, what is kept with the curator, what is said."""

import json
import os
import re
import stat
from pathlib import Path

import dagster as dg
import pytest

from tests.integration.event_log import kept_by_dagster
from tests.integration.refusals import DAGSTERS_OWN_WARNING, SHOP_NAMES, Ended, ended, last_build
from tests.pages import text_of

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)

NAME = SHOP_NAMES[0]


def declare(change: str) -> None:
    """Change how the example's declaration renders `shops.csv`."""
    declaration = Path("shops.py")
    text = declaration.read_text(encoding="utf-8")
    assert "    return shops.select(" in text
    declaration.write_text(text.replace("    return shops.select(", change), encoding="utf-8")


LEAK = f"    return shops.with_columns(town=pl.lit({NAME!r})).select("


def test_leak_is_refused_and_kept_with_the_curator(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name in a published table: its places are named without it, in the terminal, to programs and on the page.

    The key, which the refused build makes, may go; it is drawn like the one before, so that chance refuses nothing besides.
    """
    before = last_build(shops)
    declare(LEAK)
    key, drawn = Path(".silt/shops.lsd.key"), os.urandom
    secret = bytes.fromhex(key.read_text())
    key.unlink()
    monkeypatch.setattr(os, "urandom", lambda size: secret if size == len(secret) else drawn(size))
    said = ended([*example, "--json"], capsys, status=1)
    assert said.printed.count(f"\n  key        {key}: nothing is published under it, so you may delete it\n") == 1
    assert "keep it" not in said.printed
    place = "database/shops.csv column 'town': a name in 3 rows, first row 2"
    assert (
        "refused by nothing_identifies_a_company: 3 rows of the noisy variant in 1 column would identify a company, "
        f"so nothing is published: {place}.\n" in said.printed
    )
    assert (
        "What to do: mend the raw cell, or declare town: role=Role.IDENTIFIER if every cell identifies somebody"
        in said.printed
    )
    assert "The variant is in environments/shops/curator/refused/noisy; nothing of another" in said.printed
    assert "environments/shops/curator/refused/findings.csv lists each finding" in said.printed
    outcome = json.loads(re.search(r"(?ms)^{$.*^}$", said.printed).group())  # type: ignore[union-attr]
    assert (outcome["outcome"], outcome["failing"]) == ("refused", {"nothing_identifies_a_company": place})
    assert [(each["column"], each["rows"]) for each in outcome["escapes"]] == [("town", 3)]
    assert outcome["verdicts"]["safe"] == "No"
    assert f"  report     {outcome['report']}\n  first      mend" in said.printed
    assert f"\n  next       {outcome['next']}\n" in said.printed
    page = text_of(Path(outcome["report"]).read_bytes())
    assert "database/shops.csv, column town: 3 rows hold a name (first row 2); none may" in page
    assert Ended(said.printed, said.kept + page).names_nobody()
    assert "Not shown, since some values identify a company." in page
    assert re.search(
        r"\n  raw        shops\.csv, row 2, column name: published in database/shops\.csv, row \d, column town\n",
        said.printed,
    )
    assert last_build(shops) == before
    with dg.DagsterInstance.get() as instance:
        kind, fails = dg.DagsterEventType.ASSET_CHECK_EVALUATION, dg.DagsterEventType.STEP_FAILURE
        run = instance.get_runs(limit=1)[0].run_id
        logged, failures = (instance.all_logs(run, of_type=each) for each in (kind, fails))
    met = [failure.user_failure_data for entry in failures if (failure := entry.get_dagster_event().step_failure_data)]
    (shown,) = (each for each in met if each and "report" in each.metadata)
    assert shown.description.endswith(f"\nIts page: {Path(outcome['report']).resolve()}")
    assert shown.metadata["report"] == dg.MetadataValue.path(outcome["report"])
    evaluated = [entry.get_dagster_event().asset_check_evaluation_data for entry in logged]
    (failed,) = (check for check in evaluated if not check.passed)
    assert (failed.check_name, failed.metadata["found"].value) == ("nothing_identifies_a_company", place)
    kept = shops / "curator/refused/noisy"
    assert NAME in (kept / "would_be_published/database/shops.csv").read_text(encoding="utf-8")
    assert stat.S_IMODE((shops / "curator").stat().st_mode) == 0o700


@pytest.mark.parametrize("whose", ["Silt", "the declaration"])
def test_what_fails_is_reported_without_what_it_says(
    shops: Path, example: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """A raw value in its text is in the curator's file alone, the last build stands; a declaration's own is no defect."""
    before = last_build(shops)

    def failing(*_given: object, **_options: object) -> None:
        raise KeyError(NAME)

    if whose == "Silt":
        monkeypatch.setattr("assets.evidence.distributions.ks_report", failing)
        said = ended([*example, "--fresh"], capsys, status=3)
        told = r"a defect in Silt \(KeyError\)"
    else:
        declare(f"    raise KeyError({NAME!r})\n    return shops.select(")
        said = ended(example, capsys, status=2)
        told = r"the declaration failed with KeyError in shops\.py, line \d+; mend it"
    assert re.search(f"silt: {told}; the traceback is in environments/shops/curator/crash.txt", said.printed)
    assert said.names_nobody()
    crash = shops / "curator/crash.txt"
    assert NAME in crash.read_text(encoding="utf-8")
    assert stat.S_IMODE(crash.stat().st_mode) == 0o600
    assert last_build(shops) == before


@pytest.mark.usefixtures("shops")
def test_the_search_for_names_can_fail() -> None:
    """What is printed is searched, and what Dagster keeps: also Chinese text, which its storage writes as escapes."""
    assert not Ended(f"x{NAME}", "").names_nobody()
    assert not Ended("", "shop A1.").names_nobody()
    assert Ended("", "").names_nobody()
    with dg.DagsterInstance.get() as instance:
        instance.report_engine_event('永安钢铁 "B1"', run_id="0" * 32, job_name="env_noisy")
    kept = kept_by_dagster(Path())
    assert "永安钢铁" in kept
    assert not Ended("", kept).names_nobody()
