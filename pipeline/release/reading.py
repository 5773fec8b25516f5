"""Reads what somebody else wrote as a type of ours, or says what is wrong with it, without showing what it holds."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.errors import InputError


class Stated(BaseModel):
    """What somebody else wrote: the fields that are declared and no others; no error holds a value of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256 in hexadecimal."""

_Said = TypeVar("_Said")
_Read = TypeVar("_Read")


def read_as(read: Callable[[_Said], _Read], said: _Said, what: str, *, remedy: str = "") -> _Read:
    """Return what `read` makes of what was said; `what` names it in the message, and `remedy` says what to do.

    Raises:
        InputError: It is something else.
    """
    try:
        return read(said)
    except ValidationError as error:
        wrong = error.errors(include_input=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        then = f"; {remedy}" if remedy else ""
        raise InputError(f"not {what}{f', at {place!r}' if place else ''}: {wrong['msg']}{then}") from None
