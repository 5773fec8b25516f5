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


WRONG = {
    "pytest.skip('no browser')": "skipped, and nobody expects it: no browser",
    "warnings.warn('of a library')": "UserWarning: of a library",
    "os._exit(1)": "worker 'gw0' crashed while running",
}


def test_what_goes_wrong_in_a_worker_fails_the_run(pytester: pytest.Pytester) -> None:
    """A skip that nobody expects, a warning and the end of the worker are failures, and say what they are."""
    pytester.makeconftest("from tests.conftest import pytest_addoption, pytest_runtest_makereport  # noqa: F401")
    tests = (f"def test_{place}():\n    {body}\n" for place, body in enumerate(WRONG))
    pytester.makepyfile("\n".join(["import os, warnings, pytest", *tests]))
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-n", "1", "--refuse-skips", "-W", "error")
    done.assert_outcomes(failed=len(WRONG))
    assert [says for says in WRONG.values() if says not in done.stdout.str()] == []
