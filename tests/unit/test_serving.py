"""A server that takes long to start is waited for aloud, and its end is the command's."""

import socket
import sys

import pytest

from silt.commands import serving

SERVER = """
import socket, sys, time
time.sleep(float(sys.argv[2]))
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    server.accept()
sys.exit(7)
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def test_a_slow_start_is_said_and_the_status_is_the_servers(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Lines come until somebody can connect, then one that says where it serves."""
    monkeypatch.setattr(serving, "_EVERY", 0.4)
    port = str(free_port())
    assert serving.main("127.0.0.1", port, [sys.executable, "-c", SERVER, port, "1.5"]) == 7
    *waited, served = capfd.readouterr().out.splitlines()
    assert waited
    assert all(line.startswith("  starting ") for line in waited)
    assert served.startswith(f"  serving    http://127.0.0.1:{port}, after ")


def test_a_server_that_does_not_start_serves_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Its status is passed on, and nothing says that it serves."""
    assert serving.main("127.0.0.1", str(free_port()), [sys.executable, "-c", "raise SystemExit(3)"]) == 3
    assert "serving" not in capfd.readouterr().out
