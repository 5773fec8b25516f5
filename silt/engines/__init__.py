"""What performs the steps of a build, by the setting `engine`: this machine, or a cluster that Dask or Spark runs.

The cluster schedules, retries and places steps. Rows never pass through it: a step reads and writes the store, which is one
folder that every machine sees under the same path. Nor does the key: each worker has it as a file of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module

from assets.making.engines import Engine
from assets.making.request import Request
from pipeline.errors import InputError
from silt.engines.cluster import Cluster, ClusterEngine
from silt.engines.local import local_engine

Connect = Callable[[str], AbstractContextManager[Cluster]]
"""Connects to a cluster at an address; at none, to the one that its own configuration names."""

_HERE = ("", "local")
"""What this machine is called."""

_CLUSTERS: Mapping[str, str] = {"dask": "distributed", "spark": "pyspark"}
"""Name of an engine -> the package that it needs."""


@contextmanager
def started(request: Request, engine: str, *, note: Callable[[str], None] = lambda _: None) -> Iterator[Engine]:
    """Give what performs steps; afterwards its processes here end.

    Args:
        engine: Empty or `local` for this machine, `dask` or `spark` for the cluster that their configuration names,
            `NAME://HOST:PORT` for another.
        note: Is handed the address of the cluster's page.

    Raises:
        InputError: There is no such engine, its package is not installed, or no cluster answers.
    """
    if engine in _HERE:
        with local_engine(request) as found:
            yield found
        return
    with _connect(engine)(engine.partition("://")[2]) as cluster:
        note(f"{engine}: {cluster.at_once} at a time{cluster.page and f'; {cluster.page}'}")
        yield ClusterEngine(request, cluster)


def refuse_unknown(engine: str) -> None:
    """Refuse a setting that names no engine, before anything is made."""
    name, sign, address = engine.partition("://")
    if engine not in _HERE and (name not in _CLUSTERS or (sign and not address)):
        known = [known for each in _CLUSTERS for known in (each, f"{each}://HOST:PORT")]
        raise InputError.unknown("engine", engine, [*_HERE[1:], *known])


def _connect(engine: str) -> Connect:
    refuse_unknown(engine)
    name = engine.partition("://")[0]
    try:
        connect: Connect = import_module(f"silt.engines.{name}").connected
    except ImportError as error:
        raise InputError(f"engine {name} needs {_CLUSTERS[name]}; install silt[{name}] (make setup-{name})") from error
    return connect
