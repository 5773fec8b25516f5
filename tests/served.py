"""A web server of Dagster's, for as long as somebody looks at it."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import urlopen

PATIENCE = 300
"""Seconds in which a server has to answer."""


@contextmanager
def served(folder: Path, *command: str | Path, **variables: str) -> Iterator[str]:
    """Start a command that serves, which is told its port last, in a folder and with variables besides; give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with TemporaryFile() as said:
        server = subprocess.Popen(
            [*command, "--port", port], cwd=folder, stdout=said, stderr=said, env=os.environ | variables
        )
        try:
            _wait_for(address := f"http://127.0.0.1:{port}")
            yield address
        finally:
            server.terminate()
            server.wait()


def _wait_for(address: str) -> None:
    begun = monotonic()
    while True:
        try:
            urlopen(f"{address}/server_info").close()  # noqa: S310  (our own server)
        except URLError:
            if monotonic() - begun > PATIENCE:
                raise
            sleep(1)
        else:
            return
