"""The `silt` command: a thin face over the Dagster jobs and the pure functions. Parses, calls, prints; decides nothing.

Exit status: 0 done and every gate passed; 1 a gate refused; 2 bad usage or input; 3 a defect in Silt.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from anonymize.policy import POLICIES
from pipeline.environment.registry import ENVIRONMENTS, find_environment
from pipeline.errors import CRASH_STATUS, InputError, SiltError
from pipeline.places import CURATOR, default_key
from pipeline.replay import transform
from pipeline.variant import CLEAN, IDENTITY_MAP, VARIANTS

_DEFAULT = "dataclaw-18"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except SiltError as error:
        print(f"silt: {error}", file=sys.stderr)  # noqa: T201
        return error.exit_status
    except KeyboardInterrupt:
        print("silt: interrupted; every variant is whole, as it was before or new", file=sys.stderr)  # noqa: T201
        return InputError.exit_status
    except BrokenPipeError:
        # NOTE: whoever read the output has had enough; what is buffered goes nowhere, or Python complains at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001  (a stack trace may hold values of the originals)
        print(f"silt: a defect in Silt ({type(error).__name__}); {_kept_traceback()}", file=sys.stderr)  # noqa: T201
        return CRASH_STATUS


def _kept_traceback() -> str:
    """Write the traceback to a new file that is its owner's alone, and say where."""
    with NamedTemporaryFile("w", prefix="silt-", suffix=".txt", encoding="utf-8", delete=False) as file:
        file.write(traceback.format_exc())
    return f"the traceback is in {file.name}, and may hold values of the originals"


def _build(options: argparse.Namespace) -> int:
    from pipeline.build import build  # noqa: PLC0415  (dagster takes seconds to import, and help should not)
    from pipeline.resources import Workspace  # noqa: PLC0415

    workspace = Workspace(
        raw=options.raw,
        out=options.out,
        key_file=options.key_file,
        noise=options.noise,
        policy=options.policy,
        scale=options.scale,
    )
    build(find_environment(options.environment), options.variants or VARIANTS, workspace=workspace)
    return 0


def _audit(options: argparse.Namespace) -> int:
    from pipeline.audit import Request, audit_variant  # noqa: PLC0415

    request = Request(
        environment=find_environment(options.environment),
        variant=options.variant,
        out=Path(options.out),
        raw=Path(options.raw) if options.raw else None,
        key_file=Path(options.key_file) if options.key_file else None,
        scale=options.scale,
    )
    audited = audit_variant(request, tell=lambda step: print(step, file=sys.stderr, flush=True))  # noqa: T201
    print(audited.text())  # noqa: T201
    audited.refuse()
    return 0


def _dev(options: argparse.Namespace) -> int:
    attribute = find_environment(options.environment).name.replace("-", "_")
    if options.environment not in ENVIRONMENTS:
        raise InputError(
            "to look at an environment of your own, end its file with `defs = build_defs(NAME)` "
            "(from pipeline.definitions import build_defs) and run `dagster dev -f FILE.py`"
        )
    os.environ.setdefault("DAGSTER_HOME", str(Path.cwd()))
    command = [sys.executable, "-m", "dagster", "dev", "-m", "pipeline.definitions", "-a", attribute]
    os.execv(sys.executable, [*command, "--host", options.host, "--port", str(options.port)])  # noqa: S606


def _noise(options: argparse.Namespace) -> int:
    transform(
        find_environment(options.environment),
        Path(options.variant),
        Path(options.ledger),
        Path(options.to),
        direction=options.direction,
    )
    return 0


def _reveal(options: argparse.Namespace) -> int:
    from anonymize.identity_map import unseal  # noqa: PLC0415
    from anonymize.release_key import DEMONSTRATION_KEY, read_key  # noqa: PLC0415

    environment = find_environment(options.environment)
    sealed = Path(options.out) / environment.name / CURATOR / IDENTITY_MAP
    if not sealed.is_file():
        raise InputError(f"no identity map at {sealed}; build the environment first, or say where it is with --out")
    is_demonstration = not options.key_file and environment.corpus is not None
    key = DEMONSTRATION_KEY if is_demonstration else read_key(Path(options.key_file or default_key(environment.name)))
    sys.stdout.write(unseal(sealed.read_bytes(), key).write_csv())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="silt", description="Build anonymised, deliberately noisy data environments.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    build = _command(commands, "build", _build, "build and publish variants of an environment")
    build.add_argument(
        "variants", nargs="*", type=_variant, metavar="VARIANT", help="noisy, clean; both if none is named"
    )
    build.add_argument("--raw", default="", help="folder of the raw tables; the generated corpus if not given")
    build.add_argument("--noise", default="", help="noise specification; the environment's noisy.yaml if not given")
    build.add_argument("--policy", default="lsd", help=f"{', '.join(POLICIES)} (default: %(default)s)")
    build.add_argument("--key-file", default="", help="release key; made on first use for real tables if not given")
    build.add_argument("--out", default="environments", help="output folder (default: %(default)s)")
    build.add_argument("--scale", type=float, default=1.0, help="size of the generated corpus, 1 being the paper's")

    audit = _command(commands, "audit", _audit, "attack the published files of a variant, with the originals in hand")
    audit.add_argument(
        "variant",
        nargs="?",
        default=CLEAN,
        type=_variant,
        metavar="VARIANT",
        help="noisy or clean (default: %(default)s)",
    )
    audit.add_argument("--raw", default="", help="folder of the raw tables; the generated corpus if not given")
    audit.add_argument("--key-file", default="", help="release key of the build; the default key if not given")
    audit.add_argument("--out", default="environments", help="output folder of the build (default: %(default)s)")
    audit.add_argument("--scale", type=float, help="size of the generated corpus; that of the build if not given")

    dev = _command(commands, "dev", _dev, "open the asset graph in a web server")
    dev.add_argument("--host", default="127.0.0.1", help="address to serve at (default: %(default)s)")
    dev.add_argument("--port", type=int, default=3000, help="port to serve at (default: %(default)s)")

    noise = _command(commands, "noise", _noise, "turn a clean database into the noisy one by the ledger, or back")
    noise.add_argument("direction", choices=["replay", "undo"], help="replay: clean to noisy; undo: noisy to clean")
    noise.add_argument("--variant", required=True, help="folder of the variant to start from")
    noise.add_argument("--ledger", required=True, help="noise_ledger.parquet of the build")
    noise.add_argument("--to", required=True, help="folder to write the tables to; must not exist")

    reveal = _command(commands, "reveal", _reveal, "print the identity map in clear, as CSV: for the curator alone")
    reveal.add_argument("--key-file", default="", help="release key of the build; the default key if not given")
    reveal.add_argument("--out", default="environments", help="output folder of the build (default: %(default)s)")
    return parser


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text)
    known = f"{', '.join(ENVIRONMENTS)}, or FILE.py:NAME for your own"
    command.add_argument("--environment", default=_DEFAULT, help=f"{known} (default: %(default)s)")
    command.set_defaults(run=run)
    return command


def _variant(name: str) -> str:
    if name not in VARIANTS:
        raise argparse.ArgumentTypeError(f"unknown variant {name!r}; known: {', '.join(VARIANTS)}")
    return name
