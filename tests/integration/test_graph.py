"""The asset graph as people see it: groups, jobs, checks; and that the web server can load it."""

import re

import dagster as dg
import pytest
from dagster._core.remote_representation.external_data import RepositorySnap
from dagster_shared.serdes import serialize_value

from anonymize.tables import FIGURES, NAMES
from assets.anonymised import anonymised_names
from assets.making.keys import DISTRIBUTIONS, Stage, beside, key
from pipeline.model import Environment
from pipeline.render import published_files
from silt import definitions
from silt.definitions import build_defs, declared_steps, ordered
from silt.environments.registry import ENVIRONMENTS

GROUPS = {"conformed", "anonymised", "derived", "rendered", "noisy", "reports", "published", "released"}

pytestmark = pytest.mark.filterwarnings("ignore::dagster.BetaWarning", "ignore::dagster.PreviewWarning")


@pytest.fixture(params=ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> Environment:
    """Return each registered environment."""
    found: Environment = request.param
    return found


def test_the_groups_are_the_stages(environment: Environment) -> None:
    """The graph shows the stages as groups, and nothing outside them."""
    graph = build_defs(environment).resolve_asset_graph()
    assert {graph.get(asset).group_name for asset in graph.get_all_asset_keys()} == GROUPS


def test_an_asset_is_a_table_of_a_stage(environment: Environment) -> None:
    """Ledgers, counts and what is kept beside a table are no nodes; reports of one step are one."""
    shown: dict[str, set[str]] = {}
    for asset in build_defs(environment).resolve_asset_graph().get_all_asset_keys():
        shown.setdefault(asset.path[1], set()).add(asset.path[2])
    assert shown == {
        "conformed": {table.name for table in environment.raw_tables},
        "anonymised": set(anonymised_names(environment)),
        "identity": {"identity_map"},
        "derived": {each.name for each in (*environment.aggregates, *environment.derivations)},
        "rendered": {published.name for published in published_files(environment)},
        "noisy": {table.name for table in environment.noisy_tables()},
        "reports": {"attacks", "consistency", "distributions", "noise"}
        | {f"{report}_{variant}" for report in ("expectations", "profile") for variant in ("clean", "noisy")},
        "published": {"noisy", "clean", "ablations"},
        "released": {"release"},
    }


def test_what_is_kept_beside_an_asset_is_kept_beside_one_that_is_there(environment: Environment) -> None:
    """Nothing is both a node and beside one, and whatever depends on it depends on that node."""
    shown = build_defs(environment).resolve_asset_graph().get_all_asset_keys()
    for place in beside(environment):
        assert dg.AssetKey([environment.name, *place]) not in shown
        assert key(environment, *place) in shown


def test_what_is_about_figures_waits_for_no_names(environment: Environment) -> None:
    """Aggregates and tests of distributions are made without names and prose, which read no figures."""
    steps = ordered(declared_steps(environment))
    makers = {place: step for step in steps for place in step.makes}
    names = makers[Stage.ANONYMISED, NAMES]
    about_figures = [(Stage.REPORTS, DISTRIBUTIONS), *((Stage.DERIVED, each.name) for each in environment.aggregates)]
    waiting = [makers[place] for place in about_figures]
    for step in waiting:
        waiting += [maker for place in step.reads if (maker := makers[place]) not in waiting]
    assert names not in waiting
    figures = {(Stage.CONFORMED, name) for name in environment.panel.tables} | {(Stage.ANONYMISED, FIGURES)}
    assert not figures & names.reads


def test_each_asset_says_what_it_is(environment: Environment) -> None:
    """Description, owner, kind and the version of the code stand on every node."""
    graph = build_defs(environment).resolve_asset_graph()
    nodes = [graph.get(asset) for asset in graph.get_all_asset_keys()]
    assert [node.key for node in nodes if not (node.description and node.owners and node.kinds)] == []
    assert [node.key for node in nodes if re.fullmatch("[0-9a-f]{12}", str(node.code_version)) is None] == []


def test_both_jobs_lead_from_raw_to_published(environment: Environment) -> None:
    """Each job holds every raw table and ends in its variant alone."""
    defs = build_defs(environment)
    for variant in ("noisy", "clean"):
        keys = defs.resolve_job_def(f"env_{variant}").asset_layer.selected_asset_keys
        assert {asset.path[2] for asset in keys if asset.path[1] == "conformed"} == {
            table.name for table in environment.raw_tables
        }
        assert [asset.path[2] for asset in keys if asset.path[1] == "published"] == [variant]


def test_the_release_has_a_job(environment: Environment) -> None:
    """It holds all that a release is made of, from the raw tables on."""
    keys = build_defs(environment).resolve_job_def("release").asset_layer.selected_asset_keys
    ends = [asset.path[1:] for asset in keys if asset.path[1] in {"published", "released"}]
    assert sorted(ends) == [["published", "clean"], ["published", "noisy"], ["released", "release"]]
    assert {asset.path[2] for asset in keys if asset.path[1] == "conformed"} == {t.name for t in environment.raw_tables}


def test_checks_block(environment: Environment) -> None:
    """Every check stops publishing when it fails."""
    graph = build_defs(environment).resolve_asset_graph()
    checks = [graph.get_check_spec(check) for check in graph.asset_check_keys]
    assert {check.name for check in checks} == {
        "no_distribution_differs",
        "distributions_are_equivalent",
        "ledger_is_exact",
        "aggregates_agree",
        "identities_hold",
        "totals_are_their_parts",
        "domains_agree",
        "attacks_stay_within_limits",
        "cleaner_mends_what_is_recoverable",
        "realistic_noise_is_not_told_apart",
        "clean_meets_its_suite",
        "noisy_meets_its_suite",
        "noise_keeps_its_rates",
        "nothing_identifies_a_company",
        "gives_no_noise_away",
        "verifies",
        "is_mounted_read_only",
    }
    assert all(check.blocking for check in checks)


def test_the_web_server_can_load_it(environment: Environment) -> None:
    """The definitions serialise as the code server sends them, under the attribute that `silt dev` names."""
    defs: dg.Definitions = getattr(definitions, environment.name.replace("-", "_"))
    assert "published" in serialize_value(RepositorySnap.from_def(defs.get_repository_def()))


def test_an_unregistered_environment_is_no_attribute() -> None:
    """The module has no attribute for an environment that is not registered."""
    with pytest.raises(AttributeError, match="nowhere"):
        _ = definitions.nowhere
