"""A corpus in blocks, so that what is made of texts on the way is never made of all of them at once.

Nothing that is found depends on where a block ends. What is measured in all texts is merged of what was counted in each block.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from anonymize.mentions.aligned import Aligned

CHARACTERS = 1 << 20
"""Characters from which on a block is full: laid out they take about 25 MB."""


class Passage(NamedTuple):
    """One text of the originals."""

    table: str
    column: str
    row: int
    """Its record, the first being 0."""
    text: str
    own: str | None
    """Code of the company that it is about, if it is about one."""


@dataclass(frozen=True)
class Block:
    """Passages that are read together."""

    first: int
    """How many passages stand before them."""
    passages: Sequence[Passage]

    @cached_property
    def texts(self) -> list[str]:
        """Return the texts."""
        return [passage.text for passage in self.passages]

    @cached_property
    def own(self) -> list[str | None]:
        """Return the code of the company that each text is about, if it is about one."""
        return [passage.own for passage in self.passages]

    @cached_property
    def aligned(self) -> Aligned:
        """Return the texts beside their normal forms."""
        return Aligned.of(self.texts)


@dataclass(frozen=True)
class Blocks:
    """Passages as blocks, read anew each time that they are walked through."""

    passages: Iterable[Passage]
    """What can be walked through more than once."""

    def __iter__(self) -> Iterator[Block]:
        first, size, passages = 0, 0, list[Passage]()
        for passage in self.passages:
            passages.append(passage)
            size += len(passage.text)
            if size >= CHARACTERS:
                yield Block(first, passages)
                first, size, passages = first + len(passages), 0, []
        if passages:
            yield Block(first, passages)
