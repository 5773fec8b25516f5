"""The report `noise`: what each rule changed, what one filter tells of it, and what the reference cleaner takes back."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dagster as dg

from anonymize.tables import FIGURES
from assets.evidence.sides import ledgers, of_noise, rows_of_stage
from assets.making.aspects import KEY
from assets.making.aspects import NOISE as SPECIFIED
from assets.making.keys import Stage
from assets.making.step import Run
from assets.making.store import StageTables
from assets.making.told import Result
from assets.wiring.gates import drawn, verdict
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment
from pipeline.noise.described.examples import examples
from pipeline.noise.ledger import noise_report
from validation.attacks.noise.noise_filters import filter_entries, noise_filter_attacks
from validation.noise.cleaner.aggregates import Firms
from validation.noise.cleaner.report import cleaner_report
from validation.noise.naive_reader import ladder
from validation.report.charts.drawings import bars
from validation.report.documents import written
from validation.report.documents.noise import Noise
from validation.report.sections.recovery import ladder_drawn

NOISE = "noise"

_MENDS = "cleaner_mends_what_is_recoverable"
_REALISTIC = "realistic_noise_is_not_told_apart"


_BARS = 20
"""Bars of a picture: as many as are read."""


def noise_asset(environment: Environment) -> Declared:
    """Return the asset of the noise report."""
    firms = (Stage.ANONYMISED, environment.entities.tables[0]), (Stage.ANONYMISED, FIGURES)
    reads = [*of_noise(environment), *firms]

    @asset(environment, Stage.REPORTS, NOISE, reads=reads, uses=(KEY, SPECIFIED), checks=(_MENDS, _REALISTIC))
    def noise(run: Run) -> Iterator[Result]:
        """What each rule changed, what one filter tells of it, and what the reference cleaner takes back."""
        asked, key = run.use(SPECIFIED), run.use(KEY)
        clean, (ledger, opportunities) = rows_of_stage(run, Stage.RENDERED), ledgers(run)
        entities, figures = (run.read(*place) for place in firms)
        noisy = StageTables(clean, lambda name: run.read(Stage.NOISY, name))
        truth = Firms(entities=entities, figures=figures)
        # Much of either is work of polars, which lets other threads go on meanwhile.
        with ThreadPoolExecutor(1) as beside:
            mended = asked.cleaning and beside.submit(
                cleaner_report, environment, asked.cleaning, ledger, clean=clean, noisy=noisy, firms=truth
            )
            attacks = noise_filter_attacks(environment, asked.spec, clean, ledger, key)
            found = filter_entries(attacks, asked.spec)
        cleaner = mended.result() if mended else None
        steps = ladder(environment, ledger, clean, asked.families)
        report = {
            **noise_report(ledger, asked.spec, opportunities),
            "is_blocking": asked.is_default,
            "filters": found,
            "cleaner": cleaner,
            "examples": examples(ledger, [rule.name for rule in asked.spec.rules]),
            **steps,
        }
        content = written(NOISE, report)
        answered = Noise.model_validate_json(content).ladder
        facts = {"cells_changed": ledger.height, "ladder": drawn("ladder", ladder_drawn(answered))}
        yield run.made(Stage.REPORTS, NOISE, content.decode(), facts)
        yield _mending(cleaner, is_default=asked.is_default)
        yield _realism(found, is_default=asked.is_default)

    return noise


def _realism(found: Sequence[Mapping[str, Any]], *, is_default: bool) -> dg.AssetCheckResult:
    """Judge whether kinds that claim realism keep to their limit: Silt's own noise must, a user's only warns."""
    held = sorted((entry for entry in found if entry["limit"] is not None), key=lambda entry: -entry["rate"])
    failed = [f"{entry['rule']} in {entry['table']}" for entry in held if not entry["passed"]]
    return verdict(
        _REALISTIC,
        is_passed=not failed,
        is_warning=not is_default,
        facts={"held_to_a_limit": len(held), "told_apart": ", ".join(failed)},
        samples=[{name: entry[name] for name in ("rule", "table", "attack", "rate", "limit")} for entry in held],
        picture=bars(
            {f"{entry['rule']}, {entry['table']}": entry["rate"] for entry in held[:_BARS]},
            limits={f"{entry['rule']}, {entry['table']}": entry["limit"] for entry in held[:_BARS]},
        ),
    )


def _mending(cleaner: Mapping[str, Any] | None, *, is_default: bool) -> dg.AssetCheckResult:
    """Judge the noise by what the reference cleaner made of it.

    The environment's default noise must be as recoverable as it says, or nothing is published. Harsher noise may lose by two
    changes together what each alone would leave, and a user's own may say anything: with them the build goes on, and the check
    warns.
    """
    if cleaner is None:
        return verdict(_MENDS, is_passed=True, facts={"cleaning_plan": False})
    recoverable = [kind for kind in cleaner["kinds"] if kind["recoverable"]]
    worst = sorted(cleaner["kinds"], key=lambda kind: (-kind["missed"], -kind["wrong"]))
    return verdict(
        _MENDS,
        is_passed=cleaner["passed"],
        is_warning=not is_default,
        facts={name: cleaner[name] for name in ("recoverable", "mended", "missed", "wrong", "aggregates_are_exact")},
        samples=[{name: kind[name] for name in ("kind", "recoverable", "mended", "missed", "wrong")} for kind in worst],
        picture=bars({kind["kind"]: kind["mended"] / kind["recoverable"] for kind in recoverable}),
    )
