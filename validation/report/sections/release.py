"""Which variant a page is about, the commands that make it again, and the section on provenance.

Belongs here: facts of a manifest as other sections need them, and what `manifest.json` says in full, in words.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from anonymize.policy import LSD, Policy
from pipeline.model import Budget
from pipeline.model.published import name_of
from validation.report.html import Cell, Table, folded_text, render

_USER_TABLES = "user tables"
"""Source, in a manifest, of tables that Silt did not generate."""

_DEFAULT = Budget().of_a_release
"""The budget that no command has to name."""

_OWN = ".py:"
"""What is in the argument of an environment that Silt does not ship: `FILE.py:NAME`."""


@dataclass(frozen=True, kw_only=True)
class ReportedVariant:
    """One variant of one environment."""

    environment: str
    """What names it in commands."""
    title: str
    variant: str
    manifest: Mapping[str, Any]
    """What `manifest.json` holds."""
    has_figures: bool = True
    """Whether the environment declares a panel of them."""
    figures_of_events: int = 0
    """How many figures it declares of events, whose distributions nobody compares without a panel."""
    companies: int | None = None
    """How many there are; None where a build ended before they were counted."""
    refused_by: tuple[str, ...] = ()
    """The checks that refused the build; none if it was published."""
    has_given_noise: bool = False
    """Whether the build was given another specification of noise than the shipped one."""
    hides_noise: bool = False
    """Whether the page is in a release that does not say which noise there is."""

    @property
    def is_demonstration(self) -> bool:
        """Say whether the key is public, so that the originals are invented."""
        return bool(self.manifest["is_demonstration_key"])

    @property
    def is_of_user_tables(self) -> bool:
        """Say whether it was made of tables that Silt did not generate."""
        return bool(self.manifest["source"] == _USER_TABLES)

    @property
    def build(self) -> str:
        """Return the command that builds both variants, or the one that needs no noise that the reader has not got."""
        return self._command("build clean" if self._is_without_noise else "build noisy clean", is_build=True)

    @property
    def audit(self) -> str:
        """Return the command that attacks the published files of the variant."""
        return self._command(f"audit {self.variant}")

    @property
    def released(self) -> str:
        """Return the command that makes a release."""
        variants = " clean" if self._is_without_noise else ""
        return self._command(f"release{variants} --version 1.0.0", is_build=True)

    @property
    def _is_without_noise(self) -> bool:
        """Say whether neither the environment nor the manifest names noise."""
        return _OWN in self.environment and "noise" not in self.manifest["specs"]

    def checked_under(self, policy: Policy) -> str:
        """Return the command that says what a build under another policy takes."""
        return self._command("check", is_build=True, manifest={"policy": policy.name, "scale": None})

    def _command(
        self, action: str, *, is_build: bool = False, manifest: Mapping[str, Any] = MappingProxyType({})
    ) -> str:
        """Return `silt ACTION` for this environment; `DIR` and `SPEC` stand for what the reader has to name (`how`)."""
        parts = ["silt", action, "--environment", shlex.quote(self.environment)]
        if self.is_of_user_tables:
            parts += ["--raw", "DIR"]
        if is_build:
            parts += self._settings({**self.manifest, **manifest})
        return " ".join(parts)

    @property
    def how(self) -> str:
        """Return where these commands run, and what stands for what in them: no path of the build is published."""
        names = {"DIR": "the folder of its raw tables", "SPEC": "its noise specification"}
        words = [f"`{name}` is {meaning}" for name, meaning in names.items() if f" {name}" in self.build]
        meant = f" {', '.join(words)}." if words else ""
        given = "`--out` if it was" if self.is_demonstration else "`--out` and `--key-file` if they were"
        return f"Run commands where the build was run; it printed them whole at its end.{meant} Add {given} given."

    def _settings(self, manifest: Mapping[str, Any]) -> list[str]:
        scale, policy = manifest["scale"], manifest["policy"]
        policy = [] if policy == LSD.name else ["--policy", shlex.quote(policy)]
        scaled = [] if scale in {None, 1} else ["--scale", f"{scale:g}"]
        budget = manifest.get("budget", _DEFAULT)
        policy += [] if budget == _DEFAULT else ["--budget", f"{budget:g}"]
        # No noise is shipped for an environment of the reader's own.
        is_given = self.has_given_noise or (_OWN in self.environment and not self._is_without_noise)
        noise = ["--noise", "SPEC"] if is_given else []
        return policy + scaled + noise


# --- the section on provenance -----------------------------------------------------------------------------------------

_FILES = ("file", "bytes", "records", "columns", "sha256")
_KINDS = {True: "public: a demonstration, the originals are invented", False: "secret"}


def provenance(release: ReportedVariant, records: Mapping[str, int], *, is_refused: bool = False) -> Markup:
    """Return the section's HTML.

    Args:
        records: Records by path, of documents, too, whose records no manifest has.
        is_refused: Whether there are no published files that could be attacked.
    """
    manifest = release.manifest
    rows = [
        (
            *(file["path"], file["bytes"], file["records"] or records.get(file["path"]), file["columns"]),
            Cell(Markup("<code>{}</code>").format(file["sha256"])),
        )
        for file in manifest["files"]
    ]
    return render(
        "provenance.html",
        release=release,
        figures=_facts(release),
        files=Table(name="published files", headings=_FILES, rows=rows, kind="cards files"),
        left_out=manifest["left_out"],
        became=_became(manifest.get("column_treatments", {}), [file["path"] for file in manifest["files"]]),
        treated=_treated(manifest.get("treated", ())),
        is_refused=is_refused,
    )


def _became(treatments: Mapping[str, Mapping[str, Sequence[str]]], files: Sequence[str]) -> Table:
    """Return what became of each column: tables of which the same columns became the same are in a row.

    A manifest tells it of all tables of both variants. Those of its own files are listed, or all where it lists no file.
    """
    tables: dict[tuple[tuple[str, ...], str], list[str]] = {}
    own = {name_of(folder, path) for folder, _, path in (file.partition("/") for file in files)}
    for name in (each for each in treatments if each in own or not own):
        for what, columns in treatments[name].items():
            tables.setdefault((tuple(columns), what), []).append(name)
    rows = [
        (Cell(folded_text(text), text), what, ", ".join(names))
        for (columns, what), names in tables.items()
        for text in [", ".join(columns)]
    ]
    return Table(
        name="what became of columns", headings=("columns", "became", "tables"), rows=rows, kind="cards thirds"
    )


def _treated(treated: Sequence[Mapping[str, Any]]) -> Table:
    """Return what was done to raw cells as they were read."""
    names = ("table", "column", "cause", "treatment", "count")
    rows = [tuple(each[name] for name in names) for each in treated]
    return Table(name="raw cells that were treated", headings=(*names[:-1], "times"), rows=rows)


def _facts(release: ReportedVariant) -> list[tuple[str, str]]:
    manifest = release.manifest
    return [
        ("environment", f"{manifest['environment']}, {manifest['variant']}"),
        ("declaration", f"`{release.environment}`" if _OWN in release.environment else "Silt's own"),
        ("originals", f"{manifest['source']}; the digests of the files stay with the curator"),
        *([] if manifest["scale"] is None else [("scale", f"{manifest['scale']:g}")]),
        ("policy", str(manifest["policy"])),
        ("release key", f"{_KINDS[release.is_demonstration]}; fingerprint {manifest['key_fingerprint']}"),
        *((f"specification: {name}", f"sha256 {digest}") for name, digest in manifest["specs"].items()),
        ("built on", "Not stated. The same inputs give the same bytes on any day."),
        ("made with", ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())),
    ]
