"""`silt dev`: open the asset graph in a web server: of the environments that Silt ships, and of one of your own."""

import argparse
import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from assets.settings import PAGES, BuildSettings
from pipeline.errors import InputError
from pipeline.places import CURATOR, STAGES
from silt.commands.build.records import left_off
from silt.commands.dev.pages import served_pages
from silt.commands.options import Commands, add_plain
from silt.commands.saying import say
from silt.environments import SHIPPED

SETTINGS = Path(__file__).with_name("dagster.yaml")
"""How Dagster keeps its records; with this file in the working folder, builds show in the graph."""

_WORKSPACE = Path(".dagster/workspace.yaml")

_PORT = 3000


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_plain(commands, "dev", run)
    command.add_argument(
        "--environment", metavar="FILE.py:NAME", help="the environment to open first; one of your own is FILE.py:NAME"
    )
    command.add_argument("--host", default="127.0.0.1", help="address to serve at (default: %(default)s)")
    command.add_argument("--port", type=_port, default=_PORT, help="port to serve at (default: %(default)s)")


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    if find_spec("dagster_webserver") is None:
        raise InputError(
            "the web server is not installed; say `make dev` in a checkout, or else `pip install 'silt[web]'`"
        )
    with _alone_at(options.host, options.port):
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    home = os.environ.setdefault("DAGSTER_HOME", str(Path.cwd()))
    own, built = _own(options.environment), _built()
    refused = {name: declared for name in _names_left_off() if (declared := _declared(name))}
    shown = {name: declared for name, declared in built.items() if declared}
    locations = own | refused | shown | dict.fromkeys(SHIPPED, "")
    if Path(home) == Path.cwd() and not (kept := Path("dagster.yaml")).exists():
        shutil.copyfile(SETTINGS, kept)
        say(f"  wrote      {kept}: builds in this folder leave a record from now on, and show in the graph")
        for name in _names_built():
            (note := left_off(name)).parent.mkdir(exist_ok=True)
            note.touch()
            say(f"  look at    {name} was built before: the same build again makes nothing anew, and then shows, too")
    for name in built.keys() - locations.keys():
        say(f"  look at    {name} was built here, too: silt dev --environment FILE.py:NAME shows it")
    say(f"  open       {_address(options.host, options.port)} in a browser when it is served; Ctrl-C ends the server")
    say("  build      there again: right-click the title of an environment, and take 'Materialize assets'")
    # NOTE: Dagster advises another command, which is for projects that it scaffolds.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:Function `dev_command`")
    host, port = options.host, str(options.port)
    command = [sys.executable, "-m", "dagster", "dev", "-w", str(write_workspace(locations))]
    with served_pages(Path(BuildSettings().out), host, options.port + 1) as address:
        say(f"  reports    {address}")
        os.environ[PAGES] = address
        return serve(host, port, [*command, "--host", host, "--port", port])


@contextmanager
def _alone_at(host: str, port: int) -> Iterator[None]:
    """Hold an address for this folder, from before it is served until the process ends; refuse one that somebody has."""
    note = _WORKSPACE.with_name(f"{port}.served")
    note.parent.mkdir(exist_ok=True)
    with note.open("a", encoding="utf-8") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            served = f"silt dev already serves here, or starts to: {_address(host, port)}"
            raise InputError(f"{served}; open it in a browser, or end it first") from None
        if _is_served(host, port):
            free = (n for n in range(port + 1, _PORTS - 1) if not (_is_served(host, n) or _is_served(host, n + 1)))
            another = f"give another one: --port {next(free, _PORT)} (PORT)"
            raise InputError(f"port {port} is taken, by another server; {another}")
        yield


def _address(host: str, port: int) -> str:
    return f"http://{host}:{port}"


def _built() -> dict[str, str]:
    """Return the environments of one's own that were built in the default folder, and their declarations, if found."""
    return {name: _declared(name) for name in _names_built() if name not in SHIPPED}


def _names_built() -> list[str]:
    return sorted(note.parts[1] for note in Path(BuildSettings().out).glob(f"*/{CURATOR}/{STAGES}"))


def _names_left_off() -> list[str]:
    """Return the environments whose last build did not pass: one that was refused at first has no variant."""
    notes = left_off("*")
    return sorted({note.stem for note in notes.parent.glob(notes.name)} - {*SHIPPED})


def _declared(name: str) -> str:
    """Return what named an environment when it was built, as the card of its variant has it; nothing if that is not here.

    Of a build that did not pass a note has it.
    """
    cards = sorted((Path(BuildSettings().out) / name).glob("*/README.md"))
    found = re.search(r"--environment ('[^']*'|\S+)", "\n".join(card.read_text(encoding="utf-8") for card in cards))
    note = left_off(name)
    declared = found[1].strip("'") if found else note.read_text(encoding="utf-8") if note.is_file() else ""
    return declared if Path(declared.rpartition(":")[0]).is_file() else ""


def write_workspace(locations: Mapping[str, str]) -> Path:
    """Write what Dagster opens: a location for each environment, by its name and, if it is not shipped, its declaration.

    Its modules are looked for beside Silt's first. Dagster would take the folder's own, and a declaration there may be called
    as a package of Silt's is.
    """
    import yaml  # noqa: PLC0415

    module = {"module_name": "silt.definitions", "working_directory": str(Path(__file__).parents[3])}
    opened: list[dict[str, Any]] = [
        {"python_module": module | {"attribute": declared or name, "location_name": name}}
        for name, declared in locations.items()
    ]
    _WORKSPACE.parent.mkdir(exist_ok=True)
    _WORKSPACE.write_text(yaml.safe_dump({"load_from": opened}), encoding="utf-8")
    return _WORKSPACE


def _own(declared: str | None) -> dict[str, str]:
    """Return the environment that is asked for, if any, by its name, and its declaration unless Silt ships it."""
    if declared is None or declared in SHIPPED:
        return {declared: ""} if declared else {}
    from silt.environments.registry import find_environment  # noqa: PLC0415

    return {find_environment(declared).name: declared}


def _port(text: str) -> int:
    number = int(text) if re.fullmatch("[0-9]{1,5}", text) else 0
    if not 0 < number < _PORTS:
        raise argparse.ArgumentTypeError(f"no port: {text!r}; give a number from 1 to {_PORTS - 1}")
    return number


_PORTS = 2**16


_EVERY = 10
"""Seconds between two lines (our choice)."""

_GRACE = 3
"""Seconds that the server has to end by itself (our choice)."""


def serve(host: str, port: str, command: Sequence[str]) -> int:
    """Run the command until it ends or a signal comes, and return its exit status; say when it serves at this address.

    Under load that takes a minute, so it says until then that it is starting.
    """
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
    while server.poll() is None:
        if _is_served(host, int(port)):
            print(f"  serving    {_address(host, int(port))}, after {monotonic() - began:.0f} s", flush=True)  # noqa: T201
            return
        sleep(0.5)
        if monotonic() - began > said + _EVERY:
            said = monotonic() - began
            print(f"  starting   {said:.0f} s so far", flush=True)  # noqa: T201


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
