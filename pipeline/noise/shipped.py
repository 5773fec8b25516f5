"""What `noise_specs/` holds that follows from the code: schema, table of kinds, and the line that leads editors to the schema.

`make noise-docs` writes it anew (`python -m pipeline.noise.shipped`); tests compare. Nothing else is written there by code.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pipeline.noise.described.kinds_page import kinds_page
from pipeline.noise.json_schema import specification_schema
from pipeline.places import SPECIFICATIONS

START, END = "\n<!-- kinds -->\n", "\n<!-- end of kinds -->\n"
"""Lines of the page between which the table of kinds stands."""

_LED = "# yaml-language-server: $schema="


def refreshed(folder: Path = SPECIFICATIONS) -> Mapping[Path, str]:
    """Return the text that each file in which something follows from the code should have."""
    page = (folder / "README.md").read_text("utf-8")
    files = {path: path.read_text("utf-8") for path in sorted(folder.rglob("*.yaml"))}
    return {
        folder / "schema.json": schema_text(),
        folder / "README.md": page.split(START)[0] + START + "\n" + kinds_page() + END + page.split(END)[1],
        **{path: _led(path, text, folder) for path, text in files.items() if re.search(r"^rules:", text, re.MULTILINE)},
    }


def schema_text() -> str:
    """Return the JSON Schema as a file."""
    return json.dumps(specification_schema(), ensure_ascii=False, indent=2) + "\n"


def _led(path: Path, text: str, folder: Path) -> str:
    """Return a specification that begins with where the schema is, as seen from its folder."""
    up = "../" * (len(path.relative_to(folder).parts) - 1)
    own = re.sub(rf"\A{re.escape(_LED)}.*\n", "", text)
    return f"{_LED}{up}schema.json\n{own}"


if __name__ == "__main__":
    for file, content in refreshed().items():
        file.write_text(content, "utf-8")
