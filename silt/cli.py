"""The `silt` command: assembles the commands, runs one, and turns how it ends into an exit status. Decides nothing else.

Exit status: 0 done and every gate passed; 1 a gate refused; 2 bad usage or input; 3 a defect in Silt; 130 interrupted.
"""

import argparse
import atexit
import ctypes
import gc
import os
import resource
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from typing import Any

from pipeline.addresses import FETCHED
from pipeline.errors import CRASH_STATUS, GateError, SiltError
from silt.commands import COMMANDS
from silt.commands.options import Run
from silt.commands.parsing import Parser
from silt.commands.saying import say
from silt.commands.waiting import not_silent
from silt.ending import noting_ends

_MALLOPT = {-8: "MALLOC_ARENA_MAX", -1: "MALLOC_TRIM_THRESHOLD_", -3: "MALLOC_MMAP_THRESHOLD_"}
"""GNU's numbers of parameters (`malloc.h`), and the variables that set them."""

INTERRUPTED_STATUS = 130
"""Exit status of a command that Ctrl-C ended: 128 and the number of the signal, as in every shell."""

_INTERRUPTED = "interrupted; no published file is half written; run the same command again to resume"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, this process's own if none is given, and return its exit status."""
    if arguments is None:
        # The process ends with the command: what it leaves is millions of objects, and hardly a cycle.
        gc.disable()
        atexit.register(gc.freeze)
        # What a process has in its memory must not lie on a disk when it crashes.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _give_memory_back()
    given = list(sys.argv[1:] if arguments is None else arguments)
    with noting_ends() as is_ended:
        status = _run(given, is_ended)
    if status == INTERRUPTED_STATUS and arguments is None:
        # NOTE: Python's own end would meet threads in the midst of a step, and at times abort the process there.
        with suppress(OSError):
            sys.stdout.flush()
        atexit._run_exitfuncs()  # noqa: SLF001
        os._exit(INTERRUPTED_STATUS)
    return status


def _run(given: list[str], is_ended: Callable[[], bool]) -> int:  # noqa: PLR0911  (one an end)
    """Run a command and return its exit status; an error of one that somebody ended is that, and no defect."""
    try:
        with (
            nullcontext() if "--quiet" in given or given[:1] == ["dev"] else not_silent(" ".join(["silt", *given[:1]]))
        ):
            options = _parser(given[:1]).parse_args(given or ["--help"])
            run: Run = options.run
            return run(options)
    except SiltError as error:
        if error.exit_status == CRASH_STATUS and is_ended():
            return _interrupted(given)
        failing = error.failing if isinstance(error, GateError) else {}
        found = (f"  {gate}: {found}" for gate, found in failing.items() if found not in str(error))
        say(f"silt: {error}", *found, *getattr(error, "__notes__", ()), to=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        return _interrupted(given)
    except BrokenPipeError:
        # NOTE: whoever read the output has had enough; what is buffered goes nowhere, or Python complains at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        say("silt: this process may not have the memory or the addresses that it needs; lift its limit", to=sys.stderr)
        return SiltError.exit_status
    except OSError as error:
        # No command is given anything but files of its user's: what the system refuses is theirs to mend, and has a name.
        if error.filename is None:
            return _interrupted(given) if is_ended() else _defect(error)
        say(f"silt: cannot use {error.filename}: {error.strerror}; give another path", to=sys.stderr)
        return SiltError.exit_status
    except Exception as error:  # noqa: BLE001  (its message may hold values of the originals, its place does not)
        return _interrupted(given) if is_ended() else _defect(error)
    finally:
        FETCHED.close()


def _interrupted(given: Sequence[str]) -> int:
    say("silt: ended" if given[:1] == ["dev"] else f"silt: {_INTERRUPTED}", to=sys.stderr)
    return INTERRUPTED_STATUS


def _give_memory_back() -> None:
    """Set in this process, which has begun already, what the variables of `silt/__init__.py` set in others."""
    with suppress(AttributeError):  # where C's library is another than GNU's
        mallopt = ctypes.CDLL(None).mallopt
        for parameter, variable in _MALLOPT.items():
            if (value := os.environ[variable]).isdigit():
                mallopt(parameter, int(value))


def _defect(error: Exception) -> int:
    from pipeline.model.refused.failing import place_of  # noqa: PLC0415

    if place := place_of(error):
        say(f"silt: the declaration failed with {type(error).__name__}{place}; mend it", to=sys.stderr)
        return SiltError.exit_status
    say(f"silt: a defect in Silt ({type(error).__name__}), please report it:", *_places(error), to=sys.stderr)
    return CRASH_STATUS


def _places(error: Exception) -> list[str]:
    """Return through which lines of code an error came."""
    return [f"  {at.filename}:{at.lineno} {at.name}" for at in traceback.extract_tb(error.__traceback__)]


class _Version(argparse.Action):
    """Prints the version, and the commit of a checkout, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_given: Any) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        from pipeline.release.provenance.source import commit_of  # noqa: PLC0415

        commit = commit_of()
        say(f"silt {version('silt')}" + (f" (commit {commit[:12]})" if commit else ""))
        parser.exit()


class _Completion(argparse.Action):
    """Prints what completes the command in a shell, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, _namespace: Any, shell: Any, *_given: Any) -> None:
        import shtab  # noqa: PLC0415

        say(shtab.complete(_parser(), shell))
        parser.exit()


def _parser(wanted: Sequence[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """Return the parser, with the options of the wanted commands: the modules of the others are not loaded."""
    parser = Parser(
        prog="silt",
        description="Build pseudonymised or sampled, deliberately noisy data environments.",
        epilog="First: `silt init FOLDER` for your tables, `silt build` for generated ones.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version, and end")
    parser.add_argument(
        "--print-completion",
        action=_Completion,
        choices=("bash", "zsh", "tcsh"),
        help='print completion for a shell, and end: eval "$(silt --print-completion bash)"',
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        if name in wanted:
            import_module(f"silt.commands.{name}").add_to(commands)
        else:
            commands.add_parser(name, help=text)
    return parser
