"""What all tests share: hypothesis without deadlines (a loaded machine is no defect), skips, and where the real tables are."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("silt", deadline=None)
settings.load_profile("silt")

NO_REAL_TABLES = "the real tables are not beside the checkout"
NO_SMALL_DISK = "only root may mount a small file system; the test with a file size limit runs everywhere"
EXPECTED_SKIPS = (NO_REAL_TABLES, NO_SMALL_DISK)
"""Reasons for which a test may be skipped where everything must pass (`--refuse-skips`)."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option with which a skip that nobody expects is a failure."""
    parser.addoption(
        "--refuse-skips", action="store_true", help="fail on a skip that tests/conftest.py does not expect"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what builds: of several workers, those that are done first then find small pieces to go on with."""
    items.sort(key=lambda item: "integration" not in item.path.parts)


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


REAL_TABLES = Path(os.environ.get("SILT_REAL_TABLES", Path(__file__).parents[2] / "shared" / "real"))
"""Where the real tables are, if they are."""


@pytest.fixture(scope="session")
def real_tables() -> Path:
    """Return the folder of real tables beside the checkout, or skip: the project does without them."""
    if not REAL_TABLES.is_dir():
        pytest.skip(NO_REAL_TABLES)
    return REAL_TABLES
