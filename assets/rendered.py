"""Group `rendered`: the published tables and documents as text, without noise."""

from collections.abc import Iterator, Mapping

import dagster as dg
import polars as pl

from assets.making.aspects import ABSENT, KEY
from assets.making.keys import Stage, about, origins
from assets.making.step import Run
from assets.making.told import Result
from assets.wiring.lineage import of_rendered, said
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment, PublishedDocument, PublishedTable, Truth
from pipeline.render import is_renderable, published_files, render_table


def rendered_assets(environment: Environment) -> list[Declared]:
    """Return one asset for each published file."""
    return [_rendered_asset(environment, published) for published in published_files(environment)]


def _rendered_asset(environment: Environment, published: PublishedTable | PublishedDocument) -> Declared:
    places = origins(environment, (*published.needs, *published.uses))
    reads, kind = list(places.values()), "csv" if isinstance(published, PublishedTable) else "json"

    uses, described = (ABSENT, KEY), published.description

    @asset(environment, Stage.RENDERED, published.name, reads=reads, uses=uses, description=described, kinds={kind})
    def rendered(run: Run) -> Iterator[Result]:
        """Render the file as text."""
        present = {name: frame for name, place in places.items() if (frame := run.read(*place)) is not None}
        is_there = is_renderable(published, run.use(ABSENT))
        value = _render(published, Truth(tables=present, order=run.use(KEY).derive("order"))) if is_there else None
        yield run.made(Stage.RENDERED, published.name, value, _about(environment, published, value))

    return rendered


def _render(published: PublishedTable | PublishedDocument, truth: Truth) -> pl.DataFrame | str:
    return render_table(published, truth) if isinstance(published, PublishedTable) else published.render(truth)


def _about(
    environment: Environment, published: PublishedTable | PublishedDocument, value: pl.DataFrame | str | None
) -> Mapping[str, dg.MetadataValue]:
    if value is None:
        return about(None)
    lineage = of_rendered(environment, published)
    return lineage | (about(value, said(lineage)) if isinstance(value, pl.DataFrame) else {})
