"""`silt rebuild`: build a release again from its inputs, and compare it byte for byte."""

import argparse
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonymize.keys.key_uses import own_key
from anonymize.keys.release_key import DEMONSTRATION_KEY, ReleaseKey, read_key
from assets.settings import BuildSettings
from pipeline.conform.files.fetching import local_folder
from pipeline.conform.source import shortened
from pipeline.errors import GateError, InputError
from pipeline.legible import one_line
from pipeline.model import Environment
from pipeline.places import TASKS, default_specification
from pipeline.publish.files import sha256
from pipeline.publish.manifest import MANIFEST, software_versions
from pipeline.publish.variant import NOISY, VARIANTS
from pipeline.release.layout import OF_CURATOR, SPECIFICATION
from pipeline.release.provenance.commitments import salt_of
from pipeline.release.provenance.raw_tables import commit
from pipeline.release.provenance.source import source_of
from pipeline.release.reading import read_as
from pipeline.small_files import json_of
from pipeline.tasks.settings import FAMILIES, TasksSettings
from silt.commands.build import Setting, built, workspace_of
from silt.commands.options import Commands, add_settings
from silt.commands.released import add_released, curators_half, declared_beside, opened_release
from silt.commands.saying import say
from silt.commands.waiting import begun, running

if TYPE_CHECKING:
    from assets.making.request import Request
    from validation.release.opened import Release
    from validation.release.rebuilt import Input


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_released(commands, "rebuild", run)
    command.add_argument("release", metavar="RELEASE", help="folder, archive or address of the release")
    add_settings(command, TasksSettings, only=(FAMILIES,))
    tasks_key = "release key under which the tasks were drawn; that of the release if not given"
    command.add_argument("--tasks-key", type=Path, metavar="FILE", help=tasks_key)
    key_file = "release key; that of the generated corpus if not given"
    add_settings(command, BuildSettings, only=("raw", "noise", "key_file"), key_file=key_file)
    command.add_argument("--out", default="", help="folder to build in, which is kept; without it a temporary one")


def run(options: argparse.Namespace) -> int:
    """Build again what the options say, print what differs, and return the exit status."""
    from validation.release.checks.tasks import has_tasks  # noqa: PLC0415
    from validation.release.opened import opened  # noqa: PLC0415
    from validation.release.rebuilt import differing_files, explained, inputs  # noqa: PLC0415

    with opened_release(options.release, options.environment) as release, _scratch(options.out) as scratch:
        environment = release.environment
        manifest = next((variant.manifest for variant in release.variants), {})
        if environment is None or not manifest:
            raise InputError(_undeclared(options, str(release.stated.get("environment", ""))))
        specification = _specification(options, release, environment)
        is_noisy = release.variants[0].name == NOISY and specification.is_file()
        found = inputs(manifest, _given(options, environment, manifest, specification if is_noisy else None))
        found += _committed(options, release, manifest)
        for each in found:
            if each.differs:
                say(f"differs  {each}", to=sys.stderr)
        # What a release says of itself is about all its variants, whichever of them an archive holds.
        stated = release.head.get("variants") if release.is_release else None
        names = stated if isinstance(stated, list) else [variant.name for variant in release.variants]
        if NOISY in names and not specification.is_file():
            raise InputError(
                f"give --noise: environment {environment.name!r} has no noise specification of its own, and the one that the "
                f"release was made with is not beside it ({SPECIFICATION} in the folder that ends with {OF_CURATOR})"
            )
        settings = _settings(options, manifest, scratch, environment) | {"noise": specification}
        workspace = workspace_of(settings)
        built(environment, VARIANTS if has_tasks(release) else names, lambda: workspace, leaves_record=False)
        folder = Path(workspace.out, environment.name)
        if has_tasks(release):
            found += _with_tasks(options, release, workspace.request(environment))
        made = _released(release, environment, settings, scratch) or folder
        begun("  comparing  every file, byte for byte")
        again = opened(made, environment)
        say(*map(one_line, explained(found, release, again, environment)))
        return 1 if differing_files(release, again) else 0


def _undeclared(options: argparse.Namespace, stated: str) -> str:
    """Return what is wrong with a release of which nobody gave the declaration."""
    if not stated:
        return "nothing says of which environment the release is; give its declaration with --environment"
    named = "FILE.py:" + re.sub(r"\W+", "_", shortened(stated)).upper()
    known = declared_beside(options.release)
    given = {
        "--noise": options.noise,
        "--key-file": options.key_file,
        "--tasks-key": options.tasks_key,
        "--out": options.out,
    }
    inputs = {"--environment": known or named, "--raw": options.raw or "DIR"} | {
        k: str(v) for k, v in given.items() if v
    }
    command = shlex.join(["silt", "rebuild", str(options.release), *chain.from_iterable(inputs.items())])
    placed = "" if known else f" in the place of {named}"
    raw = "" if options.raw else ", and the folder of the raw tables in the place of DIR"
    return f"the release is of {shortened(stated)!r}, whose declaration Silt does not ship; give it{placed}{raw}: {command}"


