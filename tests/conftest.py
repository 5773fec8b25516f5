"""What all tests share: hypothesis, skips, and tables of listed companies.

Hypothesis has no deadlines, because a loaded machine is no defect, and the same examples each time, so that a test fails where
something changed: 15 of them, where a test does not ask for others. More and fresh ones are what `make fuzz` is for (the
profile `fresh`); `make mutations` tries two hundred.
"""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from raw.listed import generate
from tests.shared_builds import SharedBuilds, shared_builds

pytest_plugins = ("tests.s3",)

settings.register_profile("silt", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("fresh", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("silt")

NO_REAL_TABLES = "only companies that exist can be looked for among invented names"
NO_SMALL_DISK = "only root may mount a small file system; the test with a file size limit runs everywhere"
NO_MOUNTS = "there is no bubblewrap, or it may not make namespaces here"
NO_COMPOSE = "there is no docker compose"
EXPECTED_SKIPS = (NO_REAL_TABLES, NO_SMALL_DISK, NO_MOUNTS, NO_COMPOSE)
"""Reasons for which a test may be skipped where everything must pass (`--refuse-skips`)."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option with which a skip that nobody expects is a failure."""
    parser.addoption(
        "--refuse-skips", action="store_true", help="fail on a skip that tests/conftest.py does not expect"
    )


LONGEST = (
    *("test_guarded", "test_verify", "test_never_stale", "test_release_options", "test_one_door", "test_mutants"),
    *("test_release", "test_report_in_browser", "test_killed_build", "test_diff_and_rebuild", "test_ablations"),
    *("test_lineage", "test_audit_command", "test_blocks_of_a_build", "test_public_examples"),
)
"""Files that take longest, in an order in which two workers that begin together seldom wait for the same build."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long: of several workers, those that are done first then find small pieces to go on with."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(
        key=lambda item: ("integration" not in item.path.parts, places.get(item.path.stem, len(places)), item.path)
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while everything is imported, nor ever again among what was: it is there until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip that nobody expects into a failure, if that is asked for."""
    report = yield
    is_skip = report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple)
    if is_skip and item.config.getoption("refuse_skips"):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if reason not in EXPECTED_SKIPS:
            report.outcome, report.longrepr = "failed", f"skipped, and nobody expects it: {reason}"
    return report


REAL_TABLES = Path(os.environ.get("SILT_REAL_TABLES", Path(__file__).parents[2] / "shared" / "real")) / "us_listed"
"""Where the real tables of listed companies are, if they are."""


@pytest.fixture(autouse=True, scope="session")
def own_width() -> None:
    """Forget how wide the terminal is: xdist says it in a variable, and lines would be folded there."""
    os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session")
def builds() -> Iterator[SharedBuilds]:
    """Give what all workers share; at the end nothing of it has changed."""
    with shared_builds(REAL_TABLES) as found:
        yield found


@pytest.fixture(scope="session")
def real_tables() -> Path:
    """Return the folder of the real tables, or skip."""
    if not REAL_TABLES.is_dir():
        pytest.skip(NO_REAL_TABLES)
    return REAL_TABLES


@pytest.fixture(scope="session")
def listed_tables(builds: SharedBuilds) -> Path:
    """Return the folder of the tables of listed companies: the real ones, or where they are not, the generated ones."""
    return REAL_TABLES if REAL_TABLES.is_dir() else builds.made("listed-tables", lambda folder: generate(folder, 1.0))
