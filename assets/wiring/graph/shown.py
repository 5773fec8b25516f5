"""Which build the graph shows, and with which settings: a run that is given none takes these, and changes nothing unasked."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import dagster as dg

from assets.making.keys import Stage
from assets.making.request import Request
from pipeline.publish.variant import VARIANTS

RESOURCE = "scheduler"
"""The resource under which the settings of a run stand."""

LOCATION = "dagster/code_location"
"""Tag of a run: the name under which the web graph opens its environment."""

REPOSITORY = "__repository__"
"""What Dagster calls the only repository of a location."""

WHY = "why it failed"
"""Fact that is observed of what a run did not make."""

_SETTINGS_OF = "settings_of"
"""Tag of a run that was given no settings: the run whose settings it has."""


def tags_of(request: Request) -> dict[str, str]:
    """Return the tags of a run that tell builds apart; tasks are made without looking at noise, so theirs name none."""
    return {
        "policy": request.policy.name,
        "key": request.release.master.fingerprint(),
        **({"noise": request.specified.file.name} if request.specified else {}),
    }


def given_to(run: dg.DagsterRun | None) -> Mapping[str, Any]:
    """Return the settings that a run was given; none if it was started by Materialize."""
    resources: Any = run.run_config.get("resources", {}) if run else {}
    given: Mapping[str, Any] = resources.get(RESOURCE, {}).get("config", {})
    return given


def shown(instance: dg.DagsterInstance, assets: Iterable[dg.AssetKey]) -> dg.DagsterRun | None:
    """Return the run whose settings made what the graph shows of assets: of several runs, the last one."""
    made = [event for event in instance.get_latest_materialization_events(assets).values() if event]
    last = max(made, key=lambda event: event.timestamp, default=None)
    run = instance.get_run_by_id(last.run_id) if last else None
    return instance.get_run_by_id(run.tags[_SETTINGS_OF]) if run and _SETTINGS_OF in run.tags else run


def why_failed(*asset: str) -> tuple[str, str]:
    """Return why the last run of an asset failed, and the page that says more, if there is any; nothing if it did not fail."""
    key = dg.AssetKey(asset)
    with dg.DagsterInstance.get() as instance:
        records = instance.fetch_observations(key, limit=1).records
        made = instance.get_latest_materialization_event(key)
    observed = (
        records[0].asset_observation if records and not (made and made.timestamp > records[0].timestamp) else None
    )
    return (str(observed.metadata[WHY].value), observed.description or "") if observed else ("", "")


def start_page(instance: dg.DagsterInstance, environments: Sequence[str]) -> str:
    """Return the address of what was built or tried: of each such environment both variants and the evidence on them.

    That of the last run is open, the others are boxes that can be opened: of two open ones Dagster would show no whole one. It
    is the first one before any run. With the tables, too, Dagster would show a graph of four columns so small that it leaves
    out all states.
    """
    if not environments:
        return "/asset-groups"
    runs = instance.get_runs(limit=1)
    last = runs[0].tags.get(LOCATION) if runs else None
    first = last if last and last in environments else environments[0]
    built = [name for name in environments if name != first and _has_run(instance, name)]
    keys = [f"{Stage.REPORTS}/*", f"{Stage.CURATOR}/*", *(f"{Stage.PUBLISHED}/{variant}" for variant in VARIANTS)]
    asked = quote(" or ".join(f'key:"{name}/{key}"' for name in (first, *built) for key in keys), safe="")
    opened = ",".join(f"global@global:{first.replace('-', '_')}{group}" for group in ("", "/variants"))
    return f"/asset-groups~{asked}?{urlencode({'expanded': opened})}"


def _has_run(instance: dg.DagsterInstance, environment: str) -> bool:
    """Say whether the record has a run of an environment."""
    return bool(instance.get_runs(dg.RunsFilter(tags={LOCATION: environment}), limit=1))


def taken_over(context: dg.InitResourceContext, assets: Iterable[dg.AssetKey]) -> Mapping[str, Any]:
    """Return the settings for a run that was given none, and note on it whose they are; none if nothing was built yet.

    They are of the last build that published, its own assets or any: a refused build makes assets, too. If none did, they are
    of the build that its own assets show, or any asset.
    """
    run, instance = context.run, context.instance
    if not (run and instance):
        return {}
    of_run, every = run.asset_selection or (), list(assets)
    among = (*map(_published, (of_run, every)), of_run, every)
    found = next(filter(None, (shown(instance, keys) for keys in among)), None)
    if not found:
        return {}
    instance.add_run_tags(run.run_id, {_SETTINGS_OF: found.run_id})
    return given_to(found)


def _published(assets: Iterable[dg.AssetKey]) -> list[dg.AssetKey]:
    """Return the assets that are published variants."""
    return [asset for asset in assets if Stage.PUBLISHED in asset.path]
