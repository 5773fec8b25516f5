"""What commands say to a person: the one place that prints to a terminal, so that nothing reaches it that is not legible."""

from typing import TextIO

from pipeline.legible import folded, legible


def say(*lines: str, to: TextIO | None = None) -> None:
    """Print lines at once, on standard output if nothing else is named. Texts for programs (JSON, CSV) are not said.

    Long lines are folded between words, since a terminal folds them anywhere.
    """
    if not lines:
        return
    text = legible("\n".join(lines).removesuffix("\n"))
    print("\n".join(map(folded, text.split("\n"))), file=to, flush=True)
