"""The section on provenance: the files by their digests, what they were made from and with, and how to make them again.

Belongs here: what `manifest.json` says, in words.
"""

from markupsafe import Markup

from validation.report.html import Cell, Table, render
from validation.report.sections.release import ReportedVariant

_KINDS = {True: "public: a demonstration, the originals are invented", False: "secret"}


def provenance(release: ReportedVariant) -> Markup:
    """Return the section's HTML."""
    manifest = release.manifest
    rows = [
        (
            *(file[name] for name in ("path", "bytes", "records", "columns")),
            Cell(Markup("<code>{}</code>").format(file["sha256"])),
        )
        for file in manifest["files"]
    ]
    return render(
        "provenance.html",
        release=release,
        figures=_facts(release),
        files=Table(name="published files", headings=("file", "bytes", "records", "columns", "sha256"), rows=rows),
        left_out=manifest["left_out"],
    )


def _facts(release: ReportedVariant) -> list[tuple[str, str]]:
    manifest = release.manifest
    return [
        ("environment", f"{manifest['environment']}, {manifest['variant']}"),
        ("originals", str(manifest["source"])),
        *([] if manifest["scale"] is None else [("scale", f"{manifest['scale']:g}")]),
        ("policy", str(manifest["policy"])),
        ("release key", f"{_KINDS[release.is_demonstration]}; fingerprint {manifest['key_fingerprint']}"),
        *((f"specification: {name}", f"sha256 {digest}") for name, digest in manifest["specs"].items()),
        ("made with", ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())),
    ]
