"""A step in another process: by what it is known there, and how a request gets there without its environment and its key."""

import pickle
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import NamedTuple, Self

from anonymize.keys.release_key import ReleaseKey
from assets.making.keys import Place
from assets.making.parameters import runs
from assets.making.request import Request
from assets.making.shared_store import opened
from assets.making.step import Run, Step, StepOutcome, StepPart, performed
from assets.making.store import Name
from pipeline.model import Environment


class RemoteStep(NamedTuple):
    """A step, or a part of one, to be performed in another process, by what it is known there."""

    step: str
    fingerprint: str
    """The fingerprint of all code, and of the environment, by which the build knows the step."""
    given: Mapping[Place, Name | None]
    part: StepPart | None
    done: Sequence[StepOutcome] | None

    @classmethod
    def of(cls, run: Run) -> Self:
        """Return the task of a run."""
        return cls(run.step.name, run.fingerprint, run.given, run.part, run.done)


class Performer:
    """Performs the steps of a request in a process that is not the build's."""

    def __init__(self, request: Request, steps: Sequence[Step]) -> None:
        """Take the request and all steps of its environment."""
        self._request = request
        self._store = opened(request.store, request.shared_store, request.release.master)
        self._steps = {step.name: step for step in steps}
        self._runs = runs(request.environment)

    def is_of(self, task: RemoteStep) -> bool:
        """Say whether code and declaration here are those by which the build knows the step."""
        return task.fingerprint == self._runs

    def __call__(self, task: RemoteStep) -> StepOutcome | None:
        """Perform a step; None if that goes wrong: then the build performs it itself, and meets the error."""
        known = task._asdict() | {"step": self._steps[task.step]}
        try:
            return performed(Run(**known, _request=self._request, store=self._store))
        except BaseException:  # noqa: BLE001  (raised again where it can be reported)
            return None


class _Pickler(pickle.Pickler):
    """Leaves out the environment, which may hold functions that no other process can be given, and the key."""

    def persistent_id(self, obj: object) -> str | None:
        return next((kind.__name__ for kind in (Environment, ReleaseKey) if isinstance(obj, kind)), None)


class _Unpickler(pickle.Unpickler):
    """Puts in the environment and the key as this process has them."""

    def __init__(self, content: bytes, environment: Environment, release: ReleaseKey) -> None:
        super().__init__(BytesIO(content))
        self._own = {Environment.__name__: environment, ReleaseKey.__name__: release}

    def persistent_load(self, pid: str) -> object:
        return self._own[pid]


def packed(request: Request) -> bytes:
    """Return a request without its environment and its key, as another process is sent it."""
    content = BytesIO()
    _Pickler(content).dump(request)
    return content.getvalue()


def unpacked(content: bytes, environment: Environment, release: ReleaseKey) -> Request:
    """Return a request that was packed, with the environment and the key as this process has them."""
    request: Request = _Unpickler(content, environment, release).load()
    return request
