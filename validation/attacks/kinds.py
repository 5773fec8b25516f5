"""Attacks on entities of a further kind: what leads from a pseudonym to its code, its name or its row of a register.

Belongs here: which attacks there are on a kind, and with what in hand. A kind has no figures; the main kind is `suite.py`'s.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from anonymize.codes import code_space, pseudonymous_codes
from pipeline.keyed import Key
from pipeline.model import Entities, Environment, Frames
from pipeline.model.fates import in_a_register
from validation.attacks import Attack
from validation.attacks.limits import CODES, NAMES, ORDER, REGISTER
from validation.attacks.naming.dictionary import dictionary_attacks
from validation.attacks.naming.names import name_attacks
from validation.attacks.records.order import order_attacks, original_columns
from validation.attacks.records.quasi_identifiers import quasi_identifier_attack


@dataclass(frozen=True, kw_only=True)
class OfKind:
    """The release's part of one further kind, and the truth."""

    kind: Entities
    entities: pl.DataFrame | None
    """The published first table of the kind, typed, rows in any order; None if none is published or can be read."""
    codes: Mapping[str, str]
    """Original code -> published code. No attack guesses by it: it tells who was right."""


def attacks_on_kind(
    environment: Environment,
    of_kind: OfKind,
    *,
    conformed: Frames,
    raw: Frames,
    published: Frames,
    guesses: Mapping[str, Key],
    every_code: Collection[str],
) -> dict[str, list[Attack]]:
    """Return what is found of a further kind, by family; each attack names the kind.

    Args:
        environment: Declares the tables.
        of_kind: What is attacked.
        conformed: The originals, typed.
        raw: The raw tables with codes as text, in the order of their files.
        published: Published tables as text.
        guesses: What is tried as release key, by the name by which it is told.
        every_code: Raw codes of every kind, of which no pseudonym is one.
    """
    kind, codes = of_kind.kind, of_kind.codes
    if not codes:
        return {}
    space = code_space(kind.code_shape)
    found = {
        CODES: dictionary_attacks(
            codes,
            guesses={name: guess.derive("kind", kind.kind) for name, guess in guesses.items()},
            derive=lambda some, guess: pseudonymous_codes(
                some, guess, avoid=codes, avoid_whole=every_code, space=space
            ),
        ),
    }
    listed = next((name for name in kind.tables if name in conformed), "")
    if listed:
        columns = original_columns(environment, kind, conformed, raw, codes)
        found[ORDER] = order_attacks(environment.tables, published, columns)
    if listed and of_kind.entities is not None:
        register, told = _aligned(conformed[listed], of_kind.entities, kind, codes)
        looked_up = [column for column in in_a_register(environment, kind) if column in told.columns]
        found[REGISTER] = [quasi_identifier_attack(register, told, looked_up, of=kind.kind)] if looked_up else []
        found[NAMES] = list(_names(register, told, kind))
    return {
        family: [replace(attack, attack=f"{attack.attack}, {kind.kind}") for attack in attacks]
        for family, attacks in found.items()
    }


def _aligned(
    register: pl.DataFrame, told: pl.DataFrame, kind: Entities, codes: Mapping[str, str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both sides of the entities that are published, in the same order, under the original code."""
    back = pl.DataFrame({"original": list(codes), kind.code: list(codes.values())})
    owned = told.join(back, on=kind.code).drop(kind.code).rename({"original": kind.code}).sort(kind.code)
    return owned.select(kind.code).join(register, on=kind.code, how="left", maintain_order="left"), owned


def _names(register: pl.DataFrame, told: pl.DataFrame, kind: Entities) -> Iterator[Attack]:
    if kind.name and kind.name in told.columns:
        yield from name_attacks(
            register.select(code=kind.code, name=kind.name, group=kind.industry),
            told.select(legal=kind.name),
            language=kind.language,
        )
