"""A small environment with two published tables and their facts, for the tests of expectations."""

from collections.abc import Mapping, Sequence

import polars as pl

from pipeline.keyed import Key
from pipeline.model.schema.fields import ColumnFacts
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.mechanisms import CompletelyAtRandom, Mechanism
from pipeline.noise.spec import NoiseSpec, Rule
from tests.bare import bare, published

KEY = Key(bytes(range(32)))
SIZE = 2_000

FACTS = {
    "guilds": {
        "code": ColumnFacts(pattern="[A-Z]{2}[0-9]+", unique=True),
        "town": ColumnFacts(allowed=("Bruges", "Ghent"), nullable=True),
    },
    "dues": {
        "id": ColumnFacts(type="integer", minimum=1, unique=True),
        "guild": ColumnFacts(refers_to=("guilds", "code")),
        "year": ColumnFacts(type="integer", minimum=1400, maximum=1500),
        "value": ColumnFacts(type="decimal"),
        "note": ColumnFacts(nullable=True),
    },
}


GUILDS, DUES = published("guilds", tuple(FACTS["guilds"]), "code"), published("dues", tuple(FACTS["dues"]))

ENVIRONMENT = bare("guilds", GUILDS, DUES, title="Guilds <of Flanders>", facts=FACTS)


def clean_tables() -> dict[str, pl.DataFrame]:
    """Return clean rows that meet all facts."""
    codes = [f"AB{number}" for number in range(50)]
    guilds = {"code": codes, "town": [("Bruges", "Ghent", None)[number % 3] for number in range(50)]}
    dues = {
        "id": [str(number + 1) for number in range(SIZE)],
        "guild": [codes[number % 50] for number in range(SIZE)],
        "year": [str(1400 + number % 101) for number in range(SIZE)],
        "value": [f"{number - 900}.5" for number in range(SIZE)],
        "note": ["late" if number % 2 else "in <full>" for number in range(SIZE)],
    }
    return {"guilds": _texts(guilds), "dues": _texts(dues)}


def rule(kind: Kind, mechanism: Mechanism | float, name: str = "rule", *tables: str) -> Rule:
    """Return a rule for some tables, `dues` if none is named."""
    how = CompletelyAtRandom(rate=mechanism) if isinstance(mechanism, float) else mechanism
    return Rule(name=name, kind=kind, tables=tables or ("dues",), mechanism=how)


def noised(rules: Sequence[Rule], table: str = "dues", key: Key = KEY) -> Noised:
    """Apply rules to one of the clean tables."""
    spec = NoiseSpec(environment=ENVIRONMENT.name, rules=tuple(rules))
    return apply_noise(clean_tables()[table], ENVIRONMENT.table(table), spec, ENVIRONMENT, key)


def _texts(columns: Mapping[str, Sequence[str | None]]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
