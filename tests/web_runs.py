"""`python -m tests.web_runs FOLDER`: start runs in the browser, as people do, and compare each with the command line.

A web server (`silt dev`) works in the folder. Each run is written into the launchpad and launched there; then the command line
is given the same settings. What both publish must be the same, manifest for manifest, and so must be what they refuse. It takes
a quarter of an hour of an idle machine, and prints a table.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.request import Request, urlopen

import yaml
from playwright.sync_api import Page, sync_playwright

from anonymize.keys.release_key import make_key
from pipeline.publish.variant import VARIANTS
from tests.served import served

_SILT = Path(sys.executable).parent / "silt"
_ROOT = Path(__file__).parents[1]
_PATIENCE = 900
"""Seconds in which a server has to answer and a run to end."""

_REFUSED = re.compile(r"(Invalid|Received|Value|Error)[^\n]*root:[^\n]*")
"""What the launchpad writes beside settings that it does not take."""

_NOT_A_SETTING = "not a setting of the command line"

_STATE = """query($run: ID!) { runOrError(runId: $run) { ... on Run { status } }
  logsForRun(runId: $run, limit: 5000) { ... on EventConnection { events { __typename
    ... on ExecutionStepFailureEvent { error { message } failureMetadata { description } }
    ... on RunFailureEvent { message error { message causes { message } } } } } } }"""


@dataclass(frozen=True)
class Trial:
    """A run: of which job, with which settings other than those that the launchpad opens with."""

    name: str
    job: str = "env_noisy"
    location: str = "dataclaw-18"
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_refused: bool = False

    @property
    def variants(self) -> tuple[str, ...]:
        """Return what its job builds."""
        return tuple(self.job.removeprefix("env_").split("_")) if self.job.startswith("env_") else VARIANTS


_SMALL = {"scale": 0.02}
_WRONG: Mapping[str, Any] = {
    "policy": "guardd",
    "budget": -1.0,
    "scale": -1.0,
    "raw": "nowhere",
    "key_file": "no.key",
    "noise": "no.yaml",
    "plan": "no_plan.yaml",
    "store_size": -1.0,
    "store": "a_file",
    "out": "a_file",
    "fresh": "perhaps",
    "reuse_key": "perhaps",
}
"""A value of each setting that no build takes."""


def trials(real: Path) -> Iterator[Trial]:
    """Yield every run that is tried."""
    yield Trial("profile sample", "sample")
    yield Trial("profile guarded", "guarded", settings=_SMALL)
    yield Trial("out", settings=_SMALL | {"out": "else/where"})
    yield Trial("another key", settings=_SMALL | {"key_file": "other.key"})
    yield Trial("another policy", "env_clean", settings=_SMALL | {"policy": "guarded"})
    if real.is_dir():
        yield Trial("real tables", "env_noisy_clean", "us-listed", {"raw": str(real)})
    yield Trial("generated companies", "env_noisy_clean", "us-listed", _SMALL)
    for name, value in _WRONG.items():
        yield Trial(f"wrong {name}", settings=_SMALL | {name: value}, is_refused=True)


def main() -> int:
    """Try every run, and return 1 if one does something else than the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.web_runs", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder to work in, empty or of an earlier trial")
    parser.add_argument("--real", type=Path, default=Path(os.environ.get("SILT_REAL_TABLES", "")) / "us_listed")
    parser.add_argument("--only", default="", help="only runs with this in their name")
    options = parser.parse_args()
    folder = options.folder.resolve()
    _prepare(folder)
    is_same = []
    with served(folder, _SILT, "dev", **_variables(folder)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for trial in trials(options.real):
            if options.only in trial.name:
                # A page of its own, since the launchpad remembers what was written last.
                with browser.new_page(viewport={"width": 1400, "height": 900}) as page:
                    web = _in_browser(page, address, trial)
                line = _on_command_line(folder, trial)
                is_same.append(_agree(folder, trial, web, line))
                print(f"{'same' if is_same[-1] else 'OTHER':<6}{trial.name:<30}{web[:150]}", flush=True)  # noqa: T201
                if not is_same[-1]:
                    print(f"{'':<6}{'on the command line':<30}{line}", flush=True)  # noqa: T201
        browser.close()
    print(f"{sum(is_same)} of {len(is_same)} runs did what the command line does")  # noqa: T201
    return 0 if all(is_same) else 1


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(_ROOT / "dagster.yaml", folder)
    (folder / "a_file").write_text("")
    if not (folder / "other.key").exists():
        make_key(folder / "other.key")


def _in_browser(page: Page, address: str, trial: Trial) -> str:
    """Launch a run from the launchpad; return `published`, or why it was not."""
    page.goto(f"{address}/locations/{trial.location}/jobs/{trial.job}/playground")
    editor = "document.querySelector('.CodeMirror').CodeMirror"
    page.wait_for_selector(".CodeMirror", timeout=_PATIENCE * 1_000)
    page.wait_for_function(f"{editor}.getValue().includes('resources')", timeout=_PATIENCE * 1_000)
    config = yaml.safe_load(page.evaluate(f"{editor}.getValue()"))
    settings = config["resources"]["scheduler"]["config"]
    settings |= {"out": f"of/{trial.name.replace(' ', '_')}"} | trial.settings
    settings["out"] = f"web/{settings['out']}" if settings["out"] != "a_file" else "a_file"
    page.evaluate(f"text => {editor}.setValue(text)", yaml.safe_dump(config))
    page.wait_for_timeout(3_000)  # the launchpad checks what was written after a while
    button, begun = page.get_by_role("button", name="Launch Run"), monotonic()
    while button.is_disabled():
        found = _REFUSED.search(page.locator("body").inner_text())
        if found:
            return f"not launched: {found.group()}"
        if monotonic() - begun > _PATIENCE:
            return "neither launched nor refused"
        page.wait_for_timeout(500)
    button.click()
    page.wait_for_url("**/runs/*", timeout=_PATIENCE * 1_000)
    return _ended(address, page.url.rpartition("/")[2].partition("?")[0])


def _ended(address: str, run: str) -> str:
    """Wait until a run is over; return how it ended."""
    begun = monotonic()
    while monotonic() - begun < _PATIENCE:
        found = _asked(address, _STATE, run=run)
        if found["runOrError"]["status"] == "SUCCESS":
            return "published"
        if found["runOrError"]["status"] in ("FAILURE", "CANCELED"):
            failures = [each for each in found["logsForRun"]["events"] if len(each) > 1]
            return json.dumps(failures, ensure_ascii=False)
        sleep(1)
    return "still at work"


def _asked(address: str, query: str, **variables: str) -> dict[str, Any]:
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = Request(f"{address}/graphql", body, {"content-type": "application/json"})  # noqa: S310  (our own server)
    with urlopen(request) as answer:  # noqa: S310
        return dict(json.load(answer)["data"])


def _on_command_line(folder: Path, trial: Trial) -> str:
    """Build with the same settings; return `published`, or the error."""
    given = {"out": f"of/{trial.name.replace(' ', '_')}"} | _profile(trial) | trial.settings
    given["out"] = f"line/{given['out']}" if given["out"] != "a_file" else "a_file"
    if {"fresh", "reuse_key"} & {name for name, value in given.items() if isinstance(value, str)} or "plan" in given:
        return _NOT_A_SETTING
    options = [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    command = [_SILT, "build", *trial.variants, "--environment", trial.location, "--quiet", *options]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=os.environ | _variables(folder)
    )
    return "published" if not done.returncode else done.stderr.strip()


def _profile(trial: Trial) -> dict[str, Any]:
    """Return what the job itself says, as a user of the command line would."""
    return {"sample": _SMALL, "guarded": {"policy": "guarded"}}.get(trial.job, {})


def _agree(folder: Path, trial: Trial, web: str, line: str) -> bool:
    """Say whether both published the same, or refused for one reason."""
    if trial.is_refused:
        told = line.removeprefix("silt: ").splitlines()[0]
        not_launched = web.startswith("not launched: ") and trial.name.removeprefix("wrong ") in web
        return "published" not in (web, line) and (not_launched or told in web or line == _NOT_A_SETTING)
    places = [
        sorted((folder / side).glob(f"**/{trial.location}/{variant}/manifest.json"))
        for side in ("web", "line")
        for variant in trial.variants
    ]
    out = str(trial.settings.get("out", f"of/{trial.name.replace(' ', '_')}"))
    manifests = [[_digests(file) for file in found if out in str(file)] for found in places]
    half = len(trial.variants)
    return web == line == "published" and all(manifests) and manifests[:half] == manifests[half:]


def _digests(manifest: Path) -> tuple[bytes, dict[str, bytes]]:
    """Return a manifest and the files of its variant that evaluators read."""
    files = sorted(path for path in (manifest.parent / "database").rglob("*") if path.is_file())
    return manifest.read_bytes(), {str(file.relative_to(manifest.parent)): file.read_bytes() for file in files}


def _variables(folder: Path) -> dict[str, str]:
    return {"DAGSTER_HOME": str(folder), "PYTHONPATH": str(_ROOT)}


if __name__ == "__main__":
    sys.exit(main())
