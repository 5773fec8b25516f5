"""How a command's settings are declared, once: as a frozen dataclass whose fields have a default and say what they mean.

From it follow the options of the command with their help (`silt/commands/options.py`), and the fields that the web graph shows.
Nothing that takes long to import belongs here: a command says what it understood before anything else is loaded.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, field, fields
from typing import Any, TypeVar

_SettingsT = TypeVar("_SettingsT")

DEFAULT = " (default: %(default)s)"
"""Ending of a text that shows the default in the help of an option."""


def setting(
    text: str,
    default: Any,
    *,
    option: str | None = None,
    metavar: str | None = None,
    read: Callable[[str], Any] | None = None,
) -> Any:
    """Declare a setting.

    Args:
        text: What it means.
        default: Its value if none is given.
        option: Its option, if that is another than its name says; empty if it has none.
        metavar: What stands for its value in the help.
        read: Reads its value.
    """
    return field(
        default=default, metadata={"text": text, "option": option, "further": {"metavar": metavar, "type": read}}
    )


def option_of(declared: Field[Any]) -> str:
    """Return the option of a setting; empty if it has none."""
    option: str | None = declared.metadata["option"]
    return f"--{declared.name.replace('_', '-')}" if option is None else option


def meanings(settings: type[Any]) -> Iterator[tuple[str, Any, Any, str]]:
    """Yield name, type, default and meaning of each setting."""
    for each in fields(settings):
        yield each.name, each.type, each.default, each.metadata["text"].removesuffix(DEFAULT)


def settings_from(settings: type[_SettingsT], values: Mapping[str, Any]) -> _SettingsT:
    """Return settings with values, of which some may be those of others, as options or the configuration of a run have them."""
    names = {each.name for each in fields(settings)}  # type: ignore[arg-type]
    given = {name: value for name, value in values.items() if name in names}
    return settings(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def values_of(settings: Any) -> dict[str, Any]:
    """Return the values of settings as JSON has them."""
    return {each.name: plain(getattr(settings, each.name)) for each in fields(settings)}


def plain(value: Any) -> Any:
    """Return a value as JSON has it: several are a list."""
    return list(value) if isinstance(value, tuple) else value
