"""A plugin of pytest: the tests that are named first run first, and the first example that fails is enough."""

from pathlib import Path

import pytest
from hypothesis import Phase, settings

settings.register_profile(
    "mutations",
    deadline=None,
    database=None,
    derandomize=True,
    max_examples=200,
    phases=[Phase.explicit, Phase.generate],
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests into the order of the command line, where the quickest stand first."""
    named = [Path(argument).resolve() for argument in config.args]
    items.sort(key=lambda item: next(place for place, path in enumerate(named) if item.path.is_relative_to(path)))
