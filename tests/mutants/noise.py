"""Mutants of noise: more of it than the specification says, changes that the ledger does not have, claims that are not true."""

import polars as pl

from assets.making.keys import Stage, eligible
from assets.making.store import Value
from pipeline.noise.engine import Noised
from pipeline.noise.ledger import undo
from tests.mutants.mutant import Made, Mutant, Place, Spec
from tests.mutants.specifications import noised

FIGURES, NATIONAL, REGIONAL = "company_operation_status", "national_industry_status", "regional_industry_status"

DOUBLED = "other names of operating profit"
MOVED = "firms counted in another province"
SHARE = 0.02


def _places(table: str, made: Noised) -> dict[Place, Value]:
    return {
        (Stage.NOISY, table): made.frame,
        (Stage.LEDGER, table): made.ledger,
        (Stage.LEDGER, eligible(table)): made.opportunities,
    }


def _twice_the_rate(spec: Spec) -> Spec:
    for rule in spec["rules"]:
        if rule["name"] == DOUBLED:
            rule["mechanism"]["rate"] *= 2
    return spec


def _unledgered(made: Made) -> dict[Place, Value]:
    frame = made.table(Stage.NOISY, FIGURES)
    touched = made.table(Stage.LEDGER, FIGURES)["row_key"]
    is_first = pl.int_range(pl.len()) == pl.arg_where(~pl.col("id").is_in(touched.implode())).first()
    changed = pl.when(is_first).then(pl.lit("Y_EC_0")).otherwise("targetCode").alias("targetCode")
    return {(Stage.NOISY, FIGURES): frame.with_columns(changed)}


def _all_recoverable(made: Made) -> dict[Place, Value]:
    ledger = made.table(Stage.LEDGER, NATIONAL)
    return {(Stage.LEDGER, NATIONAL): ledger.with_columns(recoverable=pl.lit(value=True))}


def _with_moved(spec: Spec, rate: float) -> Spec:
    rule = {
        "name": MOVED,
        "kind": "wrong_category",
        "tables": [REGIONAL],
        "mechanism": {"type": "completely_at_random", "rate": rate},
        "reason": "A control.",
        "parameters": {"columns": ["province"], "values": ["北京市", "上海市", "广东省", "浙江省"]},
    }
    return spec | {"rules": [*spec["rules"], rule]}


def _in_one_range(made: Made) -> dict[Place, Value]:
    """Move every firm that the rule may move, and take back all but the share of its rate that has the lowest ids."""
    whole = noised(made, REGIONAL, lambda spec: _with_moved(spec, 1.0))
    own = whole.ledger.filter(pl.col("rule") == MOVED)
    kept = own["row_key"].cast(pl.Int64).sort().head(int(own.height * SHARE)).cast(pl.String)
    too_many = own.filter(~pl.col("row_key").is_in(kept.implode()))
    frame = undo(whole.frame, too_many, made.environment.table(REGIONAL))
    ledger = whole.ledger.join(
        too_many.select("rule", "row_key"), on=["rule", "row_key"], how="anti", maintain_order="left"
    )
    return _places(REGIONAL, Noised(frame=frame, ledger=ledger, opportunities=whole.opportunities))


NOISE_MUTANTS = (
    Mutant(
        name="double rate",
        does="One rule changes twice as many cells as the specification says.",
        change=lambda made: _places(REGIONAL, noised(made, REGIONAL, _twice_the_rate)),
        meant="noise_keeps_its_rates",
    ),
    Mutant(
        name="change without a record",
        does="A code of an indicator in the noisy figures is changed, and the ledger does not say so.",
        change=_unledgered,
        meant="noisy_meets_its_suite",
        also={"cleaner_mends_what_is_recoverable": "what no rule changed is no noise to the cleaner, and stays wrong"},
    ),
    Mutant(
        name="lost truth",
        does="The ledger says of every change in the national statistics that it can be taken back.",
        change=_all_recoverable,
        meant="cleaner_mends_what_is_recoverable",
    ),
    Mutant(
        name="noise in one range",
        does="A rule of a kind that claims realism, at its rate, but on the rows with the lowest ids alone.",
        change=_in_one_range,
        specification=lambda spec: _with_moved(spec, SHARE),
        meant="realistic_noise_is_not_detectable",
    ),
)
