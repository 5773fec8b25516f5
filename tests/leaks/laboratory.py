"""Builds tables with a leak, stage by stage without Dagster, and says which checks noticed."""

from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from anonymize.policy import Policy
from anonymize.prose.replacing import ReplacedProse, read_prose
from anonymize.pseudonyms import Pseudonyms, direct_identifiers, pseudonyms
from anonymize.synthesis import synthesise
from anonymize.tables import FIGURES, NAMES, anonymised_figures, original_figures, sampled_figures
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames, Truth, lazy
from pipeline.model.refused.contradictions import refuse_unready
from pipeline.model.treatments import quasi_identifiers
from pipeline.publish.files import write_table
from pipeline.render import render_table
from tests.anonymised import anonymise_tables
from tests.leaks.bakers import BAKERS, raw_tables
from tests.leaks.leak import Check, Leak, Spoil
from validation.attacks import Attack
from validation.attacks.limits import COPIES, REGISTER, is_over
from validation.attacks.records.quasi_identifiers import quasi_identifier_attack
from validation.attacks.suite import Sides, copies, raw_rows, verdict
from validation.escapes.scan import Originals, scan

KEY = Key(b"l" * 32)

_BY_LUCK = 0.5
"""Share of records from which a register that finds them is one that tells (the sound tables: under a third)."""


def noticed(leak: Leak, checks: Collection[Check] = tuple(Check)) -> Mapping[Check, str]:
    """Return which of some checks noticed the leak, with what they say."""
    environment = leak.declare(BAKERS)
    try:
        refuse_unready(environment)
    except InputError as refused:
        return {Check.LOAD: str(refused)}
    with TemporaryDirectory() as folder:
        return _built(environment, leak.raw(raw_tables()), leak.spoil, leak.policy, Path(folder), checks)


def _built(
    environment: Environment, raw: Frames, spoil: Spoil, policy: Policy, folder: Path, checks: Collection[Check]
) -> dict[Check, str]:
    for name, rows in raw.items():
        rows.write_csv(folder / f"{name}.csv")
    read = conform(environment.raw_tables, folder)
    conformed = read.frames
    map_ = pseudonyms(environment, conformed, KEY)
    prose = read_prose(environment, conformed, map_, KEY)
    anonymised = spoil(_anonymised(environment, conformed, policy, map_, prose), conformed, map_.codes)
    derived = {each.name: each.derive(anonymised) for each in environment.derivations}
    truth = Truth(tables={**anonymised, **derived}, order=KEY.derive("order"))
    published = {table.name: render_table(table, truth) for table in environment.tables}
    public = folder / "public"
    for table in environment.tables:
        write_table(published[table.name], table, public)
    found = dict[Check, str]()
    if Check.ESCAPES in checks:
        known = pl.concat([map_.frame(), prose.known])
        originals = Originals(identity_map=known, identifiers=direct_identifiers(environment, conformed), key=KEY)
        escapes = scan(public, environment, originals.search_terms(environment)).escapes
        found |= {Check.ESCAPES: " ".join(escape.column for escape in escapes)} if escapes else {}
    if {*checks} == {Check.ESCAPES}:
        return found
    sides = Sides(
        environment=environment,
        conformed=conformed,
        raw=lazy({name: raw_rows(each) for name, each in read.sources.items()}),
        entities=anonymised["shops"],
        figures=anonymised[FIGURES],
        names=anonymised[NAMES],
        published=lazy(published),
        codes=map_.codes,
        policy=policy,
    )
    return found | _attacked(sides)


def _anonymised(
    environment: Environment, conformed: Frames, policy: Policy, map_: Pseudonyms, prose: ReplacedProse
) -> dict[str, pl.DataFrame]:
    sampled = None
    if policy.samples_records:
        sampled = synthesise(environment, conformed, original_figures(environment, conformed), KEY, budget=20.0)
    figures = sampled_figures(environment, sampled, KEY) if sampled else anonymised_figures(environment, conformed, KEY)
    return anonymise_tables(environment, conformed, map_, KEY, figures=figures.figures, prose=prose, sampled=sampled)


def _attacked(sides: Sides) -> dict[Check, str]:
    register = _register(sides)
    report = verdict(sides, {COPIES: copies(sides, KEY), REGISTER: [register]}, sides.policy)
    over = {Check(entry["attack"]): _said(entry) for entry in report["attacks"] if is_over(entry)}
    if "originals to the last digit" in report["summary"]:
        over[Check.SUMMARY] = report["summary"]
    if register.rate > _BY_LUCK:
        over[Check.REGISTER] = register.knowledge
    return over


def _register(sides: Sides) -> Attack:
    back = {published: original for original, published in sides.codes.items()}
    register = sides.conformed["shops"].sort("shop")
    told = sides.entities.with_columns(pl.col("shop").replace_strict(back)).sort("shop")
    return quasi_identifier_attack(register, told, quasi_identifiers(sides.environment).columns)


def _said(entry: Mapping[str, Any]) -> str:
    return str(entry["detail"])
