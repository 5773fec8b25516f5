"""A server that takes long to start is waited for aloud, its end is the command's, and the command's end is its own."""

import re
import signal
import socket
import subprocess
import sys
from argparse import Namespace
from http.client import HTTPConnection
from pathlib import Path
from time import sleep

import dagster as dg
import pytest
import yaml

from assets.wiring.graph.shown import WHY
from pipeline.errors import InputError
from silt.commands import dev
from silt.commands.build.records import left_off
from silt.commands.dev.pages import served_pages
from silt.environments import SHIPPED

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
    monkeypatch.setattr(dev, "_EVERY", 0.4)
    port = str(free_port())
    assert dev.serve("127.0.0.1", port, [sys.executable, "-c", SERVER, port, "1.5"]) == 7
    *waited, served = capfd.readouterr().out.splitlines()
    assert waited
    assert all(line.startswith("  starting ") for line in waited)
    assert served.startswith(f"  serving    http://127.0.0.1:{port}, after ")


def test_a_server_that_does_not_start_serves_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Its status is passed on, and nothing says that it serves."""
    assert dev.serve("127.0.0.1", str(free_port()), [sys.executable, "-c", "raise SystemExit(3)"]) == 3
    assert "serving" not in capfd.readouterr().out


def answer(address: str, path: str, *, host: str = "") -> tuple[int, str]:
    """Return status and text that a server gives for a path as it stands."""
    connection = HTTPConnection(address.removeprefix("http://"))
    connection.request("GET", path, headers={"Host": host} if host else {})
    with connection.getresponse() as response:
        return response.status, response.read().decode()


def test_published_pages_are_served_and_nothing_else(tmp_path: Path) -> None:
    """Neither what is the curator's, nor what a link or a path leads to outside, nor to whom another name leads here."""
    out = tmp_path / "environments"
    files = {
        "shops/noisy/reports/report.html": "report",
        "shops/noisy/database/shops.csv": "id",
        "shops/tasks/index.html": "tasks",
        "shops/curator/tasks/index.html": "secret",
        "shops/curator/refused/reports/report.html": "secret",
        "shops/curator/key": "secret",
        "shops/curator/reports/report.html": "secret",
        "shops/Curator/reports/report.html": "secret",
        "shops/.store/part": "secret",
        "../.silt/shops.key": "secret",
    }
    for path, content in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(content)
    (out / "shops/noisy/link.csv").symlink_to(out / "shops/curator/key")
    (out / "shops/noisy/outside.csv").symlink_to(tmp_path / ".silt/shops.key")
    (taken := socket.create_server(("127.0.0.1", 0))).listen()
    with taken, served_pages(out, "127.0.0.1", taken.getsockname()[1]) as address:
        assert answer(address, "/shops/noisy/reports/report.html") == (200, "report")
        assert answer(address, "/shops/noisy/database/shops.csv") == (200, "id")
        status, listed = answer(address, "/")
        assert (status, re.findall('href="(.*?)"', listed)) == (
            200,
            ["shops/noisy/reports/report.html", "shops/tasks/index.html"],
        )
        hidden = (
            *(
                "shops/curator/key",
                "shops/noisy/../curator/key",
                "shops/%63urator/key",
                "shops/curator/refused/reports/report.html",
                "shops/curator/tasks/index.html",
                "shops/Curator/reports/report.html",
            ),
            *(
                "shops/.store/part",
                "../.silt/shops.key",
                "%2e%2e/.silt/shops.key",
                "shops/noisy/link.csv",
                "shops/noisy/outside.csv",
            ),
            *(
                "shops/noisy/reports",
                "shops/noisy/reports/",
                "shops/none.csv",
                "shops/curator/refused/reports/report.html",
                "shops/noisy/%00",
            ),
        )
        for path in hidden:
            status, text = answer(address, f"/{path}")
            assert (path, status) == (path, 404)
            assert "secret" not in text
        assert answer(address, "/shops/noisy/database/shops.csv", host="evil.example")[0] == 403


def test_a_variant_that_was_refused_leads_to_the_file_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its page the path alone is given, as the run has it; what a variant lacks that is there is another matter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    for folder in ("shops/clean/reports", "shops/curator", "inns"):
        Path("environments", folder).mkdir(parents=True)
    refused = "environments/shops/curator/refused/reports/report.html"
    with dg.DagsterInstance.get() as instance:
        for variant in ("noisy", "clean"):
            key, why = dg.AssetKey(["shops", "published", variant]), {WHY: "refused by <a gate>."}
            instance.report_runless_asset_event(dg.AssetObservation(key, description=refused, metadata=why))
    with served_pages(Path("environments"), "127.0.0.1", 0) as address:
        answers = {
            path: answer(address, f"/{path}/reports/report.html")
            for path in ("shops/noisy", "shops/clean", "inns/noisy", "none/noisy", "shops/curator")
        }
    assert {status for status, _ in answers.values()} == {404}
    texts = {path: text for path, (_, text) in answers.items()}
    assert [path for path in texts if "No run that is on record was to build it." in texts[path]] == ["inns/noisy"]
    assert [path for path in texts if refused in texts[path]] == ["shops/noisy"]
    assert "refused by &lt;a gate&gt;. The page that says more" in texts["shops/noisy"]


