"""The names that a vocabulary knows, and which of them a damaged name was: found only where one alone can be meant.

How names are damaged belongs to the kinds.
"""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from pipeline.model import Environment, Vocabulary
from pipeline.noise.kinds.interface import ColumnsKind, Restored
from pipeline.noise.kinds.parts.distinct import by_distinct


class NamesKind(ColumnsKind):
    """Noise that damages the names in some columns; a vocabulary, where one is given, shows what they were."""

    if TYPE_CHECKING:  # kinds declare these among their parameters, each in its place
        vocabulary: str | None
        separator: str | None

    @abstractmethod
    def _meaning(self, names: frozenset[str]) -> Callable[[str], str]:
        """Return what gives the one of the names that a text can only have been, or the text itself."""

    def _restoring(self, environment: Environment) -> Restored:
        if self.vocabulary is None:
            return self._restored
        meaning = self._meaning(known_names(environment.vocabulary(self.vocabulary)))
        return lambda text: mended_names(text, meaning, self.separator)


def known_names(vocabulary: Vocabulary) -> frozenset[str]:
    """Return every name of a vocabulary, canonical or alias."""
    return frozenset(vocabulary.aliases) | {alias for row in vocabulary.aliases.values() for alias in row}


def any_of(names: Iterable[str]) -> str:
    """Return a pattern, one group, of any of the names: the longest that fits."""
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return f"({'|'.join(map(pl.escape_regex, longest_first))})"


def mended_names(text: pl.Expr, mended: Callable[[str], str], separator: str | None) -> pl.Expr:
    """Return texts with a function applied to each name: to the whole text, or to every item of a list.

    Args:
        mended: Returns a name for a name; called once for each that is distinct.
        separator: What stands between the items of a list; None if the text is one name.
    """
    one = cache(mended)

    def cell(whole: str) -> str:
        return one(whole) if separator is None else separator.join(map(one, whole.split(separator)))

    return by_distinct(text, lambda texts: pl.Series([cell(whole) for whole in texts], dtype=pl.String))


def only_meanings(pairs: Iterable[tuple[str, str]], names: frozenset[str]) -> Mapping[str, str]:
    """Return which name a damaged one was, given pairs of both; not where it could be two, or is a name itself."""
    meant = defaultdict(set)
    for damaged, name in pairs:
        meant[damaged].add(name)
    return {damaged: next(iter(of)) for damaged, of in meant.items() if len(of) == 1 and damaged not in names}


class NearNames:
    """Finds the one name that is near to a text, by names and texts with one character left out.

    Two texts are one substitution, transposition, insertion or omission apart only if they, or what is left of them without
    one character, are the same (Garbe's symmetric deletion).
    """

    def __init__(self, names: frozenset[str], is_near: Callable[[str, str], bool]) -> None:
        self._names = names
        self._is_near = is_near
        self._longest = max(map(len, names), default=0)
        self._by_remains: dict[str, list[str]] = defaultdict(list)
        for name in names:
            for remains in _remains(name):
                self._by_remains[remains].append(name)

    def mended(self, text: str) -> str:
        """Return the only name that is near, or the text itself if it is a name or not exactly one is near."""
        if text in self._names or len(text) > self._longest + 1:
            return text
        around = {name for remains in _remains(text) for name in self._by_remains.get(remains, ())}
        near = [name for name in around if self._is_near(text, name)]
        return near[0] if len(near) == 1 else text


def _remains(text: str) -> Iterator[str]:
    yield from {text, *(text[:index] + text[index + 1 :] for index in range(len(text)))}
