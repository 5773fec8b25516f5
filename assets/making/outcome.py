"""What comes out of a step when it is performed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from assets.making.identity import identity
from assets.making.keys import Place
from assets.making.step import Run
from assets.making.store import Name
from assets.making.told import Told, is_refusal, told_of
from pipeline.keyed import Key


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came out of a step."""

    made: Mapping[Place, Name | None]
    told: Sequence[Told]
    lines: Sequence[str]
    stands: Mapping[str, str]
    """Digest of each file or folder that it wrote outside of the store."""
    seconds: float
    is_reused: bool = False

    @property
    def is_passed(self) -> bool:
        """Say whether no check failed that does more than warn."""
        return not any(map(is_refusal, self.told))

    def version(self, key: Key) -> str:
        """Return a digest of all that was made, keyed: it is shown where a digest of originals must not stand."""
        content = identity([sorted(self.made.items()), sorted(self.stands.items())])
        return key.derive("data version").digest(content).hex()


def performed(run: Run) -> Outcome:
    """Perform a step."""
    began = perf_counter()
    told = [told_of(result) for result in run.step.body(run)]
    return Outcome(
        made={place: run.kept.get(place) for place in run.step.makes},
        told=told,
        lines=run.lines,
        stands={} if run.step.ends else run.standing(),
        seconds=perf_counter() - began,
    )
