"""The section on provenance: the files by their digests, what they were made from and with, and how to make them again.

Belongs here: what `manifest.json` says, in words.
"""

from collections.abc import Mapping
from html import escape
from string import Template
from typing import Any

from validation.report.sections.release import Release
from validation.report.tables import Html, sortable
from validation.report.words import command

_KINDS = {True: "public: a demonstration, the originals are invented", False: "secret"}


def provenance(release: Release) -> str:
    """Return the section's HTML."""
    manifest = release.manifest
    rows = [
        (file["path"], file["bytes"], file["records"], file["columns"], Html(f"<code>{file['sha256']}</code>"))
        for file in manifest["files"]
    ]
    return _BODY.substitute(
        facts=_facts(release),
        files=sortable(("file", "bytes", "records", "columns", "sha256"), rows, name="published files"),
        left_out=_left_out(manifest["left_out"]),
        build=command(release.command("build noisy clean", is_build=True)),
        audit=command(release.command(f"audit {release.variant}")),
    )


def _facts(release: Release) -> str:
    manifest = release.manifest
    scale = () if manifest["scale"] is None else (("scale", f"{manifest['scale']:g}"),)
    facts = (
        ("environment", f"{manifest['environment']}, {manifest['variant']}"),
        ("originals", str(manifest["source"])),
        *scale,
        ("policy", str(manifest["policy"])),
        ("release key", f"{_KINDS[release.is_demonstration]}; fingerprint {manifest['key_fingerprint']}"),
        *((f"specification: {name}", f"sha256 {digest}") for name, digest in manifest["specs"].items()),
        ("made with", ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())),
    )
    rows = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>\n' for name, text in facts)
    return f'<div class="wide"><table class="facts"><tbody>\n{rows}</tbody></table></div>\n'


def _left_out(reasons: Mapping[str, Any]) -> str:
    if not reasons:
        return ""
    items = "".join(f"<li><code>{escape(path)}</code>: {escape(str(why))}</li>\n" for path, why in reasons.items())
    return f"<h3>Left out</h3>\n<ul>\n{items}</ul>\n"


_BODY = Template("""$facts<h3>Files</h3>
$files$left_out<h3>Make it again</h3>
<ul>
<li>$build builds both variants; the same inputs give the same bytes, so every digest above must come out
again.</li>
<li><code>sha256sum FILE</code> compares a file with its digest.</li>
<li>$audit repeats every attack on the published files, with the originals and the key in hand.</li>
<li><code>make mutants</code> breaks one thing after the other and shows which check notices.</li>
</ul>
""")
