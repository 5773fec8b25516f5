"""The asset graph as people see it: groups, jobs, checks; and that the web server can load it."""

import re
import shlex
import shutil
import sys
from dataclasses import fields
from pathlib import Path
from time import time
from types import SimpleNamespace
from typing import cast
from urllib.error import HTTPError
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import urlopen

import dagster as dg
import pytest
import yaml
from dagster._core.remote_representation.external_data import RepositorySnap
from dagster_shared.serdes import serialize_value

from anonymize.tables import FIGURES, NAMES
from assets.anonymised import anonymised_names
from assets.every_step import declared_steps, ordered
from assets.making.keys import DISTRIBUTIONS, Stage, beside
from assets.making.results import CheckOutcome, MadeAsset, recorded
from assets.making.scheduler import Scheduler
from assets.making.step import Step
from assets.release import release_op
from assets.settings import PAGES
from assets.tasks.asset import tasks_key_of
from assets.wiring.event_log import without_record
from assets.wiring.gates import ELSEWHERE, GATES, ONLY_WARN, TRIED
from assets.wiring.graph.nodes import NOTHING_WARNS, _warned, key, led_by, result_of
from assets.wiring.graph.shown import LOCATION, given_to, shown, start_page, why_failed
from assets.wiring.resources import Workspace
from pipeline.model import Environment, Role
from pipeline.publish.publication import LOCK
from pipeline.release.settings import ReleaseSettings
from pipeline.render import published_files
from pipeline.settings import meanings
from pipeline.tasks.settings import TasksSettings
from silt import definitions
from silt.cli import main
from silt.commands.build.records import left_off
from silt.commands.dev import write_workspace
from silt.commands.dev.pages import served_pages
from silt.definitions import build_defs, configured
from silt.environments import SHIPPED
from silt.environments.registry import ENVIRONMENTS, find_environment
from tests.integration.checks import published_bytes
from validation.release.checks import pages
from validation.release.verifying import FEW

GROUPS = {
    "truth": {"conformed", "anonymised", "derived"},
    "database": {"rendered", "noisy"},
    "evidence": {"reports", "curator"},
}

pytestmark = pytest.mark.filterwarnings("ignore::dagster.BetaWarning", "ignore::dagster.PreviewWarning")


