"""Attacks on entities of a kind: ways from a pseudonym to its code, its name or its row of a register.

Belongs here: which attacks every kind gets, and with which inputs. What the main kind alone has, figures, is `suite.py`'s.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
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

OF_EVERY_KIND = (CODES, REGISTER, NAMES, ORDER)
"""Families of the attacks here."""


@dataclass(frozen=True, kw_only=True)
class KindSides:
    """The release's part of one kind, and the truth."""

    kind: Entities
    entities: pl.DataFrame | None
    """The published first table of the kind, typed, rows in any order; None if none is published or it cannot be read."""
    codes: Mapping[str, str]
    """Original code -> published code. No attack guesses by it; it decides which guesses are right."""
    names: pl.DataFrame | None = None
    """Published names: `code, legal, short, english`, or some of them; if None, the names that stand among the entities."""


def attacks_on_kind(  # noqa: PLR0913  (a release)
    environment: Environment,
    of_kind: KindSides,
    *,
    conformed: Frames,
    raw: LazyFrames,
    published: LazyFrames,
    guesses: Mapping[str, Key],
    every_code: Collection[str],
    kept: str = "",
    families: Collection[str] = OF_EVERY_KIND,
) -> dict[str, list[Attack]]:
    """Return the attacks on a kind, by family; each attack names a further kind.

    Args:
        raw: The raw tables with codes as text, in the order of their files.
        published: Published tables as text.
        guesses: Keys that are tried as release key, by their names in reports.
        every_code: Raw codes of every kind; no pseudonym is one of them.
        kept: The column of a register within which a record is a guess, if it keeps that of its owner alone.
        families: Those that are tried.
    """
    kind, codes = of_kind.kind, of_kind.codes
    if kind.kind and not codes:
        return {}
    tries: dict[str, Callable[[], list[Attack]]] = {CODES: lambda: _codes(kind, codes, guesses, every_code)}
    if listed := next((name for name in kind.tables if name in conformed), ""):
        tries[ORDER] = lambda: order_attacks(
            environment.tables, published, original_columns(environment, kind, conformed, raw, codes)
        )
    if listed and of_kind.entities is not None and {REGISTER, NAMES} & {*families}:
        then, now = (Side(entities=each, figures=pl.DataFrame()) for each in (conformed[listed], of_kind.entities))
        register, released = Pair(code=kind.code, originals=then, published=now, codes=codes).entities
        looked_up = [column for column in in_a_register(environment, kind) if column in released.columns]
        tries[REGISTER] = lambda: (
            [quasi_identifier_attack(register, released, looked_up, kept=kept, of=kind.kind)] if looked_up else []
        )
        tries[NAMES] = lambda: list(_names(register, released, of_kind))
    of = f", {kind.kind}" if kind.kind else ""
    return {
        family: [replace(attack, attack=attack.attack + of) for attack in attacks()]
        for family, attacks in tries.items()
        if family in families
    }


def _codes(
    kind: Entities, codes: Mapping[str, str], guesses: Mapping[str, Key], every_code: Collection[str]
) -> list[Attack]:
    of_kind = {name: guess.derive("kind", kind.kind) if kind.kind else guess for name, guess in guesses.items()}
    space = code_space(kind.code_shape)
    forbidden = forbidden_numbers(codes, every_code, space)
    return [
        guessed_keys_attack(
            codes,
            guesses=of_kind,
            derive=lambda some, guess: codes_given_out(some, guess, forbidden=forbidden, space=space),
            codes=space.size,
        )
    ]


def _names(register: pl.DataFrame, released: pl.DataFrame, of_kind: KindSides) -> Iterator[Attack]:
    kind, names = of_kind.kind, of_kind.names
    if not kind.name or (names is None and kind.name not in released.columns):
        return
    if names is None:
        invented = released.select(legal=kind.name)
    else:
        codes = released.select(code=kind.code)
        invented = codes.join(names, on="code", how="left", maintain_order="left").drop("code")
    originals = register.select(code=kind.code, name=kind.name, group=kind.industry)
    yield from name_attacks(originals, invented, language=kind.language)
