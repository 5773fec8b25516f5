"""`silt noise kinds` and `silt noise schema`: print what follows from the code about noise specifications."""

import argparse
import sys

from silt.commands.options import Commands, add_plain


def add_to(actions: Commands) -> None:
    """Declare both actions, which take no options."""
    for name, run, text in (
        ("kinds", _kinds, "print every kind of noise as a table in Markdown"),
        ("schema", _schema, "print the JSON Schema of noise specifications, for editors"),
    ):
        add_plain(actions, name, run, text)


def _kinds(_options: argparse.Namespace) -> int:
    from pipeline.noise.described.kinds_page import kinds_page  # noqa: PLC0415

    sys.stdout.write(kinds_page())
    return 0


def _schema(_options: argparse.Namespace) -> int:
    from pipeline.noise.shipped import schema_text  # noqa: PLC0415

    sys.stdout.write(schema_text())
    return 0
