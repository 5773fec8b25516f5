"""What each published report holds, as types: the fields of `ks.json`, `privacy.json` and so on.

Belongs here: names of fields and their types. How a figure is found stands where it is computed; where that is a dataclass with
the same fields, it is the type here, too. A report is checked against its type when it is written (`written`), and read back as
that type for the pages (`read`, `Reports.of`). The JSON Schemas in `docs/schemas` are made of the types (`tests/schemas.py`).
"""

from collections.abc import Mapping
from typing import Any, Self, TypeVar, get_args

from pipeline.report_json import report_json
from validation.report.documents.base import Comparing, Document
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import Privacy
from validation.report.documents.profile import Profile


class Reports(Document):
    """The reports of one variant; one that a build did not make is absent."""

    ks: Ks | None = None
    distributions: Distributions | None = None
    curves: Mapping[str, Any] | None = None
    """What the page draws of the samples; not published by itself."""
    consistency: Consistency | None = None
    privacy: Privacy | None = None
    noise: Noise | None = None
    expectations: Expectations | None = None
    profile: Profile | None = None

    @classmethod
    def of(cls, contents: Mapping[str, str]) -> Self:
        """Return the reports of which the JSON is given, by their names."""
        fields = (f'"{name}":{content}' for name, content in contents.items())
        return cls.model_validate_json(f"{{{','.join(fields)}}}")

    @property
    def comparing(self) -> list[Comparing]:
        """Return the reports that compare the release with something."""
        return [each for each in (self.ks, self.distributions, self.consistency) if each is not None]

    @property
    def is_of_fresh(self) -> bool:
        """Say whether any compares it with fresh draws."""
        return any(each.is_of_fresh for each in self.comparing)


KINDS: Mapping[str, type[Document]] = {
    name: get_args(field.annotation)[0] for name, field in Reports.model_fields.items() if name != "curves"
}
"""Name of a published report -> its type."""


_D = TypeVar("_D", bound=Document)


def read(kind: type[_D], report: Mapping[str, Any]) -> _D:
    """Return a report as its type, from what its JSON holds."""
    return kind.model_validate_json(report_json(report))


def written(name: str, report: Mapping[str, Any]) -> bytes:
    """Return a report as it is published.

    Raises:
        pydantic.ValidationError: It is not what its type says, which is a defect.
    """
    content = report_json(report)
    KINDS[name].model_validate_json(content)
    return content
