"""Texts of a release that are templates: `templates/` holds them."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


def page(name: str, **told: object) -> bytes:
    """Return a text, given what it tells of."""
    return _templates().get_template(f"{name}.j2").render(**told).encode()


@cache
def _templates() -> Environment:
    # What is written is Markdown and YAML, which nobody's browser runs.
    return Environment(  # noqa: S701
        loader=PackageLoader("pipeline.release.metadata", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
