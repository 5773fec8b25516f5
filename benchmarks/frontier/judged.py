"""What a mechanism protects and costs: the adaptive attackers on it, and fidelity that needs no owner.

The same for every mechanism, whoever wrote it. Rates are means over keys, each with its own releases and attackers; a bound is
the one-sided 95 % bound of all attacked records together for names, and the mean of the keys' bounds elsewhere.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from anonymize.keys.release_key import DEMONSTRATION_KEY
from benchmarks.attackers import pooled
from benchmarks.frontier.shadows import shadow_attacks
from benchmarks.frontier.work import Work
from pipeline.keyed import Key
from pipeline.model import PERIOD
from validation.attacks import Attack
from validation.attacks.adaptive.arrays import Sight
from validation.attacks.adaptive.differencing import differencing_attacks
from validation.attacks.adaptive.findings import Auc, Gain
from validation.attacks.adaptive.inference import inference_attacks
from validation.attacks.adaptive.membership import membership_attacks
from validation.attacks.adaptive.populations import (
    CODE,
    INDUSTRY,
    AttackedRelease,
    Control,
    Make,
    Population,
    control_releases,
    shadow_releases,
)
from validation.attacks.adaptive.reidentification.named import Knowledge, reidentification_attacks
from validation.fidelity import EntityColumns, fidelity
from validation.fidelity.cells import cells as cells_of
from validation.fidelity.report import Fidelity
from validation.fidelity.sums import NEAR, aggregate_errors
from validation.pair import Side

KEYS = 2

Stated = Callable[[Key], tuple[Sequence[Gain], Sequence[Auc]]]
"""Attacks on the statistics that a release under a key states: what they disclose of figures, and of membership."""

FAR = 0.25
"""The wider of both relative errors up to which sums count; the other is `NEAR`."""

COLUMNS = EntityColumns(code=CODE, industry=INDUSTRY, sub_industry=INDUSTRY)


@dataclass(frozen=True, kw_only=True)
class MostFound:
    """The most that any attacker of one kind found, in the mean of the keys."""

    n: int
    rate: float
    upper_95: float
    chance: float


@dataclass(frozen=True, kw_only=True)
class JudgedMechanism:
    """What is found in releases of the work, and what they are still good for."""

    named: MostFound
    """Owners, by the figures of the work."""
    named_in_panel: MostFound | None
    """Owners, by all that is published where that is more."""
    inferred: MostFound
    """Gain in figures inferred within 10 % from the known ones, over a release without the firm."""
    differenced: MostFound
    """The same for whoever has all other firms: by differences, and by shadow releases."""
    members: MostFound
    """Area under the curve, by the release alone."""
    stated: tuple[MostFound, MostFound] | None
    """Both by the statistics, where some are stated."""
    copied: float
    """Share of the published figures that stand among the originals of the industry, to the last digit; zeros left out."""
    distance: float
    """Median Kolmogorov-Smirnov D of a figure in an industry."""
    rejected: float
    """Share of these tests with p <= 0.05."""
    correlations: float
    """Median change of a rank correlation."""
    sums: tuple[float, float]
    """Shares of industries' sums within `NEAR` and within `FAR`."""
    conclusions: float
    """Share of the conclusions that halves of the originals agree on, and that the release gives, too."""


@dataclass(frozen=True, kw_only=True)
class AttackEffort:
    """How hard the attackers try, for each key."""

    shadows: int = 2
    """Releases that they make to learn from."""
    controls: int = 10
    """And each without a tenth of the firms."""


