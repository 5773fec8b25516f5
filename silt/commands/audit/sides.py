"""The two sides that an audit compares: the originals, and the published files as an outsider reads them.

Rows and columns that noise added, dropped, moved or renamed are put back by the curator's ledger first: what an outsider may
have to guess, the audit knows. Reading text as typed tables belongs to `pipeline/conform/read_back.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from anonymize.policy import Policy
from pipeline.conform.read_back import ReadBack, declared_views, pairs_of, read_back, read_events
from pipeline.errors import InputError
from pipeline.model import Entities, Environment, Frames, lazy
from pipeline.noise.ledger import SCHEMA, as_noised, of_rows_and_file, undo
from pipeline.parquet import read_parquet
from pipeline.places import CURATOR
from pipeline.publish.files import read_published
from pipeline.publish.variant import CLEAN, NOISE_LEDGER
from pipeline.small_files import json_of
from silt.commands.audit.request import AuditRequest
from validation.attacks import Attack
from validation.attacks.kinds import KindSides
from validation.attacks.records.events import EventSides
from validation.attacks.records.exact import exact_figure_attacks
from validation.attacks.suite import Sides


@dataclass(frozen=True, kw_only=True)
class OfOriginals:
    """The originals' part of what an auditor holds, as `Sides` has it."""

    conformed: Frames
    raw: Frames
    map: pl.DataFrame
    """The identity map."""

    def codes(self, kind: Entities) -> dict[str, str]:
        """Return the published code of each original one."""
        return dict(self.map.filter(kind=kind.label("code")).select("original", "pseudonym").iter_rows())


def both_sides(
    request: AuditRequest,
    originals: OfOriginals,
    read: ReadBack,
    published: Frames,
    policy: Policy,
    *,
    is_demonstration: bool,
) -> Sides:
    """Return what attacks compare."""
    return Sides(
        environment=request.environment,
        conformed=originals.conformed,
        raw=lazy(originals.raw),
        entities=read.entities,
        figures=read.figures,
        names=read.names,
        published=lazy(published),
        codes=originals.codes(request.environment.entities),
        further=tuple(
            KindSides(kind=kind, entities=read.further.get(kind.kind), codes=originals.codes(kind))
            for kind in request.environment.further
        ),
        policy=policy,
        events=_events(request.environment, originals, published, policy),
        is_demonstration=is_demonstration,
    )


def _events(environment: Environment, originals: OfOriginals, published: Frames, policy: Policy) -> list[EventSides]:
    """Return the events that views name, on both sides under the original codes; whose row is which, nobody knows."""
    sides = []
    for view in declared_views(environment).events:
        kind = environment.kind_of_events(environment.events_of(view.events))
        if view.table in published and view.events in originals.conformed:
            owners = {pseudonym: original for original, pseudonym in originals.codes(kind).items()}
            now = read_events(environment, view, published[view.table], owners)
            then, entities = (originals.conformed[name] for name in (view.events, kind.tables[0]))
            how = {"is_sampled": policy.samples_records, "is_aligned": False}
            sides.append(EventSides.of(environment, view.events, (then, now), entities, **how))
    return sides


def read_variant(request: AuditRequest, conformed: Frames) -> tuple[ReadBack, dict[str, pl.DataFrame]]:
    """Return what an outsider reads in the published tables, and the tables as text; raise `InputError` if one is not there."""
    environment = request.environment
    published = dict(_published(request))
    views = declared_views(environment)
    needed = [view.table for view in (*views.listings, *views.figures)]
    if environment.decoys is not None:
        needed.append(environment.decoys.among)
    for name in needed:
        if name not in published:
            table = environment.table(name)
            raise InputError(f"no {table.folder}/{table.path} under {request.public}; build again")
    schema = conformed[environment.entities.tables[0]].schema
    further = {
        kind.kind: conformed[kind.tables[0]].schema
        for kind in environment.further
        if kind.tables and kind.tables[0] in conformed
    }
    return read_back(environment, published, _pairs(request), schema, further), published


def _published(request: AuditRequest) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield each published table with its declared rows and columns, and the texts that noise left in them."""
    ledger = noise_ledger(request)
    for table in request.environment.tables:
        file = request.public / table.folder / table.path
        if file.is_file():
            changes = of_rows_and_file(ledger.filter(pl.col("table") == table.name))
            yield table.name, undo(read_published(file, as_noised(table, changes)), changes, table)


def noise_ledger(request: AuditRequest) -> pl.DataFrame:
    """Return what noise changed in the variant; nothing in one without."""
    file = request.folder / CURATOR / NOISE_LEDGER
    if request.variant == CLEAN:
        return SCHEMA.to_frame()
    try:
        return read_parquet(file, SCHEMA.names())
    except (OSError, ValueError) as error:
        raise InputError(
            f"no noise ledger can be read from {file}, without which rows and columns that noise changed cannot be put back; "
            "build again"
        ) from error


def _pairs(request: AuditRequest) -> dict[str, str]:
    """Return the names in the list of English ones, as noise left them: an outsider has no others."""
    listed = declared_views(request.environment).english
    if listed is None:
        return {}
    document = request.environment.document(listed.document)
    file = request.public / document.folder / document.path
    try:
        return pairs_of(json_of(file), listed) if file.is_file() else {}
    except ValueError as error:
        raise InputError(f"{file} cannot be read as JSON; build again") from error


def refuse_strange_files(request: AuditRequest, read: ReadBack, codes: Mapping[str, str]) -> None:
    """Refuse published files of another build than the identity map."""
    if not known_entities(request.environment, read, codes):
        raise InputError(
            f"no code of {request.public} is in the identity map beside it: they are not of one build; build again"
        )


def known_entities(environment: Environment, read: ReadBack, codes: Mapping[str, str]) -> int:
    """Count the published entities that stand for one of the originals."""
    return int(read.entities[environment.entities.code].is_in(list(codes.values())).sum())


def attacks_on_contradictions(sides: Sides, read: ReadBack) -> Iterator[Attack]:
    """Search the figures that tables give differently, both ways: one would hide the other, and few hide among many."""
    measures = sides.environment.panel.measures
    for contradiction in read.contradictions:
        ways = {
            f"where {contradiction.table} contradicts": contradiction.figures,
            f"which {contradiction.table} contradicts": contradiction.instead_of,
        }
        for what, figures in ways.items():
            yield from (
                replace(attack, attack=f"{attack.attack}, {what}")
                for attack in exact_figure_attacks(*sides.pair.aligned(figures), measures, entity=sides.pair.code)
            )
