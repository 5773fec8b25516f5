"""All attacks on one release, with the originals in hand, and the verdict: findings by family, judged by `limits.py`.

`Sides` is what an auditor holds: the originals, the release as an outsider reads it, and the truth by which successes are
counted. A build passes its own tables, `silt audit` those that it reads from the published files.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import polars as pl

from anonymize.keys.release_key import DEMONSTRATION_PHRASE, of_policy
from anonymize.policy import Policy
from anonymize.quasi_identifiers import Classes, anonymity, given_up
from anonymize.tables import original_figures
from pipeline.conform.cells import plain_numbers
from pipeline.conform.headers import positions
from pipeline.conform.source import Source
from pipeline.keyed import Key
from pipeline.model import Environment, Frames, LazyFrames, Role
from pipeline.model.treatments import in_a_register, quasi_identifiers
from validation.attacks import Attack, limits
from validation.attacks.adaptive.mechanisms import mechanism
from validation.attacks.adaptive.populations import AttackedRelease, population_of
from validation.attacks.adaptive.suite import Effort, adaptive_attacks
from validation.attacks.identifiers.clauses import GROUP, OWNER, TEXT, prose_attacks, published_texts
from validation.attacks.identifiers.guessed_keys import guessable_keys
from validation.attacks.kinds import OF_EVERY_KIND, KindSides, attacks_on_kind
from validation.attacks.limits import judged
from validation.attacks.noise.filters import filter_attack
from validation.attacks.privacy import privacy_report
from validation.attacks.records.alone import alone_in_period
from validation.attacks.records.copies import copy_attacks
from validation.attacks.records.events import EventSides, event_attacks
from validation.attacks.records.exact import exact_figure_attacks
from validation.attacks.records.linkage import TARGET, linkage_attacks
from validation.attacks.records.order import streamed
from validation.attacks.records.unchanged import unchanged_measures
from validation.drawn import drawn
from validation.pair import Pair, Side


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The originals, the release, and the truth about who is who."""

    environment: Environment
    conformed: Frames
    """The originals, typed."""
    raw: LazyFrames
    """The raw tables as text, in the order of their files."""
    entities: pl.DataFrame
    """The published first entity table, typed; rows in any order."""
    figures: pl.DataFrame
    """The published panel; rows in any order."""
    names: pl.DataFrame
    """Published names: `code, legal, short, english`, or some of them."""
    published: LazyFrames
    """Published tables as text, by name."""
    codes: Mapping[str, str]
    """Original code -> published code. No attack guesses by it; it decides which guesses are right."""
    policy: Policy
    """The policy of the release."""
    events: Sequence[EventSides] = ()
    """The events of originals and release; empty if they are not read back."""
    further: tuple[KindSides, ...] = ()
    """The published entities of further kinds."""
    is_demonstration: bool = False
    """Whether the key is the public one, which protects nobody."""
    budget: float | None = None
    """What the statistics of sampled records spent; None where that is not stated."""

    @cached_property
    def pair(self) -> Pair:
        """Return both sides of the main kind's entities and of the panel, aligned by the map of codes."""
        keys = self.environment.entities
        figures = original_figures(self.environment, self.conformed)
        return Pair(
            code=keys.code,
            originals=Side(entities=self.conformed[keys.tables[0]], figures=figures),
            published=Side(entities=self.entities, figures=self.figures),
            codes=self.codes,
        )


def raw_rows(source: Source) -> pl.DataFrame:
    """Return a raw table's text: the declared columns that are there, rows in the order of the file."""
    declared = {column.name: column.numerals for column in source.table.columns}
    there = {name: source.column(place) for name, place in positions(source).items()}
    # Numbers are compared as they are published: with a point, and without what groups or surrounds them.
    return pl.DataFrame({name: plain_numbers(text, declared[name]) for name, text in there.items()})


def tried(environment: Environment, policy: Policy) -> list[str]:
    """Return the families of attacks that are tried, in the order of the report."""
    has_panel = bool(environment.panel)
    there = {
        limits.EXACT: has_panel,
        limits.LINKAGE: has_panel,
        limits.EVENTS: bool(environment.events),
        # Under a policy without promises about figures, attackers who know the code would only repeat other findings.
        limits.ADAPTIVE: has_panel and policy.samples_records,
        limits.OPINION: False,
    }
    return [family for family in limits.FAMILIES if there.get(family, True)]


