"""The `silt` command: assembles the commands, runs one, and turns how it ends into an exit status. Decides nothing else.

Exit status: 0 done and every gate passed; 1 a gate refused; 2 bad usage or input; 3 a defect in Silt.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from tempfile import NamedTemporaryFile

from pipeline.errors import CRASH_STATUS, InputError, SiltError
from silt.commands import ablate, audit, build, check, dev, diff, init, noise, rebuild, release, reveal, verify
from silt.commands.options import Run

COMMANDS = (init, check, build, ablate, audit, release, verify, rebuild, diff, dev, noise, reveal)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    run: Run = options.run
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="silt", description="Build anonymised, deliberately noisy data environments.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return parser
