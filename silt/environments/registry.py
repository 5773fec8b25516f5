"""The environments that can be named on the command line, in Make and in the graph.

A user's own environment is a Python module beside their tables, given as `path/to/module.py:NAME`; it needs no entry here.
"""

import os
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.model.fates import refuse_undecided
from silt.environments import SHIPPED
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED

ENVIRONMENTS = dict(zip(SHIPPED, (DATACLAW_18, US_LISTED), strict=True))


def find_environment(name: str) -> Environment:
    """Return a registered environment, or the one that `file.py:NAME` declares.

    Raises:
        InputError: There is no such environment, file or name, the file does not declare one, or something would be
            published that it decides nothing of.
    """
    environment = declared_environment(name)
    refuse_undecided(environment)
    return environment


def declared_environment(name: str) -> Environment:
    """Return the environment of that name as it is declared, whether or not all is decided.

    Raises:
        InputError: There is no such environment, file or name, or the file does not declare one.
    """
    if name in ENVIRONMENTS:
        return ENVIRONMENTS[name]
    file, colon, attribute = name.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise InputError.unknown("environment", name, [*ENVIRONMENTS, "FILE.py:NAME"])
    return _declared_in(Path(file), attribute)


def _declared_in(file: Path, attribute: str) -> Environment:
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise InputError(
            f"no environment declaration at {file}; give the path of a Python file and a name in it: FILE.py:NAME"
        )
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"the declaration in {file} cannot be loaded: {type(error).__name__}: {error}") from error
    declared = getattr(module, attribute, None)
    if not isinstance(declared, Environment):
        names = [name for name, value in vars(module).items() if isinstance(value, Environment)]
        raise InputError.unknown(f"environment in {file}", attribute, names)
    # NOTE: reports have commands that name it, and the working folder is nobody's business.
    return replace(declared, declared_in=f"{os.path.relpath(file)}:{attribute}")
