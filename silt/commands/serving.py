"""Runs the web server of the graph: says until it serves that it is starting, and ends it with all that it has started.

Under load it takes a minute to serve.
"""

import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic, sleep

_EVERY = 10
"""Seconds between two lines (our choice)."""

_GRACE = 3
"""Seconds that the server has to end by itself (our choice)."""


def main(host: str, port: str, command: Sequence[str]) -> int:
    """Run the command until it ends or a signal comes, and return its exit status; say when it serves at this address."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # of a server that `nohup` starts it is not
            signal.signal(number, signal.default_int_handler)
    # NOTE: in a session of its own, whose processes can be ended together: Dagster's wait for each other, for minutes.
    server = subprocess.Popen(command, start_new_session=True)  # noqa: S603  (Dagster, as it is installed)
    try:
        _say_when_served(server, host, port)
        return server.wait()
    finally:
        _end(server)


def _say_when_served(server: subprocess.Popen[bytes], host: str, port: str) -> None:
    began, said = monotonic(), 0.0
    while server.poll() is None and not _is_served(host, int(port)):
        sleep(0.5)
        if monotonic() - began > said + _EVERY:
            said = monotonic() - began
            print(f"  starting   {said:.0f} s so far", flush=True)  # noqa: T201
    if server.poll() is None:
        print(f"  serving    http://{host}:{port}, after {monotonic() - began:.0f} s", flush=True)  # noqa: T201


def _is_served(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


def _end(server: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            server.wait(_GRACE)
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
