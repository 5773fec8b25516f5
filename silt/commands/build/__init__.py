"""`silt build`, and `silt.build`: build and publish variants of an environment."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from anonymize.policy import find_policy
from assets.settings import BuildSettings
from pipeline.addresses import FETCHED
from pipeline.errors import GateError, InputError, SiltError
from pipeline.places import CURATOR, VARIANTS
from pipeline.publish.draft import OTHERS, TERMS, release_command
from pipeline.settings import option_of, settings_from
from raw.scale import refuse_bad_scale
from silt.commands import waiting
from silt.commands.options import ENVIRONMENT, Commands, add_command, add_settings, add_telling, given, variant
from silt.commands.parsing import unusable
from silt.commands.saying import say
from silt.environments import SHIPPED

if TYPE_CHECKING:
    from assets.wiring.resources import Workspace
    from pipeline.model import Environment
    from validation.report.documents.outcome import Outcome

Setting = str | os.PathLike[str] | float | bool | None
"""The value of a setting."""


def build(
    environment: "Environment | str" = ENVIRONMENT, variants: Sequence[str] = VARIANTS, **settings: Setting
) -> Path:
    """Build and publish variants of an environment, and return its folder.

    Args:
        environment: The declaration, or what names it on the command line.
        variants: Names of variants: `noisy`, `clean`, or both.
        settings: The options of `silt build` (`BuildSettings` lists them). The others have the defaults of the command.

    Raises:
        GateError: A gate refused. Nothing is published; the reports are kept with the curator.
        InputError: Bad settings or bad input, a full or closed disk, or another build at work in the same folder.
        SiltError: A defect in Silt.
    """
    with FETCHED:
        outcome = built(environment, variants, partial(workspace_of, settings))
    _show(outcome)
    return Path(workspace_of(settings).out, outcome.environment)


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "build", run)
    command.add_argument(
        "variants", nargs="*", type=variant, metavar="VARIANT", help="noisy, clean; both if none is named"
    )
    add_settings(command, BuildSettings)
    add_telling(command)


def run(options: argparse.Namespace) -> int:
    """Build what the options say, and tell what came out."""
    variants, began = options.variants or VARIANTS, monotonic()
    try:
        # NOTE: before anything is loaded: whoever waits reads at once what cannot be.
        find_policy(options.policy)
        refuse_bad_scale(options.scale, raw=options.raw)
        generated = ", from generated tables" if options.environment in SHIPPED and not options.raw else ""
        understood = f"building {' and '.join(variants)} of {options.environment}, policy {options.policy}{generated}"
        outcome = built(
            options.environment,
            variants,
            partial(workspace_from, options),
            understood="" if options.quiet else understood,
            is_quiet=options.quiet,
        )
    except SiltError as error:
        _tell_end(error, options, seconds=monotonic() - began)
        raise
    if not options.quiet:
        _show(outcome)
        if find_policy(options.policy).samples_records:
            compared = Path(options.out, outcome.environment, CURATOR, "reports", "report.html")
            say(f"  curator    {compared} compares with the originals; it is for you alone", to=sys.stderr)
        settings = ["--environment", options.environment, *given(settings_from(BuildSettings, vars(options)))]
        say(*_handing_on(outcome, release_command(settings, variants=options.variants)), to=sys.stderr)
    if options.json:
        print(outcome.model_dump_json(indent=1))  # noqa: T201
    if options.open:
        _open([each.report for each in outcome.variants])
    return 0


def _tell_end(error: SiltError, options: argparse.Namespace, *, seconds: float) -> None:
    """Tell how a build ended with an error: a program always, a person once a step had begun or if the next command mends it.

    Only a refusal has a page.
    """
    helps = isinstance(error, GateError) or (
        isinstance(error, InputError) and (error.steps or error.mending or error.problems)
    )
    if not (options.json or helps):
        return
    from silt.commands.build.outcome import ended  # noqa: PLC0415

    name = options.environment.rpartition(":")[2] if ":" in options.environment else options.environment
    declared = None
    with suppress(SiltError):
        declared = _environment(options.environment)
        name = declared.name
    asked = workspace_from(options)
    outcome = ended(error, declared or name, asked, options.variants or VARIANTS, seconds=seconds)
    is_same = outcome.next.startswith("silt build")
    mended = f"{_NAMED.sub('said above', outcome.first)}, then:"
    first = mended if is_same and outcome.first else outcome.first if outcome.next else ""
    for what, text in {"report": outcome.report, "first": first, "next": outcome.next}.items():
        if text:
            error.add_note(f"  {what:<10} {text}")
    if options.json:
        print(outcome.model_dump_json(indent=1))  # noqa: T201
    if options.open and outcome.report:
        _open([outcome.report])


_NAMED = re.compile(r"named in `.*")
"""Where a document has what a terminal says above."""


def _show(outcome: "Outcome") -> None:
    from silt.commands.build.summary import show  # noqa: PLC0415

    show(outcome, sys.stderr)


def _handing_on(outcome: "Outcome", release: str) -> list[str]:
    """Return who gets what of a build: others a release, if the report says without any but that it is safe to publish.

    None is offered where the key of the build is spent.
    """
    from silt.commands.build.running import NO_RELEASE  # noqa: PLC0415
    from validation.report.head.verdicts import says_yes  # noqa: PLC0415

    own = "  draft      your own agent gets database/, and nothing else"
    if any(NO_RELEASE in line for line in outcome.originals):
        return [own]
    if not says_yes(outcome.verdicts.get("safe", "")):
        return [f"{own}; {OTHERS}"]
    return [f"{own}; others get a release:", f"  release    {release}", f"  add        {TERMS}"]


def _open(pages: Sequence[str]) -> None:
    import webbrowser  # noqa: PLC0415

    for page in [page for page in pages if page][:1]:
        webbrowser.open(Path(page).resolve().as_uri())


def _environment(name: "Environment | str") -> "Environment":
    from pipeline.model.refused.contradictions import refuse_unready  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.model.refused.mistyped import refuse_mistyped  # noqa: PLC0415
    from pipeline.publish.formats import refuse_unwritable  # noqa: PLC0415
    from silt.environments.registry import find_environment, in_memory  # noqa: PLC0415

    if isinstance(name, str):
        return find_environment(name)
    refuse_mistyped(name)
    refuse_unready(name)
    refuse_unwritable(name)
    return in_memory(name)


def built(
    environment: "Environment | str",
    variants: Sequence[str],
    workspace: "Callable[[], Workspace]",
    *,
    understood: str = "",
    is_quiet: bool = False,
    leaves_record: bool = True,
) -> "Outcome":
    """Build, and return what came out, of which nothing is said: whoever asks knows whether it stays there.

    Args:
        understood: What is asked for, in a line; it is said once it is known that it can be.
        leaves_record: Whether the web graph shows it, if Dagster keeps records here.
    """
    from validation.expectations.judge import begun  # noqa: PLC0415

    _refuse_unknown(variants, "variant", VARIANTS)
    waiting.running("loading what it needs")
    begun()  # before anything else is imported: it takes as long as all of that
    from assets.making.inputs.observed import apart  # noqa: PLC0415  (polars takes a while to import)

    with apart() if isinstance(environment, str) and environment not in SHIPPED else nullcontext():
        from silt.commands.build.running import run_jobs  # noqa: PLC0415  (the stages take a second to import)

        declared = _environment(environment)
        return run_jobs(
            declared,
            variants,
            workspace=workspace(),
            understood=understood,
            is_quiet=is_quiet,
            leaves_record=leaves_record,
        )


def workspace_from(options: argparse.Namespace) -> "Workspace":
    """Return the settings of a build that options say."""
    from assets.wiring.resources import Workspace  # noqa: PLC0415  (the stages take a second to import)

    return settings_from(Workspace, vars(options))


def workspace_of(settings: Mapping[str, Setting]) -> "Workspace":
    """Return settings as the assets take them, or raise `InputError`."""
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415

    from assets.wiring.resources import Workspace  # noqa: PLC0415

    _refuse_unknown(settings, "setting", [each.name for each in fields(BuildSettings) if option_of(each)])
    texts = {name: os.fspath(one) if isinstance(one, os.PathLike) else one for name, one in settings.items()}
    for name, one in texts.items():
        if isinstance(one, str) and (why := unusable(one)):
            raise InputError(f"setting {name!r}: {why}")
    try:
        return TypeAdapter(Workspace).validate_python(texts)
    except ValidationError as error:
        wrong = error.errors()[0]
        # A key that was given in the place of its file must not be printed.
        found = "what may be a key" if wrong["loc"] == ("key_file",) else repr(wrong["input"])
        raise InputError(f"setting {wrong['loc'][0]!r}: found {found}; {wrong['msg']}") from None


def _refuse_unknown(given: Iterable[str], what: str, known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise InputError.unknown(what, name, known)
