"""What releases of the same raw tables spend: sums, what counts once, and what is refused."""

import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from anonymize.keys.key_uses import Use, record_spent, record_use, refuse_other_use, spent_by
from assets.release import make_release
from assets.wiring.resources import Workspace
from pipeline.errors import GateError, InputError, KeyFileError
from pipeline.model import Budget
from pipeline.release.provenance.source import source_of
from pipeline.release.settings import ReleaseSettings
from silt.environments.us_listed import US_LISTED
from validation.release.diff.differences import Differences
from validation.release.diff.spending import Spending, on_record, refuse_overspent, together

OWN = Spending(
    raw={"a.csv": "1" * 64, "b.csv": "2" * 64},
    policy="guarded",
    key_fingerprint="f" * 16,
    budget=8.0,
    model="3" * 64,
    declarations={},
)
OTHER_KEY = replace(OWN, key_fingerprint="e" * 16, model="4" * 64)


def with_releases(folder: Path, *spent: Spending) -> Path:
    """Return a folder with the curator's half of a release of each."""
    for number, each in enumerate(spent):
        written(folder, f"shops-{number}.0.0", asdict(each))
    return folder


def written(folder: Path, name: str, options: Any) -> None:
    (curator := folder / f"{name}.curator").mkdir()
    (curator / "options.json").write_text(json.dumps(options))


def test_budgets_of_releases_of_the_same_tables_add_up(tmp_path: Path) -> None:
    """Up to what all may spend; beyond it each is named, with the sums."""
    releases = with_releases(tmp_path, OTHER_KEY, replace(OTHER_KEY, raw={"b.csv": "2" * 64}, budget=4.0))
    refuse_overspent(releases, OWN, 20.0)
    refuse_overspent(releases, OWN, None)
    says = (
        r"may spend 19 in all \(Budget\.in_all\)\. Spent is 12 \(by release: shops-0\.0\.0 8, shops-1\.0\.0 4\), and this "
        "one spends 8"
    )
    with pytest.raises(GateError, match=says):
        refuse_overspent(releases, OWN, 19.0)


def test_the_same_statistics_are_counted_once(tmp_path: Path) -> None:
    """Under one key, of one declaration: however often they are released, they tell nothing new."""
    releases = with_releases(tmp_path, OWN, OTHER_KEY, OWN)
    refuse_overspent(releases, OWN, 16.0)
    with pytest.raises(GateError, match="Spent is 16 "):
        refuse_overspent(releases, replace(OWN, model="5" * 64), 16.0)


def test_what_is_on_record_beside_the_key_is_counted(tmp_path: Path) -> None:
    """Wherever that release is now; once, if its curator's half stands in the folder as well."""
    (key := tmp_path / "own.key").touch()
    for _ in range(2):
        record_spent(key, on_record("shops-0.0.0", OTHER_KEY))
    assert len(spent_by(key)) == 1
    for releases in (tmp_path / "none", with_releases(tmp_path, OTHER_KEY)):
        refuse_overspent(releases, OWN, 16.0, recorded=partial(spent_by, key))
        with pytest.raises(GateError, match=r"Spent is 8 \(by release: shops-0\.0\.0 8\)"):
            refuse_overspent(releases, OWN, 15.0, recorded=partial(spent_by, key))


def test_a_further_use_leaves_what_was_spent_on_record(tmp_path: Path) -> None:
    """And spending leaves the uses."""
    (key := tmp_path / "own.key").touch()
    uses = [Use(key="f" * 16, environment=name, policy="guarded", originals="0" * 64) for name in ("shops", "stalls")]
    record_use(key, uses[0], is_wanted=False)
    record_spent(key, on_record("shops-0.0.0", OWN))
    record_use(key, uses[1], is_wanted=True)
    refuse_other_use(key, uses[0])
    assert spent_by(key) == [on_record("shops-0.0.0", OWN)]


def test_other_tables_are_not_counted(tmp_path: Path) -> None:
    """Nor is a folder without any release."""
    refuse_overspent(tmp_path / "none", OWN, 8.0)
    refuse_overspent(with_releases(tmp_path, replace(OTHER_KEY, raw={"a.csv": "0" * 64})), OWN, 8.0)


