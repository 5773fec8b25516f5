"""What the end of a build names for the curator: limits that are exceeded and refuse nothing, and what refused it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anonymize.policy import GUARDED
from assets.making.request import NOISE_SPECIFICATION, lacking
from assets.wiring.resources import Workspace
from pipeline.errors import GateError, InputError, Problem
from pipeline.places import CURATOR
from silt.commands.build.outcome import ended, published
from silt.commands.build.summary import lines as summed_up
from silt.environments.us_listed import US_LISTED
from tests.unit.report.findings import a_column, an_attack, distributions, manifest, privacy, profile
from validation.attacks.limits import ADAPTIVE, ORDER
from validation.report.documents import read
from validation.report.documents.base import FRESH
from validation.report.documents.outcome import MEND
from validation.report.documents.privacy import Privacy
from validation.report.head.failures import refused_by_attacks

LUCKY = an_attack(successes=6, rate=0.075, limit="no better than guessing")


@pytest.mark.parametrize(
    ("policy", "is_passed", "lines"), [("guarded", False, 1), ("guarded", True, 0), ("lsd", True, 0)]
)
def test_what_only_the_curator_reads_is_named(policy: str, *, is_passed: bool, lines: int, tmp_path: Path) -> None:
    """The line has the section and no count: counts are the curator's. The verdict of that page is named, too."""
    folder = tmp_path / US_LISTED.name
    page = folder / CURATOR / "reports" / "report.html"
    fresh = {"compared_with": FRESH} if policy == "guarded" else {}
    found = {
        folder / "noisy/manifest.json": manifest(policy=policy, source="user tables", is_demonstration_key=False),
        folder / "noisy/reports/distributions.json": distributions() | fresh,
        page.with_name("distributions.json"): distributions() | {"passed": is_passed},
        page.with_name("privacy.json"): privacy(attacks=[LUCKY]),
    }
    for file, content in found.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content), encoding="utf-8")
    outcome = published(US_LISTED, Workspace(out=str(tmp_path)), ["noisy"], seconds=1, steps=1)
    said = outcome.look_at
    assert len(said) == lines
    doubtful = "too few comparisons show likeness in size, spread or tails; " if lines else ""
    answer = f"Partly: {doubtful}not everything was compared"
    assert outcome.verdicts.keys() == {
        "faithful",
        "safe",
        "hard",
        *(["another_draw_alike"] if policy == "guarded" else []),
    }
    if policy == "guarded":
        assert outcome.verdicts["faithful"] == answer
        assert outcome.verdicts["safe"].startswith("Unknown: an attack names more owners than chance explains")
        assert ("verdict", f"Faithful to the originals, on the curator's page? {answer}.") in summed_up(outcome)
    assert all(line.endswith(f"which refuses nothing: {page}#beyond-ks") for line in said)


@pytest.mark.parametrize(("policy", "named"), [("guarded", 1), ("lsd", 0)])
def test_columns_that_the_policy_leaves_blank_are_named(policy: str, named: int, tmp_path: Path) -> None:
    """The end of a build says of sampled records what the first line of their report does."""
    variant = tmp_path / US_LISTED.name / "clean"
    columns = [a_column(column=name, missing=missing) for name, missing in (("town", 2), ("zip", 1))]
    found = {"manifest.json": manifest(policy=policy), "reports/profile.json": profile(columns=columns)}
    for file, content in found.items():
        (variant / file).parent.mkdir(parents=True, exist_ok=True)
        (variant / file).write_text(json.dumps(content), encoding="utf-8")
    outcome = published(US_LISTED, Workspace(out=str(tmp_path)), ["clean"], seconds=1, steps=1)
    said = "Mostly or all blank: shops.town (the policy leaves prose blank, and values that few share)"
    assert list(outcome.look_at) == [said] * named
    assert ("look at", said) in summed_up(outcome) or not named