def _with_tasks(options: argparse.Namespace, release: "Release", request: "Request") -> list["Input"]:
    """Make the tasks again of what was built again, with the settings that their manifest states; return their inputs."""
    from pydantic import TypeAdapter  # noqa: PLC0415

    from assets.tasks.making import make_tasks_of  # noqa: PLC0415
    from pipeline.publish.publication import exclusive  # noqa: PLC0415
    from validation.release.rebuilt import inputs  # noqa: PLC0415

    stated = release.tree.json(f"{TASKS}/{MANIFEST}")
    what = f"the settings of tasks ({TASKS}/{MANIFEST})"
    settings = read_as(TypeAdapter(TasksSettings).validate_python, stated.get("settings"), what)
    if options.tasks_key:
        request = replace(request, release=replace(request.release, master=read_key(options.tasks_key)))
    begun("  drawing    tasks again")
    with exclusive(request.folder):
        made = make_tasks_of(request, replace(settings, families=options.families), announce=running, note=running)
    given = json_of(made.folder / MANIFEST)
    found = inputs(stated, {name: given[name] for name in ("key_fingerprint", "families_sha256")})
    return [replace(each, what=f"tasks: {each.what}") for each in found]


def _released(
    release: "Release", environment: Environment, settings: Mapping[str, Setting], scratch: Path
) -> Path | None:
    """Make a release of what was built as the given one says that it was asked for; None if it does not say."""
    from assets.release import make_again  # noqa: PLC0415
    from validation.release.checks.described import asked_of, date_of  # noqa: PLC0415

    if not release.is_release:
        return None
    try:
        asked = asked_of(release)
    except InputError as error:
        say(f"the release does not say how it was made: {error}", to=sys.stderr)
        return None
    asked = replace(asked, date=date_of(release) or asked.date)
    begun("  releasing  metadata, statements and archives again")
    return make_again(workspace_of(settings).request(environment), asked, scratch / "released")


def _given(
    options: argparse.Namespace, environment: Environment, manifest: Mapping[str, Any], specification: Path | None
) -> dict[str, Any]:
    """Return what is given now of what a manifest states."""
    corpus = environment.corpus
    file = _key_file(options, environment, str(manifest.get("policy")))
    key = read_key(file) if file else DEMONSTRATION_KEY
    source = f"generated corpus {corpus.version}" if corpus and not options.raw else "user tables"
    given = {"source": source, "key_fingerprint": key.fingerprint(), "versions": software_versions(version("silt"))}
    return given | ({"specs": {"noise": sha256(specification)}} if specification else {})


def _committed(options: argparse.Namespace, release: "Release", manifest: Mapping[str, Any]) -> list["Input"]:
    """Compare raw tables and source with what the release committed to, if it did."""
    from validation.release.checks.attested import provenance_of  # noqa: PLC0415
    from validation.release.rebuilt import Input  # noqa: PLC0415

    provenance, environment = provenance_of(release), release.environment
    if provenance is None or environment is None:
        return []
    source = next((each for each in provenance.build_definition.resolved_dependencies if each.name == "silt"), None)
    stated = (source.digest or {}).get("dirHash") if source else None
    found = [Input("source (digest of its files)", stated, source_of().tree)] if stated else []
    policy = str(manifest.get("policy"))
    file = _key_file(options, environment, policy)
    release_key = ReleaseKey(master=read_key(file) if file else DEMONSTRATION_KEY, policy=policy)
    if not options.raw or release_key.master.fingerprint() != manifest.get("key_fingerprint"):
        return found  # the salt of commitments comes of the key: under another one all of them are others
    tables, salt = environment.raw_tables, salt_of(release_key.key)
    given = commit(tables, local_folder(options.raw, tables), salt).published()
    return found + [
        Input(f"raw table {name} (root over its rows)", each.root, given[name].root if name in given else "not there")
        for name, each in provenance.commitments().items()
    ]


def _settings(
    options: argparse.Namespace, manifest: Mapping[str, Any], scratch: Path, environment: Environment
) -> dict[str, Setting]:
    """Return the settings of the build: what the manifest states, and the inputs that are given now."""
    policy = str(manifest.get("policy"))
    settings: dict[str, Setting] = {"out": scratch / "built", "policy": policy}
    if options.raw:
        settings["raw"] = options.raw
    if manifest.get("budget") is not None:
        settings["budget"] = float(manifest["budget"])
    if manifest.get("scale") is not None and not options.raw:
        settings["scale"] = float(manifest["scale"])
    if file := _key_file(options, environment, policy):
        settings["key_file"] = file
    return settings


def _specification(options: argparse.Namespace, release: "Release", environment: Environment) -> Path:
    """Return the noise specification: the given one, or of the environment's and the curator's the one it states."""
    if options.noise:
        return Path(options.noise)
    places = (default_specification(environment.name), curators_half(options.release) / SPECIFICATION)
    there = [file for file in places if file.is_file()]
    stated = dict(release.noisy.manifest.get("specs") or {}).get("noise") if release.noisy else None
    return next((file for file in there if sha256(file) == stated), (there or places)[0])


def _key_file(options: argparse.Namespace, environment: Environment, policy: str) -> Path | None:
    """Return the file of the release key; None for generated tables, whose key is public."""
    if options.key_file:
        return Path(options.key_file)
    return own_key(environment.name, policy) if options.raw or environment.corpus is None else None


@contextmanager
def _scratch(kept: str) -> Iterator[Path]:
    """Give the folder in which everything is built: the caller's, or one that goes away, since originals lie in it."""
    if kept:
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory(prefix="silt-rebuild-") as folder:
        try:
            yield Path(folder)
        except GateError as error:
            error.add_note(
                f"  look at    {folder} is deleted with all that is named in it; --out FOLDER keeps what is built"
            )
            raise
