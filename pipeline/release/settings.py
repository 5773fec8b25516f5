"""What is asked of a release: its settings, and with its date all that its public half follows from besides the build."""

from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.places import VARIANTS
from pipeline.publish.formats import refuse_unsteady
from pipeline.release import layout
from pipeline.settings import DEFAULT, setting


@dataclass(frozen=True, kw_only=True)
class ReleaseSettings:
    """What `silt release` can be given, besides the settings of the build."""

    version: str = setting("MAJOR.MINOR.PATCH, as in 1.0.0", "")
    releases: str = setting("folder of releases" + DEFAULT, "releases")
    variants: tuple[str, ...] = setting("what is released: both variants, or one of them", VARIANTS, option="")
    documented: bool = setting(
        "explain every column; without it agents see the names of columns and nothing more", default=False
    )
    disclose_noise: bool = setting("publish what noise was added, and how much", default=False)
    formats: tuple[str, ...] = setting(
        "add every table in this format, too (parquet has declared types); may be given several times",
        (),
        option="--format",
    )
    tasks: bool = setting(
        "publish the tasks of the build, too; answers of the test stay with the curator", default=False
    )
    license: str = setting("SPDX identifier of the data's licence", layout.OTHER_LICENSE)
    authors: tuple[str, ...] = setting(
        "whom to cite: a person as 'Family, Given', or an organisation without a comma; may be given several times",
        (),
        option="--author",
    )
    replace: bool = setting("replace another release of this version", default=False)
    allow_linkable: bool = setting(
        "release even if records can be linked to an earlier release under another key", default=False
    )
    earlier_keys: tuple[str, ...] = setting(
        "release key of an earlier release of these tables, to count the right links to it; may be repeated",
        (),
        option="--earlier-key",
        metavar="FILE",
    )
    reuse_key: bool = setting(
        "use the release key for this policy and these originals although releases used it for others", default=False
    )
    sign: str = setting("sign with this key; unsigned if not given", "", metavar="FILE")

    def __post_init__(self) -> None:
        layout.refuse_no_version(self.version)
        object.__setattr__(self, "license", layout.license_of(self.license))
        for author in self.authors:
            layout.refuse_no_author(author)
        for name in self.formats:
            refuse_unsteady(name)


@dataclass(frozen=True, kw_only=True)
class Asked(ReleaseSettings):
    """The settings of a release, with its date."""

    date: int
    """In seconds since 1970."""

    @property
    def released(self) -> str:
        """Return the day of the release."""
        return datetime.fromtimestamp(self.date, tz=UTC).date().isoformat()

    @property
    def mode(self) -> layout.Mode:
        """Say whether columns are explained, as the head of a release does."""
        return layout.DOCUMENTED if self.documented else layout.UNDEREXPLORED
