"""The environments that can be named on the command line, in Make and in the graph.

A user's own environment is a Python module beside their tables, given as `path/to/module.py:NAME`; it needs no entry here.
"""

import os
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb

from assets.making.inputs.observed import loading, performing
from assets.making.inputs.reads import forget, loaded
from pipeline.errors import InputError, near_path, said
from pipeline.model import Environment
from pipeline.model.refused.contradictions import refuse_unready
from pipeline.model.refused.mistyped import refuse_mistyped
from pipeline.publish.formats import refuse_unwritable
from pipeline.small_files import REPORTED, content_of, refuse_key
from silt.environments import SHIPPED

_SAID = 500
"""Characters that are shown of what a declaration raised."""

_last: list[Environment] = []
"""The declaration that was loaded last: of others this process no longer knows what they read."""


def find_environment(name: str) -> Environment:
    """Return a registered environment, or the one that `file.py:NAME` declares.

    Raises:
        InputError: There is no such environment, file or name, the file does not declare one, or something would be
            published that it decides nothing of.
    """
    environment = declared_environment(name)
    # NOTE: its functions are asked what they make, and may keep in memory what they read for it.
    with performing():
        refuse_unready(environment)
    refuse_unwritable(environment)
    return environment


def declared_environment(name: str) -> Environment:
    """Return the environment of that name as it is declared, whether or not all is decided.

    Raises:
        InputError: There is no such environment, file or name, or the file does not declare one.
    """
    _last.clear()
    if name in SHIPPED:
        forget()
        return _shipped(name)
    file, _, attribute = name.rpartition(":") if ":" in name else (name, "", "")
    if not file.endswith(".py"):
        raise InputError.unknown("environment", name, [*SHIPPED, "FILE.py:NAME"])
    return _declared_in(Path(file), attribute)


@cache
def _shipped(name: str) -> Environment:
    """Return an environment that is shipped. Whoever builds another one does not wait until these are loaded."""
    module = name.replace("-", "_")
    found: Environment = getattr(import_module(f"silt.environments.{module}"), module.upper())
    return found


def __getattr__(name: str) -> dict[str, Environment]:
    """Return `ENVIRONMENTS`, all that are shipped, by their names."""
    if name != "ENVIRONMENTS":
        raise AttributeError(name)
    return {each: _shipped(each) for each in SHIPPED}


def _declared_in(file: Path, attribute: str) -> Environment:
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise InputError(
            f"no environment declaration at {file}; give the path of a Python file and a name in it: FILE.py:NAME"
            f"{near_path(file)}"
        )
    module = module_from_spec(spec)
    refuse_key(file, content_of(file, most=REPORTED))
    try:
        with loading(file):
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a declaration that ends the process would end it as if all were well
        raise InputError(f"the declaration in {_line_of(error, file)} cannot be loaded: {_in_words(error)}") from error
    declared = getattr(module, attribute, None)
    if not isinstance(declared, Environment):
        names = [name for name, value in vars(module).items() if isinstance(value, Environment)]
        if names and not attribute:
            raise InputError(f"{file} declares {', '.join(names)}; say {file}:{names[0]}")
        raise InputError.unknown(f"environment in {file}", attribute, names)
    refuse_mistyped(declared)
    # NOTE: reports have commands that name it, and the working folder is nobody's business.
    _last.append(replace(declared, declared_in=f"{os.path.relpath(file)}:{attribute}", read=loaded()))
    return _last[-1]


def in_memory(environment: Environment) -> Environment:
    """Return an environment that is no name, but a value: unless it is one of these, it may depend on anything in memory."""
    if any(environment is known for known in _last):
        return environment
    forget()
    is_shipped = environment.name in SHIPPED and environment is _shipped(environment.name)
    return environment if is_shipped else replace(environment, volatile=True)


def _line_of(error: BaseException, file: Path) -> str:
    """Return the file with the last of its lines that the error came through."""
    lines = [step.lineno for step in extract_tb(error.__traceback__) if Path(step.filename) == file.absolute()]
    lines += [error.lineno] if isinstance(error, SyntaxError) and not lines else []
    return f"{file}, line {lines[-1]}," if lines else str(file)


def _in_words(error: BaseException) -> str:
    """Return an error in a line; what Silt refuses is in its own words, and what a declaration raises is shortened."""
    if isinstance(error, InputError):
        return str(error)
    text = said(error)
    return f"{type(error).__name__}: {text if len(text) <= _SAID else text[: _SAID - 1] + '…'}"
