"""The request: read and checked once when a build starts, whether the command line or the web graph starts it."""

import json
import os
import sys
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

import dagster as dg
import pytest

from anonymize.policy import POLICIES
from assets.making.request import Request
from assets.making.scheduler import Scheduler
from assets.wiring.graph.run import RunWorkspace
from assets.wiring.resources import Workspace
from pipeline.errors import InputError
from pipeline.publish.refusal import kept_problems
from silt.commands.build.running import _beginning, requested
from silt.engines import started
from silt.environments.us_listed import US_LISTED

OPENED: Counter[str] = Counter()


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        OPENED[Path(arguments[0]).name] += 1


sys.addaudithook(_note)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return settings with a key, a specification and tables that nobody has looked into."""
    key = tmp_path / "own.key"
    key.write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    (tmp_path / "own.yaml").write_text("environment: us-listed\nrules: []\n", encoding="utf-8")
    for table in US_LISTED.raw_tables:
        (tmp_path / f"{table.file}.csv").touch()
    return Workspace(
        raw=str(tmp_path), key_file=str(key), noise=str(tmp_path / "own.yaml"), out=str(tmp_path), policy="guarded"
    )


def test_no_key_is_made_for_tables_that_cannot_be_built(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with them is kept for the curator, as of a build that has a key."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="in the raw tables:") as refused:
        requested(US_LISTED, ("clean",), replace(workspace, key_file=""))
    assert not Path(".silt").exists()
    assert kept_problems(Path("us-listed/curator")) == refused.value.problems


def test_a_folder_above_the_tables_is_refused_before_a_key_is_made(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that has them is named, whatever else lies beside it."""
    monkeypatch.chdir(tmp_path)
    Path("above/empty").mkdir(parents=True)
    Path("above/tables").mkdir()
    for table in US_LISTED.raw_tables:
        Path(f"{table.file}.csv").rename(f"above/tables/{table.file}.csv")
    said = r"no raw table is in above; they are in above/tables: give that folder \(RAW=above/tables, or --raw above/tables\)"
    with pytest.raises(InputError, match=said):
        replace(workspace, raw="above", key_file="").request(US_LISTED)
    assert sorted(path.name for path in Path().iterdir()) == ["above", "own.key", "own.yaml"]
    assert replace(workspace, raw="above/tables").request(US_LISTED).raw == Path("above/tables")


def ran(definitions: dg.Definitions, **config: Any) -> None:
    """Materialise everything in one run."""
    job = definitions.resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        assert job.execute_in_process(instance=instance, run_config={"resources": config}).success