def judged(
    work: Work,
    make: Make,
    *,
    is_of_panel: bool = False,
    stated: Stated | None = None,
    keys: int = KEYS,
    effort: AttackEffort = AttackEffort(),
) -> JudgedMechanism:
    """Make releases of the work, attack and compare them.

    Args:
        work: The originals.
        make: The mechanism; what it publishes beyond the work is cut off.
        is_of_panel: Whether it publishes the whole panel: owners are looked for in that, too.
        stated: Attacks on its statistics, where it states some.
        keys: Over which means are taken.
        effort: The attackers'.
    """
    purposes = [DEMONSTRATION_KEY.derive("frontier", str(i)) for i in range(keys)]
    trials = [_trial(work, make, purpose, effort, is_of_panel=is_of_panel, stated=stated) for purpose in purposes]
    reports = [trial.fidelity for trial in trials]
    return JudgedMechanism(
        named=_most_named([trial.named for trial in trials]),
        named_in_panel=_most_named([trial.named_in_panel for trial in trials]) if is_of_panel else None,
        inferred=_most([trial.inferred for trial in trials]),
        differenced=_most([trial.differenced for trial in trials]),
        members=_most([trial.members for trial in trials]),
        stated=(_most([trial.stated[0] for trial in trials]), _most([trial.stated[1] for trial in trials]))
        if stated
        else None,
        copied=_mean(trial.copied for trial in trials),
        distance=_mean(report.marginals.median_distance for report in reports),
        rejected=_mean(report.marginals.rejected for report in reports),
        correlations=_mean(report.correlations.median for report in reports),
        sums=(_mean(trial.sums[0] for trial in trials), _mean(trial.sums[1] for trial in trials)),
        conclusions=_mean(report.conclusions.same_of_shared for report in reports),
    )


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """What one key gave."""

    named: Sequence[Attack]
    named_in_panel: Sequence[Attack]
    inferred: Sequence[Attack]
    differenced: Sequence[Attack]
    members: Sequence[Attack]
    stated: tuple[Sequence[Attack], Sequence[Attack]]
    copied: float
    sums: tuple[float, float]
    fidelity: Fidelity


def _trial(
    work: Work, make: Make, key: Key, effort: AttackEffort, *, is_of_panel: bool, stated: Stated | None
) -> _Trial:
    attacker = key.derive("attacker")
    published, shadows = (
        make(work.originals, key),
        shadow_releases(make, work.originals, attacker, count=effort.shadows),
    )
    controls = [
        Control(release=work.cut(control.release), left_out=control.left_out)
        for control in control_releases(make, work.originals, attacker, count=effort.controls)
    ]
    release = work.cut(published)
    originals, known = work.originals, work.known
    of_shadows = shadow_attacks(originals, controls, attacker)
    return _Trial(
        named=_named(originals, release, [work.cut(each) for each in shadows], known, attacker),
        named_in_panel=_named(work.whole, published, shadows, known, attacker) if is_of_panel else (),
        inferred=inference_attacks(originals, release, controls, known=work.known_of_few),
        differenced=[*differencing_attacks(originals, controls, attacker), *of_shadows[0]],
        members=[*membership_attacks(originals, controls), *of_shadows[1]],
        stated=stated(key) if stated else ((), ()),
        copied=_copied(originals, release.population),
        sums=_near_sums(work, release.population),
        fidelity=fidelity(
            Side(entities=originals.entities, figures=originals.figures),
            Side(entities=release.population.entities, figures=release.population.figures),
            panel=work.panel,
            columns=COLUMNS,
            key=DEMONSTRATION_KEY.derive("fidelity"),
        ),
    )


def _named(
    originals: Population, release: AttackedRelease, shadows: Sequence[AttackedRelease], known: Sequence[str], key: Key
) -> list[Attack]:
    years = tuple(originals.figures[PERIOD].unique().sort())
    flags = tuple(flag for flag in originals.flags if flag in release.population.figures.columns)
    knowledge = Knowledge(
        text="all figures there are", sight=Sight(years=years, measures=originals.measures, flags=flags)
    )
    return reidentification_attacks(originals, release, shadows=shadows, knowledge=knowledge, known=known, key=key)


def _near_sums(work: Work, published: Population) -> tuple[float, float]:
    """Return which shares of the industries' sums are within `NEAR` and within `FAR`."""
    before, after = (side.figures.join(side.entities, on=CODE) for side in (work.originals, published))
    errors = aggregate_errors(cells_of(before, after, work.panel.measures, group=INDUSTRY))
    sums = errors.filter("is_additive")["sum"].to_numpy()
    return float(np.mean(sums <= NEAR)), float(np.mean(sums <= FAR))