def test_what_was_built_besides_is_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the declaration that its card names, or if it was only refused its note; else the command that shows it is printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/bin/true")  # in place of Dagster
    (tmp_path / "my shops.py").touch()
    cards = {
        "shops": "silt release --environment 'my shops.py:SHOPS' --raw DIR",
        "cafes": "",
        "inns": "--environment inns.py:A",
    }
    for name, card in cards.items():
        built = tmp_path / "environments" / name
        for folder, file in {"curator": "stages.json", "clean": "README.md"}.items():
            (built / folder).mkdir(parents=True)
            (built / folder / file).write_text(card)
    left_off("kiosks").parent.mkdir()
    left_off("kiosks").write_text("my shops.py:KIOSKS")
    dev.run(Namespace(environment=None, host="127.0.0.1", port=free_port()))
    said = capsys.readouterr().out
    assert "shops was built before: the same build again makes nothing anew, and then shows, too" in said
    assert left_off("shops").exists(), "the next build of it, which lacks nothing, is recorded whole"
    for name in ("cafes", "inns"):
        assert f"{name} was built here, too: silt dev --environment FILE.py:NAME shows it" in said
    opened = yaml.safe_load((tmp_path / ".dagster/workspace.yaml").read_text(encoding="utf-8"))["load_from"]
    modules = [each["python_module"] for each in opened]
    assert [(each["location_name"], each["attribute"]) for each in modules[:2]] == [
        ("kiosks", "my shops.py:KIOSKS"),
        ("shops", "my shops.py:SHOPS"),
    ]
    assert [each["location_name"] for each in modules[2:]] == [*SHIPPED]
    # Else a declaration in `raw.py` stands where Silt's package of that name is looked for.
    assert all((Path(each["working_directory"]) / "silt/definitions.py").is_file() for each in modules)


def test_a_port_that_is_taken_is_not_served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another server answers there, with the builds of another folder."""
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        options = Namespace(host="127.0.0.1", port=port, environment=None)
        with pytest.raises(InputError, match=rf"port {port} is taken, by another server; .* --port \d+ \(PORT\)"):
            dev.run(options)
        assert not Path("dagster.yaml").exists()
        monkeypatch.setattr(dev, "_is_served", lambda _, asked: asked in {port, port + 1, port + 3})
        with pytest.raises(InputError, match=f"--port {port + 4} "):  # pages are served at the next one
            dev.run(options)


def test_a_folder_serves_once_at_a_port(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From before anything answers there until the process ends, however that is; at another port it may."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    python = sys.executable
    monkeypatch.setattr(sys, "executable", "/bin/true")  # in place of Dagster
    here, there = (Namespace(host="127.0.0.1", port=free_port(), environment=None) for _ in range(2))
    script = f"from silt.commands.dev import _alone_at\nwith _alone_at({here.host!r}, {here.port}): print(flush=True); input()"
    with subprocess.Popen([python, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as another:
        assert another.stdout
        another.stdout.readline()
        with pytest.raises(InputError, match=f"already serves here, or starts to: http://127.0.0.1:{here.port};"):
            dev.run(here)
        dev.run(there)
        another.kill()
    dev.run(here)


STUBBORN = """
import pathlib, signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(sys.argv[1]).write_text(f"{child.pid}\\n")
time.sleep(600)
"""


def is_running(process: int) -> bool:
    """Say whether a process is there and has not ended: nobody may have asked yet how it ended."""
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_with_what_it_started(tmp_path: Path, number: signal.Signals) -> None:
    """However much these want to go on: within the seconds that the server is given, and two for a machine at work."""
    told = tmp_path / "child"
    command = [sys.executable, "-c", STUBBORN, str(told)]
    script = f"from silt.commands.dev import serve; serve('127.0.0.1', '{free_port()}', {command})"
    with subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        while not (told.exists() and told.read_text(encoding="utf-8").endswith("\n")):
            assert process.poll() is None
            sleep(0.05)
        process.send_signal(number)
        process.wait(timeout=dev._GRACE + 2)
    assert not is_running(int(told.read_text(encoding="utf-8")))
