"""The manifest's words for what became of each published column, from its lineage and the fates of its raw columns.

Belongs here: the words. The fates follow from the declaration (`pipeline/model/fates.py`); attacks test whether the words are
true of the published files.
"""

from collections.abc import Iterator, Mapping

from anonymize.policy import Policy
from anonymize.tables import FIGURES, NAMES, reaching
from pipeline.model import PERIOD, Environment, Field, Origin
from pipeline.model.fates import Fate, fates

NOT_DECLARED = "not declared"
"""The word for a column without lineage."""

MADE, INVENTED, DERIVED = "made by rendering", "invented", "derived"

_KEPT: dict[Fate, str] = {
    Fate.PSEUDONYM: "pseudonym",
    Fate.PROSE: "prose, names in it replaced",
    Fate.FIGURE: "perturbed",
    Fate.DATE: "redrawn within its year",
    Fate.QUASI_IDENTIFIER: "kept, a quasi-identifier",
    Fate.PERIOD: "kept, the year of the record",
    Fate.PUBLIC: "kept, public",
}

_SAMPLED: Mapping[Fate, str] = {
    **_KEPT,
    Fate.PROSE: "written anew",
    Fate.FIGURE: "sampled",
    Fate.DATE: "drawn anew, year and day",
    Fate.QUASI_IDENTIFIER: "drawn anew within what is kept",
    Fate.PERIOD: "sampled, the year of the record",
}

_OF_SAMPLED_EVENTS: Mapping[Fate, str] = {
    **_SAMPLED,
    **dict.fromkeys((Fate.FIGURE, Fate.DATE), "sampled"),
    **dict.fromkeys((Fate.QUASI_IDENTIFIER, Fate.PUBLIC), "drawn from the shares that it has in the industry"),
}


def published_fates(environment: Environment, policy: Policy) -> dict[str, dict[str, list[str]]]:
    """Return, by published table, what became of its columns: fate -> columns. Each of several origins is listed once."""
    words = _origins(environment, policy)
    tables = (*environment.tables, *(table for document in environment.documents if (table := document.table)))
    found: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for field in table.fields:
            fate = "; ".join(dict.fromkeys(_of(field, words)))
            found.setdefault(table.name, {}).setdefault(fate, []).append(field.name)
    return found


def _of(field: Field, words: Mapping[Origin, str]) -> Iterator[str]:
    if field.origins is None:
        yield NOT_DECLARED
    elif not field.origins:
        yield MADE
    else:
        yield from (words.get(origin, DERIVED) for origin in field.origins)


def _origins(environment: Environment, policy: Policy) -> dict[Origin, str]:
    """Return the words for each column of an anonymised table; other columns are derived from these."""
    known = _SAMPLED if policy.samples_records else _KEPT
    panel = {environment.entities.code: Fate.PSEUDONYM, PERIOD: Fate.PERIOD}
    panel |= {measure.name: Fate.FIGURE for measure in environment.panel.measures}
    words = {(FIGURES, column): known[fate] for column, fate in panel.items()}
    words |= {(NAMES, column): INVENTED for column in ("code", "legal", "short", "english")}
    kept = environment.quasi_identifiers.kept if environment.quasi_identifiers else (environment.entities.industry,)
    events = {each.table for each in environment.events if policy.samples_records}
    for table in reaching(environment):
        reasons = {column.name: column.public or table.public for column in (*table.columns, *table.adds)}
        for column, fate in fates(environment, table).items():
            by_fate = _OF_SAMPLED_EVENTS if table.name in events else _KEPT if column in kept else known
            reason = f": {reasons[column]}" if fate is Fate.PUBLIC else ""
            words[table.name, column] = f"{by_fate.get(fate, '')}{reason}"
    return words