def test_nothing_can_follow_what_is_without_bound(tmp_path: Path) -> None:
    """A release under `lsd`, or of a version that stated no budget, is told; `lsd` itself is not held to a sum."""
    releases = with_releases(tmp_path, replace(OWN, policy="lsd", budget=None))
    with pytest.raises(GateError, match="Spent is without bound"):
        refuse_overspent(releases, OWN, 1e9)
    refuse_overspent(releases, replace(OWN, policy="lsd", budget=None), 1e-9)


@pytest.mark.parametrize("options", [{"raw": 3}, {"budget": "much"}, {"raw": ["ab"], "budget": []}])
def test_options_that_no_release_wrote_are_refused(tmp_path: Path, options: Any) -> None:
    """The file is named."""
    written(tmp_path, "shops-1.0.0", options)
    with pytest.raises(InputError, match=r"options\.json is not what an earlier release wrote"):
        refuse_overspent(tmp_path, OWN, 20.0)


def test_a_release_is_held_to_what_is_declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything of it is made."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    (key := tmp_path / "own.key").write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    for table in US_LISTED.raw_tables:
        (tmp_path / f"{table.file}.csv").touch()
    declared = replace(US_LISTED, budget=Budget(of_a_release=5, in_all=7))
    workspace = Workspace(raw=str(tmp_path), key_file=str(key), out=str(tmp_path / "out"), policy="guarded", budget=8)
    settings = ReleaseSettings(version="1.0.0", releases=str(tmp_path / "releases"))
    with pytest.raises(GateError, match=r"may spend 7 in all .* this one spends 8"):
        make_release(workspace.request(declared), settings, source_of(), signer=None)
    assert not (tmp_path / "releases").exists()


def test_a_release_is_held_to_what_its_key_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no command has asked before: originals that the key did not release, and variants that are of others."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    (key := tmp_path / "own.key").write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    for table in US_LISTED.raw_tables:
        (tmp_path / f"{table.file}.csv").touch()
    workspace = Workspace(raw=str(tmp_path), key_file=str(key), out=str(tmp_path / "out"))
    request, settings = (
        workspace.request(US_LISTED),
        ReleaseSettings(version="1.0.0", releases=str(tmp_path / "releases")),
    )
    assert request.use is not None
    (file := request.folder / "noisy/manifest.json").parent.mkdir(parents=True)
    file.write_text("{}")
    with pytest.raises(InputError, match=r"noisy is of another .*set of originals than what is given; build it again"):
        make_release(request, settings, source_of(), signer=None)
    record_use(key, replace(request.use, originals="0" * 64), is_wanted=False)
    with pytest.raises(KeyFileError, match="was used for"):
        make_release(request, settings, source_of(), signer=None)
    with pytest.raises(InputError, match="noisy is of another"):
        make_release(request, replace(settings, reuse_key=True), source_of(), signer=None)
    assert not (tmp_path / "releases").exists()


def test_a_difference_tells_what_both_cost() -> None:
    """Where both manifests state a budget, and there alone."""
    found = Differences(removed=(), added=(), changed=(), meaning={}, tables=(), rates={})
    assert list(found.lines()) == ["number   none is needed: no file differs"]
    cost, number = replace(found, budgets=(20.0, 5.0)).lines()
    assert (cost.partition(":")[0], number) == ("budget   20 and 5", "number   none is needed: no file differs")


@pytest.mark.parametrize(
    ("budgets", "is_same", "told"),
    [
        ((20.0, 20.0), False, "both spend rho 40 together, which is epsilon 82.9 at delta 1e-05"),
        ((20.0, 20.0), True, "count once: they share raw tables; both spend rho 20 together, which is epsilon 50.3"),
        ((20.0, None), False, ""),
        ((None, None), True, ""),
    ],
)
def test_what_two_releases_cost(budgets: tuple[float | None, float | None], is_same: bool, told: str) -> None:  # noqa: FBT001
    """The sum, and what it bounds; nothing unless both state a budget."""
    said = together(budgets, is_same=is_same)
    assert told in said
    assert bool(told) == bool(said)