def _copied(originals: Population, published: Population) -> float:
    """Return the share of published figures that are an original's of the same industry."""
    long = [
        side.figures.join(side.entities.select(CODE, INDUSTRY), on=CODE)
        .unpivot(originals.measures, index=[INDUSTRY, PERIOD])
        .with_columns(pl.col("value").cast(pl.Float64).round().cast(pl.Int64))
        .filter(pl.col("value") != 0)
        for side in (originals, published)
    ]
    found = long[1].join(long[0].unique(), on=long[0].columns, how="semi").height
    return found / max(long[1].height, 1)


def _most_named(of_keys: Sequence[Sequence[Attack]]) -> MostFound:
    """Return the attack that named most owners over all keys."""
    of_attacks = [pooled(attacks) for attacks in zip(*of_keys, strict=True)]
    best = max(of_attacks, key=lambda attack: attack.rate)
    return MostFound(n=best.records, rate=best.rate, upper_95=best.upper_95, chance=best.chance)


def _most(of_keys: Sequence[Sequence[Attack]]) -> MostFound:
    """Return the attack with the highest mean rate over all keys."""
    best = max(zip(*of_keys, strict=True), key=lambda attacks: _mean(attack.rate for attack in attacks))
    return MostFound(
        n=sum(attack.records for attack in best),
        rate=_mean(attack.rate for attack in best),
        upper_95=_mean(attack.upper_95 for attack in best),
        chance=_mean(attack.chance for attack in best),
    )


def _mean(values: Iterable[float | None]) -> float:
    return float(np.mean([np.nan if value is None else value for value in values]))


HEADINGS = (
    "owner named",
    "in the panel",
    "inferred",
    "differenced",
    "by statistics",
    "membership",
    "area by statistics",
    "copied",
    "D",
    "rejected",
    "correlations",
    "sums",
    "conclusions",
)


def cells(found: JudgedMechanism) -> Mapping[str, str]:
    """Return the figures in words, by heading."""
    texts = (
        _share(found.named),
        "" if found.named_in_panel is None else _share(found.named_in_panel),
        _points(found.inferred),
        _points(found.differenced),
        _points(found.stated[0]) if found.stated else "",
        _area(found.members),
        _area(found.stated[1]) if found.stated else "",
        f"{found.copied:.0%}",
        f"{found.distance:.3f}",
        f"{found.rejected:.0%}",
        f"{found.correlations:.3f}",
        " / ".join(f"{share:.0%}" for share in found.sums),
        f"{found.conclusions:.0%}",
    )
    return dict(zip(HEADINGS, texts, strict=True))


def _share(found: MostFound) -> str:
    return f"{found.rate:.1%} ({found.upper_95:.1%})"


def _points(found: MostFound) -> str:
    return f"{100 * found.rate:+.1f} ({100 * found.upper_95:+.1f})"


def _area(found: MostFound) -> str:
    return f"{found.rate:.2f} ({found.upper_95:.2f})"


def legend(one: JudgedMechanism, *, keys: int = KEYS) -> str:
    """Return what the columns mean, with numbers of records and chance."""
    return (
        f"Means of {keys} keys; in brackets the upper 95 % bound. Owner named: by the best adaptive attacker, of "
        f"{one.named.n:,} records (chance {one.named.chance:.1%}); in the panel: by all that is published, where that is more. "
        f"Inferred: points of figures told within 10 % beyond a release without the firm, of {one.inferred.n:,}; differenced: "
        "by whoever has all other firms, the best of attacks by differences and by shadow releases; by statistics: the same "
        "from those that `guarded` states. Membership: AUC, guessing is 0.50. Copied: figures that are an original's to the "
        "last digit. D: median Kolmogorov-Smirnov distance by industry; rejected: of these tests; correlations: median change "
        "of a rank correlation; sums: of industries, within 10 and 25 %; conclusions: kept of those two halves agree on."
    )


def markdown(rows: Sequence[Mapping[str, str]]) -> str:
    """Return a table in Markdown; all rows have the same keys, and a column in which nothing stands is left out."""
    texts = [list(rows[0]), *(list(row.values()) for row in rows)]
    columns = [column for column in zip(*texts, strict=True) if any(column[1:])]
    padded = [[cell.ljust(max(map(len, column))) for cell in column] for column in columns]
    lines = ["| " + " | ".join(line) + " |" for line in zip(*padded, strict=True)]
    return "\n".join([lines[0], "| " + " | ".join("-" * len(column[0]) for column in padded) + " |", *lines[1:]])
