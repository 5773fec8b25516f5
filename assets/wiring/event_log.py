"""Dagster's record of events: kept open, or not kept. Its own storages connect anew at each of some 500 events.

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
from dagster._core.run_coordinator import DefaultRunCoordinator
from dagster._core.storage.event_log import InMemoryEventLogStorage, SqliteEventLogStorage
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.root import TemporaryLocalArtifactStorage
from dagster._core.storage.runs import InMemoryRunStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import SingletonThreadPool

_FILES = 4
"""Files of events that are open at once: that of the run at work, that of all assets, and what the web server looks at."""

_BUSY_SECONDS = 60
"""How long a writer waits for another one: the web server writes into the same files."""


class OpenEventLog(SqliteEventLogStorage):
    """Dagster's storage of events in SQLite, with connections that stay open; `dagster.yaml` names it."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> Self:
        """Return the storage that the configuration describes."""
        return cls(inst_data=inst_data, **config_value)

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
