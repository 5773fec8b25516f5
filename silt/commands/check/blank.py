"""What `silt check` says of columns that `guarded` leaves mostly blank, as a trial of their tables shows.

Belongs here: tables about entities. Of events' categories `thin` says before anything is drawn what helps.
"""

from collections.abc import Iterator
from contextlib import suppress

from anonymize.synthesis import synthesise
from anonymize.tables import original_figures
from pipeline.errors import GateError, InputError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.model.treatments import Treatment, treatments

_DRAWN = (Treatment.QUASI_IDENTIFIER, Treatment.DATE)


def mostly_blank(environment: Environment, frames: Frames, *, budget: float, trials: int) -> Iterator[str]:
    """Yield a line for each drawn column that loses half of its values or more, in the first trial that can be made."""
    figures, drawn = original_figures(environment, frames), dict(frames)
    for number in range(trials):
        with suppress(GateError, InputError):
            key = Key(bytes(32)).derive("blank in a trial", str(number))
            made = synthesise(environment, frames, figures, key, budget=budget)
            drawn = {**made.entities, **made.rows}
            break
    for name, frame in drawn.items():
        decided = treatments(environment, environment.raw_table(name))
        for column in (column for column in frame.columns if decided.get(column) in _DRAWN):
            before, now = (each[column].count() / max(each.height, 1) for each in (frames[name], frame))
            if before and 2 * now <= before:
                yield (
                    f"{name}.{column}: blank in {frame[column].null_count():,} of {frame.height:,} cells of a trial build: "
                    "too few share a value; make it coarser, declare what everybody knows (`QuasiIdentifier.known`), or drop it"
                )
