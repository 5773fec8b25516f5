"""Steps on a cluster: what a worker is sent, does and answers. How a cluster is reached is for the modules beside.

What passes through the cluster is where the build works, the name of its environment, where the store is, the fingerprint of
the key, and names of two objects in the store: the task, and what came out. A cluster may log, keep and show what passes
through it, so nothing of the originals or the key is among it.
"""

import json
import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from threading import Condition, Lock
from uuid import uuid4

from anonymize.keys.release_key import DEMONSTRATION_KEY, ReleaseKey, read_key
from assets.making.engines.remote import Performer, RemoteStep, packed, unpacked
from assets.making.request import Request
from assets.making.shared_store import opened
from assets.making.step import Run, StepOutcome, performed
from assets.making.store import Name
from pipeline.errors import InputError
from pipeline.keyed import Key
from silt.environments.registry import find_environment

KEY_FILE = "SILT_KEY_FILE"
"""The variable that names a worker's file of the release key."""

_TASK = ".task"


@dataclass(frozen=True)
class Cluster:
    """A cluster that is connected."""

    executor: Executor
    at_once: int
    """How many tasks it performs at a time."""
    page: str
    """The address of its page, if it has one."""


@dataclass(frozen=True, kw_only=True)
class _Sent:
    """What a worker reads from the store."""

    request: bytes
    """Without its environment and its key."""
    policy: str
    task: RemoteStep
    nonce: str
    """By which nobody finds out what is sent by trying what it may be: its digest passes through the cluster."""


class ClusterEngine:
    """Performs steps on a cluster; those that stay with the build, and those that go wrong there, in this process."""

    def __init__(self, request: Request, cluster: Cluster) -> None:
        """Take what is built, and by what."""
        self._cluster, self._policy = cluster, request.release.policy
        self._store = opened(request.store.absolute(), request.shared_store, request.release.master)
        own = {name: getattr(request, name).absolute() for name in ("raw", "out", "store")}
        self._request = packed(replace(request, **own))
        named = request.environment.declared_in or request.environment.name
        key = request.release.master.fingerprint()
        self._build = (str(Path.cwd()), named, str(self._store.root), request.shared_store, key)

    @property
    def at_once(self) -> int:
        """Return how many tasks the cluster performs at a time."""
        return self._cluster.at_once

    def __call__(self, run: Run) -> StepOutcome:
        """Perform a step.

        Raises:
            InputError: The cluster is gone, or a worker cannot take part in this build.
        """
        if run.step.is_at_home:
            return performed(run)
        sent = _Sent(request=self._request, policy=self._policy, task=RemoteStep.of(run), nonce=uuid4().hex)
        task = self._store.keep_bytes(pickle.dumps(sent), _TASK)
        answer = self._answered(perform, *self._build, task)
        if answer.why_not:
            raise InputError(f"a worker of the cluster {answer.why_not}")
        return self._outcome(answer) if answer.outcome else performed(run)

    def _answered(self, function: Callable[..., "WorkerAnswer"], *arguments: str) -> "WorkerAnswer":
        try:
            return self._cluster.executor.submit(function, *arguments).result()
        except Exception as error:
            # NOTE: only its kind: what a cluster says of an error may hold anything.
            raise InputError(
                f"the cluster gave no answer ({type(error).__name__}), so nothing is published; look at its page and logs, and "
                "run the same command again: what is made already is kept"
            ) from error

    def _outcome(self, answer: "WorkerAnswer") -> StepOutcome:
        if not self._store.is_whole(answer.outcome):
            raise InputError(
                f"a worker of the cluster keeps what it makes elsewhere; {self._store.root} must be one folder for all "
                "machines (--store)"
            )
        return StepOutcome.of(json.loads(str(self._store.value(answer.outcome))), is_reused=False)


@dataclass(frozen=True)
class WorkerAnswer:
    """What a worker answers."""

    outcome: Name = ""
    """The object that holds what came out; empty if the step went wrong."""
    why_not: str = ""
    """Why the worker cannot take part."""


def perform(folder: str, environment: str, store: str, shared_store: str, key: str, task: Name) -> WorkerAnswer:
    """Perform a task in this process, which is a worker's. Raises nothing of a step: a cluster logs what is raised.

    Args:
        folder: The working folder of the build, from which its paths are counted.
        environment: What names the environment there.
        key: The fingerprint of the release key.
        task: The object of the store that holds the task.
    """
    try:
        own = _own_key(key)
        kept = opened(Path(store), shared_store, own)
        if not kept.is_whole(task):
            return WorkerAnswer(why_not=f"does not see the store in {store}; give one that all share (--shared-store)")
        # NOTE: it has the digest that the build says, so nobody else has written it.
        sent: _Sent = pickle.loads(kept.file(task).read_bytes())  # noqa: S301
        with _alone((folder, environment)), kept.held():
            with _loading:
                performer = _performer(folder, environment, sent.request, ReleaseKey(master=own, policy=sent.policy))
            if not performer.is_of(sent.task):
                return WorkerAnswer(
                    why_not="has other code or another declaration than the build; install the same there"
                )
            outcome = performer(sent.task)
            return WorkerAnswer(outcome=kept.keep(json.dumps(outcome.record())) or "" if outcome else "")
    except InputError as error:
        return WorkerAnswer(why_not=f"cannot take part: {error}")


@contextmanager
def _alone(build: tuple[str, str]) -> Iterator[None]:
    """Wait until no other build is at work in this process, which has one working folder and one declaration at a time."""
    with _changed:
        _changed.wait_for(lambda: {*_at_work} <= {build})
        _at_work.append(build)
    try:
        yield
    finally:
        with _changed:
            _at_work.remove(build)
            _changed.notify_all()


_changed, _loading = Condition(), Lock()
_at_work: list[tuple[str, str]] = []
"""The build of each task that is at work."""


@lru_cache(maxsize=1)
def _performer(folder: str, environment: str, request: bytes, release: ReleaseKey) -> Performer:
    from assets.every_step import declared_steps, ordered  # noqa: PLC0415  (takes a while to import, which a build need not)

    if Path(folder).is_dir():  # or only an environment that is shipped is found
        os.chdir(folder)
    try:
        declared = find_environment(environment)
    except InputError as error:
        # NOTE: no word of it: what a declaration raises may hold anything, and the answer passes through the cluster.
        raise InputError(f"it cannot load {environment} in {folder}; try `silt check` there") from error
    return Performer(unpacked(request, declared, release), ordered(declared_steps(declared)))


def _own_key(fingerprint: str) -> Key:
    """Return the key of this process, which is to be the one of a fingerprint."""
    if fingerprint == DEMONSTRATION_KEY.fingerprint():
        return DEMONSTRATION_KEY
    if not (file := os.environ.get(KEY_FILE)):
        raise InputError(
            f"it has no release key; give its process a file with the key, and the file's path as {KEY_FILE}"
        )
    key = read_key(Path(file))
    if key.fingerprint() != fingerprint:
        raise InputError(f"it has another release key than the build, in the file that {KEY_FILE} names")
    return key
