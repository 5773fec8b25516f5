"""The report `attacks`: what an outsider finds in the release, with a blocking check on what the policy allows."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from anonymize.keys.release_key import DEMONSTRATION_KEY
from anonymize.mentions.report import of_published
from anonymize.tables import FIGURES, NAMES
from assets.evidence.sides import paired_events, published_codes
from assets.making.flow import Door
from assets.making.keys import ATTACKS, ATTRIBUTES, CODES, ON_FIGURES, PROSE, Place, Stage, as_text
from assets.making.parameters import BUDGET, KEY, MASTER, POLICY, RAW, RawFiles
from assets.making.results import Result
from assets.making.step import Run, StepDivision, StepPart
from assets.making.store import Value
from assets.wiring.gates import in_the_report
from assets.wiring.gates import verdict as outcome
from assets.wiring.originals import OF_ORIGINALS, originals
from assets.wiring.steps import Declared, asset, step
from pipeline.conform.reading import read
from pipeline.model import Environment, RawTable
from validation.attacks import limits
from validation.attacks.adaptive.suite import ATTACKERS, IN_A_BUILD
from validation.attacks.kinds import KindSides
from validation.attacks.limits import is_over, judged
from validation.attacks.privacy import outcomes_of
from validation.attacks.records.events import EventSides
from validation.attacks.suite import Sides, audit, raw_rows, tried, verdict_on
from validation.report.charts.drawings import bars
from validation.report.documents import written

OVER = "over"
"""Fact of a check: what was over its limit, a line for each attack."""

Reads = Mapping[str, Collection[Place]]
"""Family of attacks -> what it reads."""

_WITHIN_LIMITS = "attacks_stay_within_limits"

_EARLY, _CODES = (Stage.CURATOR, ON_FIGURES), (Stage.IDENTITY, CODES)

_USES = (BUDGET, KEY, MASTER, POLICY)

_ENTRIES = "entries"


def attack_steps(environment: Environment) -> list[Declared]:
    """Return the asset of the attacks on a release, after what need not wait for names: raw texts, and attacks on figures."""
    return [_texts_step(environment), _figures_step(environment), _attacks_asset(environment)]


def _texts_step(environment: Environment) -> Declared:
    makes = _raw(environment)

    @step(environment, Stage.RAW, "texts", makes=makes, uses=(RAW,))
    def reading(run: Run) -> Iterator[Result]:
        """Read the raw tables as text, for all attacks that look at them."""
        raw = run.use(RAW)
        for (_, name), table in zip(makes, environment.raw_tables, strict=True):
            # One after the other: none is in memory while the next one is read.
            run.keep(Stage.RAW, name, _as_read(raw, table))
        return iter(())

    return reading


def _as_read(raw: RawFiles, table: RawTable) -> pl.DataFrame | None:
    source = read(table, raw.folder, known=raw.files)
    return None if source is None else raw_rows(source)


def _figures_step(environment: Environment) -> Declared:
    reads = _of_figures(environment)

    @step(environment, *_EARLY, makes=[_EARLY], reads=_every(reads), uses=_USES, division=_divided(reads))
    def attacking(run: Run) -> Iterator[Result]:
        """Attack codes and figures."""
        run.keep(*_EARLY, json.dumps(_found(run)))
        return iter(())

    return attacking


def _attacks_asset(environment: Environment) -> Declared:
    early, reads = _of_figures(environment), _of_tables(environment)
    # Of what the first step looks at, the verdict needs a part; the graph shows all of it.
    every = [*_every(early), *_every(reads), _EARLY, (Stage.IDENTITY, PROSE), *OF_ORIGINALS]
    doors, checks, division = {(Stage.REPORTS, ATTACKS): Door.OUTCOME}, (_WITHIN_LIMITS,), _divided(reads)

    @asset(
        *(environment, Stage.REPORTS, ATTACKS), reads=every, uses=_USES, checks=checks, doors=doors, division=division
    )
    def attacks(run: Run) -> Iterator[Result]:
        """How many companies an outsider names who has the register and the annual reports, and by what else."""
        report = _report(run)
        published, counted = report, report["attacks"]
        if run.use(POLICY).samples_records:
            published, counted = outcomes_of(report, doors=list(Door), budget=run.use(BUDGET)), []
            whole = report | {"account": published["account"]}
            run.keep(Stage.CURATOR, ATTACKS, written("privacy", whole).decode())
        facts = {
            "summary": published["summary"],
            "attacks": len(report["attacks"]),
            "over_their_limit": sum(map(is_over, report["attacks"])),
            **({OVER: over} if (over := _over(report["attacks"])) else {}),
        }
        content = written("privacy", published).decode()
        yield run.made(Stage.REPORTS, ATTACKS, content, facts)
        yield outcome(
            _WITHIN_LIMITS,
            is_passed=report["passed"],
            facts={**facts, **in_the_report(privacy=content)(_WITHIN_LIMITS)},
            samples=_nearest_to_limits(counted),
            picture=bars(_highest_rates(counted)) if counted else "",
        )

    return attacks


def _over(attacks: Sequence[Mapping[str, Any]]) -> str:
    """Return the attacks that are over their limit, with what each knows and may find: no count, which is the curator's."""
    over = filter(is_over, attacks)
    return "\n".join(f"{each['attack']}, knowing {each['knowledge']}; allowed: {each['limit']}" for each in over)


