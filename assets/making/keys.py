"""Names of assets and stages, what is kept without being shown, and what metadata says of a table."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import polars as pl

from anonymize.tables import FIGURES
from assets.making.results import ROW_COUNT, AssetPath, Fact
from assets.making.store import StoredBlocks
from pipeline.model import Column, Environment, Measure, Role
from pipeline.publish.variant import NOISY, VARIANTS

Place = tuple[str, str]
"""Stage and name of what a stage keeps."""


class Stage:
    """The groups of the graph, in the order of data flow. Plain text: Dagster serialises no enumerations of ours."""

    RAW: Final = "raw"
    """No group: what the curator notes of the raw tables."""
    CONFORMED: Final = "conformed"
    ANONYMISED: Final = "anonymised"
    DERIVED: Final = "derived"
    IDENTITY: Final = "identity"
    """The curator's map and list of identifiers; shown in the group of anonymised tables."""
    RENDERED: Final = "rendered"
    NOISY: Final = "noisy"
    ANSWERS: Final = "answers"
    """No group: what noise in a table looks up in other rows."""
    LEDGER: Final = "ledger"
    """Kept beside noisy tables, no group."""
    REPORTS: Final = "reports"
    CURATOR: Final = "curator"
    """Reports of releases of sampled records that compare with the originals, for the curator alone."""
    FILES: Final = "files"
    """No group: the files of tables and documents, as each variant publishes them."""
    PUBLISHED: Final = "published"
    RELEASED: Final = "released"
    TASKS: Final = "tasks"


IDENTITY_MAP, IDENTIFIERS, BROKEN = "identity_map", "identifiers", "broken_identities"
"""What the curator keeps: the map of pseudonyms, identifiers that have none, and which published records break an identity."""

CODES, ATTRIBUTES, STATED, HOLD = "codes", "attributes", "stated_figures", "held_identities"
"""What the figures' step makes for later ones: the map of codes; what is published of each entity besides names and texts; the
figures of which prose is written anew, if it is; and which identities hold in every sampled event, if any are sampled."""

FRESH_FIGURES, FRESH_ATTRIBUTES = "fresh_figures", "fresh_attributes"
"""A second sample of the same statistics, under another key and the published codes: what published reports compare a release
with whose records are sampled. None where none are."""

MODEL = "model"
"""The statistics of which records are sampled; published."""

PROSE, PROSE_LISTED = "prose", "prose_listed"
"""What was found in prose: counts, and for the curator all that was left or is worth a look, with its place."""

SHORT_NAMES = "short_names"
"""How many cells of each column that is published as it is have a word of a name: for whoever builds."""

ATTACKS, ON_FIGURES = "attacks", "attacks_on_figures"
"""What attacks found; and of these what those did that look at no name, no text and no published table."""

KS, DISTRIBUTIONS, CURVES = "ks", "distributions", "curves"
"""The reports of one step: tests of distributions, what they do not see, and the curves to look at."""

CONSISTENCY, OF_FIGURES = "consistency", "consistency_of_figures"
"""The report that every environment has; and of it what needs no published table."""

PROFILES = {variant: f"profile_{variant}" for variant in VARIANTS}
"""Variant -> the report on what stands in its tables."""

ROWS = {variant: f"rows_{variant}" for variant in VARIANTS}
"""Variant -> the rows of its tables that a reader can look into."""

COMPARED = "compared"
"""The curator's reports that compare with the originals, together: whether their gates were passed."""


_RECORD = "/record"

TREATED = "treated"
"""What was treated in the raw tables."""


def instead(table: str) -> str:
    """Return under what name it is kept what takes the place of a conformed table before it gets its names."""
    return f"instead_{table}"


def as_text(table: str) -> str:
    """Return under what name a raw table is kept as text."""
    return f"text_of_{table}"


def dropped(table: str) -> str:
    """Return under what name it is kept what identifies a company in the rows of a raw table that were dropped."""
    return f"dropped_{table}"


def fresh(table: str) -> str:
    """Return under what name a second sample of a table of events is kept."""
    return f"fresh_{table}"


def eligible(table: str) -> str:
    """Return under what name it is kept how many cells of a table each rule could have changed."""
    return f"{table}_eligible"


def job_name(*variants: str) -> str:
    """Return the job that builds variants, or the ablations."""
    return "_".join(("env", *variants))


def path_of(environment: Environment, stage: str, name: str) -> AssetPath:
    """Return the path of the asset in which the graph shows what a stage keeps under a name."""
    hidden = {
        SEARCH_TERMS: (Stage.IDENTITY, IDENTITY_MAP),
        FIRMS: (Stage.ANONYMISED, environment.entities.tables[0]),
        (Stage.CURATOR, ON_FIGURES): (Stage.REPORTS, ATTACKS),
        **{(each, OF_FIGURES): (each, CONSISTENCY) for each in (Stage.REPORTS, Stage.CURATOR)},
        **{(Stage.RAW, as_text(table.name)): (Stage.CONFORMED, table.name) for table in environment.raw_tables},
    }
    if shown := hidden.get((stage, name)):
        return (environment.name, *shown)
    if stage == Stage.ANSWERS:
        return (environment.name, Stage.RENDERED, name)
    if stage == Stage.FILES:
        variant, _, published = name.removesuffix(_RECORD).partition("/")
        shown = _content(environment, variant, published) if published else (Stage.REPORTS, CONSISTENCY)
        return (environment.name, *shown)
    return (environment.name, *beside(environment).get((stage, name), (stage, name)))


