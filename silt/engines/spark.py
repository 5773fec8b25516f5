"""Spark as engine. It only schedules: each step is a job of one task, so that no row passes through its JVM."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from pyspark import SparkConf, SparkContext

from pipeline.errors import InputError
from silt.engines.cluster import Cluster

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to a standalone master, without an address to what Spark's own configuration names; or raise `InputError`."""
    conf = SparkConf().setAppName("silt").setIfMissing("spark.ui.showConsoleProgress", "false")
    try:
        context = SparkContext(conf=conf.setMaster(f"spark://{address}") if address else conf)
    except Exception as error:
        raise InputError(
            f"Spark does not start for {address} ({type(error).__name__}); its own log says why"
        ) from error
    with context, ThreadPoolExecutor(context.defaultParallelism) as threads:
        yield Cluster(_Jobs(context, threads), context.defaultParallelism, context.uiWebUrl or "")


class _Jobs(Executor):
    """Calls functions on Spark's workers, each in a job of its own."""

    def __init__(self, context: SparkContext, threads: ThreadPoolExecutor) -> None:
        self._context, self._threads = context, threads

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self._threads.submit(self._called, fn, args, kwargs)

    def _called(self, function: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
        called: list[T] = self._context.parallelize([0], 1).map(lambda _: function(*args, **kwargs)).collect()
        return called[0]