def noting(found: list[Request]) -> list[dg.AssetsDefinition]:
    """Return assets, one after the other, that note what they are handed."""

    def step(name: str, deps: list[str]) -> dg.AssetsDefinition:
        @dg.asset(name=name, deps=deps)
        def noting(scheduler: dg.ResourceParam[Scheduler]) -> None:
            found.append(scheduler.request)

        return noting

    return [step("first", []), step("second", ["first"]), step("third", ["second"])]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_in_the_web_graph_is_resolved_once(workspace: Workspace, tmp_path: Path) -> None:
    """Every step is handed one request, made by what the run's own settings say; key and specification are opened once."""
    found: list[Request] = []
    asked = RunWorkspace(environment=US_LISTED, steps=(), scheduler=None, start=started)
    definitions = dg.Definitions(assets=noting(found), resources={"scheduler": asked}, executor=dg.in_process_executor)
    OPENED.clear()
    said = asdict(workspace) | {"policy": "lsd", "out": str(tmp_path / "elsewhere")}
    ran(definitions, scheduler={"config": said})
    assert len(found) == 3
    assert len({id(request) for request in found}) == 1
    assert (found[0].policy.name, found[0].folder) == ("lsd", tmp_path / "elsewhere" / "us-listed")
    assert (OPENED["own.key"], OPENED["own.yaml"]) == (1, 1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_without_settings_has_those_of_the_build_that_is_shown(workspace: Workspace) -> None:
    """Materialize gives none: policy, tables and folder are those of the run that made the assets; nothing else is replaced."""
    found: list[Request] = []
    asked = RunWorkspace(environment=US_LISTED, steps=(), scheduler=None, start=started)
    definitions = dg.Definitions(assets=noting(found), resources={"scheduler": asked}, executor=dg.in_process_executor)
    job = definitions.resolve_implicit_global_asset_job_def()
    given = {"resources": {"scheduler": {"config": asdict(workspace)}}}
    with dg.DagsterInstance.ephemeral() as instance:

        def run(config: Any) -> dg.ExecuteInProcessResult:
            assets = [dg.AssetKey("first")]
            return job.execute_in_process(
                instance=instance, run_config=config, asset_selection=assets, raise_on_error=False
            )

        assert [run(config).success for config in (given, {}, {})] == [True] * 3
        settings = {(request.policy.name, request.raw, request.folder) for request in found}
        assert settings == {("guarded", Path(workspace.raw), Path(workspace.out) / "us-listed")}
        (other := found[0].folder / "noisy" / "manifest.json").parent.mkdir()
        other.write_text('{"policy": "lsd"}')
        failed = run({})
        assert not failed.success
        said = [event.step_failure_data.user_failure_data for event in failed.all_events if event.is_step_failure]
        assert ["was built with another policy" in str(each and each.description) for each in said] == [True]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_without_settings_has_those_of_the_last_build_that_published(workspace: Workspace) -> None:
    """A refused build made assets after it, with settings of its own: they do not count."""
    found: list[Request] = []

    @dg.asset(key=["us-listed", "published", "noisy"], deps=["third"])
    def noisy(scheduler: dg.ResourceParam[Scheduler]) -> None:
        if scheduler.request.policy.name == "lsd":
            raise dg.Failure("refused")

    asked = RunWorkspace(environment=US_LISTED, steps=(), scheduler=None, start=started)
    definitions = dg.Definitions(
        assets=[*noting(found), noisy], resources={"scheduler": asked}, executor=dg.in_process_executor
    )
    job = definitions.resolve_implicit_global_asset_job_def()
    selection = [dg.AssetKey("first"), dg.AssetKey("second"), dg.AssetKey("third"), noisy.key]
    with dg.DagsterInstance.ephemeral() as instance:
        for given in (asdict(workspace), asdict(workspace) | {"policy": "lsd"}, {}):
            config = {"resources": {"scheduler": {"config": given}}} if given else {}
            job.execute_in_process(
                instance=instance, run_config=config, asset_selection=selection, raise_on_error=False
            )
    assert [request.policy.name for request in found[::3]] == ["guarded", "lsd", "guarded"]


def test_the_launchpad_knows_every_policy() -> None:
    """It refuses what is none before a run begins, by the list that the settings of a run have."""
    assert set(get_args(RunWorkspace.model_fields["policy"].annotation)) == set(POLICIES)


def test_a_request_shows_no_key(workspace: Workspace) -> None:
    """Not by its text, in full or in part."""
    request = workspace.request(US_LISTED)
    assert request.release.master.secret.hex() == "5eed" * 16
    assert "5eed" not in repr(request)
    assert repr(request.release.master.secret) not in repr(request)


def test_what_a_build_would_replace_stands_until_it_passes(workspace: Workspace) -> None:
    """Its first lines say so: a build that is refused replaces nothing."""
    request = workspace.request(US_LISTED)
    (request.folder / "noisy").mkdir(parents=True)
    (request.folder / "noisy/manifest.json").write_text(json.dumps({"policy": "lsd"}), encoding="utf-8")
    (line,) = _beginning(request, ("noisy",))
    assert line.startswith(f"  replaces   if it passes, what was built in {request.folder} with another policy, key")


def test_an_environment_without_noise_of_its_own_can_be_built_clean(workspace: Workspace) -> None:
    """The request is whole without a specification; only who asks for noise is told to give one."""
    nowhere = type(US_LISTED)(**(vars(US_LISTED) | {"name": "nowhere"}))
    request = replace(workspace, noise="").request(nowhere)
    assert request.policy.samples_records
    for wanted in ("noise", "plan"):
        with pytest.raises(InputError, match=r"'nowhere' has no .* of its own; give one with --noise"):
            getattr(request, wanted)


def test_noise_that_a_variant_lacks_is_asked_for_before_a_key_is_made(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that cannot be leaves nothing behind."""
    nowhere = type(US_LISTED)(**(vars(US_LISTED) | {"name": "nowhere"}))
    monkeypatch.chdir(tmp_path)
    workspace = replace(workspace, noise="", key_file="", raw="")
    with pytest.raises(InputError, match=r"'nowhere' has no noise specification of its own; give .* \(NOISE\)$"):
        workspace.request(nowhere, ["noisy"])
    Path("nowhere.yaml").touch()
    with pytest.raises(InputError, match=r"\(NOISE\): nowhere.yaml lies beside the declaration$"):
        workspace.request(replace(nowhere, declared_in="nowhere.py:NOWHERE"), ["noisy"])
    assert not Path(".silt").exists()
