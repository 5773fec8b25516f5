"""Group `rendered`: the published tables and documents as text, without noise."""

from collections.abc import Iterator, Mapping
from typing import Any

from assets.making.keys import Stage, about, origins
from assets.making.parameters import ABSENT, KEY
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.lineage import of_rendered, said
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment, PublishedDocument, PublishedTable, Truth
from pipeline.model.schema.complete import meanings
from pipeline.publish.formats import format_of
from pipeline.render import is_renderable, published_files, rendered, rendered_text


def rendered_assets(environment: Environment) -> list[Declared]:
    """Return one asset for each published file."""
    return [_rendered_asset(environment, published) for published in published_files(environment)]


def _rendered_asset(environment: Environment, published: PublishedTable | PublishedDocument) -> Declared:
    places = origins(environment, (*published.needs, *published.uses))
    reads, kind = list(places.values()), format_of(published).name if isinstance(published, PublishedTable) else "json"

    uses, described = (ABSENT, KEY), published.description

    @asset(environment, Stage.RENDERED, published.name, reads=reads, uses=uses, description=described, kinds={kind})
    def asset_of_file(run: Run) -> Iterator[Result]:
        """Render the file as text."""
        present = {name: frame for name, place in places.items() if (frame := run.read(*place)) is not None}
        if not is_renderable(published, run.use(ABSENT)):
            yield run.made(Stage.RENDERED, published.name, None, about(None))
            return
        truth = Truth(tables=present, order=run.use(KEY).derive("order"))
        yield run.shown(Stage.RENDERED, published.name, _rendered(run, published, truth))

    return asset_of_file


def _rendered(run: Run, published: PublishedTable | PublishedDocument, truth: Truth) -> Mapping[str, Any]:
    """Keep what the file is rendered as, and return what the graph shows of it."""
    lineage = of_rendered(run.environment, published)
    if isinstance(published, PublishedDocument):
        run.keep(Stage.RENDERED, published.name, rendered_text(published, truth))
        return lineage
    notes = meanings(run.environment, published)
    return lineage | about(
        run.keep_blocks(Stage.RENDERED, published.name, rendered(published, truth)), said(lineage, notes)
    )