def audit(
    sides: Sides, key: Key, *, effort: Effort, families: Sequence[str] | None = None, attacker: str = ""
) -> dict[str, list[Attack]]:
    """Run every attack; return the findings by family.

    Args:
        effort: How hard attackers who know the code try.
        key: Decides what is random in attacks (on which half of the rows a filter is chosen).
        families: Those that are tried, of `tried`; None for all.
        attacker: The one who tries of those who know the code; all if it is empty.
    """
    environment = sides.environment
    attacks: dict[str, Callable[[], list[Attack]]] = {
        limits.EXACT: lambda: exact_figure_attacks(
            *sides.pair.figures, environment.panel.measures, entity=environment.entities.code
        ),
        limits.COPIES: lambda: copies(sides, key.derive("copies")),
        limits.LINKAGE: lambda: _linkage(sides, key.derive("linkage")),
        limits.FILTERS: lambda: _filters(sides, key),
        limits.PROSE: lambda: _prose(sides),
        limits.EVENTS: lambda: [a for each in sides.events for a in event_attacks(each, key.derive("events"))],
        limits.ADAPTIVE: lambda: _adaptive(sides, key.derive("adaptive"), effort, attacker),
        **{family: partial(_on_kinds, sides, family) for family in OF_EVERY_KIND},
    }
    # One after the other: each holds what it compares, which is large.
    return {family: attacks[family]() for family in families or tried(environment, sides.policy)}


def _on_kinds(sides: Sides, family: str) -> list[Attack]:
    """Run the attacks of a family that every kind of entity gets."""
    environment, policy = sides.environment, sides.policy
    guesses = () if sides.is_demonstration else (DEMONSTRATION_PHRASE,)
    keys = {name: of_policy(guess, policy.name) for name, guess in guessable_keys(environment.name, *guesses).items()}
    main = KindSides(kind=environment.entities, entities=sides.entities, codes=sides.codes, names=sides.names)
    return [
        attack
        for of_kind in (main, *sides.further)
        for attacks in attacks_on_kind(
            environment,
            of_kind,
            conformed=sides.conformed,
            raw=sides.raw,
            published=sides.published,
            guesses=keys,
            every_code={code for codes in (sides.codes, *(of.codes for of in sides.further)) for code in codes},
            # A sampled record keeps only its owner's industry, so it is a guess within that.
            kept=environment.entities.industry if policy.samples_records and of_kind is main else "",
            families=[family],
        ).values()
        for attack in attacks
    ]


def copies(sides: Sides, key: Key) -> list[Attack]:
    """Compare published columns with raw ones, whatever the declaration says, and figures with the originals."""
    environment = sides.environment
    code, (originals, published) = environment.entities.code, sides.pair.figures
    codes = sides.pair.truth.select(code="original", pseudonym="published")
    codes = codes.join(_groups(sides), on="code", how="left").select("group", "code", "pseudonym")
    grouped = originals.join(
        codes.select("code", "group"), left_on=code, right_on="code", how="left", maintain_order="left"
    )
    unchanged = unchanged_measures(grouped, published, environment.panel.measures, group="group", policy=sides.policy)
    reported = {each.measure for each in unchanged.measures}
    return [
        unchanged,
        *([] if sides.policy.samples_records else alone_in_period(originals, published, environment.panel)),
        *copy_attacks(environment, sides.raw, sides.published, codes, policy=sides.policy, key=key, reported=reported),
    ]


def _groups(sides: Sides) -> pl.DataFrame:
    """Return the code and the `group` of each entity: the first table that lists it, and its industry."""
    keys = sides.environment.entities
    listed = [
        sides.conformed[name].select(
            code=keys.code, group=pl.concat_str(pl.lit(name), keys.industry, ignore_nulls=True)
        )
        for name in keys.tables
        if name in sides.conformed
    ]
    return pl.concat(listed).unique("code", keep="first", maintain_order=True)


def _linkage(sides: Sides, key: Key) -> list[Attack]:
    """Link figures; originals and release share the industry, other columns are as published.

    Of many companies, those are attacked that the key draws; every original is a candidate.
    """
    environment, (register, released) = sides.environment, sides.pair.entities
    code, group = environment.entities.code, environment.entities.industry
    columns = [column for column in quasi_identifiers(environment).columns if column != group]
    every = tuple(measure.name for measure in environment.panel.measures)
    sources = (
        register.select(code, group, *columns),
        released.select(pl.lit(register[code]).alias(code), group, *columns),
    )
    known, released = (
        figures.hstack(figures.select(code).join(source, on=code, how="left", maintain_order="left").drop(code))
        for figures, source in zip(sides.pair.figures, sources, strict=True)
    )
    if some := drawn(register.select(code, group), code=code, industry=group, key=key):
        known = known.with_columns(some.has(code).alias(TARGET))
    return linkage_attacks(
        known,
        released,
        entity=code,
        group=group,
        measures=every,
        known=environment.panel.known or (every,),
        quasi_identifiers=columns,
        # Which year has most is a function of the originals.
        named=(lambda _: "the year with most records")
        if sides.policy.samples_records
        else environment.panel.period.name,
    )


