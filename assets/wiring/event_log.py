"""Dagster's record of events, kept open: its own storage connects anew, and waits for the disk, at each of some 500 events.

This is the only module that imports what Dagster calls private. Dagster lets `dagster.yaml` name a storage of one's own, but
has no public name for the class to derive it from (1.13).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any, Self

from dagster._core.storage.event_log import SqliteEventLogStorage
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


def _write_ahead(connection: Any, _record: object) -> None:
    # NOTE: with a write-ahead log, which Dagster sets, this loses no file at a power cut; at most the last events.
    connection.execute("PRAGMA synchronous=NORMAL")
