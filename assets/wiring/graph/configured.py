"""Settings as fields of a model of Dagster's, so that the launchpad shows what they mean."""

from collections.abc import Collection
from typing import Any

from pydantic import Field

from pipeline.settings import meanings, plain


def fields_of(settings: type[Any], *, required: Collection[str] = (), **types: Any) -> dict[str, Any]:
    """Return settings as fields of a model, some with a narrower type; several values are a list, which Dagster knows.

    Args:
        settings: They have defaults.
        required: Names of those whose default nobody may leave.
        types: Narrower types by name.
    """
    return {
        name: (
            types.get(name, list[str] if isinstance(default, tuple) else kind),
            Field(... if name in required else plain(default), description=text),
        )
        for name, kind, default, text in meanings(settings)
    }