def _adaptive(sides: Sides, key: Key, effort: Effort, attacker: str) -> list[Attack]:
    """Attack with everything but the key: the originals, this code, and releases of the attackers' own."""
    environment = sides.environment
    keys, panel = environment.entities, environment.panel
    figures = sides.pair.originals.figures
    reporting = sides.conformed[keys.tables[0]].filter(pl.col(keys.code).is_in(figures[keys.code].unique().implode()))
    return adaptive_attacks(
        population_of(environment, reporting, figures),
        AttackedRelease(population=population_of(environment, sides.entities, sides.figures), truth=sides.codes),
        mechanism(environment, sides.conformed, sides.policy, budget=sides.budget),
        known=max(panel.known, key=len, default=tuple(measure.name for measure in panel.measures)),
        key=key,
        effort=effort,
        group=keys.sub_industry if keys.sub_industry != keys.industry else "",
        attacker=attacker,
    )


def _filters(sides: Sides, key: Key) -> list[Attack]:
    declared = sides.environment.decoys
    if declared is None:
        return []
    among = sides.published[declared.among].collect()
    firms = among.filter(~declared.is_decoy())
    apart = [sides.published[name].collect() for name in declared.apart if name in sides.published]
    kinds = [("decoys against firms", among.filter(declared.is_decoy()), declared.inherent)]
    if apart:
        kinds.append(("decoys in tables of their own against firms", pl.concat(apart), declared.inherent_apart))
    return [
        filter_attack(decoys, firms, kinds=name, key=key.derive("filters"), inherent=inherent)
        for name, decoys, inherent in kinds
        if decoys.height
    ]


def _prose(sides: Sides) -> list[Attack]:
    """Search for every published text about a company in all original texts, of whatever table."""
    environment, code = sides.environment, sides.environment.entities.code
    originals = [
        streamed(sides.raw[table.name].select(pl.col(codes[0].name).alias(code), pl.col(column.name).alias(TEXT)))
        for table in environment.raw_tables
        if table.name in sides.raw and (codes := table.of_role(Role.CODE, of=""))
        for column in table.of_role(Role.TEXT)
    ]
    if not originals:
        return []
    groups = sides.conformed[environment.entities.tables[0]].select(
        code, pl.col(environment.entities.industry).alias(GROUP)
    )
    known = pl.concat(originals).join(groups, on=code, how="left").rename({code: OWNER})
    truth = sides.pair.truth
    texts = published_texts(environment.tables, sides.published, truth["published"])
    owned = texts.join(truth, left_on="code", right_on="published").select(pl.col("original").alias(OWNER), TEXT)
    return prose_attacks(known, owned)


CLASS_SIZE = 5
"""Size of a class of quasi-identifiers below which records are counted, under every policy."""


def verdict(sides: Sides, found: Mapping[str, Sequence[Attack]], policy: Policy) -> dict[str, Any]:
    """Return the privacy report on a release."""
    return verdict_on(sides, judged(found, policy), policy)


def verdict_on(sides: Sides, entries: Sequence[Mapping[str, Any]], policy: Policy) -> dict[str, Any]:
    """Return the privacy report on a release, of which the attacks are judged already."""
    declared = quasi_identifiers(sides.environment)
    originals = sides.conformed[sides.environment.entities.tables[0]]
    return privacy_report(
        entries,
        policy,
        anonymity=anonymity(sides.entities, declared.columns, k=CLASS_SIZE) if declared.columns else None,
        given_up=given_up(originals, sides.entities, declared) if policy.samples_records else None,
        is_demonstration=sides.is_demonstration,
        has_panel=bool(sides.environment.panel),
        figures_of_events=sides.environment.figures_of_events,
        further=_of_kinds(sides),
    )


def _of_kinds(sides: Sides) -> dict[str, Classes]:
    """Return the class sizes of each further kind by its published quasi-identifiers; nothing for kinds without any."""
    return {
        of.kind.kind: anonymity(of.entities, columns, k=CLASS_SIZE)
        for of in sides.further
        if of.entities is not None and (columns := in_a_register(sides.environment, of.kind))
    }