@pytest.fixture(scope="module", params=ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> Environment:
    """Return each registered environment."""
    found: Environment = request.param
    return found


@pytest.fixture(scope="module")
def defs(environment: Environment) -> dg.Definitions:
    """Return its definitions."""
    return build_defs(environment)


def test_the_groups_are_the_stages(environment: Environment, defs: dg.Definitions) -> None:
    """The graph of an environment is one group of five, with the stages inside but for the last two, and nothing else."""
    graph = defs.resolve_asset_graph()
    name = environment.name.replace("-", "_")
    stages = {f"{name}/{group}/{stage}" for group, stages in GROUPS.items() for stage in stages}
    assert {graph.get(asset).group_name for asset in graph.get_all_asset_keys()} == {
        *stages,
        *(f"{name}/variants", f"{name}/release"),
    }


def test_an_asset_is_a_table_of_a_stage(environment: Environment, defs: dg.Definitions) -> None:
    """Ledgers, counts and what is kept beside a table are no nodes; reports of one step are one."""
    shown: dict[str, set[str]] = {}
    for asset in defs.resolve_asset_graph().get_all_asset_keys():
        shown.setdefault(asset.path[1], set()).add(asset.path[2])
    assert shown == {
        "conformed": {table.name for table in environment.raw_tables},
        "anonymised": set(anonymised_names(environment)),
        "identity": {"identity_map"},
        "derived": {each.name for each in (*environment.aggregates, *environment.derivations)},
        "rendered": {published.name for published in published_files(environment)},
        "noisy": {table.name for table in environment.noisy_tables()},
        "reports": {"attacks", "consistency", "distributions", "noise"}
        | {f"{report}_{variant}" for report in ("expectations", "profile") for variant in ("clean", "noisy")},
        "curator": {"consistency", "distributions", "compared"},
        "published": {"noisy", "clean", "ablations"},
        "released": {"release"},
        "tasks": {"tasks"},
    }


def test_what_is_kept_beside_an_asset_is_kept_beside_one_that_is_there(
    environment: Environment, defs: dg.Definitions
) -> None:
    """Nothing is both a node and beside one, and whatever depends on it depends on that node."""
    shown = defs.resolve_asset_graph().get_all_asset_keys()
    for place in beside(environment):
        assert dg.AssetKey([environment.name, *place]) not in shown
        assert key(environment, *place) in shown


def test_what_is_about_figures_waits_for_no_names(environment: Environment) -> None:
    """Aggregates and tests of distributions are made without names and prose, which read no figures."""
    steps = ordered(declared_steps(environment))
    makers = {place: step for step in steps for place in step.makes}
    names = makers[Stage.ANONYMISED, NAMES]
    about_figures = [(Stage.REPORTS, DISTRIBUTIONS), *((Stage.DERIVED, each.name) for each in environment.aggregates)]
    waiting = [makers[place] for place in about_figures]
    for step in waiting:
        waiting += [maker for place in step.reads if (maker := makers[place]) not in waiting]
    assert names not in waiting
    # A column that a declaration leaves out may hold what identifies, so that names look at its table.
    tables = [environment.raw_table(name) for name in environment.panel.tables]
    whole = {(Stage.CONFORMED, table.name) for table in tables if not (table.ignored or table.of_role(Role.IGNORED))}
    assert not {*whole, (Stage.ANONYMISED, FIGURES)} & names.reads


def test_each_asset_says_what_it_is(defs: dg.Definitions) -> None:
    """Description, kind, who may see it and the version of the code stand on every node."""
    graph = defs.resolve_asset_graph()
    nodes = [graph.get(asset) for asset in graph.get_all_asset_keys()]
    assert [node.key for node in nodes if not (node.description and node.tags and node.kinds)] == []
    assert [node.key for node in nodes if re.fullmatch("[0-9a-f]{12}", str(node.code_version)) is None] == []


def test_both_jobs_lead_from_raw_to_published(environment: Environment, defs: dg.Definitions) -> None:
    """Each job holds every raw table and ends in its variant alone."""
    for variant in ("noisy", "clean"):
        keys = defs.resolve_job_def(f"env_{variant}").asset_layer.selected_asset_keys
        assert {asset.path[2] for asset in keys if asset.path[1] == "conformed"} == {
            table.name for table in environment.raw_tables
        }
        assert [asset.path[2] for asset in keys if asset.path[1] == "published"] == [variant]


def test_the_release_has_a_job(environment: Environment, defs: dg.Definitions) -> None:
    """It holds all that a release is made of, from the raw tables on."""
    keys = defs.resolve_job_def("release").asset_layer.selected_asset_keys
    ends = [asset.path[1:] for asset in keys if asset.path[1] in {"published", "released"}]
    assert sorted(ends) == [["published", "clean"], ["published", "noisy"], ["released", "release"]]
    assert {asset.path[2] for asset in keys if asset.path[1] == "conformed"} == {t.name for t in environment.raw_tables}


def test_checks_block(defs: dg.Definitions) -> None:
    """Every check stops publishing when it fails, but for that which says what only warns."""
    graph = defs.resolve_asset_graph()
    checks = [graph.get_check_spec(check) for check in graph.asset_check_keys]
    assert {check.name for check in checks} == {
        *GATES,
        NOTHING_WARNS,
        "ledger_is_exact",
        "gives_no_noise_away",
        "verifies",
        "is_mounted_read_only",
        "two_programs_agree",
        "answers_cannot_be_guessed",
        "answerable_from_noisy",
    }
    only_warn = {(check.asset_key.path[1], check.name) for check in checks if not check.blocking}
    assert only_warn == {*ONLY_WARN, *((Stage.PUBLISHED, NOTHING_WARNS) for _ in only_warn)}
    assert all(check.description for check in checks)


def test_what_is_published_shows_the_warnings_of_what_it_is_made_of() -> None:
    """Also those of the curator's: they stop nothing, and would be seen by nobody who looks at the variants alone."""
    names = ("curator/distributions", "reports/noise", "published/noisy")
    of_curator, of_noise, published = (SimpleNamespace(name=name, label=name) for name in names)
    warned = CheckOutcome(check="distributions_are_equivalent", is_passed=False, is_warning=True)
    passed = CheckOutcome(check="no_distribution_differs", is_passed=True)
    came_out = {
        of_curator.name: SimpleNamespace(results=[recorded(passed), recorded(warned)]),
        of_noise.name: SimpleNamespace(results=[recorded(passed)]),
    }

    def looked_at(*sources: SimpleNamespace) -> dg.AssetCheckResult:
        scheduler = SimpleNamespace(outcomes=lambda: came_out, with_sources=lambda _: [*sources, published])
        return _warned(cast(Scheduler, scheduler), cast(Step, published))

    shown = looked_at(of_curator, of_noise)
    assert (shown.passed, shown.severity) == (False, dg.AssetCheckSeverity.WARN)
    warning = "distributions_are_equivalent of curator/distributions"
    assert next(iter(shown.metadata.items())) == ("look at", dg.MetadataValue.text(warning))
    assert shown.description == f"every gate holds, and 1 of 3 checks asks to be looked at: {warning}"
    assert (looked_at(of_noise).passed, looked_at(of_noise).description) == (True, None)
    made = recorded(MadeAsset(asset=("shops", "published", "noisy"), metadata={"rows": 4}))
    facts = [[*led_by(each, made)["metadata"]] for each in (shown, looked_at(of_noise), None)]
    assert facts == [["look at", "rows"], ["rows"], ["rows"]]
    few = recorded(CheckOutcome(check="attacks_stay_within_limits", is_passed=True, metadata={TRIED: "too few to say"}))
    other = recorded(CheckOutcome(check="aggregates_agree", is_passed=True, metadata={ELSEWHERE: "in reports"}))
    came_out[of_noise.name].results.extend([few, other])
    counted = looked_at(of_noise)
    assert (counted.passed, counted.description) == (True, "1 of 2 checks had too little to judge by")
    assert counted.metadata["too little"].value == "attacks_stay_within_limits of reports/noise, too few to say"
    asks = f"every gate holds, and 1 of 4 checks asks to be looked at: {warning}"
    few_and_warned = f"{asks}; 1 of 4 checks had too little to judge by"
    assert looked_at(of_curator, of_noise).description == few_and_warned  # why it fails stands first
    warns = recorded(CheckOutcome(check="aggregates_agree", is_passed=False, is_warning=True))
    assert [cast(dg.AssetCheckResult, result_of(each)).description for each in (few, other, warns)] == [
        "too few to say",
        "in reports",
        "a warning: it stops nothing",
    ]


def test_what_is_the_curators_is_marked(defs: dg.Definitions) -> None:
    """Whoever looks at a node sees whether it may leave the house: no originals, map or evidence does."""
    graph = defs.resolve_asset_graph()
    nodes = [graph.get(asset) for asset in graph.get_all_asset_keys()]
    marked = {(node.group_name.partition("/")[2], node.tags["sensitivity"]) for node in nodes}
    assert {group for group, sensitivity in marked if sensitivity == "draft"} == {
        *("database/rendered", "database/noisy"),
        "variants",
    }
    assert {group for group, sensitivity in marked if sensitivity == "release"} == {"release"}
    assert len(marked) == len({group for group, _ in marked})


def test_the_launchpad_opens_with_every_setting(environment: Environment, defs: dg.Definitions) -> None:
    """Each job comes with a value for every setting, which it takes.

    None opens with a folder of its own: Dagster would show what it makes as the published variants. A release does not begin
    before somebody gives it a version, for which its launchpad has a line.
    """
    jobs = [job for job in defs.resolve_all_job_defs() if not job.name.startswith("__")]
    built = {"env_noisy", "env_clean", "env_noisy_clean", "env_ablations"}
    assert {job.name for job in jobs} == {*built, "release", "tasks"}
    (release,) = (job for job in jobs if job.name == "release")
    with pytest.raises(dg.DagsterInvalidConfigError, match="version"):
        dg.validate_run_config(release, {"ops": {release_op(environment): {"config": {}}}})
    assert dict(release.run_config or {})["ops"][release_op(environment)]["config"]["version"] == ""
    for job in jobs:
        settings = dict(job.run_config or {})["resources"]["scheduler"]["config"]
        assert set(settings) == {each.name for each in fields(Workspace)}
        assert settings["out"] == Workspace().out
        assert dg.validate_run_config(job, job.run_config)
        with pytest.raises(dg.DagsterInvalidConfigError, match="policy"):
            dg.validate_run_config(job, configured(Workspace(**settings | {"policy": "lsdd"})))


def test_a_release_without_a_version_ends_before_anything_is_made(
    defs: dg.Definitions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the launchpad opens it, whoever then launches it."""
    monkeypatch.chdir(tmp_path)
    job = defs.resolve_job_def("release")
    with without_record() as instance:
        ran = job.execute_in_process(run_config=job.run_config, instance=instance, raise_on_error=False)
    failures = [event.step_failure_data.user_failure_data for event in ran.all_events if event.is_step_failure]
    assert {failure.description for failure in failures if failure} == {
        "a release needs a version; give --version 1.0.0 (VERSION)"
    }
    assert (ran.get_asset_materialization_events(), list(tmp_path.iterdir())) == ([], [])


@pytest.mark.usefixtures("shops")
def test_a_release_that_its_verifier_refuses_says_what_failed_and_whose_defect_it_is(
    example: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks that failed alone, each finding once and a few of them, on terminal and graph; no release is left."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1770000000")
    monkeypatch.setattr(pages, "_TAG", re.compile(pages._TAG.pattern.replace("|table|", "|").replace("|td|", "|")))
    assert main(["release", *example[1:], "--version", "1.2.3"]) == 1
    said = capsys.readouterr().err.partition("silt: refused: ")[2]
    assert said.startswith("nothing is released, since ")
    assert "this is a defect in Silt, please report it:\nFAILED  pages have text" in said
    assert not re.search(r"^(?:ok|n/a|not made|Cannot be checked)\b", said, re.MULTILINE)
    found = [line for line in said.splitlines() if ".html: found" in line]
    assert len(found) == len({*found}) == FEW
    assert re.search(r"^ +\.\.\. and (?:\d )?more$", said, re.MULTILINE)
    with dg.DagsterInstance.get() as instance:
        run = instance.get_runs(limit=1)[0].run_id
        (entry,) = instance.all_logs(run, of_type=dg.DagsterEventType.STEP_FAILURE)
    failure = entry.get_dagster_event().step_failure_data.user_failure_data
    assert failure.description == said.rstrip()
    assert not [path.name for path in Path("releases").iterdir() if path.name != LOCK]


def test_every_setting_is_explained() -> None:
    """The launchpad shows what a setting of a build or of a release means."""
    declared = [*meanings(Workspace), *meanings(ReleaseSettings), *meanings(TasksSettings)]
    assert [name for name, _, _, text in declared if not text] == []


def test_the_web_server_opens_every_environment(shops: Path) -> None:
    """`silt dev` names each under its own name, which runs of the command line carry, too; and one of a file by the file."""
    assert tuple(SHIPPED) == tuple(ENVIRONMENTS)
    locations = dict.fromkeys(SHIPPED, "") | {shops.name: "shops.py:SHOPS"}
    opened = [each["python_module"] for each in yaml.safe_load(write_workspace(locations).read_text())["load_from"]]
    assert [each["location_name"] for each in opened] == [*SHIPPED, "shops"]
    for each in opened:
        found = getattr(definitions, each["attribute"]).resolve_asset_graph().get_all_asset_keys()
        assert {asset.path[0] for asset in found} == {each["location_name"]}


def test_after_a_run_that_was_ended_one_passes_that_has_nothing_to_make(shops: Path, example: list[str]) -> None:
    """Or the graph would show as failed what is whole. The next build makes nothing, and needs no run."""
    assert main([*example, "--fresh"]) == 0
    note = left_off(shops.name)
    assert not note.exists()
    note.touch()
    with dg.DagsterInstance.get() as instance:
        before = len(instance.get_runs())
        for _ in range(2):
            assert main(example) == 0
            runs = instance.get_runs()
            assert (len(runs), runs[0].status.value) == (before + 1, "SUCCESS")
            assert not note.exists()
        (latest,) = instance.get_latest_materialization_events(
            [dg.AssetKey([shops.name, "published", "noisy"])]
        ).values()
        assert latest is not None
        assert latest.run_id == runs[0].run_id


def test_after_a_run_that_was_ended_the_next_one_records_what_was_made_before(shops: Path, example: list[str]) -> None:
    """Or the graph would show that as failed: a run that fails early has planned it. Only what failed last is red."""
    left_off(shops.name).parent.mkdir()
    left_off(shops.name).touch()
    shutil.rmtree(shops / "noisy")
    assert main(example) == 0
    with dg.DagsterInstance.get() as instance:
        (run,) = instance.get_runs()
        entries = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
    made = {
        "/".join(event.asset_key.path[1:]) for entry in entries if (event := entry.dagster_event) and event.asset_key
    }
    assert {"conformed/shops", "reports/noise", "published/clean", "published/noisy"} <= made


def test_why_a_run_failed_is_on_the_pages_of_its_variants(shops: Path, example: list[str]) -> None:
    """It says no value of the originals; and what is made later has no trace of it."""
    raw = next(Path("shops").glob("*.csv"))
    good = raw.read_text()
    raw.write_text(good + "secret,secret\n")
    shutil.rmtree(shops / "noisy")
    assert main(example) == 2
    observed, page_of_refusal = why_failed(shops.name, Stage.PUBLISHED, "noisy")
    assert why_failed(shops.name, Stage.PUBLISHED, "clean") == (observed, page_of_refusal)
    with served_pages(shops.parent, "127.0.0.1", 0) as address:
        with pytest.raises(HTTPError) as missing:
            urlopen(f"{address}/{shops.name}/noisy/reports/report.html")  # noqa: S310  (Silt's own server)
        page = missing.value.read().decode()
        before, report = (
            urlopen(f"{address}/{shops.name}/clean/reports/report.html{query}").read()  # noqa: S310
            for query in ("", "?before")
        )
    assert "the raw tables; their list is in" in observed
    assert "secret" not in observed
    assert observed in page
    assert observed in before.decode()
    assert report == (shops / "clean/reports/report.html").read_bytes()
    assert not page_of_refusal, "there is one of gates alone"
    raw.write_text(good)
    assert main(example) == 0
    assert why_failed(shops.name, Stage.PUBLISHED, "noisy") == ("", "")


def tags_of_run(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    run = instance.get_run_by_id(run_id)
    return [run.tags[name] for name in ("policy", "key", "noise")] if run else []


def test_a_build_of_the_command_line_is_repeated_in_the_web_graph(
    shops: Path, example: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a run of its job, found by tags and with all its settings: a run of these makes the same bytes.

    So are tasks, made inside of their run, with the settings of the build that they are of. The run says which parts of a step
    are done, has the tags of the other, and is what a command is told of that wants the folder meanwhile.
    """
    before = published_bytes(shops / "noisy")
    given = ["--raw=/home/me/raw/", "--environment", "a/shops.py:SHOPS", "--noise", "my noise.yaml"]
    monkeypatch.setattr(sys, "argv", ["/bin/silt", "build", *given])
    assert main([*example, "--fresh"]) == 0
    environment = find_environment("shops.py:SHOPS")
    with dg.DagsterInstance.get() as instance:
        run = instance.get_runs()[0]
        assert run.tags["dagster/code_location"] == environment.name
        assert tags_of_run(instance, run.run_id)[0] == "lsd"
        assert run.tags["user"] == "silt build"
        assert shlex.split(run.tags["silt/command"]) == ["silt", "build", *given]
        shutil.copytree(shops.parent, "elsewhere")
        for out in ("elsewhere", Workspace().out):
            began = time()
            assert main(["tasks", "make", "--environment", "shops.py:SHOPS", "--out", out]) == 0
            tasks = shown(instance, [dg.AssetKey(tasks_key_of(environment))])
            assert tasks is not None
            assert tasks.run_id != run.run_id
            assert given_to(tasks) == {**given_to(run), "out": out}
            assert (run.tags["noise"], tasks.tags.get("noise")) == ("shops.yaml", None)
            written = Path(out, shops.name, "tasks", "manifest.json").stat().st_mtime
            recorded_run = instance.get_run_record_by_id(tasks.run_id)
            assert recorded_run is not None
            assert began < cast(float, recorded_run.start_time) < written < cast(float, recorded_run.end_time)
        shutil.rmtree(shops)
        job = build_defs(environment).resolve_job_def(run.job_name)
        repeated = job.execute_in_process(run_config=run.run_config, instance=instance)
        assert repeated.success
        assert tags_of_run(instance, repeated.run_id) == tags_of_run(instance, run.run_id)
        assert (shops / LOCK).read_text() == f"a run of the web graph ({repeated.run_id[:8]})"
        quiet = [each for each in repeated.get_asset_check_evaluations() if each.check_name == NOTHING_WARNS]
        assert [each.passed for each in quiet] == [True, True]
        (of_noisy,) = instance.get_latest_materialization_events(
            [dg.AssetKey([shops.name, "published", "noisy"])]
        ).values()
        assert of_noisy is not None
        assert of_noisy.asset_materialization is not None
        shown_of_it = of_noisy.asset_materialization.metadata
        assert [name for name in shown_of_it if "_" in name and "/" not in name] == []
        assert re.fullmatch(
            r".+: \d+ of \d+ gates hold(, \d+ had too little to compare)?", str(shown_of_it["Built as promised?"].value)
        )
        assert published_bytes(shops / "noisy") == before
        said = [entry.user_message for entry in instance.all_logs(repeated.run_id)]
        assert "reports/noise: 3 of 3 parts" in said
        opened = getattr(definitions, "shops.py:SHOPS")
        assert opened.resolve_job_def(run.job_name).run_config == run.run_config
        config = opened.resolve_job_def("tasks").run_config
        assert config["resources"] == run.run_config["resources"]
        assert ["count" in op["config"] for op in config["ops"].values()] == [True]


def test_the_server_opens_at_what_was_built() -> None:
    """The environment of the last run is open, the others that were built are boxes; those that are not served are left out.

    Before any run it is the first one.
    """
    with dg.DagsterInstance.ephemeral() as instance:

        def shown_first(environments: list[str]) -> tuple[list[str], list[str]]:
            address = urlsplit(start_page(instance, environments))
            asked = re.findall('key:"([^/]+)/published/clean"', unquote(address.path))
            return asked, parse_qs(address.query)["expanded"][0].split(",")

        opened = ["global@global:a_b", "global@global:a_b/variants"]
        assert shown_first(["a-b", "shops", "never"]) == (["a-b"], opened)
        for name in ("a-b", "shops"):
            dg.materialize([dg.AssetSpec("external")][:0], instance=instance, tags={LOCATION: name})
            instance.report_runless_asset_event(dg.AssetMaterialization([name, "published", "noisy"]))
        assert shown_first(["a-b", "shops", "never"])[0] == ["shops", "a-b"]
        assert shown_first(["a-b", "shops"])[1] == [each.replace("a_b", "shops") for each in opened]
        assert shown_first(["a-b"]) == (["a-b"], opened)
        dg.materialize([], instance=instance, tags={LOCATION: "refused"})
        assert shown_first(["a-b", "shops", "never", "refused"])[0] == ["refused", "a-b", "shops"]


def test_the_web_server_can_load_it(environment: Environment) -> None:
    """The definitions serialise as the code server sends them, under the attribute that `silt dev` names."""
    defs: dg.Definitions = getattr(definitions, environment.name)
    assert "published" in serialize_value(RepositorySnap.from_def(defs.get_repository_def()))


def test_assets_lead_to_their_pages(environment: Environment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As far as `silt dev` serves them; to a folder that it does not serve nothing leads."""
    monkeypatch.setenv(PAGES, "http://here:1")
    monkeypatch.chdir(tmp_path)
    for out, expected in {"environments/a b": "/a%20b", "elsewhere": None}.items():
        graph = definitions.build_defs(environment, settings=Workspace(out=out)).resolve_asset_graph()
        links = [node.description or "" for node in graph.asset_nodes if "http://here:1" in (node.description or "")]
        ends = ("noisy/reports/report.html", "clean/reports/report.html", "tasks/index.html")
        own = [f"(http://here:1{expected}/{environment.name}/{end})" for end in ends if expected]
        assert all(any(link.endswith(end) for link in links) for end in own)
        assert len(links) == len(own)


def test_an_unregistered_environment_is_no_attribute() -> None:
    """The module has no attribute for an environment that is not registered."""
    with pytest.raises(AttributeError, match="nowhere"):
        _ = definitions.nowhere
