"""Texts of a release that are templates: `templates/` holds them. What users wrote is text in Markdown, and no markup."""

import re
from collections.abc import Iterable
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from pipeline.legible import legible
from pipeline.publish.formats.csv import Csv

_MARKUP = re.compile(r"[|<\[]|&(?=[#\w]+;)")
"""What would end a cell, be HTML, or be a link or a picture that is fetched."""


def page(name: str, **fields: object) -> bytes:
    """Return a text, given what it tells of."""
    return _templates().get_template(f"{name}.j2").render(**fields).encode()


def first_csv(paths: Iterable[str]) -> str:
    """Return the path of the first table that any library reads, as Python writes it; empty if there is none."""
    return next((repr(path) for path in paths if path.endswith(Csv.suffix)), "")


@cache
def _templates() -> Environment:
    made = Environment(  # noqa: S701  (Markdown and YAML)
        loader=PackageLoader("pipeline.release.metadata", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"text": _text, "code": _code}
    return made


def _text(text: str) -> str:
    """Return text that is shown as it is, in one line."""
    return _MARKUP.sub(r"\\\g<0>", legible(" ".join(text.split())))


def _code(text: str) -> str:
    """Return a name as code; one that would end it as text."""
    return _text(text) if "`" in text else "`" + legible(text).replace("|", r"\|") + "`"
