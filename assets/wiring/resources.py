"""How the settings of a build, which the command line or the web graph gives, become a request."""

import os
from collections.abc import Callable, Collection
from functools import cache, partial
from math import inf
from pathlib import Path

from anonymize.keys.key_uses import own_key
from anonymize.keys.release_key import ReleaseKey, release_key
from anonymize.policy import GUARDED, Policy, find_policy
from assets.making.request import ABLATION_PLAN, NOISE_SPECIFICATION, Request, RequestedNoise, lacking
from assets.making.store import refuse_bad_limit
from assets.settings import BuildSettings
from pipeline import places
from pipeline.conform import conform
from pipeline.conform.files.fetching import local_folder
from pipeline.conform.files.listing import digests_of, files_of
from pipeline.errors import ContractError, InputError, two_parts
from pipeline.model import Budget, Corpus, Environment
from pipeline.model.budget import refuse_bad_budget
from pipeline.noise.ablation import AblationPlan, load_ablation_plan
from pipeline.noise.cleaning_plan import load_plan
from pipeline.noise.kinds.interface import Family
from pipeline.noise.spec import load_spec
from pipeline.publish.ablations import ABLATIONS
from raw.landing import land
from raw.scale import refuse_bad_scale

Planned = Callable[[Path], AblationPlan]
"""Reads the ablation plan of a file, once: it holds the specification that it takes apart."""


class Workspace(BuildSettings):
    """The settings of a build, which become a request."""

    def request(self, environment: Environment, variants: Collection[str] = ()) -> Request:
        """Return what is asked for, with every file read and checked; corpus and key are made on first use.

        Raises:
            ContractError: A key would be made for raw tables that break their declaration.
            InputError: A setting, or a file that one names, cannot be used, or one of these variants needs a file that there
                is not.
        """
        try:
            asked, policy = self._asked(environment, variants), find_policy(self.policy)
        except InputError as error:
            self._refuse_raw(environment, error)
            raise
        corpus, own = self._corpus(environment), own_key(environment.name, policy.name)
        if corpus is None and not self.key_file and not os.path.lexists(own):
            # A key is made, and kept from then on, for tables alone that can be built.
            self._conform(environment)
        release = release_key(
            Path(self.key_file) if self.key_file else None,
            default=own,
            is_generated=corpus is not None,
            policy=policy.name,
        )
        raw = land(corpus, places.landing(environment.name), self.scale) if corpus else self._raw_folder(environment)
        return asked(
            release=release,
            raw=raw,
            raw_files=digests_of(environment.raw_tables, raw),
            absent=frozenset(table.name for table in environment.raw_tables if not files_of(table, raw)),
            source=f"generated corpus {corpus.version}" if corpus else "user tables",
            scale=self.scale if corpus else None,
        )

    def of_built(self, environment: Environment, release: ReleaseKey, *, source: str, scale: float | None) -> Request:
        """Return what is asked of a finished build: raw tables are known if they are given, and nothing is made for it."""
        raw = self._raw_folder(environment) if self.raw else Path()
        return self._asked(environment)(
            release=release,
            raw=raw,
            raw_files=digests_of(environment.raw_tables, raw) if self.raw else {},
            absent=frozenset(),
            source=source,
            scale=scale,
        )

    def _conform(self, environment: Environment) -> None:
        raw = self._raw_folder(environment)
        conform(environment.raw_tables, raw, kinds=environment.kinds, panel=environment.panel)

    def _refuse_raw(self, environment: Environment, wrong: InputError) -> None:
        """Refuse raw tables beside a wrong setting; a column that a specification names may be there, and not be declared."""
        try:
            if self.raw:
                self._conform(environment)
        except ContractError as error:
            raise error from wrong
        except InputError as error:  # there are none, or they cannot be read
            raise two_parts(error, wrong) from error

    def _asked(self, environment: Environment, variants: Collection[str] = ()) -> Callable[..., Request]:
        """Return what makes a request of raw tables and a key, with all that settings say besides."""
        policy = find_policy(self.policy)
        refuse_bad_limit(self.store_size)
        budget = budget_of(environment, policy, self.budget)
        planned = cache(partial(load_ablation_plan, environment=environment))
        specified, plan = self._noise(environment, planned), self._plan(environment, planned)
        if places.NOISY in variants and specified is None:
            raise lacking(environment, NOISE_SPECIFICATION)
        if ABLATIONS in variants and plan is None:
            raise lacking(environment, ABLATION_PLAN)
        return partial(
            Request,
            environment=environment,
            policy=policy,
            budget=budget,
            specified=specified,
            planned=plan,
            out=Path(self.out),
            store=self._store_folder(environment),
            shared_store=self.shared_store,
            store_size=self.store_size,
            is_fresh=self.fresh or environment.volatile,
        )

    def _corpus(self, environment: Environment) -> Corpus | None:
        """Return what the raw tables are generated from, None if they are a user's; whether they can be read is checked."""
        if self.raw:
            refuse_bad_scale(self.scale, raw=self.raw)
            self._raw_folder(environment)
            return None
        if environment.corpus is None:
            error = InputError(
                f"environment {environment.name!r} has no generated corpus; give the folder of its tables with --raw (RAW)"
            )
            error.mending = {"raw": "DIR"}
            raise error
        refuse_bad_scale(self.scale)
        return environment.corpus

    def _store_folder(self, environment: Environment) -> Path:
        return Path(self.store) if self.store else Path(self.out, environment.name, places.CURATOR, places.STORE)

    def _raw_folder(self, environment: Environment) -> Path:
        return local_folder(self.raw, environment.raw_tables, within=self._store_folder(environment))

    def _noise(self, environment: Environment, planned: Planned) -> RequestedNoise | None:
        default = places.default_specification(environment.name)
        file = Path(self.noise) if self.noise else default
        if not self.noise and not default.is_file():
            return None
        is_default = file.resolve() == default.resolve()
        ladder, cleaning = (
            places.default_ablation_plan(environment.name),
            places.default_cleaning_plan(environment.name),
        )
        plan = planned(ladder) if is_default and ladder.is_file() else None
        return RequestedNoise(
            spec=plan.spec if plan and plan.noise.resolve() == file.resolve() else load_spec(file, environment),
            file=file,
            is_default=is_default,
            families=plan.ladder if plan else tuple(Family),
            cleaning=load_plan(cleaning, environment) if cleaning.is_file() else None,
        )

    def _plan(self, environment: Environment, planned: Planned) -> AblationPlan | None:
        file = Path(self.plan) if self.plan else places.default_ablation_plan(environment.name)
        return planned(file) if self.plan or file.is_file() else None


def budget_of(environment: Environment, policy: Policy, given: float | None) -> float:
    """Return what a release spends: as it is given, else as it is declared, else the default; infinite without a bound.

    Raises:
        InputError: It is no number above 0, or the policy has no budget.
    """
    if given is None:
        return (environment.budget or Budget()).of_a_release if policy.samples_records else inf
    if not policy.samples_records:
        raise InputError(
            f"policy {policy.name!r} has no budget, since it publishes the originals' own records; leave out --budget "
            f"(BUDGET), or give --policy {GUARDED.name}"
        )
    refuse_bad_budget(given, "--budget, BUDGET")
    return given
