"""Every picture of a report, drawn without a clock, a font or a network; and the charts of a page, each drawn once."""

import json
from collections.abc import Callable, Mapping

from markupsafe import Markup


class Charts:
    """The charts of a variant's pages by name: what is drawn for one page is there for the others."""

    def __init__(self, kept: Mapping[str, str] | None = None) -> None:
        """Take the charts that were drawn before."""
        self._drawn = {name: Markup(text) for name, text in (kept or {}).items()}

    def __call__(self, name: str, draw: Callable[[], Markup]) -> Markup:
        """Return a chart, drawn if it was not."""
        if name not in self._drawn:
            self._drawn[name] = draw()
        return self._drawn[name]

    def kept(self) -> str:
        """Return all that were drawn, as JSON."""
        return json.dumps(dict(sorted(self._drawn.items())))
