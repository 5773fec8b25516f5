"""What commands say to a person: the one place that prints to a terminal, so that nothing reaches it that is not legible."""

import shutil
import sys
from typing import TextIO

from pipeline.legible import WIDTH, folded, legible


def say(*lines: str, to: TextIO | None = None) -> None:
    """Print lines at once, on standard output if nothing else is named. Texts for programs (JSON, CSV) are not said.

    Long lines are folded between words, since a terminal folds them anywhere.
    """
    width = WIDTH
    if (to or sys.stdout).isatty():
        width = min(WIDTH, shutil.get_terminal_size().columns)
    text = "\n".join(lines).removesuffix("\n")
    print("\n".join(folded(line, width) for line in legible(text).split("\n")), file=to, flush=True)
