"""Dagster's record of runs and events: kept open, or not kept. Its own storages connect anew at each of some 500 events.

This is the only module that imports what Dagster calls private. Dagster lets `dagster.yaml` name a storage of one's own, but
has no public name for the class to derive it from (1.13). Nor has it a setting for the page that the web graph opens with.

A build reads its events as Dagster yields them; where no record is kept, nobody reads another one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any, Self

import dagster as dg
from dagster._core.event_api import EventRecordsResult
from dagster._core.instance import InstanceType
from dagster._core.launcher.sync_in_memory_run_launcher import SyncInMemoryRunLauncher
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteRepositoryOrigin
from dagster._core.run_coordinator import DefaultRunCoordinator
from dagster._core.storage.event_log import InMemoryEventLogStorage, SqliteEventLogStorage
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.root import TemporaryLocalArtifactStorage
from dagster._core.storage.runs import InMemoryRunStorage, SqliteRunStorage
from dagster._serdes import ConfigurableClassData
from dagster_shared.record import copy
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import SingletonThreadPool

from assets.wiring.graph.shown import LOCATION, REPOSITORY, start_page

_FILES = 4
"""Files of events that are open at once: that of the run at work, that of all assets, and what the web server looks at."""

_BUSY_SECONDS = 60
"""How long a writer waits for another one: the web server writes into the same files."""


class ListedRuns(SqliteRunStorage):
    """Dagster's storage of runs in SQLite, in which each run belongs to an environment; `dagster.yaml` names it."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> Self:
        """Return the storage that the configuration describes."""
        return cls.from_local(inst_data=inst_data, **config_value)

    def add_run(self, dagster_run: dg.DagsterRun) -> dg.DagsterRun:
        """Keep a run. Dagster knows the location of a run that its own server starts; of others the timeline shows none."""
        location = dagster_run.tags.get(LOCATION)
        if dagster_run.remote_job_origin is None and location:
            repository = RemoteRepositoryOrigin(RegisteredCodeLocationOrigin(location), REPOSITORY)
            dagster_run = copy(dagster_run, remote_job_origin=repository.get_job_origin(dagster_run.job_name))
        return super().add_run(dagster_run)


class OpenEventLog(SqliteEventLogStorage):
    """Dagster's storage of events in SQLite, with connections that stay open; `dagster.yaml` names it."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> Self:
        """Return the storage that the configuration describes."""
        return cls(inst_data=inst_data, **config_value)

    def optimize_for_webserver(self, *_settings: int, **_named: int) -> None:
        """Let the web server, which calls this before it makes its pages, lead from its first page to the last build."""
        from dagster_webserver.webserver import DagsterWebserver  # noqa: PLC0415  (builds do without it)
        from starlette.responses import RedirectResponse  # noqa: PLC0415

        page = DagsterWebserver.index_html_endpoint

        def opened(server: Any, request: Any) -> Any:
            if request.url.path != "/":
                return page(server, request)
            with server.request_context(request) as asked:
                return RedirectResponse(start_page(asked.instance, asked.code_location_names))

        DagsterWebserver.index_html_endpoint = opened  # type: ignore[assignment,method-assign]

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        """Give a connection to a file of events, inside of a transaction."""
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection

    @cached_property
    def _engine(self) -> Any:
        @lru_cache(_FILES)
        def engine(shard: str) -> Engine:
            waits = {"timeout": _BUSY_SECONDS}
            made = create_engine(self.conn_string_for_shard(shard), poolclass=SingletonThreadPool, connect_args=waits)
            event.listen(made, "connect", _write_ahead)
            return made

        return engine


class NoEventLog(InMemoryEventLogStorage):
    """Dagster's storage of events, of which none is kept."""

    def store_event(self, event: dg.EventLogEntry) -> None:
        """Forget an event."""

    def get_asset_records(self, asset_keys: Sequence[dg.AssetKey] | None = None) -> Sequence[Any]:  # noqa: ARG002
        """Return nothing."""
        return []

    def fetch_observations(self, *_asked: Any, **_how: Any) -> EventRecordsResult:
        """Return nothing."""
        return EventRecordsResult(records=[], cursor="", has_more=False)


def without_record() -> dg.DagsterInstance:
    """Return an instance that keeps nothing: Dagster's own of that kind, but for the events."""
    return dg.DagsterInstance(
        instance_type=InstanceType.EPHEMERAL,
        local_artifact_storage=TemporaryLocalArtifactStorage(),  # type: ignore[no-untyped-call]
        run_storage=InMemoryRunStorage(),
        event_storage=NoEventLog(),
        compute_log_manager=NoOpComputeLogManager(),
        run_coordinator=DefaultRunCoordinator(),
        run_launcher=SyncInMemoryRunLauncher(),
    )


def _write_ahead(connection: Any, _record: object) -> None:
    # NOTE: with a write-ahead log, which Dagster sets, this loses no file at a power cut; at most the last events.
    connection.execute("PRAGMA synchronous=NORMAL")
