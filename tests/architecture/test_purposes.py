"""No two purposes of derived keys are equal: what one key decides tells nothing about what another decides."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]

AGAIN = {
    "'aliases'": (2, "an alias in prose that no table lists is invented like those that one lists"),
    "'audit'": (2, "an audit makes the attacks of the build again"),
    "column.name": (2, "of events, below the purposes of categories and of codes"),
    "'codes'": (2, "attackers who know the code give codes of their own, under keys of their own"),
    "'events', table.name": (2, "parts of it are purposes, for figures and for all else"),
    "'figures'": (4, "below four different purposes: events, synthesis, counts of events, an attack"),
    "'kind', kind.kind": (3, "of the release key, of synthesis, and of a key that an attacker guesses"),
    "'names'": (2, "of the release key, and below the purpose of prose"),
    "'noise', rule.name": (2, "where a rule is applied, and where it is predicted which cells it changes"),
    "'order'": (2, "of the release key, and below the purpose of events"),
    "'perturb'": (2, "of perturbed figures, and of sampled ones: a policy has one or the other"),
    "'targets'": (2, "of two attacks, which publish nothing"),
    "'words'": (2, "below the purpose of names, and of a key of blocks for itself"),
}
"""Purposes that are named more than once: how often, and why that is right."""


def purposes() -> Counter[str]:
    """Return how often the source derives a key for each purpose; the corpus has a key of its own, which is public."""
    found = Counter[str]()
    for folder in ("anonymize", "assets", "pipeline", "silt", "validation"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(func=ast.Attribute(attr="derive"), args=arguments):
                        found[", ".join(map(ast.unparse, arguments))] += 1
    return found


def test_a_purpose_is_named_once() -> None:
    """Or as often as there is a reason for."""
    found = purposes()
    assert found["'perturb'"]
    again = {purpose: count for purpose, count in found.items() if count > 1}
    assert again == {purpose: count for purpose, (count, _) in AGAIN.items()}
