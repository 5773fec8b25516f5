"""The one public module of Silt: what you need to declare your tables, to build, and to read what was published.

`from silt import Column, Environment, Measure` declares. `silt.build("shops.py:SHOPS", raw="shops")` builds.
`silt.open("environments/shops/noisy", environment="shops.py:SHOPS")` reads. Everything else is inside.

Nothing is loaded before it is used: the command line prints its first line long before polars is there.
"""

import os
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

# NOTE: before numpy is imported. Matrices here are small: more threads would wait for each other, and last bits would change.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# NOTE: before polars and Arrow are imported. Their memory, and that of C in processes to come, goes back soon once it is free.
for _name, _value in {
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:500,muzzy_decay_ms:0",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "MALLOC_MMAP_THRESHOLD_": "131072",
}.items():
    os.environ.setdefault(_name, _value)

if TYPE_CHECKING:
    from silt import public
    from silt.commands.build import build
    from silt.opening import open_variant as open  # noqa: A004
    from silt.public import *  # noqa: F403

    __all__ = ["build", "open"]
    __all__ += public.__all__

_ON_USE = {"build": ("silt.commands.build", "build"), "open": ("silt.opening", "open_variant")}
"""What needs the stages, which a declaration does not."""


def __getattr__(name: str) -> object:
    """Return a public name, or all of them; what is imported for it is imported now."""
    if name in _ON_USE:
        module, attribute = _ON_USE[name]
        return getattr(import_module(module), attribute)
    names = [] if name.startswith("__") and name != "__all__" else _public().__all__
    if name == "__all__":
        return sorted([*names, *_ON_USE])
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_public(), name)


def _public() -> ModuleType:
    return import_module("silt.public")
