"""Tells a person how far a build is: a bar on a terminal, plain lines elsewhere. Reads Dagster's events, decides nothing."""

import logging
import sys
from typing import Any, TextIO

import dagster as dg
from dagster import DagsterEventType

_BAR_WIDTH = 24


class ProgressHandler(logging.Handler):
    """Writes one step for each asset that is made, and whatever the stages log at INFO and above."""

    def __init__(self, stream: TextIO, planned: int) -> None:
        super().__init__(logging.DEBUG)
        self._stream = stream
        self._planned = planned
        self._made = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write what the record says, if a person building should see it."""
        event = getattr(record, "dagster_meta", {}).get("dagster_event")
        # NOTE: errors are told at the end, once; Dagster's own here list every step that a failure leaves out.
        if event is None and logging.INFO <= record.levelno < logging.ERROR:
            self._line(record.getMessage().rsplit(" - ", 1)[-1])
        elif event is not None and event.event_type == DagsterEventType.ASSET_MATERIALIZATION:
            self._made += 1
            self._step(event.step_materialization_data.materialization)

    def _step(self, materialization: dg.AssetMaterialization) -> None:
        rows: Any = materialization.metadata.get("dagster/row_count")
        name = "/".join((materialization.asset_key or dg.AssetKey([""])).path[1:])
        text = f"{name}: {rows.value:,} rows" if rows is not None else name
        if self._stream.isatty():
            done = _BAR_WIDTH * self._made // max(self._planned, 1)
            self._stream.write(f"\r\x1b[K[{'#' * done}{'.' * (_BAR_WIDTH - done)}] {self._made}/{self._planned} {text}")
            self._stream.write("\n" if self._made == self._planned else "")
        else:
            self._stream.write(f"[{self._made}/{self._planned}] {text}\n")
        self._stream.flush()

    def _line(self, text: str) -> None:
        clear = "\r\x1b[K" if self._stream.isatty() else ""
        self._stream.write(f"{clear}{text}\n")
        self._stream.flush()


@dg.logger
def progress_logger(context: dg.InitLoggerContext) -> logging.Logger:
    """Return a logger that shows progress on standard error and hands nothing on."""
    job = context.job_def
    logger = logging.getLogger("silt.progress")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.handlers = [ProgressHandler(sys.stderr, len(job.asset_layer.selected_asset_keys) if job else 0)]
    return logger
