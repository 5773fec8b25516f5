"""The manifest's words for what became of each published column, from its lineage and the treatments of its raw columns.

Belongs here: the words. The treatments follow from the declaration (`pipeline/model/treatments.py`); attacks test whether the
words are true of the published files.
"""

from collections.abc import Iterator, Mapping, Sequence

from anonymize.policy import Policy
from anonymize.tables import FIGURES, NAMES, reaching
from pipeline.model import PERIOD, Environment, Events, Field, Identity, Measured, Origin, Role, Total
from pipeline.model.treatments import Treatment, treatments

NOT_DECLARED = "not declared"
"""The word for a column without lineage."""

MADE, INVENTED, DERIVED = "made by Silt, from no original", "invented", "derived"

_KEPT: dict[Treatment, str] = {
    Treatment.PSEUDONYM: "pseudonym",
    Treatment.PROSE: "prose, names in it replaced",
    Treatment.FIGURE: "perturbed",
    Treatment.DATE: "redrawn within its year",
    Treatment.QUASI_IDENTIFIER: "kept, a quasi-identifier",
    Treatment.PERIOD: "kept, the year of the record",
    Treatment.PUBLIC: "kept, public",
}

_MOVED = "moved by a number of whole weeks, the same for all of its company"
"""The word for the times of events, but where records are sampled."""

_AGAIN = "worked out again"
_SOME_AGAIN = f"{_AGAIN} from others, where an identity gives it"
"""The words for outputs of identities, but where records are sampled, and for one column that holds several of them."""

_WRITTEN, _BLANK = "written anew", "left blank"
_WITHOUT_ROWS = "left out, with all rows of its table, which may not be blank"
"""What becomes of prose where records are sampled, by whether anybody writes it anew, and may leave it blank."""

_SAMPLED: Mapping[Treatment, str] = {
    **_KEPT,
    Treatment.PROSE: _WRITTEN,
    Treatment.FIGURE: "sampled",
    Treatment.DATE: "drawn anew, year and day",
    Treatment.QUASI_IDENTIFIER: "drawn anew within what is kept",
    Treatment.PERIOD: "sampled, the year of the record",
}

_OF_SAMPLED_EVENTS: Mapping[Treatment, str] = {
    **_SAMPLED,
    **dict.fromkeys((Treatment.FIGURE, Treatment.DATE), "sampled"),
    **dict.fromkeys(
        (Treatment.QUASI_IDENTIFIER, Treatment.PUBLIC), "drawn from the shares that it has in the industry"
    ),
}


def published_treatments(environment: Environment, policy: Policy) -> dict[str, dict[str, list[str]]]:
    """Return, by published table, what became of its columns: treatment -> columns. Each of several origins is listed once."""
    words = origins_in_words(environment, policy)
    tables = (*environment.tables, *(table for document in environment.documents if (table := document.table)))
    found: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for field in table.fields:
            treatment = "; ".join(dict.fromkeys(_of(field, words)))
            found.setdefault(table.name, {}).setdefault(treatment, []).append(field.name)
    return found


def columns_of(treated: Mapping[str, Mapping[str, Sequence[str]]], treatment: Treatment) -> list[str]:
    """Return the published columns, each once, of which a manifest says that this became of them, in the words of any policy.

    Figures and times of sampled events have one word, and count as figures.
    """
    every = ((words.split("; "), columns) for table in treated.values() for words, columns in table.items())
    return list(dict.fromkeys(name for words, columns in every if _has(words, treatment) for name in columns))


def _has(words: Sequence[str], treatment: Treatment) -> bool:
    """Say whether words of a column say this of a treatment, maybe only of some of its cells."""
    sampled = {_WRITTEN, _BLANK} if treatment is Treatment.PROSE else {_SAMPLED[treatment]}
    return any(word.startswith(_KEPT[treatment]) or word in sampled for word in words)


def _of(field: Field, words: Mapping[Origin, str]) -> Iterator[str]:
    if field.origins is None:
        yield NOT_DECLARED
    elif not field.origins:
        yield MADE
    else:
        said = dict.fromkeys(words.get(origin, DERIVED) for origin in field.origins)
        again = [word for word in said if word.startswith(_AGAIN)]
        yield from (word for word in said if word not in again) if again[1:] else said
        yield from [_SOME_AGAIN] if again[1:] else []


def worked_out_again(figures: Measured) -> dict[str, str]:
    """Return what becomes of each output of an identity under `lsd`: it is computed from published figures, if it was that."""
    identities = (*(figures.sums if isinstance(figures, Events) else ()), *figures.identities)
    return {
        each.output: f"{_AGAIN} {_from(each)}; {_KEPT[Treatment.FIGURE]} where that did not hold" for each in identities
    }


def _from(identity: Identity) -> str:
    if isinstance(identity, Total):
        return f"as the {identity.statistic} of {'.'.join(filter(None, (identity.events, identity.of)))}"
    *others, last = dict.fromkeys(identity.inputs) or ["nothing else"]
    return f"from {', '.join(others)} and {last}" if others else f"from {last}"


def origins_in_words(environment: Environment, policy: Policy) -> dict[Origin, str]:
    """Return the words for each column of an anonymised table; other columns are derived from these."""
    known = _SAMPLED if policy.samples_records else _KEPT
    panel = {environment.entities.code: Treatment.PSEUDONYM, PERIOD: Treatment.PERIOD}
    panel |= {measure.name: Treatment.FIGURE for measure in environment.panel.measures}
    words = {(FIGURES, column): known[treatment] for column, treatment in panel.items()}
    words |= {(NAMES, column): INVENTED for column in ("code", "legal", "short", "english")}
    kept = environment.quasi_identifiers.kept if environment.quasi_identifiers else (environment.entities.industry,)
    events = {each.table for each in environment.events if policy.samples_records}
    written = {(prose.table, prose.column) for prose in environment.prose}
    for table in reaching(environment):
        declared = {column.name: column for column in (*table.columns, *table.adds)}
        for column, treatment in treatments(environment, table).items():
            by_treatment = _OF_SAMPLED_EVENTS if table.name in events else _KEPT if column in kept else known
            reason = f": {declared[column].public or table.public}" if treatment is Treatment.PUBLIC else ""
            words[table.name, column] = f"{by_treatment.get(treatment, '')}{reason}"
            if declared[column].role is Role.TIME and not policy.samples_records:
                words[table.name, column] = _MOVED
            if (
                by_treatment.get(treatment) == _WRITTEN
                and table.of_role(Role.CODE)
                and (table.name, column) not in written
            ):
                words[table.name, column] = _BLANK if declared[column].nullable else _WITHOUT_ROWS
    if not policy.samples_records:
        for place, figures in [(FIGURES, environment.panel), *((each.table, each) for each in environment.events)]:
            words |= {(place, output): said for output, said in worked_out_again(figures).items()}
    return words
