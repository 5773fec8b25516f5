"""Runs the web server of the graph, and says until it serves that it is starting: under load that takes a minute.

`silt dev` becomes this process. Nothing of Silt is imported here that the server would have to wait for.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic, sleep

_EVERY = 10
"""Seconds between two lines (our choice)."""


def main(host: str, port: str, command: Sequence[str]) -> int:
    """Run the command until it ends, and return its exit status; say when it serves at this address."""
    server, began, said = subprocess.Popen(command), monotonic(), 0.0  # noqa: S603
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    try:
        while server.poll() is None and not _is_served(host, int(port)):
            sleep(0.5)
            if monotonic() - began > said + _EVERY:
                said = monotonic() - began
                print(f"  starting   {said:.0f} s so far", flush=True)  # noqa: T201
        if server.poll() is None:
            print(f"  serving    http://{host}:{port}, after {monotonic() - began:.0f} s", flush=True)  # noqa: T201
        return server.wait()
    except KeyboardInterrupt:  # the server has it, too
        return server.wait()


def _is_served(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


if __name__ == "__main__":
    address, port_given, *served = sys.argv[1:]
    sys.exit(main(address, port_given, served))
