"""What the section on privacy says of each family of attacks, and what each policy promises.

Belongs here: fixed words; of a release no more than the names of its columns.
"""

from collections.abc import Iterator, Mapping, Sequence

from anonymize.policy import GUARDED, LSD
from anonymize.treatments import NOT_DECLARED, columns_of
from pipeline.model.treatments import Treatment
from validation.attacks import limits
from validation.attacks.privacy import REPORTS_OF_ORIGINALS

FAMILIES: Mapping[str, tuple[str, str]] = {
    limits.CODES: ("Undoing codes", "Counts published codes that lead back to their original without the key."),
    limits.EXACT: (
        "Searching figures as they stand",
        "Counts published figures that stand in the originals, too, and rows of which two figures name one company.",
    ),
    limits.COPIES: (
        "Comparing every column",
        (
            "Compares each published column with each raw one, whatever the declaration says, and each figure with its "
            "original. Counts the columns that are copies, and the measures that came out as they were."
        ),
    ),
    limits.LINKAGE: (
        "Looking for the nearest company",
        "For each record, takes the company whose own figures come nearest. Counts the records for which that is right.",
    ),
    limits.REGISTER: (
        "Looking companies up in a register",
        "Counts the records that agree with one company alone, the right one, in what a register says.",
    ),
    limits.NAMES: ("Reading invented names", "Counts the companies whose invented name is likest to their own."),
    limits.ORDER: (
        "Reading the order of rows",
        "Compares the order of rows with that of each column of the originals. Counts the columns that it follows.",
    ),
    limits.FILTERS: (
        "Filtering decoys out",
        "Tries every single-column filter on one half of the rows. Counts the rows of the other half that it sorts rightly.",
    ),
    limits.EVENTS: (
        "Looking events up",
        "Compares cells with the same event's in the originals, and looks for owners by figures, days and counts.",
    ),
    limits.PROSE: (
        "Searching the originals' prose",
        "Looks for clauses and numbers of published texts in the originals'. Counts the texts whose company it finds.",
    ),
    limits.ADAPTIVE: (
        "Attackers who know the code",
        (
            "They have the originals and this code, make releases under keys of their own, and learn from them. Counts the "
            "records whose owner they name; of what is learnt, how much more a release with the company tells than one without."
        ),
    ),
    limits.OPINION: (
        "An independent opinion",
        (
            "Attacks of the package Anonymeter, which is not ours. None says whose a record is: they count queries that fit "
            "one original, companies whose two halves lead to one published record, and figures guessed within 5 %."
        ),
    ),
}
"""Family of attacks -> its heading, and what is counted."""

MEMBERSHIP = "that nobody learns whether a company is among the originals"
"""What no policy promises. It stands beside the verdict, too."""

_KEPT_BY_ALL = (
    "Names and codes are replaced under the release key; an invented name tells the industry and nothing else.",
    "Rows about companies stand in an order that says nothing.",
)
_OF_DATES = "Day and month of dates are drawn anew."
_OF_LOW_DIGITS = "The low digits of figures are drawn anew, too."

NOT_PROMISED: Mapping[str, str] = {
    LSD.name: "that nobody learns which company is which, or whether one is among the originals",
    GUARDED.name: MEMBERSHIP,
}
"""Policy -> the same in one sentence, for the first screen."""

_NAMED = 12
"""Columns that are named (our choice); of more it is said how many. The section on provenance has all."""


def promises_of(policy: str, treated: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what a policy promises and what it does not, of a variant whose columns were treated as its manifest says."""
    of = (Treatment.FIGURE, Treatment.DATE, Treatment.PROSE, Treatment.PUBLIC)
    figures, dates, texts, public = (_may_have(treated, each) for each in of)
    promised, not_promised = {
        LSD.name: ([_OF_LOW_DIGITS] * figures, [*_not_of_pseudonymised(treated)]),
        GUARDED.name: (
            [*_SAMPLED, *[_OF_SAMPLED_TEXTS] * texts],
            [*_NOT_OF_SAMPLED, *[_OF_PUBLIC_TEXTS, _OF_SHORT_NAMES] * public],
        ),
    }[policy]
    return [*_KEPT_BY_ALL, *[_OF_DATES] * dates, *promised], not_promised


def _may_have(treated: Mapping[str, Mapping[str, Sequence[str]]], treatment: Treatment) -> bool:
    """Say whether columns were treated so, or nothing says what became of some."""
    return bool(columns_of(treated, treatment)) or any(NOT_DECLARED in table for table in treated.values())


def _not_of_pseudonymised(treated: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    """Yield what is not promised of records that are masked, of the columns that there are."""
    if real := _real(treated):
        yield real
    yield "Statistics of cells with one or two companies are published."
    if columns_of(treated, Treatment.PROSE):
        yield _OF_TEXTS
    if any(_may_have(treated, each) for each in (Treatment.QUASI_IDENTIFIER, Treatment.PUBLIC)):
        yield _OF_SHORT_NAMES
    yield f"Nor is it promised {MEMBERSHIP}."
    yield REPORTS_OF_ORIGINALS
    yield "Attacks on what is not promised are reported, and refuse nothing."


def _real(treated: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """Return which columns hold what is real; nothing if none does."""
    kept = columns_of(treated, Treatment.QUASI_IDENTIFIER)
    more = [f"{len(kept) - _NAMED} more columns"] if len(kept) > _NAMED + 1 else kept[_NAMED:]
    has_years = any(columns_of(treated, each) for each in (Treatment.DATE, Treatment.PERIOD))
    *others, last = [*kept[:_NAMED], *more, *["all years"] * has_years] or [""]
    named = f"{', '.join(others)} and {last}" if others else last
    figures = _OF_FIGURES if columns_of(treated, Treatment.FIGURE) else ""
    if not (figures or named):
        return ""
    real = f"{figures}{', and so are ' if named else ''}{named}" if figures else f"Real are {named}"
    return f"{real}: whoever has these from elsewhere, as from annual reports or a register, can tell most companies."


_OF_FIGURES = "The leading digits of figures are real, short figures to the last digit"
_OF_TEXTS = (
    "People and places that texts name, and that no table lists, stay, and so do names that are misspelt by more than one "
    "letter."
)
_OF_SHORT_NAMES = (
    "In columns that are published as they are, no gate searches for one word of a name without its legal form: it is often a "
    "word of the language."
)

_SAMPLED = (
    (
        "Records are sampled, not masked: figures, years, gaps, places and categories are drawn from statistics of each "
        "industry, and no record has an owner whose figures it resembles."
    ),
    (
        "No attack that has the originals and the code may name owners more often than guessing: a build is refused where p is "
        f"below {limits.ALPHA:g}. Smaller gains are not ruled out."
    ),
    "Reports compare with fresh draws from the published statistics; those that compare with the originals are the curator's.",
    (
        "Counts of categories, places and years are noised; what too few companies have to stand out from the noise is left "
        "out, unless the declaration lists it."
    ),
)
_OF_SAMPLED_TEXTS = "Every text about a company is written anew, or left blank."
_NOT_OF_SAMPLED = (
    "That nobody learns what an industry is like: its statistics are what the release is for.",
    f"Nor {MEMBERSHIP}: whoever has the figures of all others can tell it, in a small industry nearly surely.",
    "How many companies an industry has is published.",
)
_OF_PUBLIC_TEXTS = "Texts that are about no company stay as they are."
"""What `guarded` promises besides, and what it does not: of any columns, and of texts."""
