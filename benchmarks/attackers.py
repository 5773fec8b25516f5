"""What attackers find who know the code, over several releases of the same originals, each under a key of its own.

One release of a few hundred firms cannot show that owners are named no more often than guessing: its bound is too wide. So
the attacks on all releases are counted as one (`pooled`); what is no plain share is reported of its worst release.

    python -m benchmarks.attackers --environment us-listed --raw path/to/tables --keys 4
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from anonymize.policy import POLICIES, Policy
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.places import landing
from raw.landing import land
from silt.environments.registry import find_environment
from validation.attacks import Attack
from validation.attacks.adaptive.findings import Auc, Gain
from validation.attacks.adaptive.mechanisms import mechanism
from validation.attacks.adaptive.populations import population_of
from validation.attacks.adaptive.suite import Effort, adaptive_attacks

HEADER = ("attack", "who knows", "n", "found", "rate", "bound", "guessing")


def found_by_attackers(environment: Environment, conformed: Frames, policy: Policy, keys: int) -> list[list[Attack]]:
    """Return the attacks on one release for each key, all in the same order."""
    code = environment.entities.code
    figures = original_figures(environment, conformed)
    listed = conformed[environment.entities.tables[0]].filter(pl.col(code).is_in(figures[code].unique().implode()))
    originals, make = population_of(environment, listed, figures), mechanism(environment, conformed, policy)
    known = max(environment.panel.known, key=len, default=tuple(m.name for m in environment.panel.measures))
    found = []
    for number in range(keys):
        key = Key(bytes([number + 1]) * 32)
        release, theirs = make(originals, key.derive("release")), key.derive("attackers")
        found.append(adaptive_attacks(originals, release, make, known=known, key=theirs, effort=Effort()))
    return found


def pooled(attacks: Sequence[Attack]) -> Attack:
    """Return one attack on several releases as one entry, so that its bound is that of all their records.

    Only for plain shares: records of one firm in several releases count as independent, because the keys are.
    """
    records = sum(attack.records for attack in attacks)
    expected = sum(attack.records * attack.chance for attack in attacks)
    successes = sum(attack.successes for attack in attacks)
    return replace(attacks[0], records=records, successes=successes, chance=expected / max(records, 1))


def rows(found: list[list[Attack]]) -> Iterator[tuple[str, ...]]:
    """Yield one line of the table for each attack, of all releases together."""
    for of_releases in zip(*found, strict=True):
        is_share = not isinstance(of_releases[0], Gain | Auc)
        attack = pooled(of_releases) if is_share else max(of_releases, key=lambda each: each.rate)
        counts = (f"{attack.records:,}", f"{attack.successes:,}")
        shares = (f"{100 * share:.1f} %" for share in (attack.rate, attack.upper_95, attack.chance))
        yield (attack.attack, attack.knowledge, *counts, *shares)


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", default="dataclaw-18")
    parser.add_argument("--raw", type=Path, help="folder of the raw tables; without it the generated corpus")
    parser.add_argument("--policy", choices=sorted(POLICIES), default="guarded")
    parser.add_argument("--keys", type=int, default=4)
    asked = parser.parse_args()
    environment = find_environment(asked.environment)
    folder = asked.raw or land(environment.corpus, landing(environment.name), 1.0)
    conformed = conform(environment.raw_tables, folder).frames
    print("| " + " | ".join(HEADER) + " |\n" + "|---" * len(HEADER) + "|")
    for row in rows(found_by_attackers(environment, conformed, POLICIES[asked.policy], asked.keys)):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
