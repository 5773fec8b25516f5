"""Which figures of a guessed panel may stay what they were, although a record is alone in its period by them.

The mechanism is tried with a key of its own: what it cannot move, since an identity or figures that several share decide it, is
declared by name, so that report and check name it too.
"""

from dataclasses import replace

from anonymize.figures import perturb_figures
from pipeline.guess.declared import Guess
from pipeline.keyed import Key
from pipeline.wording import percent
from validation.attacks.limits import MOST_ALONE
from validation.attacks.records.alone import most_alone


def with_what_may_stay(found: Guess) -> Guess:
    """Return a guess whose panel names those measures; of two that find too many together, the one with fewer values."""
    figures, panel = found.figures, replace(found.panel, may_stay=frozenset())
    if figures is None:
        return found
    published = perturb_figures(figures, panel.without_events, code=figures.columns[0], key=Key(bytes(32)))
    notes = list(found.notes.get(id(found.panel), ()))
    names = sorted((each.name for each in panel.measures), key=lambda name: (figures[name].n_unique(), name))
    stay = set[str]()
    while (worst := most_alone(figures, published, names))[0] > MOST_ALONE * figures.height:
        first = min(worst[1], key=names.index)
        names.remove(first)
        stay.add(first)
        by, share = " and ".join(map(repr, worst[1])), percent(worst[0] / figures.height)
        notes.append(f"? {first!r} may stay: about {share} of the records stay alone in their period by {by}")
    panel = replace(panel, may_stay=frozenset(stay))
    return replace(found, panel=panel, notes={**found.notes, id(panel): tuple(notes)})
