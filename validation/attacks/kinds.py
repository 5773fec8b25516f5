"""Attacks on entities of a further kind: ways from a pseudonym to its code, its name or its row of a register.

Belongs here: which attacks a kind gets, and with which inputs. A kind has no figures; `suite.py` attacks the main kind.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from anonymize.codes import code_space, codes_given_out, forbidden_numbers
from pipeline.keyed import Key
from pipeline.model import Entities, Environment, Frames, LazyFrames
from pipeline.model.treatments import in_a_register
from validation.attacks import Attack
from validation.attacks.identifiers.guessed_keys import guessed_keys_attack
from validation.attacks.identifiers.names import name_attacks
from validation.attacks.limits import CODES, NAMES, ORDER, REGISTER
from validation.attacks.records.order import order_attacks, original_columns
from validation.attacks.records.quasi_identifiers import quasi_identifier_attack
from validation.pair import Pair, Side


@dataclass(frozen=True, kw_only=True)
class KindSides:
    """The release's part of one further kind, and the truth."""

    kind: Entities
    entities: pl.DataFrame | None
    """The published first table of the kind, typed, rows in any order; None if none is published or it cannot be read."""
    codes: Mapping[str, str]
    """Original code -> published code. No attack guesses by it; it decides which guesses are right."""


def attacks_on_kind(
    environment: Environment,
    of_kind: KindSides,
    *,
    conformed: Frames,
    raw: LazyFrames,
    published: LazyFrames,
    guesses: Mapping[str, Key],
    every_code: Collection[str],
) -> dict[str, list[Attack]]:
    """Return the attacks on a further kind, by family; each attack names the kind.

    Args:
        environment: Declares the tables.
        of_kind: The kind under attack.
        conformed: The originals, typed.
        raw: The raw tables with codes as text, in the order of their files.
        published: Published tables as text.
        guesses: Keys that are tried as release key, by their names in reports.
        every_code: Raw codes of every kind; no pseudonym is one of them.
    """
    kind, codes = of_kind.kind, of_kind.codes
    if not codes:
        return {}
    of_guesses = {name: guess.derive("kind", kind.kind) for name, guess in guesses.items()}
    found = {CODES: attacks_on_codes(kind, codes, guesses=of_guesses, every_code=every_code)}
    listed = next((name for name in kind.tables if name in conformed), "")
    if listed:
        columns = original_columns(environment, kind, conformed, raw, codes)
        found[ORDER] = order_attacks(environment.tables, published, columns)
    if listed and of_kind.entities is not None:
        then, now = (Side(entities=each, figures=pl.DataFrame()) for each in (conformed[listed], of_kind.entities))
        pair = Pair(code=kind.code, originals=then, published=now, codes=codes)
        register, released = pair.entities
        looked_up = [column for column in in_a_register(environment, kind) if column in released.columns]
        found[REGISTER] = [quasi_identifier_attack(register, released, looked_up, of=kind.kind)] if looked_up else []
        found[NAMES] = list(_names(register, released, kind))
    return {
        family: [replace(attack, attack=f"{attack.attack}, {kind.kind}") for attack in attacks]
        for family, attacks in found.items()
    }


def attacks_on_codes(
    kind: Entities, codes: Mapping[str, str], *, guesses: Mapping[str, Key], every_code: Collection[str]
) -> list[Attack]:
    """Attack the map of a kind's codes; arguments as those of `attacks_on_kind`, but each guess is the kind's own key."""
    space = code_space(kind.code_shape)
    forbidden = forbidden_numbers(codes, every_code, space)
    return [
        guessed_keys_attack(
            codes,
            guesses=guesses,
            derive=lambda some, guess: codes_given_out(some, guess, forbidden=forbidden, space=space),
            codes=space.size,
        )
    ]


def _names(register: pl.DataFrame, released: pl.DataFrame, kind: Entities) -> Iterator[Attack]:
    if kind.name and kind.name in released.columns:
        yield from name_attacks(
            register.select(code=kind.code, name=kind.name, group=kind.industry),
            released.select(legal=kind.name),
            language=kind.language,
        )
