"""Group `rendered`: the published tables and documents as text, without noise."""

from typing import Any

import dagster as dg
import polars as pl

from assets.wiring.boundary import guarded
from assets.wiring.keys import STORE, Stage, about, key, origins
from assets.wiring.lineage import of_rendered, said
from assets.wiring.resources import Workspace
from pipeline.model import Environment, PublishedDocument, PublishedTable, Truth
from pipeline.render import is_renderable, published_files, render_table


def rendered_assets(environment: Environment) -> list[dg.AssetsDefinition]:
    """Return one asset for each published file."""
    return [_rendered_asset(environment, published) for published in published_files(environment)]


def _rendered_asset(environment: Environment, published: PublishedTable | PublishedDocument) -> dg.AssetsDefinition:
    sources = origins(environment, (*published.needs, *published.uses))

    @dg.asset(
        key=key(environment, Stage.RENDERED, published.name),
        ins={name: dg.AssetIn(origin) for name, origin in sources.items()},
        description=published.description,
        group_name=Stage.RENDERED,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        kinds={"csv"} if isinstance(published, PublishedTable) else {"json"},
    )
    def rendered(workspace: Workspace, **tables: Any) -> dg.Output[Any]:
        with guarded(workspace, environment):
            value = _render(environment, published, workspace, tables)
            if value is None:
                return dg.Output(None, metadata=about(None))
            told = of_rendered(environment, published)
            return dg.Output(
                value, metadata=told | (about(value, said(told)) if isinstance(value, pl.DataFrame) else {})
            )

    return rendered


def _render(
    environment: Environment,
    published: PublishedTable | PublishedDocument,
    workspace: Workspace,
    tables: dict[str, Any],
) -> pl.DataFrame | str | None:
    if not is_renderable(published, workspace.absent(environment)):
        return None
    present = {name: frame for name, frame in tables.items() if frame is not None}
    truth = Truth(tables=present, order=workspace.release_key(environment).key.derive("order"))
    return render_table(published, truth) if isinstance(published, PublishedTable) else published.render(truth)
