"""Settings as fields of a model of Dagster's, so that the launchpad shows what they mean."""

from typing import Any

from pydantic import Field

from pipeline.settings import meanings, plain


def fields_of(settings: type[Any], **types: Any) -> dict[str, Any]:
    """Return settings as fields of a model, some with a narrower type; several values are a list, which Dagster knows."""
    return {
        name: (
            types.get(name, list[str] if isinstance(default, tuple) else kind),
            Field(plain(default), description=text),
        )
        for name, kind, default, text in meanings(settings)
    }
