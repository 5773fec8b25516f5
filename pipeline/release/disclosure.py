"""What a release keeps back: reports that say which noise there is stay with the curator, and the public half is searched.

Whoever has both variants can compare them; what is kept back is what the makers say: names of rules, kinds, and rates.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, Problem
from pipeline.noise.kinds import KINDS
from pipeline.noise.spec import NoiseSpec
from pipeline.publish.manifest import DATA_FOLDERS
from pipeline.publish.variant import NOISY
from pipeline.release.layout import ARCHIVE, DESCRIBING, REPORTS, STATEMENTS, is_copy
from pipeline.release.provenance.envelope import unpack

OF_NOISE = ("noise.json", "expectations.json", "profile.json")
"""Reports of the noisy variant that tell of its noise."""

_DATA = (*(f"{folder}/" for folder in DATA_FOLDERS), f"{REPORTS}/tables/")


@dataclass(frozen=True, kw_only=True)
class NoiseWords:
    """What would give noise away."""

    kinds: frozenset[str] = frozenset(KINDS)
    rules: frozenset[str] = frozenset()
    rates: frozenset[float] = frozenset()
    """Shares between 0 and 1, both excluded: those are no secret, and stand everywhere."""

    @classmethod
    def of(cls, spec: NoiseSpec) -> "NoiseWords":
        """Return the names, kinds and rates of a specification."""
        rates = {rate for rule in spec.rules for rate in _shares(asdict(rule.mechanism)) if 0 < rate < 1}
        return cls(rules=frozenset(rule.name for rule in spec.rules), rates=frozenset(rates))


def is_of_noise(variant: str, path: str) -> bool:
    """Say whether a file of a variant, at a path below it, is a report that tells of the noise."""
    return variant == NOISY and path in {f"{REPORTS}/{name}" for name in OF_NOISE}


def is_noisy_page(variant: str, path: str) -> bool:
    """Say whether it is a page beside the noisy tables, or rows that one loads.

    Some tell of the noise, and each leads to one that does and to the tables: they stay in the build.
    """
    return variant == NOISY and path.startswith(f"{REPORTS}/") and not path.endswith(".json")


def giving_away(folder: Path, paths: Iterable[str], words: NoiseWords) -> Iterator[Problem]:
    """Find what gives noise away in the texts of a release's public half; the data itself are no statement about noise.

    Names are searched for in every text, and in what statements say within their envelopes. Rates are searched for in what a
    release says of itself alone: reports, and versions of libraries, are full of other numbers.
    """
    names = dict.fromkeys(words.rules, "the name of a rule") | dict.fromkeys(words.kinds, "a kind of noise")
    for path in paths:
        inner = path.partition("/")[2]
        if path.endswith(ARCHIVE) or inner.startswith(_DATA) or is_copy(inner):
            continue
        text = html.unescape(_said((folder / path).read_bytes(), path).decode(errors="replace"))
        yield from _named(path, text, names)
        yield from _rated(path, text, words.rates) if path in DESCRIBING else ()


# --- words -------------------------------------------------------------------------------------------------------------


def _said(content: bytes, path: str) -> bytes:
    """Return what a file says; of a statement, what is in its envelope, which is in base64."""
    try:
        return unpack(content).payload if path in STATEMENTS else content
    except InputError:
        return content  # no envelope: the check of statements tells it


def _named(path: str, text: str, names: Mapping[str, str]) -> Iterator[Problem]:
    for name, what in sorted(names.items()):
        if name in text and (found := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)):
            yield Problem(
                path, _line(text, found.start()), "", name, f"expected nothing that tells of the noise: this is {what}"
            )


def _rated(path: str, text: str, rates: Iterable[float]) -> Iterator[Problem]:
    for rate in sorted(rates):
        forms = "|".join(map(re.escape, (f"{rate:g}", f"{rate * 100:g}%", f"{rate * 100:g} %")))
        if found := re.search(rf"(?<![\w.-])(?:{forms})(?![\w.-]*\w)", text):
            yield Problem(
                path,
                _line(text, found.start()),
                "",
                found[0],
                "expected nothing that tells of the noise: this is a rate",
            )


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _shares(mechanism: Any) -> Iterator[float]:
    """Yield every number in what a mechanism holds; only rates are shares."""
    match mechanism:
        case float():
            yield mechanism
        case Mapping():
            for value in mechanism.values():
                yield from _shares(value)
        case list() | tuple():
            for value in mechanism:
                yield from _shares(value)
        case _:
            return
