"""The work that every mechanism is given: the known figures of one year, and in which industry each firm is.

Belongs here: which firms, year and figures that are, of real tables or of generated ones. What is made of them is in
`foils.py`, what they are worth afterwards in `judged.py`.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.model import PERIOD, Environment, Frames, Panel
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from validation.attacks.adaptive.populations import CODE, INDUSTRY, AttackedRelease, Population, population_of

FEWEST_FIRMS = 5
"""Firms of an industry below which it is left out: some mechanisms have nobody to mix a firm with."""

_SCALE = 0.1


@dataclass(frozen=True, kw_only=True)
class Work:
    """The originals, as all mechanisms see them and as those do that treat the whole panel."""

    environment: Environment
    conformed: Frames
    whole: Population
    """The same firms, with everything of all years."""
    originals: Population
    """`CODE` and `INDUSTRY`; `PERIOD` and the known figures, none missing, one row a firm."""
    year: int

    @property
    def known(self) -> tuple[str, ...]:
        """Return the figures, those that most outsiders know first."""
        return known_figures(self.environment.panel)

    @property
    def known_of_few(self) -> tuple[str, ...]:
        """Return the figures from which the others are inferred."""
        return max((names for names in self.environment.panel.known if len(names) < len(self.known)), key=len)

    @property
    def panel(self) -> Panel:
        """Return the panel of these figures alone; no identity is declared between them."""
        measures = tuple(self.environment.panel.measure(name) for name in self.known)
        return Panel(tables=(), measures=measures, known=(self.known,))

    @property
    def title(self) -> str:
        """Say what it is, for a heading."""
        return (
            f"{self.environment.name}, {self.year}: {self.originals.entities.height} firms, {len(self.known)} figures"
        )

    def cut(self, release: AttackedRelease) -> AttackedRelease:
        """Return what a release holds of this work: of whole panels, the year and the known figures."""
        return AttackedRelease(population=_cut(release.population, self.year, self.known), truth=release.truth)


def known_figures(panel: Panel) -> tuple[str, ...]:
    """Return the longest set of figures that outsiders may know."""
    return max(panel.known, key=len)


def work_of(environment: Environment, conformed: Frames) -> Work:
    """Return the work of conformed tables: firms with all known figures in the fullest year, industries of `FEWEST_FIRMS`."""
    everything = population_of(
        environment, conformed[environment.entities.tables[0]], original_figures(environment, conformed)
    )
    known = known_figures(environment.panel)
    year = everything.figures.group_by(PERIOD).len().sort("len", PERIOD)[PERIOD][-1]
    complete = _cut(everything, year, known).figures.drop_nulls()
    listed = everything.entities.join(complete, on=CODE, how="semi")
    firms = listed.filter(pl.len().over(INDUSTRY) >= FEWEST_FIRMS)[CODE]
    whole = everything.of(firms)
    return Work(
        environment=environment, conformed=conformed, whole=whole, originals=_cut(whole, year, known), year=year
    )


def real_work(folder: Path) -> Work:
    """Return the work of the companies of `us-listed`."""
    return work_of(US_LISTED, conform(US_LISTED.raw_tables, folder / US_LISTED.name.replace("-", "_")).frames)


def generated_work() -> Work:
    """Return that of a tenth of the firms of the generated corpus."""
    corpus = DATACLAW_18.corpus
    if corpus is None:
        raise ValueError("dataclaw-18 has a corpus")
    with tempfile.TemporaryDirectory() as folder:
        corpus.generate(Path(folder), _SCALE)
        return work_of(DATACLAW_18, conform(DATACLAW_18.raw_tables, Path(folder)).frames)


def asked_work(raw: str | Path | None) -> Work:
    """Return the work of the real tables where a folder is given, else of generated ones."""
    return real_work(Path(raw)) if raw else generated_work()


def coded(originals: Population, figures: pl.DataFrame, truth: Mapping[str, str]) -> AttackedRelease:
    """Return a release of figures that are still under the original codes."""
    of = pl.col(CODE).replace_strict(truth)
    entities = originals.entities.select(CODE, INDUSTRY)
    return AttackedRelease(
        population=Population(
            entities=entities.with_columns(of).sort(CODE), figures=figures.with_columns(of).sort(CODE, PERIOD)
        ),
        truth=truth,
    )


def _cut(population: Population, year: int, measures: tuple[str, ...]) -> Population:
    figures = population.figures.filter(pl.col(PERIOD) == year).select(CODE, PERIOD, *measures)
    entities = population.entities.select(CODE, INDUSTRY).join(figures, on=CODE, how="semi")
    return Population(entities=entities, figures=figures.join(entities, on=CODE, how="semi"))
