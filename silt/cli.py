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
from typing import Any

from anonymize.policy import POLICIES
from pipeline.errors import CRASH_STATUS, InputError, SiltError
from pipeline.places import CURATOR, default_key
from pipeline.publish.replay import Direction, transform
from pipeline.publish.variant import CLEAN, IDENTITY_MAP, VARIANTS
from silt.environments.registry import ENVIRONMENTS, find_environment

_DEFAULT = "dataclaw-18"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    options.is_program = arguments is None
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
    from assets.wiring.resources import Workspace  # noqa: PLC0415
    from silt.commands.build import build  # noqa: PLC0415  (dagster takes seconds to import, and help should not)

    workspace = Workspace(noise=options.noise, **_settings(options))
    variants = options.variants or VARIANTS
    build(find_environment(options.environment), variants, workspace=workspace, is_alone=options.is_program)
    return 0


def _ablate(options: argparse.Namespace) -> int:
    from assets.wiring.resources import Workspace  # noqa: PLC0415
    from pipeline.publish.ablations import ABLATIONS  # noqa: PLC0415
    from silt.commands.build import build  # noqa: PLC0415

    workspace = Workspace(plan=options.noise, **_settings(options))
    build(find_environment(options.environment), [ABLATIONS], workspace=workspace)
    return 0


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return what a build is given besides its noise."""
    return {name: getattr(options, name) for name in ("raw", "out", "key_file", "reuse_key", "policy", "scale")}


def _audit(options: argparse.Namespace) -> int:
    from silt.commands.audit import Request, audit_variant  # noqa: PLC0415

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
            "(from silt.definitions import build_defs) and run `dagster dev -f FILE.py`"
        )
    os.environ.setdefault("DAGSTER_HOME", str(Path.cwd()))
    command = [sys.executable, "-m", "dagster", "dev", "-m", "silt.definitions", "-a", attribute]
    os.execv(sys.executable, [*command, "--host", options.host, "--port", str(options.port)])  # noqa: S606


def _transform(options: argparse.Namespace) -> int:
    transform(
        find_environment(options.environment),
        Path(options.variant),
        Path(options.ledger),
        Path(options.to),
        direction=options.direction,
    )
    return 0


def _explain(options: argparse.Namespace) -> int:
    from pipeline.noise.spec import load_spec  # noqa: PLC0415
    from silt.commands.explain import example_table, explain  # noqa: PLC0415

    environment, given = find_environment(options.environment), Path(options.specification)
    database = Path(options.data) if options.data else Path(options.out) / environment.name / CLEAN / "database"
    if given.is_dir():
        sys.stdout.write(example_table(environment, given, database))
    else:
        sys.stdout.write(explain(environment, load_spec(given, environment), database, rows=options.rows))
    return 0


def _realism(options: argparse.Namespace) -> int:
    from silt.commands.realism import realism  # noqa: PLC0415  (scipy takes its time to import)

    sys.stdout.write(realism(find_environment(options.environment), Path(options.out)))
    return 0


def _kinds(_options: argparse.Namespace) -> int:
    from pipeline.noise.described.kinds_page import kinds_page  # noqa: PLC0415

    sys.stdout.write(kinds_page())
    return 0


def _schema(_options: argparse.Namespace) -> int:
    from pipeline.noise.shipped import schema_text  # noqa: PLC0415

    sys.stdout.write(schema_text())
    return 0


def _reveal(options: argparse.Namespace) -> int:
    from anonymize.keys.identity_map import unseal  # noqa: PLC0415
    from anonymize.keys.release_key import DEMONSTRATION_KEY, read_key  # noqa: PLC0415

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
    _add_settings(build, noise="noise specification; the environment's noisy.yaml if not given")

    ablate = _command(
        commands, "ablate", _ablate, "build and publish every variant of a noise specification taken apart"
    )
    _add_settings(ablate, noise="ablation plan; the environment's ladder.yaml if not given")

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

    noise = "look into noise specifications; turn a clean database into the noisy one by the ledger, or back"
    _add_noise(
        commands.add_parser("noise", help=noise, description=noise).add_subparsers(required=True, metavar="ACTION")
    )

    reveal = _command(commands, "reveal", _reveal, "print the identity map in clear, as CSV: for the curator alone")
    reveal.add_argument("--key-file", default="", help="release key of the build; the default key if not given")
    reveal.add_argument("--out", default="environments", help="output folder of the build (default: %(default)s)")
    return parser


def _add_settings(command: argparse.ArgumentParser, *, noise: str) -> None:
    command.add_argument("--raw", default="", help="folder of the raw tables; the generated corpus if not given")
    command.add_argument("--noise", default="", help=noise)
    command.add_argument("--policy", default="lsd", help=f"{', '.join(POLICIES)} (default: %(default)s)")
    command.add_argument("--key-file", default="", help="release key; made on first use for real tables if not given")
    reuse = "use the key for this policy and these originals although it was used for others"
    command.add_argument("--reuse-key", action="store_true", help=reuse)
    command.add_argument("--out", default="environments", help="output folder (default: %(default)s)")
    command.add_argument("--scale", type=float, default=1.0, help="size of the generated corpus, 1 being the paper's")


def _add_noise(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    explain = _command(actions, "explain", _explain, "say in plain words what a specification does, with example rows")
    explain.add_argument(
        "specification", metavar="SPEC", help="noise specification (YAML), or a folder of examples: a table"
    )
    explain.add_argument("--data", default="", help="folder of a clean database; that of the clean build if not given")
    explain.add_argument("--out", default="environments", help="output folder of the build (default: %(default)s)")
    explain.add_argument("--rows", type=_count, default=10, help="example rows a rule, at most (default: %(default)s)")

    text = "print what is documented about the real data beside the same in the published noisy database"
    realism = _command(actions, "realism", _realism, text)
    realism.add_argument("--out", default="environments", help="output folder of the build (default: %(default)s)")

    for name, run, text in (
        ("kinds", _kinds, "print every kind of noise as a table in Markdown"),
        ("schema", _schema, "print the JSON Schema of noise specifications, for editors"),
    ):
        actions.add_parser(name, help=text, description=text).set_defaults(run=run)

    directions: dict[Direction, str] = {
        "replay": "turn a clean database into the noisy one by the ledger",
        "undo": "turn a noisy database into the clean one by the ledger",
    }
    for direction, text in directions.items():
        command = _command(actions, direction, _transform, text)
        command.set_defaults(direction=direction)
        command.add_argument("--variant", required=True, help="folder of the variant to start from")
        command.add_argument("--ledger", required=True, help="noise_ledger.parquet of the build")
        command.add_argument("--to", required=True, help="folder to write the tables to; must not exist")


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


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"not a number of rows: {text!r}; give 0 or more")
    return int(text)


def _variant(name: str) -> str:
    if name not in VARIANTS:
        raise argparse.ArgumentTypeError(f"unknown variant {name!r}; known: {', '.join(VARIANTS)}")
    return name
