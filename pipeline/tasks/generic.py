"""Families that follow from a declaration alone: those of `generic.yaml`, with the tables and columns of the declaration.

Belongs here: which tables list entities, and which hold their figures. What an environment's own file of families says takes
the place of all of these.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.documents.document import texts_of
from pipeline.documents.fields import Many
from pipeline.documents.reading import Reader, load
from pipeline.model import EntityView, Environment, EventView, LongFigures, Role, WideFigures
from pipeline.model.schema.complete import schema_of
from pipeline.places import default_families
from pipeline.tasks.families import Families, Language, Slot, TaskFamily, filled, load_families
from pipeline.tasks.program.operators import is_slot

Parts = Mapping[str, Any]
"""What stands for the parts of a declaration: names of tables and columns, and tuples of such."""

GENERIC = Path(__file__).with_suffix(".yaml")
"""The forms of questions of which those families are made."""


def families_file(environment: Environment, given: str) -> Path | None:
    """Return the file of families that is given, or the one beside the declaration; None if there is neither."""
    file = Path(given) if given else default_families(environment.name, environment.declared_in)
    return file if given or file.is_file() else None


def families_of(environment: Environment, file: Path | None) -> Families:
    """Return the families of a file, or those that follow from the declaration."""
    return load_families(file, environment) if file else generic(environment)


def generic(environment: Environment) -> Families:
    """Return the families that follow from the declaration: once for each table that has all that one asks about."""
    languages: set[Language] = {"en", "zh"} if environment.entities.language == "zh" else {"en"}
    views = environment.views
    listings = [_listing(environment, view) for view in (views.listings if views else ())]
    figures = [_figures(environment, view) for view in (views.figures if views else ())]
    events = [_events(environment, view) for view in (views.events if views else ())]
    main = next((parts for parts in listings if {"code", "name"} <= set(parts)), {})
    every = [*listings, *(_joined(main, parts) for parts in figures), *events]
    read = _read(environment)
    found = {
        f"{family.name}_{parts[subject]}": replace(made, name=f"{family.name}_{parts[subject]}")
        for parts in every
        for family in read
        if (subject := _subject(texts_of(family))) == _subject(f"${name}" for name in parts)
        if (made := _with(family, parts, languages))
    }
    return Families(environment=environment.name, families=tuple(found.values()))


def _joined(main: Parts, parts: Parts) -> Parts:
    """Return the parts of a table of figures with those of the table that lists their owners."""
    return {**main, **parts, "words": {**main.get("words", {}), **parts["words"]}}


def _subject(texts: Iterable[str]) -> str:
    """Return which kind of table a family, or some parts, are about."""
    named = set(texts)
    return next(subject for subject in ("figures", "events", "listing") if f"${subject}" in named)


def _read(environment: Environment) -> tuple[TaskFamily, ...]:
    reader = Reader({}, environment)
    read = reader.read(Many[TaskFamily], load(GENERIC)[0], ())
    assert read is not None, reader.problems  # noqa: S101  (the file is ours)
    return read


def _with(family: TaskFamily, parts: Parts, languages: set[Language]) -> TaskFamily | None:
    """Return a family with the parts of a declaration; None if some are missing."""
    slots = {f"${slot}" for slot in family.slots}
    if any(is_slot(text) and text[1:] not in parts for text in set(texts_of(family)) - slots):
        return None
    made: TaskFamily = _without_label(
        filled(family, {name: part for name, part in parts.items() if isinstance(part, str)})
    )
    wording = {language: texts for language, texts in made.wording.items() if language in languages}
    named = {name: _with_choices(slot, parts) for name, slot in made.slots.items()}
    conventions = dict(made.conventions)
    for language, rows in _ROWS.items() if "events" in parts else ():
        conventions[language] = f"{rows.format(parts['events'])} {conventions.get(language, '')}".rstrip()
    return replace(made, wording=wording, slots=named, conventions=conventions)


_ROWS: Mapping[Language, str] = {"en": "Records are the rows of {}.", "zh": "记录是数据表{}的行。"}
"""What a guideline says where questions are about records: several tables may have some."""


def _with_choices(slot: Slot, parts: Parts) -> Slot:
    """Return a slot with the columns or labels that it chooses among, and what these are called."""
    choice = slot.choices[0] if slot.choices else ""
    if not isinstance(choice, str) or not is_slot(choice):
        return slot
    chosen, words = parts[choice[1:]], parts["words"]
    return replace(slot, choices=chosen, names={"en": words, "zh": words})


def _without_label(part: Any) -> Any:
    """Return a part of a family without conditions on the label of figures, where there is none."""
    if isinstance(part, tuple):
        return tuple(_without_label(each) for each in part if getattr(each, "column", None) != _NO_COLUMN)
    if isinstance(part, Mapping):
        return {name: _without_label(each) for name, each in part.items()}
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{each.name: _without_label(getattr(part, each.name)) for each in fields(part)})
    return part


_NO_COLUMN = "\x1f"


# --- parts of a declaration --------------------------------------------------------------------------------------------


def _listing(environment: Environment, view: EntityView) -> Parts:
    """Return what a table that lists entities has: their code and name, categories, texts and dates."""
    kind = environment.kind(view.of)
    schema = schema_of(environment, environment.table(view.table))
    raw = {column.name: column for column in environment.raw_table(kind.tables[0]).columns}
    sources = {
        shown: view.columns.get(shown, dict(field.origins or ()).get(kind.tables[0], shown))
        for shown, field in schema.items()
    }
    roles = {
        shown: raw[source].role for shown, source in sources.items() if source in raw and schema[shown].type == "text"
    }
    of_source = {source: shown for shown, source in sources.items()}
    found: dict[str, Any] = {
        "listing": view.table,
        "code": of_source.get(kind.code),
        "name": of_source.get(kind.name or "") or of_source.get(kind.code),
        "categories": tuple(shown for shown, role in roles.items() if role == Role.ATTRIBUTE),
        "texts": tuple(shown for shown, role in roles.items() if role == Role.TEXT),
        "dates": tuple(shown for shown, field in schema.items() if field.type == "date"),
        "words": {shown: _worded(shown) for shown in schema},
    }
    return {name: part for name, part in found.items() if part}


def _figures(environment: Environment, view: LongFigures | WideFigures) -> Parts:
    """Return what a table of figures has: its owner, period, label and value; and the measures."""
    measures = {measure.name: measure for measure in environment.panel.measures}
    if isinstance(view, LongFigures):
        shown, label, value = view.labels or {name: name for name in measures}, view.measure, view.value
    else:
        shown = view.columns or {name: name for name in environment.table(view.table).columns}
        label, value = _NO_COLUMN, "$measure"
    shown = {each: name for each, name in shown.items() if name in measures}
    found = {
        "figures": view.table,
        "owner": view.code,
        "period": view.year,
        "label": label,
        "value": value,
        "measures": tuple(shown),
        "additive": tuple(each for each, name in shown.items() if measures[name].additive),
        "words": _without_units({each: (name, measures[name].unit) for each, name in shown.items()}),
    }
    return {name: part for name, part in found.items() if part}


def _events(environment: Environment, view: EventView) -> Parts:
    """Return what a table of records of events has: whose they are, on which day, their numbers and their kinds."""
    declared = next(events for events in environment.events if events.table == view.events)
    raw = {column.name: column for column in environment.raw_table(view.events).columns}
    shown = view.columns or {name: name for name in environment.table(view.table).columns if name in raw}
    measures = {each.name: each for each in declared.measures}
    schema = schema_of(environment, environment.table(view.table))
    days = (name for name, source in shown.items() if source == declared.time and schema[name].type == "date")
    found = {
        "events": view.table,
        "day": next(days, ""),
        "of": next((name for name, source in shown.items() if source == declared.entity), ""),
        "numbers": tuple(name for name, source in shown.items() if source in measures),
        "additive": tuple(name for name, source in shown.items() if source in measures and measures[source].additive),
        "kinds": tuple(
            name for name, source in shown.items() if raw[source].role == Role.ATTRIBUTE and raw[source].type == "text"
        ),
        "words": {name: _worded(name) for name in shown}
        | _without_units({name: (name, measures[each].unit) for name, each in shown.items() if each in measures}),
    }
    return {name: part for name, part in found.items() if part}


def _without_units(named: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return names of measures, given with their units, as words without the unit at their end: `profit_eur` as "profit".

    The guideline says the unit. One that is a word (`sick_days`, in days) stays, as does one that tells two measures apart.
    """
    whole = {shown: _worded(name) for shown, (name, _) in named.items()}
    short = dict(whole)
    for shown, (_, unit) in named.items():
        name, _, last = whole[shown].rpartition(" ")
        is_word = unit.islower() and len(unit) > _ABBREVIATION
        if name and not is_word and _SPELT.get(last.lower(), last).lower() == unit.lower():
            short[shown] = name
    every = Counter(short.values())
    return {shown: name if every[name] == 1 else whole[shown] for shown, name in short.items()}


_ABBREVIATION, _SPELT = 3, {"pct": "%", "percent": "%"}
"""Letters up to which a unit in small letters is no word (kg, min; our choice); what stands for a sign in names of columns."""


def _worded(name: str) -> str:
    """Return the name of a column as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ")
