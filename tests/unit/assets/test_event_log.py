"""Dagster's record of events with connections that stay open: it holds what Dagster's own holds, and that reads it."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.runs.sqlite import sqlite_run_storage
from dagster._core.test_utils import create_test_daemon_workspace_context
from dagster._core.workspace.load_target import EmptyWorkspaceTarget
from dagster_webserver.webserver import DagsterWebserver
from starlette.requests import Request

from assets.wiring.event_log import OpenEventLog
from assets.wiring.graph.shown import LOCATION
from silt.commands.build.recorded import opened_instance

ROOT = Path(__file__).parents[3]


@dg.asset(check_specs=[dg.AssetCheckSpec("even", asset="numbers")])
def numbers() -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Yield an asset with a check."""
    yield dg.MaterializeResult(metadata={"dagster/row_count": 4})
    yield dg.AssetCheckResult(passed=True, check_name="even")


def at_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let records be kept in a folder; return the checkout's settings."""
    monkeypatch.setenv("DAGSTER_HOME", str(folder))
    monkeypatch.chdir(folder)
    settings = (ROOT / "dagster.yaml").read_text(encoding="utf-8")
    (folder / "dagster.yaml").write_text(settings.replace(" .dagster", f" {folder}/.dagster"))
    return settings


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dagsters_own_storage_reads_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run under the checkout's settings: asset, check and every event are there for whoever opens the files otherwise."""
    settings = at_home(tmp_path, monkeypatch)
    with dg.DagsterInstance.get() as instance:
        assert isinstance(instance.event_log_storage, OpenEventLog)
        result = dg.materialize([numbers], instance=instance)
    folder = yaml.safe_load(settings)["event_log_storage"]["config"]["base_dir"]
    own = SqliteEventLogStorage(str(tmp_path / folder))
    latest = own.get_latest_materialization_events([numbers.key])[numbers.key]
    assert latest is not None
    assert latest.run_id == result.run_id
    told = [entry.dagster_event for entry in own.get_logs_for_run(result.run_id)]
    assert [each for each in result.all_events if each not in told] == []
    with sqlite3.connect(tmp_path / folder / "index.db") as index:
        assert index.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_two_first_builds_at_once_have_one_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither makes tables that the other makes, however long Dagster takes between looking for them and making them."""
    at_home(tmp_path, monkeypatch)
    made = sqlite_run_storage.RunStorageSqlMetadata.create_all

    def slowly(*given: Any, **named: Any) -> None:
        sleep(0.5)
        made(*given, **named)

    monkeypatch.setattr(sqlite_run_storage.RunStorageSqlMetadata, "create_all", slowly)
    with ThreadPoolExecutor(2) as both:
        for instance in both.map(lambda _: opened_instance(), range(2)):
            instance.dispose()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_that_is_no_servers_belongs_to_its_location(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The timeline lists runs by the location that they come from; one that says none has none."""
    at_home(tmp_path, monkeypatch)
    with dg.DagsterInstance.get() as instance:
        made = [dg.materialize([numbers], instance=instance, tags=tags) for tags in ({LOCATION: "shops"}, {})]
        origins = [instance.get_run_by_id(result.run_id).remote_job_origin for result in made]
    assert [origin and origin.repository_origin.get_label() for origin in origins] == ["__repository__@shops", None]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_web_server_opens_with_the_asset_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first page leads to the graph; every other one is Dagster's own. There is no environment to choose here."""
    at_home(tmp_path, monkeypatch)
    with dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(1, 1, 1)
        with create_test_daemon_workspace_context(EmptyWorkspaceTarget(), instance) as workspace:
            server = DagsterWebserver(workspace)
            first, other = (server.index_html_endpoint(Request(_asks_for(path))) for path in ("/", "/runs"))
    assert first.headers["location"] == "/asset-groups"
    assert other.status_code == 200


def _asks_for(path: str) -> dict[str, Any]:
    return {"type": "http", "path": path, "headers": [], "query_string": b"", "scheme": "http", "server": ("here", 80)}
