"""Dask as engine: a scheduler that runs already, wherever it has its workers (SSH, Kubernetes, Slurm, YARN)."""

from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client

from pipeline.errors import InputError
from silt.engines.cluster import Cluster

_PATIENCE = 5
"""Seconds for which a scheduler may say nothing (our choice)."""

_RETRIES = 3
"""How often a step is tried again whose worker is gone (our choice); one that goes wrong raises nothing, and is not."""


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler; without an address to the one that Dask's own configuration names, with TLS if that says so.

    Raises:
        InputError: No scheduler answers, or it has no workers.
    """
    try:
        client = Client(f"tcp://{address}" if address else None, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no scheduler of Dask's answers at {address}; start one (dask scheduler), or give another"
        ) from error
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise InputError(f"the scheduler of Dask's at {address} has no workers; start some (dask worker)")
        yield Cluster(client.get_executor(pure=False, retries=_RETRIES), threads, client.dashboard_link)
