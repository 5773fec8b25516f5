"""Tries mutations, and prints which of them no test notices: `python -m tests.mutations`, `make mutations`.

Those made by hand must all be noticed. Of the others each module has a sample, the same for a seed. What survives it is kept in
`survivors.yaml`, each with the reason why nothing notices; one without a reason ends the command with status 1.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from tests.mutations.laboratory import ROOT, Laboratory, laboratory
from tests.mutations.made import Mutation, mutations

FOLDER = Path(__file__).parent
SURVIVORS = FOLDER / "survivors.yaml"

EQUIVALENT = "equivalent"
"""How the reason of a mutation begins that nothing could notice."""


@dataclass(frozen=True)
class Module:
    """A critical module, and how much of it is tried."""

    file: str
    tests: list[str]
    most: int
    """Mutations that are tried besides those made by hand; 0 where nothing but these is tried."""


def modules() -> list[Module]:
    """Return the modules in which mistakes are made."""
    listed = yaml.safe_load((FOLDER / "modules.yaml").read_text(encoding="utf-8"))
    return [Module(file, **rest) for file, rest in listed.items()]


@cache
def _cases() -> Mapping[str, Sequence[Mapping[str, str]]]:
    """Return what was made by hand, by file."""
    cases: Mapping[str, Sequence[Mapping[str, str]]]
    cases = yaml.safe_load((FOLDER / "by_hand.yaml").read_text(encoding="utf-8"))
    return cases


def by_hand(module: Module) -> list[Mutation]:
    """Return the mutations of a module that were made by hand.

    Raises:
        ValueError: What one changes does not stand exactly once in the module.
    """
    source, made = (ROOT / module.file).read_bytes(), []
    for case in _cases().get(module.file, ()):
        old = case["old"].encode()
        if source.count(old) != 1:
            raise ValueError(f"{module.file} does not hold this once: {case['old']}")
        start = source.index(old)
        made.append(Mutation(case["what"], start, start + len(old), case["new"]))
    return made


def sample(module: Module, source: bytes, seed: int) -> list[Mutation]:
    """Return as many of a module's mutations as are tried. A changed line changes nothing about the others."""

    def place(mutation: Mutation) -> bytes:
        return sha256(f"{seed} {module.file} {mutation.text}".encode()).digest()

    return sorted(mutations(source), key=place)[: module.most]


def survivors() -> dict[str, Any]:
    """Return what survived when the sample was last tried, by module."""
    found: dict[str, Any] = yaml.safe_load(SURVIVORS.read_text(encoding="utf-8"))
    return found


def main() -> int:
    """Try what is asked for; return 1 if something survived without a reason."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("files", nargs="*", help="modules, if not all of them")
    parser.add_argument("--by-hand", action="store_true", help="those that were made by hand alone")
    parser.add_argument("--seed", type=int, default=1, help="of another sample, which is not kept")
    parser.add_argument("--again", action="store_true", help="of the sample, what survived the last time alone")
    asked = parser.parse_args()
    wrong = []
    with laboratory() as bench:
        for module in modules():
            if module.file in asked.files or not asked.files:
                bench.refuse_failing(module.tests)
                wrong += _alive(bench, module, by_hand(module))
                wrong += (
                    []
                    if asked.by_hand or not module.most
                    else _unexplained(bench, module, asked.seed, is_again=asked.again)
                )
    print(f"\n{len(wrong)} not noticed, and nobody says why", *wrong, sep="\n")  # noqa: T201
    return int(bool(wrong))


def _alive(bench: Laboratory, module: Module, tried: list[Mutation]) -> list[str]:
    """Try mutations, say of each whether it is noticed, and return those that are not."""
    source, alive = (ROOT / module.file).read_bytes(), []
    for mutation in tried:
        is_noticed = bench.is_noticed(module.file, mutation.applied(source), module.tests)
        print("noticed " if is_noticed else "SURVIVED", module.file, mutation.text, flush=True)  # noqa: T201
        alive += [] if is_noticed else [mutation.text]
    return alive


def _unexplained(bench: Laboratory, module: Module, seed: int, *, is_again: bool) -> list[str]:
    """Try the sample of a module, and keep what survives; return what has no reason."""
    source = (ROOT / module.file).read_bytes()
    tried = sample(module, source, seed)
    known = survivors()
    reasons = {each["mutation"]: each["reason"] for each in known.get(module.file, {"survivors": []})["survivors"]}
    again = [mutation for mutation in tried if mutation.text in reasons or not is_again]
    told = {text: reasons.get(text, "") for text in sorted(_alive(bench, module, again))}
    real = sum(not reason.startswith(EQUIVALENT) for reason in told.values())
    print(f"{module.file}: {len(tried)} tried, {len(told)} survived, {real} of them not equivalent", flush=True)  # noqa: T201
    if seed == 1:
        counts = {"made": len(mutations(source)), "tried": len(tried), "survived": len(told)}
        alive = [{"mutation": text, "reason": reason} for text, reason in told.items()]
        kept = dict(sorted({**known, module.file: {**counts, "survivors": alive}}.items()))
        SURVIVORS.write_text(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=1000), encoding="utf-8")
    return [text for text, reason in told.items() if not reason]


if __name__ == "__main__":
    sys.exit(main())