def _nearest_to_limits(attacks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the attacks that are held to a limit: those that broke it first, then by what they find beyond chance."""
    held = [entry for entry in attacks if entry["limit"] != limits.REPORTED_ONLY and entry["records"]]
    order = sorted(held, key=lambda entry: (not is_over(entry), entry["chance"] - entry["rate"]))
    return [
        {name: entry[name] for name in ("attack", "records", "rate", "chance", "limit", "passed")} for entry in order
    ]


def _highest_rates(attacks: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    rates: dict[str, float] = {}
    for entry in attacks:
        rates[entry["family"]] = max(entry["rate"], rates.get(entry["family"], 0.0))
    return rates


def _of_figures(environment: Environment) -> Reads:
    """Return the families that look at codes and figures alone: those need not wait for names and published tables."""
    figures = [*_listed(environment), (Stage.IDENTITY, ATTRIBUTES), *_panel(environment)]
    return {limits.CODES: [_CODES], limits.EXACT: figures, limits.LINKAGE: figures, limits.ADAPTIVE: figures}


def _of_tables(environment: Environment) -> Reads:
    """Return the other families."""
    firms, panel, events = _firms(environment), _panel(environment), [events.table for events in environment.events]
    tables = [(Stage.RENDERED, table.name) for table in environment.tables]
    further = [name for kind in environment.further for name in kind.tables]
    kinds = [*firms, *((stage, name) for stage in (Stage.CONFORMED, Stage.ANONYMISED) for name in further)]
    raw, decoys = _raw(environment), environment.decoys
    return {
        limits.COPIES: [*firms, *panel, *tables, *raw],
        limits.REGISTER: kinds,
        limits.NAMES: [*kinds, (Stage.ANONYMISED, NAMES)],
        limits.ORDER: [*kinds, *panel, *tables, *raw],
        limits.FILTERS: [(Stage.RENDERED, name) for name in (decoys.among, *decoys.apart)] if decoys else [],
        limits.PROSE: [*firms, *tables, *raw],
        limits.EVENTS: [*kinds, *((stage, name) for stage in (Stage.CONFORMED, Stage.ANONYMISED) for name in events)],
    }


def _listed(environment: Environment) -> list[Place]:
    return [*((Stage.CONFORMED, name) for name in environment.entities.tables), _CODES]


def _firms(environment: Environment) -> list[Place]:
    """Return both sides of the entities, as they are published: names are among their columns."""
    return [*_listed(environment), (Stage.ANONYMISED, environment.entities.tables[0])]


def _panel(environment: Environment) -> list[Place]:
    return [*((Stage.CONFORMED, name) for name in environment.panel.tables), (Stage.ANONYMISED, FIGURES)]


def _raw(environment: Environment) -> list[Place]:
    return [(Stage.RAW, as_text(table.name)) for table in environment.raw_tables]


def _every(reads: Reads) -> list[Place]:
    return [*dict.fromkeys(place for of in reads.values() for place in of)]


def _divided(reads: Reads) -> StepDivision:
    """Return how families of attacks are tried: each is a part, tried again only if something that it reads is another.

    Of those who know the code, each attacker is a part.
    """

    def parts(run: Run) -> list[StepPart]:
        families = [family for family in tried(run.environment, run.use(POLICY)) if family in reads]
        return run.parts_reading({part: reads[family] for family in families for part in _parts_of(family)})

    return StepDivision(parts=parts, do=_attacked)


def _parts_of(family: str) -> list[str]:
    return [f"{family}/{attacker}" for attacker in ATTACKERS] if family == limits.ADAPTIVE else [family]


def _attacked(run: Run, part: StepPart) -> Iterator[tuple[str, Value]]:
    """Try a family of attacks, or an attacker's, and judge what was found."""
    key, (family, _, attacker) = run.use(KEY).derive("audit"), part.name.partition("/")
    found = audit(_sides(run, part.reads), key, effort=IN_A_BUILD, families=[family], attacker=attacker)
    yield _ENTRIES, json.dumps(judged(found, run.use(POLICY)))


def _found(run: Run) -> dict[str, list[dict[str, Any]]]:
    """Return what the parts of a step found, by family."""
    found: dict[str, list[dict[str, Any]]] = {}
    for part, entries in zip(run.parts(), run.of_parts(_ENTRIES), strict=True):
        found.setdefault(part.name.partition("/")[0], []).extend(json.loads(entries))
    return found


def _report(run: Run) -> dict[str, Any]:
    environment, policy = run.environment, run.use(POLICY)
    prose = of_published(json.loads(run.read(Stage.IDENTITY, PROSE)), are_sampled=policy.samples_records)
    found = json.loads(run.read(*_EARLY)) | _found(run)
    entries = [entry for family in tried(environment, policy) for entry in found[family]]
    further = [(Stage.ANONYMISED, name) for kind in environment.further for name in kind.tables]
    return verdict_on(_sides(run, [*_firms(environment), *further]), entries, policy) | {
        "prose": prose,
        "not_searched": originals(run).tokens(environment).only_in_columns_of_codes(),
    }


def _sides(run: Run, places: Collection[Place]) -> Sides:
    """Return what is compared, as far as it is in some places."""
    environment, first = run.environment, (Stage.ANONYMISED, run.environment.entities.tables[0])

    def there(stage: str) -> list[str]:
        return [name for of, name in places if of == stage and run.has(of, name)]

    def table(stage: str, name: str) -> pl.DataFrame:
        return run.read(stage, name) if (stage, name) in places else pl.DataFrame()

    return Sides(
        environment=environment,
        conformed=run.frames(Stage.CONFORMED, there(Stage.CONFORMED)),
        raw={
            table.name: run.scan(*place)
            for table, place in zip(environment.raw_tables, _raw(environment), strict=True)
            if place in places and run.has(*place)
        },
        entities=table(*(first if first in places else (Stage.IDENTITY, ATTRIBUTES))),
        figures=table(Stage.ANONYMISED, FIGURES),
        names=table(Stage.ANONYMISED, NAMES),
        published={name: run.scan(Stage.RENDERED, name) for name in there(Stage.RENDERED)},
        codes=published_codes(run, environment.entities) if _CODES in places else {},
        further=tuple(_of_kinds(run, there(Stage.ANONYMISED))) if _CODES in places else (),
        policy=run.use(POLICY),
        events=_events(run) if run.part and run.part.name == limits.EVENTS else (),
        is_demonstration=run.use(MASTER) == DEMONSTRATION_KEY,
        budget=run.use(BUDGET),
    )


def _of_kinds(run: Run, there: Collection[str]) -> Iterator[KindSides]:
    for kind in run.environment.further:
        entities = next((run.read(Stage.ANONYMISED, name) for name in kind.tables if name in there), None)
        yield KindSides(kind=kind, entities=entities, codes=published_codes(run, kind))


def _events(run: Run) -> list[EventSides]:
    """Return the events on both sides, under the original codes; of sampled ones none is anybody's."""
    environment, (then, now), is_sampled = run.environment, paired_events(run), run.use(POLICY).samples_records
    sides = []
    for name in then:
        entities = run.read(Stage.CONFORMED, environment.kind_of_events(environment.events_of(name)).tables[0])
        both = then[name], _under_original_codes(run, name, now[name])
        sides.append(EventSides.of(environment, name, both, entities, is_sampled=is_sampled))
    return sides


def _under_original_codes(run: Run, table: str, published: pl.DataFrame) -> pl.DataFrame:
    events = run.environment.events_of(table)
    codes = published_codes(run, run.environment.kind_of_events(events))
    original = {pseudonym: code for code, pseudonym in codes.items()}
    return published.with_columns(pl.col(events.entity).replace_strict(original, return_dtype=pl.String))