@pytest.mark.parametrize(("policy", "of_whom"), [("lsd", "noisy"), ("guarded", CURATOR)])
def test_what_may_name_a_company_in_texts_is_counted(policy: str, of_whom: str, tmp_path: Path) -> None:
    """The line has the number of places, no word of them, and leads to the page that counts them."""
    counts = dict.fromkeys(("texts", "about_a_company", "naming_it", "ordinary_names", "not_replaceable"), 3)
    prose = counts | {"replaced": {}, "left_as_doubtful": {"misspelt": 3}, "names_stated": {}, "warnings": []}
    reports = tmp_path / US_LISTED.name / of_whom / "reports"
    found = {
        tmp_path / US_LISTED.name / "noisy/manifest.json": manifest(policy=policy),
        reports / "privacy.json": privacy(policy=policy, prose=prose),
    }
    for file, content in found.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content), encoding="utf-8")
    outcome = published(US_LISTED, Workspace(out=str(tmp_path)), ["noisy"], seconds=1, steps=1)
    places = "3 doubtful places in texts left as they are, which may name a company (silt check lists their words)"
    assert f"{places}: {reports / 'report.html'}#privacy" in outcome.look_at


@pytest.mark.parametrize(
    ("family", "source", "following"),
    [
        (ADAPTIVE, "user tables", "silt check --environment us-listed --raw tables --policy guarded"),
        (ADAPTIVE, "generated corpus 3", "silt build noisy --environment us-listed --raw tables --policy guarded"),
        (ORDER, "user tables", "silt build noisy --environment us-listed --raw tables --policy guarded"),
    ],
)
def test_what_refused_a_build_is_there_with_figures(family: str, source: str, following: str, tmp_path: Path) -> None:
    """Attacks over their limit come with their figures, the farthest first; where `silt check` tries them, it is next."""
    over = [
        an_attack(family=family, rate=rate, passed=False, limit="no success", highest_kept=0.0) for rate in (0.1, 0.3)
    ]
    reports = tmp_path / "reports"
    reports.mkdir()
    of_manifest = tmp_path if family == ORDER else reports  # beside the reports, where what was made is kept as a whole
    (of_manifest / "manifest.json").write_text(
        json.dumps(manifest(policy=GUARDED.name, source=source)), encoding="utf-8"
    )
    (reports / "privacy.json").write_text(json.dumps(privacy(attacks=over)), encoding="utf-8")
    asked = Workspace(raw="tables", policy=GUARDED.name, out="out")
    error = GateError("refused", {"attacks_stay_within_limits": "2 of 2"}, report=str(reports / "report.html"))
    outcome = ended(error, US_LISTED, asked, ["noisy"], seconds=1)
    assert [each.rate for each in outcome.attacks_over] == [0.3, 0.1]
    assert outcome.next.removesuffix(" --out out") == following
    assert ("(add noisy --out out to a build that it prints)" in outcome.first) == ("check" in following)


def test_what_no_check_may_count_a_refusal_counts() -> None:
    """A check of sampled records tells no count: the cause has its number from the curator's report."""
    limit = "at most 3%, upper bound at most 4%"
    over = an_attack(family=ADAPTIVE, rate=0.02, upper_95=0.06, standard_error=0.02, limit=limit, passed=False)
    said, kept = (refused_by_attacks(read(Privacy, privacy(attacks=[each]))) for each in (over, an_attack()))
    found = "1 of 1 attack is not shown to keep its limit. So few figures were guessed at that the bound is wide. "
    assert said.startswith(f"{found}Give more companies (about 4.0 times as many would")
    assert not kept


def test_the_command_after_a_forgotten_specification_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies beside the declaration is in the next command, which mends that; after other bad input it is the same again."""
    monkeypatch.chdir(tmp_path)
    Path("firms.yaml").touch()
    environment = replace(US_LISTED, declared_in="firms.py:FIRMS")
    forgotten, both = lacking(environment, NOISE_SPECIFICATION), InputError("both")
    both.mending, both.problems = forgotten.mending, (Problem("firms.csv", 2, "sales", "many", "a number"),)
    noise = " --noise firms.yaml"
    for error, first, given in ((forgotten, "", noise), (both, MEND, noise), (InputError("other"), MEND, "")):
        outcome = ended(error, environment, Workspace(raw="firms"), ["noisy"], seconds=1)
        assert outcome.next == f"silt build noisy --environment firms.py:FIRMS --raw firms{given}"
        assert outcome.first == first
