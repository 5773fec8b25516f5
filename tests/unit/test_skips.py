"""Where everything must pass, a test that is skipped without anybody expecting it is a failure."""

import pytest

from tests.conftest import EXPECTED_SKIPS

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(
    ("reason", "options", "outcomes"),
    [
        ("no browser", ["--refuse-skips"], {"failed": 1}),
        ("no browser", [], {"skipped": 1}),
        (EXPECTED_SKIPS[0], ["--refuse-skips"], {"skipped": 1}),
    ],
)
def test_skips_are_refused_where_asked(
    pytester: pytest.Pytester, reason: str, options: list[str], outcomes: dict[str, int]
) -> None:
    pytester.makeconftest("from tests.conftest import pytest_addoption, pytest_runtest_makereport  # noqa: F401")
    pytester.makepyfile(f"import pytest\ndef test_one():\n    pytest.skip({reason!r})")
    pytester.runpytest_inprocess("-p", "no:cacheprovider", *options).assert_outcomes(**outcomes)