def beside(environment: Environment) -> dict[Place, Place]:
    """Return what is kept beside an asset and no node of the graph -> the asset."""
    noisy = [table.name for table in environment.noisy_tables()]
    identity = (IDENTIFIERS, PROSE, PROSE_LISTED, SHORT_NAMES)
    sampled = (HOLD, FRESH_FIGURES, FRESH_ATTRIBUTES, *(fresh(events.table) for events in environment.events))
    of_figures = (CODES, ATTRIBUTES, STATED, BROKEN, *map(instead, raw_with_codes(environment)), *sampled)
    first, *_ = raw = [table.name for table in environment.raw_tables]
    return {
        (Stage.RAW, TREATED): (Stage.CONFORMED, first),
        **{(Stage.IDENTITY, dropped(name)): (Stage.CONFORMED, name) for name in raw},
        **{(Stage.LEDGER, kept): (Stage.NOISY, name) for name in noisy for kept in (name, eligible(name))},
        **{(Stage.IDENTITY, name): (Stage.IDENTITY, IDENTITY_MAP) for name in identity},
        **{(Stage.IDENTITY, name): (Stage.ANONYMISED, FIGURES) for name in of_figures},
        (Stage.REPORTS, MODEL): (Stage.ANONYMISED, FIGURES),
        (Stage.CURATOR, ATTACKS): (Stage.REPORTS, ATTACKS),
        **{(Stage.REPORTS, ROWS[each]): (Stage.REPORTS, PROFILES[each]) for each in VARIANTS},
        **{(stage, name): (stage, DISTRIBUTIONS) for stage in (Stage.REPORTS, Stage.CURATOR) for name in (KS, CURVES)},
        **{
            (Stage.DERIVED, aggregate.counts_name): (Stage.DERIVED, aggregate.name)
            for aggregate in environment.aggregates
        },
    }


def raw_with_codes(environment: Environment) -> list[str]:
    """Return the names of the raw tables that hold codes of entities."""
    return [table.name for table in environment.raw_tables if table.of_role(Role.CODE)]


def file_of(variant: str, published: str) -> Place:
    """Return where the file of a table or document of a variant is kept."""
    return (Stage.FILES, f"{variant}/{published}")


def record_of(variant: str, published: str) -> Place:
    """Return where it is kept what the manifest says of that file."""
    return (Stage.FILES, f"{variant}/{published}{_RECORD}")


SEARCH_TERMS: Place = (Stage.IDENTITY, "search_terms")
"""Where it is kept, sealed, what no published byte may hold, prepared for the search for it."""

FIRMS: Place = ("found", "firms")
"""Where it is kept how the firms are found in noisy tables."""

SECTIONS: Place = (Stage.FILES, "truth")
"""Where it is kept what pages tell of the truth beneath the noise."""


def reports_of(variant: str) -> Place:
    """Return where the reports of a variant are kept, as they are published."""
    return (Stage.FILES, variant)


def verdicts_of(variant: str) -> Place:
    """Return where the answers of a variant's first screen are kept."""
    return (Stage.FILES, f"{variant} verdicts")


def _content(environment: Environment, variant: str, published: str) -> Place:
    """Return the asset that shows the content of a file."""
    has_noise = variant == NOISY and any(table.name == published for table in environment.noisy_tables())
    return (Stage.NOISY if has_noise else Stage.RENDERED, published)


def notes_of(columns: Iterable[Column | Measure], meaning: Callable[[Column | Measure], str]) -> dict[str, str]:
    """Return what the schema says of each column: its meaning, and its unit."""
    return {
        column.name: "; ".join(
            filter(None, (meaning(column), column.unit and f"unit {column.unit}, {column.decimals} decimals"))
        )
        for column in columns
    }


def op_name(environment: Environment, *parts: str) -> str:
    """Return a name for an op: Dagster takes letters, digits and underscores."""
    return "__".join((environment.name, *parts)).replace("-", "_")


def origins(environment: Environment, names: Iterable[str]) -> dict[str, Place]:
    """Return where each anonymised or derived table is kept by name; names of raw panel tables have none and are left out."""
    derived = derived_names(environment)
    panel = set(environment.panel.tables)
    return {name: (Stage.DERIVED if name in derived else Stage.ANONYMISED, name) for name in names if name not in panel}


def derived_names(environment: Environment) -> list[str]:
    """Return the names of every table that follows from anonymised ones."""
    names = [name for aggregate in environment.aggregates for name in aggregate.tables()]
    return names + [derivation.name for derivation in environment.derivations]


def about(
    frame: pl.DataFrame | StoredBlocks | None,
    notes: Mapping[str, str] | None = None,
    *,
    others: Iterable[pl.DataFrame] = (),
) -> dict[str, Any]:
    """Return row count and schema as metadata, with notes on columns; of tables kept beside it, the columns that they add."""
    if frame is None:
        return {"absent": True}
    schema = {name: dtype for each in (*others, frame) for name, dtype in each.schema.items()}
    columns = [(name, str(dtype), (notes or {}).get(name, "")) for name, dtype in (dict(frame.schema) | schema).items()]
    return {ROW_COUNT: frame.height, "dagster/column_schema": Fact("schema", columns)}
